"""MCP over standard input and output: a bridge to the running server, or the server itself on request.

Some clients start a process for every single call and wait ten seconds at most, so the bridge is
standard library only: it reads a line, sends it to `/mcp`, and writes the answer. It never reads
a source and never indexes.
"""

import argparse
import base64
import http.client
import json
import os
import re
import sys
import threading
from typing import Any

from yoimemory.cli.running import running
from yoimemory.env import home, worker_model, worker_principal, worker_run, worker_token

AT_ONCE = 4
LINE_MAX = 2 << 20
SECONDS = 120
VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
NAMED_BY = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
NO_SERVER, NO_TOKEN, LOST = -32001, -32002, -32003
_PLAIN = re.compile(r"[\x20-\x7e]*")

Message = dict[str, Any]


def mcp(arguments: argparse.Namespace) -> int:
    """Serve MCP to one client until its input ends."""
    if arguments.in_process:
        from yoimemory.cli.run import run_verb

        return run_verb(_in_process, arguments)
    Bridge(read_only=arguments.read_only).serve()
    return 0


def _in_process(arguments: argparse.Namespace) -> int:
    from yoimemory.mcp.stdio import serve

    return serve(worker_token(), read_only=arguments.read_only)


class Bridge:
    """One client on our standard input, the running server at the other end."""

    def __init__(self, *, read_only: bool) -> None:
        self._read_only = read_only
        self._version = ""
        self._writing = threading.Lock()
        self._places = threading.Semaphore(AT_ONCE)

    def serve(self) -> None:
        """Answer every line; calls run beside one another, and all are answered before this ends."""
        under_way: list[threading.Thread] = []
        while line := sys.stdin.buffer.readline(LINE_MAX + 1):
            message = self._read(line)
            if message is None:
                continue
            self._places.acquire()
            if message["method"] == "initialize":
                self._answer(message)
                continue
            under_way = [thread for thread in under_way if thread.is_alive()]
            under_way.append(threading.Thread(target=self._answer, args=[message]))
            under_way[-1].start()
        for thread in under_way:
            thread.join()

    def _read(self, line: bytes) -> Message | None:
        """The request in a line; None for what needs no answer, or was refused here."""
        if len(line) > LINE_MAX:
            while not line.endswith(b"\n") and (line := sys.stdin.buffer.readline(LINE_MAX)):
                pass
            self._write(fault(None, -32600, "This message is longer than 2 MB. Send less at once."))
            return None
        if not line.strip():
            return None
        try:
            message = json.loads(line)
        except (ValueError, RecursionError):
            self._write(fault(None, -32700, "This line is no JSON. Send one JSON-RPC message a line."))
            return None
        if not isinstance(message, dict) or not isinstance(message.get("method"), str):
            if not (isinstance(message, dict) and ("result" in message or "error" in message)):
                self._write(fault(None, -32600, "This is no JSON-RPC request. Send one request object a line."))
            return None
        # Notifications change nothing on a server that keeps no sessions.
        return message if message.get("id") is not None else None

    def _answer(self, message: Message) -> None:
        try:
            self._write(self._forwarded(message))
        finally:
            self._places.release()

    def _forwarded(self, message: Message) -> Message:
        id = message["id"]
        place, token = running(home()), worker_token()
        if place is None:
            return fault(id, NO_SERVER, NOT_RUNNING)
        if not token:
            return fault(id, NO_TOKEN, NOBODY)
        connection = http.client.HTTPConnection(*place, timeout=SECONDS)
        try:
            connection.request("POST", "/mcp", json.dumps(message).encode(), self._headers(message, token))
            response = connection.getresponse()
            body = response.read()
        except (OSError, http.client.HTTPException) as error:
            refused = isinstance(error, ConnectionRefusedError)
            return fault(id, NO_SERVER if refused else LOST, NOT_RUNNING if refused else BROKE_OFF)
        finally:
            connection.close()
        return self._understood(message, response.status, body)

    def _headers(self, message: Message, token: str) -> dict[str, str]:
        params = message.get("params")
        params = params if isinstance(params, dict) else {}
        meta = params.get("_meta")
        version = meta.get(VERSION_KEY) if isinstance(meta, dict) else None
        headers = {
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            "Authorization": f"Bearer {as_header(token)}",
            "Mcp-Method": as_header(message["method"]),
        }
        if isinstance(version, str) or self._version:
            headers["Mcp-Protocol-Version"] = as_header(version if isinstance(version, str) else self._version)
        name = params.get(NAMED_BY.get(message["method"], ""))
        if isinstance(name, str):
            headers["Mcp-Name"] = as_header(name)
        if self._read_only:
            headers["X-Read-Only"] = "1"
        said = (
            ("X-Worker-Run", worker_run()),
            ("X-Worker-Model", worker_model()),
            ("X-On-Behalf-Of", worker_principal()),
        )
        return headers | {header: as_header(value) for header, value in said if value}

    def _understood(self, message: Message, status: int, body: bytes) -> Message:
        """The server's JSON-RPC answer, or its refusal at the door as one."""
        try:
            answer = json.loads(body)
        except ValueError:
            answer = None
        if isinstance(answer, dict) and "jsonrpc" in answer:
            result = answer.get("result")
            if message["method"] == "initialize" and isinstance(result, dict):
                self._version = str(result.get("protocolVersion", ""))
            return {**answer, "id": message["id"]}
        told = answer if isinstance(answer, dict) else {}
        words = f"{told.get('message', '')} {told.get('hint', '')}".strip()
        return fault(message["id"], NO_TOKEN if status == 401 else LOST, words or BROKE_OFF)

    def _write(self, message: Message) -> None:
        line = json.dumps(message, ensure_ascii=True, separators=(",", ":")).encode() + b"\n"
        with self._writing:
            try:
                sys.stdout.buffer.write(line)
                sys.stdout.buffer.flush()
            except BrokenPipeError:
                # The client is gone: nobody is left to tell.
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


NOT_RUNNING = (
    "No yoimemory server is running on this data folder. A person starts it with `yoimemory serve` (the same "
    "YOIMEMORY_HOME); or start this command as `yoimemory mcp --in-process`, which needs no server."
)
NOBODY = (
    "YOIMEMORY_TOKEN is not set, so nobody we know is asking. A person makes a token on the Workers page or with "
    "`yoimemory token new NAME --scope read`, and puts it into the environment of this command."
)
BROKE_OFF = "The yoimemory server did not answer this call to its end. Try again; if it stays so, its log tells why."


def fault(id: object, code: int, message: str) -> Message:
    """A JSON-RPC error."""
    return {"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}}


def as_header(text: str) -> str:
    """A value that survives a header; what would not is sent as base64, in the protocol's own way."""
    if _PLAIN.fullmatch(text) and text == text.strip() and not text.startswith("=?base64?"):
        return text
    return f"=?base64?{base64.b64encode(text.encode('utf-8', 'replace')).decode()}?="
