"""Verbs of the items in a shoebox: add, screen, order, lean."""

from collections.abc import Iterable, Sequence
from datetime import datetime

from django.db import transaction

from shoebox.material import Found, read_found
from shoebox.models import Item, Shoebox
from shoebox.schemas import ItemDraft
from shoebox.services.rules import (
    NothingToUndo,
    bump,
    check_version,
    require_curator,
    require_hand,
    require_new,
    require_open,
    require_room,
    store,
)
from yoimemory.access.models import Actor
from yoimemory.errors import BadInput
from yoimemory.journal.models import Change
from yoimemory.journal.services import record_change
from yoimemory.sources.models import Workspace


def add_items(shoebox: Shoebox, drafts: Sequence[ItemDraft], *, actor: Actor, now: datetime) -> list[Item]:
    """Put refs into the shoebox by hand, each read now so that it carries the revision that was read.

    A Worker's items come as proposed by a Worker and stay within the budget; a person may go over
    it and sees so. All of them are added or none. Raises AlreadyHeld, OverBudget, ShoeboxNotOpen,
    BadInput for a ref of our own kinds, NotFound for one that leads nowhere.
    """
    require_hand(actor, shoebox.workspace)
    require_open(shoebox)
    read = read_by_hand(drafts, shoebox.workspace, as_of=shoebox.as_of, actor=actor)
    with transaction.atomic():
        require_open(shoebox)  # reading took its time
        require_new(shoebox, read)
        if actor.is_worker:
            require_room(shoebox, read)
        items = store(shoebox, read, actor=actor, now=now)
        bump(shoebox)
        record_change(
            shoebox.ref, verb="items-added", actor=actor, workspace=shoebox.workspace, now=now,
            after={"items": [item.ref for item in items]},
        )  # fmt: skip
    return items


@transaction.atomic
def screen_items(
    items: Iterable[Item],
    *,
    screening: str,
    actor: Actor,
    now: datetime,
    reason: str = "",
    version: int | None = None,
) -> int:
    """Keep items, set them aside with a reason, or leave them undecided again; return how many changed.

    Setting aside keeps the item and its reason. Raises BadInput without a reason, StaleVersion,
    ShoeboxNotOpen, NotYourShoebox for a Worker.
    """
    reason = reason.strip()
    if screening not in Item.Screening.values:
        raise BadInput(
            f"There is no screening {screening!r}.",
            hint="An item is undecided, kept or set aside.",
            fields={"screening": "unknown"},
        )
    if screening == Item.Screening.SET_ASIDE and not reason:
        raise BadInput("Say in a few words why it is set aside.", fields={"reason": "required"})
    if len(reason) > Item.RATIONALE_MAX:
        raise BadInput(f"Keep the reason within {Item.RATIONALE_MAX} characters.", fields={"reason": "too long"})
    count = 0
    for item in items:
        require_curator(actor, item.shoebox)
        if (item.screening, item.screening_reason) == (screening, reason):
            continue
        before = {"item": item.public_id, "screening": item.screening, "reason": item.screening_reason}
        bump(item, version=version, screening=screening, screening_reason=reason)
        record_change(
            item.shoebox.ref, verb="item-screened", actor=actor, workspace=item.shoebox.workspace, now=now,
            before=before, after={"ref": item.ref, "screening": screening}, reason=reason,
        )  # fmt: skip
        count += 1
    return count


@transaction.atomic
def undo_screening(item: Item, *, actor: Actor, now: datetime) -> Item:
    """Take back the last screening of an item, as long as it still stands.

    Raises NothingToUndo when the item was never screened or its screening was undone before.
    """
    require_curator(actor, item.shoebox)
    last = (
        Change.objects.of(item.shoebox.ref, item.shoebox.workspace)
        .filter(before__item=item.public_id, verb__in=["item-screened", "screening-undone"])
        .first()
    )
    if last is None or last.verb == "screening-undone" or last.after.get("screening") != item.screening:
        raise NothingToUndo(f"There is no screening of {item.ref} left to undo.")
    before = {"item": item.public_id, "screening": item.screening, "reason": item.screening_reason}
    bump(item, screening=last.before["screening"], screening_reason=last.before["reason"])
    record_change(
        item.shoebox.ref, verb="screening-undone", actor=actor, workspace=item.shoebox.workspace, now=now,
        before=before, after={"ref": item.ref, "screening": item.screening},
    )  # fmt: skip
    return item


@transaction.atomic
def move_item(item: Item, *, position: int, actor: Actor, now: datetime) -> Item:
    """Put an item at a place in the order (from 1); the others close up. Raises ShoeboxNotOpen, NotYourShoebox."""
    require_curator(actor, item.shoebox)
    before = item.position
    order = list(item.shoebox.items.in_order())
    order.remove(item)
    order.insert(min(max(position, 1), len(order) + 1) - 1, item)
    moved = []
    for place, other in enumerate(order, start=1):
        if other.position != place:
            other.position = place
            moved.append(other)
    Item.objects.bulk_update(moved, ["position"])
    if item.position != before:
        bump(item)
        bump(item.shoebox)  # the order is the shoebox's: whoever read it reads another one now
        record_change(
            item.shoebox.ref, verb="item-moved", actor=actor, workspace=item.shoebox.workspace, now=now,
            before={"item": item.public_id, "position": before}, after={"position": item.position},
        )  # fmt: skip
    return item


@transaction.atomic
def lean_item(item: Item, *, leaning: str, actor: Actor, now: datetime, version: int | None = None) -> Item:
    """Say which way an item seems to lean, before anything is quoted from it.

    Raises BadInput for an unknown leaning, StaleVersion, ShoeboxNotOpen, NotYourShoebox.
    """
    if leaning not in Item.Leaning.values:
        raise BadInput(
            f"There is no leaning {leaning!r}.",
            hint="An item is unclear, likely supports or likely contradicts.",
            fields={"leaning": "unknown"},
        )
    require_curator(actor, item.shoebox)
    before = item.leaning
    if leaning != before:
        bump(item, version=version, leaning=leaning)
        record_change(
            item.shoebox.ref, verb="item-leaned", actor=actor, workspace=item.shoebox.workspace, now=now,
            before={"item": item.public_id, "leaning": before}, after={"ref": item.ref, "leaning": leaning},
        )  # fmt: skip
    return item


@transaction.atomic
def curate_item(
    item: Item,
    *,
    actor: Actor,
    now: datetime,
    screening: str | None = None,
    reason: str = "",
    leaning: str | None = None,
    position: int | None = None,
    version: int | None = None,
) -> Item:
    """Screen, lean and move one item in one step, all or nothing; what is None stays as it is."""
    require_curator(actor, item.shoebox)
    check_version(item, version)
    if screening is not None:
        screen_items([item], screening=screening, reason=reason, actor=actor, now=now)
    if leaning is not None:
        lean_item(item, leaning=leaning, actor=actor, now=now)
    if position is not None:
        move_item(item, position=position, actor=actor, now=now)
    return item


def read_by_hand(
    drafts: Sequence[ItemDraft], workspace: Workspace, *, as_of: datetime | None, actor: Actor
) -> list[Found]:
    """Read what was named by hand. What a Worker names comes as its proposal."""
    came = Item.Came.PROPOSED if actor.is_worker else Item.Came.ADDED
    return [
        read_found(draft.ref, workspace, rationale=draft.rationale, came=came, leaning=draft.leaning, as_of=as_of)
        for draft in drafts
    ]
