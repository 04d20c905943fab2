"""The hostile workspaces, one after the other, as a person meets them: indexed, searched, opened page by page.

Cases S01 to S06, S11 to S16, S21 to S24, S26 and S35. In each the control ticket is found and opened, no
page fails, and after all of them no trap has fired and nothing in them has changed. What a case asks for
beyond that stands in a test of its own, here or with the room it belongs to.
"""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from django.http import StreamingHttpResponse
from django.test import Client

from tests.factories import NOON, make_person
from tests.sources.conftest import shared
from yoimemory.desk import rendering
from yoimemory.errors import DomainError
from yoimemory.refs import SourceRef
from yoimemory.search.models import Document, Unreadable
from yoimemory.search.schemas import SearchQuery
from yoimemory.search.services import index_workspace, search_sources
from yoimemory.sources.models import Workspace
from yoimemory.sources.read import read_document
from yoimemory.sources.services import register_workspace

pytestmark = pytest.mark.django_db(databases=["default", "index"])

PAGES_MAX = 6
OUTSIDE = "OUTSIDE-MUST-NOT-LEAK"
PAGE_MAX = 500_000
NAMES = [
    "s09-partial-clone", "s10-config-basic",
    "s15-skills-odd", "s16-jsonl-basic", "s19-symlinks", "s20-sibling-prefix", "s22-plain-folder", "s25-markdown-xss",
    "s27-prompt-injection",
]  # fmt: skip
"""Those that ask for no more than this; the others are looked over by the tests of their own."""


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """All of them, built once; at the end the maker itself looks whether anything ran or changed."""
    script, out = shared("cases", "make_hostile.py"), tmp_path_factory.mktemp("hostile") / "out"
    subprocess.run([sys.executable, script, "build", out], check=True, capture_output=True, timeout=300)
    yield out
    check = subprocess.run([sys.executable, script, "check", out], capture_output=True, text=True, timeout=300)
    assert check.returncode == 0, check.stdout


