"""Applying, undoing, and what is left after a crash."""

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from django.db import connection

from tests.factories import NOON, make_owner, make_person, make_worker
from tests.products.making import BETTER, GUIDE, THREAD, TICKET, approve, make_folder, propose
from yoimemory.access.services import NotAReviewer
from yoimemory.errors import BadInput, DomainError
from yoimemory.journal.models import Change
from yoimemory.products import files, services
from yoimemory.products.models import Proposal, Writing
from yoimemory.products.services import applying
from yoimemory.sources.opener import Unopenable, digest_of

pytestmark = pytest.mark.django_db


class TestApplyProposal:
    def test_writes_the_file_and_keeps_what_was_there(self, tmp_path: Path) -> None:
        workspace = make_folder(tmp_path)
        proposal, owner = approve(propose(workspace, make_worker(workspace))), make_owner()

        services.apply_proposal(proposal, actor=owner, now=NOON)

        writing = Writing.objects.get()
        assert (tmp_path / "docs/guide.md").read_text() == BETTER
        assert (proposal.state, proposal.way) == ("applied", "written")
        assert (writing.state, bytes(writing.before or b"")) == ("written", GUIDE.encode())
        assert (writing.before_digest, writing.after_digest) == (
            digest_of(GUIDE.encode()), digest_of(BETTER.encode()),
        )  # fmt: skip
        assert Change.objects.get(verb="proposal-applied").after["digest"] == writing.after_digest

    def test_keeps_mode_and_line_ends(self, tmp_path: Path) -> None:
        workspace = make_folder(tmp_path)
        file = tmp_path / "docs/guide.md"
        file.write_bytes(b"\xef\xbb\xbf" + GUIDE.replace("\n", "\r\n").encode())
        file.chmod(0o640)
        proposal = approve(propose(workspace, make_worker(workspace)))

        services.apply_proposal(proposal, actor=make_owner(), now=NOON)

        assert file.read_bytes() == b"\xef\xbb\xbf" + BETTER.replace("\n", "\r\n").encode()
        assert file.stat().st_mode & 0o777 == 0o640

    def test_makes_a_new_file_and_its_folders(self, tmp_path: Path) -> None:
        workspace = make_folder(tmp_path)
        proposal = approve(propose(workspace, make_worker(workspace), path="docs/adr/1.md", content="New.\n"))

        services.apply_proposal(proposal, actor=make_owner(), now=NOON)

        assert (tmp_path / "docs/adr/1.md").read_text() == "New.\n"

    def test_stops_as_a_conflict_when_the_file_moved(self, tmp_path: Path) -> None:
        workspace = make_folder(tmp_path)
        proposal = approve(propose(workspace, make_worker(workspace)))
        (tmp_path / "docs/guide.md").write_text("Somebody else's words.\n")

        services.apply_proposal(proposal, actor=make_owner(), now=NOON)

        assert proposal.state == Proposal.State.CONFLICT
        assert "nothing was written" in proposal.state_reason
        assert (tmp_path / "docs/guide.md").read_text() == "Somebody else's words.\n"
        assert not Writing.objects.exists()

    @pytest.mark.parametrize("gone", [True, False])
    def test_stops_when_a_file_appears_or_disappears(self, tmp_path: Path, gone: bool) -> None:
        workspace = make_folder(tmp_path)
        path = "docs/guide.md" if gone else "docs/new.md"
        proposal = approve(propose(workspace, make_worker(workspace), path=path))
        (tmp_path / path).unlink() if gone else (tmp_path / path).write_text("Mine.\n")

        services.apply_proposal(proposal, actor=make_owner(), now=NOON)

        assert proposal.state == Proposal.State.CONFLICT
        assert (tmp_path / path).exists() is not gone

    def test_stops_when_the_file_moves_at_the_last_moment(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        workspace = make_folder(tmp_path)
        proposal = approve(propose(workspace, make_worker(workspace)))

        def edit_first(*args: object, **kwargs: object) -> None:
            (tmp_path / "docs/guide.md").write_text("In between.\n")
            files.put(*args, **kwargs)  # type: ignore[arg-type]

        monkeypatch.setattr(applying, "put", edit_first)
        services.apply_proposal(proposal, actor=make_owner(), now=NOON)

        assert proposal.state == Proposal.State.CONFLICT
        assert (tmp_path / "docs/guide.md").read_text() == "In between.\n"
        assert Writing.objects.get().state == Writing.State.ABANDONED

    def test_writes_nothing_through_a_link_that_came_later(self, tmp_path: Path) -> None:
        workspace = make_folder(tmp_path / "ws")
        outside = tmp_path / "outside.md"
        outside.write_text(GUIDE)
        proposal = approve(propose(workspace, make_worker(workspace)))
        (tmp_path / "ws/docs/guide.md").unlink()
        (tmp_path / "ws/docs/guide.md").symlink_to(outside)

        with pytest.raises(Unopenable, match="link"):
            services.apply_proposal(proposal, actor=make_owner(), now=NOON)

        proposal.refresh_from_db()
        assert outside.read_text() == GUIDE
        assert proposal.state == Proposal.State.APPROVED

    def test_gives_up_cleanly_when_the_disk_refuses(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        workspace = make_folder(tmp_path)
        proposal = approve(propose(workspace, make_worker(workspace)))

        def full(*args: object, **kwargs: object) -> None:
            raise Unopenable("docs/guide.md", "no space left on device")

        monkeypatch.setattr(applying, "put", full)
        with pytest.raises(Unopenable, match="no space left"):
            services.apply_proposal(proposal, actor=make_owner(), now=NOON)

        proposal.refresh_from_db()
        assert proposal.state == Proposal.State.APPROVED
        assert Writing.objects.get().state == Writing.State.ABANDONED

    @pytest.mark.parametrize("role", ["worker", "member"])
    def test_is_a_reviewers_alone(self, tmp_path: Path, role: str) -> None:
        workspace = make_folder(tmp_path)
        proposal = approve(propose(workspace, make_worker(workspace)))
        actor = make_worker(workspace, name="w") if role == "worker" else make_person(workspace, role="member")

        with pytest.raises(NotAReviewer):
            services.apply_proposal(proposal, actor=actor, now=NOON)

        assert (tmp_path / "docs/guide.md").read_text() == GUIDE

    def test_needs_an_approval_first(self, tmp_path: Path) -> None:
        workspace = make_folder(tmp_path)
        proposal = propose(workspace, make_worker(workspace))

        with pytest.raises(services.NotInThisState, match="proposed and cannot be applied"):
            services.apply_proposal(proposal, actor=make_owner(), now=NOON)

    def test_asks_twice_for_what_agents_act_on(self, tmp_path: Path) -> None:
        workspace = make_folder(tmp_path)
        proposal = approve(propose(workspace, make_worker(workspace), path="AGENTS.md", content="Do this.\n"))

        with pytest.raises(services.RiskNotConfirmed, match=r"Agents read AGENTS\.md as instructions"):
            services.apply_proposal(proposal, actor=make_owner(), now=NOON)
        assert not (tmp_path / "AGENTS.md").exists()
        services.apply_proposal(proposal, actor=make_owner(), now=NOON, confirmed=True)

        assert (tmp_path / "AGENTS.md").read_text() == "Do this.\n"


class TestTextForAThread:
    def test_says_how_it_reached_the_ticket(self, tmp_path: Path) -> None:
        workspace = make_folder(tmp_path)
        proposal = approve(
            propose(workspace, make_worker(workspace), target="ticket_decision", path="ticket:00001KX6WVNPD")
        )

        with pytest.raises(BadInput, match="another writer"):
            services.apply_proposal(proposal, actor=make_owner(), now=NOON)
        services.apply_proposal(proposal, actor=make_owner(), now=NOON, way="carried over by hand")

        assert (proposal.state, proposal.way) == ("applied", "carried over by hand")
        assert not Writing.objects.exists()
        assert (tmp_path / TICKET / "thread.md").read_text() == THREAD

    def test_may_become_an_artifact(self, tmp_path: Path) -> None:
        workspace = make_folder(tmp_path)
        proposal = approve(
            propose(workspace, make_worker(workspace), target="ticket_review", path="ticket:00001KX6WVNPD")
        )

        services.apply_proposal(proposal, actor=make_owner(), now=NOON, way="written as an artifact")

        path = tmp_path / TICKET / f"artifacts/review-{proposal.public_id}.md"
        assert path.read_text() == BETTER
        assert (tmp_path / TICKET / "thread.md").read_text() == THREAD

    def test_is_not_written_as_a_file(self, tmp_path: Path) -> None:
        workspace = make_folder(tmp_path)
        proposal = approve(
            propose(workspace, make_worker(workspace), target="ticket_review", path="ticket:00001KX6WVNPD")
        )

        with pytest.raises(BadInput, match="cannot be written"):
            services.apply_proposal(proposal, actor=make_owner(), now=NOON, way="written")


class TestRevertProposal:
    def test_puts_the_bytes_from_before_back(self, tmp_path: Path) -> None:
        workspace = make_folder(tmp_path)
        owner = make_owner()
        proposal = approve(propose(workspace, make_worker(workspace)))
        services.apply_proposal(proposal, actor=owner, now=NOON)

        services.revert_proposal(proposal, actor=owner, now=NOON, reason="It was wrong.")

        assert (tmp_path / "docs/guide.md").read_text() == GUIDE
        assert (proposal.state, proposal.state_reason) == ("reverted", "It was wrong.")
        assert Writing.objects.get().state == Writing.State.UNDONE

    def test_takes_a_new_file_away(self, tmp_path: Path) -> None:
        workspace = make_folder(tmp_path)
        proposal = approve(propose(workspace, make_worker(workspace), path="docs/new.md"))
        services.apply_proposal(proposal, actor=make_owner(), now=NOON)

        services.revert_proposal(proposal, actor=make_owner(), now=NOON)

        assert not (tmp_path / "docs/new.md").exists()

    @pytest.mark.parametrize("gone", [True, False])
    def test_refuses_when_somebody_edited_since(self, tmp_path: Path, gone: bool) -> None:
        workspace = make_folder(tmp_path)
        proposal = approve(propose(workspace, make_worker(workspace)))
        services.apply_proposal(proposal, actor=make_owner(), now=NOON)
        file = tmp_path / "docs/guide.md"
        file.unlink() if gone else file.write_text(BETTER + "Mine.\n")

        with pytest.raises(services.ChangedSince, match="would lose that change"):
            services.revert_proposal(proposal, actor=make_owner(), now=NOON)

        proposal.refresh_from_db()
        assert proposal.state == Proposal.State.APPLIED
        assert file.exists() is not gone
        assert gone or file.read_text() == BETTER + "Mine.\n"

    def test_is_a_reviewers_alone(self, tmp_path: Path) -> None:
        workspace = make_folder(tmp_path)
        proposal = approve(propose(workspace, make_worker(workspace)))
        services.apply_proposal(proposal, actor=make_owner(), now=NOON)

        with pytest.raises(NotAReviewer):
            services.revert_proposal(proposal, actor=make_worker(workspace, name="w"), now=NOON)

    def test_happens_once(self, tmp_path: Path) -> None:
        workspace = make_folder(tmp_path)
        proposal = approve(propose(workspace, make_worker(workspace)))
        services.apply_proposal(proposal, actor=make_owner(), now=NOON)
        services.revert_proposal(proposal, actor=make_owner(), now=NOON)

        with pytest.raises(services.NotInThisState, match="reverted"):
            services.revert_proposal(proposal, actor=make_owner(), now=NOON)


CHILD = """
import os, signal, sys
from django.conf import settings
settings.DATABASES["default"]["NAME"] = sys.argv[1]
import django
django.setup()
from django.utils import timezone
from yoimemory.access.models import Actor
from yoimemory.products import services
from yoimemory.products.models import Proposal
from yoimemory.products.services import applying
from yoimemory.sources import opener

def die(*args, **kwargs):
    os.kill(os.getpid(), signal.SIGKILL)

def then_die(verb):
    def run(*args, **kwargs):
        verb(*args, **kwargs)
        die()
    return run

proposal, actor, verb, moment = Proposal.objects.get(pk=sys.argv[2]), Actor.objects.get(pk=sys.argv[3]), *sys.argv[4:6]
if moment == "before the rename":
    opener.os.rename = opener.os.link = opener.os.unlink = die
else:
    applying.put = then_die(applying.put)
getattr(services, verb)(proposal, actor=actor, now=timezone.now())
"""


def run_until_killed(proposal: Proposal, verb: str, moment: str) -> None:
    """Apply or undo in a process of its own that is killed at this moment."""
    argv = [connection.settings_dict["NAME"], proposal.pk, make_owner().pk, verb, moment]
    done = subprocess.run(
        [sys.executable, "-c", CHILD, *map(str, argv)],
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "yoimemory.settings"},
        capture_output=True,
        timeout=60,
    )
    assert done.returncode == -signal.SIGKILL, done.stderr.decode()


class Crash(BaseException):
    """The server ends here: nothing after it runs, what was committed stays."""


def crash(*args: object, **kwargs: object) -> None:
    raise Crash


@pytest.mark.django_db(transaction=True)
class TestRecoverWritings:
    @pytest.mark.parametrize("path", ["docs/guide.md", "docs/new.md"])
    def test_forgets_a_writing_that_never_reached_its_file(self, tmp_path: Path, path: str) -> None:
        workspace = make_folder(tmp_path)
        proposal = approve(propose(workspace, make_worker(workspace), path=path))
        run_until_killed(proposal, "apply_proposal", "before the rename")
        assert list(tmp_path.rglob(".yoimemory-tmp-*"))

        settled = services.recover_writings(NOON)

        proposal.refresh_from_db()
        assert settled == 1
        assert (tmp_path / "docs/guide.md").read_text() == GUIDE
        assert not (tmp_path / "docs/new.md").exists()
        assert not list(tmp_path.rglob(".yoimemory-tmp-*"))
        assert (proposal.state, Writing.objects.get().state) == ("approved", "abandoned")
        services.apply_proposal(proposal, actor=make_owner(), now=NOON)
        assert (tmp_path / path).read_text() == BETTER

    def test_finishes_a_writing_that_did(self, tmp_path: Path) -> None:
        workspace = make_folder(tmp_path)
        proposal = approve(propose(workspace, make_worker(workspace)))
        run_until_killed(proposal, "apply_proposal", "after the rename")

        settled = services.recover_writings(NOON)

        proposal.refresh_from_db()
        assert (settled, services.recover_writings(NOON)) == (1, 0)
        assert (tmp_path / "docs/guide.md").read_text() == BETTER
        assert (proposal.state, Writing.objects.get().state) == ("applied", "written")
        services.revert_proposal(proposal, actor=make_owner(), now=NOON)
        assert (tmp_path / "docs/guide.md").read_text() == GUIDE

    @pytest.mark.parametrize(
        ("moment", "state", "text"),
        [("before the rename", "applied", BETTER), ("after the rename", "reverted", GUIDE)],
    )
    def test_settles_an_undo_either_way(self, tmp_path: Path, moment: str, state: str, text: str) -> None:
        workspace = make_folder(tmp_path)
        proposal = approve(propose(workspace, make_worker(workspace)))
        services.apply_proposal(proposal, actor=make_owner(), now=NOON)
        run_until_killed(proposal, "revert_proposal", moment)

        services.recover_writings(NOON)

        proposal.refresh_from_db()
        assert (proposal.state, (tmp_path / "docs/guide.md").read_text()) == (state, text)
        assert not Writing.objects.unsettled().exists()

    def test_finishes_an_undo_whose_file_was_back_and_whose_proposal_was_not(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        workspace = make_folder(tmp_path)
        proposal = approve(propose(workspace, make_worker(workspace)))
        owner, other = make_owner(), make_person(workspace, role="reviewer")
        services.apply_proposal(proposal, actor=owner, now=NOON)
        with monkeypatch.context() as patched:
            patched.setattr(applying, "move", crash)
            with pytest.raises(Crash):
                services.revert_proposal(proposal, actor=other, now=NOON, reason="It was wrong.")
        between = (Proposal.objects.get().state, Writing.objects.get().state)

        settled = services.recover_writings(NOON)

        proposal.refresh_from_db()
        told = Change.objects.of(proposal.ref, workspace).filter(verb="proposal-reverted").get()
        assert between == ("applied", "undoing")
        assert (settled, services.recover_writings(NOON)) == (1, 0)
        assert (proposal.state, Writing.objects.get().state) == ("reverted", "undone")
        assert (tmp_path / "docs/guide.md").read_text() == GUIDE
        assert (told.actor, told.reason, proposal.state_by) == (other, "It was wrong.", other)

    def test_leaves_a_file_alone_that_somebody_else_changed(self, tmp_path: Path) -> None:
        workspace = make_folder(tmp_path)
        proposal = approve(propose(workspace, make_worker(workspace)))
        run_until_killed(proposal, "apply_proposal", "before the rename")
        (tmp_path / "docs/guide.md").write_text("Mine.\n")

        services.recover_writings(NOON)

        proposal.refresh_from_db()
        assert (tmp_path / "docs/guide.md").read_text() == "Mine.\n"
        assert proposal.state == Proposal.State.APPROVED

    def test_waits_for_a_workspace_that_cannot_be_read(self, tmp_path: Path) -> None:
        workspace = make_folder(tmp_path / "ws")
        proposal = approve(propose(workspace, make_worker(workspace)))
        run_until_killed(proposal, "apply_proposal", "after the rename")
        (tmp_path / "ws").rename(tmp_path / "away")

        assert services.recover_writings(NOON) == 0
        (tmp_path / "away").rename(tmp_path / "ws")
        assert services.recover_writings(NOON) == 1

    def test_two_at_once_apply_it_once(self, tmp_path: Path) -> None:
        workspace = make_folder(tmp_path)
        proposal = approve(propose(workspace, make_worker(workspace)))
        owner, outcomes = make_owner(), []

        def apply() -> None:
            try:
                services.apply_proposal(Proposal.objects.get(pk=proposal.pk), actor=owner, now=NOON)
                outcomes.append("applied")
            except DomainError as refusal:
                outcomes.append(refusal.code)
            finally:
                connection.close()

        threads = [threading.Thread(target=apply) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(timeout=60)

        assert sorted(outcomes) == ["applied", "not_in_this_state", "not_in_this_state", "not_in_this_state"]
        assert Writing.objects.count() == 1
