"""The gate over plain text: found exactly, found after normalisation, or told apart why not."""

import time
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evidence import gate
from evidence.models import Evidence
from evidence.normal import Comparable, normalise, plain

ENGLISH = "The queue click permits routing.\nIt does not permit a start.\nUnresolved dependencies block the start.\n"
JAPANESE = (
    "Ticket を `workspace-panel` が queued にしました。\n依存関係が解決するまで開始してはならない、と文書にある。\n"
)

LETTERS = st.text(
    alphabet=st.one_of(
        st.sampled_from("ab \n\r\t-'\"“”‘’–—\u200b\u00a0\u3000がか\u3099é\u0301eA가각\u1100\u1161\u11a8🙂👩\u200d💻的"),
        st.characters(exclude_categories=("Cs",)),
    ),
    max_size=200,
)


class TestLocate:
    def test_finds_exact_words_with_their_place(self) -> None:
        found = gate.locate(ENGLISH, "It does not permit a start.")

        assert found is not None
        assert (found.match, found.occurrence, found.occurrences) == ("exact", 1, 1)
        anchor = gate.anchor_at(ENGLISH, found)
        assert (anchor.start_line, anchor.start_column, anchor.end_line, anchor.end_column) == (2, 1, 2, 28)
        assert anchor.prefix == "The queue click permits routing.\n"
        assert anchor.suffix.startswith("\nUnresolved")

    def test_counts_code_points_not_bytes_or_utf16(self) -> None:
        text = "🙂 first\n🙂🙂 Ticket を queued にしました。"

        found = gate.locate(text, "Ticket を queued にしました。")

        assert found is not None
        anchor = gate.anchor_at(text, found)
        assert (anchor.start_line, anchor.start_column) == (2, 4)
        assert anchor.end - anchor.start == len("Ticket を queued にしました。")

    @pytest.mark.parametrize(
        ("near", "occurrence"), [((1, 1), 1), ((2, 1), 2), ((3, 9), 3), ((99, 1), 3), ((None, None), 1)]
    )
    def test_takes_the_occurrence_that_the_hint_means(
        self, near: tuple[int | None, int | None], occurrence: int
    ) -> None:
        text = "same words here\nsame words here\nsame words here\n"

        found = gate.locate(text, "same words here", near=gate.offset_of(gate.line_starts(text), *near))

        assert found is not None
        assert (found.occurrence, found.occurrences) == (occurrence, 3)

    @pytest.mark.parametrize(
        ("text", "quote"),
        [
            ("It says “must not start” and means it, always.", 'It says "must not start" and means it, always.'),
            ("one two three four five\n   six seven eight nine", "one two three four five six seven eight nine"),
            ("one two three four five\r\nsix seven eight nine", "one two three four five\nsix seven eight nine"),
            ("before – after, and this is long enough — yes", "before - after, and this is long enough - yes"),
            ("zero\u200bwidth hides in\u2060side of these long words", "zerowidth hides inside of these long words"),
            (unicodedata.normalize("NFD", "がぎぐげご と書いてある長い文章なので、正規化される。これでよい"),
             "がぎぐげご と書いてある長い文章なので、正規化される。これでよい"),
            ("full width space\u3000between these long words", "full width space between these long words"),
        ],
    )  # fmt: skip
    def test_finds_after_normalisation_and_says_so(self, text: str, quote: str) -> None:
        padded = f"Something before.\n{text}\nSomething after."

        found = gate.locate(padded, quote)

        assert found is not None
        assert found.match == "normalised"
        assert padded[found.start : found.end] == text

    @pytest.mark.parametrize(
        "quote",
        ["the QUEUE click permits routing.\nIt does", "It does not permit a start, ever and ever.", "“short one”"],
    )
    def test_never_folds_case_or_letters_nor_normalises_short_words(self, quote: str) -> None:
        text = ENGLISH + 'and a "short one" here\n'

        assert gate.locate(text, quote) is None

    @given(before=LETTERS, words=LETTERS, after=LETTERS)
    def test_finds_whatever_was_cut_out_of_a_text(self, before: str, words: str, after: str) -> None:
        text = before + words + after

        found = gate.locate(text, words, near=len(before)) if words else None

        if words:
            assert found is not None
            assert (found.start, found.end) == (len(before), len(before) + len(words))
            anchor = gate.anchor_at(text, found)
            starts = gate.line_starts(text)
            assert gate.offset_of(starts, anchor.start_line, anchor.start_column) == anchor.start
            assert text[anchor.start : anchor.end] == anchor.quote == words

    @given(before=LETTERS, words=LETTERS, after=LETTERS)
    def test_leads_back_from_normalised_words_to_words_that_mean_the_same(
        self, before: str, words: str, after: str
    ) -> None:
        words = "x" * 20 + words + "y" * 20
        text = f"{before} {words} {after}"

        found = gate.locate(text, plain(words))

        assert found is not None
        assert plain(text[found.start : found.end]) == plain(words)

    @given(text=LETTERS, start=st.integers(0, 200), end=st.integers(0, 200))
    def test_gives_the_byte_range_of_what_was_quoted(self, text: str, start: int, end: int) -> None:
        start, end = sorted((min(start, len(text)), min(end, len(text))))
        raw = text.encode()

        span = gate.byte_range(text, raw, start, end)

        assert span is not None
        assert raw[slice(*span)].decode() == text[start:end]

    def test_counts_the_byte_order_mark_into_the_byte_range(self) -> None:
        raw = b"\xef\xbb\xbf" + "日本語 text".encode()

        span = gate.byte_range("日本語 text", raw, 4, 8, encoding="utf-8-sig")

        assert span is not None
        assert raw[slice(*span)] == b"text"

    def test_gives_no_byte_range_where_the_text_is_not_the_files_bytes(self) -> None:
        assert gate.byte_range("put together", b"something else", 0, 3) is None

    @pytest.mark.parametrize("unit", [ENGLISH, JAPANESE, JAPANESE.replace("\n", "\r\n"), "“word” — "])
    def test_is_fast_on_a_megabyte(self, unit: str) -> None:
        text = unit * (1_000_000 // len(unit)) + "the very last words — of this long text, “quoted”.\n"
        quote = 'the very last words - of this long text, "quoted".'
        gate.locate(text, quote)

        best = min(_seconds(lambda: gate.locate(text, quote)) for _ in range(3))

        # The promise is 30 ms; a busy machine gets some air.
        assert best < 0.12
        assert gate.locate(text, quote) is not None


class TestNormalise:
    @given(text=LETTERS)
    def test_agrees_with_the_fast_way(self, text: str) -> None:
        assert normalise(text).text == plain(text) == Comparable(text).text

    @given(text=LETTERS)
    def test_says_nothing_new_the_second_time(self, text: str) -> None:
        assert plain(plain(text)) == plain(text)

    @settings(max_examples=30)
    @given(text=LETTERS)
    def test_agrees_in_pieces_of_a_long_text(self, text: str) -> None:
        long = (text + " word\n") * 400

        comparable = Comparable(long)

        assert comparable.text == plain(long) == normalise(long).text


class TestMeasure:
    @pytest.mark.parametrize(
        ("length", "code"),
        [(0, "too_short"), (11, "too_short"), (12, ""), (1_500, ""), (1_501, "too_long")],
    )
    def test_holds_the_limits(self, length: int, code: str) -> None:
        refusal = gate.measure("字" * length)

        assert (refusal.code if refusal else "") == code
        assert Evidence.QUOTE_MIN == 12


class TestMissing:
    def test_names_the_nearest_text_with_its_line(self) -> None:
        pieces, near = gate.missing(ENGLISH, "Unresolved dependencies never block a start.")

        assert pieces == []
        assert near is not None
        assert near.text == "Unresolved dependencies block the start."
        assert (near.first_line, near.last_line) == (3, 3)
        assert near.similarity > 0.8

    def test_names_the_nearest_text_in_japanese(self) -> None:
        _, near = gate.missing(JAPANESE, "依存関係が解決するまで開始してもよい、と文書にある。")

        assert near is not None
        assert near.first_line == 2

    def test_names_nothing_where_nothing_is_alike(self) -> None:
        pieces, near = gate.missing(ENGLISH, "Bananas ripen quickly under yellow lamps.")

        assert (pieces, near) == ([], None)

    @pytest.mark.parametrize("joint", [" ", " … ", " ... ", "\n", " [...] "])
    def test_shows_every_place_that_a_quote_was_glued_from(self, joint: str) -> None:
        quote = f"The queue click permits routing.{joint}Unresolved dependencies block the start."

        pieces, _ = gate.missing(ENGLISH, quote)

        assert [(piece.first_line, piece.text) for piece in pieces] == [
            (1, "The queue click permits routing."),
            (3, "Unresolved dependencies block the start."),
        ]

    def test_does_not_call_one_place_glued(self) -> None:
        pieces, _ = gate.missing(ENGLISH, "The queue click permits routing and nothing else")

        assert pieces == []

    def test_narrows_the_nearest_text_in_one_very_long_line(self) -> None:
        text = "word " * 4_000 + "The queue click permits routing only. " + "word " * 4_000

        _, near = gate.missing(text, "The queue click permits routing alone.")

        assert near is None or len(near.text) < 400

    def test_finds_the_nearest_text_inside_a_line_three_times_as_long_and_cuts_no_word(self) -> None:
        line = (
            "A tablet that cannot reach the server counts as checked. The clock check runs when the app starts "
            "and every hour while the network is there. It warns and never blocks anybody who takes an order."
        )

        _, near = gate.missing(line, "The clock check runs once, when the app starts.")

        assert near is not None
        assert "The clock check runs when the app starts" in near.text
        assert set(near.text.split()) <= set(line.split())

    @settings(max_examples=50, deadline=None)
    @given(text=LETTERS, quote=LETTERS)
    def test_never_raises(self, text: str, quote: str) -> None:
        gate.missing(text, quote)


def _seconds(run: object) -> float:
    began = time.process_time()
    run()  # type: ignore[operator]
    return time.process_time() - began
