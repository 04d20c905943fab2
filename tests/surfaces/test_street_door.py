"""The street door in front of the real server: names (S27), sites (S28), headers (S29), secrets (S32)."""

import json
import re
import sqlite3
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from urllib.parse import urlencode

import pytest
from django.urls import URLPattern, URLResolver, get_resolver

from tests.surfaces.conftest import Server, make_repository, start
from tests.surfaces.payloads import hostile_lists

NOWHERE = "01JZZZZZZZZZZZZZZZZZZZZZZZ"
"""An id that no record has: enough to reach a view, or what stands before it."""

PASSING = frozenset({"journal_event", "django_session", "sqlite_sequence"})
REST_SECONDS = 60

FORM = "application/x-www-form-urlencoded"
INLINE_SCRIPT = re.compile(r"<script(?![^>]*\bsrc=)(?![^>]*application/json)[^>]*>\s*\S")
INLINE_STYLE_OR_HANDLER = re.compile(r"<style|\sstyle=|\son(?:click|load|error|submit|change)=")

HEADERS = {
    "content-security-policy": "default-src 'none'",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=()",
    "x-request-id": "",
}


def _routes(patterns: list[URLPattern | URLResolver] | None = None, before: str = "") -> Iterator[str]:
    """Every address of the URL map, its parts filled in."""
    for pattern in get_resolver().url_patterns if patterns is None else patterns:
        text = before + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from _routes(pattern.url_patterns, text)
        else:
            yield "/" + text


def _filled() -> list[str]:
    filled = []
    for route in _routes():
        path = re.sub(r"<int:[^>]+>", "1", route)
        path = re.sub(r"<[^>]+>", NOWHERE, path)
        if not re.search(r"[()\\?*]", path):
            filled.append(path)
    return sorted(set(filled))


ROUTES = _filled()


