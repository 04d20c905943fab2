"""Taking in a whole file of Web Annotations: any number that a file may hold, a hundred in one transaction."""

from dataclasses import replace
from datetime import datetime

from evidence.annotations import ANNOTATIONS_MAX, FILE_MAX, read_annotations
from evidence.services.extraction import Extraction, extract_evidence
from shoebox.models import Shoebox
from yoimemory.access.models import Actor


def take_in_annotations(shoebox: Shoebox, text: str, *, actor: Actor, now: datetime) -> Extraction:
    """Offer what a file holds to the gate; what is refused keeps its place in the file as its index.

    Raises NotAnAnnotation before anything is stored, NoRole, or ShoeboxNotOpen.
    """
    read, whole = read_annotations(text, at_most=FILE_MAX), Extraction()
    for at in range(0, len(read.drafts), ANNOTATIONS_MAX):
        part = slice(at, at + ANNOTATIONS_MAX)
        outcome = extract_evidence(shoebox, read.drafts[part], imported=read.origins[part], actor=actor, now=now)
        whole.stored += outcome.stored
        whole.related += outcome.related
        whole.refused += [replace(refusal, index=at + refusal.index) for refusal in outcome.refused]
    return whole
