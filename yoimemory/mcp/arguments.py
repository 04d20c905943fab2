"""What a tool may be told: flat arguments of plain types, read strictly, and their schema without references.

Clients choke on `$ref` and `anyOf`, so no argument is a model of its own and none may be null:
what is not said is empty. Lists may also come as JSON in a string or as words between commas,
since models write them so.
"""

import difflib
import json
from collections.abc import Mapping
from datetime import UTC, datetime, time
from typing import Annotated, Any, TypeVar

from django.utils.dateparse import parse_date, parse_datetime
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from yoimemory.errors import BadInput
from yoimemory.instants import in_utc
from yoimemory.mcp.answers import TEXT_MAX
from yoimemory.mcp.quoting import one_line

BUDGET_LEAST = 1_500
_DROPPED = frozenset({"title", "default", "maxLength", "minLength", "maxItems", "minItems", "minimum", "maximum"})
_OTHER_NAMES = {
    "q": "query", "search": "query", "text": "query", "id": "ref", "uri": "ref", "source": "ref", "path": "ref",
    "max_results": "limit", "k": "limit", "n": "limit", "type": "kind", "rationale": "why", "reason": "why",
    "status": "state", "evidence_refs": "evidence", "shoebox_ref": "shoebox",
}  # fmt: skip
"""Names that models tend to make up, and what they mean; used only to say the right one."""

Made = TypeVar("Made", bound="Arguments")


class Arguments(BaseModel):
    """The arguments of one tool."""

    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True)


def _listed(value: object) -> object:
    if not isinstance(value, str):
        return value
    text = value.strip()
    if text.startswith("["):
        try:
            return json.loads(text)
        except (ValueError, RecursionError) as error:
            raise ValueError("this is no JSON list that can be read") from error
    return [one for one in (part.strip() for part in text.split(",")) if one]


def _objects(value: object) -> object:
    listed = _listed(value) if not isinstance(value, str) or value.strip().startswith("[") else [value]
    if not isinstance(listed, list):
        return listed
    return [_object(one) for one in listed]


def _object(value: object) -> object:
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError) as error:
        raise ValueError("this is no JSON that can be read") from error


Words = Annotated[list[str], BeforeValidator(_listed)]
"""A list of strings."""

Objects = Annotated[list[dict[str, Any]], BeforeValidator(_objects)]
"""A list of objects whose fields the verb's own Draft checks."""

Object = Annotated[dict[str, Any], BeforeValidator(_object)]
"""One object, also as JSON in a string."""

Budget = Annotated[int, Field(ge=BUDGET_LEAST, le=TEXT_MAX)]
"""Characters that the text may have."""


def read(model: type[Made], sent: Mapping[str, Any] | None) -> Made:
    """The arguments as sent. Raises BadInput that names each that does not fit, and the known names."""
    try:
        return model.model_validate({name: _legible(value) for name, value in (sent or {}).items()})
    except ValidationError as error:
        raise misfit(error, list(model.model_fields)) from None


def _legible(value: object) -> object:
    """Half a character, as a text cut in the middle of one holds, reads as a sign that something is missing."""
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else value


def misfit(
    error: ValidationError, known: list[str], prefix: str = "", also: Mapping[str, str] | None = None
) -> BadInput:
    """What is wrong with each argument, under the names that the tool has, and which names there are."""
    fields: dict[str, str] = {}
    unknown: list[str] = []
    for fault in error.errors(include_url=False, include_input=False, include_context=False):
        steps = [one_line(step, 80) or "(no name)" for step in fault["loc"]]
        names = [".".join(steps[:depth]) for depth in (2, 1)]
        found = next((also[name] for name in names if also and name in also), ".".join(steps))
        place = ".".join(filter(None, (prefix, found))) or "arguments"
        if fault["type"] == "extra_forbidden":
            unknown.append(steps[-1])
        fields[place] = "unknown" if fault["type"] == "extra_forbidden" else fault["msg"].removeprefix("Value error, ")
    hints = [_guess(name, known) for name in unknown]
    hint = " ".join([*filter(None, hints), f"Known: {', '.join(known)}."]) if unknown else ""
    return BadInput(f"The input does not fit: {', '.join(fields)}.", hint=hint, fields=fields)


def _guess(name: str, known: list[str]) -> str:
    meant = _OTHER_NAMES.get(name.lower(), "")
    near = [meant] if meant in known else difflib.get_close_matches(name, known, 1, cutoff=0.7)
    return f"Did you mean {near[0]!r} instead of {name!r}?" if near else ""


def moment(text: str, name: str, *, end: bool) -> datetime | None:
    """A day or a time; a day means its end or its beginning. Raises BadInput."""
    if not text:
        return None
    try:
        at, day = parse_datetime(text), parse_date(text) if len(text) <= 10 else None
    except ValueError:
        at = day = None
    if day is not None:
        return datetime.combine(day, time.max if end else time.min, tzinfo=UTC)
    if at is None:
        raise BadInput(
            f"{name} is {text[:40]!r}, which is no point in time.",
            hint="Write 2026-07-14 or 2026-07-14T12:00:00Z.",
            fields={name: "no point in time"},
        )
    try:
        return in_utc(at)
    except ValueError as error:
        raise BadInput(f"{name} is {text[:40]!r}: {error}.", fields={name: str(error)}) from None


def schema_of(model: type[Arguments]) -> dict[str, Any]:
    """The JSON schema of the arguments as a client reads it: flat, without what only costs words."""
    schema: dict[str, Any] = _slim(model.model_json_schema())
    schema.pop("description", None)
    schema.pop("additionalProperties", None)  # said in the refusal, by name; here it would only cost words
    schema.setdefault("properties", {})
    return schema


def _slim(value: Any) -> Any:
    if isinstance(value, list):
        return [_slim(one) for one in value]
    if not isinstance(value, dict):
        return value
    slim: dict[str, Any] = {}
    for name, one in value.items():
        if name == "properties":
            slim[name] = {inner: _slim(about) for inner, about in one.items()}
        elif name not in _DROPPED:
            slim[name] = _slim(one)
    if slim.get("additionalProperties") is True:
        del slim["additionalProperties"]
    return slim
