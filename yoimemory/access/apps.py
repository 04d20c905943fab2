from django.apps import AppConfig


class AccessConfig(AppConfig):
    name = "yoimemory.access"
    label = "access"
