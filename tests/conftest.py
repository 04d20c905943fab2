"""Every test may use both databases; time is a fixed noon unless a test says otherwise."""

from collections.abc import Iterator

import pytest

pytest_plugins = ["tests.scenarios"]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give database tests both databases, in one place."""
    for item in items:
        mark = item.get_closest_marker("django_db")
        if mark is not None and "databases" not in mark.kwargs:
            item.add_marker(
                pytest.mark.django_db(*mark.args, **{**mark.kwargs, "databases": ["default", "index"]}),
                append=False,
            )


@pytest.fixture(autouse=True)
def _events_of_their_own() -> Iterator[None]:
    """Events of reads wait in memory for a batch; those of one test must not be written in the next."""
    yield
    from yoimemory.journal import services

    with services._lock:
        services._waiting.clear()


@pytest.fixture(autouse=True)
def _callers_of_their_own() -> Iterator[None]:
    """Tokens of two tests may have one key; how often one called is not held against the other."""
    yield
    from yoimemory.access import calls, throttle

    for bucket in (throttle.calls, throttle.logins):
        bucket._buckets.clear()
    calls._waiting.clear()
