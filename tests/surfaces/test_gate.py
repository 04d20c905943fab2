"""The street door as a pure function, with a table of cases (S27, S28, S32), and in front of an application."""

import asyncio
import json
import logging
from pathlib import Path
from typing import Any

import pytest

from tests.surfaces.payloads import hostile_lists
from yoimemory import gate
from yoimemory.gate import BODY_MAX, STANDARD_HEADERS, Discreet, Message, Receive, Scope, Send, discreet, guarded, judge

HOSTS = ["127.0.0.1", "localhost", "[::1]"]
HERE = "127.0.0.1:8765"
JSON = "application/json"


def _judge(method: str = "GET", path: str = "/", query: str = "", **headers: str) -> int | None:
    """The status of the refusal, or None; header names are written with underscores."""
    sent = {"host": HERE, **{name.replace("_", "-"): value for name, value in headers.items()}}
    pairs = [(name.encode(), value.encode("latin-1", "replace")) for name, value in sent.items()]
    refusal = judge(method=method, path=path, query=query, headers=pairs, hosts=HOSTS)
    return refusal.status if refusal else None


class TestHost:
    @pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]", "LocalHost", HERE, "[::1]:8765"])
    def test_is_let_in_by_its_own_names(self, host: str) -> None:
        assert _judge(host=host) is None

    @pytest.mark.parametrize(
        "host",
        ["evil.test", "127.0.0.1.nip.io", "localhost.evil.test", "127.0.0.1@evil.test", "0.0.0.0", "127.1", "", "*",
         "localhost:1:2", "localhost\t", "localhost\r\nX: y", ".localhost", "2130706433", "evil.test:8765"],
    )  # fmt: skip
    def test_is_refused_by_any_other_name(self, host: str) -> None:
        assert _judge(host=host) == 400

    def test_is_refused_when_missing_or_sent_twice(self) -> None:
        twice = [(b"host", HERE.encode()), (b"host", b"localhost")]

        assert judge(method="GET", path="/", query="", headers=[], hosts=HOSTS)
        assert judge(method="GET", path="/", query="", headers=twice, hosts=HOSTS)

    def test_names_the_setting_that_would_let_it_in(self) -> None:
        refusal = judge(method="GET", path="/", query="", headers=[(b"host", b"desk.example")], hosts=HOSTS)

        assert refusal is not None
        assert "YOIMEMORY_ALLOWED_HOSTS" in refusal.hint

    def test_keeps_the_shared_lists(self, tmp_path: Path) -> None:
        lists = hostile_lists(tmp_path)

        assert [host for host in lists["hosts_refused"] if _judge(host=host) != 400] == []
        assert [host for host in lists["hosts_accepted"] if _judge(host=host) is not None] == []


class TestSite:
    @pytest.mark.parametrize("path", ["/login/", "/shoeboxes/new/", "/api/v1/shoeboxes", "/mcp", "/anything"])
    @pytest.mark.parametrize(
        ("headers", "status"),
        [
            ({"sec_fetch_site": "same-origin"}, None),
            ({"sec_fetch_site": "none"}, None),
            ({"sec_fetch_site": "same-origin", "origin": "null"}, None),
            ({"sec_fetch_site": "same-site"}, 403),
            ({"sec_fetch_site": "cross-site"}, 403),
            ({"sec_fetch_site": "anything"}, 403),
            ({"sec_fetch_site": "cross-site", "origin": f"http://{HERE}"}, 403),
            ({}, None),
            ({"origin": f"http://{HERE}"}, None),
            ({"origin": "null"}, 403),
            ({"origin": "http://127.0.0.1:1"}, 403),
            ({"origin": f"https://{HERE}"}, 403),
            ({"origin": "http://evil.test"}, 403),
        ],
    )
    def test_decides_who_may_change_anything(self, path: str, headers: dict[str, str], status: int | None) -> None:
        assert _judge("POST", path, content_type=JSON, **headers) == status

    @pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE", "TRACE", "PROPFIND", "post"])
    def test_holds_for_every_method_that_is_not_safe(self, method: str) -> None:
        assert _judge(method, "/", sec_fetch_site="cross-site") == 403

    @pytest.mark.parametrize("method", ["GET", "HEAD", "OPTIONS"])
    def test_lets_reading_pass_since_it_changes_nothing(self, method: str) -> None:
        assert _judge(method, "/", sec_fetch_site="cross-site") is None

    def test_keeps_the_shared_list_of_origins(self, tmp_path: Path) -> None:
        origins = hostile_lists(tmp_path)["origins_refused"]

        assert [origin for origin in origins if _judge("POST", "/", origin=origin, host="localhost") != 403] == []


