"""Verbs of a shoebox as a whole: open it, gather, resize, close."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db import transaction

from shoebox.gathering import gather
from shoebox.material import Found
from shoebox.models import Item, Shoebox
from shoebox.schemas import Budget, ItemDraft, ShoeboxDraft
from shoebox.services.items import read_by_hand
from shoebox.services.rules import (
    NoSuchStep,
    bump,
    check_version,
    require_curator,
    require_hand,
    require_open,
    require_own,
    require_uncited,
    store,
)
from yoimemory.access.models import Actor
from yoimemory.errors import BadInput, DomainError, NotFound
from yoimemory.journal.models import Event
from yoimemory.journal.services import record_change, record_event
from yoimemory.refs import SOURCE_KINDS, SourceRef, new_id
from yoimemory.search.lookup import find_document, nearest_refs
from yoimemory.sources.models import Workspace
from yoimemory.sources.read import read_document

TASK_KINDS = ("ticket", "objective")
EARLIER_MAX = 20


class NoSuchTask(NotFound):
    """The task that a shoebox should serve does not exist in this workspace."""


@dataclass(slots=True)
class Gathered:
    """What one gathering brought: new items, items whose source has moved on, and what was looked for."""

    new: list[Item] = field(default_factory=list)
    changed: list[Item] = field(default_factory=list)
    sought: dict[str, Any] = field(default_factory=dict)


def create_shoebox(draft: ShoeboxDraft, *, workspace: Workspace, actor: Actor, now: datetime) -> Shoebox:
    """Open a shoebox for a question, with the refs it was opened with, and gather where that is asked for.

    Where gathering fails, the shoebox stands with what it was opened with, and `sought` says what failed.
    Raises BadInput for a task or kind that cannot be, NotFound for a ref that leads nowhere,
    Forbidden without a role in the workspace.
    """
    require_hand(actor, workspace)
    task = _task_of(draft.task, workspace)
    if strange := sorted(set(draft.kinds) - set(SOURCE_KINDS)):
        raise BadInput(
            f"There is no kind of source called {strange[0]!r}.",
            hint="Kinds are " + ", ".join(SOURCE_KINDS) + ".",
            fields={"kinds": "unknown"},
        )
    seeds = _seeds(draft, workspace, actor)
    with transaction.atomic():
        shoebox = Shoebox.objects.create(
            workspace=workspace,
            question=draft.question,
            task=task,
            task_kind=draft.task_kind,
            task_title=draft.task_title,
            purpose=draft.purpose,
            budget_items=draft.budget.items,
            budget_characters=draft.budget.characters,
            as_of=draft.as_of,
            asked={"queries": draft.queries, "kinds": draft.kinds, "refs": [str(seed.ref) for seed in seeds]},
            opened_by=actor,
            opened_at=now,
        )
        store(shoebox, seeds, actor=actor, now=now)
        record_change(
            shoebox.ref, verb="shoebox-created", actor=actor, workspace=workspace, now=now,
            after={"question": shoebox.question, "task": task, "as_of": str(shoebox.as_of or "")},
        )  # fmt: skip
    record_event(
        Event.Kind.SHOEBOX_CREATED,
        workspace=workspace,
        actor=actor,
        now=now,
        subjects=[shoebox.ref, *([task] if task else [])],
    )
    if draft.gather:
        _gather_at_once(shoebox, actor=actor, now=now)
    return shoebox


def _gather_at_once(shoebox: Shoebox, *, actor: Actor, now: datetime) -> None:
    """Gather into a new shoebox. It is there: an error for an answer would have a second one opened, so it says why."""
    try:
        gather_shoebox(shoebox, actor=actor, now=now)
    except DomainError as error:
        with transaction.atomic():
            bump(shoebox, sought={"failed": f"Gathering failed: {error.message} Gather again from here."})


def gather_shoebox(
    shoebox: Shoebox, *, actor: Actor, now: datetime, queries: Sequence[str] = (), version: int | None = None
) -> Gathered:
    """Gather what the workspace holds round the question; add only what is new, mark what has changed.

    No screening, leaning or order of a person is undone: what was set aside stays aside, and its source
    is not brought in again, also not under another name. What the last gathering did not know of comes
    before what it left out, and may use the whole budget. Raises ShoeboxNotOpen, StaleVersion, Forbidden.
    """
    require_hand(actor, shoebox.workspace)
    require_open(shoebox)
    check_version(shoebox, version)
    gathering = gather(shoebox, actor=actor, now=now, queries=shoebox.asked.get("queries", []), further=queries)
    with transaction.atomic():
        # Someone may have added the same place while we were reading; the write lock is ours now.
        held = set(shoebox.items.values_list("place", flat=True))
        new = store(shoebox, [found for found in gathering.found if found.place not in held], actor=actor, now=now)
        changed = _mark_changed(gathering.changed)
        earlier = _earlier(shoebox.sought)
        bump(shoebox, version=version, sought={**gathering.sought, "earlier": earlier}, gathered_at=now)
        record_change(
            shoebox.ref, verb="shoebox-gathered", actor=actor, workspace=shoebox.workspace, now=now,
            after={"added": len(new), "changed": len(changed), "queries": len(gathering.sought["queries"])},
        )  # fmt: skip
    return Gathered(new=new, changed=changed, sought=gathering.sought)


def _earlier(sought: dict[str, Any]) -> list[dict[str, Any]]:
    """The gatherings before this one in short, the latest first, so that it stays known what was sought when."""
    if "queries" not in sought:
        return list(sought.get("earlier", ()))
    short = {
        "at": sought.get("at", ""),
        "by": sought.get("by", ""),
        "commit": (sought.get("index") or {}).get("commit", ""),
        "disconfirming": sought.get("disconfirming", []),
        "against": sought.get("against", {}),
    }
    return [short, *sought.get("earlier", ())][:EARLIER_MAX]


def duplicate_shoebox(shoebox: Shoebox, *, question: str, actor: Actor, now: datetime, gather: bool = False) -> Shoebox:
    """Open a new shoebox for another question with the same material; what was set aside stays behind.

    Refs, revisions and rationales come along; nobody has screened them for the new question yet, so
    they are undecided. Task, kinds, budget and as-of are the same. Raises BadInput, Forbidden.
    """
    require_hand(actor, shoebox.workspace)
    question = question.strip()
    if not 3 <= len(question) <= Shoebox.QUESTION_MAX:
        raise BadInput("Ask the new question in 3 to 1,000 characters.", fields={"question": "required"})
    items = list(shoebox.items.shown().in_order())
    with transaction.atomic():
        made = Shoebox.objects.create(
            workspace=shoebox.workspace, question=question, task=shoebox.task, task_kind=shoebox.task_kind,
            task_title=shoebox.task_title, purpose=shoebox.purpose, budget_items=shoebox.budget_items,
            budget_characters=shoebox.budget_characters, as_of=shoebox.as_of,
            asked={**shoebox.asked, "queries": [], "from": str(shoebox.ref)}, opened_by=actor, opened_at=now,
        )  # fmt: skip
        for position, item in enumerate(items, start=1):
            item.pk, item.public_id, item.shoebox, item.position, item.version = None, new_id(), made, position, 1
            item.screening, item.screening_reason, item.added_by, item.added_at = "undecided", "", actor, now
        Item.objects.bulk_create(items)
        record_change(
            made.ref, verb="shoebox-duplicated", actor=actor, workspace=shoebox.workspace, now=now,
            after={"question": question, "from": str(shoebox.ref), "items": len(items)},
        )  # fmt: skip
    record_event(
        Event.Kind.SHOEBOX_CREATED, workspace=shoebox.workspace, actor=actor, now=now, subjects=[made.ref, shoebox.ref]
    )
    if gather:
        _gather_at_once(made, actor=actor, now=now)
    return made


@transaction.atomic
def resize_shoebox(
    shoebox: Shoebox, *, budget: Budget, actor: Actor, now: datetime, version: int | None = None
) -> Shoebox:
    """Give the shoebox another budget; what it holds stays. Raises StaleVersion, ShoeboxNotOpen, NotYourShoebox."""
    require_curator(actor, shoebox)
    before = {"items": shoebox.budget_items, "characters": shoebox.budget_characters}
    bump(shoebox, version=version, budget_items=budget.items, budget_characters=budget.characters)
    record_change(
        shoebox.ref, verb="shoebox-resized", actor=actor, workspace=shoebox.workspace, now=now,
        before=before, after=budget.model_dump(),
    )  # fmt: skip
    return shoebox


@transaction.atomic
def change_shoebox_state(
    shoebox: Shoebox, *, state: str, actor: Actor, now: datetime, reason: str = "", version: int | None = None
) -> Shoebox:
    """Close, archive, discard or reopen a shoebox.

    Nothing is deleted by it. Raises NoSuchStep, StillCited (discarding only), BadInput when a
    shoebox is discarded without a reason, StaleVersion, NotYourShoebox for a Worker.
    """
    require_hand(actor, shoebox.workspace)
    require_own(actor, shoebox)
    if state not in Shoebox.State.values:
        raise BadInput(f"There is no state {state!r} of a shoebox.", fields={"state": "unknown"})
    before = Shoebox.State(shoebox.state)
    if Shoebox.State(state) not in Shoebox.TRANSITIONS[before]:
        raise NoSuchStep(
            f"A shoebox that is {before} cannot become {state}.",
            hint="It can become " + " or ".join(sorted(Shoebox.TRANSITIONS[before])) + ".",
        )
    if state == Shoebox.State.DISCARDED:
        if not reason.strip():
            raise BadInput("Say why the shoebox is discarded.", fields={"reason": "required"})
        require_uncited(shoebox)
    bump(shoebox, version=version, state=state)
    verb = {"open": "reopened"}.get(state, state)
    record_change(
        shoebox.ref, verb=f"shoebox-{verb}", actor=actor, workspace=shoebox.workspace, now=now,
        before={"state": before}, after={"state": state}, reason=reason.strip(),
    )  # fmt: skip
    return shoebox


def _task_of(text: str, workspace: Workspace) -> str:
    """The ref of the task as it stands, checked to exist. A bare id of a ticket or objective will do."""
    if not text:
        return ""
    candidates = [text] if ":" in text else [f"{kind}:{text}" for kind in TASK_KINDS]
    for candidate in candidates:
        ref = SourceRef.parse(candidate).source
        if ref.kind not in TASK_KINDS:
            raise BadInput(
                f"A task is a ticket or an objective, not a {ref.kind}.",
                hint="For another task leave the ref out and give it a title.",
                fields={"task": "no ticket or objective"},
            )
        if find_document(workspace, ref) is not None:
            return str(ref)
    try:
        return str(read_document(workspace, SourceRef.parse(candidates[0]).source).ref)
    except DomainError as error:
        nearest = nearest_refs(workspace, text)
        raise NoSuchTask(
            f"There is no task {text} in {workspace.slug}.",
            hint="Nearest: " + ", ".join(nearest) + "." if nearest else "Leave the task out, or type its ref.",
            fields={"task": "not found"},
        ) from error


def _seeds(draft: ShoeboxDraft, workspace: Workspace, actor: Actor) -> list[Found]:
    """The refs that the shoebox is opened with, read now, each once."""
    drafts = [ItemDraft(ref=ref, rationale="Named when the shoebox was opened") for ref in draft.refs]
    read = read_by_hand(drafts, workspace, as_of=draft.as_of, actor=actor)
    return list({found.place: found for found in read}.values())


def _mark_changed(changed: dict[int, str]) -> list[Item]:
    """Write beside each item what has happened to its source since it was read."""
    items = list(Item.objects.filter(pk__in=changed).select_related("shoebox"))
    for item in items:
        item.changed = changed[item.pk][: Item.RATIONALE_MAX]
    Item.objects.bulk_update(items, ["changed"])
    return items
