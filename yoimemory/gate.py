"""The street door: what is refused before any page, JSON route or tool sees it, and what every answer carries.

`judge` is a pure function with a table of cases in the tests; `guarded` puts it in front of an
ASGI application. Loopback alone protects nothing: any web site can make a browser send requests
here, and a rebound name makes them look local.
"""

import asyncio
import html
import json
import logging
import re
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, MutableMapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl

from yoimemory.refs import new_id

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]
Headers = Iterable[tuple[bytes, bytes]]

BODY_MAX = 2 << 20
LENGTH_DIGITS_MAX = 12
DRAIN_MAX, DRAIN_SECONDS = 16 << 20, 5.0
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
JSON_PATHS = ("/api/", "/mcp")
STATIC = "/static/"
SECRET_PARAMETERS = frozenset({"token", "access_token"})

STANDARD_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=(), browsing-topics=()",
}
"""What every answer carries, errors and static files too. The content policy is added by whoever knows it."""

_HOST = re.compile(r"(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?)(?::[0-9]{1,5})?")
_JSON = re.compile(r"application/json(?:\s*;\s*charset=\"?utf-?8\"?)?\s*", re.IGNORECASE)
_CHARSET = re.compile(r"[^;]+;\s*charset=\"?utf-8\"?\s*", re.IGNORECASE)
_ONCE = ("host", "origin", "sec-fetch-site", "content-type", "content-length", "authorization")
_log = logging.getLogger("yoimemory.gate")


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why the door stays shut: a status, a stable code, a sentence, and what to do."""

    status: int
    code: str
    message: str
    hint: str = ""


BROKEN = Refusal(500, "internal_error", "Something went wrong on our side.", "The server's log tells what.")


def judge(
    *, method: str, path: str, query: str, headers: Headers, hosts: Collection[str], scheme: str = "http"
) -> Refusal | None:
    """Refuse a request that another site, another program's page or a rebound name could have made; None lets it in."""
    found: dict[str, list[str]] = {}
    for raw, value in headers:
        found.setdefault(raw.decode("latin-1").lower(), []).append(value.decode("latin-1"))
    for name in _ONCE:
        if len(found.get(name, [])) > 1:
            return Refusal(400, "header_twice", f"The header {name} was sent more than once.", "Send it once.")
    first = {name: values[0] for name, values in found.items()}
    refusal = _judge_host(first.get("host"), hosts) or _judge_query(query)
    refusal = refusal or _judge_encoding(first.get("content-type", ""))
    if refusal is None and method not in SAFE_METHODS:
        refusal = _judge_site(first, scheme) or _judge_body(method, path, first)
    return refusal


def _judge_host(host: str | None, hosts: Collection[str]) -> Refusal | None:
    match = _HOST.fullmatch(host or "")
    if match and match[1].lower() in {name.lower() for name in hosts}:
        return None
    return Refusal(
        400,
        "host_refused",
        "This server does not answer to the name that the request used.",
        "If the name is meant, add it to the setting YOIMEMORY_ALLOWED_HOSTS and start again; "
        "otherwise open the app at 127.0.0.1. The check keeps other web sites from reading your workspace.",
    )


def _judge_query(query: str) -> Refusal | None:
    names = {name.lower() for name, _ in parse_qsl(query, keep_blank_values=True)}
    if not names & SECRET_PARAMETERS:
        return None
    return Refusal(
        400,
        "token_in_address",
        "A token may not stand in an address: addresses end up in histories and logs.",
        "Send it as the header Authorization: Bearer …, and revoke the one that was sent this way.",
    )


def _judge_site(headers: Mapping[str, str], scheme: str) -> Refusal | None:
    site = headers.get("sec-fetch-site")
    if site is not None:
        same = site in {"same-origin", "none"}
    else:
        # Not a browser, or an old one: then the origin, where one is named, must be our own.
        origin = headers.get("origin")
        same = origin is None or origin.lower() == f"{scheme}://{headers.get('host', '').lower()}"
    if same:
        return None
    return Refusal(
        403,
        "cross_site",
        "This change was asked for by a page of another site.",
        "Make it from the app's own pages, or from a program that sends no Origin header.",
    )


def _judge_body(method: str, path: str, headers: Mapping[str, str]) -> Refusal | None:
    length = headers.get("content-length", "0")
    if not length.isdecimal():
        return Refusal(400, "bad_length", "The header Content-Length is no number.", "Leave it to your client.")
    if len(length) > LENGTH_DIGITS_MAX or int(length) > BODY_MAX:
        return too_large()
    has_body = length != "0" or "transfer-encoding" in headers
    is_json = _JSON.fullmatch(headers.get("content-type", ""))
    if path.startswith(JSON_PATHS) and not is_json and (has_body or method != "DELETE"):
        return Refusal(
            415,
            "unsupported_media_type",
            "This address takes JSON only.",
            "Send the body as JSON, with the header Content-Type: application/json.",
        )
    return None


def _judge_encoding(kind: str) -> Refusal | None:
    """Refuse any encoding but ours, of any method: Django would read the address in it, too, and stumble."""
    if "charset" not in kind.lower() or _CHARSET.fullmatch(kind):
        return None
    return Refusal(
        415, "unsupported_encoding", "Requests are read in UTF-8 only.", "Send it in UTF-8, or name no charset."
    )


def too_large() -> Refusal:
    """The refusal of a body over the limit, known from its header or found while reading."""
    return Refusal(413, "too_large", f"The body is larger than {BODY_MAX >> 20} MB.", "Send less at once.")


