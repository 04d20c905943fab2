"""A verb of the command line does and says the same whether a server runs on the data folder or not."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.surfaces.conftest import Server, environment, make_repository, run, start

SCRIPT = """
import contextlib, io, json, sys
import yoimemory.cli.confirming
from yoimemory.cli import main

yoimemory.cli.confirming.at_a_terminal = lambda: True  # a person sits here: people's verbs are tried, too
told, named = [], {}
for name, words in json.load(sys.stdin):
    words = [named.get(word, word) for word in words]
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = main(words)
        except SystemExit as end:
            code = end.code
    if name and code == 0:
        made = json.loads(out.getvalue())
        named["@" + name] = made.get("ref") or made.get("id")
    told.append([" ".join(words[:2]), code, out.getvalue(), err.getvalue()])
json.dump(told, sys.stdout)
"""
"""Many verbs in one process: each costs its own work only, not a start of Django."""

GUIDE, CLOCK = "doc:docs/guide.md", "code:clock.py"
VERBS: list[tuple[str, list[str]]] = [
    ("", ["index"]),
    ("", ["status", "--json"]),
    ("", ["search", "later", "clock", "--json"]),
    ("", ["search", "later", "clock"]),
    ("", ["search", "nowhere-to-be-found"]),
    ("", ["open", f"{GUIDE}#L3-L5"]),
    ("", ["open", "doc:docs/guid.md"]),
    ("box", ["shoebox", "new", "--question", "Which clock wins?", "--json"]),
    ("twin", ["shoebox", "duplicate", "@box", "--question", "Which clock loses?", "--json"]),
    ("", ["shoebox", "show", "@twin"]),
    ("", ["shoebox", "list", "--json"]),
    ("kept", ["searches", "save", "clocks", "which", "clock", "--where", "kinds=doc", "--shared", "--json"]),
    ("", ["searches", "list", "--json"]),
    ("", ["searches", "recent", "--json"]),
    ("alias", ["aliases", "add", "watch", "clock", "--until", "2026-05-01", "--json"]),
    ("", ["search", "watch", "--as-of", "2026-04-01", "--json"]),
    ("", ["aliases", "list"]),
    ("", ["aliases", "remove", "@alias"]),
    ("against", ["contradictions", "note", GUIDE, CLOCK, "--about", "Which clock wins.", "--json"]),
    ("", ["contradictions", "list", "--ref", CLOCK, "--json"]),
    ("grade", ["reliability", "set", GUIDE, "--grade", "mixed", "--reason", "Half of it is old.", "--json"]),
    ("", ["reliability", "list"]),
    ("", ["evidence", "add", "--shoebox", "@box", "--ref", GUIDE, "--quote", "The later clock wins", "--why", "Rule."]),
    ("", ["evidence", "add", "--shoebox", "@box", "--ref", GUIDE, "--quote", "No such words", "--why", "A rule."]),
    ("", ["evidence", "list", "--json"]),
    ("", ["searches", "remove", "nobody-kept-this"]),
    ("", ["searches", "save", "odd", "clock", "--where", "colour=red"]),
    ("", ["searches", "remove", "@kept", "--json"]),
]  # fmt: skip
WRITES = {"add", "remove", "save", "index", "recent"}
"""Verbs that leave something behind, and the one that tells what was asked meanwhile."""
READS = [words for name, words in VERBS if not name and not WRITES & set(words[:2])]
VARYING = (
    (re.compile(r"\b[0-9A-HJKMNP-TV-Z]{26}\b"), "ID"),
    (re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|\+00:00)?"), "AT"),
    (re.compile(r"\b\d+(\.\d+)? m?s\b"), "TOOK"),
    (re.compile(r'"score": [\d.e-]+'), '"score": N'),
)
"""What is new each time: ids, instants and how long something took."""


def together(home: Path, root: Path, verbs: list[tuple[str, list[str]]]) -> list[list[Any]]:
    """Verb, exit code, output and errors of each, with what is new each time left out."""
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], input=json.dumps(verbs), env=environment(home), cwd=root, capture_output=True,
        text=True, timeout=240, check=True,
    )  # fmt: skip
    said = done.stdout
    for pattern, name in VARYING:
        said = pattern.sub(lambda _, name=name: name.replace('"', '\\"'), said)  # type: ignore[misc]
    return list(json.loads(said))


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_repository(tmp_path_factory.mktemp("either") / "house")


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory, root: Path) -> Iterator[Server]:
    running = start(tmp_path_factory.mktemp("served"), root)
    yield running
    if running.process.poll() is None:
        running.stop()


def test_verbs_do_the_same_with_a_server_and_without(served: Server, root: Path, tmp_path: Path) -> None:
    alone = tmp_path / "home"
    assert run(alone, "index", str(root)).returncode == 0
    assert run(served.home, "index", str(root)).returncode == 0

    beside = together(served.home, root, VERBS)
    without = together(alone, root, VERBS)

    assert beside == without
    assert [code for _, code, _, _ in beside].count(0) >= 20
    assert {code for _, code, _, _ in beside} == {0, 1, 2, 4}


def test_what_is_done_beside_a_server_is_there_at_once_and_after_its_end(served: Server, root: Path) -> None:
    asked = [("", words) for words in READS if not any(word.startswith("@") for word in words)]
    together(served.home, root, [("", ["searches", "save", "later", "clock", "--shared"])])
    made = json.loads(run(served.home, "token", "new", "reader", "--scope", "read", "--json", cwd=root).stdout)

    over_json = served.ask("GET", "/api/v1/searches", authorization=f"Bearer {made['token']}")
    while_served = together(served.home, root, asked)
    served.stop()
    afterwards = together(served.home, root, asked)

    assert "later" in [one["name"] for one in json.loads(over_json.body)["items"]]
    assert while_served == afterwards
    assert not (served.home / "server.json").exists()
