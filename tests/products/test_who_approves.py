"""Approving is a person's, on every surface; and not its proposer's where somebody else could be asked."""

from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse

from tests.factories import make_person, make_token, make_worker
from tests.products.making import GUIDE, NOON, make_folder, propose
from yoimemory.cli import parser
from yoimemory.products import services
from yoimemory.products.models import Proposal

pytestmark = pytest.mark.django_db
JUDGING = ("review", "apply", "revert")
BODIES = {"review": {"verdict": "approve", "confirmed": True}, "apply": {}, "revert": {}}


@pytest.mark.parametrize("verb", JUDGING)
class TestAWorker:
    def test_may_not_over_json(self, client: Client, tmp_path: Path, verb: str) -> None:
        workspace = make_folder(tmp_path)
        proposal = propose(workspace, make_worker(workspace))
        headers = {"Authorization": f"Bearer {make_token(workspace, 'propose')[1]}"}

        answer = client.post(
            f"/api/v1/proposals/{proposal.public_id}/{verb}", BODIES[verb], content_type="application/json",
            headers={**headers, "If-Match": f'"{proposal.version}"'},
        )  # fmt: skip

        assert answer.status_code == 403
        assert answer.json()["code"] == "people_only"
        assert Proposal.objects.get().state == "proposed"

    def test_may_not_on_a_page(self, client: Client, tmp_path: Path, verb: str) -> None:
        workspace = make_folder(tmp_path)
        proposal = propose(workspace, make_worker(workspace))
        headers = {"Authorization": f"Bearer {make_token(workspace, 'propose')[1]}"}

        answer = client.post(
            reverse(f"products:{verb}", args=[proposal.public_id]), {"verdict": "approve"}, headers=headers
        )  # fmt: skip

        assert (answer.status_code, answer["Location"][:7]) == (302, "/login/")
        assert Proposal.objects.get().state == "proposed"

    def test_finds_no_command_for_it(self, verb: str) -> None:
        words = parser().format_help().replace("reviewed", "").replace("reviewer", "").split()

        assert verb not in words
        assert "approve" not in words

    def test_finds_no_tool_for_it(self, verb: str) -> None:
        files = (Path(__file__).resolve().parents[2] / "yoimemory" / "mcp").glob("*.py")

        assert not [path.name for path in files if f"{verb}_proposal" in path.read_text(encoding="utf-8")]


class TestTheProposer:
    def test_may_not_where_another_reviewer_is(self, client: Client, tmp_path: Path) -> None:
        workspace = make_folder(tmp_path)
        mine, _ = make_person(workspace, "reviewer"), make_person(workspace, "reviewer")
        assert mine.user is not None
        client.force_login(mine.user)
        proposal = propose(workspace, mine)
        sent = {"verdict": "approve", "version": proposal.version, "confirmed": "on"}

        page = client.post(reverse("products:review", args=[proposal.public_id]), sent)
        over_json = client.post(
            f"/api/v1/proposals/{proposal.public_id}/review", BODIES["review"], content_type="application/json",
            headers={"If-Match": f'"{proposal.version}"'},
        )  # fmt: skip

        proposal.refresh_from_db()
        assert page.status_code in {403, 409, 422}
        assert over_json.status_code in {403, 409}
        assert proposal.state == "proposed"
        assert (tmp_path / "docs/guide.md").read_text() == GUIDE

    def test_may_after_one_more_confirmation_where_nobody_else_is(self, tmp_path: Path) -> None:
        workspace = make_folder(tmp_path)
        mine = make_person(workspace, "reviewer")
        proposal = propose(workspace, mine)

        with pytest.raises(Exception, match="only reviewer"):
            services.review_proposal(proposal, verdict="approve", actor=mine, now=NOON)
        services.review_proposal(proposal, verdict="approve", actor=mine, now=NOON, confirmed=True)

        assert (proposal.state, proposal.one_reviewer) == ("approved", True)
