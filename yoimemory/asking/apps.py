from django.apps import AppConfig


class AskingConfig(AppConfig):
    name = "yoimemory.asking"
    label = "asking"
    verbose_name = "Words and saved searches"
