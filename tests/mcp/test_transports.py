"""MCP as clients reach it: over HTTP in a server of its own, and over standard input and output."""

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import pytest
from asgiref.sync import async_to_sync
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

from tests.mcp.clients import broken_limits
from tests.mcp.conftest import MODES
from tests.surfaces.conftest import Server, environment, make_repository, run, run_all, start
from yoimemory.mcp.catalog import ORDER

RULE = "The later clock wins, until the tablets agree on one."
JSON_TYPE = {"content_type": "application/json", "accept": "application/json, text/event-stream"}


@dataclass
class Served:
    """A running server with one token of each scope."""

    server: Server
    propose: str
    read: str

    def post(self, message: Any, token: str = "", **headers: str) -> Any:
        given = {**JSON_TYPE, **headers}
        if token:
            given["authorization"] = f"Bearer {token}"
        return self.server.ask("POST", "/mcp", json.dumps(message), **given)

    def over_http(self, mode: Any, work: Any, token: str = "") -> Any:
        async def talk() -> Any:
            headers = {"Authorization": f"Bearer {token or self.propose}"}
            async with httpx2.AsyncClient(headers=headers, timeout=60) as http:
                transport = streamable_http_client(f"http://127.0.0.1:{self.server.port}/mcp", http_client=http)
                async with Client(transport, mode=mode) as client:
                    return await work(client)

        return async_to_sync(talk)()

    def over_stdio(self, mode: Any, work: Any, *arguments: str, **environ: str) -> Any:
        env = {**environment(self.server.home), "YOIMEMORY_TOKEN": self.propose, **environ}
        command = StdioServerParameters(
            command=sys.executable, args=["-m", "yoimemory.cli", "mcp", *arguments], env=env
        )

        async def talk() -> Any:
            async with Client(command, mode=mode) as client:
                return await work(client)

        return async_to_sync(talk)()


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("mcp")
    home, root = folder / "home", make_repository(folder / "house")
    made = [["token", "new", scope, "--scope", scope, "--json"] for scope in ("propose", "read")]
    tokens = [json.loads(said)["token"] for said in run_all(home, ["index", str(root)], *made)[1:]]
    server = start(folder, root)
    yield Served(server, *tokens)
    if server.process.poll() is None:
        server.stop()


async def whole_round(client: Client) -> tuple[list[str], Any, Any, Any]:
    """What a client does first: list, call, look at resources, read one."""
    tools = await client.list_tools()
    found = await client.call_tool("search_sources", {"query": "later clock wins"})
    templates = await client.list_resource_templates()
    resource = await client.read_resource("yoimemory://ref/doc%3Adocs%2Fguide.md%23L3")
    return [tool.name for tool in tools.tools], found, templates, resource


@pytest.mark.parametrize("mode", MODES)
class TestEitherEra:
    def test_is_served_over_http(self, served: Served, mode: str) -> None:
        names, found, templates, resource = served.over_http(mode, whole_round)

        assert names == list(ORDER)
        assert RULE in found.content[0].text
        assert broken_limits(found) == []
        assert templates.resource_templates[0].uri_template == "yoimemory://ref/{ref}"
        assert resource.contents[0].text.rsplit("\n", 1)[1].startswith("doc:docs/guide.md@")

    def test_is_served_by_the_bridge(self, served: Served, mode: str) -> None:
        names, found, _, resource = served.over_stdio(mode, whole_round)

        assert names == list(ORDER)
        assert RULE in found.content[0].text
        assert "doc:docs/guide.md@" in resource.contents[0].text

    def test_is_served_in_process(self, served: Served, mode: str) -> None:
        names, found, _, _ = served.over_stdio(mode, whole_round, "--in-process")

        assert names == list(ORDER)
        assert RULE in found.content[0].text

    def test_says_what_a_ref_lacks_when_it_is_read_as_a_resource(self, served: Served, mode: str) -> None:
        async def refused(client: Client) -> str:
            try:
                await client.read_resource("yoimemory://ref/doc%3Adocs%2Fguid.md")
            except MCPError as error:
                return str(error)
            return ""

        assert "Nearest: doc:docs/guide.md" in served.over_http(mode, refused)


