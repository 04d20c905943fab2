"""The lists of hostile arguments that lie beside the project, where they do."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

_MAKER = Path(__file__).resolve().parents[2].parent / "shared" / "cases" / "make_hostile.py"


def hostile_lists(folder: Path) -> dict[str, list[str]]:
    """Every list by its name; skips where the maker is absent."""
    if not _MAKER.exists():
        pytest.skip("The hostile arguments are made by ../shared/cases/make_hostile.py, which is not here.")
    subprocess.run(
        [sys.executable, str(_MAKER), "build", str(folder), "--only", "payloads-shared"],
        check=True, capture_output=True, timeout=60,
    )  # fmt: skip
    return json.loads((folder / "payloads-shared" / "lists.json").read_text())
