"""A reviewer's verdict: who may give it, what it asks for, what the record says."""

from pathlib import Path

import pytest

from tests.factories import NOON, make_owner, make_person, make_worker, make_workspace
from tests.products.making import approve, make_folder, propose
from yoimemory.access.services import NeedsConfirmation, NotAReviewer, OwnProposal
from yoimemory.errors import BadInput, StaleVersion
from yoimemory.journal.models import Change
from yoimemory.products import services
from yoimemory.products.models import Proposal, Verdict
from yoimemory.products.schemas import RevisionDraft

pytestmark = pytest.mark.django_db


class TestReviewProposal:
    def test_approves_what_a_worker_proposed(self, tmp_path: Path) -> None:
        workspace = make_folder(tmp_path)
        proposal, owner = propose(workspace, make_worker(workspace)), make_owner()

        services.review_proposal(proposal, verdict="approve", actor=owner, now=NOON)

        assert (proposal.state, proposal.state_by, proposal.one_reviewer) == ("approved", owner, False)
        assert Verdict.objects.get().revision == 1
        assert Change.objects.filter(verb="proposal-reviewed").count() == 1

    @pytest.mark.parametrize("role", ["worker", "member", "stranger"])
    @pytest.mark.parametrize("verdict", ["approve", "reject", "needs_change"])
    def test_is_a_reviewers_alone(self, tmp_path: Path, role: str, verdict: str) -> None:
        workspace = make_folder(tmp_path)
        proposal = propose(workspace, make_worker(workspace))
        actor = {
            "worker": lambda: make_worker(workspace, name="judge"),
            "member": lambda: make_person(workspace, role="member"),
            "stranger": lambda: make_person(make_workspace("/else")),
        }[role]()

        with pytest.raises(NotAReviewer):
            services.review_proposal(
                proposal, verdict=verdict, reason="Because.", actor=actor, now=NOON, confirmed=True
            )

        proposal.refresh_from_db()
        assert proposal.state == Proposal.State.PROPOSED

    @pytest.mark.parametrize("verdict", ["reject", "needs_change"])
    def test_says_why_when_it_is_against(self, tmp_path: Path, verdict: str) -> None:
        workspace = make_folder(tmp_path)
        proposal = propose(workspace, make_worker(workspace))

        with pytest.raises(services.NoReason):
            services.review_proposal(proposal, verdict=verdict, reason="  ", actor=make_owner(), now=NOON)

    def test_leaves_an_own_proposal_to_another_reviewer(self, tmp_path: Path) -> None:
        workspace = make_folder(tmp_path)
        mine, _other = make_person(workspace), make_person(workspace)
        proposal = propose(workspace, mine)

        with pytest.raises(OwnProposal):
            services.review_proposal(proposal, verdict="approve", actor=mine, now=NOON, confirmed=True)

    def test_asks_a_single_reviewer_once_more_and_says_so(self, tmp_path: Path) -> None:
        workspace = make_folder(tmp_path)
        owner = make_owner()
        proposal = propose(workspace, owner)

        with pytest.raises(NeedsConfirmation):
            services.review_proposal(proposal, verdict="approve", actor=owner, now=NOON)
        services.review_proposal(proposal, verdict="approve", actor=owner, now=NOON, confirmed=True)

        assert proposal.one_reviewer
        assert Verdict.objects.get().one_reviewer
        assert Change.objects.get(verb="proposal-reviewed").after["one_reviewer"] is True

    def test_counts_who_rewrote_it_as_its_maker(self, tmp_path: Path) -> None:
        workspace = make_folder(tmp_path)
        mine, other = make_person(workspace), make_person(workspace)
        proposal = propose(workspace, make_worker(workspace))
        services.revise_proposal(proposal, RevisionDraft(content="My words.\n"), actor=mine, now=NOON)

        with pytest.raises(OwnProposal):
            services.review_proposal(proposal, verdict="approve", actor=mine, now=NOON)
        services.review_proposal(proposal, verdict="approve", actor=other, now=NOON)

        assert proposal.state == Proposal.State.APPROVED

    def test_does_not_count_who_only_rebased_it(self, tmp_path: Path) -> None:
        workspace = make_folder(tmp_path)
        mine, _other = make_person(workspace), make_person(workspace)
        proposal = propose(workspace, make_worker(workspace))
        (tmp_path / "docs/guide.md").write_text((tmp_path / "docs/guide.md").read_text() + "\nMore.\n")
        services.rebase_proposal(proposal, actor=mine, now=NOON)

        services.review_proposal(proposal, verdict="approve", actor=mine, now=NOON)

        assert proposal.state == Proposal.State.APPROVED

    def test_is_given_once(self, tmp_path: Path) -> None:
        workspace = make_folder(tmp_path)
        proposal = approve(propose(workspace, make_worker(workspace)))

        with pytest.raises(services.NotInThisState, match="approved and cannot be rejected"):
            services.review_proposal(proposal, verdict="reject", reason="Late.", actor=make_owner(), now=NOON)

    def test_judges_the_version_that_was_read(self, tmp_path: Path) -> None:
        workspace = make_folder(tmp_path)
        worker = make_worker(workspace)
        proposal = propose(workspace, worker)
        seen = proposal.version
        services.revise_proposal(proposal, RevisionDraft(content="Other.\n"), actor=worker, now=NOON)

        with pytest.raises(StaleVersion, match="proposal revised"):
            services.review_proposal(proposal, verdict="approve", actor=make_owner(), now=NOON, version=seen)

    def test_loses_against_a_verdict_that_came_first(self, tmp_path: Path) -> None:
        workspace = make_folder(tmp_path)
        proposal = propose(workspace, make_worker(workspace))
        late = Proposal.objects.get(pk=proposal.pk)
        services.review_proposal(proposal, verdict="reject", reason="No.", actor=make_owner(), now=NOON)

        with pytest.raises(StaleVersion):
            services.review_proposal(late, verdict="approve", actor=make_owner(), now=NOON)

        proposal.refresh_from_db()
        assert proposal.state == Proposal.State.REJECTED

    def test_knows_three_verdicts(self, tmp_path: Path) -> None:
        workspace = make_folder(tmp_path)
        proposal = propose(workspace, make_worker(workspace))

        with pytest.raises(BadInput, match="no verdict 'maybe'"):
            services.review_proposal(proposal, verdict="maybe", actor=make_owner(), now=NOON)
