"""Issues of GitHub, from files: `gh issue list --json …`, the REST export, and lists of comments beside it."""

import re
from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from yoimemory.amounts import amount
from yoimemory.sources.dates import read_instant
from yoimemory.sources.objects import Objects
from yoimemory.sources.opener import OutsideRoot, Unopenable
from yoimemory.sources.reading import AddedFolder, Document, Tree, Unit, Unreadable
from yoimemory.sources.texts import unreadable
from yoimemory.sources.trackers import (
    Edge,
    TicketEvent,
    TrackedTicket,
    documents_of,
    in_order,
    text_in,
    texts_in,
)
from yoimemory.sources.units import added_unit, folder_of

ENDINGS = (".json", ".jsonl", ".ndjson")
COMMENTS_MAX = 64 << 20
"""Characters of comments that are held while issues of other files are read."""

_NUMBER = re.compile(r"/(?:issues|pull)/([1-9][0-9]{0,9})(?:$|[/?#])")
_MENTION = re.compile(r"(?<![\w/#&])#([1-9][0-9]{0,6})(?![\w-])")
_MENTIONS_MAX = 200
_STATES = {"open": "open", "closed": "closed", "merged": "closed"}


class GithubReader:
    """One unit is one added file or folder of exports."""

    name = "github"

    def units(self, tree: Tree) -> Iterator[Unit]:
        for folder in _folders(tree):
            yield from added_unit(folder, self.name, ENDINGS)

    def read(self, tree: Tree, unit: Unit, *, only: str = "") -> Iterator[Document | Unreadable]:
        folder = folder_of(tree, unit)
        if folder is None:
            yield unreadable(unit.paths[0], "The added folder is no longer there.")
            return
        yield from _Export(tree, folder, unit.paths, only).documents()


def _folders(tree: Tree) -> list[AddedFolder]:
    return [folder for folder in tree.folders if folder.kind == "ticket" and folder.format == "github"]


def prefix_of(tree: Tree, folder: AddedFolder) -> str:
    """What stands before a number in an address: `gh`, and with the name of what was added after the first."""
    if _folders(tree)[0].pk == folder.pk:
        return "gh"
    return "gh-" + (re.sub(r"[^a-z0-9]+", "-", folder.name.lower()).strip("-") or str(folder.pk))


def is_issue(record: dict[str, Any]) -> bool:
    """Whether a record is an issue or a pull request."""
    return _number(record.get("number")) > 0 and "title" in record


def _number(value: Any) -> int:
    if isinstance(value, str) and value.isdecimal() and len(value) <= 10:
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 < value < 10**10 else 0


class _Export:
    """All files that were added together: issues, and comments that stand in files of their own."""

    def __init__(self, tree: Tree, folder: AddedFolder, paths: tuple[str, ...], only: str) -> None:
        self._tree, self._place, self._paths = tree, folder.tree, paths
        self._prefix, self._only = prefix_of(tree, folder), only
        self._latest: dict[int, tuple[str, int]] = {}
        self._comments: dict[int, list[dict[str, Any]]] = {}
        self._held = 0
        self._others: Counter[str] = Counter()

    def documents(self) -> Iterator[Document | Unreadable]:
        for path in self._paths:
            yield from self._survey(path)
        for path in self._paths:
            try:
                for place, line, record in _records(Objects(self._place.chunks(path))):
                    if is_issue(record):
                        yield from self._issue(path, place, line, record)
            except (Unopenable, OutsideRoot):
                continue  # told already
        for kind, count in self._others.items():
            yield unreadable(self._paths[0], f"Passed by as {kind}: {amount(count, 'record')}.")

    def _survey(self, path: str) -> Iterator[Unreadable]:
        """Which issues there are, where each stands last, and comments from other files."""
        try:
            objects = Objects(self._place.chunks(path))
            for place, _, record in _records(objects):
                if is_issue(record):
                    self._latest[_number(record["number"])] = (path, place)
                else:
                    self._other(record)
            yield from (unreadable(path, reason, line) for line, reason in objects.faults)
        except (Unopenable, OutsideRoot) as error:
            yield unreadable(path, error)

    def _other(self, record: dict[str, Any]) -> None:
        match = _NUMBER.search(text_in(record.get("issue_url"), 500) or text_in(record.get("html_url"), 500))
        if not match or "body" not in record:
            self._others["no issues and no comments"] += 1
            return
        self._held += len(text_in(record.get("body")))
        if self._held > COMMENTS_MAX:
            self._others[f"comments beyond {COMMENTS_MAX >> 20} MB"] += 1
            return
        self._comments.setdefault(int(match[1]), []).append(record)

    def _issue(self, path: str, place: int, line: int, record: dict[str, Any]) -> Iterator[Document | Unreadable]:
        number = _number(record["number"])
        ident = f"{self._prefix}-{number}"
        if self._latest.get(number) != (path, place):
            yield unreadable(path, f"Issue {number} stands again elsewhere; the last one counts.", line)
        elif not self._only or ident == self._only:
            own = record.get("comments")
            comments = [*(own if isinstance(own, list) else ()), *self._comments.get(number, ())]
            ticket = _ticket(record, ident, [each for each in comments if isinstance(each, dict)], self._prefix)
            yield from documents_of(ticket, self._place, path, links=self._tree)


