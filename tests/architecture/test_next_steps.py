"""Whoever is refused is told what to do next: every error of the family Forbidden carries a hint."""

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TREES = {
    path: ast.parse(path.read_text(encoding="utf-8"))
    for house in ("yoimemory", "shoebox", "evidence", "hypotheses")
    for path in (ROOT / house).rglob("*.py")
}


def family(name: str) -> set[str]:
    """The names of a class and of all that derive from it, wherever they stand."""
    names = {name}
    while True:
        classes = [node for tree in TREES.values() for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
        found = {
            node.name for node in classes if names & {base.id for base in node.bases if isinstance(base, ast.Name)}
        }
        if found <= names:
            return names
        names |= found


def refusals(names: set[str]) -> Iterator[tuple[str, ast.Call]]:
    for path, tree in TREES.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.Call):
                called = getattr(node.func, "id", getattr(node.func, "attr", ""))
                if called in names:
                    yield f"{path.relative_to(ROOT)}:{node.lineno}", node


class TestEveryForbidden:
    def test_says_what_to_do_next(self) -> None:
        found = list(refusals(family("Forbidden")))

        without = [place for place, call in found if not any(word.arg == "hint" for word in call.keywords)]

        assert len(found) > 20
        assert without == []
