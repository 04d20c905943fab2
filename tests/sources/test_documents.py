"""Docs in every form: reStructuredText, AsciiDoc, Org, web pages and notebooks, cut at their own headings."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.sources.conftest import read_all
from tests.sources.repository import Repo
from yoimemory.sources.decoding import lines_of
from yoimemory.sources.markup import asciidoc_headings, org_headings, rst_headings
from yoimemory.sources.models import Workspace
from yoimemory.sources.notebooks import OUTPUT_MAX, read_notebook
from yoimemory.sources.reading import Document, Unreadable
from yoimemory.sources.webpages import read_page

pytestmark = pytest.mark.django_db

Register = Callable[[Path], Workspace]


def _read(repo: Repo, register: Register, path: str, text: str) -> tuple[Document, list[Unreadable]]:
    repo.write(path, text)
    documents, unreadable = read_all(register(repo.root))
    return documents[f"doc:{path}"], unreadable


def _rst(text: str) -> list[tuple[int, int, str]]:
    return [(heading.line, heading.level, heading.text) for heading in rst_headings(text, lines_of(text))]


class TestReStructuredText:
    def test_has_its_sections_as_passages(self, repo: Repo, register: Register) -> None:
        text = "=====\nGuide\n=====\n\nIntro.\n\nInstall\n-------\n\nDo it.\n\nLinux\n~~~~~\n\nUse apt.\n"

        found, unreadable = _read(repo, register, "docs/guide.rst", text)

        assert unreadable == []
        assert found.title == "Guide"
        assert [(passage.heading, passage.fragment) for passage in found.passages] == [
            ("Guide", "L1-L5"), ("Guide > Install", "L7-L10"), ("Guide > Install > Linux", "L12-L15"),
        ]  # fmt: skip

    @pytest.mark.parametrize(
        ("text", "headings"),
        [
            ("A\n=\n\nB\n-\n", []),
            ("Title\n=====\n\n.. code-block:: sh\n\n   Not one\n   -------\n", [(1, 1, "Title")]),
            ("Title\n=====\n\n====  ====\na     b\n====  ====\n1     2\n====  ====\n\nSub\n---\n",
             [(1, 1, "Title"), (10, 2, "Sub")]),
            ("Title\n=====\n\nA line\nand one more\n------------\n", [(1, 1, "Title")]),
            ("見出し\n======\n\n本文。\n", [(1, 1, "見出し")]),
            ("Title\n=====\n\n.. unknown:: x\n   :opt: y\n\n----\n\ntext\n", [(1, 1, "Title")]),
        ],
    )  # fmt: skip
    def test_takes_no_sign_for_a_heading_that_is_none(self, text: str, headings: list[tuple[int, int, str]]) -> None:
        assert _rst(text) == headings or (not headings and len(_rst(text)) == 2)

    def test_opens_nothing_that_it_includes(self, repo: Repo, register: Register, tmp_path: Path) -> None:
        (tmp_path / "outside.txt").write_text("Hidden words\n============\n")
        text = (
            f"Title\n=====\n\n.. include:: {tmp_path}/outside.txt\n\n.. raw:: html\n"
            f"   :file: {tmp_path}/outside.txt\n\n"
            f".. csv-table::\n   :file: {tmp_path}/outside.txt\n\n==== ====\na    b\n==== ====\n"
        )

        found, _ = _read(repo, register, "a.rst", text)

        assert "Hidden" not in " ".join(passage.heading + passage.text for passage in found.passages)

    @pytest.mark.parametrize(
        "text",
        [
            "`" * 5_000, "*" * 5_000 + "\n", ".. |a| replace:: |b|\n.. |b| replace:: |a|\n\n|a|\n\n==== ===\nx y\n",
            "- " * 3_000, "\n".join(" " * n + "x::" for n in range(300)) + "\n==== ====\n", "==\n" * 3_000, "\0\x01",
        ],
    )  # fmt: skip
    def test_that_is_odd_ends_and_raises_nothing(self, text: str) -> None:
        rst_headings(text, lines_of(text))


class TestOtherMarkup:
    def test_asciidoc_has_its_titles_outside_blocks(self) -> None:
        text = "= Doc\n\n== One\n\n----\n== not\n----\n\n=== Two ===\n====\n== not either\n====\n"

        found = asciidoc_headings(lines_of(text))

        assert [(heading.line, heading.level, heading.text) for heading in found] == [
            (1, 1, "Doc"), (3, 2, "One"), (9, 3, "Two"),
        ]  # fmt: skip

    def test_org_has_its_headlines_outside_blocks(self) -> None:
        text = "* TODO One\n** Two\n#+begin_src sh\n* not\n#+end_src\n*bold* text\n"

        assert [(heading.level, heading.text) for heading in org_headings(lines_of(text))] == [(1, "One"), (2, "Two")]


PAGE = """<!DOCTYPE html>
<html><head><title>The
 guide</title>
