"""The texts of the demo: every file of the workspace, some in several versions, and ticket threads cut at an event."""

import re
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

_EVENT = re.compile(r"^<!-- event: ", re.MULTILINE)
_STATE = re.compile(r"^<!-- event: (?:state_changed|close) .*?at: (\S+) (?:status: (closed)|from: \w+ to: (\w+))", re.M)
_AT = re.compile(r"^<!-- event: .*? at: (\S+)", re.MULTILINE)


def _root(folder: str) -> Traversable:
    return files("yoimemory.demo") / folder


def text_of(path: str, version: int = 0) -> bytes:
    """A file of the workspace, by the path it gets there; `version` counts from 1 where there are several.

    The texts are kept under plain names: `.yoi` without its dot and code with `.txt` behind it, so
    that no tool takes them for files of our own.
    """
    name = re.sub(r"^\.", "", path)
    if version:
        stem, dot, suffix = name.rpartition(".")
        name = f"{stem}~{version}{dot}{suffix}"
    if name.endswith(".py") or path == ".gitignore":
        name += ".txt"
    return _root("workspace").joinpath(*name.split("/")).read_bytes()


@cache
def _thread(ticket: str) -> str:
    return text_of(f".yoi/tickets/{ticket}/thread.md").decode()


def events_in(ticket: str) -> int:
    """How many events the whole thread of this ticket holds."""
    return len(_EVENT.findall(_thread(ticket)))


def ticket_after(ticket: str, events: int) -> dict[str, bytes]:
    """The files of a ticket after its first events: the item with the state it then had, the thread, a resolution."""
    whole = _thread(ticket)
    starts = [match.start() for match in _EVENT.finditer(whole)] + [len(whole)]
    thread = whole[: starts[events]]
    state = "planning"
    for match in _STATE.finditer(thread):
        state = match[2] or match[3]
    updated = _AT.findall(thread)[-1]
    folder = f".yoi/tickets/{ticket}"
    item = text_of(f"{folder}/item.md").decode()
    item = re.sub(
        r'^(created_at: ".*")$', rf'state: "{state}"\n\1\nupdated_at: "{updated}"', item, count=1, flags=re.MULTILINE
    )
    grown = {f"{folder}/item.md": item.encode(), f"{folder}/thread.md": thread.encode()}
    if state == "closed":
        grown[f"{folder}/resolution.md"] = text_of(f"{folder}/resolution.md")
    return grown


MEMORY = ("summary.md", "decisions/merge-by-device-clock.md", "requests/no-questions-at-the-counter.md")
"""The memory records: written beside the history, since a Yoi workspace keeps them out of git."""


def memory_files() -> dict[str, bytes]:
    """What generated memory holds, by path."""
    return {f".yoi/memory/{name}": text_of(f".yoi/memory/{name}") for name in MEMORY}


def session_logs() -> dict[str, bytes]:
    """The agents' session logs, by file name: a line of role, content and timestamp for each entry."""
    return {entry.name: entry.read_bytes() for entry in _root("sessions").iterdir() if entry.name.endswith(".jsonl")}
