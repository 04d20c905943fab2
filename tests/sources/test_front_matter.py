"""Front matter keeps what was written, reports what is broken by line, and never raises."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from yoimemory.sources.frontmatter import read_front_matter

TYPED = [
    "2024-06-01", "2024-06-01T10:00:00+09:00", "1.10", "no", "NO", "off", "y", "0123", "0x1F", "0o17", "1_000", "1e3",
    ".inf", "12:30:45", "190:20:30", "+1", "=", "true", "007", "1.", ".5", "2024-13-45", "99999999999999999999999",
]  # fmt: skip
YAMLISH = st.text(st.sampled_from(list("abc:-'\"[]{}&*!|>%@`#?,~ \t\n\r\\0\u2028\x85日")), max_size=200)


class TestReadFrontMatter:
    @pytest.mark.parametrize("value", TYPED)
    def test_keeps_a_scalar_as_written(self, value: str) -> None:
        front = read_front_matter(f"---\ntitle: {value}\n---\n\nbody\n")

        assert front.text("title") == value
        assert front.warnings == ()

    def test_reads_texts_lists_and_where_they_stand(self) -> None:
        front = read_front_matter("---\ntitle: 'a: b'\nflags: [x, 'y']\nnone: null\nmap:\n  a: 1\n---\nbody\n")

        assert front.text("title") == "a: b"
        assert front.texts("flags") == ["x", "y"]
        assert (front.text("none"), front.text("map"), front.text("missing")) == ("", "", "")
        assert (front.lines["flags"], front.body_line) == (3, 8)

    @pytest.mark.parametrize(
        ("text", "line", "reason"),
        [
            ("---\ntitle: a\n\tstate: b\n---\n", 3, "not YAML"),
            ("---\ntitle: a\nnever closed\n", 1, "never closed"),
            ("---\n- a\n- b\n---\n", 2, "not a list of keys"),
            ("---\ntitle: a\ntitle: b\n---\n", 3, "stands twice"),
            ("---\ntitle: fix: a: b\n---\n", 2, "not YAML"),
            ("---\ntitle: *nope\n---\n", 2, "Anchors and aliases"),
            ("---\na: &x [1]\nb: *x\n---\n", 2, "Anchors and aliases"),
            ("---\ntitle: !!python/object:os.system x\n---\n", 2, "Tags"),
            ("---\n? [a, b]\n: c\n---\n", 2, "no plain text"),
            ("---\na: {<<: {b: c}}\n---\n", 2, "merge key"),
            ("---\na: " + "[" * 20 + "]" * 20 + "\n---\n", 2, "nested deeper"),
            ("---\na: [" + "x, " * 3_000 + "]\n---\n", 2, "more than 2,000 parts"),
            ("---\na: " + "x" * 70_000 + "\n---\n", 1, "longer than 64 KB"),
        ],
    )
    def test_reports_what_it_does_not_read(self, text: str, line: int, reason: str) -> None:
        front = read_front_matter(text)

        assert [(at, reason in said) for at, said in front.warnings] == [(line, True)]

    def test_still_takes_simple_lines_of_a_broken_one(self) -> None:
        front = read_front_matter("---\ntitle: fix: a bug: now\nstate: 'ready'\n---\nbody\n")

        assert front.text("title") == "fix: a bug: now"
        assert front.text("state") == "ready"

    def test_keeps_the_first_of_two_values(self) -> None:
        assert read_front_matter("---\ntitle: first\ntitle: second\n---\n").text("title") == "first"

    @pytest.mark.parametrize(
        "text", ["", "# plain\n", "\n---\ntitle: late\n---\n", "  ---\n", "+++\na = 1\n+++\n", "---"]
    )
    def test_finds_none_where_there_is_none(self, text: str) -> None:
        front = read_front_matter(text)

        assert front.values == {}

    @given(st.one_of(st.text(max_size=300), YAMLISH.map("---\n{}\n---\n".format)))
    @example("---\n" + "[" * 5_000 + "\n---\n")
    @example("---\n\x00\n---\n")
    @example("---\n\ud800\n---\n")
    @example('---\na: "\\ud800"\n---\n')
    def test_never_raises(self, text: str) -> None:
        front = read_front_matter(text)

        assert all(line >= 1 and said.endswith(".") for line, said in front.warnings)
        assert 1 <= front.body_line <= text.count("\n") + 2
