"""What the strictest client takes of an answer, as one predicate."""

import json
from typing import Any

BLOCKS, TEXT, NODES, DEPTH, STRING, BYTES = 16, 8_192, 512, 12, 4_096, 64 * 1_024


def broken_limits(result: Any) -> list[str]:
    """The limits that a result breaks; none for an answer that reaches the model whole."""
    broken = []
    if not 1 <= len(result.content) <= BLOCKS:
        broken.append(f"{len(result.content)} blocks")
    broken += [f"a text of {len(block.text)}" for block in result.content if len(block.text) > TEXT]
    data = result.structured_content or {}
    if nodes(data) > NODES:
        broken.append(f"{nodes(data)} nodes")
    if depth(data) > DEPTH:
        broken.append(f"{depth(data)} levels")
    broken += [f"a string of {len(text)}" for text in strings(data) if len(text) > STRING]
    size = len(json.dumps(result.model_dump(mode="json", by_alias=True), ensure_ascii=False).encode())
    if size > BYTES:
        broken.append(f"{size} bytes")
    return broken


def nodes(value: Any) -> int:
    """Values and names, as the strictest reading counts them."""
    if isinstance(value, dict):
        return 1 + len(value) + sum(nodes(one) for one in value.values())
    return 1 + sum(nodes(one) for one in value) if isinstance(value, list) else 1


def depth(value: Any) -> int:
    inner = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
    return 1 + max((depth(one) for one in inner), default=0)


def strings(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    inner = [*value.keys(), *value.values()] if isinstance(value, dict) else value if isinstance(value, list) else []
    return [text for one in inner for text in strings(one)]
