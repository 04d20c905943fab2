"""Whatever becomes of a text: words are called verified only where nothing that bears on meaning differs."""

from hypothesis import given, settings
from hypothesis import strategies as st

from evidence.again import Sought, find_again, find_without, same_words
from evidence.meaning import changes_of_meaning
from evidence.shift import Shift

WORDS = (
    "must", "may", "not", "never", "3.11", "3.13", "30 s", "30 ms", "queue", "start", "ticket", "before", "after",
    "`group_found`", "`group_not_found`", "必須", "任意", "開始する", "開始しない", "2026-07-15", "all", "only", "the",
)  # fmt: skip

sentences = st.lists(st.sampled_from(WORDS), min_size=5, max_size=12).map(" ".join)
paragraphs = st.lists(sentences, min_size=1, max_size=12)


@st.composite
def edited(draw: st.DrawFn) -> tuple[list[str], int, list[str]]:
    """Some lines, which of them is quoted, and the lines after a few edits."""
    lines = draw(paragraphs)
    quoted = draw(st.integers(0, len(lines) - 1))
    now = list(lines)
    for _ in range(draw(st.integers(0, 4))):
        at = draw(st.integers(0, max(len(now) - 1, 0)))
        kind = draw(st.sampled_from(["insert", "delete", "swap", "word", "indent"]))
        if kind == "insert":
            now.insert(at, draw(sentences))
        elif kind == "delete" and now:
            del now[at]
        elif kind == "swap" and len(now) > 1:
            now[at], now[at - 1] = now[at - 1], now[at]
        elif kind == "indent" and now:
            now[at] = "    " + now[at].replace(" ", "  ")
        elif now:
            words = now[at].split(" ")
            words[draw(st.integers(0, len(words) - 1))] = draw(st.sampled_from(WORDS))
            now[at] = " ".join(words)
    return lines, quoted, now


class TestFindAgain:
    @settings(max_examples=150, deadline=None)
    @given(edited())
    def test_is_firm_only_about_the_same_words(self, case: tuple[list[str], int, list[str]]) -> None:
        lines, quoted, now = case
        old, new = "\n".join(lines), "\n".join(now)
        start = len("\n".join(lines[:quoted])) + (1 if quoted else 0)
        words = lines[quoted]
        sought = Sought(words, old[max(0, start - 64) : start], old[start + len(words) :][:64], old.count(words))

        again = find_again(sought, Shift(old, new), start, start + len(words))

        if again.found is None:
            assert not again.is_firm
            return
        there = new[again.found.start : again.found.end]
        if again.is_firm:
            assert same_words(words, there)
            assert changes_of_meaning(words, there) == []

    @settings(max_examples=100, deadline=None)
    @given(sentences, paragraphs)
    def test_is_firm_only_about_the_same_words_without_an_earlier_text(self, words: str, now: list[str]) -> None:
        text = "\n".join(now)

        again = find_without(Sought(words, "", "", 1), text)

        if again.is_firm and again.found:
            assert same_words(words, text[again.found.start : again.found.end])

    @settings(max_examples=100, deadline=None)
    @given(paragraphs, st.data())
    def test_finds_an_unchanged_line_below_new_ones(self, lines: list[str], data: st.DataObject) -> None:
        unique = "The one line that stands nowhere else, number 7, in the whole of it."
        at = data.draw(st.integers(0, len(lines)))
        old = "\n".join([*lines[:at], unique, *lines[at:]])
        new = "A new line above.\n" + old
        start = old.index(unique)

        again = find_again(Sought(unique), Shift(old, new), start, start + len(unique))

        assert again.is_firm
        assert again.found is not None
        assert new[again.found.start : again.found.end] == unique


class TestShift:
    @settings(max_examples=150, deadline=None)
    @given(edited())
    def test_carries_lines_only_to_lines_that_read_the_same_and_in_order(
        self, case: tuple[list[str], int, list[str]]
    ) -> None:
        lines, _, now = case

        forward = Shift("\n".join(lines), "\n".join(now)).forward

        landed = [there for there in forward if there >= 0]
        assert landed == sorted(set(landed))
        for line, there in enumerate(forward):
            if there >= 0:
                assert now[there].split() == lines[line].split()


class TestChangesOfMeaning:
    @settings(max_examples=150, deadline=None)
    @given(sentences)
    def test_are_none_between_a_text_and_itself_laid_out_anew(self, words: str) -> None:
        assert changes_of_meaning(words, "  " + words.replace(" ", "\n")) == []

    @settings(max_examples=150, deadline=None)
    @given(sentences, st.sampled_from(["not", "must", "42", "`other_name`", "必須"]), st.data())
    def test_are_told_when_a_telling_word_comes_or_goes(self, words: str, telling: str, data: st.DataObject) -> None:
        parts = words.split(" ")
        at = data.draw(st.integers(0, len(parts)))
        more = " ".join([*parts[:at], telling, *parts[at:]])

        assert changes_of_meaning(words, more)
        assert changes_of_meaning(more, words)
