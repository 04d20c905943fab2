"""A client of the SDK's own, in this process: every test of a tool speaks the protocol."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.db import transaction
from mcp import Client
from pytest_django import DjangoDbBlocker

from shoebox.models import Shoebox
from tests.factories import make_shoebox, make_token
from tests.shoebox.folder import make_folder
from yoimemory.mcp import threads
from yoimemory.mcp.caller import Caller, identify
from yoimemory.mcp.server import build_server
from yoimemory.sources.models import Workspace

MODES = ("auto", "legacy")
"""Both eras of the protocol: a request complete in itself, and the handshake."""


@pytest.fixture(autouse=True)
def _in_the_thread_of_the_test(monkeypatch: pytest.MonkeyPatch) -> None:
    """The test's transaction lives in this thread."""
    monkeypatch.setattr(threads, "executor", None)


@dataclass
class Worker:
    """One Worker's client. Each use is a connection of its own, as the strictest client makes them."""

    secret: str
    mode: Any = "auto"
    read_only: bool = False

    def ask(self, work: Callable[[Client], Any]) -> Any:
        headers = {"x-worker-run": "run-7", "x-read-only": "1" if self.read_only else ""}

        async def who(context: Any) -> Caller:
            return await threads.run(identify, self.secret, headers)

        async def talk() -> Any:
            async with Client(build_server(who), mode=self.mode) as client:
                return await work(client)

        return async_to_sync(talk)()

    def tools(self) -> list[Any]:
        return list(self.ask(lambda client: client.list_tools()).tools)

    def call(self, name: str, **arguments: Any) -> Any:
        return self.ask(lambda client: client.call_tool(name, arguments))

    def text(self, name: str, **arguments: Any) -> str:
        result = self.call(name, **arguments)
        assert not result.is_error, result.content[0].text
        return str(result.content[0].text)

    def refused(self, name: str, **arguments: Any) -> dict[str, Any]:
        result = self.call(name, **arguments)
        assert result.is_error
        return dict(result.structured_content)


@pytest.fixture
def worker_of() -> Callable[..., Worker]:
    def make(workspace: Workspace, scope: str = "propose", **kwargs: Any) -> Worker:
        return Worker(make_token(workspace, scope)[1], **kwargs)

    return make


@dataclass
class House:
    """A small workspace on disk, read, with a shoebox over it and one Worker of each scope."""

    workspace: Workspace
    shoebox: Shoebox
    proposer: Worker
    reader: Worker


@pytest.fixture(scope="module")
def _folder(
    django_db_setup: None, django_db_blocker: DjangoDbBlocker, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Workspace]:
    """The workspace, read once for the tests of one file, in transactions that are taken back after it."""
    with django_db_blocker.unblock(), ExitStack() as stack:
        for database in ("default", "index"):
            atomic = transaction.atomic(using=database)
            atomic._from_testcase = True  # as Django's own test cases do: durable blocks may stand within it
            stack.enter_context(atomic)
        yield make_folder(tmp_path_factory.mktemp("house") / "ws")
        for database in ("default", "index"):
            transaction.set_rollback(True, using=database)


@pytest.fixture
def house(_folder: Workspace, db: None) -> House:
    shoebox = make_shoebox(_folder)
    proposer, reader = (Worker(make_token(_folder, scope)[1]) for scope in ("propose", "read"))
    return House(_folder, shoebox, proposer, reader)
