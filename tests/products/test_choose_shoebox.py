"""A proposal from the Products page: its shoebox is chosen first, among the open ones; then the file is changed."""

from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse

from tests.factories import make_owner, make_shoebox
from tests.products.making import BETTER, make_folder
from yoimemory.products.models import Proposal

pytestmark = pytest.mark.django_db


class TestChooseShoebox:
    def test_offers_the_open_ones_and_keeps_the_choice(self, client: Client, tmp_path: Path) -> None:
        workspace, owner = make_folder(tmp_path), make_owner()
        assert owner.user is not None
        client.force_login(owner.user)
        shoebox = make_shoebox(workspace, question="Does it start?")
        make_shoebox(workspace, question="Long closed?", state="closed")
        address = reverse("products:propose")
        named = {"target": "doc", "path": "docs/guide.md", "shoebox": shoebox.public_id}

        first, second = client.get(address).text, client.get(address, named).text
        sent = {**named, "shoebox": str(shoebox.ref), "content": BETTER, "rationale": "Two tickets say so."}
        client.post(address, sent)

        assert "Does it start?" in first
        assert "Long closed?" not in first
        assert f'value="{shoebox.ref}"' in second
        assert Proposal.objects.get().shoebox == shoebox

    def test_takes_none_where_none_is_chosen(self, client: Client, tmp_path: Path) -> None:
        make_folder(tmp_path)
        owner = make_owner()
        assert owner.user is not None
        client.force_login(owner.user)

        sent = {"target": "doc", "path": "docs/guide.md", "shoebox": "", "content": BETTER, "rationale": "So."}
        client.post(reverse("products:propose"), sent)

        assert Proposal.objects.get().shoebox is None
