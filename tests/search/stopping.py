"""What tests of a stopped reading share."""

from pathlib import Path

import pytest
from pytest_django.fixtures import Settings

from yoimemory import work
from yoimemory.search.services import indexing


def take_short_steps(settings: Settings, home: Path, monkeypatch: pytest.MonkeyPatch, **sizes: int) -> None:
    """A home of its own, steps of these sizes, and each of them told."""
    home.mkdir()
    settings.HOME = home
    monkeypatch.setattr(work, "REPORT_EVERY", 0.0)
    for name, size in sizes.items():
        monkeypatch.setattr(indexing, name, size)
