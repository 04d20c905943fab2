"""What a tool is: a name, who may call it, what it may be told, and the one verb behind it."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, TypeVar

from yoimemory.mcp.answers import Answer
from yoimemory.mcp.arguments import Arguments, schema_of
from yoimemory.mcp.caller import Caller

Told = TypeVar("Told", bound=Arguments)
Run = Callable[[Told, Caller, datetime], Answer]


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool as it is offered."""

    name: str
    title: str
    description: str
    scope: Literal["read", "propose"]
    arguments: type[Arguments]
    schema: dict[str, Any]
    run: Callable[[Any, Caller, datetime], Answer]

    @property
    def writes(self) -> bool:
        return self.scope == "propose"


OFFERED: dict[str, Tool] = {}
"""Every tool by its name, as its module was imported."""


def offered(
    scope: Literal["read", "propose"], arguments: type[Told], title: str
) -> Callable[[Callable[[Told, Caller, datetime], Answer]], Callable[[Told, Caller, datetime], Answer]]:
    """Offer a function as a tool under its own name; its docstring is what the model reads."""

    def offer(run: Callable[[Told, Caller, datetime], Answer]) -> Callable[[Told, Caller, datetime], Answer]:
        description = " ".join((inspect.getdoc(run) or "").split())
        OFFERED[run.__name__] = Tool(run.__name__, title, description, scope, arguments, schema_of(arguments), run)
        return run

    return offer
