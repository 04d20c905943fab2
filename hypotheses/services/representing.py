"""Make a representation, from evidence or from a body that a person or Worker wrote, and build it again."""

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import F
from pydantic import BaseModel, ValidationError

from evidence.models import Evidence
from evidence.standing import standings
from hypotheses.kinds import KINDS
from hypotheses.models import Representation
from hypotheses.schemas import RepresentationDraft, RepresentationEdit
from hypotheses.services.finding import evidence_named, evidences_named, require_arguable, shoebox_named
from hypotheses.services.proposing import NotYours
from hypotheses.services.rights import require_role
from shoebox.models import Shoebox
from yoimemory.access.models import Actor
from yoimemory.errors import BadInput, Refused
from yoimemory.journal.models import Event
from yoimemory.journal.services import record_change, record_event
from yoimemory.journal.stale import stale_version
from yoimemory.refs import SourceRef
from yoimemory.sources.models import Workspace

TITLE_QUESTION = 100
"""So much of the question stands in the title that a representation gets by itself; its page links the whole."""

REF_KEYS = frozenset(
    {
        "ref", "refs", "undated", "cites", "stated_in", "against", "supporting", "one_refs", "other_refs",
    }
)  # fmt: skip
"""Under these names the bodies of every kind hold refs that are cited."""


class NoSuchBody(BadInput):
    """The body does not fit its kind, or there is nothing to build it from."""


class WrittenByHand(Refused):
    """A representation that a person or Worker wrote is not built over."""


def create_representation(
    draft: RepresentationDraft, *, workspace: Workspace, actor: Actor, now: datetime
) -> Representation:
    """Make a representation of a shoebox's evidence; Workers may.

    With a body it is taken as written, after its schema and every ref in it were checked;
    otherwise it is built. Each cited piece of evidence is noted with the anchor state it has now.
    Raises NoSuchBody, NotFound for refs that lead nowhere, ShoeboxEnded, Forbidden without a role.
    """
    require_role(actor, workspace, to="make representations")
    shoebox = shoebox_named(draft.shoebox, workspace)
    selected = [str(one.ref) for one in evidences_named(draft.evidence, workspace)]
    if draft.body is None:
        body = _build(draft.kind, shoebox, _chosen(shoebox, selected))
    else:
        body = _read_body(draft.kind, draft.body)
    cites = cites_of(body, workspace)
    with transaction.atomic():
        require_arguable(shoebox)
        representation = Representation.objects.create(
            workspace=workspace, shoebox=shoebox, kind=draft.kind, title=draft.title or _title(draft.kind, shoebox),
            body=body.model_dump(mode="json"), cites=cites, built=draft.body is None, selected=selected,
            made_by=actor, made_at=now,
        )  # fmt: skip
        record_change(
            representation.ref, verb="representation-created", actor=actor, workspace=workspace, now=now,
            after={"kind": draft.kind, "built": representation.built, "cites": len(cites)},
        )  # fmt: skip
    record_event(
        Event.Kind.REPRESENTATION_CREATED, workspace=workspace, actor=actor, now=now,
        subjects=[representation.ref, shoebox.ref], detail={"kind": draft.kind},
    )  # fmt: skip
    return representation


def rebuild_representation(
    representation: Representation,
    *,
    actor: Actor,
    now: datetime,
    version: int | None = None,
    confirmed: bool = False,
) -> Representation:
    """Build a representation again from the evidence that its shoebox holds now.

    The ref stays, the version counts up. Raises WrittenByHand for one that nobody built, and for
    one whose rows were edited until the loss is `confirmed`; StaleVersion.
    """
    require_role(actor, representation.workspace, to="rebuild representations")
    if not representation.built:
        raise WrittenByHand(
            f"{representation.title} was written by {representation.made_by}, so building it would lose their rows.",
            hint="Build a new one beside it.",
        )
    if representation.edited and not confirmed:
        raise WrittenByHand(
            f"Rows of {representation.title} were changed by hand, and building it again would lose that.",
            hint="Confirm the loss, or build a new one beside it.",
            fields={"confirmed": "required"},
        )
    shoebox = representation.shoebox
    body = _build(representation.kind, shoebox, _chosen(shoebox, representation.selected))
    cites = cites_of(body, representation.workspace)
    read = representation.version if version is None else version
    with transaction.atomic():
        before = {"cites": len(representation.cites), "made_at": representation.made_at.isoformat()}
        mine = Representation.objects.filter(pk=representation.pk, version=read)
        new = body.model_dump(mode="json")
        if not mine.update(version=F("version") + 1, body=new, cites=cites, edited=False, made_by=actor, made_at=now):
            raise stale_version(representation.ref, workspace=representation.workspace, version=read)
        record_change(
            representation.ref, verb="representation-rebuilt", actor=actor, workspace=representation.workspace,
            now=now, before=before, after={"cites": len(cites)},
        )  # fmt: skip
    representation.refresh_from_db()
    return representation


