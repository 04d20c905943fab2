"""The rules that every verb of the shoebox keeps, and what it says when one of them stands against a wish."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db.models import F, Max

from shoebox.material import Found
from shoebox.models import Item, Shoebox
from yoimemory.access.models import Actor
from yoimemory.access.services import role_in
from yoimemory.errors import Forbidden, Refused
from yoimemory.journal.stale import stale_version
from yoimemory.search.lookup import first_links_to
from yoimemory.sources.models import Workspace

CITING = 4
"""Of what cites a shoebox all but the last of so many are named."""


class ShoeboxNotOpen(Refused):
    """Only an open shoebox takes new material and new marks."""


class AlreadyHeld(Refused):
    """The same place is in the shoebox already, perhaps set aside."""


class OverBudget(Refused):
    """A Worker's additions stay within the budget that the shoebox was given."""


class StillCited(Refused):
    """A shoebox is discarded only while nothing cites it."""


class NoSuchStep(Refused):
    """From this state of a shoebox there is no such step."""


class NothingToUndo(Refused):
    """The screening that would be undone no longer stands."""


class NotYourShoebox(Forbidden):
    """A Worker curates the shoeboxes that it opened itself; people curate all of them."""


def require_hand(actor: Actor, workspace: Workspace) -> None:
    """Raise Forbidden unless this actor may put something into a shoebox here: anyone with a role, and our builders."""
    if actor.kind == Actor.Kind.SYSTEM:
        return
    if not role_in(actor, workspace):
        raise Forbidden(f"{actor} has no role in {workspace}.", hint="An owner of the workspace can give one.")
    if actor.is_worker and not (actor.token and actor.token.may_propose):
        raise Forbidden(
            f"The token of {actor} may only read here.", hint="Ask a person for a token with the scope propose."
        )


def require_curator(actor: Actor, shoebox: Shoebox) -> None:
    """Raise unless this actor may screen, order and lean here: people everywhere, a Worker in its own shoeboxes."""
    require_hand(actor, shoebox.workspace)
    require_own(actor, shoebox)
    require_open(shoebox)


def require_own(actor: Actor, shoebox: Shoebox) -> None:
    if actor.is_worker and (actor.token_id is None or actor.token_id != shoebox.opened_by.token_id):
        raise NotYourShoebox(
            f"{actor} did not open this shoebox and may not curate it.",
            hint="Add items to it instead; a person keeps them or sets them aside.",
        )


def require_open(shoebox: Shoebox) -> None:
    """Raise ShoeboxNotOpen. The state is read anew: in a transaction it is the one that the write will stand beside."""
    shoebox.refresh_from_db(fields=["state"])
    if not shoebox.is_open:
        raise ShoeboxNotOpen(f"This shoebox is {shoebox.state}.", hint="Reopen it first, or open a new one.")


def require_new(shoebox: Shoebox, found: Sequence[Found]) -> None:
    """Raise AlreadyHeld when one of these places is in the shoebox, or is named twice."""
    places = [one.place for one in found]
    if twice := sorted({place for place in places if places.count(place) > 1}):
        raise AlreadyHeld(f"{twice[0]} is named twice.", hint="Name each place once.")
    held = shoebox.items.filter(place__in=places).first()
    if held is None:
        return
    if held.is_set_aside:
        raise AlreadyHeld(
            f"{held.place} is in this shoebox, set aside: {held.screening_reason}",
            hint="A person can take it up again in the workbench.",
        )
    raise AlreadyHeld(f"{held.place} is in this shoebox already.", hint=f"It is there because: {held.rationale}")


def require_room(shoebox: Shoebox, found: Sequence[Found]) -> None:
    """Raise OverBudget when these would not fit beside what is held."""
    holdings = shoebox.holdings
    items = holdings.items + len(found)
    characters = holdings.characters + sum(one.characters for one in found)
    if items > shoebox.budget_items or characters > shoebox.budget_characters:
        raise OverBudget(
            f"With these the shoebox would hold {items} items of {shoebox.budget_items} and "
            f"{characters:,} characters of {shoebox.budget_characters:,}.",
            hint="Name smaller parts (such as #L10-L24), or ask a person to set something aside or widen the budget.",
        )


def require_uncited(shoebox: Shoebox) -> None:
    """Raise StillCited, naming what, when a record of a higher floor belongs to this shoebox or a source cites it."""
    if told := rests_on(shoebox):
        raise StillCited(f"{told}, so it cannot be discarded.", hint="Archive it instead.")


def rests_on(shoebox: Shoebox) -> str:
    """What rests on a shoebox or cites it, in words; empty where nothing does.

    The floors above point here by foreign key; asking the model for what points to it keeps this
    floor ignorant of their names.
    """
    counted = []
    for relation in shoebox._meta.related_objects:
        if relation.related_model is not Item:
            rows = relation.related_model._default_manager.filter(**{relation.field.name: shoebox})
            if count := rows.count():
                noun = relation.related_model._meta
                counted.append(f"{count} {noun.verbose_name if count == 1 else noun.verbose_name_plural}")
    if counted:
        listed = f"{', '.join(counted[:-1])} and {counted[-1]}" if len(counted) > 1 else counted[0]
        verb = "rests" if len(counted) == 1 and listed.startswith("1 ") else "rest"
        return f"{listed} {verb} on this shoebox"
    citing = list(
        dict.fromkeys(link.document.source for link in first_links_to(shoebox.workspace, shoebox.ref, CITING))
    )
    more = " and others" if len(citing) == CITING else ""
    verb = "cites" if len(citing) == 1 else "cite"
    return f"{', '.join(citing[: CITING - 1])}{more} {verb} this shoebox" if citing else ""


def check_version(record: Shoebox | Item, version: int | None) -> None:
    """Raise StaleVersion, saying what happened since, when the caller read another version than the one that stands."""
    if version is None or type(record)._default_manager.filter(pk=record.pk, version=version).exists():
        return
    shoebox = record if isinstance(record, Shoebox) else record.shoebox
    subject = record.ref if isinstance(record, Shoebox) else f"The item {record.ref}"
    raise stale_version(subject, workspace=shoebox.workspace, version=version, told_of=shoebox.ref)


def bump(record: Shoebox | Item, *, version: int | None = None, **fields: Any) -> None:
    """Write these fields as the next version. Call it in a transaction. Raises StaleVersion."""
    check_version(record, version)
    type(record)._default_manager.filter(pk=record.pk).update(version=F("version") + 1, **fields)
    record.refresh_from_db(fields=["version", *fields])


def store(shoebox: Shoebox, found: Sequence[Found], *, actor: Actor, now: datetime) -> list[Item]:
    """Write what was found as items at the end of the order."""
    last = shoebox.items.aggregate(last=Max("position"))["last"] or 0
    return Item.objects.bulk_create(
        Item(
            shoebox=shoebox,
            ref=str(one.ref),
            place=one.place,
            source=str(one.ref.source),
            kind=one.ref.kind,
            title=one.title,
            authority=one.authority,
            at=one.at,
            characters=one.characters,
            digest=one.digest,
            rationale=one.rationale[: Item.RATIONALE_MAX],
            caveat=one.caveat[: Item.RATIONALE_MAX],
            came=one.came,
            leaning=one.leaning,
            position=last + offset,
            added_by=actor,
            added_at=now,
        )
        for offset, one in enumerate(found, start=1)
    )
