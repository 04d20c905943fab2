"""Long work for upkeep: read only."""

from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.http import HttpRequest

from yoimemory.jobs.models import Job

if TYPE_CHECKING:
    Admin = admin.ModelAdmin[Job]
else:  # Django's class takes no parameter at run time
    Admin = admin.ModelAdmin


@admin.register(Job)
class JobAdmin(Admin):
    """What waited, ran and ended."""

    list_display = ("kind", "workspace", "state", "done", "total", "attempts", "created_at", "ended_at", "note")
    list_filter = ("state", "kind", "workspace")
    list_select_related = ("workspace",)
    ordering = ("-pk",)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False
