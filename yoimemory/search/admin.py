"""The index for upkeep: what was read and what could not be. It is derived, so nothing here is edited."""

from django.contrib import admin
from django.http import HttpRequest

from yoimemory.search.models import Document, Position, Unreadable


class Derived(admin.ModelAdmin):  # type: ignore[type-arg]
    """Read only: the index is built from sources, and edits would be gone with the next run."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False


@admin.register(Document)
class DocumentAdmin(Derived):
    """What was read, as it stands in the index."""

    list_display = ("ref", "title", "kind", "authority", "at", "state", "uncommitted", "lossy")
    list_filter = ("kind", "authority", "uncommitted", "lossy")
    search_fields = ("ref", "title", "path")
    show_full_result_count = False


@admin.register(Unreadable)
class UnreadableAdmin(Derived):
    """What could not be read whole, with place and reason."""

    list_display = ("path", "line", "reason", "workspace")
    search_fields = ("path", "reason")


@admin.register(Position)
class PositionAdmin(Derived):
    """Where the index of each workspace stands."""

    list_display = ("workspace", "commit", "branch", "dirty", "indexed_at", "beat_at")
