"""Connecting an agent's client: its configuration with absolute paths, tried out before anybody relies on it."""

import argparse
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from yoimemory.cli.confirming import NOT_WRITTEN, Answer, agreed_to, digests
from yoimemory.cli.run import DONE, NOTHING, caller, now, say, show_json, workspace_of

if TYPE_CHECKING:
    from yoimemory.products.clients import Entry

PROTOCOL = "2025-11-25"
SECONDS = 10.0
"""So long a client waits for a server to start and for each answer; so long we wait."""


@dataclass(frozen=True, slots=True)
class Tried:
    """What starting the entry as the client would showed."""

    works: bool
    said: str


def connect(arguments: argparse.Namespace) -> int:
    """Print what the client must be told, or write it after a person saw it; then try the entry out.

    Raises what `plan_connection` raises, and Forbidden to write where nobody sits at a terminal.
    """
    from yoimemory.products.clients import CLIENTS, configuration
    from yoimemory.products.services import connect_client, plan_connection

    entry, client = entry_here(), arguments.client
    workspace = workspace_of(arguments)
    answer: Answer | None = None
    if arguments.write:
        plan = plan_connection(workspace, client=client, entry=entry)
        answer = agreed_to(plan, arguments, what="writing a client's configuration")
        if answer is Answer.YES:
            connect_client(workspace, client=client, entry=entry, seen=digests(plan), actor=caller(), now=now())
    tried = try_entry(entry)
    refused = answer.code if answer else DONE
    if arguments.json:
        show_json(
            {
                "client": client, "file": str(workspace.path / CLIENTS[client]), "written": answer is Answer.YES,
                "configuration": configuration(client, entry), "works": tried.works, "said": tried.said,
            }
        )  # fmt: skip
        return refused if tried.works else NOTHING
    if not arguments.write:
        say(f"For {workspace.path / CLIENTS[client]}:", "", configuration(client, entry))
        say(*_more_about(client, entry))
    said = answer.sentence if answer else NOT_WRITTEN
    say("Written; it can be undone on the skills page." if answer is Answer.YES else said)
    say(f"Tried: {tried.said}")
    return refused if tried.works else NOTHING


def entry_here() -> "Entry":
    """How a client starts this very program on this very data folder."""
    import platformdirs
    from django.conf import settings

    from yoimemory.products.clients import Entry

    script = Path(sys.executable).with_name("yoimemory.exe" if os.name == "nt" else "yoimemory")
    usual = Path(platformdirs.user_data_dir("yoimemory", appauthor=False))
    home = {} if Path(settings.HOME) == usual else {"YOIMEMORY_HOME": str(settings.HOME)}
    if script.is_file():
        return Entry(str(script), environment=home)
    return Entry(sys.executable, ("-m", "yoimemory.cli", "mcp"), home)


def try_entry(entry: "Entry", *, token: str | None = None) -> Tried:
    """Start the entry with the environment that a strict client gives it, and ask it who it is."""
    from yoimemory import env

    secret = env.worker_token() if token is None else token
    environment = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    environment |= {**entry.environment, **({"YOIMEMORY_TOKEN": secret} if secret else {})}
    us = {"name": "yoimemory connect", "version": "1"}
    params = {"protocolVersion": PROTOCOL, "capabilities": {}, "clientInfo": us}
    asked = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}
    try:
        done = subprocess.run(  # noqa: S603 (our own program, as the client will start it)
            [entry.command, *entry.arguments], input=json.dumps(asked) + "\n", env=environment, capture_output=True,
            text=True, timeout=SECONDS, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return Tried(False, f"It did not answer within {SECONDS:.0f} s.")
    except OSError as error:
        return Tried(False, f"{entry.command} cannot be started: {error.strerror}.")
    return _understood(done.stdout, done.stderr)


def _understood(output: str, errors: str) -> Tried:
    try:
        answer: Any = json.loads(output.split("\n", 1)[0])
        if "error" in answer:
            return Tried(False, f"It starts, and answers: {answer['error']['message']}")
        told = answer["result"]["serverInfo"]
        return Tried(True, f"It starts and answers as {told['name']} {told.get('version', '')}".rstrip() + ".")
    except (ValueError, KeyError, TypeError):
        first = next((line for line in [*errors.split("\n"), *output.split("\n")] if line.strip()), "nothing")
        return Tried(False, f"It answers no MCP; it said: {first[:300]}")


def _more_about(client: str, entry: "Entry") -> list[str]:
    words = " ".join([entry.command, *entry.arguments])
    lines = [
        "The token stands in no file: the client hands on YOIMEMORY_TOKEN from its own environment.",
        "Make one: yoimemory token new NAME --scope propose",
    ]
    if client == "claude":
        home = "".join(f" --env {name}={value}" for name, value in entry.environment.items())
        lines.append(f"For yourself alone, without a file in the workspace: claude mcp add{home} yoimemory -- {words}")
    if client == "yoi":
        lines.append("Git ignores that file; it is not applied with an explicit manifest.")
    return [*lines, ""]
