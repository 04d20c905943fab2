"""Texts made to stop a reader, and secrets that have their form only once a text is read."""

import json
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.factories import NOON
from tests.sources.conftest import read_all
from tests.sources.repository import Repo
from yoimemory.sources.masking import mask
from yoimemory.sources.models import Workspace
from yoimemory.sources.notebooks import read_notebook
from yoimemory.sources.objects import FAULTS_MAX, Objects
from yoimemory.sources.services import add_source
from yoimemory.sources.webpages import read_page

Register = Callable[[Path], Workspace]

SECONDS = 8
"""Of the processor. Each of these took minutes once; the bound is wide, for a slow machine."""

KEY = "ghp_" + "a1B2" * 9
WORD = "hunter2" * 2


def _objects(data: bytes) -> tuple[list[dict[str, object]], list[tuple[int, str]]]:
    objects = Objects(iter([data[at : at + (1 << 20)] for at in range(0, len(data), 1 << 20)]))
    return [found for _, found in objects], objects.faults


class TestObjectsOfADamagedFile:
    @pytest.mark.parametrize(
        "data",
        [
            b'{"a": bad}' + b" " * 300_000 + b"x", b'\n{"a":[' * 200_000, (b'\n{"a":[' + b"0," * 50) * 40_000,
            b"{x}{" * 300_000, b"{" * 3_000_000, b'}{"a":"' * 200_000,
        ],
    )  # fmt: skip
    def test_end_quickly(self, data: bytes) -> None:
        begun = time.process_time()

        _, faults = _objects(data)

        assert time.process_time() - begun < SECONDS
        assert 0 < len(faults) <= FAULTS_MAX + 2

    def test_are_read_behind_and_between_the_damage(self) -> None:
        good = [{"number": number, "title": "x" * 500} for number in range(200)]
        data = b"\n".join(json.dumps(each).encode() + b"\n{bad}  ,\n" for each in good)

        found, faults = _objects(data)

        assert found == good
        assert [line for line, _ in faults] == list(range(2, 600, 3))


class TestAPageMadeToBeSlow:
    @pytest.mark.parametrize("text", ["<" * 1_000_000, "a <b>x</b> " * 200_000, "<p>x" * 300_000, "<h1>x" * 200_000])
    def test_is_read_in_the_time_that_its_length_takes(self, text: str) -> None:
        begun = time.process_time()

        page = read_page(text)

        assert time.process_time() - begun < SECONDS
        assert len(page.text) > 100_000


class TestASecretWrittenInAnotherForm:
    @pytest.mark.parametrize(
        "text", [f'DB_PASSWORD="{WORD}"', f'{{"env": "DB_PASSWORD=\\"{WORD}\\""}}', rf"DB_PASSWORD=\\\"{WORD}\\\" x"]
    )
    def test_is_masked_between_quotes_of_any_depth(self, text: str) -> None:
        assert WORD not in mask(text).text
        assert mask(text).text.endswith(text[-1])

    @pytest.mark.parametrize(
        ("cell", "shown"),
        [
            ([f'DB_PASSWORD="{WORD}"\n', "after"], 'DB_PASSWORD="[REDACTED:password]"\nafter'),
            ([KEY[:12], KEY[12:]], "[REDACTED:github-token]"),
            (["-----BEGIN RSA PRIVATE" + " KEY-----\n", "a1\n", "-----END RSA PRIVATE" + " KEY-----\n", "after"],
             "[REDACTED:private-key]\n\n\n\n\n\nafter"),
        ],
    )  # fmt: skip
    def test_is_masked_in_a_notebook_as_programs_write_it(self, cell: list[str], shown: str) -> None:
        written = json.dumps({"cells": [{"cell_type": "code", "source": cell, "outputs": []}]}, indent=1)

        found = read_notebook(mask(written).text, name="a")

        lines = [line for line in found.text.split("\n") if line]
        assert lines == [line for line in shown.split("\n") if line]

    def test_is_masked_in_an_output_that_is_coloured(self) -> None:
        outputs = [{"text": f"ghp_\x1b[31m{KEY[4:]}"}]
        written = json.dumps({"cells": [{"cell_type": "code", "source": "x", "outputs": outputs}]})

        found = read_notebook(written, name="a")

        assert KEY not in found.text
        assert found.masked == {"github-token": 1}

    @pytest.mark.django_db
    @pytest.mark.parametrize(
        "page",
        [
            f"<p>ghp&#95;{KEY[4:]}</p>", f"<p>ghp_<b>{KEY[4:]}</b></p>", f"<title>ghp&#95;{KEY[4:]}</title><p>x</p>",
            f"<h1>ghp&#95;{KEY[4:]}</h1><p>x</p>", f"<p>DB_PASSWORD=&quot;{WORD}&quot;</p>",
        ],
    )  # fmt: skip
    def test_is_masked_in_a_web_page(self, page: str, repo: Repo, register: Register) -> None:
        repo.write("docs/a.html", page)

        documents, _ = read_all(register(repo.root))

        stored = repr(documents)
        assert KEY not in stored
        assert WORD not in stored
        assert "[REDACTED:" in stored

    @pytest.mark.django_db(databases=["default", "index"])
    def test_is_masked_in_all_that_a_tracker_tells(self, repo: Repo, register: Register, tmp_path: Path) -> None:
        bead = {"id": "bd-1", "title": f"Rotate {KEY}", "status": "open", "labels": [KEY], "external_ref": KEY,
                "close_reason": KEY, "description": "d"}  # fmt: skip
        issue = {"number": 1, "title": f"Rotate {KEY}", "state": "OPEN", "body": "b", "labels": [{"name": KEY}],
                 "milestone": {"title": KEY}, "comments": [{"body": KEY}]}  # fmt: skip
        repo.write(".beads/issues.jsonl", json.dumps(bead) + "\n")
        export = tmp_path / "issues.json"
        export.write_text(json.dumps([issue]))
        workspace = register(repo.root)
        add_source(workspace, path=export, kind="ticket", format="github", now=NOON)

        documents, _ = read_all(workspace)

        assert {"ticket:bd-1", "ticket:gh-1"} <= set(documents)
        assert documents["ticket:bd-1"].title == "Rotate [REDACTED:github-token]"
        assert KEY not in repr(documents)
