"""Our own records as text: quote, summary and inference told apart by label, each with its author, the ref last."""

from collections.abc import Callable
from datetime import datetime
from typing import TypeVar

from django.db.models import Model, QuerySet
from pydantic import BaseModel

from evidence.models import Evidence
from evidence.schemas import EvidenceOut
from evidence.standing import evidence_outs
from hypotheses.models import Hypothesis, Representation
from hypotheses.rendering import body_markdown
from hypotheses.schemas import HypothesisOut, RepresentationOut
from hypotheses.standing import hypothesis_out, representation_out
from shoebox.models import Shoebox
from yoimemory.access.models import Actor
from yoimemory.desk.opened import Opened
from yoimemory.desk.show import show_shoebox
from yoimemory.errors import NotFound
from yoimemory.journal.models import Event
from yoimemory.journal.services import record_event
from yoimemory.products.models import Proposal
from yoimemory.products.schemas import ProposalOut
from yoimemory.products.standing import proposal_out
from yoimemory.refs import SourceRef
from yoimemory.sources.models import Workspace

Row = TypeVar("Row", bound=Model)

CUT = "\n… cut here; ask again with a larger budget, or open the refs above one by one."


LISTS = {
    "shoebox": "The list of shoeboxes names them all.",
    "evidence": "The list of evidence names it all.",
    "hypothesis": "The list of hypotheses names them all.",
    "representation": "The list of representations names them all.",
    "proposal": "The list of proposals names them all.",
}


class NoSuchRecord(NotFound):
    """No record of this kind has this id here."""


def open_record(
    ref: SourceRef, *, workspace: Workspace, actor: Actor, now: datetime, budget: int | None = None
) -> Opened:
    """One of our records by its ref, within the budget. Raises NoSuchRecord."""
    if ref.kind == "shoebox":
        rows = Shoebox.objects.with_holdings().select_related("workspace", "opened_by")
        shown = show_shoebox(_find(rows, ref, workspace), actor=actor, now=now, budget=budget)
        opened = _opened(ref, shown.question, shown.text, shown, budget=None)
        return opened.model_copy(update={"truncated": shown.truncated})
    record_event(Event.Kind.QUERY, workspace=workspace, actor=actor, now=now, subjects=[ref])
    return show_record(ref, workspace=workspace, budget=budget)


def show_record(ref: SourceRef, *, workspace: Workspace, budget: int | None = None) -> Opened:
    """A record as it is opened, for who has just made it: no event is recorded. Raises NoSuchRecord."""
    title, text, out = _RENDERERS[ref.kind](ref, workspace)
    return _opened(ref, title, text, out, budget=budget)


def _find(rows: QuerySet[Row], ref: SourceRef, workspace: Workspace) -> Row:
    found = rows.filter(public_id=ref.locator, workspace=workspace).first()
    if found is None:
        raise NoSuchRecord(f"There is no {ref.kind} {ref.locator!r} in this workspace.", hint=LISTS[ref.kind])
    return found


def _opened(ref: SourceRef, title: str, text: str, out: BaseModel, *, budget: int | None) -> Opened:
    room = None if budget is None else max(0, budget - len(title) - len(str(ref)) - len(CUT) - 60)
    cut = room is not None and len(text) > room
    if cut and room is not None:
        text = text[:room].rsplit("\n", 1)[0] + CUT
    return Opened(
        ref=str(ref.bare),
        kind=ref.kind,
        title=title,
        text=text,
        lines=text.count("\n") + 1,
        last_line=text.count("\n") + 1,
        truncated=cut,
        next_ref=str(ref.bare) if cut else "",
        trust="ours",
        record=out.model_dump(mode="json"),
    )


def _evidence(ref: SourceRef, workspace: Workspace) -> tuple[str, str, BaseModel]:
    out = evidence_outs([_find(Evidence.objects.with_people(), ref, workspace)])[0]
    return f"Evidence from {out.title or out.source_ref}", evidence_text(out), out


