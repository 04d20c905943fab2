"""Django in threads under the event loop: what is whole crosses at once, what streams comes in chunks."""

import asyncio
from collections.abc import Callable, Iterator
from typing import Any

from django.http import HttpResponse

from yoimemory.threads import InThreads

Seen = list[dict[str, Any]]


def answered(app: Callable[..., Any], *, method: str = "GET", body: bytes = b"") -> Seen:
    """What an application sends to one request."""
    sent: Seen = []
    parts = [{"type": "http.request", "body": body[:3], "more_body": True}, {"type": "http.request", "body": body[3:]}]
    scope = {
        "type": "http", "method": method, "path": "/login/", "query_string": b"", "http_version": "1.1",
        "headers": [(b"host", b"localhost"), (b"content-length", str(len(body)).encode())],
    }  # fmt: skip

    async def receive() -> Any:
        return parts.pop(0)

    async def send(message: Any) -> None:
        sent.append(message)

    asyncio.run(InThreads(app, threads=1)(scope, receive, send))
    return sent


class Stream:
    """As a file is sent."""

    streaming = True

    def __init__(self) -> None:
        self.closed = False

    def __iter__(self) -> Iterator[bytes]:
        yield from (b"one", b"two")

    def close(self) -> None:
        self.closed = True


class TestInThreads:
    def test_sends_a_whole_answer_in_two_messages(self) -> None:
        def app(environ: Any, start: Any) -> HttpResponse:
            start("200 OK", [("Set-Cookie", " name=value")])
            return HttpResponse("whole")

        sent = answered(app)

        assert sent == [
            {"type": "http.response.start", "status": 200, "headers": [(b"set-cookie", b"name=value")]},
            {"type": "http.response.body", "body": b"whole"},
        ]

    def test_sends_a_stream_chunk_by_chunk_and_closes_it(self) -> None:
        stream = Stream()

        def app(environ: Any, start: Any) -> Stream:
            start("200 OK", [])
            return stream

        sent = answered(app)

        assert [message.get("body") for message in sent] == [None, b"one", b"two", b""]
        assert stream.closed

    def test_hands_on_a_body_that_comes_in_parts(self) -> None:
        def app(environ: Any, start: Any) -> HttpResponse:
            start("201 Created", [])
            return HttpResponse(environ["wsgi.input"].read())

        sent = answered(app, method="POST", body=b"question")

        assert sent[-1]["body"] == b"question"
