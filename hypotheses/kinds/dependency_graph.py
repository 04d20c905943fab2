"""The dependency graph: tickets, objectives, commits and docs with their typed links, cycles and blockers marked.

States are those of the as-of: they are derived from thread events, because an item file says
only how things ended. An edge is never taken away; whether it blocks is derived.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from pydantic import AwareDatetime, Field

from evidence.models import Evidence
from hypotheses.chart import fitted
from hypotheses.cites import Cite, short
from hypotheses.kinds.kind import REFS_MAX, ROWS_MAX, Asked, Body, Entry, Kind, Note, Refs, Row, Shown
from hypotheses.layered import Drawn, Layout, Placed, circles, lay_out
from hypotheses.markdown import table
from shoebox.models import Shoebox
from yoimemory.refs import SourceRef
from yoimemory.search.lookup import find_documents
from yoimemory.search.models import Document, Link
from yoimemory.search.waiting import ENDED, WAITING
from yoimemory.sources.readers.tickets import ticket_state
from yoimemory.sources.reading import Document as Read

NODES_MAX = 150
LABELS_MAX = 40
"""With more edges than this the word *related* is left to the legend, so that what makes wait can be read."""
LABEL_WIDTH, LABEL_HEIGHT = 70.0, 12.0
KINDS = ("depends_on", "blocks", "supersedes", "replaced_by", "duplicate_of", "parent", "related", "touches", "cites")


class Edge(Row):
    """One typed link. `source` depends on, blocks, touches, … `target`."""

    source: str = Field(min_length=3, max_length=2_100)
    kind: Literal[
        "depends_on", "blocks", "supersedes", "replaced_by", "duplicate_of", "parent", "related", "touches", "cites"
    ]
    target: str = Field(min_length=3, max_length=2_100)
    note: Note = ""
    blocking: bool = False
    circle: bool = False
    refs: Refs = Field(default_factory=list)


class Node(Row):
    """One source of the graph, with its state as of the instant."""

    ref: str = Field(min_length=3, max_length=2_100)
    label: str = Field(max_length=400)
    state: str = Field("", max_length=40)
    blocked: bool = False
    circle: bool = False
    cites: list[str] = Field(default_factory=list, max_length=REFS_MAX)


class DependencyGraph(Body):
    """Sources and the links between them, as of an instant."""

    as_of: AwareDatetime | None = None
    nodes: list[Node] = Field(default_factory=list, max_length=ROWS_MAX)
    edges: list[Edge] = Field(default_factory=list, max_length=ROWS_MAX)
    left_out: int = Field(0, ge=0, description="Sources beyond the limit of the picture.")


@dataclass(frozen=True, slots=True)
class Box:
    """A node in the picture: three lines of text in a box whose class tells its state."""

    node: Node
    place: Placed
    css: str
    title: str
    under: str

    @property
    def name(self) -> str:
        """The title, as far as it fits into the box."""
        return fitted(self.node.label, 25)

    @property
    def id(self) -> str:
        return fitted(self.place.name.partition(":")[2], 24)

    @property
    def text_x(self) -> float:
        return self.place.x + 10

    @property
    def lines_y(self) -> tuple[float, float, float]:
        return self.place.y + 18, self.place.y + 34, self.place.y + 49


@dataclass(frozen=True, slots=True)
class Arrow:
    """An edge in the picture. Its word is left out where another one stands, or where the legend says it."""

    edge: Edge
    drawn: Drawn
    css: str
    label: str

    @property
    def title(self) -> str:
        return f"{short(self.edge.source)} {self.edge.kind} {short(self.edge.target)}"


@dataclass(frozen=True, slots=True)
class EdgeShown:
    number: int
    row: Edge
    source: str
    target: str
    cites: list[Cite]


def build_dependency_graph(shoebox: Shoebox, evidences: Sequence[Evidence]) -> DependencyGraph:
    """The sources of the evidence, the items and the task, what these wait for, and the links among them."""
    quoted: dict[str, list[str]] = defaultdict(list)
    for evidence in evidences:
        quoted[evidence.source].append(str(evidence.ref))
    items = shoebox.items.shown().order_by("position", "pk").values_list("source", flat=True)
    seeds = [*([str(SourceRef.parse(shoebox.task).source)] if shoebox.task else []), *quoted, *items]
    links = _links(shoebox, list(dict.fromkeys(seeds)))
    waited = [one.target_source for one in links if one.kind in WAITING]
    names = list(dict.fromkeys([*seeds, *waited]))
    kept = names[:NODES_MAX]
    states, titles = _states(shoebox, kept)
    edges = _edges(links, set(kept))
    return _graph(shoebox.as_of, kept, edges, states, titles, quoted, left_out=len(names) - len(kept))


def _graph(
    as_of: datetime | None,
    names: list[str],
    edges: list[Edge],
    states: dict[str, str],
    titles: dict[str, str],
    quoted: dict[str, list[str]],
    *,
    left_out: int,
) -> DependencyGraph:
    """Mark what blocks and what leads back to itself."""
    marked = [edge.model_copy(update={"blocking": _blocks(edge, states)}) for edge in edges]
    waits = [pair for edge in marked if (pair := _waits(edge))]
    round_trips = circles(names, waits)
    inside = set().union(*round_trips) if round_trips else set()
    marked = [
        edge.model_copy(update={"circle": any({edge.source, edge.target} <= group for group in round_trips)})
        if edge.kind in WAITING
        else edge
        for edge in marked
    ]
    blocked = {_waits(edge)[0] for edge in marked if edge.blocking}  # type: ignore[index]  # what blocks also waits
    nodes = [
        Node(
            ref=name,
            label=titles.get(name, "")[:400] or short(name),
            state=states.get(name, ""),
            blocked=name in blocked,
            circle=name in inside,
            cites=quoted.get(name, [])[:REFS_MAX],
        )
        for name in names
    ]
    return DependencyGraph(as_of=as_of, nodes=nodes, edges=marked, left_out=left_out)


def _waits(edge: Edge) -> tuple[str, str] | None:
    """Who waits for whom, whichever way the link is written."""
    if edge.kind == "depends_on":
        return edge.source, edge.target
    return (edge.target, edge.source) if edge.kind == "blocks" else None


def _blocks(edge: Edge, states: dict[str, str]) -> bool:
    """Whether the one waited for has not ended; of an unknown state nothing is claimed."""
    pair = _waits(edge)
    state = states.get(pair[1], "") if pair else ""
    return bool(state) and state not in ENDED


def _links(shoebox: Shoebox, sources: list[str]) -> list[Link]:
    """The typed links of these sources, as of the shoebox's instant; an undated link has always been there."""
    links = Link.objects.filter(
        document__workspace=shoebox.workspace.public_id, document__source__in=sources, kind__in=KINDS
    ).select_related("document")
    return [link for link in links.order_by("pk") if not (shoebox.as_of and link.at and link.at > shoebox.as_of)]


