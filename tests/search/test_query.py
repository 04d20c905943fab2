"""What a person types is understood, or is words."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yoimemory.search.query import read_query


class TestReadQuery:
    def test_tells_words_phrases_and_exclusions_apart(self) -> None:
        typed = read_query('lock "stale lock file" -retry')

        assert typed.words == ["lock"]
        assert typed.phrases == ["stale lock file"]
        assert typed.without == ["retry"]

    def test_reads_fields(self) -> None:
        typed = read_query("kind:ticket,doc path:docs/** author:hare id:00001KX before:2026-07 after:2026-06-15 spawn")

        assert typed.kinds == ["ticket", "doc"]
        assert typed.paths == ["docs/**"]
        assert typed.authors == ["hare"]
        assert typed.ids == ["00001KX"]
        assert typed.until == datetime(2026, 7, 1, tzinfo=UTC)
        assert typed.since == datetime(2026, 6, 15, tzinfo=UTC)
        assert typed.words == ["spawn"]

    @pytest.mark.parametrize("text", ["kind:nonsense", "before:yesterday", "title:x", "rowid:1", "after:2026-13"])
    def test_takes_a_field_it_does_not_know_for_words(self, text: str) -> None:
        typed = read_query(text)

        assert typed.words == [text]
        assert not typed.kinds
        assert typed.since is None
        assert typed.until is None

    def test_leaves_out_kinds(self) -> None:
        typed = read_query("-kind:ticket,commit spawn")

        assert typed.words == ["spawn"]
        assert "doc" in typed.kinds
        assert not {"ticket", "commit"} & set(typed.kinds)
        assert read_query("kind:ticket,doc -kind:doc").kinds == ["ticket"]
        assert read_query("kind:doc -kind:doc").kinds == ["doc"]

    def test_means_the_words_when_only_exclusions_are_typed(self) -> None:
        assert read_query("-x").words == ["x"]

    def test_takes_a_long_query_for_a_text(self) -> None:
        typed = read_query(" ".join(f"word{n} kind:ticket" for n in range(20)))

        assert typed.text.startswith("word0 kind:ticket")
        assert not typed.words
        assert not typed.kinds

    def test_looks_into_what_a_path_does_not_wild_card(self) -> None:
        assert read_query("path:docs/guide").paths == ["*docs/guide*"]

    @given(st.text())
    def test_never_fails(self, text: str) -> None:
        typed = read_query(text)

        assert all(isinstance(word, str) and word for word in typed.words)
