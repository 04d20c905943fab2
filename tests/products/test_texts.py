"""Reading a file's words and writing them back."""

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yoimemory.products.texts import NotText, UnusableText, plain, read_text, write_text
from yoimemory.products.visible import count_hidden, visible

WORDS = st.text(st.characters(exclude_characters="\r\0", exclude_categories=["Cs", "Cc"]), max_size=20)
ENDS = st.sampled_from(["\n", "\r\n"])


class TestReadText:
    @given(lines=st.lists(st.tuples(WORDS, ENDS)), mark=st.sampled_from([b"", codecs.BOM_UTF8]))
    def test_writes_every_byte_back(self, lines: list[tuple[str, str]], mark: bytes) -> None:
        data = mark + "".join(word + end for word, end in lines).encode()
        if data.startswith((codecs.BOM_UTF8 * 2, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            return

        found = read_text(data, path="a.md")

        assert write_text(found.text, like=found, path="a.md") == data

    @given(lines=st.lists(st.tuples(WORDS, ENDS), min_size=1), at=st.integers(0, 30))
    def test_leaves_the_bytes_of_untouched_lines(self, lines: list[tuple[str, str]], at: int) -> None:
        at %= len(lines)
        raw = [word + end for word, end in lines]
        found = read_text("".join(raw).encode(), path="a.md")
        changed = [line.replace("\r\n", "\n") for line in raw]
        changed[at] = "A wholly new line, never there before.\n"

        written = write_text("".join(changed), like=found, path="a.md").decode()

        assert written.startswith("".join(raw[:at]))
        assert written.endswith("".join(raw[at + 1 :]))

    def test_keeps_utf16_and_its_mark(self) -> None:
        data = codecs.BOM_UTF16_LE + "行\r\n".encode("utf-16-le")
        found = read_text(data, path="a.md")

        written = write_text("列\n", like=found, path="a.md")

        assert written == codecs.BOM_UTF16_LE + "列\r\n".encode("utf-16-le")

    @pytest.mark.parametrize("data", ["行".encode("cp932"), b"\x89PNG\r\n\x1a\n" + b"\0" * 40, b"a\0b"])
    def test_refuses_what_could_not_be_written_back(self, data: bytes) -> None:
        with pytest.raises(NotText, match=r"a\.md"):
            read_text(data, path="a.md")


class TestPlain:
    def test_makes_a_browsers_line_ends_line_feeds(self) -> None:
        assert plain("a\r\nb\rc\n") == "a\nb\rc\n"

    @pytest.mark.parametrize("text", ["a\0b", "a\ud800b"])
    def test_refuses_what_no_file_holds(self, text: str) -> None:
        with pytest.raises(UnusableText):
            plain(text)


class TestVisible:
    @pytest.mark.parametrize(
        ("text", "shown"),
        [
            ("plain 日本　語 and tab\t", "plain 日本　語 and tab\t"),
            ("a\u200bb", "a⟨U+200B zero-width space⟩b"),
            ("\u202e", "⟨U+202E right-to-left override⟩"),
            ("\U000e0041", "⟨U+E0041⟩"),
            ("warn ⚠\ufe0f ok", "warn ⚠\ufe0f ok"),
            ("葛\U000e0100", "葛\U000e0100"),
            ("a\ufe0f", "a⟨U+FE0F⟩"),
            ("\x1b[31m", "⟨U+001B⟩[31m"),
        ],
    )
    def test_spells_out_what_a_reader_would_not_see(self, text: str, shown: str) -> None:
        assert visible(text) == shown

    def test_counts_it(self) -> None:
        assert count_hidden("a\u200b\u202eb") == 2