def _edges(links: Iterable[Link], names: set[str]) -> list[Edge]:
    """One edge per pair and kind, both ends in the picture."""
    found: dict[tuple[str, str, str], Edge] = {}
    for link in links:
        source, target = link.document.source, link.target_source
        if source == target or target not in names or source not in names:
            continue
        place = SourceRef.parse(link.document.ref)
        ref = str(place.part(link.where)) if link.where else str(place)
        edge = Edge.model_validate(
            {"source": source, "kind": link.kind, "target": target, "note": link.note[:1_000], "refs": [ref]}
        )
        found.setdefault((source, link.kind, target), edge)
    return list(found.values())


def _states(shoebox: Shoebox, sources: list[str]) -> tuple[dict[str, str], dict[str, str]]:
    """The state of each source as of the instant, and its title."""
    states: dict[str, str] = {}
    titles: dict[str, str] = {}
    documents = find_documents(shoebox.workspace, sources)
    for document in documents:
        if document.ref == document.source:
            titles[document.source] = document.title
            states.setdefault(document.source, document.state)
    for document in documents:
        if document.ref == f"{document.source}/thread" and document.kind == "ticket":
            states[document.source] = ticket_state(_read(document), shoebox.as_of) or states.get(document.source, "")
    return {source: state for source, state in states.items() if state}, titles


def _read(document: Document) -> Read:
    """The index row as the reader's function takes it: its events are among the facts."""
    return Read(
        ref=SourceRef.parse(document.ref), title=document.title, text="", authority=document.authority,
        facts=document.facts,
    )  # fmt: skip


