"""The admin of records that only verbs change: a person looks there, and history stays whole."""

from typing import TYPE_CHECKING

from django.contrib import admin
from django.db.models import Model
from django.http import HttpRequest

if TYPE_CHECKING:
    Admin = admin.ModelAdmin[Model]
else:  # Django's class takes no parameter at run time
    Admin = admin.ModelAdmin


class ReadOnly(Admin):
    """A person may look; changes go through the verbs, which write history."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False
