"""History and events for upkeep: append-only, so read only."""

from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.db.models import Model
from django.http import HttpRequest

from yoimemory.journal.models import Change, Event

if TYPE_CHECKING:
    Admin = admin.ModelAdmin[Model]
else:  # Django's class takes no parameter at run time
    Admin = admin.ModelAdmin


class AppendOnly(Admin):
    """A person may look; nobody edits what happened."""

    ordering = ("-pk",)
    show_full_result_count = False

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(Change)
class ChangeAdmin(AppendOnly):
    list_display = ("at", "actor", "verb", "subject", "reason", "workspace")
    list_filter = ("verb", "workspace", "at")
    list_select_related = ("actor", "workspace")
    search_fields = ("subject", "reason", "public_id")


@admin.register(Event)
class EventAdmin(AppendOnly):
    list_display = ("at", "kind", "actor", "subjects", "workspace")
    list_filter = ("kind", "workspace", "at")
    list_select_related = ("actor", "workspace")
    search_fields = ("public_id",)