class TestBody:
    @pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "", "text/json"])
    def test_of_a_json_route_is_json(self, kind: str) -> None:
        assert _judge("POST", "/api/v1/evidence", content_type=kind, content_length="2") == 415

    @pytest.mark.parametrize("kind", [JSON, "application/json; charset=utf-8", "Application/JSON"])
    def test_may_name_its_encoding(self, kind: str) -> None:
        assert _judge("POST", "/api/v1/evidence", content_type=kind, content_length="2") is None

    def test_of_a_page_is_a_form(self) -> None:
        assert _judge("POST", "/login/", content_type="application/x-www-form-urlencoded", content_length="2") is None

    @pytest.mark.parametrize(
        "charset", ["utf-7", "hex", "utf-16", "shift_jis", "utf-8; charset=utf-7", "utf-8''x", "nonsense"]
    )
    @pytest.mark.parametrize("method", ["GET", "POST"])
    def test_is_read_in_one_encoding(self, method: str, charset: str) -> None:
        kind = f"application/x-www-form-urlencoded; charset={charset}"

        assert _judge(method, "/login/", content_type=kind, content_length="2") == 415
        assert _judge(method, "/login/", content_type="text/plain;charset*=utf-7''x") == 415
        assert _judge(method, "/login/", content_type='application/x-www-form-urlencoded; Charset="UTF-8"') is None

    def test_has_a_limit(self) -> None:
        assert _judge("POST", "/login/", content_length=str(BODY_MAX)) is None
        assert _judge("POST", "/login/", content_length=str(BODY_MAX + 1)) == 413
        assert _judge("POST", "/login/", content_length="many") == 400
        assert _judge("POST", "/login/", content_length="\u00b2") == 400
        assert _judge("POST", "/login/", content_length="9" * 5_000) == 413

    def test_keeps_the_shared_list_of_types(self, tmp_path: Path) -> None:
        kinds = hostile_lists(tmp_path)["content_types_refused_for_json"]

        assert [kind for kind in kinds if _judge("POST", "/api/v1/evidence", content_type=kind) != 415] == []


class TestTokenInAnAddress:
    @pytest.mark.parametrize("query", ["token=yoim_x", "q=a&Token=x", "access_token=x", "to%6ben=x", "token"])
    def test_is_refused_and_told_why(self, query: str) -> None:
        refusal = judge(
            method="GET", path="/api/v1/search", query=query, headers=[(b"host", b"localhost")], hosts=HOSTS
        )

        assert refusal is not None
        assert refusal.status == 400
        assert "Authorization" in refusal.hint

    def test_is_not_any_word_with_token_in_it(self) -> None:
        assert _judge(query="q=token&tokens=1") is None


def _call(
    scope: dict[str, Any], body: list[bytes] | None = None, *, headers: dict[str, str] | None = None
) -> tuple[int, dict[str, str], bytes, list[Any]]:
    """Send one request through the door; the application behind notes what reaches it."""
    seen: list[Any] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        message = await receive()
        seen.append((dict(scope["headers"]), message.get("body", b"")))
        if scope["path"].endswith("/broken"):
            raise ValueError("a secret of ours")
        answer = [(b"content-type", b"text/plain"), (b"server", b"x"), (b"cache-control", b"max-age=60")]
        answer += [(name.encode(), value.encode()) for name, value in (headers or {}).items()]
        status = 404 if scope["path"].endswith("nothing.css") else 200
        await send({"type": "http.response.start", "status": status, "headers": answer})
        await send({"type": "http.response.body", "body": b"fine"})

    sent: list[Message] = []
    parts = list(body or [b""])
    count = len(parts)

    async def receive() -> Message:
        part = parts.pop(0)
        return {"type": "http.request", "body": part, "more_body": bool(parts)}

    async def send(message: Message) -> None:
        sent.append(message)

    full = {"type": "http", "method": "GET", "path": "/", "query_string": b"", "scheme": "http", **scope}
    full["headers"] = [(b"host", HERE.encode()), *full.get("headers", [])]
    asyncio.run(guarded(app, hosts=HOSTS, policy="default-src 'none'")(full, receive, send))
    assert count
    dressed = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    return sent[0]["status"], dressed, sent[1]["body"], seen


