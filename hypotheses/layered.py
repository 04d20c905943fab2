"""A graph in layers from left to right: cycles found, layers and orders chosen, places computed. Pure.

Edges that close a circle are turned for the layout only. Long edges pass through stops of their
own, so that they run between the boxes. Each layer is put in order by where its neighbours stand.
"""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeVar

BOX_WIDTH, BOX_HEIGHT = 184.0, 56.0
GAP_X, GAP_Y, STOP = 112.0, 16.0, 24.0
SWEEPS = 8
NATURAL = 1_076.0
"""A small graph is not blown up beyond the size of its letters."""

Name = TypeVar("Name", bound=Hashable)
Stop = tuple[str, int]
"""A node by its name and 0, or the stop of an edge in one layer."""


@dataclass(frozen=True, slots=True)
class Placed:
    """Where a box stands: its left upper corner."""

    name: str
    layer: int
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Drawn:
    """The path of an edge, from box to box."""

    source: str
    target: str
    path: str
    label_x: float
    label_y: float


@dataclass(frozen=True, slots=True)
class Layout:
    """Every box and every edge, and how much room they take."""

    width: float
    height: float
    boxes: list[Placed]
    edges: list[Drawn]

    @property
    def view_box(self) -> str:
        """Everything with a little air, so that no stroke is cut."""
        return f"-2 -14 {max(self.width, NATURAL) + 4:g} {self.height + 18:g}"


def circles(nodes: Iterable[Name], edges: Iterable[tuple[Name, Name]]) -> list[set[Name]]:
    """The sets of nodes that lead back to themselves (strongly connected, more than one, or a loop)."""
    after: dict[Name, list[Name]] = defaultdict(list)
    loops = set()
    for source, target in edges:
        after[source].append(target)
        if source == target:
            loops.add(source)
    index: dict[Name, int] = {}
    low: dict[Name, int] = {}
    stack: list[Name] = []
    found: list[set[Name]] = []
    for root in nodes:
        if root not in index:
            _connect(root, after, index, low, stack, found)
    return [group for group in found if len(group) > 1 or group & loops]


def _connect(
    root: Name,
    after: dict[Name, list[Name]],
    index: dict[Name, int],
    low: dict[Name, int],
    stack: list[Name],
    found: list[set[Name]],
) -> None:
    """Tarjan's walk from one root, without recursion: a chain may be longer than Python's stack."""
    on_stack, work = set(stack), [(root, iter(after[root]))]
    index[root] = low[root] = len(index)
    stack.append(root)
    on_stack.add(root)
    while work:
        node, children = work[-1]
        child = next((one for one in children if one not in index or one in on_stack), None)
        if child is None:
            work.pop()
            if work:
                low[work[-1][0]] = min(low[work[-1][0]], low[node])
            if low[node] == index[node]:
                at = stack.index(node)
                group, stack[at:] = set(stack[at:]), []
                on_stack -= group
                found.append(group)
        elif child in index:
            low[node] = min(low[node], index[child])
        else:
            index[child] = low[child] = len(index)
            stack.append(child)
            on_stack.add(child)
            work.append((child, iter(after[child])))


def lay_out(nodes: Sequence[str], edges: Sequence[tuple[str, str]]) -> Layout:
    """Places for these nodes and edges. Loops and repeated edges are drawn once or not at all."""
    forward = _acyclic(nodes, dict.fromkeys((source, target) for source, target in edges if source != target))
    layers = _layers(nodes, forward.values())
    order, chains = _with_stops(nodes, forward, layers)
    _untangle(order, chains.values())
    places = _places(order)
    height = max((y + _height(stop) for stop, (_, y) in places.items()), default=0.0)
    boxes = [Placed(name, layers[name], *places[name, 0]) for name in nodes]
    drawn = [_drawn(edge, chain, places) for edge, chain in chains.items()]
    return Layout(width=len(order) * (BOX_WIDTH + GAP_X) - GAP_X, height=height, boxes=boxes, edges=drawn)


def _acyclic(nodes: Sequence[str], edges: Iterable[tuple[str, str]]) -> dict[tuple[str, str], tuple[str, str]]:
    """Each edge as it is laid out: turned where it would close a circle."""
    after: dict[str, list[str]] = defaultdict(list)
    for source, target in edges:
        after[source].append(target)
    done: set[str] = set()
    turned: dict[tuple[str, str], tuple[str, str]] = {}
    for root in nodes:
        if root in done:
            continue
        path, work = {root}, [(root, iter(after[root]))]
        while work:
            node, children = work[-1]
            child = next(children, None)
            if child is None:
                path.discard(node)
                done.add(node)
                work.pop()
            elif child in path:
                turned[node, child] = (child, node)
            else:
                turned[node, child] = (node, child)
                if child not in done:
                    path.add(child)
                    work.append((child, iter(after[child])))
    return turned


