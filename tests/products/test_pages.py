"""The pages of proposals and exports: what they show, what they answer, how many queries they take."""

from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from evidence.models import Placement
from shoebox.models import Shoebox
from tests.factories import NOON, make_evidence, make_owner, make_person, make_relation, make_worker, make_workspace
from tests.products.making import BETTER, GUIDE, TICKET, approve, make_argued_shoebox, make_folder, propose
from yoimemory.access.models import Actor
from yoimemory.products import services
from yoimemory.products.models import Export, Proposal

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true", "HX-Target": "strip"}


def log_in(client: Client, actor: Actor) -> Client:
    assert actor.user is not None
    client.force_login(actor.user)
    return client


def at(name: str, *args: Any) -> str:
    return reverse(f"products:{name}", args=args)


class TestProposalList:
    def test_puts_what_waits_first(self, client: Client, tmp_path: Path) -> None:
        workspace, owner = make_folder(tmp_path), make_owner()
        rejected = propose(workspace, make_worker(workspace), content="One.\n", title="Rejected one")
        services.review_proposal(rejected, verdict="reject", reason="No.", actor=owner, now=NOON)
        propose(workspace, make_worker(workspace), content="Two.\n", title="Waiting one")

        text = log_in(client, owner).get(at("list")).text

        assert text.index("Waiting one") < text.index("Rejected one")
        assert "No." in text

    def test_narrows_as_a_part(self, client: Client, tmp_path: Path) -> None:
        workspace, owner = make_folder(tmp_path), make_owner()
        propose(workspace, make_worker(workspace), title="About the guide")

        response = log_in(client, owner).get(
            at("list"), {"state": "applied"}, headers={"HX-Request": "true", "HX-Target": "proposals"}
        )

        assert "About the guide" not in response.text
        assert "No proposal fits" in response.text
        assert "<html" not in response.text

    def test_says_what_to_do_when_empty(self, client: Client, tmp_path: Path) -> None:
        make_folder(tmp_path)

        assert "Nothing has been proposed yet." in log_in(client, make_owner()).get(at("list")).text

    def test_takes_as_many_queries_for_twice_the_rows(self, client: Client, tmp_path: Path) -> None:
        workspace, owner = make_folder(tmp_path), make_owner()
        shoebox = make_argued_shoebox(workspace)
        log_in(client, owner)

        counts = []
        for batch in range(2):
            for number in range(3):
                refs = [str(one.ref) for one in shoebox.evidence.all()[:1]]
                propose(
                    workspace, make_worker(workspace, name=f"w{batch}{number}"), content=f"{batch}.{number}\n",
                    shoebox=str(shoebox.ref), evidence=refs,
                )  # fmt: skip
            with CaptureQueriesContext(connection) as queries:
                client.get(at("list"))
            counts.append(len(queries))

        assert counts[0] == counts[1]


