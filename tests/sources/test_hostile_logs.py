"""The shared hostile workspaces of logs and secrets (S15, S17, S18, S20, S35), read whole."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.sources.conftest import read_all, shared
from yoimemory.sources.git import commits
from yoimemory.sources.models import Workspace

pytestmark = pytest.mark.django_db

Register = Callable[[Path], Workspace]


def build(name: str, out: Path) -> tuple[Path, dict[str, Any]]:
    script = shared("cases", "make_hostile.py")
    subprocess.run([sys.executable, script, "build", out, "--only", name], check=True, capture_output=True, timeout=120)
    (built,) = (one for one in json.loads((out / "manifest.json").read_text())["workspaces"] if one["name"] == name)
    return out / built.get("path", name), built["facts"]


def test_every_good_entry_of_a_damaged_log_is_there(register: Register, tmp_path: Path) -> None:
    root, facts = build("s16-jsonl-basic", tmp_path / "hostile")

    documents, unreadable = read_all(register(root))

    by_path = {found.path: found for found in documents.values()}
    for path, name in facts["logs"].items():
        if name in {"not-json", "scalars", "pretty-printed", "only-newline", "empty"}:
            continue
        good = sum("LOGGOOD" in passage.text for passage in by_path[path].passages)
        assert good in {0, facts["good_entries"]}, name
        if name in {"corrupt-middle", "glued-lines", "utf16", "bom", "crlf", "blank-lines", "unknown-kind"}:
            assert good == facts["good_entries"], name
    corrupt = [path for path, name in facts["logs"].items() if name == "corrupt-middle"]
    assert [problem.line for problem in unreadable if problem.path == corrupt[0]] == [11]


def test_no_secret_is_stored(register: Register, tmp_path: Path) -> None:
    root, facts = build("s28-secrets-plain", tmp_path / "hostile")
    workspace = register(root)

    documents, _ = read_all(workspace)
    stored = repr((list(documents.values()), list(commits(workspace))))

    leaked = [kind for kind, secret in facts["must_not_leak"].items() if repr(secret)[1:-1] in stored]
    harmless = documents["doc:docs/not-secret.md"]
    assert leaked == []
    assert "0123456789abcdef0123456789abcdef01234567" in harmless.text
    assert "0197a949-4b6b-7f2a-9d9a-1f87e3a4c5b6" in harmless.text
    assert "[REDACTED" not in harmless.text
