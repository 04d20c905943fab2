from django.apps import AppConfig


class SourcesConfig(AppConfig):
    name = "yoimemory.sources"
    label = "sources"
