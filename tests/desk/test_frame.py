from datetime import timedelta
from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from tests.factories import NOON, make_evidence, make_owner, make_person, make_shoebox, make_token, make_workspace
from tests.surfaces.test_street_door import ROUTES
from yoimemory.desk.context import _count_sources
from yoimemory.jobs.models import Job
from yoimemory.search.services import index_workspace
from yoimemory.sources.models import Workspace
from yoimemory.sources.services import register_workspace

pytestmark = pytest.mark.django_db


@pytest.fixture
def workspace() -> Workspace:
    return make_workspace(slug="yoi")


@pytest.fixture
def page(client: Client) -> Client:
    owner = make_owner("hare")
    assert owner.user is not None
    client.force_login(owner.user)
    return client


class TestFrame:
    def test_names_workspace_person_and_role(self, page: Client, workspace: Workspace) -> None:
        text = page.get(reverse("shoebox:list")).content.decode()

        assert "<span>/ yoi</span>" in text
        assert "hare, owner" in text

    def test_counts_the_sources_once_for_each_end_of_an_index_run(
        self, page: Client, tmp_path: Path, django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        (tmp_path / "one.md").write_text("# One\n")
        workspace, _ = register_workspace(tmp_path, now=NOON)
        index_workspace(workspace, now=NOON)
        _count_sources(workspace, NOON)

        with django_assert_num_queries(0, using="index"):
            assert _count_sources(workspace, NOON) == 1
        with django_assert_num_queries(1, using="index"):
            assert _count_sources(workspace, NOON + timedelta(seconds=1)) == 1

    @pytest.mark.parametrize(
        ("name", "label"),
        [
            ("desk:inbox", "Inbox"),
            ("shoebox:list", "Shoeboxes"),
            ("shoebox:new", "Shoeboxes"),
            ("evidence:list", "Evidence"),
            ("hypotheses:list", "Hypotheses"),
            ("hypotheses:representations", "Representations"),
            ("products:list", "Products"),
            ("desk:sources", "Sources"),
            ("desk:search", "Search"),
            ("desk:diagnostics", "Diagnostics"),
            ("access:workers", "Workers"),
        ],
    )
    def test_marks_where_one_is(self, page: Client, workspace: Workspace, name: str, label: str) -> None:
        text = page.get(reverse(name)).content.decode()

        rail = text[text.index('class="rail"') : text.index("<main")]
        assert rail.count('aria-current="page"') == 1
        here = rail[rail.index('aria-current="page"') :]
        assert here.index(label) < here.index("</a>")

    def test_marks_one_entry_on_every_page(self, page: Client, workspace: Workspace) -> None:
        token, _ = make_token(workspace)
        addresses = [route for route in ROUTES if not route.startswith(("/api/", "/admin/", "/static/", "/logout/"))]
        addresses += [reverse("desk:worker", args=[token.public_id])]
        seen = 0
        for address in addresses:
            response = page.get(address)
            text = response.content.decode() if response.status_code == 200 and not response.streaming else ""
            if 'class="rail"' in text:
                rail = text[text.index('class="rail"') : text.index("<main")]
                assert rail.count('aria-current="page"') == 1, address
                assert 'class="crumb"' in text, address
                seen += 1
        assert seen > 20

    def test_marks_the_workbench_as_a_shoebox(self, page: Client, workspace: Workspace) -> None:
        text = page.get(reverse("desk:workbench", args=[make_shoebox(workspace).public_id])).content.decode()

        assert f'<a href="{reverse("shoebox:list")}" aria-current="page">' in text

    def test_counts_what_each_stage_holds(self, page: Client, workspace: Workspace) -> None:
        box = make_shoebox(workspace)
        make_shoebox(workspace, state="archived")
        make_evidence(box)
        make_evidence(box, state="rejected", state_reason="No.")

        text = page.get(reverse("shoebox:list")).content.decode()

        assert 'Shoeboxes<span class="n">1</span>' in text
        assert 'Evidence<span class="n">1</span>' in text

    def test_shows_the_progress_of_indexing(self, page: Client, workspace: Workspace) -> None:
        from django.utils import timezone

        Job.objects.create(
            workspace=workspace, kind="index", state="running", done=3, total=4, created_at=timezone.now(),
            started_at=timezone.now(), beat_at=timezone.now(),
        )  # fmt: skip

        text = page.get(reverse("shoebox:list")).content.decode()

        assert "indexing" in text
        assert "75" in text

    def test_is_about_the_workspace_of_the_record(self, page: Client, workspace: Workspace) -> None:
        other = make_shoebox(make_workspace(slug="other"))

        text = page.get(reverse("desk:workbench", args=[other.public_id])).content.decode()

        assert "<span>/ other</span>" in text

    def test_tells_a_member_their_role(self, client: Client, workspace: Workspace) -> None:
        member = make_person(workspace, "member", "mika")
        assert member.user is not None
        client.force_login(member.user)

        assert "mika, member" in client.get(reverse("shoebox:list")).content.decode()
