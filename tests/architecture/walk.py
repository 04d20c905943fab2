"""Walking our own source: every module of the packages, parsed once."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("yoimemory", "shoebox", "evidence", "hypotheses")


@dataclass(frozen=True)
class Module:
    """One Python file of ours."""

    path: Path
    text: str
    tree: ast.Module

    @property
    def name(self) -> str:
        """Its path within the repository, such as `evidence/views.py`."""
        return self.path.relative_to(ROOT).as_posix()

    def imported(self) -> Iterator[str]:
        """The dotted names that it imports anywhere."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                yield from (alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module:
                yield from (f"{node.module}.{alias.name}" for alias in node.names)

    def functions(self) -> Iterator[ast.FunctionDef]:
        return (node for node in ast.walk(self.tree) if isinstance(node, ast.FunctionDef))

    def classes(self) -> Iterator[ast.ClassDef]:
        return (node for node in ast.walk(self.tree) if isinstance(node, ast.ClassDef))


@cache
def modules() -> tuple[Module, ...]:
    """Every module of ours but migrations, in order of path."""
    paths = sorted(
        path
        for package in PACKAGES
        for path in (ROOT / package).rglob("*.py")
        if "migrations" not in path.parts and "workspace" not in path.relative_to(ROOT).parts
    )
    return tuple(Module(path, text := path.read_text(encoding="utf-8"), ast.parse(text)) for path in paths)


def named(expression: ast.expr) -> str:
    """The dotted name of an expression such as `models.Model`, as far as it has one."""
    if isinstance(expression, ast.Attribute):
        return f"{named(expression.value)}.{expression.attr}"
    if isinstance(expression, ast.Call):
        return named(expression.func)
    if isinstance(expression, ast.Subscript):
        return named(expression.value)
    return expression.id if isinstance(expression, ast.Name) else ""