class TestTheDoorInFrontOfAnApplication:
    def test_dresses_every_answer(self) -> None:
        _, headers, _, _ = _call({})

        for name, value in STANDARD_HEADERS.items():
            assert headers[name.lower()] == value
        assert headers["content-security-policy"] == "default-src 'none'"
        assert headers["cache-control"] == "no-store"
        assert "server" not in headers

    def test_lets_static_files_be_kept(self) -> None:
        _, headers, _, _ = _call({"path": "/static/site.css"})

        assert headers["cache-control"] == "max-age=60"
        assert headers["cross-origin-resource-policy"] == "same-origin"

    def test_lets_no_page_be_kept_that_stands_for_a_missing_file(self) -> None:
        status, headers, _, _ = _call({"path": "/static/nothing.css"})

        assert (status, headers["cache-control"]) == (404, "no-store")

    @pytest.mark.parametrize("path", ["/broken", "/api/v1/broken"])
    def test_answers_for_an_application_that_broke(self, path: str, caplog: pytest.LogCaptureFixture) -> None:
        status, headers, body, _ = _call({"path": path})

        assert status == 500
        assert headers["content-security-policy"] == "default-src 'none'"
        assert headers["cache-control"] == "no-store"
        assert b"secret" not in body
        assert "ended without an answer" in caplog.text

    def test_leaves_a_stricter_policy_of_a_view(self) -> None:
        _, headers, _, _ = _call({}, headers={"content-security-policy": "sandbox"})

        assert headers["content-security-policy"] == "sandbox"

    def test_answers_a_page_as_a_page(self) -> None:
        status, headers, body, seen = _call({"query_string": b"token=x"})

        assert status == 400
        assert headers["content-type"].startswith("text/html")
        assert b"A token may not stand in an address" in body
        assert b"style=" not in body
        assert b"<script" not in body
        assert seen == []
        assert headers["content-security-policy"]

    def test_answers_a_machine_in_the_error_shape(self) -> None:
        status, _, body, seen = _call({"method": "POST", "path": "/api/v1/evidence"})

        assert status == 415
        assert set(json.loads(body)) == {"code", "message", "hint", "fields", "request_id"}
        assert seen == []

    def test_hands_the_whole_body_on(self) -> None:
        _, _, _, seen = _call({"method": "POST"}, [b"a" * 10, b"b" * 10])

        assert seen[0][1] == b"a" * 10 + b"b" * 10

    def test_counts_a_body_without_length(self) -> None:
        status, _, _, seen = _call({"method": "POST"}, [b"a" * (1 << 20)] * 3)

        assert status == 413
        assert seen == []

    def test_drops_headers_that_could_pass_for_others(self) -> None:
        _, _, _, seen = _call({"headers": [(b"x_forwarded_host", b"evil"), (b"x-plain", b"1")]})

        assert b"x_forwarded_host" not in seen[0][0]
        assert seen[0][0][b"x-plain"] == b"1"


class TestLog:
    def test_holds_no_secret(self) -> None:
        text = discreet("GET /start/AbCdEfGhIjKlMnOpQrStUvWx/ with yoim_AbCdEfGhIjKlMnOpQrStUvWx done")

        assert "EfGhIj" not in text
        assert "/start/…/" in text
        assert "yoim_AbCd…" in text

    def test_escapes_what_forges_lines_or_colours(self) -> None:
        text = discreet("a\r\nERROR b\x1b[31mred\u202e")

        assert text == "a\\r\\nERROR b\\x1b[31mred\\u202e"

    def test_keeps_the_lines_of_a_traceback(self) -> None:
        formatter = Discreet("{message}", style="{")
        try:
            raise ValueError("yoim_AbCdEfGhIjKlMnOpQrStUvWx\x1b[0m")
        except ValueError as error:
            record = logging.LogRecord("x", logging.ERROR, __file__, 1, "broke", (), (type(error), error, None))

        text = formatter.format(record)

        assert text.startswith("broke\n")
        assert "EfGhIj" not in text
        assert "\x1b" not in text

    def test_names_a_refused_request_without_its_query(self, caplog: pytest.LogCaptureFixture) -> None:
        with caplog.at_level(logging.WARNING, logger=gate.__name__):
            _call({"query_string": b"token=yoim_secret"})

        assert caplog.messages == ["refused GET /: token_in_address"]
