"""Comparing, patching and merging texts."""

import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yoimemory.products.diffs import compare, patch_of, split_lines
from yoimemory.products.merge import merge
from yoimemory.products.patches import BadPatch, apply_patch

LINES = st.lists(st.sampled_from(["a\n", "b\n", "\n", "same\n", "x y\n", "- c\n", "日本\n"]), max_size=12)
TEXTS = st.builds(lambda lines, tail: "".join(lines) + tail, LINES, st.sampled_from(["", "end", "a", "終"]))

BEFORE = "## Servers\nThis is a typed configuration surface only.\n\nExample:\n" + "".join(
    f"line {number}\n" for number in range(20)
)


class TestCompare:
    def test_numbers_both_sides_and_underlines_the_words(self) -> None:
        after = BEFORE.replace(" only", "").replace("line 15", "line 15, changed")

        diff = compare(BEFORE, after)

        changed = [(row.kind, row.old, row.new) for row in diff.rows if row.kind in {"add", "del"}]
        assert changed == [("del", 2, None), ("add", None, 2), ("del", 20, None), ("add", None, 20)]
        assert [piece.text for piece in diff.rows[1].pieces if piece.changed] == [" only"]
        assert (diff.added, diff.removed) == (2, 2)

    def test_folds_what_is_far_from_a_change(self) -> None:
        after = BEFORE.replace(" only", "").replace("line 15", "line 15, changed")

        gaps = [row.skipped for row in compare(BEFORE, after).rows if row.kind == "gap"]

        assert gaps == [11]  # a single line is shown, not folded

    def test_shows_hidden_characters_and_counts_them(self) -> None:
        diff = compare("may start\n", "may\u202e start\u200b\n")

        spelled = [piece.text for row in diff.rows if row.kind == "add" for piece in row.pieces if piece.hidden]
        assert spelled == ["U+202E right-to-left override", "U+200B zero-width space"]
        assert diff.hidden == 2

    def test_marks_no_words_where_hardly_one_stayed(self) -> None:
        diff = compare("Nothing of this stays here.\n", "全く別の文です\n")

        assert not any(piece.changed for row in diff.rows for piece in row.pieces)

    def test_says_that_the_last_line_does_not_end(self) -> None:
        diff = compare("one\n", "one")

        assert [(row.kind, row.unended) for row in diff.rows] == [("del", False), ("add", True)]

    def test_is_quick_on_a_long_file(self) -> None:
        long = "".join(f"{number % 7}\n" for number in range(100_000))

        diff = compare(long, long.replace("3\n", "three\n", 2))

        assert diff.added == 2


class TestPatch:
    @given(before=TEXTS, after=TEXTS)
    def test_carries_one_text_over_to_the_other(self, before: str, after: str) -> None:
        patch = patch_of(before, after, "docs/guide.md")

        assert (apply_patch(before, patch) if patch else before) == after

    @pytest.mark.parametrize("after", ["one\ntwo\n", "one\n2\nthree", ""])
    def test_is_taken_by_git(self, tmp_path: Path, after: str) -> None:
        (tmp_path / "a file.md").write_text("one\ntwo\nthree\n")
        (tmp_path / "p.patch").write_text(patch_of("one\ntwo\nthree\n", after, "a file.md"))

        subprocess.run(["git", "apply", "p.patch"], cwd=tmp_path, check=True, capture_output=True)

        assert (tmp_path / "a file.md").read_text() == after

    def test_of_a_new_file_is_taken_by_git(self, tmp_path: Path) -> None:
        (tmp_path / "p.patch").write_text(patch_of(None, "one\n", "docs/new.md"))

        subprocess.run(["git", "apply", "p.patch"], cwd=tmp_path, check=True, capture_output=True)

        assert (tmp_path / "docs/new.md").read_text() == "one\n"

    @pytest.mark.parametrize(
        ("patch", "says"),
        [
            ("no hunk at all\n", "holds no hunk"),
            ("@@ -1 +1 @@\n-other\n+new\n", "expects 'other', the file has 'one'"),
            ("@@ -1,2 +1,2 @@\n-one\n+1\n", "shorter than it says"),
            ("@@ -9 +9 @@\n-one\n+1\n", "does not have in this order"),
            ("@@ -1 +1 @@\n-one\n+1\ntrailing\n", "neither a hunk"),
        ],
    )
    def test_that_does_not_fit_is_refused(self, patch: str, says: str) -> None:
        with pytest.raises(BadPatch, match=says):
            apply_patch("one\ntwo\n", patch)


class TestMerge:
    def test_takes_both_changes_of_different_lines(self) -> None:
        merged = merge("a\nb\nc\nd\ne\n", "A\nb\nc\nd\ne\n", "a\nb\nc\nd\nE\n")

        assert (merged.text, merged.conflicts) == ("A\nb\nc\nd\nE\n", 0)

    def test_takes_a_like_change_once(self) -> None:
        assert merge("a\nb\nc\n", "a\nB\nc\n", "a\nB\nc\n").text == "a\nB\nc\n"

    def test_keeps_both_texts_where_the_same_line_differs(self) -> None:
        merged = merge("a\nb\nc\n", "a\nours\nc\n", "a\ntheirs\nc\n")

        assert merged.conflicts == 1
        assert "<<<<<<< proposed\nours\n=======\ntheirs\n>>>>>>> in the file now\n" in merged.text

    @given(base=TEXTS, theirs=TEXTS)
    def test_of_an_unchanged_proposal_is_the_file(self, base: str, theirs: str) -> None:
        assert merge(base, base, theirs) == merge(base, theirs, theirs)
        assert merge(base, base, theirs).text == theirs

    @given(text=TEXTS)
    def test_splits_at_line_feeds_only(self, text: str) -> None:
        assert "".join(split_lines(text)) == text
