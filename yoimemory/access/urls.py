"""Addresses of the door itself: start link, login, logout, Workers."""

from django.urls import path

from yoimemory.access import views

app_name = "access"

urlpatterns = [
    path("start/<str:secret>/", views.start, name="start"),
    path("login/", views.login_page, name="login"),
    path("logout/", views.logout_post, name="logout"),
    path("workers/", views.worker_list, name="workers"),
    path("workers/new/", views.token_new, name="token-new"),
    path("workers/<str:token_id>/revoke/", views.token_revoke, name="token-revoke"),
]
