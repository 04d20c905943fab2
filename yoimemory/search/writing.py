"""Writing one unit into the index: its documents, passages, links and words, all or nothing."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db import transaction

from yoimemory.refs import SourceRef
from yoimemory.search import models
from yoimemory.search.backends import engine
from yoimemory.search.rows import Prepared, storable, whole_row
from yoimemory.sources import masking, readers
from yoimemory.sources.reading import Unreadable

FORMAT = f"3.{masking.VERSION}.{readers.VERSION}"
"""Raised whenever the same bytes would be written differently, so that everything is read again."""
_pk_of = models.Passage.pk_of


@dataclass(slots=True)
class Written:
    """What the writing of documents changed, by ref."""

    added: list[SourceRef] = field(default_factory=list)
    changed: list[SourceRef] = field(default_factory=list)
    removed: list[SourceRef] = field(default_factory=list)
    unreadable: int = 0

    def add(self, other: "Written") -> None:
        self.added += other.added
        self.changed += other.changed
        self.removed += other.removed
        self.unreadable += other.unreadable


Read = Sequence[Prepared | Unreadable]


def replace_unit(unit: models.Unit, read: Read) -> Written:
    """Let these documents take the place of what the unit held. Call inside a transaction on the index."""
    return replace_units([(unit, read)])


def replace_units(units: Sequence[tuple[models.Unit, Read]], *, new: Collection[int] = ()) -> Written:
    """The same for several units at once, which takes a few statements for all of them.

    `new` are the pks of units that were never written, of which nothing has to be taken away.
    """
    written = Written()
    known = [unit.pk for unit, _ in units if unit.pk not in new]
    old = _known_documents(known) if known else {}
    if known:
        models.Unreadable.objects.filter(unit__in=known).delete()
    owned, troubles = sort_out(units)
    for _, each in owned:
        if each.ref not in old:
            written.added.append(SourceRef.parse(each.ref))
        elif old[each.ref][1] != each.digest:
            written.changed.append(SourceRef.parse(each.ref))
    kept = {each.ref for _, each in owned}
    written.removed = [SourceRef.parse(ref) for ref in old if ref not in kept]
    engine().forget_documents([pk for pk, _ in old.values()])
    write_documents(owned)
    list_unreadable(troubles)
    written.unreadable = len(troubles)
    return written


def forget(pks: Sequence[int]) -> None:
    """Take documents out of the index, in a transaction of their own."""
    with transaction.atomic(using="index"):
        engine().forget_documents(pks)


def _known_documents(units: Sequence[int]) -> dict[str, tuple[int, str]]:
    """Key and digest of what these units hold, by ref."""
    rows = models.Document.objects.filter(unit__in=units).values_list("ref", "pk", "digest")
    return {ref: (pk, digest) for ref, pk, digest in rows}


Trouble = tuple[models.Unit, Unreadable]
Owned = tuple[models.Unit, Prepared]
Numbered = tuple[int, models.Unit, Prepared]


def list_unreadable(troubles: Sequence[Trouble]) -> None:
    """Note what could not be read whole."""
    models.Unreadable.objects.bulk_create(
        models.Unreadable(
            unit=unit, workspace=unit.workspace, path=storable(each.path)[:2_100], line=each.line, reason=each.reason
        )
        for unit, each in troubles
    )


def write_documents(owned: Sequence[Owned]) -> None:
    """Add documents that are not there yet, each with its unit. Call inside a transaction on the index."""
    if not owned:
        return
    store = engine()
    first = store.next_pk(models.Document)
    numbered = [(pk, unit, each) for pk, (unit, each) in enumerate(owned, first)]
    wholes = _wholes(numbered)
    states = {wholes[each.source]: each.state for _, _, each in numbered if each.state}
    store.insert_documents([
        # A ticket's thread and artifacts stand under the state of the ticket.
        each.row(pk, unit.pk, unit.workspace, whole := wholes[each.source], each.state or states.get(whole, ""))
        for pk, unit, each in numbered
    ])  # fmt: skip
    store.insert_passages([
        (_pk_of(pk, ordinal), pk, ordinal, *row)
        for pk, _, each in numbered for ordinal, row in enumerate(each.passages)
    ])  # fmt: skip
    store.write_parts([
        (_pk_of(pk, ordinal), *row) for pk, _, each in numbered for ordinal, row in enumerate(each.parts)
    ])  # fmt: skip
    store.write_wholes(_whole_rows(numbered, wholes))
    store.insert_links([(pk, *row) for pk, _, each in numbered for row in each.links])


def sort_out(units: Sequence[tuple[models.Unit, Read]]) -> tuple[list[Owned], list[Trouble]]:
    """The documents that can be written, and what must be listed: a ref can stand for one place only."""
    troubles: list[Trouble] = []
    owned: dict[str, Owned] = {}
    for unit, read in units:
        for each in read:
            if isinstance(each, Unreadable):
                troubles.append((unit, each))
            elif (before := owned.setdefault(each.ref, (unit, each)))[1] is not each:
                other = before[1].path or "another record"
                problem = (
                    f"A second record here has the same address {each.ref}; rename one."
                    if before[0] is unit
                    else f"{each.ref} is already the address of {other}; rename one."
                )
                troubles.append((unit, Unreadable(each.path, problem)))
    refs, here = list(owned), {unit.pk for unit, _ in units}
    for start in range(0, len(refs), 500):
        taken = models.Document.objects.filter(workspace=units[0][0].workspace, ref__in=refs[start : start + 500])
        for ref, path, owner in taken.values_list("ref", "path", "unit_id"):
            if owner not in here:
                unit, double = owned.pop(ref)
                problem = f"{ref} is already the address of {path or 'another record'}; rename one."
                troubles.append((unit, Unreadable(double.path, problem)))
    return list(owned.values()), troubles


def _wholes(numbered: Sequence[Numbered]) -> dict[str, int]:
    """The document that stands for each source: the source's own, else its first part."""
    wholes: dict[str, int] = {}
    for pk, _, each in numbered:
        if each.source not in wholes or each.stands:
            wholes[each.source] = pk
    return wholes


def _whole_rows(numbered: Sequence[Numbered], wholes: dict[str, int]) -> list[tuple[Any, ...]]:
    """One row for each source, with the words of all that belongs to it."""
    standing: dict[int, Prepared] = {}
    others: dict[int, list[Prepared]] = {}
    for pk, _, each in numbered:
        whole = wholes[each.source]
        if whole == pk:
            standing[pk] = each
        else:
            others.setdefault(whole, []).append(each)
    return [(pk, *whole_row(each, others.get(pk, ()))) for pk, each in standing.items()]
