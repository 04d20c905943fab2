"""Attempts to refute a hypothesis, in one place: the page, the threshold and every answer count the same ones.

Two kinds are recorded: searches by the claim itself, and the counter-searches that gathering made
for the question of its shoebox.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from hypotheses.models import Hypothesis
from shoebox.models import Shoebox
from yoimemory.search.coverage import told

BY_CLAIM, BY_QUESTION = "its claim", "the question of its shoebox"


@dataclass(frozen=True, slots=True)
class Attempt:
    """What was looked for against a hypothesis, by whom and when, what it covered and what came of it."""

    aim: str
    at: datetime | None
    by: str
    queries: int
    query: str
    matched: int
    commit: str
    covers: str
    hits: Sequence[dict[str, Any]] = ()

    @property
    def by_claim(self) -> bool:
        return self.aim == BY_CLAIM


def attempts_of(hypothesis: Hypothesis) -> list[Attempt]:
    """Every recorded attempt, those by the claim first, the latest of them first."""
    by_claim = [_by_claim(kept) for kept in reversed(hypothesis.sought)]
    return by_claim + [each for each in [_by_question(hypothesis.shoebox)] if each]


def _by_claim(kept: dict[str, Any]) -> Attempt:
    return Attempt(
        aim=BY_CLAIM,
        at=datetime.fromisoformat(kept["at"]),
        by=kept["by"],
        queries=1,
        query=kept["query"],
        matched=kept["matched"],
        commit=kept.get("commit", ""),
        covers=told(kept),
        hits=kept["hits"],
    )


def _by_question(shoebox: Shoebox) -> Attempt | None:
    """What the shoebox's gathering looked for against the question, as it wrote it down."""
    sought = shoebox.sought if isinstance(shoebox.sought, dict) else {}
    queries = sought.get("disconfirming")
    if not isinstance(queries, list) or not queries:
        return None
    against = sought.get("against") or {}
    return Attempt(
        aim=BY_QUESTION,
        at=datetime.fromisoformat(sought["at"]) if sought.get("at") else shoebox.gathered_at,
        by=str(sought.get("by") or ""),
        queries=len(queries),
        query=shoebox.question,
        matched=int(against.get("passages") or 0),
        commit=str((sought.get("index") or {}).get("commit") or ""),
        covers=told(sought),
    )