class TestProposalDetail:
    def test_shows_the_change_the_proof_and_what_will_happen(self, client: Client, tmp_path: Path) -> None:
        workspace, owner = make_folder(tmp_path), make_owner()
        shoebox = make_argued_shoebox(workspace)
        proof, contrary = shoebox.evidence.order_by("pk")
        proposal = propose(
            workspace, make_worker(workspace), shoebox=str(shoebox.ref), evidence=[str(proof.ref)], title="Say it right"
        )

        text = log_in(client, owner).get(at("detail", proposal.public_id)).text

        assert "Say it right" in text
        assert "<ins>by itself " in text
        assert "Rationale, orchestrator Worker:" in text
        assert "Config alone does not spawn a process." in text
        assert text.index("<h2>Against it") < text.index("<h2>Rests on")
        assert contrary.public_id in text
        assert "One file is rewritten: docs/guide.md." in text
        assert "no hidden characters" in text
        assert text.index("One file is rewritten") < text.index('value="approve"')

    def test_spells_out_hidden_characters(self, client: Client, tmp_path: Path) -> None:
        workspace = make_folder(tmp_path)
        proposal = propose(workspace, make_worker(workspace), content=GUIDE + "Run\u202e it\u200b.\n")

        text = log_in(client, make_owner()).get(at("detail", proposal.public_id)).text

        assert '<span class="hid">U+202E right-to-left override</span>' in text
        assert "2 hidden characters" in text
        assert "\u202e" not in text.split("Copy as ticket comment")[0]

    def test_shows_a_moved_base_and_offers_to_rebase(self, client: Client, tmp_path: Path) -> None:
        workspace = make_folder(tmp_path)
        proposal = propose(workspace, make_worker(workspace))
        (tmp_path / "docs/guide.md").write_text(GUIDE.replace("End.", "The end."))

        text = log_in(client, make_owner()).get(at("detail", proposal.public_id)).text

        assert "base moved in the working tree" in text
        assert "Not as it stands." in text
        assert ">Rebase</button>" in text

    def test_warns_of_proof_that_drifted(self, client: Client, tmp_path: Path) -> None:
        workspace = make_folder(tmp_path)
        evidence = make_evidence(make_argued_shoebox(workspace), quote="A line that was reworded since.")
        Placement.objects.create(evidence=evidence, state="orphaned", method="exact", note="The line is gone.", at=NOON)
        proposal = propose(workspace, make_worker(workspace), evidence=[str(evidence.ref)])

        text = log_in(client, make_owner()).get(at("detail", proposal.public_id)).text

        assert "orphaned" in text
        assert "The line is gone." in text

    def test_offers_no_verdict_to_a_member(self, client: Client, tmp_path: Path) -> None:
        workspace = make_folder(tmp_path)
        proposal = propose(workspace, make_worker(workspace))

        text = log_in(client, make_person(workspace, role="member")).get(at("detail", proposal.public_id)).text

        assert 'value="approve"' not in text

    def test_asks_a_single_reviewer_to_confirm(self, client: Client, tmp_path: Path) -> None:
        workspace, owner = make_folder(tmp_path), make_owner()
        proposal = propose(workspace, owner)

        text = log_in(client, owner).get(at("detail", proposal.public_id)).text

        assert 'name="confirmed"' in text
        assert "I am the only reviewer" in text

    def test_leaves_an_own_proposal_to_the_other_reviewer(self, client: Client, tmp_path: Path) -> None:
        workspace = make_folder(tmp_path)
        mine, _other = make_person(workspace), make_person(workspace)
        proposal = propose(workspace, mine)

        text = log_in(client, mine).get(at("detail", proposal.public_id)).text

        assert 'value="approve"' not in text
        assert 'value="reject"' in text

    def test_is_not_there_for_people_of_other_workspaces(self, client: Client, tmp_path: Path) -> None:
        workspace = make_folder(tmp_path)
        proposal = propose(workspace, make_worker(workspace))

        response = log_in(client, make_person(make_workspace("/else"))).get(at("detail", proposal.public_id))

        assert response.status_code == 404

    def test_shows_words_of_a_worker_as_words(self, client: Client, tmp_path: Path) -> None:
        workspace = make_folder(tmp_path)
        proposal = propose(
            workspace, make_worker(workspace), content="<script>x</script>\n", rationale="<b>bold</b>\nnext",
            title="<i>t</i>",
        )  # fmt: skip

        text = log_in(client, make_owner()).get(at("detail", proposal.public_id)).text

        assert "&lt;script&gt;x&lt;/script&gt;" in text
        assert "<b>bold</b>" not in text
        assert "<i>t</i>" not in text

    def test_takes_as_many_queries_for_twice_the_proof(self, client: Client, tmp_path: Path) -> None:
        workspace = make_folder(tmp_path)
        shoebox = make_argued_shoebox(workspace)
        log_in(client, make_owner())

        counts = []
        for count in (2, 4):
            rows = [
                make_evidence(shoebox, quote=f"Line {count}.{row} of the guide says no.", start=row * 100 + count)
                for row in range(count)
            ]
            make_relation(rows[0], shoebox.ref, "refutes")
            proposal = propose(
                workspace, make_worker(workspace), content=f"{count}\n", shoebox=str(shoebox.ref),
                evidence=[str(row.ref) for row in rows[1:]],
            )  # fmt: skip
            with CaptureQueriesContext(connection) as queries:
                client.get(at("detail", proposal.public_id))
            counts.append(len(queries))

        assert counts[0] == counts[1]


