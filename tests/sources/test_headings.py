"""Headings by a look at each line are those of the parser, or the parser is asked."""

from hypothesis import given
from hypothesis import strategies as st

from yoimemory.sources import blocks

LINES = st.sampled_from([
    "", "# One", "## Two ##", "#", "#none", "  ## In", "    # code", "\t# code", "words", "more `words`", "---", "===",
    "- item", "  - inner", "1. first", "> quoted", "```", "```rust", "``` a`b", "~~~", "~~~~", "  ```",
    "- ```", "> ~~~", "a | b", "# a | b", "|---|---|", "--|--", "  ===", "***", "[a]: /b", "'title", "   ", "\t",
    "###### Six \\#", "# x #y #",
])  # fmt: skip


class TestHeadingsByLine:
    @given(st.lists(LINES, max_size=12))
    def test_are_those_of_the_parser(self, lines: list[str]) -> None:
        plain = blocks._plain_headings(lines)

        assert plain is None or plain == blocks._parsed_headings("\n".join(lines))

    def test_need_no_parser_for_plain_prose(self) -> None:
        lines = ["# Title", "", "Words.", "", "```", "# no heading", "```", "- item", "## Next", "", "---", "end"]

        plain = blocks._plain_headings(lines)

        assert plain is not None
        assert [(heading.line, heading.level, heading.text) for heading in plain] == [(1, 1, "Title"), (9, 2, "Next")]
