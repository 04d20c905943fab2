"""Representations, lists of any kind and completion from the terminal."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from hypotheses.models import Representation
from tests.surfaces.test_cli import Terminal, quote_rule, terminal

__all__ = ["terminal"]

pytestmark = pytest.mark.django_db


@pytest.fixture
def box(terminal: Terminal) -> Any:
    """A shoebox with one quote."""
    box = terminal.json("shoebox", "new", "--question", "Which clock wins?")
    quote_rule(terminal, box)
    return box


class TestRepresent:
    def test_builds_one_shows_it_and_takes_its_file_in_again(
        self, terminal: Terminal, box: Any, tmp_path: Path
    ) -> None:
        made = terminal.json("represent", "new", "--shoebox", box["ref"], "--kind", "timeline")
        assert terminal("represent", "show", made["ref"]) == 0
        markdown = terminal.out
        exported = tmp_path / "timeline.json"
        assert terminal("represent", "show", made["ref"], "--json") == 0
        exported.write_text(terminal.out, encoding="utf-8")

        again = terminal.json("represent", "import", str(exported))

        assert markdown.startswith("# Timeline: Which clock wins?")
        assert markdown.rstrip().endswith(f"Ref: {made['ref']}, version 1")
        assert again["body"] == made["body"]
        assert again["ref"] != made["ref"]
        assert {row["ref"] for row in terminal.json("represent", "list")["items"]} == {made["ref"], again["ref"]}

    def test_takes_rows_from_a_file(self, terminal: Terminal, box: Any, tmp_path: Path) -> None:
        rows = tmp_path / "rows.json"
        rows.write_text('{"rows": [{"risk": "Two clocks disagree for a day.", "likelihood": "likely"}]}')

        code = terminal("represent", "new", "--shoebox", box["ref"], "--kind", "risks", "--body", str(rows))

        assert code == 0, terminal.err
        assert Representation.objects.get().body["rows"][0]["risk"] == "Two clocks disagree for a day."

    @pytest.mark.parametrize(
        ("arguments", "code", "says"),
        [
            (["new", "--kind", "horoscope"], 2, "input"),
            (["new", "--kind", "risks", "--body", "none.json"], 2, "none.json cannot be read as text"),
            (["new", "--kind", "risks"], 2, "people and Workers write it"),
        ],
    )
    def test_says_what_is_wrong(self, terminal: Terminal, box: Any, arguments: list[str], code: int, says: str) -> None:
        assert terminal("represent", *arguments, "--shoebox", box["ref"]) == code
        assert says in terminal.err

    def test_knows_no_representation_of_another_name(self, terminal: Terminal) -> None:
        assert terminal("represent", "show", "representation:none") == 4
        assert "represent list" in terminal.err


class TestList:
    @pytest.mark.parametrize(
        "noun", ["shoeboxes", "evidence", "hypotheses", "proposals", "markers", "memory", "events"]
    )
    def test_gives_every_kind_in_the_shape_of_json(self, terminal: Terminal, box: Any, noun: str) -> None:
        page = terminal.json("list", noun, code=0 if noun in {"shoeboxes", "evidence", "events"} else 1)

        assert set(page) >= {"items", "shown", "total", "truncated", "next_cursor"}

    def test_says_that_there_is_none(self, terminal: Terminal) -> None:
        assert terminal("represent", "list") == 1
        assert terminal.out == "No representations here.\n"
        assert terminal("list", "markers", "--where", "state=stale") == 1
        assert terminal.out == "No markers here that fit.\n"

    def test_says_how_a_record_stands_and_its_first_words(self, terminal: Terminal, box: Any) -> None:
        assert terminal("list", "evidence", "--where", "state=suggested") == 0
        assert "suggested  The later clock wins" in terminal.out

    @pytest.mark.parametrize(
        ("arguments", "says"),
        [(["dreams"], "Known: "), (["evidence", "--where", "colour=red"], "It takes: "), (["evidence", "--where", "x"],
         "--where state=accepted")],
    )  # fmt: skip
    def test_refuses_what_it_does_not_know(self, terminal: Terminal, arguments: list[str], says: str) -> None:
        assert terminal("list", *arguments) == 2
        assert says in terminal.err


class TestCompletion:
    @pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
    def test_is_printed_for_each_shell(self, terminal: Terminal, shell: str) -> None:
        assert terminal("completion", shell) == 0
        assert "yoimemory" in terminal.out

    def test_offers_the_verbs_that_may_come_next(self, tmp_path: Path) -> None:
        offered = tmp_path / "offered"
        asked = "yoimemory represent "
        environment = {
            **os.environ, "_ARGCOMPLETE": "1", "COMP_LINE": asked, "COMP_POINT": str(len(asked)),
            "_ARGCOMPLETE_STDOUT_FILENAME": str(offered), "_ARGCOMPLETE_IFS": " ",
        }  # fmt: skip

        subprocess.run(
            [sys.executable, "-m", "yoimemory.cli"], env=environment, timeout=60, check=False, capture_output=True
        )

        assert {"new", "import", "list", "show"} <= set(offered.read_text().split())