class TestProposalReview:
    def test_swaps_the_strip_to_the_apply_step(self, client: Client, tmp_path: Path) -> None:
        workspace = make_folder(tmp_path)
        proposal = propose(workspace, make_worker(workspace))
        sent = {"verdict": "approve", "version": proposal.version}

        response = log_in(client, make_owner()).post(at("review", proposal.public_id), sent, headers=HTMX)

        assert response.status_code == 200
        assert "Apply: write the change" in response.text
        assert 'id="proposal" hx-swap-oob="true"' in response.text
        assert "<html" not in response.text
        assert "proposal-reviewed" in response["HX-Trigger"]

    def test_answers_a_missing_reason_in_the_strip(self, client: Client, tmp_path: Path) -> None:
        workspace = make_folder(tmp_path)
        proposal = propose(workspace, make_worker(workspace))
        sent = {"verdict": "reject", "version": proposal.version}

        response = log_in(client, make_owner()).post(at("review", proposal.public_id), sent, headers=HTMX)

        assert response.status_code == 422
        assert "Say why" in response.text

    def test_goes_back_to_the_page_without_script(self, client: Client, tmp_path: Path) -> None:
        workspace = make_folder(tmp_path)
        proposal = propose(workspace, make_worker(workspace))
        sent = {"verdict": "needs_change", "reason": "Say less.", "version": proposal.version}

        response = log_in(client, make_owner()).post(at("review", proposal.public_id), sent, follow=True)

        assert response.redirect_chain == [(at("detail", proposal.public_id), 302)]
        assert "Say less." in response.text

    def test_tells_what_changed_when_the_page_is_old(self, client: Client, tmp_path: Path) -> None:
        workspace = make_folder(tmp_path)
        worker = make_worker(workspace)
        proposal = propose(workspace, worker)
        seen = proposal.version
        services.withdraw_proposal(proposal, actor=worker, now=NOON)

        response = log_in(client, make_owner()).post(
            at("review", proposal.public_id), {"verdict": "approve", "version": seen}
        )

        assert response.status_code == 409
        assert "was changed by orchestrator Worker" in response.text

    def test_is_refused_to_a_member(self, client: Client, tmp_path: Path) -> None:
        workspace = make_folder(tmp_path)
        proposal = propose(workspace, make_worker(workspace))
        sent = {"verdict": "approve", "version": proposal.version}

        response = log_in(client, make_person(workspace, role="member")).post(at("review", proposal.public_id), sent)

        assert response.status_code == 409
        assert Proposal.objects.get().state == "proposed"

    def test_changes_nothing_on_get(self, client: Client, tmp_path: Path) -> None:
        workspace = make_folder(tmp_path)
        proposal = propose(workspace, make_worker(workspace))

        for name in ("review", "apply", "revert", "rebase", "withdraw"):
            assert log_in(client, make_owner()).get(at(name, proposal.public_id)).status_code == 405


class TestProposalApply:
    def test_writes_and_offers_the_undo(self, client: Client, tmp_path: Path) -> None:
        workspace = make_folder(tmp_path)
        proposal = approve(propose(workspace, make_worker(workspace)))

        response = log_in(client, make_owner()).post(
            at("apply", proposal.public_id), {"version": proposal.version}, headers=HTMX
        )

        assert (tmp_path / "docs/guide.md").read_text() == BETTER
        assert ">Undo</button>" in response.text
        assert f"Yoimemory-Proposal: {proposal.ref}" in response.text

    def test_shows_a_conflict_with_both_changes(self, client: Client, tmp_path: Path) -> None:
        workspace = make_folder(tmp_path)
        proposal = approve(propose(workspace, make_worker(workspace)))
        (tmp_path / "docs/guide.md").write_text(GUIDE.replace("does not start it", "never starts it"))

        response = log_in(client, make_owner()).post(
            at("apply", proposal.public_id), {"version": proposal.version}, headers=HTMX
        )

        assert response.status_code == 409
        assert "Conflict." in response.text
        assert "What changed in the file since" in response.text
        assert "Rebase by hand…" in response.text

    def test_asks_twice_for_a_risky_file(self, client: Client, tmp_path: Path) -> None:
        workspace = make_folder(tmp_path)
        proposal = approve(propose(workspace, make_worker(workspace), path="AGENTS.md", content="Do this.\n"))
        log_in(client, make_owner())

        first = client.post(at("apply", proposal.public_id), {"version": proposal.version}, headers=HTMX)
        sent = {"version": proposal.version, "confirmed": "on"}
        second = client.post(at("apply", proposal.public_id), sent, headers=HTMX)

        assert (first.status_code, second.status_code) == (409, 200)
        assert "Agents read AGENTS.md as instructions" in first.text

    def test_offers_a_text_for_copying(self, client: Client, tmp_path: Path) -> None:
        workspace = make_folder(tmp_path)
        proposal = approve(
            propose(
                workspace,
                make_worker(workspace),
                target="ticket_comment",
                path="ticket:00001KX6WVNPD",
                content="Wait for both.\n",
            )
        )

        page = log_in(client, make_owner()).get(at("detail", proposal.public_id)).text
        sent = {"version": proposal.version, "way": "carried over by hand"}
        done = client.post(at("apply", proposal.public_id), sent, headers=HTMX)

        assert "The ticket&#x27;s thread has another writer" in page
        assert "Wait for both.\n\n- `proposal:" in page
        assert "Noted as carried over by hand." in done.text


