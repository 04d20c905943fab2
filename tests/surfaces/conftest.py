"""A server as people start it: its own process, home and port, on a small workspace."""

import functools
import http.client
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

START_SECONDS = 120.0
STOP_SECONDS = 60.0

GUIDE = """# Guide

## Orders

The later clock wins, until the tablets agree on one.

## 注文

発注は取り消せない。
"""


def git(root: Path, *arguments: str) -> str:
    """Git on a repository of our own making, apart from the settings of whoever runs the tests."""
    env = {
        "PATH": os.environ["PATH"], "HOME": str(root), "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_AUTHOR_NAME": "Aoi", "GIT_AUTHOR_EMAIL": "aoi@house.example", "GIT_AUTHOR_DATE": "2026-07-14T09:00:00Z",
        "GIT_COMMITTER_NAME": "Aoi", "GIT_COMMITTER_EMAIL": "aoi@house.example",
        "GIT_COMMITTER_DATE": "2026-07-14T09:00:00Z",
    }  # fmt: skip
    command = ["git", "-C", str(root), *arguments]
    return subprocess.run(command, env=env, check=True, capture_output=True, text=True, timeout=120).stdout.strip()


def make_repository(root: Path) -> Path:
    """A small workspace: a doc, a file of code, one commit."""
    (root / "docs").mkdir(parents=True)
    (root / "docs" / "guide.md").write_text(GUIDE)
    (root / "clock.py").write_text('"""The clock."""\n\n\ndef later(a: int, b: int) -> int:\n    return max(a, b)\n')
    git(root, "init", "-q", "-b", "main")
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "Write down the rule of the later clock")
    return root


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def environment(home: Path) -> dict[str, str]:
    """The environment of a person who sets only the data folder."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "YOIMEMORY_", "DJANGO_"))}
    return {**kept, "YOIMEMORY_HOME": str(home), "PYTHONUNBUFFERED": "1", "PYTHONWARNINGS": "error"}


@functools.cache
def _first_start() -> Path:
    """A data folder after its first start, once per test process: making every table takes seconds."""
    home = Path(tempfile.mkdtemp(prefix="first-", dir=os.environ["YOIMEMORY_HOME"])) / "home"
    command = [sys.executable, "-m", "yoimemory.cli", "status"]
    done = subprocess.run(command, env=environment(home), capture_output=True, text=True, timeout=240, check=False)
    assert done.returncode == 4, done.stderr  # no workspace yet
    return home


def _furnish(home: Path) -> None:
    """Give a new data folder the tables of a first start."""
    if not home.exists():
        shutil.copytree(_first_start(), home)


def run(home: Path, *arguments: str, cwd: Path | None = None, text: str = "") -> subprocess.CompletedProcess[str]:
    """One command line verb, as a process."""
    _furnish(home)
    command = [sys.executable, "-m", "yoimemory.cli", *arguments]
    return subprocess.run(
        command, env=environment(home), cwd=cwd, input=text, capture_output=True, text=True, timeout=240, check=False
    )


_SEVERAL = """
import contextlib, io, json, sys
from yoimemory.cli import main

said = []
for verb in json.load(sys.stdin):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        code = main(verb)
    if code:
        sys.exit(f"{verb} ended with {code}")
    said.append(out.getvalue())
json.dump(said, sys.stdout)
"""


def run_all(home: Path, *verbs: list[str]) -> list[str]:
    """What several verbs print, each of which must be done, in one process: a start costs more than most verbs."""
    _furnish(home)
    done = subprocess.run(
        [sys.executable, "-c", _SEVERAL], env=environment(home), input=json.dumps(verbs), capture_output=True,
        text=True, timeout=240, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return list(json.loads(done.stdout))


@dataclass
class Answer:
    """What came back over the wire."""

    status: int
    headers: dict[str, str]
    cookies: dict[str, str]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode("utf-8", "replace")


@dataclass
class Server:
    """A running `yoimemory serve`, and the cookies of one browser."""

    home: Path
    root: Path
    port: int
    process: subprocess.Popen[str]
    output: Path
    errors: Path
    cookies: dict[str, str] = field(default_factory=dict)

    @property
    def link(self) -> str:
        found = re.search(r"http://127\.0\.0\.1:\d+(/start/\S+)", self.output.read_text())
        assert found
        return found[1]

    def ask(self, method: str, path: str, body: str = "", **headers: str) -> Answer:
        """One request, without following redirects. Header names are written with underscores."""
        sent = {name.replace("_", "-").title(): value for name, value in headers.items()}
        if self.cookies and "Cookie" not in sent:
            sent["Cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request(method, path, body.encode() if body else None, sent)
            response = connection.getresponse()
            content = response.read()
        finally:
            connection.close()
        cookies = {}
        for line in response.headers.get_all("Set-Cookie") or []:
            name, _, value = line.partition(";")[0].partition("=")
            cookies[name] = value.strip('"')
        self.cookies.update(cookies)
        return Answer(response.status, {k.lower(): v for k, v in response.headers.items()}, cookies, content)

    def raw(self, request: bytes) -> bytes:
        """Bytes as they are, for what no client would send."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=60) as wire:
            wire.sendall(request)
            parts = []
            while part := wire.recv(65536):
                parts.append(part)
        return b"".join(parts)

    def form(self, path: str, page: str, **fields: str) -> Answer:
        """Send the form of a page, with its CSRF token."""
        from urllib.parse import urlencode

        token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', self.ask("GET", page).text)
        assert token
        body = urlencode({"csrfmiddlewaretoken": token[1], **fields})
        return self.ask("POST", path, body, content_type="application/x-www-form-urlencoded")

    def log_in(self) -> Answer:
        return self.form(self.link, self.link)

    def stop(self, sign: int = signal.SIGTERM) -> int:
        self.process.send_signal(sign)
        return self.process.wait(STOP_SECONDS)


def start(folder: Path, root: Path, *arguments: str, home: Path | None = None, **environ: str) -> Server:
    """Start a server and wait until it answers."""
    home, port = home or folder / "home", free_port()
    _furnish(home)
    output, errors = folder / f"out-{port}", folder / f"err-{port}"
    command = [sys.executable, "-m", "yoimemory.cli", "serve", str(root), "--no-open", "--port", str(port), *arguments]
    with output.open("w") as out, errors.open("w") as err:
        process = subprocess.Popen(
            command, env={**environment(home), **environ}, cwd=folder, stdout=out, stderr=err, text=True
        )
    server = Server(home, root, port, process, output, errors)
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if process.poll() is not None:
            break
        try:
            if server.ask("GET", "/livez").status == 200:
                return server
        except OSError:
            time.sleep(0.1)
    process.kill()
    process.wait()
    raise AssertionError(f"The server did not start:\n{output.read_text()}\n{errors.read_text()}")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One server for a module. Tests log in by themselves; the link works once, so one of them does."""
    folder = tmp_path_factory.mktemp("server")
    running = start(folder, make_repository(folder / "house"))
    yield running
    if running.process.poll() is None:
        running.stop()


@pytest.fixture(scope="module")
def owner(server: Server) -> Server:
    """The server with the cookies of its owner."""
    assert server.log_in().status == 302
    return server
