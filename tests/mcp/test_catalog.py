"""What a client is told of the tools: small, flat, in words that fit, and the same as the snapshot in the documents."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.mcp.clients import depth
from tests.mcp.conftest import House
from yoimemory.mcp.catalog import ORDER, TOOLS
from yoimemory.mcp.snapshot import SNAPSHOT, snapshot
from yoimemory.mcp.tools import OFFERED, Tool

ROOT = Path(__file__).resolve().parents[2]
TOKENS_MAX = 2_500
CHARACTERS_PER_TOKEN = 4.0
"""A common tokenizer makes 4.1 characters of these very definitions into one token: this counts too many, not few."""

DECIDES = re.compile(r"approve|accept|reject|decide|apply|revert|resolve|settle|review_|delete|revoke")


def definition(tool: Tool) -> dict[str, Any]:
    """What a model reads of a tool."""
    return {"name": tool.name, "description": tool.description, "inputSchema": tool.schema}


def nodes(value: Any) -> int:
    if isinstance(value, dict):
        return 1 + sum(nodes(one) for one in value.values())
    return 1 + sum(nodes(one) for one in value) if isinstance(value, list) else 1


def schemas(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
        for one in value.values():
            yield from schemas(one)
    elif isinstance(value, list):
        for one in value:
            yield from schemas(one)


def test_there_are_twelve_and_every_one_is_listed() -> None:
    assert len(TOOLS) == 12
    assert set(ORDER) == set(OFFERED)


def test_all_definitions_stay_within_the_budget() -> None:
    written = json.dumps([definition(tool) for tool in TOOLS.values()], ensure_ascii=False, separators=(",", ":"))

    assert len(written) / CHARACTERS_PER_TOKEN <= TOKENS_MAX


def test_the_snapshot_stands_as_the_tools_are() -> None:
    assert json.loads((ROOT / SNAPSHOT).read_text(encoding="utf-8")) == snapshot(), (
        "A tool changed. If that is meant, run `python docs/snapshots.py`, and read docs/json-api.md on promises."
    )


@pytest.mark.parametrize("name", ORDER)
class TestTool:
    def test_has_a_name_that_every_client_takes(self, name: str) -> None:
        assert re.fullmatch(r"[a-z]+(_[a-z]+)+", name)
        assert len(f"Mcp_yoimemory_{name}") <= 48

    def test_has_a_description_that_is_shown_whole(self, name: str) -> None:
        assert 40 <= len(TOOLS[name].description) <= 1_024

    def test_has_a_schema_that_no_client_chokes_on(self, name: str) -> None:
        schema = TOOLS[name].schema

        found = {key for one in schemas(schema) for key in one}
        assert schema["type"] == "object"
        assert not found & {"$ref", "$defs", "anyOf", "oneOf", "allOf"}
        assert nodes(schema) <= 512
        assert depth(schema) <= 16

    def test_has_only_flat_arguments(self, name: str) -> None:
        for about in TOOLS[name].schema["properties"].values():
            assert about["type"] in {"string", "integer", "boolean", "array", "object"}
            assert "properties" not in about

    def test_decides_nothing(self, name: str) -> None:
        assert not DECIDES.search(name)

    @pytest.mark.django_db
    def test_tells_whether_it_writes(self, house: House, name: str) -> None:
        offered = {tool.name: tool.annotations for tool in house.proposer.tools()}[name]

        assert offered.read_only_hint is (TOOLS[name].scope == "read")
        assert offered.destructive_hint is False
