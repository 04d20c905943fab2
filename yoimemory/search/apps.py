from django.apps import AppConfig


class SearchConfig(AppConfig):
    name = "yoimemory.search"
    label = "search"
