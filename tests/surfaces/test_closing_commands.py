"""The loop's end from the terminal: skills, impact, import of artifacts, connecting a client."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from pytest_django.fixtures import Settings

from tests.factories import make_evidence, make_shoebox
from tests.products.making import make_argued_shoebox
from tests.surfaces.test_cli import Terminal, terminal
from yoimemory.cli import run as cli_run
from yoimemory.products.artifact import artifact_of, as_json
from yoimemory.products.models import Impact, Installation
from yoimemory.sources.models import Workspace

__all__ = ["terminal"]

pytestmark = pytest.mark.django_db


@pytest.fixture
def person(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Somebody at the terminal, who answers with the words of this list."""
    answers: list[str] = ["y"]
    for name in ("yoimemory.cli.confirming", "yoimemory.cli.shoebox"):
        __import__(name)
        monkeypatch.setattr(sys.modules[name], "at_a_terminal", lambda: True)
    monkeypatch.setattr("builtins.input", lambda _: answers.pop(0))
    return answers


class TestSkills:
    def test_are_listed_with_where_they_stand(self, terminal: Terminal) -> None:
        rows = terminal.json("skills", "list")

        assert rows[0]["name"] == "yoimemory"
        assert all(row["installed"] == [] and row["description"] for row in rows)

    def test_are_written_after_a_yes_and_taken_away(self, terminal: Terminal, person: list[str]) -> None:
        assert terminal("skills", "install", "--folder", ".claude/skills") == 0
        shown = terminal.out
        listed = terminal.json("skills", "list")

        assert "name: yoimemory" in shown
        assert listed[0]["installed"] == [".claude/skills"]
        assert terminal("skills", "undo") == 0
        assert not list(terminal.root.rglob("SKILL.md"))
        assert terminal("skills", "undo") == 4

    def test_are_not_written_after_a_no(self, terminal: Terminal, person: list[str]) -> None:
        person[:] = ["n"]

        assert terminal("skills", "install") == 1
        assert not Installation.objects.exists()

    def test_are_shown_and_not_written_where_nobody_sits(self, terminal: Terminal) -> None:
        assert terminal("skills", "install") == 3
        assert ".yoi/skills/yoimemory/SKILL.md  is new" in terminal.out
        assert not list(terminal.root.rglob("SKILL.md"))

    def test_that_somebody_changed_are_not_written_over(self, terminal: Terminal, person: list[str]) -> None:
        mine = terminal.root / ".yoi" / "skills" / "yoimemory" / "SKILL.md"
        mine.parent.mkdir(parents=True)
        mine.write_text("Mine.\n")

        assert terminal("skills", "install") == 3
        assert "was changed by somebody" in terminal.err
        assert mine.read_text() == "Mine.\n"


class TestImpact:
    def test_is_told_listed_and_counted(self, terminal: Terminal) -> None:
        evidence = make_evidence(make_shoebox(Workspace.objects.get()))
        product = ["--product", "doc:docs/guide.md", "--subject", str(evidence.ref)]

        told = terminal.json("impact", "record", "changed_plan", *product)
        again = terminal("impact", "record", "changed_plan", *product)
        listed = terminal.json("impact", "list", "--known", "recorded")
        figures = terminal.json("impact", "show")

        assert (told["known"], again) == ("recorded", 3)
        assert [one["id"] for one in listed["items"]] == [told["id"]]
        assert next(row for row in figures["effects"] if row["kind"] == "changed_plan")["recorded"] == 1

    def test_shows_three_columns_and_no_sum(self, terminal: Terminal) -> None:
        assert terminal("impact", "show") == 0
        assert "observed  recorded  claimed   (never added)" in terminal.out
        assert "exposure, never success" in terminal.out

    def test_says_when_nothing_is_known(self, terminal: Terminal) -> None:
        assert terminal("impact", "list") == 1
        assert not Impact.objects.exists()


class TestImport:
    def test_takes_an_artifact_of_elsewhere_in(self, terminal: Terminal, tmp_path: Path) -> None:
        workspace = Workspace.objects.get()
        shoebox = make_argued_shoebox(workspace)
        (tmp_path / "a.json").write_text(as_json(artifact_of(shoebox)))

        known: dict[str, Any] = terminal.json("shoebox", "import", str(tmp_path / "a.json"))

        assert (known["known"], known["shoebox"]) == (True, str(shoebox.ref))

    def test_refuses_a_changed_one(self, terminal: Terminal, tmp_path: Path) -> None:
        text = as_json(artifact_of(make_argued_shoebox(Workspace.objects.get())))
        (tmp_path / "a.json").write_text(text.replace("Config alone", "Config always"))

        assert terminal("shoebox", "import", str(tmp_path / "a.json")) == 3
        assert "was changed after it was made" in terminal.err


class TestConnect:
    @pytest.fixture(autouse=True)
    def _answers(self, monkeypatch: pytest.MonkeyPatch) -> None:
        from yoimemory.cli import connect

        monkeypatch.setattr(connect, "try_entry", lambda entry: connect.Tried(True, "It starts."))

    def test_prints_what_the_client_reads_and_writes_nothing(self, terminal: Terminal, settings: Settings) -> None:
        assert terminal("connect", "claude") == 0
        assert f'"YOIMEMORY_HOME": "{settings.HOME}"' in terminal.out
        assert "Nothing was written." in terminal.out
        assert "Tried: It starts." in terminal.out
        assert not (terminal.root / ".mcp.json").exists()

    def test_writes_after_a_yes(self, terminal: Terminal, person: list[str]) -> None:
        assert terminal("connect", "codex", "--write") == 0
        assert "[mcp_servers.yoimemory]" in (terminal.root / ".codex" / "config.toml").read_text()

    def test_says_as_skills_do_when_all_is_there_and_after_a_no(self, terminal: Terminal, person: list[str]) -> None:
        person[:] = ["n", "y", "n", "y"]

        codes = [terminal("connect", "codex", "--write"), terminal("connect", "codex", "--write")]
        again = terminal("connect", "codex", "--write"), terminal.out
        skills = [terminal("skills", "install"), terminal("skills", "install"), terminal("skills", "install")]

        assert codes == [1, 0]
        assert again[0] == 0
        assert "Everything is there already; nothing was written." in again[1]
        assert skills == [1, 0, 0]

    def test_writes_nothing_where_nobody_sits(self, terminal: Terminal) -> None:
        assert terminal("connect", "claude", "--write") == 3
        assert not (terminal.root / ".mcp.json").exists()

    def test_tells_machines_too(self, terminal: Terminal) -> None:
        told = terminal.json("connect", "yoi")

        assert told["works"] is True
        assert "[[mcp.stdio_server]]" in told["configuration"]


def test_no_token_may_install_or_connect(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    token = json.loads(_token(terminal))["token"]
    monkeypatch.setenv("YOIMEMORY_TOKEN", token)

    assert terminal("skills", "install") == 3
    assert terminal("connect", "claude") == 3
    assert cli_run.REFUSED == 3


def _token(terminal: Terminal) -> str:
    assert terminal("token", "new", "coder", "--scope", "propose", "--json") == 0
    return terminal.out
