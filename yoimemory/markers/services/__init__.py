"""The verbs of markers, contradictions, reliability and second looks; each kept in the module of its noun."""

from yoimemory.markers.services.contradicting import (
    ContradictionClosed,
    SameContradiction,
    note_contradiction,
    resolve_contradiction,
    take_over_contradiction,
)
from yoimemory.markers.services.looking import (
    AlreadyLooked,
    Disagreement,
    NotTheOneToSettle,
    look_apart,
    needs_second,
    settle_conflict,
    withdraw_look,
)
from yoimemory.markers.services.marking import (
    AlreadyMarked,
    AlreadyResolved,
    SupersessionCycle,
    mark_staleness,
    resolve_derived,
    resolve_markers,
    take_over_markers,
)
from yoimemory.markers.services.trusting import set_reliability

__all__ = [
    "AlreadyLooked", "AlreadyMarked", "AlreadyResolved", "ContradictionClosed", "Disagreement", "NotTheOneToSettle",
    "SameContradiction", "SupersessionCycle", "look_apart", "mark_staleness", "needs_second", "note_contradiction",
    "resolve_contradiction", "resolve_derived", "resolve_markers", "set_reliability", "settle_conflict",
    "take_over_contradiction", "take_over_markers", "withdraw_look",
]  # fmt: skip
