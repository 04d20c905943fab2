"""Weighing a draft before anything is written: read the cited source, find the words, or say why not.

No transaction is open here: reading a source may take a git process and seconds.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from evidence import gate
from evidence.elsewhere import found_elsewhere
from evidence.gate import Anchor, Refusal
from evidence.models import Evidence
from evidence.nearest import Near
from evidence.schemas import EvidenceDraft
from evidence.services.observing import observe
from shoebox.models import Shoebox
from yoimemory.access.reach import require_records
from yoimemory.errors import DomainError
from yoimemory.refs import OWN_KINDS, SourceRef, lines_fragment
from yoimemory.search.lookup import nearest_refs
from yoimemory.sources.models import Workspace
from yoimemory.sources.read import fragment_lines
from yoimemory.sources.reading import Document, Passage
from yoimemory.sources.recent import read_recent
from yoimemory.sources.trees import open_tree

TARGETS = ("hypothesis", "shoebox")


@dataclass(frozen=True, slots=True)
class Weighed:
    """A draft that may be stored: what was read, where its words stand, what it bears on."""

    draft: EvidenceDraft
    document: Document
    relations: tuple[tuple[str, str], ...]
    anchor: Anchor | None = None
    bytes_at: tuple[int, int] | None = None
    passage: Passage | None = None
    lines: tuple[int, int] | None = None
    observed: dict[str, Any] = field(default_factory=dict)


@dataclass(slots=True)
class Scales:
    """Weighs the drafts of one call; a source cited by several of them is read once."""

    shoebox: Shoebox
    _read: dict[SourceRef, Document] = field(default_factory=dict)

    def weigh(self, draft: EvidenceDraft) -> Weighed | Refusal:
        """What may be stored of a draft, or the refusal that says why not and what to do."""
        try:
            ref = SourceRef.parse(draft.ref)
            relations = relations_of(draft, self.shoebox)
        except DomainError as error:
            return Refusal("bad_input", error.message, hint=error.hint)
        document = self._document(ref)
        if isinstance(document, Refusal):
            return document
        if draft.kind != "quote":
            return self._weigh_words(draft, ref, document, relations)
        return self._weigh_quote(draft, ref, document, relations)

    def _document(self, ref: SourceRef) -> Document | Refusal:
        if ref.kind in OWN_KINDS:
            return Refusal(
                "unreadable_source",
                f"{ref} is a record of our own; only a source can be quoted.",
                hint="Quote the source that it rests on.",
            )
        whole = ref if ref.entries else ref.part("")  # of a long session log, the part that has the entry
        if whole not in self._read:
            try:
                self._read[whole] = read_recent(self.shoebox.workspace, whole, with_links=False)
            except DomainError as error:
                hint = error.hint or _nearest_hint(self.shoebox.workspace, ref)
                return Refusal("unreadable_source", error.message, hint=hint)
        return self._read[whole]

    def _weigh_words(
        self, draft: EvidenceDraft, ref: SourceRef, document: Document, relations: tuple[tuple[str, str], ...]
    ) -> Weighed | Refusal:
        if not draft.summary.strip():
            return Refusal("bad_input", f"A {draft.kind} needs its words in the field summary.")
        observed = observe(draft, document)
        if isinstance(observed, Refusal):
            return observed
        lines = fragment_lines(document, ref.fragment) if ref.fragment else None
        passage = passage_at(document, lines[0]) if lines else None
        return Weighed(draft, document, relations, passage=passage, lines=lines, observed=observed)

    def _weigh_quote(
        self, draft: EvidenceDraft, ref: SourceRef, document: Document, relations: tuple[tuple[str, str], ...]
    ) -> Weighed | Refusal:
        quote = draft.quote.strip()
        refused = gate.measure(quote)
        if refused:
            return refused
        starts = gate.line_starts(document.text)
        found = gate.locate(document.text, quote, near=_near(draft, ref, document, starts))
        if found is None:
            return self._missing(quote, document, starts)
        anchor = gate.anchor_at(document.text, found, starts)
        refused = gate.measure(anchor.quote) or _not_text(anchor)
        if refused:
            return refused
        if _recalled(document, anchor):
            return Refusal(
                "recalled",
                "These words were put there from memory; they repeat a source and are no evidence of their own.",
                hint="Quote the source that they were remembered from.",
            )
        passage = passage_at(document, anchor.start_line)
        return Weighed(draft, document, relations, anchor, self._bytes(document, anchor), passage)

    def _missing(self, quote: str, document: Document, starts: Sequence[int]) -> Refusal:
        """Tell apart the ways in which words can be missing from the cited source."""
        elsewhere = found_elsewhere(quote, shoebox=self.shoebox, but=document.ref)
        if elsewhere:
            return Refusal(
                "found_elsewhere",
                f"These words do not stand in {document.ref}; they stand in {elsewhere.ref}.",
                hint="Cite the source in which they stand.",
                nearest=elsewhere.text,
                nearest_ref=str(elsewhere.ref),
            )
        pieces, near = gate.missing(document.text, quote, starts=starts)
        if pieces:
            places = tuple(str(_place(document, piece)) for piece in pieces)
            lines = ", ".join(SourceRef.parse(place).fragment for place in places)
            return Refusal(
                "stitched",
                f"These words stand in {document.ref}, but not in one piece: they are put together from {lines}.",
                hint="Quote each piece as evidence of its own.",
                nearest="\n…\n".join(piece.text for piece in pieces),
                nearest_ref=places[0],
                places=places,
            )
        short = len(quote) < Evidence.EXACT_BELOW
        hint = f"A quote under {Evidence.EXACT_BELOW} characters must be exact. " if short else ""
        if near is None:
            return Refusal(
                "not_found",
                f"These words do not stand in {document.ref} as it was read, nor anything like them.",
                hint=hint + "Copy the words from the source.",
            )
        return Refusal(
            "not_found",
            f"These words do not stand in {document.ref} as it was read.",
            hint=hint + "The nearest text is shown; quote that if it is what you mean.",
            nearest=near.text,
            nearest_ref=str(_place(document, near)),
        )

    def _bytes(self, document: Document, anchor: Anchor) -> tuple[int, int] | None:
        """The byte range in the file, where the text is the file's bytes; a text put together has none."""
        if not document.path or document.lossy:
            return None
        if document.bytes_digest and document.bytes_digest == document.digest:  # proved without reading them again
            before = document.text[: anchor.start].encode()
            return len(before), len(before) + len(document.text[anchor.start : anchor.end].encode())
        revision = "" if document.uncommitted else document.revision
        try:
            with open_tree(self.shoebox.workspace, "" if ":" in revision else revision) as tree:
                raw = tree.read(document.path)
        except DomainError:  # gone or unreadable since; the quote was proved against the text
            return None
        return gate.byte_range(document.text, raw, anchor.start, anchor.end, encoding=document.encoding)