@pytest.fixture(scope="module")
def lists(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    return hostile_lists(tmp_path_factory.mktemp("lists"))


def _works(server: Server) -> bool:
    """Whether a job of the server is under way: it writes too, and nobody asked it to."""
    with closing(sqlite3.connect(f"file:{server.home}/default.sqlite3?mode=ro", uri=True)) as database:
        asked = "SELECT count(*) FROM jobs_job WHERE state IN ('waiting', 'running')"
        return bool(database.execute(asked).fetchone()[0])


def _changes(server: Server) -> dict[str, int]:
    """How many rows each table holds, once the indexer rests; events of reads and sessions come and go."""
    deadline = time.monotonic() + REST_SECONDS
    while _works(server) and time.monotonic() < deadline:
        time.sleep(0.2)
    with closing(sqlite3.connect(f"file:{server.home}/default.sqlite3?mode=ro", uri=True)) as database:
        tables = [row[0] for row in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        counts = {name: database.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0] for name in tables}
    return {name: count for name, count in counts.items() if name not in PASSING}


class TestNames:
    def test_refused_on_every_route_before_any_view(self, owner: Server) -> None:
        assert len(ROUTES) > 60
        for route in ROUTES:
            for method in ("GET", "POST"):
                answer = owner.ask(method, route, host="evil.test")
                assert answer.status == 400, route
                assert "YOIMEMORY_ALLOWED_HOSTS" in answer.text, route
                assert "guide" not in answer.text
                assert "house" not in answer.text

    def test_of_the_shared_list(self, owner: Server, lists: dict[str, list[str]]) -> None:
        names = set(lists["hosts_accepted"])
        # White space round a header's value never arrives: HTTP takes it away. The gate's own test has it.
        for host in (host for host in lists["hosts_refused"] if host.strip() not in names):
            raw = owner.raw(f"GET /login/ HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
            assert raw.startswith(b"HTTP/1.1 400"), host
        for host in lists["hosts_accepted"]:
            assert owner.ask("GET", "/login/", host=f"{host}:{owner.port}").status == 200, host

    @pytest.mark.parametrize("hosts", ["", "Host: localhost\r\nHost: evil.test\r\n", "Host: evil.test\r\n"])
    def test_missing_or_sent_twice(self, owner: Server, hosts: str) -> None:
        raw = owner.raw(f"GET /login/ HTTP/1.1\r\n{hosts}Connection: close\r\n\r\n".encode())

        assert raw.startswith(b"HTTP/1.1 400")

    def test_of_another_header_change_nothing(self, owner: Server) -> None:
        answer = owner.ask("GET", "/workers/", x_forwarded_host="evil.test", forwarded="host=evil.test")

        assert answer.status == 200
        assert "evil.test" not in answer.text

    def test_that_a_person_added_are_let_in(self, tmp_path: Path) -> None:
        server = start(tmp_path, make_repository(tmp_path / "house"), YOIMEMORY_ALLOWED_HOSTS="desk.test")
        try:
            assert server.ask("GET", "/login/", host="desk.test").status == 200
            assert server.ask("GET", "/login/", host="desk.test.evil.test").status == 400
        finally:
            server.stop()


class TestSites:
    @pytest.mark.parametrize(
        "headers",
        [
            {"sec_fetch_site": "cross-site"},
            {"sec_fetch_site": "same-site"},
            {"origin": "http://evil.test"},
            {"origin": "null"},
            {"origin": "http://127.0.0.1:1"},
        ],
    )
    def test_change_nothing_on_any_route(self, owner: Server, headers: dict[str, str]) -> None:
        before = _changes(owner)

        for route in ROUTES:
            kind = "application/json" if route.startswith("/api/") else FORM
            for method in ("POST", "PATCH", "DELETE") if route.startswith("/api/") else ("POST",):
                answer = owner.ask(method, route, "{}", content_type=kind, **headers)
                assert answer.status == 403, (method, route)

        assert _changes(owner) == before

    @pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""])
    def test_may_not_dress_json_as_a_form(self, owner: Server, kind: str) -> None:
        for route in (route for route in ROUTES if route.startswith("/api/")):
            assert owner.ask("POST", route, "{}", content_type=kind).status == 415, route

    def test_change_nothing_by_reading(self, owner: Server) -> None:
        before = _changes(owner)

        for route in ROUTES:
            if not route.startswith(("/start/", "/logout/")):
                assert owner.ask("GET", route).status < 500, route

        assert _changes(owner) == before
        assert owner.ask("GET", "/workers/").status == 200

    def test_of_our_own_pages_are_served(self, owner: Server) -> None:
        page = owner.ask("GET", "/workers/")
        token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page.text)
        assert token
        body = urlencode({"csrfmiddlewaretoken": token[1], "name": "one", "scope": "read", "days": "5"})

        for headers in (
            {"sec_fetch_site": "same-origin", "origin": "null"},
            {"origin": f"http://127.0.0.1:{owner.port}"},
            {},
        ):
            answer = owner.ask("POST", "/workers/new/", body, content_type=FORM, **headers)
            assert answer.status == 200, headers


class TestHeaders:
    def _check(self, answer_headers: dict[str, str], *, kept: bool = False) -> None:
        for name, value in HEADERS.items():
            assert value in answer_headers[name], name
        assert "unsafe" not in answer_headers["content-security-policy"]
        assert kept or answer_headers["cache-control"] == "no-store"
        assert "server" not in answer_headers
        assert "access-control-allow-origin" not in answer_headers

    def test_stand_on_every_route(self, owner: Server) -> None:
        for route in ROUTES:
            for headers in ({}, {"hx_request": "true"}):
                answer = owner.ask("GET", route, **headers)
                self._check(answer.headers)
                if answer.headers.get("content-type", "").startswith("text/html"):
                    assert not re.search(r"<script(?![^>]*\bsrc=)(?![^>]*application/json)[^>]*>\s*\S", answer.text), (
                        route
                    )
                    assert not re.search(r"<style|\sstyle=|\son(?:click|load|error|submit|change)=", answer.text), route

    def test_stand_on_every_error(self, owner: Server) -> None:
        errors = {
            400: owner.ask("GET", "/?token=x"),
            403: owner.ask("POST", "/login/", sec_fetch_site="cross-site"),
            404: owner.ask("GET", "/nowhere/"),
            405: owner.ask("GET", "/logout/"),
            413: owner.ask("POST", "/login/", "x" * (2 << 20) + "x"),
            415: owner.ask("POST", "/api/v1/markers", "x"),
        }

        for status, answer in errors.items():
            assert answer.status == status
            self._check(answer.headers)

    def test_stand_on_static_files_which_may_be_kept(self, owner: Server) -> None:
        page = owner.ask("GET", "/workers/").text
        files = sorted(set(re.findall(r'(?:src|href)="(/static/[^"]+)"', page)))
        assert len(files) >= 3

        for path in files:
            answer = owner.ask("GET", path)
            assert answer.status == 200
            self._check(answer.headers, kept=True)

    def test_are_not_split_by_what_is_asked_for(self, owner: Server) -> None:
        for path in ("/read/?ref=doc:a%0d%0aX-Evil:%201", "/start/a%0d%0aX-Evil:1/", "/login/?next=/%0d%0aX-Evil:1"):
            assert "x-evil" not in owner.ask("GET", path).headers

    def test_refuse_a_body_without_length_that_is_too_large(self, owner: Server) -> None:
        chunk = b"10000\r\n" + b"x" * 0x10000 + b"\r\n"
        head = f"POST /login/ HTTP/1.1\r\nHost: 127.0.0.1:{owner.port}\r\nTransfer-Encoding: chunked\r\n\r\n".encode()

        try:
            raw = owner.raw(head + chunk * 40 + b"0\r\n\r\n")
        except (BrokenPipeError, ConnectionResetError):
            return  # refused before we had sent it all

        assert raw.startswith(b"HTTP/1.1 413") or raw == b""


