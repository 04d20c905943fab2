"""What is installed: every file that runs is in the package, every dependency says why it is there."""

import fnmatch
import re
import tomllib

from tests.architecture.walk import ROOT

PROJECT = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
DATA: dict[str, list[str]] = tomllib.loads(PROJECT)["tool"]["setuptools"]["package-data"]


def test_every_dependency_says_why() -> None:
    lines = re.findall(
        r'^    "[A-Za-z].*$', PROJECT.split("[project.scripts]")[0].split("dependencies = [", 1)[1], re.M
    )

    assert lines
    assert [line for line in lines if "#" not in line.rsplit('"', 1)[1]] == []


def test_templates_static_files_and_the_demo_are_installed() -> None:
    left_out = [
        str(path.relative_to(ROOT))
        for package, patterns in DATA.items()
        for folder in ("static", "demo")
        if package == "yoimemory"
        for path in (ROOT / package / folder).rglob("*")
        if path.is_file() and path.suffix not in {".py", ".pyc"}
        if not any(fnmatch.fnmatch(str(path.relative_to(ROOT / package)), pattern) for pattern in patterns)
    ]
    templates = [
        path for path in (ROOT / "templates").rglob("*") if path.suffix not in {".html", ".svg", ".py", ".pyc"}
    ]

    assert left_out == []
    assert [path for path in templates if path.is_file()] == []


def test_the_locks_pin_what_the_ranges_allow() -> None:
    names = re.findall(
        r'^    "([A-Za-z][\w.-]*)', PROJECT.split("[project.scripts]")[0].split("dependencies = [", 1)[1], re.M
    )
    locked = {
        re.sub(r"[-_.]+", "-", name).lower()
        for path in ROOT.glob("requirements*.lock")
        for name in re.findall(r"^([A-Za-z][\w.-]*)==", path.read_text(encoding="utf-8"), re.M)
    }

    assert {re.sub(r"[-_.]+", "-", name).lower() for name in names} - locked == set()
