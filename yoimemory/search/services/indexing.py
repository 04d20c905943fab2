"""Building the index: what changed is read again, one unit at a time; the position moves when all is in."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from itertools import chain
from time import monotonic
from typing import TYPE_CHECKING

from django.db import DatabaseError, transaction

from yoimemory.errors import DomainError
from yoimemory.refs import SourceRef
from yoimemory.search.ahead import commits_ahead
from yoimemory.search.alone import alone
from yoimemory.search.backends import engine
from yoimemory.search.beat import Beat, Clock, Progress
from yoimemory.search.history import COMMITS, Commits, Range, indexed_commit
from yoimemory.search.models import Document, Position, Unreadable
from yoimemory.search.models import Unit as UnitRow
from yoimemory.search.piecewise import drop_halves, replace_part
from yoimemory.search.rows import prepare, storable
from yoimemory.search.standstill import (
    STANDING,
    UNSEEN,
    forget_fingerprints,
    forget_standing,
    known_to_stand,
    note_standing,
    note_unseen,
)
from yoimemory.search.writing import FORMAT, Written, forget, replace_unit, replace_units
from yoimemory.sources import readers, reading
from yoimemory.sources.git import Head, count_commits, head_of, resolve_revision
from yoimemory.sources.gone import MARK as GONE
from yoimemory.sources.standing import standing_of
from yoimemory.sources.trees import open_tree

if TYPE_CHECKING:
    from yoimemory.sources.models import Workspace

BATCH_DOCUMENTS = 200
BATCH_CHARACTERS = 250_000
"""Half of what it was, when the longest transaction of a first index took 84 ms of CPU; it takes 45 ms now."""
IN_PIECES = frozenset({"sessions"})
"""Readers whose units may be longer than can be held; their documents stand each for themselves."""
TIDY_AFTER = 500
LOOKED_AT_ONCE = 1_000
"""So many sources are compared with what is known before a run is told of, and can be stopped."""


@dataclass(slots=True)
class IndexRun:
    """What one run changed. `changed` also names what appeared: an anchor that was lost may be found again."""

    commit: str = ""
    changed: list[SourceRef] = field(default_factory=list)
    removed: list[SourceRef] = field(default_factory=list)
    added: int = 0
    unreadable: int = 0
    seconds: float = 0.0
    after_break: bool = False
    """The run before this one was stopped or killed: what it changed is not among what this one did."""


def index_workspace(
    workspace: "Workspace",
    *,
    now: datetime,
    revision: str = "",
    full: bool = False,
    progress: Progress | None = None,
) -> IndexRun:
    """Read what changed in a workspace into the index, from its work tree or (with `revision`) from one commit.

    A run may be ended at any moment: each unit is in or out as a whole, and the next goes on from there.
    Where another run is over the same workspace, it waits for its end. `progress` may end it by
    raising RunStopped, which goes on to the caller. Raises NoSuchRevision.
    """
    with alone(workspace):
        try:
            return _index(workspace, now, revision, full=full, progress=progress)
        except BaseException:
            with suppress(DatabaseError):  # which may be what ended it
                Position.objects.filter(workspace=workspace.public_id).update(beat_at=None)  # nothing runs any more
            raise


def _index(workspace: "Workspace", now: datetime, revision: str, *, full: bool, progress: Progress | None) -> IndexRun:
    start = monotonic()
    commit = resolve_revision(workspace, revision) if revision else ""
    clock = Clock(now)
    mark = "" if revision else _mark_of(workspace)
    if mark and not full and (known := known_to_stand(workspace, mark, now=clock())):
        return IndexRun(commit=known, unreadable=_count_unreadable(workspace), seconds=monotonic() - start)
    head = head_of(workspace) if not revision else Head()
    broken = _broke_off(workspace)
    position = _begin(workspace, clock)
    last = engine().next_pk(Document) - 1
    if full:
        forget_fingerprints(workspace)
    with open_tree(workspace, commit) as tree:
        upto = commit or tree.revision
        since = indexed_commit(workspace, full=full)
        fresh = count_commits(workspace, since, upto) if upto else 0
        with commits_ahead(workspace, since, upto, fresh) as ahead:
            todo, gone = _plan(workspace, tree, full=full, progress=progress)
            beat = Beat(position, clock, len(todo) + len(gone) + fresh, progress)
            history = Commits(workspace, Range(since, upto, fresh), beat, ahead, full=full)
            written = _write_units(workspace, tree, todo, beat, meanwhile=history.write_ready)
            written.add(_remove_units(workspace, gone, beat))
            added = history.write_all()
    in_order = 0 if history.rewritten else last
    _settle(workspace, upto, beat, len(written.added + written.changed) + added, after_break=broken, known=in_order)
    with transaction.atomic(using="index"):
        Position.objects.filter(pk=position.pk).update(
            commit=upto, branch=head.branch, dirty=head.dirty, revision=commit, indexed_at=clock(), beat_at=None
        )
        if mark:
            note_standing(workspace, mark)
        if written.added or written.changed or written.removed or added:
            note_unseen(workspace)
    return IndexRun(
        commit=upto,
        changed=written.changed + written.added,
        removed=written.removed,
        added=len(written.added) + added,
        unreadable=_count_unreadable(workspace),
        seconds=monotonic() - start,
        after_break=broken,
    )


def _settle(workspace: "Workspace", upto: str, beat: Beat, new: int, *, after_break: bool, known: int) -> None:
    """Put the index in order after what was written, also by a run before that was ended; each step hears a stop.

    `known` is the pk of the last document up to which everything is in order.
    """
    if after_break or new > TIDY_AFTER:
        beat.moved(0, "putting the index in order")
        engine().tidy()
    beat.moved(0, "counting what the index holds")
    engine().settle_totals()
    if upto:
        beat.moved(0, "naming the commit that was read")
        engine().follow_revision(workspace.public_id, upto, but=GONE)
    if after_break or new:
        beat.moved(0, "dating files by their commits")
        engine().date_files(workspace.public_id, after=0 if after_break else known)
    beat.moved(0, "done")


def _broke_off(workspace: "Workspace") -> bool:
    """Whether the run before this one began and did not come to its end."""
    position = Position.objects.filter(workspace=workspace.public_id).first()
    if position is None or position.started_at is None:
        return False
    return position.indexed_at is None or position.indexed_at < position.started_at


def _mark_of(workspace: "Workspace") -> str:
    """How the workspace stands and how that is written; empty where it cannot be told cheaply."""
    stands = standing_of(workspace)
    return f"{FORMAT}:{stands}" if stands else ""


def _count_unreadable(workspace: "Workspace") -> int:
    return Unreadable.objects.filter(workspace=workspace.public_id).count()


def _begin(workspace: "Workspace", clock: Clock) -> Position:
    position, _ = Position.objects.get_or_create(workspace=workspace.public_id)
    forget_standing(workspace)
    drop_halves(workspace.public_id)
    Position.objects.filter(pk=position.pk).update(started_at=clock.now, beat_at=clock(), done=0, total=0)
    return position


_Todo = list[tuple[reading.Reader, reading.Unit]]
_Batch = list[tuple[reading.Reader, reading.Unit, list[reading.Document | reading.Unreadable]]]


def _plan(
    workspace: "Workspace", tree: reading.Tree, *, full: bool, progress: Progress | None
) -> tuple[_Todo, list[str]]:
    """What must be read again, and the keys of units that are no longer there."""
    known = dict(UnitRow.objects.filter(workspace=workspace.public_id).values_list("key", "fingerprint"))
    known.pop(COMMITS, None)
    known.pop(STANDING, None)
    known.pop(UNSEEN, None)
    todo: _Todo = []
    looked = 0
    for reader in readers.READERS:
        for unit in reader.units(tree):
            looked += 1
            if progress and not looked % LOOKED_AT_ONCE:
                progress(0, 0, f"{looked} sources looked at for changes")
            before = known.pop(_key(unit), None)
            if full or before != _fingerprint(unit):
                todo.append((reader, unit))
    return todo, list(known)


def _write_units(
    workspace: "Workspace", tree: reading.Tree, todo: _Todo, beat: Beat, *, meanwhile: Callable[[], None]
) -> Written:
    """Write what must be read again; `meanwhile` is done after each batch."""
    written = Written()
    for batch in _batches(tree, todo):
        meanwhile()
        if isinstance(batch, _Long):
            written.add(_write_long(workspace, batch, beat))
            continue
        written.add(_write_batch(workspace, batch))
        beat.moved(len({unit.key for _, unit, _ in batch}), batch[-1][1].key)
    return written


def _key(unit: reading.Unit) -> str:
    return storable(unit.key)[:2_100]


def _fingerprint(unit: reading.Unit) -> str:
    return f"{FORMAT}:{unit.fingerprint}"[:200]


@dataclass(slots=True)
class _Long:
    """A unit too long to be held: what was read of it so far, and the rest as it comes."""

    reader: reading.Reader
    unit: reading.Unit
    pieces: "Iterator[_Piece]"


_Piece = list[reading.Document | reading.Unreadable]


def _batches(tree: reading.Tree, todo: _Todo) -> "Iterator[_Batch | _Long]":
    """Units with what was read from them, in batches small enough for one short transaction."""
    batch: _Batch = []
    documents = characters = 0
    for reader, unit in todo:
        pieces = _pieces(reader, tree, unit)
        read = next(pieces, [])
        more = next(pieces, None)
        if more is not None:
            if batch:
                yield batch
                batch, documents, characters = [], 0, 0
            yield _Long(reader, unit, chain([read, more], pieces))
            continue
        batch.append((reader, unit, read))
        documents += len(read)
        characters += _characters(read)
        if documents >= BATCH_DOCUMENTS or characters >= BATCH_CHARACTERS:
            yield batch
            batch, documents, characters = [], 0, 0
    if batch:
        yield batch


def _pieces(reader: reading.Reader, tree: reading.Tree, unit: reading.Unit) -> "Iterator[_Piece]":
    """What is read of a unit, in one piece unless it is long.

    One that went away or was locked since it was listed fails nothing else.
    """
    read: _Piece = []
    try:
        for found in reader.read(tree, unit):
            if unit.reader in IN_PIECES and _characters(read) >= BATCH_CHARACTERS:
                yield read
                read = []
            read.append(found)
    except DomainError as error:
        path = unit.paths[0] if unit.paths else unit.key
        read.append(reading.Unreadable(path, f"{error.message} {error.hint}".strip()))
    if read:
        yield read


def _characters(read: _Piece) -> int:
    return sum(len(each.text) for each in read if isinstance(each, reading.Document))


def _write_long(workspace: "Workspace", long: _Long, beat: Beat) -> Written:
    """Replace a long unit piece by piece, each in short transactions.

    The unit has no fingerprint until all is in, so that a run that was ended reads it again; what
    stands in the index already as it was read is left alone.
    """
    written = Written()
    key = _key(long.unit)
    with transaction.atomic(using="index"):
        row, _ = UnitRow.objects.update_or_create(
            workspace=workspace.public_id, key=key, defaults={"reader": long.reader.name, "fingerprint": ""}
        )
        row.unreadable.all().delete()
    seen: set[str] = set()
    for piece in long.pieces:
        written.add(replace_part(row, piece, seen))
        beat.moved(0, f"{long.unit.key}, part {len(seen)}")
    gone = [pk for pk, ref in row.documents.values_list("pk", "ref") if ref not in seen]
    written.removed += [SourceRef.parse(ref) for ref in row.documents.values_list("ref", flat=True) if ref not in seen]
    for start in range(0, len(gone), 500):
        forget(gone[start : start + 500])
    UnitRow.objects.filter(pk=row.pk).update(fingerprint=_fingerprint(long.unit))
    beat.moved(1, long.unit.key)
    return written


def _write_batch(workspace: "Workspace", batch: _Batch) -> Written:
    ready = [[each if isinstance(each, reading.Unreadable) else prepare(each) for each in read] for _, _, read in batch]
    with transaction.atomic(using="index"):
        rows, new = _unit_rows(workspace, batch)
        units = [rows[_key(unit)] for _, unit, _ in batch]
        written = replace_units(list(zip(units, ready, strict=True)), new=new)
        for reader, unit, _ in batch:
            row = rows[_key(unit)]
            row.reader, row.fingerprint = reader.name, _fingerprint(unit)
        UnitRow.objects.bulk_update(
            [row for row in rows.values() if row.pk not in new], ["reader", "fingerprint"], batch_size=200
        )
    return written


def _unit_rows(workspace: "Workspace", batch: _Batch) -> tuple[dict[str, UnitRow], set[int]]:
    """The rows of these units by key, and the pks of those made just now."""
    keys = {_key(unit): (reader.name, _fingerprint(unit)) for reader, unit, _ in batch}
    rows: dict[str, UnitRow] = {}
    wanted = list(keys)
    for start in range(0, len(wanted), 500):
        there = UnitRow.objects.filter(workspace=workspace.public_id, key__in=wanted[start : start + 500])
        rows |= {row.key: row for row in there}
    made = UnitRow.objects.bulk_create(
        UnitRow(workspace=workspace.public_id, key=key, reader=reader, fingerprint=mark)
        for key, (reader, mark) in keys.items()
        if key not in rows
    )
    return rows | {row.key: row for row in made}, {row.pk for row in made}


def _remove_units(workspace: "Workspace", keys: list[str], beat: Beat) -> Written:
    written = Written()
    for key in keys:
        with transaction.atomic(using="index"):
            for row in UnitRow.objects.filter(workspace=workspace.public_id, key=key):
                written.add(replace_unit(row, []))
                row.delete()
    beat.moved(len(keys), "removed what is gone")
    return written