def relations_of(draft: EvidenceDraft, shoebox: Shoebox) -> tuple[tuple[str, str], ...]:
    """What the draft bears on, as (target, relation); a relation without target means the shoebox.

    Raises BadRef for a target that is no ref, BadTarget for one that nothing can bear on.
    """
    relations = {target_of(one.target, shoebox): one.relation for one in draft.relations}
    if draft.relation:
        relations[target_of(draft.target or str(shoebox.ref), shoebox)] = draft.relation
    return tuple((target, str(relation)) for target, relation in relations.items())


class BadTarget(DomainError):
    """Evidence bears on a hypothesis or on the question of its own shoebox."""

    status = 422


def target_of(text: str, shoebox: Shoebox) -> str:
    """The target of a relation in its one spelling. Raises BadRef, BadTarget, or NoSuchRecord for what is not here."""
    target = SourceRef.parse(text).bare
    if target.kind not in TARGETS or (target.kind == "shoebox" and target != shoebox.ref):
        raise BadTarget(
            f"Evidence cannot bear on {target}.",
            hint=f"Name a hypothesis, or {shoebox.ref}, the shoebox that the evidence belongs to.",
            fields={"target": "not a hypothesis or this shoebox"},
        )
    require_records(shoebox.workspace, target)
    return str(target)


def passage_at(document: Document, line: int) -> Passage | None:
    """The smallest passage that holds this line."""
    holding = [passage for passage in document.passages if passage.start_line <= line <= passage.end_line]
    return min(holding, key=lambda passage: passage.end_line - passage.start_line, default=None)


def _near(draft: EvidenceDraft, ref: SourceRef, document: Document, starts: Sequence[int]) -> int | None:
    """Where in the text the caller looked: the offset or line and column that were sent, else the cited part."""
    if draft.offset is not None:
        return draft.offset
    if draft.line:
        return gate.offset_of(starts, draft.line, draft.column)
    cited = fragment_lines(document, ref.fragment) if ref.fragment else None
    return gate.offset_of(starts, cited[0]) if cited else None


def _recalled(document: Document, anchor: Anchor) -> bool:
    """Whether the words were put into a conversation from memory. A memory record itself may be quoted, as recalled."""
    return document.authority != "memory" and any(
        passage.speaker == "memory"
        and passage.start_line <= anchor.start_line
        and anchor.end_line <= passage.end_line
        and anchor.quote in passage.text
        for passage in document.passages
    )


def _not_text(anchor: Anchor) -> Refusal | None:
    if any("\ud800" <= char <= "\udfff" for char in anchor.quote):
        return Refusal(
            "unreadable_source",
            "This part of the source is not text: bytes in it could not be decoded.",
            hint="Quote the lines around it, or mend the file's encoding.",
        )
    return None


def _place(document: Document, near: Near) -> SourceRef:
    return document.ref.at(document.revision).part(lines_fragment(near.first_line, near.last_line))


def _nearest_hint(workspace: Workspace, ref: SourceRef) -> str:
    names = nearest_refs(workspace, str(ref.bare))
    return f"Nearest: {', '.join(names)}." if names else "Search for the source to find its ref."
