"""The fields that JSON has of a record, in the structured part of an answer: all that fit, and no words of sources.

Words of sources stand in the text, where they are fenced; a client may hand the structured part to
its model as it is. Where several records have more fields than a client holds, each is told in
fewer: without what is nested, then by the few that the next call needs.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from pydantic import BaseModel

from yoimemory.mcp.answers import nodes_of
from yoimemory.mcp.quoting import one_line

SOURCE_WORDS = frozenset(
    {
        "quote", "snippet", "marks", "summary", "anchor", "anchor_note", "observed", "provenance", "text", "content",
        "diff", "body", "detail", "sought", "score", "facets",
    }
)  # fmt: skip
"""What sources say, or what only serves to draw it: found in the text of the answer, or over JSON."""

LEAST = ("ref", "id", "state", "status", "target", "shoebox", "kind", "at")
NODES = 400
"""Of the 512 that a client holds; the rest is for what stands beside the records."""

CHARACTERS = 200


def facts(outs: Sequence[BaseModel], *, least: Collection[str] = LEAST) -> list[dict[str, Any]]:
    """The records in as many of their fields as fit, all of them in the same."""
    whole = [told_of(out.model_dump(mode="json")) for out in outs]
    plain = [{name: value for name, value in one.items() if not isinstance(value, list | dict)} for one in whole]
    least_of_all = [{name: value for name, value in one.items() if name in least} for one in plain]
    return next((told for told in (whole, plain) if nodes_of(told) <= NODES), least_of_all)


def told_of(record: Mapping[str, Any]) -> dict[str, Any]:
    """One record in its fields, without those that are empty; what is nested is left out where it would be too much."""
    whole = {name: told for name, value in record.items() if (told := _told(value)) not in ("", None, [], {})}
    whole = {name: told for name, told in whole.items() if name not in SOURCE_WORDS}
    if nodes_of(whole) <= NODES:
        return whole
    return {name: told for name, told in whole.items() if not isinstance(told, list | dict)}


def _told(value: Any) -> Any:
    if isinstance(value, str):
        return one_line(value, CHARACTERS)
    if isinstance(value, list):
        return [_told(one) for one in value]
    if isinstance(value, dict):
        return {one_line(name, 80): _told(one) for name, one in value.items() if name not in SOURCE_WORDS}
    return value
