"""Tickets that lie in history only: which commit had one last, and the files it had there.

One streamed log tells of every ticket file that was ever taken away. Its answer is kept beside the
shadow git dir, so that the next look asks only for the commits that came since.
"""

import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol, runtime_checkable

from yoimemory.sources.dates import read_instant
from yoimemory.sources.git import Git
from yoimemory.sources.places import FILED_TICKETS, TICKET_FOLDERS, is_filed_ticket, place_of
from yoimemory.sources.process import GitFailed
from yoimemory.sources.reading import Tree
from yoimemory.sources.shadow import put_file

GONE_MAX = 5_000
"""Tickets that are remembered of history; of more, the latest taken away."""

MARK = "gone-"
"""What the fingerprint of a ticket begins with that is read from history."""

STATE = "in history"
"""The state of such a ticket, whatever state it had when it was there."""

_KEPT = "gone-tickets.json"
_FORMAT = 2
_TELLING = ("/item.md", "/thread.md")
"""Without one of these, a ticket moved and only an artifact of it was taken away."""

_FILES = frozenset({"100644", "100755"})


@dataclass(frozen=True, slots=True)
class Gone:
    """A ticket at the last commit that had it.

    `removed_in` is the commit that took it away, empty while only the working tree lacks it.
    `files` are its paths with the ids of their blobs.
    """

    ticket: str
    commit: str
    removed_in: str
    at: datetime | None
    files: dict[str, str]

    @property
    def note(self) -> str:
        """What a reader must know of it, as a sentence."""
        if not self.removed_in:
            return "This ticket is deleted in the working tree; it is shown as the last commit has it."
        day = f" on {self.at:%Y-%m-%d}" if self.at else ""
        return f"This ticket lies in git history only: {self.removed_in[:12]} took it away{day}. It is shown as it was."


@runtime_checkable
class Remembers(Protocol):
    """A tree with history behind it."""

    def gone(self, ticket: str = "") -> dict[str, Gone]:
        """Tickets that history has, by id, whether or not they came back; or only the one that is named."""

    def past(self, gone: Gone) -> Tree:
        """The files of such a ticket, at the last commit that had it."""


def gone_tickets(git: Git, commit: str) -> dict[str, Gone]:
    """Every ticket that a commit before this one took away, by id; some of them may have come back."""
    if not commit:
        return {}
    known, since = _kept(git)
    if since == commit:
        return known
    if since and not _is_before(git, since, commit):
        known, since = {}, ""
    found = dict(_removed(git, commit, since))
    merged = {**found, **{ticket: gone for ticket, gone in known.items() if ticket not in found}}
    merged = dict(list(merged.items())[:GONE_MAX])
    _keep(git, commit, merged)
    return merged


def _is_before(git: Git, since: str, commit: str) -> bool:
    try:
        return not git.run("rev-list", "--max-count=1", since, f"^{commit}").strip()
    except GitFailed:
        return False


def _removed(git: Git, commit: str, since: str) -> Iterator[tuple[str, Gone]]:
    """Tickets taken away between two commits, latest first, each as its last removal tells."""
    renames = "-M100%" if git.shadow.partial else "-M"
    span = [commit] + ([f"^{since}"] if since else [])
    options = ("--full-history", "--diff-filter=D", "--raw", "--no-abbrev", "-z", renames, "--no-show-signature")
    seen: set[str] = set()
    with git.stream("log", *options, "--format=%x01%H %ct %P", *span, "--", *TICKET_FOLDERS, FILED_TICKETS) as child:
        head, files = "", dict[str, dict[str, str]]()
        mode = ""
        for token in child.tokens():
            text = token.decode("utf-8", "surrogateescape").lstrip("\n")
            if text.startswith("\x01"):
                yield from _of_commit(head, files, seen)
                head, files, mode = text[1:], {}, ""
            elif text.startswith(":"):
                mode = text
            elif mode and text:
                _take(text, mode, files)
                mode = ""
        yield from _of_commit(head, files, seen)


def _take(path: str, about: str, files: dict[str, dict[str, str]]) -> None:
    fields = about[1:].split(" ")
    place = place_of(path)
    if place.reader == "tickets" and len(fields) >= 4 and fields[0] in _FILES:
        files.setdefault(place.unit.partition(":")[2], {})[path] = fields[2]


def _of_commit(head: str, files: dict[str, dict[str, str]], seen: set[str]) -> Iterator[tuple[str, Gone]]:
    commit, when, *parents = head.split(" ") if files else ("", "")
    if not parents:
        return
    for ticket, paths in files.items():
        if ticket not in seen and any(path.endswith(_TELLING) or is_filed_ticket(path) for path in paths):
            seen.add(ticket)
            yield ticket, Gone(ticket, parents[0], commit, read_instant(int(when)), paths)


def _kept(git: Git) -> tuple[dict[str, Gone], str]:
    """What the last look found, and the commit it looked from."""
    with suppress(OSError, ValueError, KeyError, TypeError, AttributeError):
        kept: dict[str, Any] = json.loads((git.shadow.path / _KEPT).read_bytes())
        if kept["format"] == _FORMAT:
            return {
                ticket: Gone(ticket, row["commit"], row["removed_in"], read_instant(row["at"]), row["files"])
                for ticket, row in kept["gone"].items()
            }, kept["commit"]
    return {}, ""


def _keep(git: Git, commit: str, gone: dict[str, Gone]) -> None:
    rows = {
        ticket: {
            "commit": each.commit,
            "removed_in": each.removed_in,
            "at": each.at.isoformat() if each.at else "",
            "files": each.files,
        }
        for ticket, each in gone.items()
    }
    data = json.dumps({"format": _FORMAT, "commit": commit, "gone": rows})
    put_file(git.shadow.path / _KEPT, data.encode())
