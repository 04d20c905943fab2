"""The cards beside a text: each leads to its line, also from a view that has no line numbers."""

from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse

from evidence.schemas import EvidenceDraft
from evidence.services import extract_evidence
from tests.factories import NOON, make_owner, make_shoebox
from yoimemory.search.services import index_workspace
from yoimemory.sources.services import register_workspace

pytestmark = pytest.mark.django_db


def test_leads_to_the_line_from_every_view(client: Client, tmp_path: Path) -> None:
    (tmp_path / "pump.md").write_text("# Pump\n\nThe pump failed twice in June.\n")
    workspace, _ = register_workspace(tmp_path, now=NOON)
    index_workspace(workspace, now=NOON)
    owner = make_owner("hare")
    assert owner.user is not None
    client.force_login(owner.user)
    box = make_shoebox(workspace)
    draft = EvidenceDraft(ref="doc:pump.md", quote="The pump failed twice in June.")
    extract_evidence(box, [draft], actor=owner, now=NOON)
    asked = {"ref": "doc:pump.md", "shoebox": box.public_id}

    source = client.get(reverse("desk:read"), asked).text
    rendered = client.get(reverse("desk:read"), {**asked, "view": "rendered"}).text

    assert '<a href="#L3">L3</a>' in source
    assert 'href="#L3"' not in rendered
    assert f"{reverse('desk:read')}?ref=doc%3Apump.md" in rendered
