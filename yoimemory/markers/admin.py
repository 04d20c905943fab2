"""Where a person looks after staleness: find markers, let a proposed one stand, resolve or decline with a reason."""

from typing import TYPE_CHECKING

from django import forms
from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils import timezone

from yoimemory.access.services import actor_for_user
from yoimemory.errors import DomainError
from yoimemory.markers.models import Marker
from yoimemory.markers.services import resolve_markers, take_over_markers

if TYPE_CHECKING:
    Admin = admin.ModelAdmin[Marker]
else:  # Django's class takes no parameter at run time
    Admin = admin.ModelAdmin


class ReasonForm(forms.Form):
    """Reads the one reason that is written to every marker chosen."""

    reason = forms.CharField(
        max_length=Marker.REASON_MAX,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="It stands beside each marker from now on.",
    )


@admin.register(Marker)
class MarkerAdmin(Admin):
    """Markers are read here, never edited: what was said stays, what became of it is added."""

    list_display = ("target", "state", "by_ref", "status", "origin", "made_by", "made_at", "review_at", "workspace")
    list_filter = ("status", "state", "origin", "workspace", "made_at", "review_at")
    list_select_related = ("made_by", "workspace")
    search_fields = ("target", "by_ref", "reason", "public_id")
    ordering = ("-pk",)
    actions = ("resolve_with_reason", "decline_with_reason", "take_over")
    fields = (
        "public_id", "workspace", "target", "state", "by_ref", "reason", "evidence", "origin", "status", "review_at",
        "made_by", "made_at", "resolved_by", "resolved_at", "resolution",
    )  # fmt: skip
    readonly_fields = fields

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Marker | None = None) -> bool:
        return False

    @admin.action(description="Resolve with a reason", permissions=["change"])
    def resolve_with_reason(self, request: HttpRequest, queryset: QuerySet[Marker]) -> HttpResponse | None:
        return self._with_reason(request, queryset, action="resolve_with_reason", word="Resolve", decline=False)

    @admin.action(description="Decline with a reason", permissions=["change"])
    def decline_with_reason(self, request: HttpRequest, queryset: QuerySet[Marker]) -> HttpResponse | None:
        return self._with_reason(request, queryset, action="decline_with_reason", word="Decline", decline=True)

    @admin.action(description="Take over: let a proposed marker stand", permissions=["change"])
    def take_over(self, request: HttpRequest, queryset: QuerySet[Marker]) -> None:
        actor = actor_for_user(request.user)  # type: ignore[arg-type]
        try:
            count = take_over_markers(queryset.select_related("workspace"), actor=actor, now=timezone.now())
        except DomainError as error:
            self.message_user(request, error.message, messages.ERROR)
        else:
            self.message_user(request, f"{count} of {queryset.count()} markers stand now.", messages.SUCCESS)

    def _with_reason(
        self, request: HttpRequest, queryset: QuerySet[Marker], *, action: str, word: str, decline: bool
    ) -> HttpResponse | None:
        """Ask for the reason on a page of its own, then act; answering None leads back to the list."""
        form = ReasonForm(request.POST if "confirm" in request.POST else None)
        if form.is_valid():
            actor = actor_for_user(request.user)  # type: ignore[arg-type]
            try:
                count = resolve_markers(
                    queryset.select_related("workspace"),
                    actor=actor, resolution=form.cleaned_data["reason"], now=timezone.now(), decline=decline,
                )  # fmt: skip
            except DomainError as error:
                self.message_user(request, error.message, messages.ERROR)
            else:
                verb = "declined" if decline else "resolved"
                self.message_user(request, f"{count} marker{'s' if count != 1 else ''} {verb}.", messages.SUCCESS)
            return None
        context = {
            **self.admin_site.each_context(request),
            "title": f"{word} with a reason", "markers": queryset.select_related("made_by"), "form": form, "word": word,
            "action": action, "opts": self.model._meta,
        }  # fmt: skip
        return TemplateResponse(request, "admin/markers/marker/reason.html", context)
