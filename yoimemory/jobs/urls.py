"""Addresses of long work."""

from django.urls import path

from yoimemory.jobs import views

app_name = "jobs"

urlpatterns = [
    path("jobs/<str:job_id>/", views.job_detail, name="detail"),
    path("jobs/<str:job_id>/stop/", views.job_stopped, name="stop"),
]
