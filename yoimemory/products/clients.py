"""How the clients of agents are told of us: each one's own form, with absolute paths, and never a secret in a file."""

import json
import re
import tomllib
from dataclasses import dataclass, field
from typing import Any

from yoimemory.errors import BadInput, Refused

NAME = "yoimemory"
TOKEN = "YOIMEMORY_TOKEN"  # noqa: S105 (the name of the variable, which every client reads from its own environment)
CLIENTS = {"claude": ".mcp.json", "codex": ".codex/config.toml", "yoi": ".yoi/override.local.toml"}
"""Each client, and the file of a workspace in which it reads of servers."""
WRITTEN_BY_US = frozenset({"claude", "codex"})
"""Yoi's file holds its own overrides beside ours, and is Yoi's to write: for it the text is printed."""
_SECTION = re.compile(r"^\s*\[+\s*mcp_servers\s*\.\s*[\"']?yoimemory\b", re.MULTILINE)


class UnknownClient(BadInput):
    """We know no client of this name."""


class NotTheirForm(Refused):
    """The client's file is not in the form that we could add to, or names us otherwise already."""


@dataclass(frozen=True, slots=True)
class Entry:
    """How a client starts us: an absolute command, its arguments, and what it must find in its environment."""

    command: str
    arguments: tuple[str, ...] = ("mcp",)
    environment: dict[str, str] = field(default_factory=dict)


def configuration(client: str, entry: Entry, there: str = "") -> str:
    """The whole text of the client's file with our entry, whatever else stood in it unchanged.

    Raises UnknownClient, or NotTheirForm for a file that cannot be read or names another entry of our name.
    """
    if client not in CLIENTS:
        raise UnknownClient(f"There is no client {client[:40]!r}.", hint=f"Clients are {', '.join(CLIENTS)}.")
    if client == "claude":
        return _with_json(entry, there)
    return _with_toml(_codex(entry), there) if client == "codex" else _yoi(entry)


def _with_json(entry: Entry, there: str) -> str:
    try:
        held = json.loads(there) if there.strip() else {}
        servers = held.setdefault("mcpServers", {})
        servers[NAME] = {
            "command": entry.command,
            "args": list(entry.arguments),
            "env": {**entry.environment, TOKEN: f"${{{TOKEN}}}"},
        }
    except (ValueError, RecursionError, AttributeError, TypeError) as error:
        raise NotTheirForm(
            f"{CLIENTS['claude']} is not in the form that Claude Code reads.", hint="Mend it, then connect again."
        ) from error
    return json.dumps(held, indent=2, ensure_ascii=False) + "\n"


def _with_toml(section: str, there: str) -> str:
    try:
        held: dict[str, Any] = tomllib.loads(there)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise NotTheirForm(
            f"{CLIENTS['codex']} cannot be read as TOML.", hint="Mend it, then connect again."
        ) from error
    known = held.get("mcp_servers")
    if isinstance(known, dict) and known.get(NAME) == tomllib.loads(section)["mcp_servers"][NAME]:
        return there
    if (isinstance(known, dict) and NAME in known) or _SECTION.search(there):
        raise NotTheirForm(
            f"{CLIENTS['codex']} names a server {NAME} already, otherwise than we would.",
            hint="Take that section out, or change it by hand as `yoimemory connect codex` prints it.",
        )
    return f"{there.rstrip()}\n\n{section}" if there.strip() else section


def _codex(entry: Entry) -> str:
    lines = [
        f"[mcp_servers.{NAME}]",
        f"command = {json.dumps(entry.command)}",
        f"args = {json.dumps(list(entry.arguments))}",
        f'env_vars = ["{TOKEN}"]',
        "startup_timeout_sec = 20",
        "tool_timeout_sec = 60",
    ]
    if entry.environment:
        values = ", ".join(f"{name} = {json.dumps(value)}" for name, value in entry.environment.items())
        lines.insert(3, f"env = {{ {values} }}")
    return "\n".join(lines) + "\n"


def _yoi(entry: Entry) -> str:
    lines = [
        "[[mcp.stdio_server]]",
        f'name = "{NAME}"',
        f"command = {json.dumps(entry.command)}",
        f"args = {json.dumps(list(entry.arguments))}",
        "[mcp.stdio_server.env]",
        'inherit = ["PATH", "HOME"]',
        f"[mcp.stdio_server.env.set.{TOKEN}]",
        'kind = "env_ref"',
        f'name = "{TOKEN}"',
    ]
    for name, value in entry.environment.items():
        lines += [f"# {name} must be {value}", f"[mcp.stdio_server.env.set.{name}]", 'kind = "env_ref"']
        lines.append(f'name = "{name}"')
    return "\n".join(lines) + "\n"