<style>p { color: red }</style>
<script>if (a < b) { alert("<h1>no</h1>") }</script></head>
<body><nav><a href="x">Home</a></nav>
<!-- <h1>hidden</h1> -->
<h1>Guide &amp; more</h1>
<p>First <b>bold</b> words,<br>then &lt;more&gt;.</p>
<h2 class="a>b">Install</h2>
<table><tr><td>one</td><td>two</td></tr></table>
</body></html>
"""


class TestAWebPage:
    def test_is_its_visible_text_on_the_lines_of_the_file(self, repo: Repo, register: Register) -> None:
        found, unreadable = _read(repo, register, "docs/guide.html", PAGE)

        assert unreadable == []
        assert found.title == "The guide"
        assert found.text.split("\n")[7:11] == [
            "Guide & more", "First bold words, then <more>.", "Install", "one two",
        ]  # fmt: skip
        assert found.text.count("\n") == PAGE.count("\n")
        assert not any(word in found.text for word in ("alert", "color", "Home", "hidden"))
        assert [(passage.heading, passage.fragment) for passage in found.passages] == [
            ("Guide & more", "L8-L9"), ("Guide & more > Install", "L10-L11"),
        ]  # fmt: skip

    def test_of_one_long_line_is_broken_where_blocks_begin(self) -> None:
        page = read_page("<h1>A</h1>" + "<p>word</p>" * 400 + "<h2>B</h2>end")

        assert not page.keeps_lines
        assert [(heading.line, heading.text) for heading in page.headings] == [(1, "A"), (402, "B")]
        assert page.text.split("\n")[1] == "word"

    @pytest.mark.parametrize(
        "text",
        [
            "<" * 300_000, "<!--" * 100_000, "<a " * 100_000, "<a b='" * 60_000, "<script>" * 60_000, "</nav>" * 60_000,
            "<h1>" * 60_000, "<svg>" * 60_000, "&" * 300_000, "<![CDATA[" * 50_000, "<?" * 100_000, "<p title=\"",
        ],
    )  # fmt: skip
    def test_that_is_odd_ends_and_raises_nothing(self, text: str) -> None:
        assert read_page(text).text is not None


def _notebook(*cells: object, **more: object) -> str:
    return json.dumps({"cells": list(cells), "nbformat": 4, **more})


CODE = {
    "cell_type": "code", "source": ["import os\n", "os.getcwd()"],
    "outputs": [
        {"output_type": "stream", "text": ["one\n", "two\n"]},
        {"output_type": "execute_result", "data": {"text/plain": "'/home'", "image/png": "AAAA"}},
        {"output_type": "display_data", "data": {"image/png": "AAAA"}},
        {"output_type": "error", "ename": "E", "evalue": "bad", "traceback": ["\x1b[31mTrace\x1b[0m", "E: bad"]},
    ],
}  # fmt: skip


class TestANotebook:
    def test_is_its_cells_with_labelled_outputs(self, repo: Repo, register: Register) -> None:
        text = _notebook(
            {"cell_type": "markdown", "source": "# Study\n\n## Part"}, CODE,
            metadata={"kernelspec": {"language": "python"}},
        )  # fmt: skip

        found, unreadable = _read(repo, register, "study.ipynb", text)

        assert unreadable == []
        assert found.title == "Study"
        assert found.facts == {"cells": 2, "outputs": 1, "language": "python"}
        assert [passage.heading for passage in found.passages] == [
            "Study > Part > cell 1 (markdown)", "Study > Part > cell 2 (code)", "Study > Part > output of cell 2",
        ]  # fmt: skip
        assert found.passages[2].text == "[output of cell 2]\none\ntwo\n'/home'\n[image/png]\nTrace\nE: bad"
        lines = found.text.split("\n")
        for passage in found.passages:
            assert "\n".join(lines[passage.start_line - 1 : passage.end_line]) == passage.text

    def test_of_the_third_format_is_read_too(self) -> None:
        text = json.dumps({
            "worksheets": [{"cells": [
                {"cell_type": "heading", "level": 2, "source": ["Old"]},
                {"cell_type": "code", "input": "1 + 1", "outputs": [{"output_type": "pyout", "text": ["2"]}]},
            ]}],
        })  # fmt: skip

        found = read_notebook(text, name="a.ipynb")

        assert found.lines == ["## Old", "", "1 + 1", "", "[output of cell 2]", "2"]

    def test_cuts_an_output_that_is_long(self) -> None:
        cell = {"cell_type": "code", "source": "x", "outputs": [{"text": "y" * 100_000}]}

        found = read_notebook(_notebook(cell), name="a")

        assert len(found.text) < OUTPUT_MAX + 200
        assert found.text.endswith("[… the rest of this output is left out]")

    def test_with_odd_cells_shows_the_others(self, repo: Repo, register: Register) -> None:
        text = _notebook(7, {"cell_type": ["x"], "source": {"a": 1}}, {"cell_type": "raw", "source": "kept"}, None)

        found, unreadable = _read(repo, register, "a.ipynb", text)

        assert found.text == "kept"
        assert [each.reason for each in unreadable] == [
            "Cell 1 is no object and was passed by.", "Cell 4 is no object and was passed by.",
        ]  # fmt: skip

    @pytest.mark.parametrize("text", ["{", "[1]", '{"cells": 3}', "[" * 100_000, "null"])
    def test_that_is_none_is_shown_as_written_and_reported(self, repo: Repo, register: Register, text: str) -> None:
        found, unreadable = _read(repo, register, "a.ipynb", text)

        assert found.text == text
        assert "shown as it is written" in unreadable[0].reason


class TestInstructionsForAgents:
    @pytest.mark.parametrize(
        "path",
        ["AGENTS.md", "sub/CLAUDE.md", "CLAUDE.local.md", "GEMINI.md", ".github/copilot-instructions.md",
         ".cursor/rules/a.mdc", ".claude/commands/go.md", ".yoi/workflow/x.md"],
    )  # fmt: skip
    def test_are_procedures(self, repo: Repo, register: Register, path: str) -> None:
        assert _read(repo, register, path, "# Do\n")[0].authority == "procedure"

    def test_name_the_files_that_they_take_in(self, repo: Repo, register: Register) -> None:
        text = "@AGENTS.md\n@docs/style.md\n@~/private.md\n@../outside.md\nmail me@example.md now\n"

        found, _ = _read(repo, register, "CLAUDE.md", text)

        assert [(link.target, link.where) for link in found.links if link.kind == "links"] == [
            ("doc:AGENTS.md", "L1"), ("doc:docs/style.md", "L2"),
        ]  # fmt: skip


class TestKnowledgeNotes:
    @pytest.mark.parametrize("path", [".yoi/knowledge/locks.md", ".insomnia/knowledge/locks.md"])
    def test_are_listed_as_history(self, repo: Repo, register: Register, path: str) -> None:
        found, _ = _read(repo, register, path, "# Locks\n")

        assert (found.ref.kind, found.authority, found.facts["historical"]) == ("doc", "semi", True)
        assert "kept as history" in found.facts["notes"][0]
