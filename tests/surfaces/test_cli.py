"""The command line: every verb in the same process as its databases, human and JSON output, exit codes."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from pytest_django.fixtures import Settings

from evidence.models import Evidence
from shoebox.models import Shoebox
from tests.factories import NOON, make_hypothesis, make_workspace
from tests.surfaces.conftest import make_repository
from yoimemory.access.models import Token
from yoimemory.cli import main, parser
from yoimemory.jobs.models import Job
from yoimemory.jobs.services import enqueue
from yoimemory.markers.models import Marker
from yoimemory.products.models import Proposal
from yoimemory.sources.models import Workspace

pytestmark = pytest.mark.django_db

RULE = "The later clock wins, until the tablets agree on one."


class Terminal:
    """Runs verbs and keeps what they printed."""

    def __init__(self, capsys: pytest.CaptureFixture[str], root: Path) -> None:
        self._capsys, self.root = capsys, root
        self.out = self.err = ""

    def __call__(self, *arguments: str) -> int:
        self._capsys.readouterr()
        code = main(list(arguments))
        self.out, self.err = self._capsys.readouterr()
        assert "Traceback" not in self.err
        return code

    def json(self, *arguments: str, code: int = 0) -> Any:
        assert self(*arguments, "--json") == code, self.err
        return json.loads(self.out)


@pytest.fixture
def terminal(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> Terminal:
    """A person in the folder of a workspace that was read."""
    settings.HOME = tmp_path / "home"
    settings.HOME.mkdir(mode=0o700)
    root = make_repository(tmp_path / "house")
    monkeypatch.chdir(root)
    terminal = Terminal(capsys, root)
    assert terminal("index", str(root)) == 0
    return terminal


@pytest.fixture
def seated(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """The same with a person at it; the plain terminal is what a script has."""
    for verbs in ("evidence", "proposing", "shoebox"):
        monkeypatch.setattr(f"yoimemory.cli.{verbs}.at_a_terminal", lambda: True)
    return terminal


def quote_rule(terminal: Terminal, box: Any) -> Any:
    """Quote the rule into a shoebox, with a reason; return the stored evidence."""
    quoted = terminal.json(
        "evidence", "add", "--shoebox", box["ref"], "--ref", "doc:docs/guide.md", "--quote", RULE,
        "--relation", "supports", "--why", "It is the rule itself.",
    )  # fmt: skip
    return quoted["stored"][0]


class TestHelp:
    def test_is_quick_because_nothing_heavy_is_imported(self) -> None:
        script = (
            "import sys\n"
            "from yoimemory.cli import main\n"
            "try:\n    main(['--help'])\nexcept SystemExit: pass\n"
            "heavy = {'django', 'git', 'pydantic', 'ninja', 'mcp', 'uvicorn', 'subprocess'} & set(sys.modules)\n"
            "assert not heavy, heavy"
        )

        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=30, check=False)

        assert done.returncode == 0, done.stderr
        assert "exit codes" in done.stdout

    def test_exists_for_every_verb(self, capsys: pytest.CaptureFixture[str]) -> None:
        verbs = ["serve", "demo", "link", "doctor", "index", "status", "search", "open", "propose", "mark"]
        verbs += [f"sources {name}" for name in ("add", "list", "remove")]
        verbs += [f"shoebox {name}" for name in ("new", "list", "show", "add", "export")]
        verbs += [f"evidence {name}" for name in ("add", "list", "show")]
        verbs += [f"token {name}" for name in ("new", "list", "revoke")]

        for verb in verbs:
            with pytest.raises(SystemExit) as ended:
                parser().parse_args([*verb.split(), "--help"])
            assert ended.value.code == 0

    def test_answers_what_it_does_not_know(self, capsys: pytest.CaptureFixture[str]) -> None:
        with pytest.raises(SystemExit) as ended:
            main(["serves"])

        assert ended.value.code == 2
        assert "invalid choice" in capsys.readouterr().err


class TestIndex:
    def test_registers_and_reads(self, terminal: Terminal) -> None:
        assert "house" in terminal.out
        assert "3 documents" in terminal.out
        assert terminal.err == ""

    def test_reads_only_what_changed(self, terminal: Terminal) -> None:
        (terminal.root / "docs" / "guide.md").write_text("# Guide\n\nNobody wins.\n")

        result = terminal.json("index")

        assert (result["changed"], result["removed"], result["documents"]) == (1, 0, 3)
        assert result["state"] == "done"

    def test_reads_a_commit(self, terminal: Terminal) -> None:
        (terminal.root / "new.md").write_text("# New\n")

        result = terminal.json("index", "--revision", "HEAD")

        assert result["documents"] == 3
        assert terminal("index", "--revision", "nope") == 4
        assert "nope" in terminal.err
        assert terminal("index", "--revision=--output=x") == 2

    def test_is_stopped_by_another_terminal(self, terminal: Terminal) -> None:
        workspace = Workspace.objects.get()
        waiting = enqueue(Job.Kind.INDEX, workspace=workspace, now=NOON)

        assert terminal("index", "--stop") == 0
        assert "What was read stays" in terminal.out
        assert terminal("index", "--stop") == 1
        assert "Nothing reads" in terminal.out
        waiting.refresh_from_db()
        assert waiting.state == "stopped"

    def test_tells_when_nothing_could_be_read(self, terminal: Terminal, tmp_path: Path) -> None:
        (tmp_path / "empty").mkdir()

        assert terminal("index", str(tmp_path / "empty")) == 1
        assert "Nothing could be read" in terminal.out

    def test_refuses_a_folder_that_is_not_there(self, terminal: Terminal) -> None:
        assert terminal("index", "/no/such/folder") == 2
        assert "/no/such/folder" in terminal.err

    def test_counts_and_lists_what_is_unreadable(self, terminal: Terminal) -> None:
        (terminal.root / "docs" / "loop.md").symlink_to("loop.md")
        (terminal.root / "docs" / "odd.md").write_bytes(b"\x00\x01\x02" * 200)

        code = terminal("index")
        found = terminal.json("status")

        assert code == 0
        assert found["index"]["commit"]
        assert isinstance(found["unreadable"], list)


class TestReading:
    def test_finds_passages(self, terminal: Terminal) -> None:
        assert terminal("search", "later", "clock") == 0
        assert RULE in terminal.out
        assert "doc:docs/guide.md" in terminal.out

        found = terminal.json("search", "later clock", "--kind", "doc", "--limit", "1")
        assert found["items"][0]["kind"] == "doc"

    def test_finds_japanese(self, terminal: Terminal) -> None:
        assert "発注" in terminal.json("search", "取り消せない")["items"][0]["snippet"]

    def test_tells_the_kinds_of_nothing(self, terminal: Terminal) -> None:
        assert terminal("search", "zebra") == 1
        assert terminal.out
        assert terminal.json("search", "zebra", code=1)["nothing"]

    @pytest.mark.parametrize("text", ['"', "a:b*", "(", "-", "AND", "C++", "日"])
    def test_never_fails_on_what_is_typed(self, terminal: Terminal, text: str) -> None:
        assert terminal("search", "--", text) in {0, 1}
        assert terminal.err == ""

    def test_reads_a_day_as_its_end(self, terminal: Terminal) -> None:
        assert terminal("search", "clock", "--as-of", "2026-07-14") == 0
        assert terminal("search", "clock", "--as-of", "yesterday") == 2
        assert "no point in time" in terminal.err

    def test_opens_a_ref_with_line_numbers(self, terminal: Terminal) -> None:
        assert terminal("open", "doc:docs/guide.md#L5") == 0
        assert f"     5 | {RULE}" in terminal.out
        assert terminal.out.rstrip().split("\n")[-1].startswith("doc:docs/guide.md@")

        opened = terminal.json("open", "doc:docs/guide.md#L5")
        assert (opened["text"], opened["first_line"], opened["trust"]) == (RULE, 5, "untrusted")

    def test_opens_what_is_no_ref_but_names_one_source(self, terminal: Terminal) -> None:
        assert terminal.json("open", "docs/guide.md")["ref"].startswith("doc:docs/guide.md@")

    @pytest.mark.parametrize("ref", ["doc:docs/guid.md", "doc:docs/guide.md#L99", "doc:docs/guide.md#heading=x"])
    def test_says_what_is_nearest_to_what_is_missing(self, terminal: Terminal, ref: str) -> None:
        assert terminal("open", ref) == 4
        assert "doc:docs/guide.md" in terminal.err

    def test_says_what_to_do_when_nothing_is_near(self, terminal: Terminal) -> None:
        assert terminal("open", "ticket:00001KXKMX0QM") == 4
        assert "00001KXKMX0QM" in terminal.err

    def test_stays_within_a_budget(self, terminal: Terminal) -> None:
        (terminal.root / "docs" / "long.md").write_text("# Long\n\n" + "A line of many words.\n" * 2_000)
        terminal("index")

        assert terminal("open", "doc:docs/long.md") == 0
        assert len(terminal.out) <= 8_001
        assert "go on with doc:docs/long.md@" in terminal.out
        assert terminal("open", "doc:docs/long.md", "--budget", "2000") == 0
        assert len(terminal.out) <= 2_001


class TestSources:
    def test_come_and_go(self, terminal: Terminal, tmp_path: Path) -> None:
        log = tmp_path / "session.jsonl"
        log.write_text(
            json.dumps({"role": "user", "content": "Why did the heron leave?", "timestamp": "2026-07-14T10:00:00Z"})
            + "\n"
        )

        assert terminal.json("sources", "add", str(log), "--kind", "session")["kind"] == "session"
        terminal("index")
        assert terminal("search", "heron") == 0
        listed = terminal.json("sources", "list")
        assert listed[0]["sources"][0]["path"] == str(log)
        assert terminal.json("sources", "remove", str(log)) == {"workspace": "house", "removed": 1}
        assert terminal("sources", "remove", str(log)) == 4
        assert log.exists()


class TestTheLoop:
    """From a question to a proposal, as a person at the terminal."""

    def test_runs(self, seated: Terminal, tmp_path: Path) -> None:
        terminal = seated
        box = terminal.json("shoebox", "new", "--question", "Does the later clock win?")
        assert box["ref"] == f"shoebox:{box['id']}"
        assert any("docs/guide.md" in item["ref"] for item in box["items"])
        assert terminal("shoebox", "show", box["ref"]) == 0
        assert terminal.out.rstrip().endswith(box["ref"])
        assert box["id"] in {one["id"] for one in terminal.json("shoebox", "list")["items"]}

        added = terminal.json(
            "shoebox", "add", box["id"], "doc:clock.py".replace("doc", "code"), "--why", "It does what the rule says."
        )
        assert len(added) <= 1

        evidence = quote_rule(terminal, box)
        assert (evidence["state"], evidence["anchor_state"]) == ("accepted", "verified")
        assert terminal("evidence", "show", evidence["ref"]) == 0
        assert f"  | {RULE}" in terminal.out
        assert terminal.json("evidence", "list", "--shoebox", box["id"])["total"] == 1

        new_text = tmp_path / "new.md"
        new_text.write_text("# Guide\n\nThe server's clock decides.\n")
        proposed = terminal.json(
            "propose", "--target", "doc", "--path", "docs/guide.md", "--content", str(new_text),
            "--rationale", "The tablets never agreed.", "--evidence", evidence["ref"], "--shoebox", box["id"],
        )  # fmt: skip
        assert proposed["state"] == "proposed"
        assert Proposal.objects.get().path == "docs/guide.md"
        assert RULE in (terminal.root / "docs" / "guide.md").read_text()

    def test_refuses_words_that_do_not_stand_there(self, terminal: Terminal) -> None:
        box = terminal.json("shoebox", "new", "--question", "Does the later clock win?", "--no-gather")

        code = terminal(
            "evidence", "add", "--shoebox", box["id"], "--ref", "doc:docs/guide.md",
            "--quote", "The earlier clock wins, until the tablets agree on one.",
        )  # fmt: skip

        assert code == 1
        assert "not_found" in terminal.err
        assert not Evidence.objects.exists()

    def test_shows_what_an_export_would_write_before_it_does(
        self, seated: Terminal, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        terminal = seated
        box = terminal.json("shoebox", "new", "--question", "Does the later clock win?")
        folder = ".yoi/objectives/00001KVJSMQXZ/resources"
        (terminal.root / folder).mkdir(parents=True)
        (terminal.root / folder).parent.joinpath("item.md").write_text("---\ntitle: Clocks\n---\n\nClocks.\n")

        monkeypatch.setattr("builtins.input", lambda question: "")
        assert terminal("shoebox", "export", box["id"], "--folder", folder) == 1
        assert folder in terminal.out
        assert "Nothing was written" in terminal.out
        assert list((terminal.root / folder).iterdir()) == []

        monkeypatch.setattr("builtins.input", lambda question: "yes")
        assert terminal("shoebox", "export", box["id"], "--folder", folder) == 0
        assert list((terminal.root / folder).rglob("*.md"))

    def test_says_what_does_not_exist(self, terminal: Terminal) -> None:
        assert terminal("shoebox", "show", "01JZZZZZZZZZZZZZZZZZZZZZZZ") == 4
        assert terminal("evidence", "show", "01JZZZZZZZZZZZZZZZZZZZZZZZ") == 4
        assert terminal("shoebox", "new", "--question", "x") == 2
        assert "question" in terminal.err
        assert not Shoebox.objects.exists()


class TestAScript:
    """Nobody sits at the terminal: an agent with a shell gives itself no verdict, whoever's name it runs under."""

    def test_quotes_for_review(self, terminal: Terminal) -> None:
        box = terminal.json("shoebox", "new", "--question", "Does the later clock win?", "--no-gather")

        stored = quote_rule(terminal, box)

        assert stored["state"] == "suggested"
        assert not Evidence.objects.get().reviews.exists()

    def test_adds_nothing_to_what_was_accepted(self, terminal: Terminal) -> None:
        box = terminal.json("shoebox", "new", "--question", "Does the later clock win?", "--no-gather")
        Evidence.objects.filter(public_id=quote_rule(terminal, box)["id"]).update(state="accepted")
        claim = make_hypothesis(Shoebox.objects.get())

        answer = terminal.json(
            "evidence", "add", "--shoebox", box["ref"], "--ref", "doc:docs/guide.md", "--quote", RULE,
            "--relation", "refutes", "--target", str(claim.ref), "--why", "It is the rule itself.", code=1,
        )  # fmt: skip

        assert answer["refused"][0]["code"] == "duplicate"
        assert [one.relation for one in Evidence.objects.get().relations.all()] == ["supports"]

    def test_marks_for_review(self, terminal: Terminal) -> None:
        assert terminal("mark", "doc:docs/guide.md", "--state", "stale", "--reason", "Withdrawn in July.") == 0

        assert Marker.objects.get().status == "proposed"

    def test_writes_nothing_into_the_workspace(self, terminal: Terminal) -> None:
        box = terminal.json("shoebox", "new", "--question", "Does the later clock win?")
        folder = ".yoi/objectives/00001KVJSMQXZ/resources"
        (terminal.root / folder).mkdir(parents=True)
        (terminal.root / folder).parent.joinpath("item.md").write_text("---\ntitle: Clocks\n---\n\nClocks.\n")

        assert terminal("shoebox", "export", box["id"], "--folder", folder) == 3

        assert folder in terminal.out
        assert "a person confirms an export" in terminal.err
        assert list((terminal.root / folder).iterdir()) == []


