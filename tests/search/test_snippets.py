"""The words a hit shows."""

from hypothesis import given
from hypothesis import strategies as st

from yoimemory.search.snippets import CHARACTERS, cut_snippet, find_spans


class TestCutSnippet:
    def test_shows_the_lines_where_most_stands_together(self) -> None:
        text = "one spawn\nnothing\nnothing\nthe stdio server is\nto spawn here\nnothing"

        snippet = cut_snippet(text, 10, ["stdio", "server", "spawn"])

        assert snippet.first == 13
        assert snippet.text.startswith("the stdio server is\nto spawn here")
        assert [snippet.text[a:b] for a, b in snippet.marks] == ["stdio", "server", "spawn"]

    def test_cuts_a_long_line_round_the_first_match(self) -> None:
        text = "x" * 5_000 + " needle " + "y" * 5_000

        snippet = cut_snippet(text, 1, ["needle"])

        assert len(snippet.text) <= CHARACTERS
        assert [snippet.text[a:b] for a, b in snippet.marks] == ["needle"]
        assert snippet.text in text

    def test_marks_what_was_written_full_width(self) -> None:
        snippet = cut_snippet("これは ＡＰＩ です", 1, ["API"])

        assert [snippet.text[a:b] for a, b in snippet.marks] == ["ＡＰＩ"]

    def test_marks_parts_of_names_but_not_of_words(self) -> None:
        spans = find_spans("WorkerRuntime reworker worker_runtime", ["worker"])

        assert [span[0] for span in spans] == [0, 23]

    def test_joins_the_marks_of_overlapping_pairs(self) -> None:
        snippet = cut_snippet("一覧を再構築する", 1, ["再構", "構築"])

        assert [snippet.text[a:b] for a, b in snippet.marks] == ["再構築"]

    @given(st.text(max_size=400), st.lists(st.text(min_size=1, max_size=4), max_size=4), st.integers(1, 50))
    def test_is_always_verbatim(self, text: str, wanted: list[str], start: int) -> None:
        snippet = cut_snippet(text, start, wanted)

        lines = text.split("\n")[snippet.first - start : snippet.last - start + 1]
        assert snippet.text in "\n".join(lines)
        assert all(0 <= a < b <= len(snippet.text) for a, b in snippet.marks)
