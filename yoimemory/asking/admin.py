"""Where owners look after words with a date; saved searches are only looked at."""

from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone

from yoimemory.access.services import actor_for_user
from yoimemory.asking import services
from yoimemory.asking.forms import WORDS, AliasForm
from yoimemory.asking.models import Alias, SavedSearch

if TYPE_CHECKING:
    AliasBase = admin.ModelAdmin[Alias]
    SavedBase = admin.ModelAdmin[SavedSearch]
else:  # Django's classes take no parameters at run time
    AliasBase = SavedBase = admin.ModelAdmin


class AdminAliasForm(AliasForm):
    """The same with the workspace that the word belongs to; the admin knows all of them."""

    class Meta(AliasForm.Meta):
        fields = ("workspace", *WORDS)


@admin.register(Alias)
class AliasAdmin(AliasBase):
    """What words meant until when. Nothing is deleted here: what is removed can be put back."""

    form = AdminAliasForm
    list_display = ("word", "meaning", "since", "until", "workspace", "made_by", "removed_at")
    list_filter = ("workspace", ("removed_at", admin.EmptyFieldListFilter), "until")
    list_select_related = ("workspace", "made_by")
    search_fields = ("word", "meaning", "note")
    actions = ("remove", "restore")

    def has_delete_permission(self, request: HttpRequest, obj: Alias | None = None) -> bool:
        return False

    def get_readonly_fields(self, request: HttpRequest, obj: Alias | None = None) -> tuple[str, ...]:
        return ("workspace",) if obj else ()

    def save_model(self, request: HttpRequest, obj: Alias, form: Any, change: bool) -> None:
        """Let the verb write it, so that it has its history."""
        actor, now = actor_for_user(request.user), timezone.now()  # type: ignore[arg-type]
        if change:
            services.change_alias(obj, form.draft(), actor=actor, now=now)
            return
        made = services.add_alias(form.draft(), workspace=obj.workspace, actor=actor, now=now)
        obj.pk, obj.public_id = made.pk, made.public_id

    @admin.action(description="Remove: apply it no longer")
    def remove(self, request: HttpRequest, queryset: QuerySet[Alias]) -> None:
        for alias in queryset.select_related("workspace"):
            services.remove_alias(alias, actor=actor_for_user(request.user), now=timezone.now())  # type: ignore[arg-type]

    @admin.action(description="Put back: apply it again")
    def restore(self, request: HttpRequest, queryset: QuerySet[Alias]) -> None:
        for alias in queryset.select_related("workspace"):
            services.restore_alias(alias, actor=actor_for_user(request.user), now=timezone.now())  # type: ignore[arg-type]


@admin.register(SavedSearch)
class SavedSearchAdmin(SavedBase):
    """Searches that people keep, to be looked at."""

    list_display = ("name", "workspace", "shared", "made_by", "made_at", "removed_at")
    list_filter = ("workspace", "shared")
    list_select_related = ("workspace", "made_by")
    search_fields = ("name",)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: SavedSearch | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: SavedSearch | None = None) -> bool:
        return False