def _records(objects: Objects) -> Iterator[tuple[int, int, dict[str, Any]]]:
    """(ordinal, line, record) of what a file holds; of the envelope of a search, what is in it."""
    place = 0
    for line, found in objects:
        items = found.get("items")
        inner = items if isinstance(items, list) and "number" not in found else [found]
        for record in inner:
            if isinstance(record, dict):
                place += 1
                yield place, line, record


def _ticket(record: dict[str, Any], ident: str, comments: list[dict[str, Any]], prefix: str) -> TrackedTicket:
    title = text_in(record.get("title"), 500) or ident
    body = text_in(record.get("body"))
    state = text_in(record.get("state"), 40).lower()
    facts: dict[str, Any] = {"tracker": "github", "number": _number(record["number"])}
    if "pull_request" in record:
        facts["pull_request"] = True
    for name, value in (
        ("url", record.get("url") if "/repos/" not in str(record.get("url")) else record.get("html_url")),
        ("created_at", _either(record, "createdAt", "created_at")),
        ("updated_at", _either(record, "updatedAt", "updated_at")),
        ("closed_at", _either(record, "closedAt", "closed_at")),
        ("reason", _either(record, "stateReason", "state_reason")),
        ("milestone", record["milestone"].get("title") if isinstance(record.get("milestone"), dict) else None),
    ):
        if text := text_in(value, 500):
            facts[name] = text
    if labels := texts_in(record.get("labels"), "name"):
        facts["labels"] = labels
    if assignees := texts_in(record.get("assignees"), "login"):
        facts["assignee"] = ", ".join(assignees)
    return TrackedTicket(
        ident,
        title,
        state=_STATES.get(state, state),
        sections=(("", body),) if body else (),
        events=_events(record, state, comments),
        edges=tuple(_mentions("\n".join([body, *(text_in(each.get("body")) for each in comments)]), ident, prefix)),
        author=_login(record),
        at=_made_at(record),
        facts=facts,
    )


def _either(record: dict[str, Any], one: str, other: str) -> Any:
    return record.get(one) or record.get(other)


def _made_at(record: dict[str, Any]) -> datetime | None:
    return read_instant(_either(record, "createdAt", "created_at"))


def _login(record: dict[str, Any]) -> str:
    """Who wrote it; a bot's name says that it is one."""
    about = record.get("author") or record.get("user")
    if not isinstance(about, dict):
        return text_in(about, 200)
    name = text_in(about.get("login"), 190)
    is_bot = about.get("is_bot") is True or about.get("type") == "Bot"
    return f"{name} (bot)" if is_bot and name and "bot" not in name.lower() else name


def _events(record: dict[str, Any], state: str, comments: list[dict[str, Any]]) -> tuple[TicketEvent, ...]:
    events = [
        TicketEvent("create", _login(record), read_instant(_either(record, "createdAt", "created_at")), after="open")
    ]
    for each in comments:
        if text := text_in(each.get("body")):
            events.append(
                TicketEvent("comment", _login(each), read_instant(_either(each, "createdAt", "created_at")), text)
            )
    if state in {"closed", "merged"}:
        reason = text_in(_either(record, "stateReason", "state_reason"), 80).lower().replace("_", " ")
        closer = record.get("closed_by")
        author = text_in(closer.get("login"), 200) if isinstance(closer, dict) else ""
        text = f"Closed: {reason}." if reason else "Closed."
        at = read_instant(_either(record, "closedAt", "closed_at"))
        events.append(TicketEvent("close", author, at, text, before="open", after="closed"))
    return in_order(events)


def _mentions(text: str, ident: str, prefix: str) -> Iterator[Edge]:
    """Other issues that are named by `#12`."""
    found = dict.fromkeys(f"{prefix}-{match[1]}" for match in _MENTION.finditer(text))
    for target in list(found)[:_MENTIONS_MAX]:
        if target != ident:
            yield Edge("mentions", target)
