"""The addresses of markers."""

from django.urls import path

from yoimemory.markers import views

app_name = "markers"

urlpatterns = [
    path("markers/new/", views.marker_new, name="new"),
    path("markers/mark/", views.marker_mark, name="mark"),
]
