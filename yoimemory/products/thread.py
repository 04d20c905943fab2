"""An event of a ticket's thread, in the syntax of the ticket backend. Never one that changes a state."""

import re
from collections.abc import Iterable
from datetime import datetime

from yoimemory.errors import BadInput
from yoimemory.products.models import Proposal

EVENTS = {
    Proposal.Target.TICKET_COMMENT: ("comment", "Comment"),
    Proposal.Target.TICKET_DECISION: ("decision", "Decision"),
    Proposal.Target.TICKET_REPORT: ("implementation_report", "Implementation report"),
    Proposal.Target.TICKET_REVIEW: ("review", "Review"),
}
"""The event kind of each text target, and its heading. A state change is none of them."""

REVIEWS = {"approve": "Review: approve", "request_changes": "Review: request changes"}
_EVENT = re.compile(r"^\s*<!-- event:", re.MULTILINE)
_RULE = re.compile(r"^---[ \t]*$", re.MULTILINE)


class ForgesAnEvent(BadInput):
    """The text would be read as more than one event, or lose its end."""


def check_body(text: str) -> None:
    """Raise ForgesAnEvent for a text that the thread's readers would take apart."""
    if _EVENT.search(text):
        raise ForgesAnEvent(
            "A line of this text begins like an event of the thread and would be read as one.",
            hint="Write it otherwise; a thread's events are made by the ticket backend alone.",
            fields={"content": "holds an event"},
        )
    if _RULE.search(text):
        raise ForgesAnEvent(
            "A line of three hyphens ends an event of the thread, so the rest of this text would be lost.",
            hint="Write a rule as ***.",
            fields={"content": "holds a rule"},
        )


def entry_of(target: str, body: str, *, author: str, now: datetime, review: str = "") -> str:
    """The lines that are added to the end of a thread. Raises ForgesAnEvent, or BadInput for an unknown review."""
    check_body(body)
    kind, heading = EVENTS[Proposal.Target(target)]
    status = ""
    if kind == "review":
        if review not in REVIEWS:
            raise BadInput(
                "A review in a thread says approve or request_changes.",
                hint="It changes no state by itself; the ticket backend decides what follows.",
                fields={"review": "required"},
            )
        heading, status = REVIEWS[review], f" status: {review}"
    head = f"<!-- event: {kind} author: {_value(author)} at: {now:%Y-%m-%dT%H:%M:%SZ}{status} -->"
    return f"\n{head}\n\n## {heading}\n\n{body.strip()}\n\n---\n"


def citing(body: str, refs: Iterable[str], *, proposal: str) -> str:
    """The text with the refs that carry it, so that the ticket says where its words come from."""
    return "\n".join([body.strip(), "", *(f"- Rests on `{ref}`" for ref in refs), f"- Proposed as `{proposal}`"])


def appended(thread: str, entry: str) -> str:
    """The thread with one more event at its end; nothing before it changes."""
    return thread + ("" if not thread or thread.endswith("\n") else "\n") + entry


def _value(text: str) -> str:
    """A value of an event's head: quoted where it holds white space or signs that end it."""
    line = " ".join(text.replace("-->", "").split())
    if line and not re.search(r'[\s"\\]', line):
        return line
    escaped = line.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
