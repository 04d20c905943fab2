from django.apps import AppConfig


class MarkersConfig(AppConfig):
    name = "yoimemory.markers"
    label = "markers"
