"""The addresses of the pages that show several floors. Each page module lists its own `urlpatterns`."""

from importlib import import_module
from importlib.util import find_spec

from django.urls import URLPattern

app_name = "desk"

urlpatterns: list[URLPattern] = []
for page in ("inbox", "search", "catalog", "reader", "workbench", "diagnostics", "switch"):
    if find_spec(f"yoimemory.desk.{page}"):
        urlpatterns += import_module(f"yoimemory.desk.{page}").urlpatterns
