"""The way out: proposals that a person approves, what applying them wrote, and exported artifacts."""

from yoimemory.products.models.files import Batch, Export, Import, Installation, Writing
from yoimemory.products.models.impacts import Impact
from yoimemory.products.models.proposals import Proposal, Revision, Verdict
from yoimemory.products.models.trials import Trial

__all__ = ["Batch", "Export", "Impact", "Import", "Installation", "Proposal", "Revision", "Trial", "Verdict", "Writing"]
