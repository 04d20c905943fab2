from django.apps import AppConfig


class JobsConfig(AppConfig):
    name = "yoimemory.jobs"
    label = "jobs"
