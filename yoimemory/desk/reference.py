"""The reference of the JSON layer as a page: read from the published schema, nothing loaded from outside."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

Schema = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Field:
    """One parameter or one field of a body or an answer."""

    name: str
    kind: str
    required: bool
    about: str


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation: its address, what goes in, what comes out."""

    name: str
    method: str
    path: str
    about: str
    parameters: list[Field]
    body: list[Field]
    answers: list[tuple[str, str, list[Field]]]


def operations_by_tag(schema: Schema) -> dict[str, list[Operation]]:
    """The operations of an OpenAPI schema, in its order, by their first tag."""
    groups: dict[str, list[Operation]] = defaultdict(list)
    for path, methods in schema["paths"].items():
        for method, operation in methods.items():
            tag = (operation.get("tags") or ["other"])[0]
            groups[tag].append(_operation(schema, path, method, operation))
    return dict(groups)


def _operation(schema: Schema, path: str, method: str, operation: Schema) -> Operation:
    body = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
    answers = []
    for status, answer in operation.get("responses", {}).items():
        found = answer.get("content", {}).get("application/json", {}).get("schema", {})
        answers.append((str(status), _kind(found), list(_fields(schema, found))))
    return Operation(
        name=operation.get("operationId", ""),
        method=method.upper(),
        path=path,
        about=operation.get("description") or operation.get("summary", ""),
        parameters=[_parameter(parameter) for parameter in operation.get("parameters", [])],
        body=list(_fields(schema, body)),
        answers=answers,
    )


def _parameter(parameter: Schema) -> Field:
    kind = _kind(parameter.get("schema", {}))
    about = parameter.get("description") or parameter.get("schema", {}).get("description", "")
    return Field(parameter["name"], f"{kind} in {parameter['in']}", bool(parameter.get("required")), about)


def _fields(schema: Schema, of: Schema) -> Iterator[Field]:
    resolved = _resolve(schema, of)
    required = set(resolved.get("required", []))
    for name, about in resolved.get("properties", {}).items():
        yield Field(name, _kind(about), name in required, about.get("description", ""))


def _resolve(schema: Schema, of: Schema) -> Schema:
    if "$ref" not in of:
        return of
    found: Schema = schema.get("components", {}).get("schemas", {}).get(of["$ref"].rsplit("/", 1)[-1], {})
    return found


def _kind(of: Schema) -> str:
    """A schema in a few words."""
    if "$ref" in of:
        return str(of["$ref"].rsplit("/", 1)[-1])
    if "enum" in of:
        return " | ".join(str(value) for value in of["enum"])
    if "const" in of:
        return str(of["const"])
    if "anyOf" in of:
        return " or ".join(_kind(one) for one in of["anyOf"])
    if of.get("type") == "array":
        return f"list of {_kind(of.get('items', {}))}"
    return str(of.get("format") or of.get("type") or "any")
