"""What a tool answers: one readable text and a small structured part, both within what clients hold."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from yoimemory.errors import DomainError

TEXT_MAX = 8_000
"""Characters of one text block; a client may cut at 8,192."""

NODES_MAX, DEPTH_MAX, STRING_MAX, BYTES_MAX = 480, 10, 2_000, 24_000
"""Bounds of the structured part, below the client's 512 nodes, 12 levels, 4,096 characters and 64 KiB in all."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A text for the model, and the same facts in short for programs."""

    text: str
    data: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "text", within(self.text))
        object.__setattr__(self, "data", fitted(self.data))


def refusal(error: DomainError) -> Answer:
    """An error as a sentence that says what to do next, and its stable code."""
    lines = [f"{error.message} {error.hint}".strip()]
    lines += [f"{name}: {fault}" for name, fault in list(error.fields.items())[:20]]
    data = {"code": error.code, "message": error.message, "hint": error.hint, "fields": error.fields}
    return Answer("\n".join(lines), data)


def within(text: str, limit: int = TEXT_MAX) -> str:
    """The text as it is, or its beginning and its last line where a fault of ours let it grow too long."""
    text = text.encode("utf-8", "replace").decode()
    if len(text) <= limit:
        return text
    last = text.rsplit("\n", 1)[-1]
    note = "\n… cut here: the answer was longer than a client holds.\n" + last[-400:]
    return text[: limit - len(note)] + note


def fitting(blocks: Sequence[str], room: int, *, least: int = 2) -> list[str]:
    """As many whole blocks as fit; the first one always, cut after its `least` lines where it alone is too long."""
    shown: list[str] = []
    for block in blocks:
        if len(block) + 1 > room:
            break
        room -= len(block) + 1
        shown.append(block)
    if shown or not blocks:
        return shown
    lines = blocks[0].split("\n")
    while len(lines) > least and sum(map(len, lines)) + len(lines) + 40 > room:
        lines.pop()
    return ["\n".join([*lines, "   … cut here; open it by its ref"])]


def fitted(data: Mapping[str, Any]) -> dict[str, Any]:
    """The data within the bounds: long strings end with …, and lists lose what is too much, at their end."""
    shown: dict[str, Any] = {name: _shortened(value, 2) for name, value in data.items()}
    while nodes_of(shown) > NODES_MAX or len(_dumped(shown)) > BYTES_MAX:
        longest = max(
            (name for name in shown if isinstance(shown[name], list | dict)), key=lambda n: nodes_of(shown[n])
        )
        value = shown[longest]
        shown[longest] = value[: len(value) * 3 // 4] if isinstance(value, list) else dict(list(value.items())[:-1])
        if not shown[longest]:
            del shown[longest]
    return shown


def _shortened(value: Any, depth: int) -> Any:
    if isinstance(value, str):
        value = value.encode("utf-8", "replace").decode()
        return value if len(value) <= STRING_MAX else value[: STRING_MAX - 1] + "…"
    if isinstance(value, Mapping) and depth < DEPTH_MAX:
        return {str(name)[:200]: _shortened(one, depth + 1) for name, one in list(value.items())[:100]}
    if isinstance(value, list | tuple) and depth < DEPTH_MAX:
        return [_shortened(one, depth + 1) for one in value[:200]]
    return value if value is None or isinstance(value, bool | int | float) else str(value)[:STRING_MAX]


def nodes_of(value: Any) -> int:
    """Values and names, counted as the strictest client counts them."""
    if isinstance(value, dict):
        return 1 + len(value) + sum(nodes_of(one) for one in value.values())
    return 1 + sum(nodes_of(one) for one in value) if isinstance(value, list) else 1


def _dumped(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()
