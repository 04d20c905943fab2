"""The verbs of evidence: extract, review, relate, explain, supersede, recheck; each kept in the module of its noun."""

from evidence.gate import Refusal
from evidence.services.attaching import (
    NothingToTakeBack,
    OneByOne,
    confirm_anchors,
    reattach_anchor,
    undo_placement,
)
from evidence.services.batches import NotForABatch, accept_batch, undo_batch
from evidence.services.confirming import NothingToConfirm
from evidence.services.deriving import derive_markers
from evidence.services.extraction import Extraction, NoRole, extract_evidence
from evidence.services.fixing import fix_and_review
from evidence.services.overturning import settle_review
from evidence.services.placements import recheck_anchors
from evidence.services.reattaching import NotThere, Words
from evidence.services.reviews import (
    NothingToUndo,
    NotYourCapture,
    WrongState,
    open_verdicts,
    review_evidence,
    supersede_evidence,
    undo_extraction,
    undo_review,
)
from evidence.services.suggestions import TooManyWait, suggest_evidence
from evidence.services.taking import take_in_annotations
from evidence.services.weighing import BadTarget
from evidence.services.words import (
    EvidenceEnded,
    NoRelation,
    NotYours,
    explain_evidence,
    may_word,
    relate_evidence,
    unrelate_evidence,
)

__all__ = [
    "BadTarget",
    "EvidenceEnded",
    "Extraction",
    "NoRelation",
    "NoRole",
    "NotForABatch",
    "NotThere",
    "NotYourCapture",
    "NotYours",
    "NothingToConfirm",
    "NothingToTakeBack",
    "NothingToUndo",
    "OneByOne",
    "Refusal",
    "TooManyWait",
    "Words",
    "WrongState",
    "accept_batch",
    "confirm_anchors",
    "derive_markers",
    "explain_evidence",
    "extract_evidence",
    "fix_and_review",
    "may_word",
    "open_verdicts",
    "reattach_anchor",
    "recheck_anchors",
    "relate_evidence",
    "review_evidence",
    "settle_review",
    "suggest_evidence",
    "supersede_evidence",
    "take_in_annotations",
    "undo_batch",
    "undo_extraction",
    "undo_placement",
    "undo_review",
    "unrelate_evidence",
]  # fmt: skip
