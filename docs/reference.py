"""Write the tables of the reference from the code: operations, error codes, commands, settings.

python docs/reference.py          writes them between their markers
tests/docs/ compare what stands in the documents with what this would write
"""

import argparse
import importlib
import inspect
import os
import pkgutil
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from yoimemory.errors import DomainError

DOCS = Path(__file__).resolve().parent
PACKAGES = ("yoimemory", "shoebox", "evidence", "hypotheses")


def operations_table() -> str:
    """Every call of the JSON layer, in the order of its addresses."""
    from yoimemory.api import PEOPLE_ONLY, READS, api

    rows = []
    for path, methods in sorted(api.get_openapi_schema(path_prefix="")["paths"].items()):
        for method, operation in methods.items():
            name = operation["operationId"]
            reads = method == "get" or name in READS
            scope = "people only" if name in PEOPLE_ONLY else "read" if reads else "propose"
            said = _first_sentence(operation.get("description", ""))
            rows.append(f"| `{method.upper()} /api/v1{path}` | `{name}` | {scope} | {said} |")
    return "\n".join(["| call | operation | scope | what it does |", "| --- | --- | --- | --- |", *rows])


def errors_table() -> str:
    """Every error code with its status and what it means, from the classes themselves."""
    rows = {
        f"| `{code_of(cls)}` | {cls.status} | {_first_sentence(inspect.getdoc(cls) or '')} |" for cls in error_classes()
    }
    return "\n".join(["| code | status | meaning |", "| --- | --- | --- |", *sorted(rows)])


def code_of(cls: "type[DomainError]") -> str:
    """The code of an error class, without raising one."""
    return cls.__new__(cls).code


def error_classes() -> "list[type[DomainError]]":
    """Every class of our one family of errors, wherever it is declared."""
    from yoimemory.errors import DomainError

    for package in PACKAGES:
        for module in pkgutil.walk_packages(importlib.import_module(package).__path__, f"{package}."):
            if "migrations" not in module.name and not module.name.endswith("__main__"):
                importlib.import_module(module.name)

    def below(cls: "type[DomainError]") -> "Iterator[type[DomainError]]":
        for child in cls.__subclasses__():
            yield child
            yield from below(child)

    ours = [cls for cls in below(DomainError) if cls.__module__.split(".")[0] in PACKAGES]
    return [DomainError, *ours]


def commands_table() -> str:
    """Every command with what it does; the options are what `--help` says."""
    from yoimemory.cli import parser

    rows = [f"| `yoimemory {words}` | {said} |" for words, said in commands(parser())]
    return "\n".join(["| command | what it does |", "| --- | --- |", *rows])


def commands(made: argparse.ArgumentParser, prefix: str = "") -> Iterator[tuple[str, str]]:
    """The words of each command, with its description."""
    groups = [action for action in made._actions if isinstance(action, argparse._SubParsersAction)]
    if not groups:
        yield prefix, made.description or ""
    for group in groups:
        for word, sub in group.choices.items():
            yield from commands(sub, f"{prefix} {word}".strip())


def settings_table() -> str:
    """Every variable of the environment that `env.py` reads, with what it says there."""
    from yoimemory import env

    rows = {}
    for _, function in inspect.getmembers(env, inspect.isfunction):
        said = inspect.getdoc(function) or ""
        for name in re.findall(r"YOIMEMORY_[A-Z_]+", said):
            rows[name] = f"| `{name}` | {_first_sentence(said).replace(f' (`{name}`)', '')} |"
    return "\n".join(["| variable | meaning |", "| --- | --- |", *(rows[name] for name in sorted(rows))])


def _first_sentence(text: str) -> str:
    line = re.sub(r"\s+", " ", text.strip().split("\n\n")[0])
    return re.split(r"(?<=[.!?])\s", line)[0].replace("|", "\\|")


TABLES = {
    "operations": ("json-api.md", operations_table),
    "errors": ("json-api.md", errors_table),
    "commands": ("guide/command-line.md", commands_table),
    "settings": ("guide/settings.md", settings_table),
}
"""Each table: the document that it stands in, and what writes it."""


def with_table(text: str, name: str, table: str) -> str:
    """The document with this table between its markers."""
    start, end = f"<!-- table: {name} -->", "<!-- end of table -->"
    head, _, rest = text.partition(start)
    _, _, tail = rest.partition(end)
    return f"{head}{start}\n\n{table}\n\n{end}{tail}"


def main() -> None:
    """Write every table."""
    os.environ.setdefault("YOIMEMORY_HOME", tempfile.mkdtemp(prefix="yoimemory-docs-"))
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "yoimemory.settings")
    import django

    django.setup()
    for name, (document, table) in TABLES.items():
        path = DOCS / document
        path.write_text(with_table(path.read_text(encoding="utf-8"), name, table()), encoding="utf-8")


if __name__ == "__main__":
    main()
