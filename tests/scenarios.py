"""The real workspace on which whole scenarios are acted out: built from the sample beside the project.

Tests skip with a sentence where the sample is absent; nothing of it is part of the project.
"""

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

SHARED = Path(__file__).resolve().parents[1].parent / "shared"


@dataclass(frozen=True)
class Scenario:
    """One scenario of the sample, with its refs told as ours."""

    data: dict[str, Any]

    @property
    def question(self) -> str:
        return str(self.data["question"])

    @property
    def as_of(self) -> str:
        return str(self.data["as_of"])

    @property
    def must(self) -> list[str]:
        """The places that must be gathered: `ticket:ID#thread` is written `ticket:ID/thread` here."""
        return [ours(row["ref"]) for row in self.data["shoebox"]["must"]]

    def evidence(self, name: str) -> dict[str, Any]:
        return next(row for row in self.data["evidence"] if row["id"] == name)

    def place(self, name: str) -> str:
        """The ref of the document that a piece of evidence stands in."""
        row = self.evidence(name)
        parts = row["path"].split("/")
        if parts[:2] == [".yoi", "tickets"]:
            rest = "/".join(parts[3:]).removesuffix(".md")
            return f"ticket:{parts[2]}" if rest == "item" else f"ticket:{parts[2]}/{rest}"
        if parts[:2] == [".yoi", "objectives"]:
            return f"objective:{parts[2]}"
        return f"doc:{row['path']}"


def ours(ref: str) -> str:
    whole, _, part = ref.partition("#")
    return whole if part in {"", "item"} else f"{whole}/{part}"


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample as a git workspace of 602 commits."""
    maker = SHARED / "samples" / "make_workspace.py"
    if not maker.exists():
        pytest.skip("The sample workspace is not beside this checkout (folder shared/samples); nothing to act out on.")
    folder = tmp_path_factory.mktemp("sample") / "yoi"
    subprocess.run([sys.executable, str(maker), str(folder)], check=True, capture_output=True, timeout=120)
    return folder


@pytest.fixture(scope="session")
def scenarios() -> dict[str, Scenario]:
    path = SHARED / "samples" / "scenarios.json"
    if not path.exists():
        pytest.skip("The scenarios are not beside this checkout (folder shared/samples).")
    rows = json.loads(path.read_text(encoding="utf-8"))["scenarios"]
    return {row["id"]: Scenario(row) for row in rows}
