"""What a thread said at an instant: the event that counted, the state it led to, and what came later."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Self

from shoebox.material import moment_of
from yoimemory.search.contrary import SIGNALS
from yoimemory.search.models import Document, Passage
from yoimemory.sources.dates import read_instant

CONTRARY = frozenset(SIGNALS)
"""Signals of a passage that speak against going on as planned."""

RESOLVED = frozenset({"closed", "done"})
"""States of a task that no longer hold up another."""

_PASSING = frozenset({"comment", "create"})
_DECIDING = frozenset({"decision", "review"})
_CLOSING = frozenset({"close", "closed"})


@dataclass(frozen=True, slots=True)
class Happened:
    """One event of a thread: its passage, what it was, what it did to the state, and when."""

    passage: Passage
    kind: str
    at: datetime | None
    status: str = ""
    before: str = ""
    after: str = ""

    @property
    def is_contrary(self) -> bool:
        return bool(frozenset(self.passage.signals.split()) & CONTRARY)

    @property
    def decides(self) -> bool:
        """Whether it changed how things stand: anything but a comment or the opening."""
        return self.kind not in _PASSING or self.is_contrary

    def told(self, as_of: datetime | None) -> str:
        """The event in a few words with its instant, such as "review request_changes at 21:25:42Z"."""
        what = self.kind.replace("_", " ")
        if self.after:
            what = f"{self.before} -> {self.after}" if self.before else f"now {self.after}"
        elif self.status:
            what = f"{what} {self.status}"
        return f"{what} at {moment_of(self.at, as_of)}" if self.at else what


@dataclass(slots=True)
class Story:
    """A thread as of an instant: what had happened, what came later."""

    as_of: datetime | None = None
    before: list[Happened] = field(default_factory=list)
    later: list[Happened] = field(default_factory=list)

    @classmethod
    def read(cls, thread: Document, passages: Iterable[Passage], as_of: datetime | None) -> Self:
        """Read events from the facts of the thread; each stands in the passage that carries its number."""
        story = cls(as_of)
        facts: dict[str, dict[str, Any]] = {
            f"event-{event['number']}": event for event in thread.facts.get("events", []) if "number" in event
        }
        for passage in passages:
            if facts and passage.fragment not in facts:
                continue  # lines between events belong to none of them
            event = facts.get(passage.fragment, {})
            at = read_instant(str(event.get("at") or "")) or passage.at
            happened = Happened(
                passage,
                str(event.get("kind") or passage.heading.strip().lower()[:60] or "entry"),
                at,
                status=str(event.get("status") or event.get("result") or ""),
                before=str(event.get("from") or ""),
                after=str(event.get("to") or ""),
            )
            (story.later if at and as_of and at > as_of else story.before).append(happened)
        return story

    @property
    def state(self) -> str:
        """The state that the events up to the instant led to, empty where the thread records none."""
        for event in reversed(self.before):
            if event.kind in _CLOSING:
                return "closed"
            if event.after:
                return event.after
        return "planning" if any(event.kind == "create" for event in self.before) else ""

    @property
    def last_verdict(self) -> Happened | None:
        """The last event that said yes or no to something: a review, a refusal."""
        return next((event for event in reversed(self.before) if event.status or event.is_contrary), None)

    @property
    def counts(self) -> Happened | None:
        """The event to open the thread at: the last that decided something, else the last of all."""
        return self.last_of(self.before)

    @staticmethod
    def last_of(events: "list[Happened]") -> Happened | None:
        """Of some events the last that decided something, else the last of all."""
        deciding = [event for event in events if event.decides]
        return next(reversed(deciding or events), None)

    @property
    def last_decision(self) -> Happened | None:
        """The last event in which something was decided in words; a change of state alone is none."""
        telling = [event for event in self.before if event.kind in _DECIDING or event.is_contrary]
        return next(reversed(telling), None)

    @property
    def is_contrary(self) -> bool:
        """Whether the last verdict stood against going on."""
        return self.last_verdict is not None and self.last_verdict.is_contrary

    @property
    def next(self) -> Happened | None:
        """The first event after the instant with a verdict or a change of state, else the first of all."""
        telling = [event for event in self.later if event.status or event.after]
        return next(iter(telling or self.later), None)

    @property
    def caveat(self) -> str:
        """What a reader as of that instant must not take for known."""
        return f"Later: {self.next.told(self.as_of)}, after this as-of." if self.next else ""
