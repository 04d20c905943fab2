"""What a client is told of us: its own form, absolute paths, no secret, nothing else in its file changed."""

import json
import os
import sys
import tomllib
from pathlib import Path

import pytest
from pytest_django.fixtures import Settings

from tests.factories import NOON, make_owner, make_person, make_worker
from tests.products.making import make_folder
from tests.surfaces.conftest import make_repository, run, start
from yoimemory.access.services import NotAReviewer
from yoimemory.cli.connect import entry_here, try_entry
from yoimemory.products import services
from yoimemory.products.clients import CLIENTS, Entry, NotTheirForm, UnknownClient, configuration

ENTRY = Entry("/opt/yoi memory/bin/yoimemory", environment={"YOIMEMORY_HOME": "/data"})


class TestConfiguration:
    def test_is_what_claude_code_reads(self) -> None:
        told = json.loads(configuration("claude", ENTRY))["mcpServers"]["yoimemory"]

        assert told["command"] == ENTRY.command
        assert told["args"] == ["mcp"]
        assert told["env"] == {"YOIMEMORY_HOME": "/data", "YOIMEMORY_TOKEN": "${YOIMEMORY_TOKEN}"}

    def test_is_what_codex_reads(self) -> None:
        told = tomllib.loads(configuration("codex", ENTRY))["mcp_servers"]["yoimemory"]

        assert (told["command"], told["args"]) == (ENTRY.command, ["mcp"])
        assert told["env_vars"] == ["YOIMEMORY_TOKEN"]
        assert told["env"] == {"YOIMEMORY_HOME": "/data"}

    def test_is_what_yoi_reads(self) -> None:
        [told] = tomllib.loads(configuration("yoi", ENTRY))["mcp"]["stdio_server"]

        assert (told["name"], told["command"], told["args"]) == ("yoimemory", ENTRY.command, ["mcp"])
        assert told["env"]["set"]["YOIMEMORY_TOKEN"] == {"kind": "env_ref", "name": "YOIMEMORY_TOKEN"}

    def test_leaves_other_servers_as_they_are(self) -> None:
        claude = configuration("claude", ENTRY, '{"mcpServers": {"other": {"command": "x"}}, "more": 1}')
        codex = configuration("codex", ENTRY, '# mine\nmodel = "m"\n\n[mcp_servers.other]\ncommand = "x"\n')

        assert json.loads(claude)["mcpServers"]["other"] == {"command": "x"}
        assert json.loads(claude)["more"] == 1
        assert codex.startswith('# mine\nmodel = "m"\n')
        assert set(tomllib.loads(codex)["mcp_servers"]) == {"other", "yoimemory"}

    @pytest.mark.parametrize("client", ["claude", "codex"])
    def test_is_the_same_the_second_time(self, client: str) -> None:
        once = configuration(client, ENTRY)

        assert configuration(client, ENTRY, once) == once

    @pytest.mark.parametrize(
        ("client", "there"),
        [
            ("claude", "{"), ("claude", "[]"), ("claude", '{"mcpServers": []}'), ("codex", "= 1"),
            ("codex", '[mcp_servers.yoimemory]\ncommand = "another"\n'), ("claude", "[" * 100_000),
        ],
    )  # fmt: skip
    def test_touches_no_file_that_it_does_not_understand(self, client: str, there: str) -> None:
        with pytest.raises(NotTheirForm):
            configuration(client, ENTRY, there)

    def test_knows_three_clients(self) -> None:
        with pytest.raises(UnknownClient, match="no client 'emacs'"):
            configuration("emacs", ENTRY)

    @pytest.mark.parametrize("client", sorted(CLIENTS))
    def test_holds_no_token(self, client: str, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("YOIMEMORY_TOKEN", "yoim_secret")

        assert "yoim_secret" not in configuration(client, ENTRY)


@pytest.mark.django_db
class TestConnectClient:
    def test_writes_what_was_seen_and_can_be_undone(self, tmp_path: Path) -> None:
        workspace, owner = make_folder(tmp_path), make_owner()
        plan = services.plan_connection(workspace, client="claude", entry=ENTRY)
        seen = {file.path: file.digest for file in plan}

        made = services.connect_client(workspace, client="claude", entry=ENTRY, seen=seen, actor=owner, now=NOON)
        written = (tmp_path / ".mcp.json").read_text()
        services.undo_installation(made, actor=owner, now=NOON)

        assert written == plan[0].content
        assert not (tmp_path / ".mcp.json").exists()

    @pytest.mark.parametrize("role", ["worker", "member"])
    def test_is_a_reviewers_alone(self, tmp_path: Path, role: str) -> None:
        workspace = make_folder(tmp_path)
        actor = make_worker(workspace) if role == "worker" else make_person(workspace, role="member")
        plan = services.plan_connection(workspace, client="claude", entry=ENTRY)
        seen = {file.path: file.digest for file in plan}

        with pytest.raises(NotAReviewer):
            services.connect_client(workspace, client="claude", entry=ENTRY, seen=seen, actor=actor, now=NOON)

        assert not (tmp_path / ".mcp.json").exists()

    def test_writes_no_file_of_yoi(self, tmp_path: Path) -> None:
        with pytest.raises(UnknownClient, match="not written by us"):
            services.plan_connection(make_folder(tmp_path), client="yoi", entry=ENTRY)


class TestTryEntry:
    def test_starts_by_an_absolute_path(self, tmp_path: Path, settings: Settings) -> None:
        settings.HOME = tmp_path

        entry = entry_here()

        assert Path(entry.command).is_absolute()
        assert entry.arguments[-1] == "mcp"
        assert entry.environment == {"YOIMEMORY_HOME": str(tmp_path)}

    def entry(self, program: str) -> Entry:
        return Entry(sys.executable, ("-c", program))

    def test_is_content_with_a_server_that_answers(self) -> None:
        told = '{"jsonrpc": "2.0", "id": 1, "result": {"serverInfo": {"name": "yoimemory", "version": "9"}}}'

        tried = try_entry(self.entry(f"input(); print({told!r})"))

        assert (tried.works, tried.said) == (True, "It starts and answers as yoimemory 9.")

    @pytest.mark.parametrize(
        ("program", "said"),
        [
            ("""input(); print('{"error": {"message": "No server runs."}}')""", "answers: No server runs."),
            ("print('hello')", "answers no MCP; it said: hello"),
            ("raise SystemExit('no such verb')", "no such verb"),
            ("pass", "it said: nothing"),
        ],
    )
    def test_tells_what_went_wrong(self, program: str, said: str) -> None:
        tried = try_entry(self.entry(program))

        assert not tried.works
        assert said in tried.said

    def test_names_a_command_that_is_not_there(self) -> None:
        tried = try_entry(Entry("/no/such/yoimemory"))

        assert "cannot be started" in tried.said

    def test_hands_on_nothing_but_what_the_client_would(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("SECRET_OF_ANOTHER", "x")
        program = "import os, sys; sys.stderr.write(','.join(sorted(os.environ)))"

        tried = try_entry(self.entry(program), token="yoim_x")

        assert "SECRET_OF_ANOTHER" not in tried.said
        assert "YOIMEMORY_TOKEN" in tried.said


class TestTheRealEntry:
    """The bridge itself, started as a client starts it."""

    def entry(self, home: Path) -> Entry:
        path = {name: os.environ[name] for name in ("PYTHONPATH",) if name in os.environ}
        return Entry(sys.executable, ("-m", "yoimemory.cli", "mcp"), {"YOIMEMORY_HOME": str(home), **path})

    def test_answers_while_a_server_runs(self, tmp_path: Path) -> None:
        server = start(tmp_path, make_repository(tmp_path / "house"))
        try:
            made = run(server.home, "token", "new", "coder", "--scope", "read", "--json", cwd=server.root)
            tried = try_entry(self.entry(server.home), token=json.loads(made.stdout)["token"])
            nobody = try_entry(self.entry(server.home), token="")
        finally:
            server.stop()

        assert tried.works, tried.said
        assert "yoimemory" in tried.said
        assert not nobody.works

    def test_says_that_no_server_runs(self, tmp_path: Path) -> None:
        tried = try_entry(self.entry(tmp_path), token="yoim_x")

        assert not tried.works
        assert "It starts, and answers:" in tried.said
