"""Docs and code: sections, blocks, dates, classes of authority, odd encodings."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.sources.conftest import read_all, shared
from tests.sources.repository import Repo
from yoimemory.sources.blocks import CHARACTERS_MAX, code_passages, headings_of, section_passages, slug_of
from yoimemory.sources.decoding import NotText, decode, lines_of
from yoimemory.sources.models import Workspace
from yoimemory.sources.read import fragment_lines

Register = Callable[[Path], Workspace]
DOC = """---
title: Guide
date: 2026-05-01
---
Before.

# One

Text.

```md
# not a heading
```

- item
  # nor this

Two
---

### Deep

See [the code](../src/app.py#L3) and [here](#one), [web](https://x.example/a.md) and `src/lib.rs:10-12`.
"""


@pytest.mark.django_db
class TestADoc:
    def test_is_cut_at_its_headings(self, repo: Repo, register: Register) -> None:
        repo.write("docs/guide.md", DOC)

        documents, unreadable = read_all(register(repo.root))

        document = documents["doc:docs/guide.md"]
        assert unreadable == []
        assert (document.title, document.authority, document.language) == ("Guide", "authority", "en")
        assert document.at == datetime(2026, 5, 1, tzinfo=UTC)
        assert [(passage.fragment, passage.heading) for passage in document.passages] == [
            ("L1-L5", "Guide"), ("L7-L16", "One"), ("L18-L19", "One > Two"), ("L21-L23", "One > Two > Deep"),
        ]  # fmt: skip
        assert {(link.kind, link.target) for link in document.links} == {
            ("links", "code:src/app.py#L3"), ("mentions", "code:src/lib.rs#L10-L12"),
        }  # fmt: skip

    @pytest.mark.parametrize(
        ("path", "authority"),
        [
            ("docs/design/overview.md", "authority"), ("README.md", "authority"), ("docs/report/x.md", "semi"),
            ("docs/reports/deep/x.md", "semi"), ("notes/2026-05-05-scope.md", "semi"),
            ("notes/scope-20260505.md", "semi"),
            ("AGENTS.md", "procedure"), ("sub/CLAUDE.md", "procedure"), (".yoi/workflow/route.md", "procedure"),
            ("skills/x/SKILL.md", "procedure"), ("docs/version-2026.md", "authority"),
        ],
    )  # fmt: skip
    def test_has_the_authority_of_its_place(self, repo: Repo, register: Register, path: str, authority: str) -> None:
        repo.write(path, "# Words\n\ntext\n")

        documents, _ = read_all(register(repo.root))

        assert documents[f"doc:{path}"].authority == authority

    def test_with_a_date_in_its_name_is_dated(self, repo: Repo, register: Register) -> None:
        repo.write("docs/report/2026-06-14-loss.md", "# Loss\n")

        documents, _ = read_all(register(repo.root))

        assert documents["doc:docs/report/2026-06-14-loss.md"].at == datetime(2026, 6, 14, tzinfo=UTC)

    @pytest.mark.parametrize(
        ("data", "text", "lossy", "encoding"),
        [
            ("日本語\n".encode(), "日本語\n", False, "utf-8"),
            (b"\xef\xbb\xbf" + "日本語\n".encode(), "日本語\n", False, "utf-8-sig"),
            (b"\xff\xfe" + "日本語\n".encode("utf-16-le"), "日本語\n", False, "utf-16-le"),
            (b"\xfe\xff" + "日本語\n".encode("utf-16-be"), "日本語\n", False, "utf-16-be"),
            ("鍵 lock\n".encode("utf-16-le"), "鍵 lock\n", False, "utf-16-le"),
            ("鍵 lock\r\n".encode("utf-16-be"), "鍵 lock\r\n", False, "utf-16-be"),
            (b"\xff\xfe\x00\x00" + "日本語\n".encode("utf-32-le"), "日本語\n", False, "utf-32-le"),
            (b"na\xefve text\n", "na\ufffdve text\n", True, "utf-8"),
            (b"one\r\ntwo\rthree\n", "one\r\ntwo\rthree\n", False, "utf-8"),
            (b"cut " + "末".encode()[:2], "cut \ufffd", True, "utf-8"),
            (b"a word and a NUL \0 inside of it\n", "a word and a NUL \ufffd inside of it\n", True, "utf-8"),
        ],
    )  # fmt: skip
    def test_is_decoded_or_flagged(
        self, repo: Repo, register: Register, data: bytes, text: str, lossy: bool, encoding: str
    ) -> None:
        repo.write("docs/a.md", data)

        documents, unreadable = read_all(register(repo.root))

        document = documents["doc:docs/a.md"]
        assert (document.text, document.lossy, document.encoding) == (text, lossy, encoding)
        assert unreadable == []

    def test_that_is_no_text_is_listed_and_hides_nothing(self, repo: Repo, register: Register) -> None:
        repo.write("docs/binary.md", bytes(range(256)) * 40)
        repo.write("docs/picture.png", b"\x89PNG")
        repo.write("docs/good.md", "fine\n")

        documents, unreadable = read_all(register(repo.root))

        assert list(documents) == ["doc:docs/good.md"]
        assert [(found.path, found.reason) for found in unreadable] == [("docs/binary.md", "It is binary, not text.")]

    def test_that_is_too_long_is_listed(self, repo: Repo, register: Register) -> None:
        repo.write("docs/long.md", b"x" * ((16 << 20) + 1))

        _, (problem,) = read_all(register(repo.root))

        assert "at most 16,777,216 are read" in problem.reason

    def test_in_slow_markdown_is_read_in_time(self, repo: Repo, register: Register) -> None:
        repo.write("docs/quotes.md", ">" * 5_000 + "# x\n")
        repo.write("docs/links.md", "[](" * 50_000)
        repo.write("docs/paths.md", "a/" * 100_000 + "\n" + "](" * 50_000)
        repo.write("docs/hex.md", "1" * 500_000 + "a" * 500_000)

        documents, _ = read_all(register(repo.root))

        assert len(documents) == 4

    def test_of_rst_takes_its_title(self, repo: Repo, register: Register) -> None:
        repo.write("docs/a.rst", "=====\nTitle\n=====\n\nText.\n")

        documents, _ = read_all(register(repo.root))

        assert documents["doc:docs/a.rst"].title == "Title"


@pytest.mark.django_db
class TestCode:
    def test_is_cut_at_definitions_and_known_by_language(self, repo: Repo, register: Register) -> None:
        body = "".join(f"    line_{number} = {number}\n" for number in range(60))
        repo.write("src/app.py", f"import os\n\n\n@wraps\ndef first():\n{body}\n\nclass Second:\n{body}")

        documents, _ = read_all(register(repo.root))

        document = documents["code:src/app.py"]
        assert document.language == "python"
        assert [(passage.start_line, passage.heading) for passage in document.passages] == [
            (1, "first"),
            (68, "Second"),
        ]
        assert fragment_lines(document, "symbol=first") == (4, 65)
        assert fragment_lines(document, "symbol=third") is None

    def test_of_one_long_line_has_passages_of_bounded_size(self, repo: Repo, register: Register) -> None:
        repo.write("src/min.js", "var a=[" + "1," * 100_000 + "];")

        documents, _ = read_all(register(repo.root))

        passages = documents["code:src/min.js"].passages
        assert {passage.fragment for passage in passages} == {"L1"}
        assert max(len(passage.text) for passage in passages) <= CHARACTERS_MAX
        assert "".join(passage.text for passage in passages) == documents["code:src/min.js"].text


class TestHeadings:
    def test_know_fences_lists_and_front_matter(self) -> None:
        assert [(heading.line, heading.level, heading.text) for heading in headings_of(DOC, skip=4)] == [
            (7, 1, "One"), (18, 2, "Two"), (21, 3, "Deep"),
        ]  # fmt: skip

    @pytest.mark.parametrize("end", ["\n", "\r\n"])
    def test_count_lines_by_line_feeds_only(self, end: str) -> None:
        text = end.join(["# a", "one\rtwo\u2028three\x0b", "", "# b", ""])

        assert [heading.line for heading in headings_of(text)] == [1, 4]

    def test_have_slugs_in_any_script(self) -> None:
        assert slug_of("Acceptance criteria (v2)!") == "acceptance-criteria-v2"
        assert slug_of("受け入れ条件") == "受け入れ条件"


class TestPassages:
    @given(st.text("a#\n -=`>\r日", max_size=400))
    def test_of_a_doc_are_its_lines_and_lose_no_word(self, text: str) -> None:
        lines = lines_of(text)

        passages = section_passages(lines, headings_of(text))

        for passage in passages:
            assert passage.text == "\n".join(lines[passage.start_line - 1 : passage.end_line])
        covered = {number for passage in passages for number in range(passage.start_line, passage.end_line + 1)}
        assert {number for number, line in enumerate(lines, start=1) if line.strip()} <= covered

    @given(
        st.lists(
            st.sampled_from(["def a():", "class B:", "    x = 1", "", "# note", "}", "pub fn c() {"]), max_size=300
        )
    )
    def test_of_code_are_its_lines_and_lose_no_word(self, lines: list[str]) -> None:
        passages = code_passages(lines)

        for passage in passages:
            assert passage.text == "\n".join(lines[passage.start_line - 1 : passage.end_line])
            assert passage.end_line - passage.start_line < 80
        covered = [number for passage in passages for number in range(passage.start_line, passage.end_line + 1)]
        assert len(covered) == len(set(covered))
        assert {number for number, line in enumerate(lines, start=1) if line.strip()} <= set(covered)


class TestDecode:
    @settings(deadline=None)
    @given(st.text(st.characters(exclude_categories=["Cs", "Cc"]) | st.sampled_from("\n\r\t")), st.sampled_from(
        ["utf-8", "utf-8-sig", "utf-16", "utf-32"]))  # fmt: skip
    def test_gives_the_text_that_was_coded(self, text: str, encoding: str) -> None:
        raw = text.encode(encoding)

        decoded = decode(raw)

        if encoding == "utf-8" and text.startswith("\ufeff"):
            return  # a mark, not a character
        assert decoded.text == text

    @given(st.binary(max_size=300))
    def test_never_fails_but_for_what_is_no_text(self, raw: bytes) -> None:
        try:
            decoded = decode(raw)
        except NotText:
            return

        decoded.text.encode()
        assert "\0" not in decoded.text
        assert "\n".join(lines_of(decoded.text)) == decoded.text.removesuffix("\n")

    def test_of_the_sample_is_without_loss(self) -> None:
        sample = shared("samples", "yoi-sample")

        for path in sample.rglob("*"):
            if path.is_file():
                assert not decode(path.read_bytes()).lossy
