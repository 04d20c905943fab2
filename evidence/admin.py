"""Evidence in the admin: to look up, never to edit. Verdicts and words are given on its own pages."""

from django.contrib import admin
from django.http import HttpRequest

from evidence.models import Evidence, Placement


class PlacementInline(admin.TabularInline):  # type: ignore[type-arg]
    """Where the quote was found at each check."""

    model = Placement
    extra = 0
    can_delete = False
    fields = readonly_fields = ("state", "method", "revision", "start_line", "note", "at", "by")

    def has_add_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False


@admin.register(Evidence)
class EvidenceAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """Read-only: a quote is never edited, and nothing is deleted."""

    list_display = ("public_id", "place", "start_line", "state", "made_by", "made_at")
    list_filter = ("state", "kind", "match", "uncommitted", "workspace")
    list_select_related = ("made_by", "workspace")
    search_fields = ("public_id", "place", "quote", "why")
    inlines = (PlacementInline,)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Evidence | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Evidence | None = None) -> bool:
        return False
