"""Titles and words of others on pages: what they hide is written out."""

import pytest
from django.test import Client
from django.utils import timezone

from tests.evidence.conftest import Desk, desk  # noqa: F401 - the fixture
from tests.factories import make_evidence, make_shoebox
from yoimemory.search.services import index_workspace

pytestmark = pytest.mark.django_db


@pytest.fixture
def page(desk: Desk) -> Client:  # noqa: F811
    client = Client()
    assert desk.reviewer.user is not None
    client.force_login(desk.reviewer.user)
    return client


class TestPages:
    @pytest.mark.parametrize("address", ["/search/?q=quiet&stay=1", "/sources/?q=quiet", "/read/?ref=doc:docs/q.md"])
    def test_write_out_what_a_title_hides(self, page: Client, desk: Desk, address: str) -> None:  # noqa: F811
        desk.repository.write("docs/q.md", "# quiet \u202egnp.exe\n\nWords.\n")
        index_workspace(desk.workspace, now=timezone.now())

        text = page.get(address).content.decode()

        assert "U+202E" in text
        assert "\u202e" not in text

    @pytest.mark.parametrize("address", ["/shoeboxes/", "/shoeboxes/{id}/", "/"])
    def test_write_out_what_a_question_hides(self, page: Client, desk: Desk, address: str) -> None:  # noqa: F811
        shoebox = make_shoebox(desk.workspace, question="May it \u202estart?")
        make_evidence(shoebox, quote="Unresolved \u202edependencies block the start.")

        text = page.get(address.format(id=shoebox.public_id)).content.decode()

        assert "U+202E" in text
        assert "\u202e" not in text
