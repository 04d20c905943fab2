"""Kept searches, words with a date, contradictions, grades and further ways to quote from the terminal."""

from typing import Any

import pytest

from tests.surfaces.test_cli import Terminal, terminal

__all__ = ["terminal"]

pytestmark = pytest.mark.django_db


@pytest.fixture
def seated(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """With a person at it; the plain terminal is what a script has."""
    monkeypatch.setattr("yoimemory.cli.confirming.at_a_terminal", lambda: True)
    return terminal


class TestSearches:
    def test_are_kept_listed_and_taken_off(self, terminal: Terminal) -> None:
        kept = terminal.json("searches", "save", "clocks", "which", "clock", "--where", "kinds=doc", "--shared")

        listed = terminal.json("searches", "list")
        removed = terminal.json("searches", "remove", "clocks")

        assert kept["asked"] == {"q": "which clock", "kinds": ["doc"]}
        assert [one["name"] for one in listed["items"]] == ["clocks"]
        assert removed["id"] == kept["id"]
        assert terminal("searches", "list") == 1
        assert "No search was kept." in terminal.out

    def test_are_asked_again_renamed_and_put_back(self, terminal: Terminal) -> None:
        terminal("searches", "save", "clocks", '"later clock"', "--where", "kinds=doc", "--where", "order=newest")

        asked = terminal.json("searches", "run", "clocks", "--limit", "1")
        terminal("searches", "rename", "clocks", "old clocks")
        terminal("searches", "remove", "old clocks")
        gone = terminal("searches", "run", "old clocks")
        back = terminal.json("searches", "restore", "old clocks")

        assert asked["items"][0]["kind"] == "doc"
        assert asked["total"] == terminal.json("search", '"later clock"', "--kind", "doc")["total"]
        assert gone == 4
        assert (back["name"], back["removed"]) == ("old clocks", False)

    def test_that_nobody_kept_are_missing(self, terminal: Terminal) -> None:
        assert terminal("searches", "remove", "nothing") == 4
        assert "yoimemory searches list" in terminal.err

    def test_of_late_are_listed(self, terminal: Terminal) -> None:
        assert terminal("searches", "recent") == 1
        terminal("search", "clock")

        assert [one["asked"]["q"] for one in terminal.json("searches", "recent")["items"]] == ["clock"]

    def test_refuse_a_filter_that_there_is_not(self, terminal: Terminal) -> None:
        assert terminal("searches", "save", "odd", "clock", "--where", "colour=red") == 2
        assert "colour" in terminal.err


class TestAliases:
    def test_are_added_listed_and_removed_by_a_person(self, seated: Terminal) -> None:
        added = seated.json("aliases", "add", "watch", "clock", "--until", "2026-05-01", "--note", "Renamed.")

        assert seated("aliases", "list") == 0
        assert "watch = clock  until 2026-05-01  Renamed." in seated.out
        assert seated("aliases", "remove", added["id"]) == 0
        assert seated("aliases", "list", "--json") == 1

    def test_are_refused_to_a_script(self, terminal: Terminal) -> None:
        assert terminal("aliases", "add", "watch", "clock") == 3
        assert "at a terminal" in terminal.err


class TestDisagreeing:
    def test_is_noted_and_listed_from_either_side(self, terminal: Terminal, sides: tuple[str, str]) -> None:
        noted = terminal.json("contradictions", "note", *sides, "--about", "Which clock wins.", "--left-scope", "May")

        listed = terminal.json("contradictions", "list", "--ref", sides[1])

        assert [one["ref"] for one in listed["items"]] == [noted["ref"]]
        assert noted["left"]["scope"] == "May"
        assert terminal("contradictions", "list", "--status", "resolved") == 1

    def test_grades_a_source_as_a_person_only(self, seated: Terminal, sides: tuple[str, str]) -> None:
        said = ("--grade", "mixed", "--reason", "Half of it is old.")

        assert seated.json("reliability", "set", sides[0], *said)["grade"] == "mixed"
        assert seated("reliability", "list") == 0
        assert "mixed  Half of it is old." in seated.out

    def test_grades_nothing_for_a_script(self, terminal: Terminal, sides: tuple[str, str]) -> None:
        assert terminal("reliability", "set", sides[0], "--grade", "mixed", "--reason", "Because.") == 3

    @pytest.fixture
    def sides(self, terminal: Terminal) -> tuple[str, str]:
        found = terminal.json("search", "clock", "--limit", "1")["items"][0]["ref"].partition("@")[0]
        return found, "doc:docs/other.md"


class TestShoebox:
    def test_says_what_a_task_without_a_record_is(self, terminal: Terminal) -> None:
        box = terminal.json(
            "shoebox", "new", "--question", "Which clock wins?", "--task-kind", "review", "--task-title", "Merging",
            "--no-gather",
        )  # fmt: skip

        assert (box["task_kind"], box["task_title"]) == ("review", "Merging")

    def test_is_duplicated_for_another_question(self, terminal: Terminal) -> None:
        box = terminal.json("shoebox", "new", "--question", "Which clock wins?")

        twin = terminal.json("shoebox", "duplicate", box["ref"], "--question", "Which clock loses?")

        assert twin["ref"] != box["ref"]
        assert twin["items_held"] == box["items_held"]

    def test_is_gathered_again_and_shows_only_what_is_new_and_what_has_changed(self, terminal: Terminal) -> None:
        box = terminal.json("shoebox", "new", "--question", "Which clock wins?")
        assert terminal("shoebox", "gather", box["ref"]) == 1
        assert terminal.out.strip() == "Nothing is new, and nothing has changed."
        guide = terminal.root / "docs" / "guide.md"
        guide.write_text(guide.read_text().replace("wins", "loses"))
        (terminal.root / "docs" / "clocks.md").write_text("# Clocks\n\nWhich clock wins is asked of the tablets.\n")
        terminal("index")

        gathered = terminal.json("shoebox", "gather", box["ref"])

        assert [one["ref"].partition("@")[0] for one in gathered["new"]] == ["doc:docs/clocks.md"]
        assert [one["ref"].partition("@")[0] for one in gathered["changed"]] == ["doc:docs/guide.md"]
        assert gathered["changed"][0]["caveats"][-1].startswith("Changed since it was read:")


class TestObservation:
    def test_says_what_is_absent(self, terminal: Terminal, box: Any) -> None:
        hit = terminal.json("search", "clock", "--limit", "1")["items"][0]

        made = terminal.json(
            "evidence", "add", "--shoebox", box["ref"], "--ref", hit["ref"].partition("#")[0], "--kind", "observation",
            "--absent", "nowhere to be found here", "--summary", "It says nothing of it.", "--basis", "witnessed",
        )  # fmt: skip

        assert made["stored"][0]["kind"] == "observation"
        assert made["stored"][0]["observed"]["pattern"] == "nowhere to be found here"

    @pytest.fixture
    def box(self, terminal: Terminal) -> Any:
        return terminal.json("shoebox", "new", "--question", "Which clock wins?", "--no-gather")
