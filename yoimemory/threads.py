"""Django in threads under an event loop: each request runs in one of a few, and its answer crosses back once.

Every crossing waits for the interpreter's lock, which a busy thread gives up only now and then. An
answer that stands in memory as a whole therefore comes over in one step; only a stream, such as a
static file, comes in chunks, each sent before the next is read.
"""

import asyncio
import io
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import Any, cast

from a2wsgi.wsgi import Body, build_environ

from yoimemory.gate import SAFE_METHODS, Message, Receive, Scope, Send

Wsgi = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]


class InThreads:
    """A WSGI application as an ASGI one."""

    def __init__(self, app: Wsgi, *, threads: int) -> None:
        self._app = app
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="pages")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        loop = asyncio.get_running_loop()
        environ = cast("dict[str, Any]", build_environ(cast("Any", scope), Body(loop, cast("Any", receive))))
        if scope["method"] not in SAFE_METHODS:
            environ["wsgi.input"] = io.BytesIO(await _whole(receive))

        def cross(message: Message) -> None:
            asyncio.run_coroutine_threadsafe(_sent(send, message), loop).result()

        for message in await loop.run_in_executor(self._pool, copy_context().run, self._answer, environ, cross):
            await send(message)

    def _answer(self, environ: dict[str, Any], cross: Callable[[Message], None]) -> list[Message]:
        """The messages of an answer; of a stream none is left, since each crossed when it was ready."""
        begun: list[Message] = []

        def start(status: str, headers: list[tuple[str, str]], exc_info: object = None) -> None:
            pairs = [(name.lower().encode("latin-1"), value.strip().encode("latin-1")) for name, value in headers]
            begun[:] = [{"type": "http.response.start", "status": int(status[:3]), "headers": pairs}]

        chunks = self._app(environ, start)
        try:
            if not getattr(chunks, "streaming", True):
                return [*begun, {"type": "http.response.body", "body": b"".join(chunks)}]
            cross(begun[0])
            for chunk in chunks:
                cross({"type": "http.response.body", "body": chunk, "more_body": True})
            cross({"type": "http.response.body", "body": b""})
            return []
        finally:
            getattr(chunks, "close", lambda: None)()


async def _whole(receive: Receive) -> bytes:
    """The body, which the street door has bounded."""
    parts, more = [], True
    while more:
        message = await receive()
        parts.append(message.get("body", b""))
        more = message["type"] == "http.request" and message.get("more_body", False)
    return b"".join(parts)


async def _sent(send: Send, message: Message) -> None:
    await send(message)