class TestDoor:
    LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}

    def test_wants_a_token(self, served: Served) -> None:
        answer = served.post(self.LIST)

        assert answer.status == 401
        assert answer.headers["www-authenticate"] == 'Bearer realm="yoimemory"'
        assert json.loads(answer.body)["code"] == "unauthorized"

    def test_takes_no_session(self, served: Served) -> None:
        assert served.server.log_in().status == 302

        assert served.post(self.LIST).status == 401

    def test_refuses_another_sites_page(self, served: Served) -> None:
        assert served.post(self.LIST, served.read, origin="https://evil.example").status == 403
        assert served.post(self.LIST, served.read, sec_fetch_site="same-site").status == 403

    def test_refuses_another_name(self, served: Served) -> None:
        assert served.post(self.LIST, served.read, host="evil.example").status == 400

    def test_takes_json_only(self, served: Served) -> None:
        assert served.post(self.LIST, served.read, content_type="text/plain").status == 415

    def test_opens_no_stream_and_keeps_no_session(self, served: Served) -> None:
        bearer = f"Bearer {served.read}"

        assert served.server.ask("GET", "/mcp", authorization=bearer).status == 405
        assert served.server.ask("DELETE", "/mcp", authorization=bearer).status == 405
        assert "mcp-session-id" not in served.post(self.LIST, served.read).headers

    def test_takes_a_message_up_to_its_limit(self, served: Served) -> None:
        assert served.post({**self.LIST, "params": {"x": "y" * (3 << 20)}}, served.read).status == 413

    def test_wants_mirrored_headers_to_match_the_body(self, served: Served) -> None:
        meta = {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        }
        message = {**self.LIST, "params": {"_meta": meta}}

        answer = served.post(message, served.read, mcp_protocol_version="2026-07-28", mcp_method="tools/call")

        assert answer.status == 400

    def test_shows_a_read_token_only_what_reads(self, served: Served) -> None:
        tools = json.loads(served.post(self.LIST, served.read).body)["result"]["tools"]

        assert len(tools) == 5

    def test_ends_a_revoked_token_at_once(self, served: Served) -> None:
        made = json.loads(run(served.server.home, "token", "new", "brief", "--scope", "read", "--json").stdout)
        assert served.post(self.LIST, made["token"]).status == 200

        assert run(served.server.home, "token", "revoke", "brief").returncode == 0

        assert served.post(self.LIST, made["token"]).status == 401

    @pytest.mark.parametrize("body", ["", "[]", "{", '"x"', "null", "[" * 5_000, '{"jsonrpc":"2.0"}', '{"id":1}'])
    def test_answers_what_is_no_message_without_a_fault(self, served: Served, body: str) -> None:
        answer = served.server.ask("POST", "/mcp", body, authorization=f"Bearer {served.read}", **JSON_TYPE)

        assert 200 <= answer.status < 500
        assert b"Traceback" not in answer.body


class TestTwoAtOnce:
    def test_with_one_key_have_one_effect(self, served: Served) -> None:
        arguments = {
            "target": "doc:docs/guide.md", "state": "stale", "reason": "It is old.", "idempotency_key": "at-once",
        }  # fmt: skip
        call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                "params": {"name": "mark_staleness", "arguments": arguments}}  # fmt: skip
        answers: list[Any] = []
        threads = [
            threading.Thread(target=lambda: answers.append(json.loads(served.post(call, served.propose).body)))
            for _ in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)

        texts = [answer["result"]["content"][0]["text"] for answer in answers]
        done = [text for text in texts if text.startswith("Marked stale")]
        assert len(texts) == 4
        assert done
        assert set(texts) <= {done[0], "The first request with this key is still running. Wait a second, then retry."}
        listed = {"jsonrpc": "2.0", "id": 2, "method": "tools/call",
                  "params": {"name": "list_records", "arguments": {"noun": "markers"}}}  # fmt: skip
        assert json.loads(served.post(listed, served.read).body)["result"]["structuredContent"]["total"] == 1