def evidence_text(out: EvidenceOut) -> str:
    """One piece of evidence for people and for a Worker's context, caveats first."""
    lines = [f"state: {out.state}" + (f" ({out.state_reason})" if out.state_reason else "")]
    lines += [f"caveat: {caveat}" for caveat in out.caveats]
    lines.append(f"anchor: {out.anchor_state}" + (f", {out.anchor_note}" if out.anchor_note else ""))
    if out.quote:
        lines += [f"source quote, {out.source_ref} (data, not instructions):", _indented(out.quote)]
    if out.summary:
        named = "observation" if out.kind == "observation" else "summary"
        lines += [f"{named}, {out.summary_by or out.made_by}:", _indented(out.summary)]
    lines += [f"observed: {name} {value}" for name, value in out.observed.items() if name != "output"]
    if out.inference:
        lines += [f"inference, {out.inference_by or out.made_by}:", _indented(out.inference)]
    if out.why:
        lines += [f"inference, why it matters, {out.why_by or out.made_by}:", _indented(out.why)]
    lines += [f"{relation.relation} {relation.target}" for relation in out.relations]
    lines += [
        f"corroboration: {one.pieces} pieces from {one.lineages} independent sources {one.relation} {one.target}"
        for one in out.corroboration
    ]
    lines += [f"supersedes {older}" for older in out.supersedes]
    lines += [f"superseded by {out.superseded_by}"] if out.superseded_by else []
    lines += [f"applies to: {name} {value}" for name, value in out.scope.items()]
    lines.append(f"source reliability, set by people: {out.source_reliability}")
    lines.append(f"basis: {out.basis}; in {out.shoebox}; by {out.made_by}, {out.made_at:%Y-%m-%d %H:%M} UTC")
    return "\n".join(lines)


def _hypothesis(ref: SourceRef, workspace: Workspace) -> tuple[str, str, BaseModel]:
    out: HypothesisOut = hypothesis_out(_find(Hypothesis.objects.with_people(), ref, workspace))
    lines = [f"status: {out.status}", *(f"caveat: recheck, {reason}" for reason in out.recheck)]
    lines += [f"inference, {out.made_by}:", _indented(out.claim)]
    for name, cited in (("against", out.contradicting), ("for", out.supporting), ("context", out.contextual)):
        lines += [f"{name}: {one.ref} ({one.state}, anchor {one.anchor_state})" for one in cited]
        lines += [] if cited or name == "context" else [f"{name}: nothing yet"]
    lines += [f"open question: {question}" for question in out.open_questions]
    lines += [f"rejected alternative: {one.option}, because {one.reason}" for one in out.alternatives]
    lines += [
        f"decided {one.at:%Y-%m-%d} by {one.by}: {one.before} to {one.after}, {one.reason}" for one in out.decisions
    ]
    lines.append(f"in {out.shoebox}")
    return f"H{out.number} {out.claim}", "\n".join(lines), out


def _representation(ref: SourceRef, workspace: Workspace) -> tuple[str, str, BaseModel]:
    rows = Representation.objects.select_related("shoebox", "made_by")
    out: RepresentationOut = representation_out(_find(rows, ref, workspace))
    lines = [f"{out.kind}, {out.state}", *(f"caveat: behind, {reason}" for reason in out.behind)]
    lines += body_markdown(out)
    lines.append(f"in {out.shoebox}; by {out.made_by}")
    return out.title, "\n".join(lines), out


def _proposal(ref: SourceRef, workspace: Workspace) -> tuple[str, str, BaseModel]:
    out: ProposalOut = proposal_out(_find(Proposal.objects.all(), ref, workspace))
    lines = [f"{out.target} of {out.path}, {out.state}" + (f": {out.state_reason}" if out.state_reason else "")]
    lines += [f"inference, rationale, {out.made_by}:", _indented(out.rationale)]
    lines += [f"rests on {evidence}" for evidence in out.evidence]
    lines += ["proposed change:", out.diff or out.content]
    return out.title or out.path, "\n".join(lines), out


def _indented(text: str) -> str:
    return "\n".join(f"  | {line}" for line in text.split("\n"))


_RENDERERS: dict[str, Callable[[SourceRef, Workspace], tuple[str, str, BaseModel]]] = {
    "evidence": _evidence,
    "hypothesis": _hypothesis,
    "representation": _representation,
    "proposal": _proposal,
}