def guarded(app: App, *, hosts: Collection[str], policy: str) -> App:
    """Put the door in front of an application; every answer leaves with the standard headers and the policy."""
    standing = [(name.lower().encode(), value.encode()) for name, value in STANDARD_HEADERS.items()]
    standing.append((b"content-security-policy", policy.encode()))

    async def application(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await app(scope, receive, send)
            return

        begun = False

        async def dressed(message: Message) -> None:
            nonlocal begun
            begun = True
            if message["type"] == "http.response.start":
                # Files may be kept; a page that says that a file is missing may not.
                kept = scope["path"].startswith(STATIC) and message["status"] in {200, 206, 304}
                message["headers"] = _dress(message.get("headers", ()), standing, kept=kept)
            await send(message)

        refusal = judge(
            method=scope["method"],
            path=scope["path"],
            query=scope["query_string"].decode("latin-1"),
            headers=scope["headers"],
            hosts=hosts,
            scheme=scope.get("scheme", "http"),
        )
        if refusal is not None:
            await _drain(receive)
        else:
            # Underscores are dropped: WSGI cannot tell X-A from X_A, so one could pass for the other.
            scope = {**scope, "headers": [pair for pair in scope["headers"] if b"_" not in pair[0]]}
            try:
                refusal = await _let_in(app, scope, receive, dressed)
            except Exception:
                if begun:
                    raise
                _log.exception("%s %s ended without an answer", scope["method"], scope["path"])
                refusal = BROKEN
        if refusal is not None:
            _log.warning("refused %s %s: %s", scope["method"], scope["path"], refusal.code)
            await _answer(refusal, scope["path"], dressed)

    return application


async def _drain(receive: Receive) -> None:
    """Read on for a while: a connection that is closed over unread bytes takes the answer with it."""
    left = DRAIN_MAX
    with suppress(TimeoutError):
        async with asyncio.timeout(DRAIN_SECONDS):
            while left > 0:
                message = await receive()
                left -= len(message.get("body", b""))
                if message["type"] != "http.request" or not message.get("more_body", False):
                    return


async def _let_in(app: App, scope: Scope, receive: Receive, send: Send) -> Refusal | None:
    """Run the application on a body that was counted before; a body sent in chunks has no length to judge by."""
    if scope["method"] in SAFE_METHODS:
        await app(scope, receive, send)
        return None
    parts: list[bytes] = []
    size, more = 0, True
    while more:
        message = await receive()
        if message["type"] != "http.request":
            return None
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        more = message.get("more_body", False)
        if size > BODY_MAX:
            if more:
                await _drain(receive)
            return too_large()
    waiting: list[Message] = [{"type": "http.request", "body": b"".join(parts), "more_body": False}]

    async def replay() -> Message:
        return waiting.pop() if waiting else await receive()

    await app(scope, replay, send)
    return None


def _dress(headers: Headers, standing: Headers, *, kept: bool) -> list[tuple[bytes, bytes]]:
    """Add what is missing; what a view set on purpose, such as a stricter policy, stays."""
    dressed = [pair for pair in headers if pair[0].lower() != b"server"]
    present = {name.lower() for name, _ in dressed}
    dressed += [pair for pair in standing if pair[0] not in present]
    if not kept:
        dressed = [pair for pair in dressed if pair[0].lower() != b"cache-control"]
        dressed.append((b"cache-control", b"no-store"))
    return dressed


async def _answer(refusal: Refusal, path: str, send: Send) -> None:
    request_id = new_id()
    if path.startswith(JSON_PATHS):
        kind, body = "application/json; charset=utf-8", _as_json(refusal, request_id)
    else:
        kind, body = "text/html; charset=utf-8", _as_page(refusal)
    content = body.encode()
    headers = [
        (b"content-type", kind.encode()),
        (b"content-length", str(len(content)).encode()),
        (b"x-request-id", request_id.encode()),
        # What is left of a body that we did not read must not be taken for the next request.
        (b"connection", b"close"),
    ]
    await send({"type": "http.response.start", "status": refusal.status, "headers": headers})
    await send({"type": "http.response.body", "body": content})


def _as_json(refusal: Refusal, request_id: str) -> str:
    fields = {"code": refusal.code, "message": refusal.message, "hint": refusal.hint, "fields": {}}
    return json.dumps({**fields, "request_id": request_id})


def _as_page(refusal: Refusal) -> str:
    """The refusal in the look of the app, without anything of a workspace and without a template engine."""
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1"><title>Refused · yoimemory</title>'
        '<link rel="icon" href="data:,"><link rel="stylesheet" href="/static/yoimemory/look.css">'
        '<link rel="stylesheet" href="/static/yoimemory/site.css"></head><body>'
        '<header class="top"><a class="brand" href="/">yoimemory</a></header><div class="body"><main id="main">'
        f'<header class="head"><h1>{html.escape(refusal.message)}</h1><p class="deck">{html.escape(refusal.hint)}</p>'
        "</header></main></div></body></html>"
    )


_SECRETS = re.compile(r"yoim_[A-Za-z0-9_-]{8,}|(?<=/start/)[A-Za-z0-9_-]{16,}")
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")


def discreet(text: str) -> str:
    """A log line without secrets, and with everything that could forge another line or colour the terminal escaped."""
    text = _SECRETS.sub(lambda match: match[0][:9] + "…" if match[0].startswith("yoim_") else "…", text)
    return _CONTROLS.sub(lambda match: match[0].encode("unicode_escape").decode(), text)


class Discreet(logging.Formatter):
    """Formats log lines discreetly: the message as one line, a traceback line by line."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 (the name is logging's)
        record.message = discreet(record.message)
        return super().formatMessage(record)

    def formatException(self, ei: Any) -> str:  # noqa: N802 (the name is logging's)
        return "\n".join(discreet(line) for line in super().formatException(ei).split("\n"))
