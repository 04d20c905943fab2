"""The verbs of the way out."""

from yoimemory.products.services.applying import apply_proposal, artifact_path, revert_proposal
from yoimemory.products.services.batches import AlreadyUndone, PlanChanged
from yoimemory.products.services.connecting import connect_client, plan_connection
from yoimemory.products.services.exporting import (
    FolderNeeded,
    default_folder,
    export_artifact,
    plan_export,
    undo_export,
)
from yoimemory.products.services.formats import WrongFormat
from yoimemory.products.services.impacting import AlreadyTold, observe_impact, record_impact
from yoimemory.products.services.importing import (
    Imported,
    NotAnArtifact,
    Tampered,
    artifact_file,
    import_artifact,
    read_artifact,
)
from yoimemory.products.services.proposing import (
    CannotMerge,
    propose_candidate,
    rebase_proposal,
    revise_proposal,
    withdraw_proposal,
)
from yoimemory.products.services.recovering import recover_writings
from yoimemory.products.services.remembering import propose_memory
from yoimemory.products.services.reviewing import review_proposal
from yoimemory.products.services.rules import (
    AlreadyProposed,
    BaseChanged,
    ChangedSince,
    NoReason,
    NoSuchRecord,
    NothingToChange,
    NotInThisState,
    NotYourProposal,
    RiskNotConfirmed,
)
from yoimemory.products.services.skilling import ChangedByHand, install_skills, plan_skills, skills, undo_installation
from yoimemory.products.services.trialing import AlreadyInTrial, begin_trial, end_trial

__all__ = [
    "AlreadyInTrial",
    "AlreadyProposed",
    "AlreadyTold",
    "AlreadyUndone",
    "BaseChanged",
    "CannotMerge",
    "ChangedByHand",
    "ChangedSince",
    "FolderNeeded",
    "Imported",
    "NoReason",
    "NoSuchRecord",
    "NotAnArtifact",
    "NotInThisState",
    "NotYourProposal",
    "NothingToChange",
    "PlanChanged",
    "RiskNotConfirmed",
    "Tampered",
    "WrongFormat",
    "apply_proposal",
    "artifact_file",
    "artifact_path",
    "begin_trial",
    "connect_client",
    "default_folder",
    "end_trial",
    "export_artifact",
    "import_artifact",
    "install_skills",
    "observe_impact",
    "plan_connection",
    "plan_export",
    "plan_skills",
    "propose_candidate",
    "propose_memory",
    "read_artifact",
    "rebase_proposal",
    "record_impact",
    "recover_writings",
    "revert_proposal",
    "review_proposal",
    "revise_proposal",
    "skills",
    "undo_export",
    "undo_installation",
    "withdraw_proposal",
]
