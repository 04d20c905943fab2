"""The progress bar: fetched again while the work is open, still when it ends."""

from typing import Any

import pytest
from django.test import Client

from tests.factories import NOON, make_owner, make_workspace
from yoimemory.jobs.models import Job
from yoimemory.sources.models import Workspace

pytestmark = pytest.mark.django_db


@pytest.fixture
def workspace(client: Client) -> Workspace:
    client.force_login(make_owner().user)
    return make_workspace(slug="house")


def _job(workspace: Workspace, state: str, **fields: Any) -> Job:
    return Job.objects.create(workspace=workspace, kind=Job.Kind.INDEX, state=state, created_at=NOON, **fields)


def _part(client: Client, job: Job) -> Any:
    return client.get(f"/jobs/{job.public_id}/", headers={"HX-Request": "true"})


class TestTheBar:
    @pytest.mark.parametrize(
        ("state", "fields", "words"),
        [
            ("waiting", {}, "Waiting for its turn"),
            ("running", {}, "Counting what there is to read"),
            ("running", {"done": 5, "total": 20, "note": "docs/a.md"}, "Reading sources, 5 of 20"),
        ],
    )
    def test_fetches_itself_while_the_work_is_open(
        self, client: Client, workspace: Workspace, state: str, fields: dict[str, Any], words: str
    ) -> None:
        answer = _part(client, _job(workspace, state, **fields))

        text = answer.content.decode()
        assert words in text
        assert "<progress" in text
        assert 'hx-trigger="every 1s"' in text
        assert "<html" not in text
        assert "HX-Trigger" not in answer

    def test_stands_still_when_done_and_tells_the_page(self, client: Client, workspace: Workspace) -> None:
        result = {"commit": "a" * 40, "changed": 3, "removed": 1, "unreadable": 2, "seconds": 1.5}

        answer = _part(client, _job(workspace, "done", ended_at=NOON, result=result))

        assert "3 changed, 1 removed, 2 not readable" in answer.content.decode()
        assert "hx-trigger" not in answer.content.decode()
        assert "index-ended" in answer["HX-Trigger"]

    def test_says_why_it_stopped(self, client: Client, workspace: Workspace) -> None:
        text = _part(client, _job(workspace, "failed", ended_at=NOON, note="The folder is gone.")).content.decode()

        assert "The folder is gone." in text

    def test_is_a_page_without_javascript(self, client: Client, workspace: Workspace) -> None:
        page = client.get(f"/jobs/{_job(workspace, 'waiting').public_id}/")

        assert "<html" in page.content.decode()

    def test_is_of_the_own_workspace(self, client: Client, workspace: Workspace) -> None:
        assert _part(client, _job(make_workspace(), "waiting")).status_code == 404
