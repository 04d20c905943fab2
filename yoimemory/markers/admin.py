"""The maintainer's desk: markers, contradictions, grades and second looks, to find, to close, and to ask why."""

from typing import TYPE_CHECKING

from django import forms
from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html, format_html_join
from django.utils.http import urlencode
from django.utils.safestring import SafeString

from yoimemory.access.services import actor_for_user
from yoimemory.errors import DomainError
from yoimemory.journal.models import Change
from yoimemory.journal.readonly import ReadOnly
from yoimemory.markers.chain import Step, why_marked
from yoimemory.markers.models import Contradiction, Look, Marker, Reliability, SecondLook
from yoimemory.markers.services import resolve_markers, take_over_markers

if TYPE_CHECKING:
    Admin = admin.ModelAdmin[Marker]
    Inline = admin.TabularInline[Look, SecondLook]
else:  # Django's classes take no parameter at run time
    Admin, Inline = admin.ModelAdmin, admin.TabularInline


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
    list_per_page = 50
    show_facets = admin.ShowFacets.ALWAYS
    date_hierarchy = "made_at"
    search_fields = ("target", "by_ref", "reason", "public_id")
    ordering = ("-pk",)
    actions = ("resolve_with_reason", "decline_with_reason", "take_over")
    fields = (
        "public_id", "workspace", "target", "state", "by_ref", "reason", "evidence", "origin", "status", "review_at",
        "made_by", "made_at", "resolved_by", "resolved_at", "resolution", "why_this_is_marked", "history",
    )  # fmt: skip
    readonly_fields = fields

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Marker | None = None) -> bool:
        return False

    @admin.display(description="Why this is marked")
    def why_this_is_marked(self, marker: Marker) -> SafeString:
        """What the marker follows from, step by step, to where it was first said."""
        return format_html(
            "<ol>{}</ol>", format_html_join("", "<li>{}</li>", ((_step(s),) for s in why_marked(marker)))
        )

    @admin.display(description="History")
    def history(self, marker: Marker) -> SafeString:
        """Everything that was done about this ref, newest first."""
        rows = Change.objects.of(marker.target, marker.workspace)[:50]
        told = ((row.at.strftime("%Y-%m-%d %H:%M"), row.actor, row.verb, row.reason) for row in rows)
        return format_html("<ul>{}</ul>", format_html_join("", "<li>{} {} {}: {}</li>", told))

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


def _step(step: Step) -> SafeString:
    url = f"{reverse('desk:read')}?{urlencode({'ref': step.ref})}"
    return format_html('{} <a href="{}">{}</a>{}', step.told, url, step.ref, f": {step.reason}" if step.reason else "")


@admin.register(Contradiction)
class ContradictionAdmin(ReadOnly):
    """What stands against what. It is noted and resolved on its own page, where two people may have to look."""

    list_display = ("about", "left", "right", "status", "holds", "made_by", "made_at", "workspace")
    list_filter = ("status", "holds", "one_reviewer", "workspace", "made_at")
    list_select_related = ("made_by", "workspace")
    show_facets = admin.ShowFacets.ALWAYS
    search_fields = ("about", "left", "right", "resolution")
    ordering = ("-pk",)


@admin.register(Reliability)
class ReliabilityAdmin(ReadOnly):
    """How far sources are trusted. It is set on its page, with a reason."""

    list_display = ("source", "grade", "reason", "set_by", "set_at", "workspace")
    list_filter = ("grade", "workspace")
    list_select_related = ("set_by", "workspace")
    search_fields = ("source", "reason")
    ordering = ("source",)


@admin.register(SecondLook)
class SecondLookAdmin(ReadOnly):
    """What two people answer apart. The answers are not shown here: no maintainer reads them before both are in."""

    list_display = ("subject", "about", "outcome", "opened_at", "closed_at", "workspace")
    list_filter = ("outcome", "about", "workspace")
    list_select_related = ("workspace",)
    search_fields = ("subject",)
    ordering = ("-pk",)
