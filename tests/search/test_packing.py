"""Texts as they are kept: small, and the same when they come back."""

from hypothesis import given
from hypothesis import strategies as st

from yoimemory.search.packing import SHORT, pack, unpack


class TestPack:
    @given(st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=1_000))
    def test_gives_every_text_back(self, text: str) -> None:
        assert unpack(pack(text)) == text

    def test_keeps_a_long_text_in_less_room(self) -> None:
        text = "The indexer takes the lock before it writes. " * 40

        assert len(pack(text)) < len(text) / 4

    def test_keeps_a_short_text_as_it_is(self) -> None:
        text = "x" * SHORT

        assert pack(text) == b"\0" + text.encode()
