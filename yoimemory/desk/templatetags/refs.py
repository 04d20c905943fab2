"""Names of our own records wherever a ref to one is shown, and who cites a record.

A floor may not import the floors above it; its templates may ask the desk, which knows them all.
"""

from dataclasses import dataclass
from typing import Any

from django import template
from django.db.models import TextField
from django.db.models.functions import Cast
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from evidence.models import Evidence
from hypotheses.models import Hypothesis, Representation
from shoebox.models import Shoebox
from yoimemory.products.models import Proposal
from yoimemory.refs import SourceRef
from yoimemory.sources.models import Workspace

register = template.Library()

_NAMES = "desk.ref_names"


@dataclass(frozen=True, slots=True)
class Named:
    """A record of ours as others name it: what it is called, and where its page is."""

    text: str
    url: str = ""
    status: str = ""


@register.simple_tag(takes_context=True)
def ref_name(context: template.RequestContext, ref: object) -> SafeString:
    """A link with the name of a hypothesis or shoebox; any other ref as it stands, linked to its page."""
    names: dict[str, Named] = context.render_context.setdefault(_NAMES, {})  # type: ignore[arg-type, assignment]
    text = str(ref)
    if text not in names:
        names.update(_siblings(text, context.request.workspace))  # type: ignore[attr-defined]
    named = names.setdefault(text, Named(text))
    if not named.url:
        return format_html('<span class="ref">{}</span>', named.text)
    return format_html('<a href="{}">{}</a>', named.url, named.text)


@register.simple_tag
def hypotheses_in(shoebox: Shoebox) -> list[Hypothesis]:
    """The live hypotheses of a shoebox, in their order."""
    return list(Hypothesis.objects.in_shoebox(shoebox).live().order_by("number"))


@register.simple_tag
def citations_of(evidence: Evidence) -> list[Named]:
    """Everything that rests on a piece of evidence: hypotheses it bears on, representations, proposals."""
    ref = str(evidence.ref)
    targets = [relation.target for relation in evidence.relations.all() if relation.target.startswith("hypothesis:")]
    ids = [SourceRef.parse(target).locator for target in targets]
    named = [
        Named(str(one), reverse("hypotheses:detail", args=[one.public_id]), one.status)
        for one in Hypothesis.objects.in_workspace(evidence.workspace).filter(public_id__in=ids).order_by("number")
    ]
    named += [
        Named(str(one), reverse("hypotheses:representation", args=[one.public_id]), one.kind)
        for one in _naming(Representation.objects.filter(workspace=evidence.workspace), "cites", ref)
    ]
    named += [
        Named(one.title, reverse("products:detail", args=[one.public_id]), one.state)
        for one in _naming(Proposal.objects.filter(workspace=evidence.workspace), "evidence", ref)
    ]
    return named


def _naming(rows: Any, field: str, ref: str) -> Any:
    """The rows whose list of refs names this one; a ULID stands nowhere else, so its text is enough."""
    return rows.annotate(named=Cast(field, TextField())).filter(named__contains=ref).order_by("-pk")


def _siblings(ref: str, workspace: Workspace) -> dict[str, Named]:
    """The name of this record, and of the other hypotheses of its shoebox: lists name several of them.

    A target is only a ref: one that leads into another workspace stays a ref.
    """
    kind, _, public_id = ref.partition(":")
    if kind == "hypothesis":
        rows = Hypothesis.objects.in_workspace(workspace).filter(shoebox__hypotheses__public_id=public_id)
        return {str(row.ref): Named(str(row), reverse("hypotheses:detail", args=[row.public_id])) for row in rows}
    if kind == "shoebox":
        box = Shoebox.objects.in_workspace(workspace).filter(public_id=public_id).first()
        address = reverse("desk:workbench", args=[public_id])
        return {ref: Named(f"the question: {box.question}", address)} if box else {}
    return {}
