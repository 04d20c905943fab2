"""The verbs of this floor."""

from hypotheses.services.deciding import (
    NoReason,
    NotATransition,
    SupersessionCycle,
    ThresholdNotMet,
    decide_hypothesis,
)
from hypotheses.services.proposing import NotYours, edit_hypothesis, propose_hypothesis
from hypotheses.services.representing import (
    NoSuchBody,
    WrittenByHand,
    create_representation,
    rebuild_representation,
)

__all__ = [
    "NoReason",
    "NoSuchBody",
    "NotATransition",
    "NotYours",
    "SupersessionCycle",
    "ThresholdNotMet",
    "WrittenByHand",
    "create_representation",
    "decide_hypothesis",
    "edit_hypothesis",
    "propose_hypothesis",
    "rebuild_representation",
]
