from django.apps import AppConfig


class ProductsConfig(AppConfig):
    name = "yoimemory.products"
    label = "products"
