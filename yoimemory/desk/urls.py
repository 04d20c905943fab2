"""The addresses of the pages that show several floors. Each page module lists its own `urlpatterns`."""

from importlib import import_module

from django.urls import URLPattern

app_name = "desk"

urlpatterns: list[URLPattern] = []
for page in ("inbox", "search", "catalog", "reader", "workbench", "diagnostics", "switch", "health"):
    try:
        urlpatterns += import_module(f"yoimemory.desk.{page}").urlpatterns
    except (ImportError, AttributeError) as error:
        print("development: desk/urls leaves out", page, error)  # noqa: T201