def show_dependency_graph(body: DependencyGraph, asked: Asked) -> Shown:
    """The picture of what is linked, the edges as rows, and what stands alone."""
    linked = {name for edge in body.edges for name in (edge.source, edge.target)}
    nodes = {node.ref: node for node in body.nodes}
    drawn_nodes = [name for name in [*nodes, *sorted(linked - set(nodes))] if name in linked]
    layout = lay_out(drawn_nodes, [(edge.source, edge.target) for edge in body.edges])
    labels = {name: nodes[name].label if name in nodes else short(name) for name in drawn_nodes}
    rows = [
        EdgeShown(number, edge, labels[edge.source], labels[edge.target], asked.cites(edge.refs))
        for number, edge in enumerate(body.edges, 1)
    ]
    return Shown(
        body=body,
        rows=rows,
        extra={
            "layout": layout,
            "boxes": _boxes(layout, nodes),
            "arrows": _arrows(layout, body.edges),
            "crowded": len(layout.edges) > LABELS_MAX,
            "wide": min(4, 1 + int(layout.width // 1_100)),
            "alone": [(node, asked.cites(node.cites)) for node in body.nodes if node.ref not in linked],
            "circles": [node for node in body.nodes if node.circle],
            "blocked": [node for node in body.nodes if node.blocked],
        },
    )


def _boxes(layout: Layout, nodes: dict[str, Node]) -> list[Box]:
    boxes = []
    for place in layout.boxes:
        node = nodes.get(place.name) or Node(ref=place.name, label=short(place.name))
        said = [node.state, "blocked" if node.blocked else "", "in a circle" if node.circle else ""]
        under = ", ".join(word for word in said if word)
        css = "b-x" if node.state in ENDED else "b-q" if node.blocked or node.circle else "b-i" if node.state else "b-p"
        boxes.append(Box(node, place, css, f"{node.label} ({place.name}) {under}".strip(), under))
    return boxes


def _arrows(layout: Layout, edges: Sequence[Edge]) -> list[Arrow]:
    """The edges with their words; in a large picture those that only point go without one."""
    by_pair = {(edge.source, edge.target): edge for edge in reversed(edges)}
    crowded = len(layout.edges) > LABELS_MAX
    arrows: list[Arrow] = []
    written: list[Drawn] = []
    for drawn in sorted(layout.edges, key=lambda drawn: by_pair[drawn.source, drawn.target].kind not in WAITING):
        edge = by_pair[drawn.source, drawn.target]
        covered = any(
            abs(drawn.label_x - other.label_x) < LABEL_WIDTH and abs(drawn.label_y - other.label_y) < LABEL_HEIGHT
            for other in written
        )
        label = "" if covered or (crowded and edge.kind == "related") else edge.kind
        if label:
            written.append(drawn)
        css = "g-asof" if edge.circle else "g-ink" if edge.kind in WAITING else "g-dash"
        arrows.append(Arrow(edge, drawn, css, label))
    return arrows


def dependency_graph_markdown(body: DependencyGraph) -> list[str]:
    """The nodes with their states, then the edges."""
    as_of = f"States as of {body.as_of:%Y-%m-%d %H:%M:%S} UTC, derived from events." if body.as_of else ""
    nodes = [
        (
            node.ref,
            node.label,
            node.state or "unknown",
            ", ".join(word for word, true in (("blocked", node.blocked), ("in a circle", node.circle)) if true),
            ", ".join(node.cites),
        )
        for node in body.nodes
    ]
    edges = [
        (
            edge.source,
            edge.kind,
            edge.target,
            ", ".join(word for word, true in (("blocking", edge.blocking), ("closes a circle", edge.circle)) if true),
            edge.note,
            ", ".join(edge.refs),
        )
        for edge in body.edges
    ]
    lines = ["## Dependency graph", "", *([as_of, ""] if as_of else [])]
    lines += [*table(("Source", "Title", "State", "Marks", "Cites"), nodes), ""]
    lines += ["## Edges", "", *table(("From", "Kind", "To", "Marks", "Note", "Where"), edges), ""]
    return lines + ([f"{body.left_out} more sources are not shown.", ""] if body.left_out else [])


DEPENDENCY_GRAPH = Kind(
    name="dependency_graph",
    says="tickets, objectives, commits and docs with their links; what blocks and what leads back to itself",
    body=DependencyGraph,
    build=build_dependency_graph,
    show=show_dependency_graph,
    markdown=dependency_graph_markdown,
    template="hypotheses/dependency_graph.html",
    row=Edge,
    rows="edges",
    entries=(
        Entry("source", "From (a ref)", needed=True),
        Entry("kind", "Kind", "choice", KINDS),
        Entry("target", "To (a ref)", needed=True),
        Entry("note", "Note", "text"),
        Entry("blocking", "Blocks", "yes"),
        Entry("refs", "Cites", "refs"),
    ),
)
