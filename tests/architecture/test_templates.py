"""Templates compile, load nothing from outside and hold nothing that the content security policy refuses."""

import ast
import re
from functools import cache
from importlib.resources import files
from zipfile import ZipFile

import pytest
from django.template.loader import get_template

from tests.architecture.walk import ROOT, modules

FOLDER = ROOT / "templates"
NAMES = sorted(path.relative_to(FOLDER).as_posix() for path in FOLDER.rglob("*.html"))


@cache
def _text(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8")


@cache
def _icons() -> set[str]:
    with files("lucide").joinpath("lucide.zip").open("rb") as data, ZipFile(data) as icons:
        return {name.removesuffix(".svg") for name in icons.namelist()}


@pytest.mark.parametrize("name", NAMES)
class TestTemplate:
    def test_compiles(self, name: str) -> None:
        assert get_template(name)

    def test_names_icons_that_exist(self, name: str) -> None:
        named = set(re.findall(r"""{% lucide ["']([^"']+)["']""", _text(name)))

        assert named - _icons() == set()

    def test_holds_no_inline_script_style_or_handler(self, name: str) -> None:
        text = _text(name)

        assert not re.search(r"<script(?![^>]*\bsrc=)[^>]*>", text)
        assert not re.search(r"<style\b|\sstyle\s*=", text)
        assert not re.search(r"""<[^>]*\son[a-z]+\s*=""", text)
        assert not re.search(r"\bhx-on\b|hx-vals='js:|javascript:", text)

    def test_loads_nothing_from_outside(self, name: str) -> None:
        loads = re.findall(r"""(?:src|href|action|hx-get|hx-post)\s*=\s*["']?((?:https?:)?//[^"'\s>]+)""", _text(name))

        assert loads == []

    def test_gives_a_part_one_name(self, name: str) -> None:
        """A part is its partial and its element id alike, so that an htmx target names it."""
        text = _text(name)
        for part in re.findall(r"{% partialdef ([\w-]+)", text):
            if not part.startswith("_"):
                assert f'id="{part}' in text or "{{" in text, part


def test_there_are_pages() -> None:
    assert "base.html" in NAMES


def test_icons_named_in_python_exist() -> None:
    named = {
        keyword.value.value
        for module in modules()
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Call)
        for keyword in node.keywords
        if keyword.arg == "icon" and isinstance(keyword.value, ast.Constant)
    }

    assert named - _icons() == set()
