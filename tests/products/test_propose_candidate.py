"""Proposing a product and answering a reviewer."""

from datetime import timedelta
from pathlib import Path

import pytest

from tests.factories import (
    NOON,
    make_evidence,
    make_owner,
    make_person,
    make_shoebox,
    make_token,
    make_worker,
    make_workspace,
)
from tests.products.making import BETTER, GUIDE, TICKET, approve, draft_of, make_folder, propose
from yoimemory.access.services import actor_for_token
from yoimemory.errors import Forbidden, NotFound, Refused, StaleVersion
from yoimemory.journal.models import Change
from yoimemory.products import services
from yoimemory.products.models import Proposal
from yoimemory.products.places import NotAPlace
from yoimemory.products.schemas import RevisionDraft
from yoimemory.products.services import proposing
from yoimemory.products.texts import NotText
from yoimemory.sources.opener import Unopenable, digest_of

pytestmark = pytest.mark.django_db


class TestProposeCandidate:
    def test_keeps_the_base_as_the_file_stands(self, tmp_path: Path) -> None:
        workspace = make_folder(tmp_path)
        worker = make_worker(workspace)

        proposal = propose(workspace, worker)

        assert proposal.state == Proposal.State.PROPOSED
        assert (proposal.base_content, proposal.content) == (GUIDE, BETTER)
        assert proposal.base_digest == digest_of(GUIDE.encode())
        assert (tmp_path / "docs/guide.md").read_text() == GUIDE
        assert [revision.number for revision in proposal.revisions.all()] == [1]
        assert Change.objects.get(subject=str(proposal.ref)).verb == "candidate-proposed"

    def test_takes_a_patch_instead_of_the_whole_text(self, tmp_path: Path) -> None:
        workspace = make_folder(tmp_path)
        patch = (
            "@@ -3 +3 @@\n-Declaring a server does not start it.\n+Declaring a server does not by itself start it.\n"
        )

        proposal = propose(workspace, make_worker(workspace), patch=patch)

        assert proposal.content == BETTER

    def test_refuses_a_base_that_is_not_the_file(self, tmp_path: Path) -> None:
        workspace = make_folder(tmp_path)

        with pytest.raises(services.BaseChanged, match="not what you wrote this against") as refusal:
            propose(workspace, make_worker(workspace), base_digest="0" * 64)

        assert digest_of(GUIDE.encode()) in refusal.value.hint

    def test_takes_a_base_written_as_a_digest(self, tmp_path: Path) -> None:
        workspace = make_folder(tmp_path)

        proposal = propose(workspace, make_worker(workspace), base_digest=f"sha256:{digest_of(GUIDE.encode())}")

        assert proposal.pk

    def test_of_a_new_file_has_no_base(self, tmp_path: Path) -> None:
        workspace = make_folder(tmp_path)

        proposal = propose(workspace, make_worker(workspace), path="docs/new.md", content="New.\n")

        assert proposal.is_new_file
        assert proposal.title == "New file docs/new.md"

    def test_refuses_what_changes_nothing(self, tmp_path: Path) -> None:
        workspace = make_folder(tmp_path)

        with pytest.raises(services.NothingToChange):
            propose(workspace, make_worker(workspace), content=GUIDE.replace("\n", "\r\n"))

    def test_refuses_the_same_change_twice(self, tmp_path: Path) -> None:
        workspace = make_folder(tmp_path)
        first = propose(workspace, make_worker(workspace))

        with pytest.raises(services.AlreadyProposed, match="proposed") as refusal:
            propose(workspace, make_worker(workspace, name="other"))

        assert str(first.ref) in refusal.value.hint

    def test_refuses_the_same_change_that_arrives_meanwhile(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        workspace = make_folder(tmp_path)
        worker = make_worker(workspace)

        def overtaken(*args: object, **kwargs: object) -> None:
            monkeypatch.undo()
            propose(workspace, worker)

        monkeypatch.setattr(proposing, "require_format", overtaken)

        with pytest.raises(services.AlreadyProposed):
            propose(workspace, worker)

        assert Proposal.objects.count() == 1

    def test_remembers_a_rejection(self, tmp_path: Path) -> None:
        workspace = make_folder(tmp_path)
        first = propose(workspace, make_worker(workspace))
        services.review_proposal(first, verdict="reject", reason="Says too much.", actor=make_owner(), now=NOON)

        with pytest.raises(services.AlreadyProposed, match="rejected before: Says too much"):
            propose(workspace, make_worker(workspace))

    def test_refuses_a_link_on_the_way(self, tmp_path: Path) -> None:
        workspace = make_folder(tmp_path / "ws")
        (tmp_path / "outside").mkdir()
        (tmp_path / "outside/secret.md").write_text("secret")
        (tmp_path / "ws/docs/out").symlink_to(tmp_path / "outside")
        (tmp_path / "ws/docs/link.md").symlink_to(tmp_path / "outside/secret.md")

        for path in ("docs/out/secret.md", "docs/link.md"):
            with pytest.raises(Unopenable, match="link") as refusal:
                propose(workspace, make_worker(workspace), path=path, content="mine\n")

            assert "secret" not in refusal.value.message.removeprefix(path)

    def test_refuses_a_path_outside(self, tmp_path: Path) -> None:
        workspace = make_folder(tmp_path)

        with pytest.raises(NotAPlace, match="no path inside the workspace"):
            propose(workspace, make_worker(workspace), path="../elsewhere.md")

    def test_refuses_a_ticket_that_is_not_there(self, tmp_path: Path) -> None:
        workspace = make_folder(tmp_path)

        with pytest.raises(services.NoSuchRecord, match="00001ZZZZZZZZ"):
            propose(
                workspace, make_worker(workspace), target="ticket_artifact",
                path=".yoi/tickets/00001ZZZZZZZZ/artifacts/a.md",
            )  # fmt: skip

    def test_offers_text_for_a_thread_without_touching_it(self, tmp_path: Path) -> None:
        workspace = make_folder(tmp_path)

        proposal = propose(
            workspace, make_worker(workspace), target="ticket_comment", path="ticket:00001KX6WVNPD", content="Wait.\n"
        )

        assert proposal.path == f"{TICKET}/thread.md"
        assert proposal.title == "Comment for ticket 00001KX6WVNPD"
        assert (proposal.base_digest, proposal.base_content) == ("", "")

    def test_refuses_a_file_that_is_no_text(self, tmp_path: Path) -> None:
        workspace = make_folder(tmp_path)
        (tmp_path / "docs/legacy.txt").write_bytes("行を変える。".encode("cp932") * 10)

        with pytest.raises(NotText, match="UTF-8"):
            propose(workspace, make_worker(workspace), path="docs/legacy.txt")

    def test_names_evidence_that_is_not_of_this_workspace(self, tmp_path: Path) -> None:
        workspace = make_folder(tmp_path)
        foreign = make_evidence(make_shoebox(make_workspace("/else")))

        with pytest.raises(NotFound, match=foreign.public_id):
            propose(workspace, make_worker(workspace), evidence=[str(foreign.ref)])

    def test_keeps_what_it_rests_on_and_what_speaks_against_it(self, tmp_path: Path) -> None:
        workspace = make_folder(tmp_path)
        shoebox = make_shoebox(workspace)
        one, other = make_evidence(shoebox), make_evidence(shoebox, quote="Config alone starts nothing.")

        proposal = propose(
            workspace, make_worker(workspace), shoebox=str(shoebox.ref),
            evidence=[str(one.ref), str(one.ref), "doc:docs/guide.md#L3"], contrary=[str(other.ref)],
        )  # fmt: skip

        assert proposal.shoebox == shoebox
        assert proposal.evidence == [str(one.ref), "doc:docs/guide.md#L3"]
        assert proposal.contrary == [str(other.ref)]

    @pytest.mark.parametrize("kind", ["read token", "other workspace", "stranger"])
    def test_needs_a_role_and_the_scope(self, tmp_path: Path, kind: str) -> None:
        workspace = make_folder(tmp_path)
        other = make_workspace("/else")
        actor = {
            "read token": lambda: make_worker(workspace, scope="read"),
            "other workspace": lambda: make_worker(other),
            "stranger": lambda: make_person(other),
        }[kind]()

        with pytest.raises(Forbidden):
            propose(workspace, actor)

        assert not Proposal.objects.exists()


class TestReviseProposal:
    def test_answers_with_a_new_revision(self, tmp_path: Path) -> None:
        workspace = make_folder(tmp_path)
        worker = make_worker(workspace)
        proposal = propose(workspace, worker)
        services.review_proposal(proposal, verdict="needs_change", reason="Too much.", actor=make_owner(), now=NOON)

        services.revise_proposal(
            proposal, RevisionDraft(content=GUIDE + "More.\n", note="Said less."), actor=worker, now=NOON
        )

        assert (proposal.state, proposal.revision, proposal.state_reason) == ("proposed", 2, "")
        assert [revision.note for revision in proposal.revisions.order_by("number")] == ["", "Said less."]

    def test_is_its_makers_or_a_reviewers(self, tmp_path: Path) -> None:
        workspace = make_folder(tmp_path)
        proposal = propose(workspace, make_worker(workspace))
        draft = RevisionDraft(content="Other.\n")

        for stranger in (make_worker(workspace, name="other"), make_person(workspace, role="member")):
            with pytest.raises(services.NotYourProposal):
                services.revise_proposal(proposal, draft, actor=stranger, now=NOON)

        services.revise_proposal(proposal, draft, actor=make_person(workspace), now=NOON)
        assert proposal.revision == 2

    def test_is_the_same_token_in_another_run(self, tmp_path: Path) -> None:
        workspace = make_folder(tmp_path)
        token = make_token(workspace)[0]
        proposal = propose(workspace, actor_for_token(token, run="one"))

        services.revise_proposal(
            proposal, RevisionDraft(content="Other.\n"), actor=actor_for_token(token, run="two"), now=NOON
        )

        assert proposal.revision == 2

    def test_refuses_an_old_version_and_says_what_happened(self, tmp_path: Path) -> None:
        workspace = make_folder(tmp_path)
        worker, owner = make_worker(workspace), make_owner("hare")
        proposal = propose(workspace, worker)
        seen = proposal.version
        services.review_proposal(proposal, verdict="needs_change", reason="Too much.", actor=owner, now=NOON)

        with pytest.raises(StaleVersion, match=r"by hare .*proposal reviewed"):
            services.revise_proposal(proposal, RevisionDraft(content="x\n"), actor=worker, now=NOON, version=seen)

    def test_is_too_late_once_approved(self, tmp_path: Path) -> None:
        workspace = make_folder(tmp_path)
        worker = make_worker(workspace)
        proposal = approve(propose(workspace, worker))

        with pytest.raises(services.NotInThisState, match="approved"):
            services.revise_proposal(proposal, RevisionDraft(content="x\n"), actor=worker, now=NOON)


class TestRebaseProposal:
    def test_carries_it_over_to_a_file_changed_elsewhere(self, tmp_path: Path) -> None:
        workspace = make_folder(tmp_path)
        proposal = propose(workspace, make_worker(workspace))
        (tmp_path / "docs/guide.md").write_text(GUIDE.replace("End.", "The end."))

        services.rebase_proposal(proposal, actor=make_owner(), now=NOON)

        assert proposal.content == BETTER.replace("End.", "The end.")
        assert proposal.base_digest == digest_of((tmp_path / "docs/guide.md").read_bytes())
        assert proposal.revisions.get(number=2).mechanical

    def test_asks_for_a_hand_where_both_changed_the_line(self, tmp_path: Path) -> None:
        workspace = make_folder(tmp_path)
        proposal = propose(workspace, make_worker(workspace))
        (tmp_path / "docs/guide.md").write_text(GUIDE.replace("does not start it", "never starts it"))

        with pytest.raises(services.CannotMerge, match="same lines in 1 place"):
            services.rebase_proposal(proposal, actor=make_owner(), now=NOON)

        proposal.refresh_from_db()
        assert proposal.content == BETTER

    def test_has_nothing_to_do_on_the_same_base(self, tmp_path: Path) -> None:
        workspace = make_folder(tmp_path)
        proposal = propose(workspace, make_worker(workspace))

        with pytest.raises(services.NothingToChange):
            services.rebase_proposal(proposal, actor=make_owner(), now=NOON)


class TestWithdrawProposal:
    @pytest.mark.parametrize("state", ["proposed", "needs_change", "approved", "conflict"])
    def test_ends_it_before_anything_is_written(self, tmp_path: Path, state: str) -> None:
        workspace = make_folder(tmp_path)
        worker = make_worker(workspace)
        proposal = propose(workspace, worker)
        Proposal.objects.filter(pk=proposal.pk).update(state=state, state_reason="x")
        proposal.refresh_from_db()

        services.withdraw_proposal(proposal, actor=worker, now=NOON + timedelta(hours=1), reason="Done otherwise.")

        assert (proposal.state, proposal.state_reason) == ("withdrawn", "Done otherwise.")

    def test_is_no_longer_possible_at_an_end(self, tmp_path: Path) -> None:
        workspace = make_folder(tmp_path)
        worker = make_worker(workspace)
        proposal = propose(workspace, worker)
        services.withdraw_proposal(proposal, actor=worker, now=NOON)

        with pytest.raises(Refused, match="withdrawn and cannot be withdrawn"):
            services.withdraw_proposal(proposal, actor=worker, now=NOON)


class TestProposalDraft:
    @pytest.mark.parametrize("both", [{"content": "", "patch": ""}, {"content": "a", "patch": "b"}])
    def test_wants_content_or_a_patch(self, both: dict[str, str]) -> None:
        with pytest.raises(ValueError, match="either content"):
            draft_of(**both)
