"""The review checklist: what a reviewer checks, with evidence and done marks; its Markdown goes into a review."""

from dataclasses import dataclass

from pydantic import Field

from hypotheses.cites import Cite
from hypotheses.kinds.kind import ROWS_MAX, Asked, Body, Entry, Kind, Line, Note, Refs, Row, Shown
from hypotheses.markdown import plain


class Check(Row):
    """One thing to check."""

    check: Line
    done: bool = False
    note: Note = ""
    refs: Refs = Field(default_factory=list)


class ReviewChecklist(Body):
    """Things to check before something is approved."""

    rows: list[Check] = Field(default_factory=list, max_length=ROWS_MAX)


@dataclass(frozen=True, slots=True)
class CheckShown:
    number: int
    row: Check
    cites: list[Cite]


def show_checklist(body: ReviewChecklist, asked: Asked) -> Shown:
    """The checks in their order, with how many are done."""
    rows = [CheckShown(number, row, asked.cites(row.refs)) for number, row in enumerate(body.rows, 1)]
    tasks = "\n".join(checklist_markdown(body)[2:-1])
    return Shown(body=body, rows=rows, extra={"done": sum(row.done for row in body.rows), "tasks": tasks})


def checklist_markdown(body: ReviewChecklist) -> list[str]:
    """A task list, ready to be pasted into a review."""
    lines = ["## Review checklist", ""]
    for row in body.rows:
        note = f": {plain(row.note)}" if row.note else ""
        cites = f" ({', '.join(plain(ref) for ref in row.refs)})" if row.refs else ""
        lines.append(f"- [{'x' if row.done else ' '}] {plain(row.check)}{note}{cites}")
    return [*lines, ""]


REVIEW_CHECKLIST = Kind(
    name="review_checklist",
    says="what a reviewer checks, with evidence and done marks, ready to go into a review",
    body=ReviewChecklist,
    show=show_checklist,
    markdown=checklist_markdown,
    template="hypotheses/review_checklist.html",
    row=Check,
    entries=(
        Entry("check", "Check", "text", needed=True),
        Entry("done", "Done", "yes"),
        Entry("note", "Note", "text"),
        Entry("refs", "Cites", "refs"),
    ),
)