class TestProposalRevert:
    def test_undoes_it(self, client: Client, tmp_path: Path) -> None:
        workspace = make_folder(tmp_path)
        proposal = approve(propose(workspace, make_worker(workspace)))
        services.apply_proposal(proposal, actor=make_owner(), now=NOON)
        sent = {"version": proposal.version, "reason": "Wrong."}

        response = log_in(client, make_owner()).post(at("revert", proposal.public_id), sent, headers=HTMX)

        assert response.status_code == 200
        assert (tmp_path / "docs/guide.md").read_text() == GUIDE

    def test_says_when_it_cannot(self, client: Client, tmp_path: Path) -> None:
        workspace = make_folder(tmp_path)
        proposal = approve(propose(workspace, make_worker(workspace)))
        services.apply_proposal(proposal, actor=make_owner(), now=NOON)
        (tmp_path / "docs/guide.md").write_text("Mine.\n")

        response = log_in(client, make_owner()).post(
            at("revert", proposal.public_id), {"version": proposal.version}, headers=HTMX
        )

        assert response.status_code == 409
        assert "Undoing would lose that change" in response.text


class TestProposalPatch:
    def test_downloads_as_plain_text(self, client: Client, tmp_path: Path) -> None:
        workspace = make_folder(tmp_path)
        proposal = propose(workspace, make_worker(workspace))

        response = log_in(client, make_owner()).get(at("patch", proposal.public_id))

        assert response["Content-Type"] == "text/plain; charset=utf-8"
        assert response["Content-Disposition"].startswith("attachment")
        assert response.text.startswith("--- a/docs/guide.md\n+++ b/docs/guide.md\n@@ ")


class TestProposePage:
    def test_opens_the_file_as_it_stands(self, client: Client, tmp_path: Path) -> None:
        workspace = make_folder(tmp_path)
        shoebox = make_argued_shoebox(workspace)
        log_in(client, make_owner())

        first = client.get(at("propose"), {"shoebox": shoebox.public_id})
        second = client.get(at("propose"), {"shoebox": shoebox.public_id, "target": "doc", "path": "docs/guide.md"})

        assert "Open it for changing" in first.text
        assert "Declaring a server does not start it." in second.text
        assert "Config alone does not spawn a process." in second.text

    def test_proposes_and_goes_to_the_proposal(self, client: Client, tmp_path: Path) -> None:
        workspace = make_folder(tmp_path)
        shoebox = make_argued_shoebox(workspace)
        proof, contrary = shoebox.evidence.order_by("pk")
        sent = {
            "shoebox": str(shoebox.ref), "target": "doc", "path": "docs/guide.md", "rationale": "It was built.",
            "content": BETTER.replace("\n", "\r\n"), "evidence": [str(proof.ref)], "contrary": [str(contrary.ref)],
            "refs": "doc:docs/guide.md#L3",
        }  # fmt: skip

        response = log_in(client, make_owner()).post(at("propose"), sent)

        proposal = Proposal.objects.get()
        assert response["Location"] == at("detail", proposal.public_id)
        assert proposal.content == BETTER
        assert proposal.evidence == [str(proof.ref), "doc:docs/guide.md#L3"]
        assert proposal.contrary == [str(contrary.ref)]

    def test_keeps_what_was_typed_when_it_is_refused(self, client: Client, tmp_path: Path) -> None:
        make_folder(tmp_path)
        sent = {"target": "doc", "path": "docs/guide.md", "rationale": "My long reason.", "content": GUIDE}

        response = log_in(client, make_owner()).post(at("propose"), sent)

        assert response.status_code == 409
        assert "holds exactly this already" in response.text
        assert "My long reason." in response.text

    @pytest.mark.parametrize("path", ["../x", ".git/config", f"{TICKET}/item.md"])
    def test_says_why_a_path_is_refused(self, client: Client, tmp_path: Path, path: str) -> None:
        make_folder(tmp_path)

        response = log_in(client, make_owner()).get(at("propose"), {"target": "doc", "path": path})

        assert response.status_code == 422
        assert 'role="alert"' in response.text


