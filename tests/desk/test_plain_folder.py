"""A folder without git: nothing is said of commits there, and no page leads into a form that cannot be sent."""

from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse

from tests.factories import NOON, make_owner, make_shoebox
from yoimemory.search.services import index_workspace
from yoimemory.sources.models import Workspace
from yoimemory.sources.services import register_workspace

pytestmark = pytest.mark.django_db


@pytest.fixture
def folder(tmp_path: Path) -> Workspace:
    (tmp_path / "pump.md").write_text("# Pump\n\nThe pump failed twice in June.\n")
    workspace, _ = register_workspace(tmp_path, now=NOON)
    index_workspace(workspace, now=NOON)
    return workspace


@pytest.fixture
def page(client: Client) -> Client:
    owner = make_owner("hare")
    assert owner.user is not None
    client.force_login(owner.user)
    return client


class TestPlainFolder:
    def test_has_nothing_to_commit(self, page: Client, folder: Workspace) -> None:
        read = page.get(reverse("desk:read"), {"ref": "doc:pump.md"}).text
        sources = page.get(reverse("desk:sources")).text
        found = page.get(reverse("desk:search"), {"q": "pump failed"}).text
        state = page.get(reverse("desk:diagnostics")).text

        assert "The pump failed twice" in read
        assert "Uncommitted" not in read
        assert "not committed" not in sources
        assert "doc:pump.md" in found
        assert "Not committed" not in found
        assert "the files as they are" in state
        assert "<dt>behind</dt>" not in state
        assert "<dt>working tree</dt>" not in state

    @pytest.mark.parametrize(
        ("name", "form"), [("hypotheses:list", 'id="propose"'), ("hypotheses:representations", 'id="represent"')]
    )
    def test_offers_a_form_only_for_a_shoebox(self, page: Client, folder: Workspace, name: str, form: str) -> None:
        before = page.get(reverse(name)).text
        make_shoebox(folder)

        assert form not in before
        assert f'href="{reverse("shoebox:new" if "list" in name else "shoebox:list")}"' in before
        assert form in page.get(reverse(name)).text
