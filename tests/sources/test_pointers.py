"""JSON with its places: pointers lead to lines, values stand as written, what is no JSON is told by its line."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yoimemory.sources.pointers import NotJson, lay_out, node_at, passages_of_json, read_nodes

WORKER = """{
  "name": "worker-7",
  "state": {
    "phase": "running",
    "a/b": 1.10,
    "m~n": [1, 2]
  },
  "empty": {}
}"""

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


class TestReadNodes:
    @pytest.mark.parametrize(
        ("pointer", "lines"),
        [("/name", (2, 2)), ("/state", (3, 7)), ("/state/phase", (4, 4)), ("/state/a~1b", (5, 5)), ("/empty", (8, 8))],
    )
    def test_leads_a_pointer_to_its_lines(self, pointer: str, lines: tuple[int, int]) -> None:
        node = node_at(read_nodes(WORKER), pointer)

        assert node is not None
        assert (node.first, node.last) == lines

    def test_knows_members_of_a_list_by_their_number(self) -> None:
        node = node_at(read_nodes(WORKER), "/state/m~0n/1")

        assert node is not None
        assert WORKER[node.start : node.end] == "2"

    def test_has_nothing_for_a_pointer_that_leads_nowhere(self) -> None:
        assert node_at(read_nodes(WORKER), "/state/none") is None

    @pytest.mark.parametrize(
        ("text", "line"),
        [
            ("", 1), ("{", 1), ('{"a": 1,\n}', 2), ('{"a": NaN}', 1), ('{"a": 1}\n{"b": 2}', 2), ("[1\n,\n]", 3),
            ('{"a": 1,\n "a": 2}', 2), ('"abc', 1), ("[" * 200, 1), ("{'a': 1}", 1), ('{"a" 1}', 1),
        ],
    )  # fmt: skip
    def test_refuses_what_is_no_json_and_says_where(self, text: str, line: int) -> None:
        with pytest.raises(NotJson) as refused:
            read_nodes(text)

        assert refused.value.line == line

    @given(VALUES)
    def test_reads_whatever_json_holds(self, value: object) -> None:
        text = json.dumps(value)

        assert json.loads(lay_out(text)) == value


class TestLayOut:
    def test_gives_every_value_a_line_and_leaves_it_as_written(self) -> None:
        text = lay_out('{"version":1.10,"big":12345678901234567890123,"list":[1,{"a":"ü"}],"none":[]}')

        assert text.split("\n") == [
            "{", '  "version": 1.10,', '  "big": 12345678901234567890123,', '  "list": [', "    1,", "    {",
            '      "a": "ü"', "    }", "  ],", '  "none": []', "}",
        ]  # fmt: skip


class TestPassages:
    def test_cover_every_line_and_are_named_by_their_pointers(self) -> None:
        passages = passages_of_json(read_nodes(WORKER), WORKER)

        assert [passage.fragment for passage in passages] == ["/name", "/state", "/empty"]
        assert (passages[0].start_line, passages[-1].end_line) == (1, 9)

    def test_take_a_long_value_apart(self) -> None:
        text = lay_out(json.dumps({"steps": [{"number": number, "note": "x"} for number in range(20)]}))

        passages = passages_of_json(read_nodes(text), text)

        assert [passage.fragment for passage in passages[:2]] == ["/steps/0", "/steps/1"]
        assert len(passages) == 20
