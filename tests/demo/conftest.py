"""The demo, built once for all tests of this folder that only look at it."""

from collections.abc import Iterator
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path

import pytest
from django.db import transaction
from pytest_django import DjangoDbBlocker

from yoimemory.demo.build import build_demo
from yoimemory.journal.services import flush_events
from yoimemory.sources.models import Workspace

NOW = datetime(2026, 9, 1, 9, 0, tzinfo=UTC)


@pytest.fixture(scope="module")
def demo_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("demo")


@pytest.fixture(scope="module")
def demo(django_db_setup: None, django_db_blocker: DjangoDbBlocker, demo_folder: Path) -> Iterator[Workspace]:
    """The whole story, played in transactions that are taken back after the module."""
    with django_db_blocker.unblock(), ExitStack() as stack:
        for database in ("default", "index"):
            atomic = transaction.atomic(using=database)
            atomic._from_testcase = True  # as Django's own test cases do: durable blocks may stand within it
            stack.enter_context(atomic)
        built = build_demo(demo_folder, now=NOW)
        flush_events()
        yield built
        flush_events()  # what still waits belongs to rows that go away now
        for database in ("default", "index"):
            transaction.set_rollback(True, using=database)
