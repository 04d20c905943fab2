"""Every address of the house."""

from importlib.util import find_spec

from django.contrib import admin
from django.urls import URLPattern, URLResolver, include, path

from yoimemory.api import api

urlpatterns: list[URLPattern | URLResolver] = [
    path("admin/", admin.site.urls),
    path("api/v1/", api.urls),
]
for floor in (
    "yoimemory.access", "yoimemory.jobs", "yoimemory.desk", "shoebox", "evidence", "hypotheses", "yoimemory.products",
):  # fmt: skip
    if find_spec(f"{floor}.urls"):
        try:
            urlpatterns.append(path("", include(f"{floor}.urls")))
        except ImportError as error:
            print("development: urls leave out", floor, error)  # noqa: T201
