"""The authority boundary map: what is authority, procedure or memory for this question, and where they disagree."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import Field

from evidence.models import Evidence
from hypotheses.bearings import Bearing, bearing_words, bearings_of
from hypotheses.cites import Cite
from hypotheses.kinds.kind import ROWS_MAX, Asked, Body, Entry, Kind, Note, Refs, Row, Shown
from hypotheses.markdown import listed, table
from hypotheses.models import Hypothesis
from shoebox.models import Shoebox

CLASSES = ("authority", "semi", "procedure", "memory", "unknown")
MEANS = {
    "authority": "what is built must follow it",
    "semi": "dated or unmerged: true of its moment",
    "procedure": "how Workers are told to act",
    "memory": "what was remembered; it points, and decides nothing",
    "unknown": "its class was not told",
}


class SourceRow(Row):
    """One source, its class, and what it says of the claims."""

    source: str = Field(min_length=1, max_length=2_100)
    title: Note = ""
    authority: Literal["authority", "semi", "procedure", "memory", "unknown"] = "unknown"
    bears: list[Bearing] = Field(default_factory=list, max_length=200)
    note: Note = ""
    refs: Refs = Field(default_factory=list)


class AuthorityMap(Body):
    """Sources by authority class."""

    rows: list[SourceRow] = Field(default_factory=list, max_length=ROWS_MAX)


@dataclass(frozen=True, slots=True)
class SourceShown:
    number: int
    row: SourceRow
    cites: list[Cite]


@dataclass(frozen=True, slots=True)
class ClassShown:
    name: str
    means: str
    rows: list[SourceShown]


def build_authority_map(shoebox: Shoebox, evidences: Sequence[Evidence]) -> AuthorityMap:
    """The sources that are quoted, by class; each says of a claim what its quotes say."""
    bearings = bearings_of(shoebox, evidences)
    by_source: dict[str, list[Evidence]] = defaultdict(list)
    for evidence in evidences:
        by_source[evidence.source].append(evidence)
    rows = [_row(source, found, bearings) for source, found in by_source.items()]
    rows.sort(key=lambda row: (CLASSES.index(row.authority), row.source))
    return AuthorityMap(rows=rows)


def _row(source: str, found: list[Evidence], bearings: dict[int, list[Bearing]]) -> SourceRow:
    said = [bearing for evidence in found for bearing in bearings.get(evidence.pk, [])]
    unlike = {(one.target, one.relation): one for one in said}
    classes: dict[str, Literal["authority", "semi", "procedure", "memory"]] = {
        "authority": "authority", "semi": "semi", "procedure": "procedure", "memory": "memory",
    }  # fmt: skip
    return SourceRow(
        source=source,
        title=next((one.title[:1_000] for one in found if one.title), ""),
        authority=classes.get(found[0].authority, "unknown"),
        bears=sorted(unlike.values(), key=lambda one: (one.name, one.relation)),
        refs=[str(one.ref) for one in found][:20],
    )


def disagreements(body: AuthorityMap, claims: dict[str, str]) -> list[str]:
    """Where classes stand on different sides of a claim, one sentence each."""
    sides: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for row in body.rows:
        for bearing in row.bears:
            if bearing.relation != "contextualizes":
                sides[bearing.name or "the question"][bearing.relation].add(row.authority)
    found = []
    for name in sorted(sides):
        supports, refutes = sides[name]["supports"], sides[name]["refutes"]
        if supports and refutes:
            about = f"{name} {claims[name].rstrip('.')}" if name in claims else name
            both = "sources of one class on both sides, " if supports == refutes else ""
            found.append(f"{about}: {both}{_classes(supports)} for it, {_classes(refutes)} against it.")
    return found


def _classes(names: set[str]) -> str:
    return " and ".join(sorted(names, key=CLASSES.index))


def show_authority_map(body: AuthorityMap, asked: Asked) -> Shown:
    """The classes from the strongest down, then where they disagree."""
    shown = [SourceShown(number, row, asked.cites(row.refs)) for number, row in enumerate(body.rows, 1)]
    classes = [
        ClassShown(name, MEANS[name], [one for one in shown if one.row.authority == name])
        for name in CLASSES
        if any(one.row.authority == name for one in shown)
    ]
    rivals = Hypothesis.objects.in_shoebox(asked.representation.shoebox)
    claims = {f"H{one.number}": one.claim for one in rivals}
    return Shown(body=body, rows=classes, extra={"disagreements": disagreements(body, claims)})


def authority_map_markdown(body: AuthorityMap) -> list[str]:
    """The sources as a table, then where the classes disagree."""
    rows = [
        (row.authority, row.source, row.title, bearing_words(row.bears), row.note, ", ".join(row.refs))
        for row in body.rows
    ]
    head = ("Class", "Source", "Title", "Bears on", "Note", "Cites")
    lines = ["## Authority boundary map", "", *table(head, rows), ""]
    return lines + listed("Where they disagree", disagreements(body, {}))


AUTHORITY_MAP = Kind(
    name="authority_map",
    says="what is authority, procedure or memory for the question, and where they disagree",
    body=AuthorityMap,
    build=build_authority_map,
    show=show_authority_map,
    markdown=authority_map_markdown,
    template="hypotheses/authority_map.html",
    row=SourceRow,
    entries=(
        Entry("source", "Source (a ref)", needed=True),
        Entry("title", "Title"),
        Entry("authority", "Class", "choice", CLASSES),
        Entry("note", "Note", "text"),
        Entry("refs", "Cites", "refs"),
    ),
)
