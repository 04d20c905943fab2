"""The MCP server in this very process, on standard input and output: for those who run no server."""

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import anyio
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage

from yoimemory.env import worker_model, worker_principal, worker_run
from yoimemory.mcp.caller import READ_ONLY, Caller, identify
from yoimemory.mcp.server import build_server
from yoimemory.mcp.threads import run

PATIENCE = 120
"""Seconds that calls may take after the client said all that it had to say, as long as the bridge waits for one."""


def serve(secret: str, *, read_only: bool) -> int:
    """Answer one client until its input ends. Raises Unauthorized at once where the token is not usable."""
    headers = {
        "x-worker-run": worker_run(),
        "x-worker-model": worker_model(),
        "x-on-behalf-of": worker_principal(),
        READ_ONLY: "1" if read_only else "",
    }
    identify(secret, headers)

    async def who(context: Any) -> Caller:
        return await run(identify, secret, headers)

    async def main() -> None:
        server = build_server(who)
        async with stdio_server() as (reading, writing), _answered(reading, writing) as (asked, answers):
            await server.run(asked, answers, server.create_initialization_options())

    asyncio.run(main())
    sys.stdout.flush()
    return 0


@asynccontextmanager
async def _answered(reading: Any, writing: Any) -> AsyncIterator[tuple[Any, Any]]:
    """The two streams of a client, where the end of what it asks comes after the last answer.

    The SDK's server drops its open calls when the input ends; whoever pipes a request into us and closes the pipe
    wants the answer all the same.
    """
    to_server, asked = anyio.create_memory_object_stream[SessionMessage | Exception]()
    answers, from_server = anyio.create_memory_object_stream[SessionMessage]()
    waiting: dict[Any, anyio.Event] = {}

    async def ask() -> None:
        async with reading, to_server:
            async for message in reading:
                said: Any = getattr(message, "message", None)
                if getattr(said, "method", "") == "notifications/cancelled":
                    _let_go(waiting, (said.params or {}).get("requestId"))
                elif (id := getattr(said, "id", None)) is not None:
                    waiting[id] = anyio.Event()
                await to_server.send(message)
            with anyio.move_on_after(PATIENCE):
                for answered in list(waiting.values()):
                    await answered.wait()

    async def answer() -> None:
        async with writing, from_server:
            async for message in from_server:
                await writing.send(message)
                _let_go(waiting, getattr(message.message, "id", None))

    async with anyio.create_task_group() as both:
        both.start_soon(ask)
        both.start_soon(answer)
        async with asked, answers:
            yield asked, answers


def _let_go(waiting: dict[Any, anyio.Event], id: Any) -> None:
    if answered := waiting.pop(id, None):
        answered.set()
