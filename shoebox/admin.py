"""Shoeboxes in the admin, to be looked at. They are curated on their own pages, where every change has its history."""

from typing import TYPE_CHECKING

from django.contrib import admin
from django.http import HttpRequest

from shoebox.models import Item, Shoebox

if TYPE_CHECKING:
    Admin = admin.ModelAdmin[Shoebox]
    Inline = admin.TabularInline[Item, Shoebox]
else:  # Django's classes take no parameters at run time
    Admin, Inline = admin.ModelAdmin, admin.TabularInline


class ItemInline(Inline):
    model = Item
    fields = ("position", "ref", "rationale", "came", "leaning", "screening", "screening_reason", "added_by")
    ordering = ("position",)

    def has_add_permission(self, request: HttpRequest, obj: Shoebox | None = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Shoebox | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Shoebox | None = None) -> bool:
        return False


@admin.register(Shoebox)
class ShoeboxAdmin(Admin):
    """Where a person looks after old shoeboxes: who opened them, whether anything came of them."""

    list_display = ("question", "workspace", "task", "state", "opened_by", "opened_at", "gathered_at")
    list_filter = ("state", "workspace")
    list_select_related = ("workspace", "opened_by")
    search_fields = ("question", "task", "public_id")
    date_hierarchy = "opened_at"
    ordering = ("-pk",)
    inlines = (ItemInline,)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Shoebox | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Shoebox | None = None) -> bool:
        return False
