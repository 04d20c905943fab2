"""Who wrote it: the commits that left the lines which bear on the question as they stand.

A maintained text says what holds, not since when. The commit behind its lines says when and why
they were written, and often is the only trace of a decision that no ticket records.
"""

from collections.abc import Iterable, Iterator

from django.db.models import Count, Q

from shoebox.fitting import Candidate
from shoebox.material import moment_of
from shoebox.models import Item
from shoebox.subject import Subject
from yoimemory.errors import DomainError
from yoimemory.refs import SourceRef
from yoimemory.search.models import Document
from yoimemory.sources.lineage import line_ages

DOCS_MAX = 6
"""Docs whose lines are followed; each costs one run of git through the history of its file."""

BULK = 200
"""A commit that touches more paths than this brought the lines in; it does not say who decided them."""


def writers_of(subject: Subject, searched: Iterable[Candidate]) -> Iterator[Candidate]:
    """For the first docs that a search found: the commit that wrote the line which it found there."""
    if not subject.workspace.has_git:
        return
    wrote: dict[str, SourceRef] = {}
    for ref in _lines_found(searched):
        commit = _writer(subject, ref)
        if commit:
            wrote.setdefault(f"commit:{commit}", ref)
    rows = Document.objects.filter(workspace=subject.workspace.public_id, ref__in=list(wrote))
    touched = Count("links", filter=Q(links__kind="touches"))
    documents = {row.ref: row for row in rows.annotate(touched=touched)}
    for name, ref in wrote.items():
        document = documents.get(name)
        if document is not None and document.touched <= BULK and not document.facts.get("merge"):
            when = f", {moment_of(document.at, subject.as_of)}" if document.at else ""
            why = f"Wrote line {_line(ref)} of {ref.locator} as it stands{when}: {document.title}"
            yield Candidate(subject.found(document, rationale=why, came=Item.Came.LINKED), "writers")


def _lines_found(searched: Iterable[Candidate]) -> list[SourceRef]:
    """The committed lines of docs among what was found, the first ones of each doc."""
    found: dict[str, SourceRef] = {}
    for ref in (candidate.found.ref for candidate in searched):
        if ref.kind == "doc" and ref.lines and ":" not in ref.revision:
            found.setdefault(str(ref.bare), ref)
    return list(found.values())[:DOCS_MAX]


def _writer(subject: Subject, ref: SourceRef) -> str:
    """Whose the first line is, from which the others were shown.

    Nobody's where git cannot tell, or where it was written after the instant of the question.
    """
    span = (_line(ref), _line(ref))
    try:
        ages = line_ages(subject.workspace, ref.locator, revision=ref.revision or "HEAD", spans=[span])
    except DomainError:
        return ""
    known = [age for age in ages if not age.cut and not (subject.as_of and age.at and age.at > subject.as_of)]
    return known[0].commit if known else ""


def _line(ref: SourceRef) -> int:
    return ref.lines[0] if ref.lines else 1