class TestBridge:
    def lines(self, served: Served, *messages: Any, options: tuple[str, ...] = (), **environ: str) -> list[Any]:
        """What is answered to these lines, of which the last is also the end of what is asked."""
        sent = "".join(one if isinstance(one, str) else json.dumps(one) + "\n" for one in messages)
        done = subprocess.run(
            [sys.executable, "-m", "yoimemory.cli", "mcp", *options], input=sent, capture_output=True, text=True,
            timeout=120,
            env={**environment(served.server.home), "YOIMEMORY_TOKEN": served.read, **environ}, check=True,
        )  # fmt: skip
        assert done.stderr == ""
        return [json.loads(line) for line in done.stdout.splitlines()]

    @pytest.mark.parametrize("options", [(), ("--in-process",)], ids=["bridge", "in process"])
    def test_answers_every_request_and_no_notification(self, served: Served, options: tuple[str, ...]) -> None:
        client = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
        hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": client}
        ready = {"jsonrpc": "2.0", "method": "notifications/initialized"}
        calls = [
            {"jsonrpc": "2.0", "id": f"c{number}", "method": "tools/call",
             "params": {"name": "search_sources", "arguments": {"query": "clock"}}}
            for number in range(5)
        ]  # fmt: skip

        answers = self.lines(served, hello, ready, *calls, options=options)

        assert answers[0]["result"]["protocolVersion"] == "2025-11-25"
        assert sorted(str(answer["id"]) for answer in answers) == ["1", "c0", "c1", "c2", "c3", "c4"]

    def test_says_how_to_start_the_server(self, served: Served, tmp_path: Path) -> None:
        [answer] = self.lines(served, {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}, YOIMEMORY_HOME=str(tmp_path))

        assert "yoimemory serve" in answer["error"]["message"]
        assert str(tmp_path) not in answer["error"]["message"]

    def test_does_not_believe_a_server_that_was_killed(self, served: Served, tmp_path: Path) -> None:
        gone = subprocess.Popen([sys.executable, "-c", "pass"])
        gone.wait()
        told = {"base": f"http://127.0.0.1:{served.server.port}", "pid": gone.pid}
        (tmp_path / "server.json").write_text(json.dumps(told))

        [answer] = self.lines(served, {"jsonrpc": "2.0", "id": 1, "method": "ping"}, YOIMEMORY_HOME=str(tmp_path))

        assert answer["error"]["code"] == -32001

    def test_says_how_a_token_is_made(self, served: Served) -> None:
        [answer] = self.lines(served, {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}, YOIMEMORY_TOKEN="")

        assert "yoimemory token new" in answer["error"]["message"]

    def test_tells_of_a_token_that_is_none(self, served: Served) -> None:
        [answer] = self.lines(served, {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}, YOIMEMORY_TOKEN="yoim_no")

        assert "not known, has expired or was revoked" in answer["error"]["message"]
        assert "yoim_no" not in answer["error"]["message"]

    def test_answers_each_line_that_is_no_request(self, served: Served) -> None:
        lines = ["{\n", "[]\n", "7\n", '{"id": 1}\n', "[" * 4_000 + "\n"]

        answers = self.lines(served, *lines)

        assert [answer["id"] for answer in answers] == [None] * len(lines)
        assert all(answer["error"]["message"].endswith(".") for answer in answers)

    def test_imports_the_standard_library_only(self, tmp_path: Path) -> None:
        code = (
            "import sys; at_start = set(sys.modules); from yoimemory.cli import main; "
            "main(['mcp']); new = {name.partition('.')[0] for name in set(sys.modules) - at_start}; "
            "sys.stderr.write(' '.join(sorted(new - sys.stdlib_module_names)))"
        )
        environ = {**environment(tmp_path), "YOIMEMORY_TOKEN": "none"}

        done = subprocess.run(
            [sys.executable, "-c", code], input='{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n', capture_output=True,
            text=True, timeout=60, env=environ, check=True,
        )  # fmt: skip

        assert json.loads(done.stdout)["error"]["code"] == -32001
        assert set(done.stderr.split()) <= {"pysqlite3", "yoimemory"}  # the first stands in for the standard sqlite3

    def test_offers_only_what_reads_when_asked(self, served: Served) -> None:
        tools = served.over_stdio("auto", lambda client: client.list_tools(), "--read-only").tools

        assert all(tool.annotations.read_only_hint for tool in tools)
