"""The subsystem map: paths and components that the evidence is about, with how much speaks for and against in each."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import Field

from evidence.models import Evidence
from hypotheses.bearings import Bearing, bearings_of
from hypotheses.cites import Cite
from hypotheses.kinds.kind import ROWS_MAX, Asked, Body, Entry, Kind, Line, Note, Refs, Row, Shown
from hypotheses.markdown import table
from shoebox.models import Shoebox
from yoimemory.refs import SourceRef
from yoimemory.search.models import Link

DEPTH = 2
"""A component is the first so many steps of a path, such as `crates/ticket`."""
PATHS_MAX = 12
ELSEWHERE = "no path"


class Component(Row):
    """One part of the workspace."""

    component: Line
    paths: list[str] = Field(default_factory=list, max_length=50)
    supports: int = Field(0, ge=0)
    refutes: int = Field(0, ge=0)
    contextualizes: int = Field(0, ge=0)
    note: Note = ""
    refs: Refs = Field(default_factory=list)


class SubsystemMap(Body):
    """The parts that the evidence is about."""

    rows: list[Component] = Field(default_factory=list, max_length=ROWS_MAX)


@dataclass(frozen=True, slots=True)
class ComponentShown:
    number: int
    row: Component
    cites: list[Cite]
    bar: list[tuple[str, float, float]]
    """Class, x and width of what refutes, supports and is context, on a length of 160."""


def build_subsystem_map(shoebox: Shoebox, evidences: Sequence[Evidence]) -> SubsystemMap:
    """Components by the paths that the evidence stands in, or that its commit or ticket touches or names."""
    bearings, paths = bearings_of(shoebox, evidences), _paths_of(shoebox, evidences)
    parts: dict[str, list[Evidence]] = defaultdict(list)
    inside: dict[str, Counter[str]] = defaultdict(Counter)
    for evidence in evidences:
        for path in paths.get(evidence.pk) or [""]:
            component = component_of(path)
            if evidence not in parts[component]:
                parts[component].append(evidence)
            inside[component].update([path] if path else [])
    rows = [_row(name, found, inside[name], bearings) for name, found in parts.items()]
    rows.sort(key=lambda row: (row.component == ELSEWHERE, -_weight(row), row.component))
    return SubsystemMap(rows=rows)


def component_of(path: str) -> str:
    """The component of a path: its first steps, or its only one."""
    steps = path.split("/")[:-1][:DEPTH]
    return "/".join(steps) if steps else ("top level" if path else ELSEWHERE)


def _paths_of(shoebox: Shoebox, evidences: Sequence[Evidence]) -> dict[int, list[str]]:
    """The paths of each piece of evidence: its own, else those that its source touches or names."""
    own = {one.pk: _own_path(SourceRef.parse(one.place)) for one in evidences}
    sources = {one.source for one in evidences if not own[one.pk]}
    links = Link.objects.filter(
        document__workspace=shoebox.workspace.public_id,
        document__source__in=sources,
        kind__in=["touches", "mentions", "cites"],
    ).values_list("document__source", "target")
    linked: dict[str, list[str]] = defaultdict(list)
    for source, target in links.order_by("pk"):
        path = _own_path(SourceRef.parse(target))
        if path and path not in linked[source]:
            linked[source].append(path)
    return {one.pk: [own[one.pk]] if own[one.pk] else linked.get(one.source, []) for one in evidences}


def _own_path(ref: SourceRef) -> str:
    if ref.kind in {"doc", "code"}:
        return ref.locator
    return ref.locator.partition("/")[2] if ref.kind == "diff" else ""


def _row(name: str, found: list[Evidence], paths: Counter[str], bearings: dict[int, list[Bearing]]) -> Component:
    said = Counter(relation for one in found for relation in {each.relation for each in bearings.get(one.pk, [])})
    return Component(
        component=name,
        paths=[path for path, _ in sorted(paths.items(), key=lambda item: (-item[1], item[0]))][:PATHS_MAX],
        supports=said["supports"],
        refutes=said["refutes"],
        contextualizes=said["contextualizes"],
        refs=[str(one.ref) for one in found][:20],
    )


def _weight(row: Component) -> int:
    return row.supports + row.refutes + row.contextualizes


def show_subsystem_map(body: SubsystemMap, asked: Asked) -> Shown:
    """Each component with bars for what speaks against and for in it."""
    heaviest = max((_weight(row) for row in body.rows), default=0) or 1
    rows = [
        ComponentShown(number, row, asked.cites(row.refs), _bar(row, heaviest))
        for number, row in enumerate(body.rows, 1)
    ]
    return Shown(body=body, rows=rows)


def _bar(row: Component, heaviest: int) -> list[tuple[str, float, float]]:
    x, bar = 0.0, []
    for css, count in (("g-r", row.refutes), ("g-s", row.supports), ("b-exp", row.contextualizes)):
        width = round(160 * count / heaviest, 1)
        if width:
            bar.append((css, x, width))
            x = round(x + width, 1)
    return bar


def subsystem_map_markdown(body: SubsystemMap) -> list[str]:
    """The components as a table."""
    rows = [
        (
            row.component,
            str(row.refutes),
            str(row.supports),
            str(row.contextualizes),
            ", ".join(row.paths),
            row.note,
            ", ".join(row.refs),
        )
        for row in body.rows
    ]
    head = ("Component", "Refutes", "Supports", "Context", "Paths", "Note", "Cites")
    return ["## Subsystem map", "", *table(head, rows), ""]


SUBSYSTEM_MAP = Kind(
    name="subsystem_map",
    says="the paths and components that the evidence is about, and how much speaks for and against in each",
    body=SubsystemMap,
    build=build_subsystem_map,
    show=show_subsystem_map,
    markdown=subsystem_map_markdown,
    template="hypotheses/subsystem_map.html",
    row=Component,
    entries=(
        Entry("component", "Component", needed=True),
        Entry("paths", "Paths", "refs"),
        Entry("note", "Note", "text"),
        Entry("refs", "Cites", "refs"),
    ),
)