class Opened:
    """One workspace, indexed, with somebody who looks at it."""

    def __init__(self, out: Path, name: str) -> None:
        built = json.loads((out / "manifest.json").read_text())["workspaces"]
        (self.about,) = (one for one in built if one["name"] == name)
        self.facts: dict[str, Any] = self.about["facts"]
        self.root = out / self.about.get("path", name)
        self.workspace: Workspace = register_workspace(self.root, now=NOON)[0]
        index_workspace(self.workspace, now=NOON)
        self.client = Client()
        user = make_person(self.workspace).user
        assert user is not None
        self.client.force_login(user)

    def found(self, words: str) -> list[str]:
        query = SearchQuery(query=words)
        return [hit.ref for hit in search_sources(query, workspace=self.workspace, now=NOON).items]

    def page(self, ref: str, **query: str) -> str:
        answer = self.client.get("/read/", {"ref": ref, **query})
        assert answer.status_code == 200, (ref, query, answer.status_code)
        return answer.text

    def bytes(self, ref: str) -> bytes:
        answer = self.client.get("/read/bytes/", {"ref": ref})
        assert isinstance(answer, StreamingHttpResponse), (ref, answer.status_code)
        return answer.getvalue()

    def look_over(self) -> "Opened":
        """Find and open the control, and some of all there is; nothing fails, and nothing of outside is shown."""
        (control, *_) = self.found(self.facts["control"])
        assert self.facts["control"] in self.page(control)
        for ref in self.refs[:: max(1, len(self.refs) // PAGES_MAX)]:
            for view in ("", "rendered"):
                assert OUTSIDE not in self.page(ref, view=view)
        assert self.client.get("/sources/").status_code == 200
        return self

    @property
    def refs(self) -> list[str]:
        rows = Document.objects.filter(workspace=self.workspace.public_id).order_by("pk")
        return list(rows.values_list("ref", flat=True))

    def problems(self, path: str) -> list[str]:
        rows = Unreadable.objects.filter(workspace=self.workspace.public_id, path__startswith=path).order_by("pk")
        return list(rows.values_list("reason", flat=True))


def bytes_or_words(answer: Any) -> str:
    """What was answered: the bytes of a file, or why they are withheld."""
    data: bytes = answer.getvalue() if isinstance(answer, StreamingHttpResponse) else answer.content
    return data.decode("latin-1")


class TestAHostileWorkspace:
    @pytest.mark.parametrize("name", NAMES)
    def test_hides_nothing_fails_nowhere_and_lets_nothing_out(self, hostile: Path, name: str) -> None:
        Opened(hostile, name).look_over()

    def test_that_is_bare_or_somebody_elses_is_refused_in_a_sentence(self, hostile: Path) -> None:
        for name in ("s06-bare.git", "s07-other-owner"):
            with pytest.raises(DomainError) as refused:
                Opened(hostile, name)
            assert refused.value.message.endswith(".")
            assert refused.value.hint


class TestOddHeads:
    def test_without_a_commit_is_told_and_all_else_works(self, hostile: Path) -> None:
        opened = Opened(hostile, "s01-empty-repo").look_over()

        assert "which has no commits yet" in opened.client.get("/sources/").text

    def test_that_is_detached_is_told_at_its_short_id(self, hostile: Path) -> None:
        opened = Opened(hostile, "s02-detached-head").look_over()

        words = opened.client.get("/sources/").text

        assert f'at <span class="mono">{opened.facts["head"][:8]}</span>, where HEAD is detached' in words

    def test_of_a_shallow_clone_marks_where_history_is_cut(self, hostile: Path) -> None:
        opened = Opened(hostile, "s03-shallow-clone").look_over()
        (commit,) = (ref for ref in opened.refs if ref.startswith("commit:"))

        pages = [opened.page(commit), opened.page(f"diff:{commit.partition(':')[2]}/docs/n.md")]

        assert "the history is <b>cut</b> (a shallow clone)" in opened.client.get("/sources/").text
        assert all("cut here (shallow)" in page for page in pages)
        history = opened.page("doc:docs/n.md", view="history")
        assert "the clone is cut here (shallow)" in history
        assert '<span class="st">added</span>' not in history


class TestLinkedWorkTrees:
    def test_are_listed_with_their_state_and_their_text_is_theirs(self, hostile: Path) -> None:
        opened = Opened(hostile, "s04-worktrees").look_over()
        names = sorted(path.name for path in (opened.root / ".git" / "worktrees").iterdir())

        texts = {name: read_document(opened.workspace, SourceRef("worktree", name)) for name in names}

        assert [text.facts["gone"] for text in texts.values()].count(True) == 1
        assert [text.facts["locked"] for text in texts.values()].count(True) == 1
        locked = next(name for name, text in texts.items() if text.facts["locked"])
        assert "<script" not in opened.page(f"worktree:{locked}").partition("<main")[2].partition("</main")[0]


class TestNestedRepositories:
    @pytest.mark.parametrize("name", ["s05-submodule", "s24-nested-repo"])
    def test_are_not_entered(self, hostile: Path, name: str) -> None:
        opened = Opened(hostile, name).look_over()
        nested = [path.parent for path in opened.root.rglob(".git") if path.parent != opened.root]

        inside = [ref for ref in opened.refs for place in nested if f":{place.relative_to(opened.root)}/" in ref]

        assert inside == []


class TestOddCommits:
    def test_are_all_there_and_open(self, hostile: Path) -> None:
        opened = Opened(hostile, "s08-commit-oddities").look_over()
        head = subprocess.run(
            ["git", "rev-list", "HEAD"], cwd=opened.root, capture_output=True, text=True, check=True
        ).stdout.split()  # fmt: skip

        listed = [ref.partition(":")[2] for ref in opened.refs if ref.startswith("commit:")]

        assert sorted(listed) == sorted(head)
        for commit in opened.facts["commits"].values():
            opened.page(f"commit:{commit}")


class TestBrokenFrontMatter:
    def test_is_told_by_line_and_its_body_is_found(self, hostile: Path) -> None:
        opened = Opened(hostile, "s11-yaml-broken").look_over()
        sound = {"dots-end", "empty-front", "fence-in-body", "no-front", "only-front", "null-front", "empty-file"}

        for ident, name in opened.facts["tickets"].items():
            problems = opened.problems(f".yoi/tickets/{ident}/item.md")
            assert f"ticket:{ident}" in opened.refs, name
            assert problems or name in sound | {
                "colon-in-title", "html-comment-first", "leading-blank", "nested-title", "non-string-key",
                "only-dashes", "indented-fence", "two-documents", "toml-fence", "scalar-not-mapping",
                "reserved-at", "unknown-alias", "list-not-mapping",
            }, name  # fmt: skip

    def test_gives_its_scalars_as_they_are_written(self, hostile: Path) -> None:
        opened = Opened(hostile, "s12-yaml-typed").look_over()

        titles = dict(Document.objects.filter(kind="ticket").values_list("ref", "title"))

        for number, value in enumerate(opened.facts["values"]):
            title = titles[f"ticket:00001KYT{number:05d}"]
            assert title in {value, value.strip("'"), f"00001KYT{number:05d}"}, value


class TestEncodings:
    def test_are_read_said_to_be_lossy_or_listed_as_no_text(self, hostile: Path) -> None:
        opened = Opened(hostile, "s13-encodings").look_over()
        lossy = {"invalid-utf8", "nul-inside", "half-char-at-end"}

        for ident, name in opened.facts["tickets"].items():
            row = Document.objects.filter(ref=f"ticket:{ident}").first()
            if row is None:
                assert opened.problems(f".yoi/tickets/{ident}"), name
                continue
            text = read_document(opened.workspace, SourceRef("ticket", ident)).text
            assert row.lossy or name not in lossy, name
            assert "NEEDLE" in text or name in lossy, name


class TestTicketStructure:
    def test_names_what_is_wrong_with_ids_and_relations(self, hostile: Path) -> None:
        opened = Opened(hostile, "s14-ticket-structure")

        assert "has no item.md" in opened.problems(".yoi/tickets/00001KST00002")[0]
        assert "calls itself '00001KST00001'" in opened.problems(".yoi/tickets/00001KST00006")[0]
        assert "only in its letters' case" in opened.problems(".yoi/tickets/00001kst00001")[0]
        assert "The state 'exploded'" in opened.problems(".yoi/tickets/00001KST00004")[0]
        assert "not JSON" in opened.problems(".yoi/tickets/00001KST00015")[0]
        assert "stays text" in opened.problems(".yoi/tickets/00001KST00018")[0]
        assert len(read_document(opened.workspace, SourceRef("ticket", "00001KST00021/thread")).passages) == 20_000
        for ident in ("00001KST00010", "00001KST00013", "00001KST00019"):  # a circle, itself, 5,000 others
            assert "Standing" in opened.page(f"ticket:{ident}")


class TestOddFileNames:
    def test_open_by_their_own_link_are_saved_under_a_safe_one_and_have_their_history(self, hostile: Path) -> None:
        opened = Opened(hostile, "s18-filenames")
        names = {**opened.facts["names"]}

        for marker, path in names.items():
            if marker == "NAME007":
                path = 'names/renamed -> "x".md'
            (hit, *_) = opened.found(marker)
            ref = SourceRef.parse(hit)
            page = opened.page(str(ref.bare))
            assert marker in page, path
            answer = opened.client.get("/read/file/", {"ref": str(ref.bare)})
            told = answer.headers["Content-Disposition"].partition('filename="')[2].rstrip('"')
            assert told.replace(".", "").replace("-", "").replace("_", "").isalnum(), told
            assert told.isascii()
            assert not told.startswith((".", "-"))
            assert (answer.headers["Content-Type"], marker in answer.text) == ("text/plain; charset=utf-8", True)
            assert marker.encode() in opened.bytes(str(ref.bare))
        history = opened.page(str(SourceRef("doc", "names/new\nline.md")), view="history")
        renamed = opened.page(str(SourceRef("doc", 'names/renamed -> "x".md')), view="history")

        assert history.count('<li class="row') == 2
        assert '<span class="st">renamed</span>' in renamed
        done = subprocess.run(
            ["git", "rev-parse", "HEAD~1"], cwd=opened.root, capture_output=True, text=True, check=True
        )
        diff = opened.page(str(SourceRef("diff", f"{done.stdout.strip()}/names/new\nline.md")))
        assert "NAME000" in diff


@pytest.mark.slow
class TestLongTexts:
    def test_of_logs_are_shown_in_parts_with_their_bytes_beside(self, hostile: Path) -> None:
        opened = Opened(hostile, "s17-jsonl-huge").look_over()
        logs = dict(Document.objects.filter(kind="session").exclude(ref__contains="/part-").values_list("ref", "path"))

        for ref, path in logs.items():
            page = opened.page(ref)
            assert len(page) < PAGE_MAX, ref
            assert "Lines 1 to" in page or "Later lines" not in page
            assert f"/read/bytes/?ref={quote(ref, safe='')}" in page
            assert opened.bytes(ref) == (opened.root / path).read_bytes()
        assert len(logs) >= 3

    def test_of_files_are_shown_in_parts_and_what_is_no_text_is_only_saved(self, hostile: Path) -> None:
        opened = Opened(hostile, "s21-big-text").look_over()
        binary = {path: path.read_bytes() for path in opened.root.glob("docs/*") if b"\0" in path.read_bytes()[:8_000]}

        shown = [ref for ref in opened.refs if ref.startswith(("doc:docs/", "code:docs/"))]

        assert all(len(opened.page(ref)) < PAGE_MAX * 2 for ref in shown)
        for path, data in binary.items():
            ref = f"{'doc' if path.suffix == '.md' else 'code'}:docs/{path.name}"
            answer = opened.client.get("/read/", {"ref": ref})
            assert answer.status_code == 409
            assert "Save bytes" in answer.text
            assert opened.bytes(ref) == data
        assert len(binary) >= 2


class TestSlowMarkdown:
    def test_is_shown_rendered_or_as_it_stands_with_a_note(
        self, hostile: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(rendering, "SECONDS", 0.4)  # of two, which are waited for once, with the renderer's tests
        opened = Opened(hostile, "s26-markdown-slow").look_over()
        docs = [ref for ref in opened.refs if ref.startswith("doc:")]

        shown = [opened.page(ref, view="rendered") for ref in docs]

        assert len(docs) >= 26
        assert any("shown as it stands" in page for page in shown)
        assert all('class="prose' in page or "shown as it stands" in page for page in shown)


class TestSecrets:
    def test_stand_on_no_page_and_in_no_answer(self, hostile: Path) -> None:
        opened = Opened(hostile, "s28-secrets-plain").look_over()
        secrets = opened.facts["must_not_leak"]

        for ref in opened.refs:
            answers = [
                opened.page(ref), opened.page(ref, view="rendered"),
                opened.client.get("/read/file/", {"ref": ref}).text,
                bytes_or_words(opened.client.get("/read/bytes/", {"ref": ref})),
                opened.client.get("/api/v1/open", {"ref": ref}).text,
            ]  # fmt: skip
            leaked = [kind for kind, secret in secrets.items() for answer in answers if secret in answer]
            assert leaked == [], ref
