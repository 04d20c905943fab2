"""The verbs of this floor."""

from hypotheses.services.deciding import (
    NoReason,
    NotATransition,
    SupersessionCycle,
    ThresholdNotMet,
    decide_hypothesis,
    decided_apart,
    second_look_of,
    settle_decision,
    withdraw_decision,
)
from hypotheses.services.proposing import NotYours, edit_hypothesis, propose_hypothesis
from hypotheses.services.rating import NotComparable, rate_evidence
from hypotheses.services.reimporting import (
    FILE_MAX,
    NoRepresentationFile,
    OfAnother,
    import_representation,
    read_representation_file,
    replace_representation,
)
from hypotheses.services.representing import (
    NoSuchBody,
    WrittenByHand,
    create_representation,
    edit_representation,
    rebuild_representation,
)
from hypotheses.services.seeking import NothingSought, seek_contrary, suggest_found

__all__ = [
    "FILE_MAX",
    "NoReason",
    "NoRepresentationFile",
    "NoSuchBody",
    "NotATransition",
    "NotComparable",
    "NotYours",
    "NothingSought",
    "OfAnother",
    "SupersessionCycle",
    "ThresholdNotMet",
    "WrittenByHand",
    "create_representation",
    "decide_hypothesis",
    "decided_apart",
    "edit_hypothesis",
    "edit_representation",
    "import_representation",
    "propose_hypothesis",
    "rate_evidence",
    "read_representation_file",
    "rebuild_representation",
    "replace_representation",
    "second_look_of",
    "seek_contrary",
    "settle_decision",
    "suggest_found",
    "withdraw_decision",
]