def edit_representation(
    representation: Representation,
    edit: RepresentationEdit,
    *,
    version: int,
    actor: Actor,
    now: datetime,
    reread: Collection[int] = (),
) -> Representation:
    """Change the title or the rows by hand; a Worker only what it made itself.

    A row that was not touched keeps the anchor states it was cited with, so that what moved in it
    stays visible; one that was changed, or looked at (`reread`: places from 0), is cited as it
    stands now. Raises NotYours, NoSuchBody, StaleVersion, NotFound for refs that lead nowhere.
    """
    require_role(actor, representation.workspace, to="edit representations")
    if actor.is_worker and representation.made_by.token_id != actor.token_id:
        raise NotYours(
            f"{actor} may not edit {representation.ref}: a Worker edits what it made.", hint="Make one of your own."
        )
    new: dict[str, Any] = {"title": edit.title} if edit.title else {}
    if edit.body is not None:
        body = _read_body(representation.kind, edit.body)
        earlier = _cited_as_before(representation, body, reread)
        cites = [earlier.get(cite["ref"], cite) for cite in cites_of(body, representation.workspace)]
        new |= {"body": body.model_dump(mode="json"), "cites": cites, "edited": True}
    if not new:
        raise NoSuchBody("Send a title or a body.", fields={"body": "required"})
    with transaction.atomic():
        mine = Representation.objects.filter(pk=representation.pk, version=version)
        before = {"title": representation.title, "body": representation.body}
        if not mine.update(version=F("version") + 1, **new):
            raise stale_version(representation.ref, workspace=representation.workspace, version=version)
        told = [name for name in ("title", "body") if name in new]
        record_change(
            representation.ref, verb="representation-edited", actor=actor, workspace=representation.workspace,
            now=now, before={name: before[name] for name in told}, after={name: new[name] for name in told},
        )  # fmt: skip
    representation.refresh_from_db()
    return representation


def cites_of(body: BaseModel, workspace: Workspace) -> list[dict[str, str]]:
    """Every ref in a body, in order of appearance; evidence with the state and anchor state it has now.

    Raises NotFound for evidence that this workspace does not hold, BadRef for what is no ref.
    """
    refs = list(dict.fromkeys(_refs_in(body.model_dump(mode="json"))))
    parsed = [SourceRef.parse(ref) for ref in refs]
    ids = [ref.locator for ref in parsed if ref.kind == "evidence"]
    found = {one.public_id: one for one in Evidence.objects.in_workspace(workspace).filter(public_id__in=ids)}
    states = standings(list(found.values()))
    cites = []
    for ref in parsed:
        cite = {"ref": str(ref)}
        if ref.kind == "evidence":
            evidence = found.get(ref.locator) or evidence_named(str(ref), workspace)
            cite |= {"state": evidence.state, "anchor_state": states[evidence.pk].state}
        cites.append(cite)
    return cites


def _cited_as_before(
    representation: Representation, body: BaseModel, reread: Collection[int]
) -> dict[str, dict[str, str]]:
    """What was noted of the refs that still stand in a row which nobody touched, or outside the rows."""
    kind = KINDS[representation.kind]
    rows = kind.body.model_validate(representation.body).model_dump(mode="json")[kind.rows]
    new = body.model_dump(mode="json")
    new[kind.rows] = [row for place, row in enumerate(new[kind.rows]) if row in rows and place not in reread]
    kept = set(_refs_in(new))
    return {cite["ref"]: cite for cite in representation.cites if cite["ref"] in kept}


def _refs_in(value: Any, key: str = "") -> Iterable[str]:
    """The refs of a body, at any depth."""
    if isinstance(value, dict):
        for name, part in value.items():
            yield from _refs_in(part, name)
    elif isinstance(value, list):
        for part in value:
            yield from _refs_in(part, key)
    elif isinstance(value, str) and value and key in REF_KEYS:
        yield value


def _build(kind: str, shoebox: Shoebox, evidences: Sequence[Evidence]) -> BaseModel:
    builder = KINDS[kind].build
    if builder is None:
        raise NoSuchBody(
            "This kind is not built from evidence; people and Workers write it.",
            hint="Send its rows as body.",
            fields={"body": "required"},
        )
    if not evidences:
        raise NoSuchBody(
            "There is no evidence to build from.",
            hint="Quote something in the shoebox first, or send the rows as body.",
            fields={"evidence": "none"},
        )
    return builder(shoebox, evidences)


def _read_body(kind: str, body: dict[str, Any]) -> BaseModel:
    try:
        return KINDS[kind].body.model_validate(body)
    except ValidationError as error:
        wrong = {".".join(map(str, ("body", *one["loc"]))): one["msg"] for one in error.errors()}
        raise NoSuchBody(f"The body does not fit its kind: {', '.join(wrong)}.", fields=wrong) from error


def _chosen(shoebox: Shoebox, selected: Sequence[str]) -> list[Evidence]:
    """The evidence that was chosen, or all of the shoebox's, as far as it still counts."""
    if not selected:
        return list(Evidence.objects.in_shoebox(shoebox).current().order_by("pk"))
    ids = [SourceRef.parse(ref).locator for ref in selected]
    return list(Evidence.objects.in_workspace(shoebox.workspace).current().filter(public_id__in=ids).order_by("pk"))


def _title(kind: str, shoebox: Shoebox) -> str:
    question = shoebox.question
    if len(question) > TITLE_QUESTION:
        question = question[: TITLE_QUESTION - 1].rstrip() + "…"
    return f"{Representation.Kind(kind).label}: {question}"
