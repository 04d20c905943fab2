from django.apps import AppConfig


class JournalConfig(AppConfig):
    name = "yoimemory.journal"
    label = "journal"
