from django.apps import AppConfig


class ShoeboxConfig(AppConfig):
    name = "shoebox"
