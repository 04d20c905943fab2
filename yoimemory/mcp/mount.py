"""MCP in the server's own process: behind the street door, with a Worker's token and nothing else.

The SDK takes most of a second to import, so it is loaded beside the running server, and the first
call waits for it. A session cookie opens nothing here.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, MutableMapping
from contextlib import suppress
from typing import Any

from yoimemory.refs import new_id

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Handle = Callable[[Scope, Receive, Send], Awaitable[None]]

PATH = "/mcp"
CALLER = "yoimemory.caller"
"""Where the scope of a request holds who asks; the SDK hands the request on to every handler."""

LOAD_SECONDS = 60


class Mount:
    """The part of the application under `/mcp`: started and stopped with it."""

    def __init__(self) -> None:
        self._handle: Handle | None = None
        self._ready = asyncio.Event()
        self._stopping = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to load; returns at once."""
        self._task = asyncio.create_task(self._live())

    async def stop(self) -> None:
        """End what is running. A call in flight has been answered before, by the server's own grace."""
        self._stopping.set()
        if self._task is not None:
            with suppress(asyncio.CancelledError):
                await self._task

    async def _live(self) -> None:
        manager = await asyncio.to_thread(_load)
        async with manager.run():
            self._handle = manager.handle_request
            self._ready.set()
            await self._stopping.wait()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a Worker in, or say why not."""
        if scope["path"] != PATH:
            await _refuse(send, 404, "not_found", "There is nothing at this address.", f"MCP is served at {PATH}.")
            return
        if scope["method"] != "POST":
            hint = "This server keeps no sessions and opens no streams: every call is one POST."
            await _refuse(send, 405, "method_not_allowed", "MCP takes POST only.", hint, (b"allow", b"POST"))
            return
        async with asyncio.timeout(LOAD_SECONDS):
            await self._ready.wait()
        from yoimemory.desk.mending import serving
        from yoimemory.errors import DomainError
        from yoimemory.mcp.caller import identify, secret_in
        from yoimemory.mcp.threads import run

        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        try:
            caller = await run(serving()(identify), secret_in(headers.get("authorization", "")), headers)
        except DomainError as error:
            challenge = (b"www-authenticate", b'Bearer realm="yoimemory"')
            await _refuse(send, error.status, error.code, error.message, error.hint, challenge)
            return
        assert self._handle is not None  # noqa: S101  (set before `ready`)
        await self._handle({**scope, CALLER: caller}, receive, send)


def _load() -> Any:
    """Import the SDK and build the server. Host and Origin were judged at the street door already."""
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

    from yoimemory.mcp.server import build_server

    async def who(context: Any) -> Any:
        return context.request.scope[CALLER]

    return StreamableHTTPSessionManager(build_server(who), json_response=True, stateless=True)


async def _refuse(send: Send, status: int, code: str, message: str, hint: str, *more: tuple[bytes, bytes]) -> None:
    request_id = new_id()
    body = {"code": code, "message": message, "hint": hint, "fields": {}, "request_id": request_id}
    content = json.dumps(body, ensure_ascii=False).encode()
    headers = [
        (b"content-type", b"application/json; charset=utf-8"),
        (b"content-length", str(len(content)).encode()),
        (b"x-request-id", request_id.encode()),
        *more,
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": content})