class TestRevisePage:
    def test_starts_from_both_texts_after_a_conflict(self, client: Client, tmp_path: Path) -> None:
        workspace = make_folder(tmp_path)
        proposal = approve(propose(workspace, make_worker(workspace)))
        (tmp_path / "docs/guide.md").write_text(GUIDE.replace("does not start it", "never starts it"))
        services.apply_proposal(proposal, actor=make_owner(), now=NOON)
        log_in(client, make_owner())

        page = client.get(at("revise", proposal.public_id)).text
        sent = {"content": "<<<<<<< proposed\nx\n", "rationale": "Same.", "version": proposal.version}
        refused = client.post(at("revise", proposal.public_id), sent)
        done = client.post(at("revise", proposal.public_id), sent | {"content": "Both.\n", "note": "Merged."})

        assert "&lt;&lt;&lt;&lt;&lt;&lt;&lt; proposed" in page
        assert refused.status_code == 422
        assert "decide each of them" in refused.text
        assert done.status_code == 302
        proposal.refresh_from_db()
        assert (proposal.state, proposal.revision, proposal.content) == ("proposed", 2, "Both.\n")


class TestExportPage:
    def test_shows_every_byte_then_writes_it(self, client: Client, tmp_path: Path) -> None:
        shoebox = make_argued_shoebox(make_folder(tmp_path), task="ticket:00001KX6WVNPD")
        log_in(client, make_owner())

        page = client.get(at("export", shoebox.public_id)).text
        plan = services.plan_export(shoebox)
        sent = {"path": [file.path for file in plan], "digest": [file.digest for file in plan], "folder": ""}
        response = client.post(at("export", shoebox.public_id), sent, follow=True)

        assert "2 files would be written" in page
        assert all(file.path in page for file in plan)
        assert "# Does declaring a server start it?" in page
        assert (tmp_path / plan[0].path).read_text() == plan[0].content
        assert "2 files written to" in response.text
        assert "The workspace holds exactly this already" in response.text

    def test_asks_for_a_folder(self, client: Client, tmp_path: Path) -> None:
        shoebox = make_argued_shoebox(make_folder(tmp_path))

        text = log_in(client, make_owner()).get(at("export", shoebox.public_id)).text

        assert "Where should the artifact go?" in text
        assert "docs/evidence" in text

    def test_shows_the_plan_anew_when_it_changed(self, client: Client, tmp_path: Path) -> None:
        shoebox = make_argued_shoebox(make_folder(tmp_path), task="ticket:00001KX6WVNPD")
        plan = services.plan_export(shoebox)
        Shoebox.objects.filter(pk=shoebox.pk).update(question="Another question?")
        sent = {"path": [file.path for file in plan], "digest": [file.digest for file in plan]}

        response = log_in(client, make_owner()).post(at("export", shoebox.public_id), sent)

        assert response.status_code == 409
        assert "no longer what you saw" in response.text
        assert "# Another question?" in response.text
        assert not Export.objects.exists()

    def test_undoes_an_export(self, client: Client, tmp_path: Path) -> None:
        shoebox = make_argued_shoebox(make_folder(tmp_path), task="ticket:00001KX6WVNPD")
        seen = {file.path: file.digest for file in services.plan_export(shoebox)}
        export = services.export_artifact(shoebox, seen=seen, actor=make_owner(), now=NOON)

        response = log_in(client, make_owner()).post(at("undo_export", export.public_id), follow=True)

        assert "the files are as they were before" in response.text
        assert not list(tmp_path.rglob("shoebox-*"))

    def test_shows_a_member_the_plan_without_the_button(self, client: Client, tmp_path: Path) -> None:
        workspace = make_folder(tmp_path)
        shoebox = make_argued_shoebox(workspace, task="ticket:00001KX6WVNPD")

        text = log_in(client, make_person(workspace, role="member")).get(at("export", shoebox.public_id)).text

        assert "2 files would be written" in text
        assert ">Write 2 files</button>" not in text

    def test_shows_what_stands_there_against_what_would(self, client: Client, tmp_path: Path) -> None:
        shoebox = make_argued_shoebox(make_folder(tmp_path), task="ticket:00001KX6WVNPD")
        (tmp_path / services.plan_export(shoebox)[0].path).write_text("My own notes.\n")

        text = log_in(client, make_owner()).get(at("export", shoebox.public_id)).text

        assert "Somebody changed this file by hand" in text
        assert "My own notes." in text
