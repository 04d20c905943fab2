"""What the documents list is what the code has, no more and no less."""

import re
from pathlib import Path

import pytest

from tests.docs.reference import DOCS, ROOT, load
from yoimemory.cli import parser

reference = load("reference")
TEXTS = {
    path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
    for path in [*DOCS.rglob("*.md"), ROOT / "README.md", ROOT / "CHANGELOG.md"]
}
COMMANDS = {words for words, _ in reference.commands(parser())}


@pytest.mark.parametrize("name", sorted(reference.TABLES))
def test_a_table_stands_as_the_code_says(name: str) -> None:
    document, table = reference.TABLES[name]
    text = (DOCS / document).read_text(encoding="utf-8")

    assert reference.with_table(text, name, table()) == text, "Run: python docs/reference.py"


@pytest.mark.parametrize("document", sorted(TEXTS))
class TestDocument:
    def test_names_settings_that_exist(self, document: str) -> None:
        known = set(re.findall(r"YOIMEMORY_[A-Z_]+", (ROOT / "yoimemory" / "env.py").read_text()))

        assert set(re.findall(r"YOIMEMORY_[A-Z]+(?:_[A-Z]+)*", TEXTS[document])) - known == set()

    def test_names_commands_that_exist(self, document: str) -> None:
        typed = re.findall(r"`yoimemory ((?:[a-z]+ ?)+)", TEXTS[document])
        typed += re.findall(r"^(?:\$ )?yoimemory ((?:[a-z]+ ?)+)", TEXTS[document], re.M)

        unknown = [
            words
            for words in typed
            if not any(
                f"{words.strip()} ".startswith(f"{known} ") or known.startswith(f"{words.strip()} ")
                for known in COMMANDS
            )
        ]
        assert unknown == []

    def test_names_calls_that_exist(self, document: str) -> None:
        from yoimemory.api import api

        paths = {
            (method.upper(), re.sub(r"\{\w+\}", "{}", path))
            for path, methods in api.get_openapi_schema(path_prefix="")["paths"].items()
            for method in methods
        }
        named = {
            (method, re.sub(r"\{\w+\}", "{}", path))
            for method, path in re.findall(r"\b(GET|POST|PATCH) /api/v1(/[\w/{}-]+)", TEXTS[document])
        }

        assert named - paths == set()

    def test_links_to_what_is_there(self, document: str) -> None:
        folder = (ROOT / document).parent
        links = re.findall(r"\[[^\]]*\]\(([^)\s]+)\)", TEXTS[document])
        links += re.findall(r'(?:src|srcset)="([^"]+)"', TEXTS[document])

        broken = [
            link
            for link in links
            if not re.match(r"https?:|mailto:|#", link) and not (folder / link.split("#")[0]).exists()
        ]
        assert broken == []

    def test_names_no_machine(self, document: str) -> None:
        here = "|".join(re.escape(str(path)) for path in (Path("/tmp"), ROOT.parent, Path.home()) if path != Path("/"))

        assert not re.search(rf"(?:{here})/|/home/\w+", TEXTS[document])


def test_every_error_code_of_the_documents_exists() -> None:
    known = {reference.code_of(cls) for cls in reference.error_classes()}
    named = set(re.findall(r'"code": "([a-z_]+)"', TEXTS["docs/json-api.md"]))

    assert named - known == set()


def test_decision_records_are_all_listed() -> None:
    records = sorted(path.name for path in (DOCS / "adr").glob("[0-9]*.md"))
    listed = re.findall(r"\]\((\d{4}-[\w-]+\.md)\)", TEXTS["docs/adr/README.md"])

    assert [int(name[:4]) for name in records] == list(range(1, len(records) + 1))
    assert listed == records


@pytest.mark.parametrize("path", sorted((DOCS / "adr").glob("[0-9]*.md")), ids=lambda path: path.stem)
def test_a_decision_record_is_one_page(path: Path) -> None:
    text = path.read_text(encoding="utf-8")

    assert re.match(rf"# {int(path.name[:4])}\. ", text)
    assert "Status: " in text
    assert "## Decision" in text
    assert text.count("\n") <= 60


def test_every_guide_is_reachable_from_its_index() -> None:
    guides = {path.name for path in (DOCS / "guide").glob("*.md")} - {"README.md"}

    assert guides == set(re.findall(r"\]\(([\w-]+\.md)\)", TEXTS["docs/guide/README.md"]))
