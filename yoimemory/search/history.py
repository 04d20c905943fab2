"""The commits of a workspace in the index: those that are not in yet are added, between the files or after them."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from django.db import transaction

from yoimemory.errors import DomainError
from yoimemory.search.ahead import Ahead, in_batches
from yoimemory.search.beat import Beat
from yoimemory.search.models import Unit
from yoimemory.search.rows import Prepared
from yoimemory.search.writing import FORMAT, forget, write_documents
from yoimemory.sources.git import commits, count_commits, resolve_revision
from yoimemory.sources.reading import Document

if TYPE_CHECKING:
    from yoimemory.sources.models import Workspace

COMMITS = "commits"
"""The key of the unit that all commits belong to; its fingerprint names the last one up to which all are in."""

SEEN_AT_ONCE = 1_000
"""So many commits of a rewritten history are looked at before a run is told of, and can be stopped."""


def indexed_commit(workspace: "Workspace", *, full: bool) -> str:
    """The commit up to which all commits are in the index; empty for none, and for one that git has no more."""
    row = Unit.objects.filter(workspace=workspace.public_id, key=COMMITS).first()
    mark, _, commit = row.fingerprint.partition(":") if row else ("", "", "")
    return "" if full or mark != FORMAT or not _is_there(workspace, commit) else commit


class Range(NamedTuple):
    """The commits of `upto` that are not in `since`, and how many they are."""

    since: str
    upto: str
    many: int


class Commits:
    """Writes the commits that are not in yet, a batch at a time; where history was rewritten, all are read again.

    `ahead` are those of the range, made ready elsewhere: who makes them ready stops when too much of it
    waits, so what is ready is to be taken now and then, while other sources are read.
    """

    def __init__(self, workspace: "Workspace", new: Range, beat: Beat, ahead: Ahead | None, *, full: bool) -> None:
        self._workspace, self._new = workspace, new
        self._beat, self._ahead = beat, ahead
        self._added = 0
        self.rewritten = full
        """Whether commits were taken away, so that what is known of files by them may hold no more."""
        self._steps = self._read(full=full) if new.upto and new.since != new.upto else iter(())

    def write_ready(self) -> None:
        """Write what waits to be written, and wait for nothing."""
        while self._ahead and self._ahead.ready():
            next(self._steps, None)

    def write_all(self) -> int:
        """Write the rest. Returns how many were new."""
        for _ in self._steps:
            pass
        return self._added

    def _read(self, *, full: bool) -> Iterator[None]:
        """One step for each batch written."""
        workspace, (since, upto, many) = self._workspace, self._new
        unit, _ = Unit.objects.get_or_create(
            workspace=workspace.public_id, key=COMMITS, defaults={"reader": COMMITS, "fingerprint": ""}
        )
        # Also what was written in another form. The mark of that goes last: ended before, the next run goes on here.
        if full or unit.fingerprint.partition(":")[0] not in {"", FORMAT}:
            self.rewritten = True
            while pks := list(unit.documents.values_list("pk", flat=True)[:500]):
                forget(pks)
                self._beat.moved(0, "letting go of commits")
            Unit.objects.filter(pk=unit.pk).update(fingerprint="")
        if since and not count_commits(workspace, upto, since):  # all that is in is still there
            yield from self._add(unit, None, self._ahead or in_batches(commits(workspace, since=since, until=upto)))
        else:
            known = set(unit.documents.values_list("ref", flat=True))
            new = self._ahead or _unknown(commits(workspace, since=since, until=upto), known)
            yield from self._add(unit, known, new)
            if len(known) != (count_commits(workspace, "", upto) if since else many):
                yield from self._read_again(unit, known)
        Unit.objects.filter(pk=unit.pk).update(fingerprint=f"{FORMAT}:{upto}")

    def _read_again(self, unit: Unit, known: set[str]) -> Iterator[None]:
        """Go through the whole of a rewritten history: what lacks is added, what is in it no more is taken away."""
        seen: set[str] = set()
        whole = self._noting(commits(self._workspace, until=self._new.upto), seen)
        yield from self._add(unit, known, _unknown(whole, known))
        lost = [pk for pk, ref in unit.documents.values_list("pk", "ref") if ref not in seen]
        self.rewritten = bool(lost) or self.rewritten
        for start in range(0, len(lost), 500):
            forget(lost[start : start + 500])

    def _noting(self, documents: Iterator[Document], seen: set[str]) -> Iterator[Document]:
        for document in documents:
            seen.add(str(document.ref))
            if not len(seen) % SEEN_AT_ONCE:
                self._beat.moved(0, f"{len(seen):,} commits looked at again")
            yield document

    def _add(self, unit: Unit, known: set[str] | None, batches: Iterator[list[Prepared]]) -> Iterator[None]:
        """Write the commits that are not in yet. Where nobody knows which are, each batch is asked about."""
        for batch in batches:
            refs = [each.ref for each in batch]
            there = set(unit.documents.filter(ref__in=refs).values_list("ref", flat=True)) if known is None else known
            new = [each for each in batch if each.ref not in there]
            with transaction.atomic(using="index"):
                write_documents([(unit, each) for each in new])
            there.update([each.ref for each in new])
            self._added += len(new)
            self._beat.moved(len(batch), "commits")
            yield


def _is_there(workspace: "Workspace", commit: str) -> bool:
    """Whether git still has a commit: after a rewrite of history it may not."""
    try:
        return resolve_revision(workspace, commit) == commit
    except DomainError:
        return False


def _unknown(documents: Iterator[Document], known: set[str]) -> Iterator[list[Prepared]]:
    return in_batches(document for document in documents if str(document.ref) not in known)
