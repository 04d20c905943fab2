"""The published shape of the tools: what is reviewed when it changes."""

from typing import Any

from yoimemory.mcp.catalog import TOOLS
from yoimemory.mcp.server import INSTRUCTIONS, NAME, TEMPLATE

SNAPSHOT = "docs/mcp-schema.json"
"""Where the snapshot stands, from the root of the project."""


def snapshot() -> dict[str, Any]:
    """Everything that a client is told before it calls anything."""
    return {
        "server": NAME,
        "instructions": INSTRUCTIONS,
        "resource_template": TEMPLATE,
        "tools": [
            {
                "name": tool.name,
                "title": tool.title,
                "scope": tool.scope,
                "description": tool.description,
                "inputSchema": tool.schema,
            }
            for tool in TOOLS.values()
        ],
    }