def _layers(nodes: Sequence[str], edges: Iterable[tuple[str, str]]) -> dict[str, int]:
    """The layer of each node: one after the last of those that point at it."""
    before: dict[str, list[str]] = defaultdict(list)
    after: dict[str, list[str]] = defaultdict(list)
    for source, target in set(edges):
        before[target].append(source)
        after[source].append(target)
    waiting = {node: len(before[node]) for node in nodes}
    ready = [node for node in nodes if not waiting[node]]
    layers = dict.fromkeys(nodes, 0)
    while ready:
        node = ready.pop(0)
        for target in sorted(after[node]):
            layers[target] = max(layers[target], layers[node] + 1)
            waiting[target] -= 1
            if not waiting[target]:
                ready.append(target)
    return layers


def _with_stops(
    nodes: Sequence[str], forward: dict[tuple[str, str], tuple[str, str]], layers: dict[str, int]
) -> tuple[list[list[Stop]], dict[tuple[str, str], list[Stop]]]:
    """The layers with stops for long edges, and each edge as the chain of what it passes."""
    order: list[list[Stop]] = [[] for _ in range(max(layers.values(), default=-1) + 1)]
    for node in nodes:
        order[layers[node]].append((node, 0))
    chains = {}
    for number, (edge, (source, target)) in enumerate(forward.items(), 1):
        chain: list[Stop] = [(source, 0)]
        for layer in range(layers[source] + 1, layers[target]):
            stop = (f"\0{layer}", number)
            order[layer].append(stop)
            chain.append(stop)
        chains[edge] = [*chain, (target, 0)]
    return order, chains


def _untangle(order: list[list[Stop]], chains: Iterable[list[Stop]]) -> None:
    """Put each layer in the order of the middle of its neighbours, forth and back a few times."""
    left: dict[Stop, list[Stop]] = defaultdict(list)
    right: dict[Stop, list[Stop]] = defaultdict(list)
    for chain in chains:
        for one, other in pairwise(chain):
            right[one].append(other)
            left[other].append(one)
    for sweep in range(SWEEPS):
        forth = sweep % 2 == 0
        neighbours = left if forth else right
        for layer in order[1:] if forth else reversed(order[:-1]):
            place = {stop: index for other in order for index, stop in enumerate(other)}
            layer.sort(key=lambda stop: _middle(stop, neighbours[stop], place))


def _middle(stop: Stop, neighbours: list[Stop], place: dict[Stop, int]) -> float:
    return sum(place[one] for one in neighbours) / len(neighbours) if neighbours else float(place[stop])


def _height(stop: Stop) -> float:
    return BOX_HEIGHT if stop[1] == 0 else STOP


def _places(order: list[list[Stop]]) -> dict[Stop, tuple[float, float]]:
    """Left upper corners; every layer is centred against the tallest."""
    heights = [sum(_height(stop) + GAP_Y for stop in layer) - GAP_Y for layer in order]
    tallest = max(heights, default=0.0)
    places = {}
    for number, layer in enumerate(order):
        y = (tallest - heights[number]) / 2
        for stop in layer:
            places[stop] = (number * (BOX_WIDTH + GAP_X), round(y, 1))
            y += _height(stop) + GAP_Y
    return places


def _drawn(edge: tuple[str, str], chain: list[Stop], places: dict[Stop, tuple[float, float]]) -> Drawn:
    """The curve of an edge through its stops, from the named source to the named target."""
    points: list[tuple[float, float]] = []
    for stop in chain:
        x, y = places[stop]
        middle = y + _height(stop) / 2
        points += [(x, middle), (x + BOX_WIDTH, middle)]
    points = points[1:-1]
    if chain[0][0] != edge[0]:
        points.reverse()
    (x, y), rest = points[0], points[1:]
    parts = [f"M{x:g} {y:g}"]
    for index, (to_x, to_y) in enumerate(rest):
        if index % 2:
            parts.append(f"L{to_x:g} {to_y:g}")
        else:
            bend = (x + to_x) / 2
            parts.append(f"C{bend:g} {y:g} {bend:g} {to_y:g} {to_x:g} {to_y:g}")
        x, y = to_x, to_y
    (x1, y1), (x2, y2) = points[0], points[1]
    return Drawn(edge[0], edge[1], "".join(parts), round((x1 + x2) / 2, 1), round((y1 + y2) / 2 - 7, 1))
