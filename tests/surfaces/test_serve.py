"""`yoimemory serve` as a real process: start link, background index, JSON, shutdown, problems as sentences."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.surfaces.conftest import Server, free_port, git, make_repository, run, start

WAIT = 120.0


def _wait_for_index(server: Server) -> dict[str, object]:
    deadline = time.monotonic() + WAIT
    while time.monotonic() < deadline:
        answer = run(server.home, "status", "--json", cwd=server.root)
        found: dict[str, object] = json.loads(answer.stdout)
        if found["index"]["indexed_at"] and not found["job"]:  # type: ignore[index]
            return found
        time.sleep(0.3)
    raise AssertionError(f"The index never came: {server.errors.read_text()}")


def _children(pid: int) -> list[int]:
    listed = subprocess.run(["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True, check=False)
    return [int(line) for line in listed.stdout.split()]


class TestServe:
    def test_announces_itself_and_logs_the_owner_in_once(self, owner: Server) -> None:
        page = owner.ask("GET", "/workers/")

        assert page.status == 200
        assert re.search(r"yoimemory serves house at http://127\.0\.0\.1:\d+/", owner.output.read_text())
        assert owner.ask("GET", owner.link).status == 200
        assert owner.form(owner.link, owner.link).status == 403

    def test_reads_the_workspace_in_the_background(self, owner: Server) -> None:
        found = _wait_for_index(owner)

        assert found["documents"]
        assert found["index"]["commit"] == git(owner.root, "rev-parse", "HEAD")  # type: ignore[index]

    @pytest.mark.slow
    def test_ends_the_indexer_once_it_had_no_work_for_a_while(self, owner: Server) -> None:
        _wait_for_index(owner)

        deadline = time.monotonic() + WAIT
        while _children(owner.process.pid):
            assert time.monotonic() < deadline, "The indexer should end when no work is left."
            time.sleep(0.2)

    def test_serves_a_worker_over_json(self, owner: Server) -> None:
        _wait_for_index(owner)
        made = run(owner.home, "token", "new", "coder", "--scope", "read", "--json", cwd=owner.root)
        token = json.loads(made.stdout)["token"]
        bearer = f"Bearer {token}"

        found = owner.ask("GET", "/api/v1/search?q=later+clock", authorization=bearer, cookie="")
        opened = owner.ask("GET", "/api/v1/open?ref=doc:docs/guide.md%23L5", authorization=bearer, cookie="")
        refused = owner.ask(
            "POST", "/api/v1/markers", "{}", authorization=bearer, cookie="", content_type="application/json"
        )

        assert found.status == 200
        assert json.loads(found.body)["items"]
        assert json.loads(opened.body)["text"] == "The later clock wins, until the tablets agree on one."
        assert refused.status == 403

    def test_follows_a_new_commit_when_asked(self, owner: Server) -> None:
        _wait_for_index(owner)
        (owner.root / "docs" / "new.md").write_text("# New\n\nA heron stood in the yard.\n")
        git(owner.root, "add", ".")
        git(owner.root, "commit", "-q", "-m", "Write about the heron")

        assert owner.form("/diagnostics/index/", "/diagnostics/").status == 302
        deadline = time.monotonic() + WAIT
        while "heron" not in run(owner.home, "search", "heron", cwd=owner.root).stdout:
            assert time.monotonic() < deadline
            time.sleep(0.3)

    def test_keeps_the_data_folder_private(self, owner: Server) -> None:
        assert owner.home.stat().st_mode & 0o077 == 0
        for path in owner.home.glob("*.sqlite3*"):
            assert path.stat().st_mode & 0o077 == 0, path.name

    def test_writes_nothing_into_the_workspace(self, owner: Server) -> None:
        assert git(owner.root, "status", "--porcelain") == ""


class TestShutdown:
    def test_ends_in_order_and_keeps_what_was_seen(self, tmp_path: Path) -> None:
        server = start(tmp_path, make_repository(tmp_path / "house"))
        _wait_for_index(server)
        token = json.loads(run(server.home, "token", "new", "x", "--scope", "read", "--json", cwd=server.root).stdout)
        server.ask("GET", "/api/v1/search?q=clock", authorization=f"Bearer {token['token']}")

        began = time.monotonic()
        server.stop()

        assert time.monotonic() - began < 10
        assert "Traceback" not in server.errors.read_text()
        assert not (server.home / "server.json").exists()
        script = (
            "import django; django.setup()\n"
            "from yoimemory.journal.models import Event\n"
            "print(Event.objects.filter(kind='query', actor__kind='worker').count())"
        )
        env = {**os.environ, "YOIMEMORY_HOME": str(server.home), "DJANGO_SETTINGS_MODULE": "yoimemory.settings"}
        counted = subprocess.run([sys.executable, "-c", script], env=env, capture_output=True, text=True, check=True)
        assert counted.stdout.strip() == "1"

    def test_takes_the_indexer_with_it_even_when_killed(self, tmp_path: Path) -> None:
        """The child is stopped in the middle, so that it is surely there when its parent dies."""
        root = make_repository(tmp_path / "house")
        for number in range(1_500):
            (root / "docs" / f"{number}.md").write_text(f"# Page {number}\n\n" + "A line of words.\n" * 60)
        server = start(tmp_path, root)
        deadline = time.monotonic() + WAIT
        while not (children := _children(server.process.pid)):
            assert time.monotonic() < deadline
            time.sleep(0.02)

        server.stop(signal.SIGKILL)

        while any(Path(f"/proc/{child}").exists() for child in children):
            assert time.monotonic() < deadline + WAIT
            time.sleep(0.1)
        again = start(tmp_path, root, home=server.home)
        try:
            assert _wait_for_index(again)["documents"] == 1_500 + 3  # the guide, the code and the commit
        finally:
            again.stop()


class TestProblemsAreSentences:
    def _serve(self, home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
        answer = run(home, "serve", "--no-open", *arguments)
        assert "Traceback" not in answer.stderr
        return answer

    def test_a_port_that_is_taken(self, tmp_path: Path) -> None:
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            port = str(taken.getsockname()[1])

            answer = self._serve(tmp_path / "home", "--port", port)

        assert answer.returncode == 3
        assert f"Port {port} is taken" in answer.stderr
        assert "--port" in answer.stderr

    @pytest.mark.parametrize("host", ["203.0.113.7", "no.such.host.invalid"])
    def test_an_address_that_is_not_ours(self, tmp_path: Path, host: str) -> None:
        answer = self._serve(tmp_path / "home", "--port", str(free_port()), "--host", host)

        assert answer.returncode == 3
        assert f"cannot listen at {host}" in answer.stderr

    @pytest.mark.parametrize("port", ["0", "99999", "http", "²"])
    def test_a_port_that_is_none(self, tmp_path: Path, port: str) -> None:
        answer = self._serve(tmp_path / "home", "--port", port)

        assert answer.returncode == 2
        assert "port" in answer.stderr.lower()

    def test_a_folder_that_is_not_there(self, tmp_path: Path) -> None:
        answer = self._serve(tmp_path / "home", str(tmp_path / "nowhere"), "--port", str(free_port()))

        assert answer.returncode == 2
        assert "nowhere" in answer.stderr

    def test_data_that_is_damaged(self, tmp_path: Path) -> None:
        home = tmp_path / "home"
        home.mkdir()
        (home / "default.sqlite3").write_bytes(b"noise " * 4096)

        answer = self._serve(home, "--port", str(free_port()))

        assert answer.returncode == 3
        assert "cannot be read" in answer.stderr
        assert (home / "default.sqlite3").read_bytes().startswith(b"noise ")

    def test_data_of_a_newer_version(self, tmp_path: Path) -> None:
        home = tmp_path / "home"
        run(home, "link")
        import sqlite3

        with sqlite3.connect(home / "default.sqlite3") as database:
            database.execute(
                "INSERT INTO django_migrations (app, name, applied) VALUES ('shoebox', '9999_later', '2030-01-01')"
            )
        database.close()

        answer = self._serve(home, "--port", str(free_port()))

        assert answer.returncode == 3
        assert "newer yoimemory" in answer.stderr
        assert run(home, "doctor").returncode in {0, 1}


class TestTheIndex:
    def test_is_rebuilt_when_its_file_is_noise(self, tmp_path: Path) -> None:
        home, root = tmp_path / "home", make_repository(tmp_path / "house")
        run(home, "index", str(root))
        for path in home.glob("index.sqlite3*"):
            path.unlink()
        (home / "index.sqlite3").write_bytes(b"noise " * 4096)

        answer = run(home, "index", str(root))

        assert answer.returncode == 0, answer.stderr
        assert "later clock" in run(home, "search", "later clock", cwd=root).stdout
        assert list(home.glob("damaged-*-index.sqlite3"))
