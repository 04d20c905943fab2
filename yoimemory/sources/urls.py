"""Addresses of messages and of places that are read beside the repository."""

from django.urls import path

from yoimemory.sources import views

app_name = "sources"

urlpatterns = [
    path("messages/new/", views.message_new, name="message"),
    path("messages/capture/", views.message_capture, name="capture"),
    path("sources/places/new/", views.place_new, name="place"),
    path("sources/places/add/", views.place_add, name="add"),
    path("sources/places/remove/", views.place_remove, name="remove"),
]
