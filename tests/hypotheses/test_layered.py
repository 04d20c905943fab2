"""The layout of graphs: circles found, boxes apart, edges from box to box."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hypotheses.layered import BOX_HEIGHT, BOX_WIDTH, Layout, circles, lay_out

NAMES = "abcdefghij"
GRAPHS = st.lists(st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES)), max_size=25)


class TestCircles:
    def test_finds_what_leads_back_to_itself(self) -> None:
        assert circles("abcd", [("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")]) == [{"a", "b", "c"}]

    def test_finds_a_loop_and_two_that_wait_for_each_other(self) -> None:
        assert circles("abc", [("a", "a"), ("b", "c"), ("c", "b")]) == [{"a"}, {"b", "c"}]

    def test_finds_none_in_a_chain(self) -> None:
        assert circles("abc", [("a", "b"), ("b", "c"), ("a", "c")]) == []

    def test_walks_a_chain_longer_than_the_stack(self) -> None:
        names = list(range(5_000))

        assert circles(names, [*pairwise(names), (4_999, 0)]) == [set(names)]

    @given(GRAPHS)
    def test_agrees_with_walking_from_every_node(self, edges: list[tuple[str, str]]) -> None:
        reach = {name: _reach(name, edges) for name in NAMES}

        found = set().union(*circles(NAMES, edges))

        assert found == {name for name in NAMES if name in reach[name]}


def _reach(start: str, edges: list[tuple[str, str]]) -> set[str]:
    seen: set[str] = set()
    todo = [target for source, target in edges if source == start]
    while todo:
        name = todo.pop()
        if name not in seen:
            seen.add(name)
            todo += [target for source, target in edges if source == name]
    return seen


class TestLayOut:
    def test_puts_what_is_pointed_at_to_the_right(self) -> None:
        layout = lay_out(["a", "b", "c"], [("a", "b"), ("b", "c"), ("a", "c")])
        x = {box.name: box.x for box in layout.boxes}

        assert x["a"] < x["b"] < x["c"]
        assert {(edge.source, edge.target) for edge in layout.edges} == {("a", "b"), ("b", "c"), ("a", "c")}

    def test_draws_an_edge_that_closes_a_circle_in_its_own_direction(self) -> None:
        layout = lay_out(["a", "b"], [("a", "b"), ("b", "a")])
        back = next(edge for edge in layout.edges if edge.source == "b")
        b = next(box for box in layout.boxes if box.name == "b")

        assert back.path.startswith(f"M{b.x:g} ")

    def test_draws_nothing_of_nothing(self) -> None:
        layout = lay_out([], [])

        assert (layout.boxes, layout.edges) == ([], [])

    def test_leaves_loops_and_repeats_out(self) -> None:
        layout = lay_out(["a", "b"], [("a", "a"), ("a", "b"), ("a", "b")])

        assert len(layout.edges) == 1

    @given(GRAPHS)
    def test_keeps_boxes_apart_and_inside(self, edges: list[tuple[str, str]]) -> None:
        layout = lay_out(list(NAMES), edges)

        for index, one in enumerate(layout.boxes):
            assert 0 <= one.x <= layout.width - BOX_WIDTH
            assert 0 <= one.y <= layout.height - BOX_HEIGHT + 0.1
            for other in layout.boxes[index + 1 :]:
                apart = one.layer != other.layer or abs(one.y - other.y) >= BOX_HEIGHT
                assert apart

    @given(GRAPHS)
    def test_is_the_same_every_time(self, edges: list[tuple[str, str]]) -> None:
        assert lay_out(list(NAMES), edges) == lay_out(list(NAMES), edges)

    def test_lays_out_a_hundred_and_fifty_nodes(self) -> None:
        names = [f"n{number}" for number in range(150)]
        edges = [(names[number], names[number // 3]) for number in range(1, 150)]

        layout: Layout = lay_out(names, edges)

        assert len(layout.boxes) == 150
        assert layout.width == pytest.approx(max(box.x for box in layout.boxes) + BOX_WIDTH)
