from django.apps import AppConfig


class HypothesesConfig(AppConfig):
    name = "hypotheses"