class TestSecrets:
    PASSWORD = "seven grey herons"

    def test_stay_out_of_logs_databases_and_processes(self, tmp_path: Path) -> None:
        server = start(tmp_path, make_repository(tmp_path / "house"))
        try:
            secrets = self._use_everything(server)
            processes = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
        finally:
            server.stop()

        places = {"processes": processes.encode(), "log": server.errors.read_bytes()}
        places |= {path.name: path.read_bytes() for path in server.home.rglob("*") if path.is_file()}
        assert "default.sqlite3" in places
        for name, secret in secrets.items():
            assert len(secret) > 12, name
            for place, content in places.items():
                assert secret.encode() not in content, f"{name} stands in {place}"
        # The start link is printed for the person, once; it is used up by then.
        assert secrets["link"] in server.output.read_text()
        for name in ("token", "session", "password"):
            assert secrets[name] not in server.output.read_text()

    def _use_everything(self, server: Server) -> dict[str, str]:
        """Use each secret rightly, wrongly and where it does not belong."""
        link = server.link
        server.log_in()
        page = server.form("/workers/new/", "/workers/", name="coder", scope="propose", days="9")
        token = re.search(r"yoim_[A-Za-z0-9_-]{30,}", page.text)
        assert token
        session = next(value for name, value in server.cookies.items() if name.endswith("_session"))
        csrf = next(value for name, value in server.cookies.items() if name.endswith("_csrf"))
        bearer = f"Bearer {token[0]}"
        assert server.ask("GET", "/api/v1/markers", authorization=bearer, cookie="").status == 200
        body = json.dumps({"target": "doc:docs/guide.md", "state": "stale", "reason": "Old."})
        made = server.ask(
            "POST", "/api/v1/markers", body, authorization=bearer, cookie="", content_type="application/json",
            idempotency_key="one",
        )  # fmt: skip
        assert made.status == 201
        assert server.ask("GET", f"/api/v1/markers?token={token[0]}").status == 400
        assert server.ask("GET", f"/api/v1/nothing/{token[0]}", authorization=f"Basic {token[0]}").status == 404
        assert server.ask("POST", link, content_type=FORM, cookie="").status == 403
        server.ask("GET", f"{link}?x=1")
        server.ask("GET", f"/?{urlencode({'password': self.PASSWORD, 'session': session})}")
        server.form("/login/", "/login/", username="root", password=self.PASSWORD)
        return {
            "link": link.strip("/").split("/")[1],
            "token": token[0],
            "session": session,
            "csrf": csrf,
            "password": self.PASSWORD,
        }

    def test_in_an_address_are_refused_and_told_why(self, owner: Server) -> None:
        page, machine = owner.ask("GET", "/?token=yoim_x"), owner.ask("GET", "/api/v1/search?q=x&token=yoim_x")

        assert (page.status, machine.status) == (400, 400)
        assert "histories and logs" in page.text
        assert json.loads(machine.body)["code"] == "token_in_address"
