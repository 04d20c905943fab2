"""Every address of the house."""

from django.contrib import admin
from django.urls import URLPattern, URLResolver, include, path

from yoimemory.api import api

urlpatterns: list[URLPattern | URLResolver] = [
    path("admin/", admin.site.urls),
    path("api/v1/", api.urls),
    path("", include("yoimemory.access.urls")),
    path("", include("yoimemory.jobs.urls")),
    path("", include("yoimemory.markers.urls")),
    path("", include("yoimemory.sources.urls")),
    path("", include("yoimemory.asking.urls")),
    path("", include("yoimemory.desk.urls")),
    path("", include("shoebox.urls")),
    path("", include("evidence.urls")),
    path("", include("hypotheses.urls")),
    path("", include("yoimemory.products.urls")),
]

handler500 = "yoimemory.desk.middleware.broken"
