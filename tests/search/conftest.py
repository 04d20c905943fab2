"""One shelf of sources for each test of the index."""

import pytest

from tests.search.shelf import Shelf, make_shelf


@pytest.fixture
def shelf(monkeypatch: pytest.MonkeyPatch, db: None) -> Shelf:
    return make_shelf(monkeypatch)