class TestAWorker:
    """With a token in the environment every verb acts as that Worker, within its scope."""

    @pytest.fixture
    def worker(self, seated: Terminal, monkeypatch: pytest.MonkeyPatch) -> Terminal:
        made = seated.json("token", "new", "coder", "--scope", "propose", "--role", "coder")
        monkeypatch.setenv("YOIMEMORY_TOKEN", made["token"])
        return seated

    def test_proposes_under_its_own_name(self, worker: Terminal) -> None:
        box = worker.json("shoebox", "new", "--question", "Does the later clock win?", "--no-gather")

        stored = quote_rule(worker, box)

        assert (stored["state"], stored["made_by"]) == ("suggested", "coder Worker")
        assert Shoebox.objects.get().opened_by.is_worker

    @pytest.mark.parametrize(
        "verb",
        [
            ["index"], ["link"], ["token", "new", "more", "--scope", "propose"], ["token", "list"],
            ["token", "revoke", "coder"], ["sources", "add", ".", "--kind", "session"], ["sources", "remove", "."],
            ["shoebox", "export", "01JZZZZZZZZZZZZZZZZZZZZZZZ"],
        ],
        ids=" ".join,
    )  # fmt: skip
    def test_may_not_do_what_only_people_may(self, worker: Terminal, verb: list[str]) -> None:
        assert worker(*verb) == 3
        assert "only a person may" in worker.err
        assert Token.objects.count() == 1

    def test_needs_the_scope(self, seated: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
        made = seated.json("token", "new", "reader", "--scope", "read")
        monkeypatch.setenv("YOIMEMORY_TOKEN", made["token"])

        assert seated("search", "later", "clock") == 0
        assert seated("shoebox", "new", "--question", "Does the later clock win?") == 3
        assert "may only read" in seated.err
        assert not Shoebox.objects.exists()

    def test_has_the_workspace_of_its_token(self, worker: Terminal) -> None:
        make_workspace(slug="barn")

        assert worker("search", "clock", "--workspace", "barn") == 4
        assert [one["workspace"] for one in worker.json("sources", "list")] == ["house"]

    def test_is_refused_once_its_token_has_ended(self, worker: Terminal) -> None:
        Token.objects.update(revoked_at=NOON)

        assert worker("search", "clock") == 3
        assert "revoked" in worker.err


class TestMark:
    def test_stands_and_is_told_beside_the_source(self, seated: Terminal) -> None:
        terminal = seated
        assert terminal("mark", "doc:docs/guide.md", "--state", "stale", "--reason", "Withdrawn in July.") == 0
        assert Marker.objects.get().status == "standing"

        assert terminal("open", "doc:docs/guide.md") == 0
        assert "caveat: Marked stale" in terminal.out
        assert terminal("mark", "doc:docs/guide.md", "--state", "stale", "--reason", "Again.") == 3
        assert terminal("mark", "nonsense", "--state", "stale", "--reason", "Why not.") == 2


class TestToken:
    def test_is_printed_once_and_revoked(self, terminal: Terminal) -> None:
        made = terminal.json("token", "new", "coder", "--scope", "propose", "--role", "coder")
        assert made["token"].startswith("yoim_")
        assert made["workspace"] == "house"

        listed = terminal.json("token", "list")
        assert [one["name"] for one in listed] == ["coder"]
        assert made["token"] not in terminal.out

        assert terminal.json("token", "revoke", "coder") == {"revoked": 1}
        assert Token.objects.get().revoked_at
        assert terminal("token", "revoke", "coder") == 4

    def test_is_bound_to_the_workspace_that_is_meant(
        self, terminal: Terminal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        terminal("index", str(make_repository(tmp_path / "barn")))
        monkeypatch.chdir(tmp_path)

        assert terminal("token", "new", "x", "--scope", "read") == 2
        assert "barn, house" in terminal.err
        assert terminal.json("token", "new", "x", "--scope", "read", "--workspace", "barn")["workspace"] == "barn"
        assert terminal("token", "new", "x", "--scope", "read", "--workspace", "shed") == 4

        monkeypatch.chdir(terminal.root / "docs")
        assert terminal.json("token", "new", "y", "--scope", "read")["workspace"] == "house"


class TestLink:
    def test_is_new_each_time(self, terminal: Terminal) -> None:
        first, second = terminal.json("link"), terminal.json("link")

        assert "/start/" in first["link"]
        assert first["link"] != second["link"]


class TestDoctor:
    def test_finds_nothing_wrong_with_a_healthy_house(self, terminal: Terminal) -> None:
        assert terminal("doctor") == 0
        assert "Healthy." in terminal.out

    def test_names_what_is_behind_with_its_remedy(self, terminal: Terminal) -> None:
        Workspace.objects.create(slug="gone", name="gone", root="/no/such", identity="x", created_at=NOON)

        found = terminal.json("doctor", code=1)

        wrong = [one for one in found["findings"] if one["level"] == "finding"]
        assert [one["check"] for one in wrong] == ["workspace gone"]
        assert all(one["remedy"] for one in wrong)
        assert found["healthy"] is False
