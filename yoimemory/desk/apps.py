from django.apps import AppConfig


class DeskConfig(AppConfig):
    name = "yoimemory.desk"
    label = "desk"
