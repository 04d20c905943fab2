"""A source saved as a file: as it is shown, as plain text, under a name that no system takes amiss."""

from pathlib import Path

import pytest
from django.test import Client

from tests.factories import make_person, make_workspace
from yoimemory.desk.download import NAME_MAX, safe_name
from yoimemory.refs import SourceRef
from yoimemory.sources.models import Workspace

pytestmark = pytest.mark.django_db(databases=["default", "index"])


class TestTheNameOfAFile:
    @pytest.mark.parametrize(
        ("locator", "name"),
        [
            ("docs/guide.md", "guide.md"), ("src/run.sh", "run.sh.txt"), ("index.html", "index.html.txt"),
            ("a\nb.md", "a_b.md"), ('quo"te.md', "quo_te.md"), ("-rf.md", "rf.md"), ("...", "doc.txt"),
            ("CON.md", "doc-CON.md"), ("nul", "doc-nul.txt"), ("日本語.md", "doc.md"),
            ("x" * 300 + ".md", "x" * 100 + ".md"), (".hidden.md", "hidden.md"), ("\u202egnp.md", "gnp.md"),
            ("\udce9.md", "doc.md"), ("a.m\nd", "a.m_d.txt"),
        ],
    )  # fmt: skip
    def test_is_plain_whatever_the_source_is_called(self, locator: str, name: str) -> None:
        assert safe_name(SourceRef("doc", locator)) == name
        assert len(name) <= NAME_MAX + len("doc-.md.txt")

    def test_of_a_ticket_tells_which_part_it_is(self) -> None:
        assert safe_name(SourceRef("ticket", "00001KSKBPMP8/thread")) == "00001KSKBPMP8_thread.txt"


class TestADownload:
    @pytest.fixture
    def home(self, tmp_path: Path) -> Workspace:
        (tmp_path / "a.html").write_text("<script>alert(1)</script>\nGITHUB_TOKEN=ghp_" + "a1" * 18 + "\n")
        return make_workspace(tmp_path)

    @pytest.fixture
    def page(self, home: Workspace) -> Client:
        client = Client()
        user = make_person(home).user
        assert user is not None
        client.force_login(user)
        return client

    def test_is_the_masked_text_and_never_a_page(self, page: Client) -> None:
        answer = page.get("/read/file/", {"ref": "doc:a.html"})

        assert answer.headers["Content-Type"] == "text/plain; charset=utf-8"
        assert answer.headers["Content-Disposition"] == 'attachment; filename="a.html.txt"'
        assert "sandbox" in answer.headers["Content-Security-Policy"]
        assert "[REDACTED:" in answer.text
        assert "ghp_" not in answer.text

    @pytest.mark.parametrize(("ref", "status"), [("doc:none.md", 404), ("evidence:x", 400), ("no ref", 400), ("", 302)])
    def test_of_what_is_no_source_is_refused_in_words(self, page: Client, ref: str, status: int) -> None:
        assert page.get("/read/file/", {"ref": ref}).status_code in {status, 422}

    def test_is_linked_from_the_reader(self, page: Client) -> None:
        assert 'href="/read/file/?ref=doc%3Aa.html%40sha256%3A' in page.get("/read/", {"ref": "doc:a.html"}).text
