"""Suggestions without a model: passages of what a shoebox holds, for its question and for each hypothesis.

They are stored as *suggested*, without a relation and without a why: how they bear on anything, a person says.
"""

from datetime import datetime
from typing import Any

from evidence.models import Evidence
from evidence.passages import Chosen, Sentence, choose, sentences_of
from evidence.schemas import EvidenceDraft
from evidence.services.extraction import Extraction, extract_evidence
from shoebox.models import Item, Shoebox
from shoebox.services.rules import require_open
from yoimemory.access.models import Actor
from yoimemory.access.services import role_in, system_actor
from yoimemory.errors import BadInput, DomainError, Forbidden, Refused
from yoimemory.refs import OWN_KINDS, SourceRef
from yoimemory.sources.read import read_document
from yoimemory.sources.reading import Document

FINDER = "passage finder"
LIMIT, LIMIT_MAX = 10, 30
WAITING_MAX = 30
"""So many suggested passages wait in one shoebox at most: a queue that nobody can read is no help."""
ITEMS_READ = 40
ENDED_CLAIMS = ("rejected", "superseded")
NOT_THEIR_WORDS = ("memory", "harness")
"""Speakers whose words repeat what was said elsewhere."""


class TooManyWait(Refused):
    """The passages that were suggested before are looked at first."""


def suggest_evidence(shoebox: Shoebox, *, limit: int = LIMIT, actor: Actor, now: datetime) -> Extraction:
    """Propose up to `limit` passages of the shoebox's items, contrary ones among them, and store them as suggested.

    What was quoted before from the same place is not proposed again, whatever became of it.
    Raises Forbidden without a role, ShoeboxNotOpen, BadInput for a limit out of bounds, TooManyWait.
    """
    if not role_in(actor, shoebox.workspace):
        raise Forbidden(
            f"{actor} has no role in the workspace {shoebox.workspace}.", hint="An owner of the workspace can give one."
        )
    require_open(shoebox)
    if not 1 <= limit <= LIMIT_MAX:
        raise BadInput(f"A limit is a number from 1 to {LIMIT_MAX}.", fields={"limit": "out of bounds"})
    finder = system_actor(FINDER)
    waiting = Evidence.objects.in_shoebox(shoebox).filter(made_by=finder, state=Evidence.State.SUGGESTED).count()
    if waiting >= WAITING_MAX:
        raise TooManyWait(
            f"{waiting} suggested passages wait in this shoebox already.",
            hint="Judge those first; then ask for more.",
        )
    documents = _documents(shoebox)
    texts = [_unquoted(shoebox, document) for document in documents]
    chosen = choose(texts, _targets(shoebox), limit=min(limit, WAITING_MAX - waiting))
    drafts = [_draft(documents[one.place], one) for one in chosen]
    found = [_origin(one, actor) for one in chosen]
    return extract_evidence(shoebox, drafts, actor=actor, now=now, found=found, finder=finder)


def _targets(shoebox: Shoebox) -> list[tuple[str, str]]:
    """The question and each hypothesis that is still argued, with the words that are sought for it."""
    claims = shoebox.hypotheses.exclude(status__in=ENDED_CLAIMS).order_by("number")
    return [
        (str(shoebox.ref), f"{shoebox.question} {shoebox.task_title}"),
        *((f"hypothesis:{public_id}", claim) for public_id, claim in claims.values_list("public_id", "claim")),
    ]


def _documents(shoebox: Shoebox) -> list[Document]:
    """The texts of what is in the shoebox and was not set aside: kept first, contrary first; unreadable ones left."""
    rows = list(shoebox.items.shown().in_order())
    rows.sort(key=lambda item: (item.screening != Item.Screening.KEPT, item.leaning != Item.Leaning.CONTRADICTS))
    documents: dict[str, Document] = {}
    for item in rows[:ITEMS_READ]:
        ref = SourceRef.parse(item.ref)
        if ref.kind in OWN_KINDS or item.place in documents:
            continue
        try:
            document = read_document(shoebox.workspace, ref if ref.entries else ref.part(""))
        except DomainError:  # gone or unreadable: the item itself says so in the shoebox
            continue
        if document.authority != "memory":
            documents[item.place] = document
    return list(documents.values())


def _unquoted(shoebox: Shoebox, document: Document) -> list[Sentence]:
    """The sentences of a text that nobody has quoted in this shoebox, and that are not repeated from memory."""
    quoted = Evidence.objects.in_shoebox(shoebox).filter(place=str(document.ref)).values_list("start", "end", "quote")
    spans = [(start, end) for start, end, _ in quoted if start is not None and end is not None]
    words = {quote for *_, quote in quoted}
    return [
        sentence
        for sentence in sentences_of(document.text)
        if sentence.text not in words
        and not any(start < sentence.end and sentence.start < end for start, end in spans)
        and not _is_repeated(document, sentence)
    ]


def _is_repeated(document: Document, sentence: Sentence) -> bool:
    return any(passage.speaker in NOT_THEIR_WORDS and sentence.text in passage.text for passage in document.passages)


def _draft(document: Document, chosen: Chosen) -> EvidenceDraft:
    ref = document.ref.at(document.revision)
    return EvidenceDraft(ref=str(ref), quote=chosen.sentence.text, offset=chosen.sentence.start)


def _origin(chosen: Chosen, actor: Actor) -> dict[str, Any]:
    return {
        "for": list(chosen.targets),
        "words": list(chosen.shared[:12]),
        "contrary": chosen.sentence.contrary,
        "asked_by": str(actor),
    }
