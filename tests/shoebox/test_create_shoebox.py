"""Opening a shoebox: what stays when the gathering that goes with it fails."""

from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse

from shoebox.models import Shoebox
from shoebox.schemas import ShoeboxDraft
from shoebox.services import create_shoebox, gather_shoebox, shoeboxes
from tests.factories import NOON, make_owner
from tests.shoebox.folder import TASK, make_folder
from yoimemory.desk.show import show_shoebox
from yoimemory.sources.process import GitProblem

pytestmark = pytest.mark.django_db


def fail(*args: object, **kwargs: object) -> None:
    raise GitProblem("Git took too long to answer.")


class TestCreateShoebox:
    def test_stands_when_gathering_fails_and_says_so(
        self, client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        workspace, owner = make_folder(tmp_path / "ws"), make_owner()
        draft = ShoeboxDraft(question="May the queued ticket start now?", task=f"ticket:{TASK}")
        with monkeypatch.context() as patched:
            patched.setattr(shoeboxes, "gather", fail)
            box = create_shoebox(draft, workspace=workspace, actor=owner, now=NOON)
        told = "Gathering failed: Git took too long to answer. Gather again from here."
        client.force_login(owner.user)

        page = client.get(reverse("desk:workbench", args=[box.public_id])).content.decode()
        shown = show_shoebox(box, actor=owner, now=NOON).text
        stands = (Shoebox.objects.count(), box.sought, box.gathered_at)
        again = gather_shoebox(box, actor=owner, now=NOON)

        assert stands == (1, {"failed": told}, None)
        assert told in page
        assert told in shown
        assert again.new
        assert "failed" not in box.sought
