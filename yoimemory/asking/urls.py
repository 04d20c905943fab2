"""The addresses of words with a date and of saved searches."""

from django.urls import path

from yoimemory.asking import views

app_name = "asking"

urlpatterns = [
    path("searches/", views.search_list, name="searches"),
    path("searches/save/", views.search_save, name="save"),
    path("searches/<str:id>/change/", views.search_change, name="change"),
    path("searches/<str:id>/remove/", views.search_remove, name="remove"),
    path("searches/<str:id>/restore/", views.search_restore, name="restore"),
    path("words/", views.alias_list, name="aliases"),
    path("words/add/", views.alias_add, name="add-alias"),
    path("words/<str:id>/remove/", views.alias_remove, name="remove-alias"),
]
