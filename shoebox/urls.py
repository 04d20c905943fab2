"""Addresses of the shoebox. The workbench, which shows several floors, is `desk:workbench`."""

from django.urls import path

import shoebox.converters  # noqa: F401 - registers the converter that the paths below use
from shoebox import views

app_name = "shoebox"

urlpatterns = [
    path("shoeboxes/", views.shoebox_list, name="list"),
    path("shoeboxes/new/", views.shoebox_new, name="new"),
    path("shoeboxes/open/", views.shoebox_create, name="create"),
    path("shoeboxes/<shoebox_id:id>/gather/", views.shoebox_gather, name="gather"),
    path("shoeboxes/<shoebox_id:id>/state/", views.shoebox_state, name="state"),
    path("shoeboxes/<shoebox_id:id>/duplicate/", views.shoebox_duplicate, name="duplicate"),
    path("shoeboxes/<shoebox_id:id>/budget/", views.shoebox_resize, name="resize"),
    path("shoeboxes/<shoebox_id:id>/items/", views.item_list, name="items"),
    path("shoeboxes/<shoebox_id:id>/items/add/", views.item_add, name="add"),
    path("shoeboxes/<shoebox_id:id>/items/<shoebox_id:item_id>/screen/", views.item_screen, name="screen"),
    path("shoeboxes/<shoebox_id:id>/items/<shoebox_id:item_id>/undo/", views.item_undo, name="undo"),
    path("shoeboxes/<shoebox_id:id>/items/<shoebox_id:item_id>/move/", views.item_move, name="move"),
    path("shoeboxes/<shoebox_id:id>/items/<shoebox_id:item_id>/lean/", views.item_lean, name="lean"),
]
