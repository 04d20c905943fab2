"""Proposals and artifacts over JSON: what a Worker may, what only people may, and the shapes of the answers."""

from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from tests.factories import NOON, make_owner, make_token, make_worker, make_workspace
from tests.products.making import BETTER, GUIDE, approve, make_argued_shoebox, make_folder, propose
from yoimemory.products import services
from yoimemory.products.models import Proposal
from yoimemory.sources.models import Workspace
from yoimemory.sources.opener import digest_of

pytestmark = pytest.mark.django_db
API = "/api/v1"


def bearer(workspace: Workspace, scope: str = "propose") -> dict[str, str]:
    return {"Authorization": f"Bearer {make_token(workspace, scope, name=f'api {scope}')[1]}"}


def person(client: Client) -> Client:
    owner = make_owner()
    assert owner.user is not None
    client.force_login(owner.user)
    return client


def body(**kwargs: Any) -> dict[str, Any]:
    return {
        "target": "doc", "path": "docs/guide.md", "content": BETTER, "rationale": "It was built.", **kwargs,
    }  # fmt: skip


class TestProposeCandidate:
    def test_answers_created_with_its_address(self, client: Client, tmp_path: Path) -> None:
        workspace = make_folder(tmp_path)

        response = client.post(f"{API}/proposals", body(), content_type="application/json", headers=bearer(workspace))

        out = response.json()
        assert response.status_code == 201
        assert response["Location"] == f"{API}/proposals/{out['id']}"
        assert response["ETag"] == '"1"'
        assert (out["state"], out["base_digest"], out["base_state"]) == (
            "proposed", digest_of(GUIDE.encode()), "current",
        )  # fmt: skip
        assert out["diff"].startswith("--- a/docs/guide.md\n")

    @pytest.mark.parametrize(
        ("change", "status", "code"),
        [
            ({"path": "../x"}, 422, "not_a_place"),
            ({"path": ".git/config"}, 422, "not_a_place"),
            ({"content": GUIDE}, 409, "nothing_to_change"),
            ({"base_digest": "0" * 64}, 409, "base_changed"),
            ({"target": "sonnet"}, 422, "bad_input"),
            ({"priority": 1}, 422, "bad_input"),
            ({"evidence": ["evidence:01M8PF394A192NK7241Z0S13QC"]}, 404, "not_found"),
            ({"shoebox": "shoebox:01M8PF394A192NK7241Z0S13QC"}, 404, "not_found"),
        ],
    )
    def test_refuses_with_the_one_shape(
        self, client: Client, tmp_path: Path, change: dict[str, Any], status: int, code: str
    ) -> None:
        workspace = make_folder(tmp_path)

        response = client.post(
            f"{API}/proposals", body(**change), content_type="application/json", headers=bearer(workspace)
        )

        assert (response.status_code, response.json()["code"]) == (status, code)
        assert set(response.json()) == {"code", "message", "hint", "fields", "request_id"}

    def test_needs_more_than_a_reading_token(self, client: Client, tmp_path: Path) -> None:
        workspace = make_folder(tmp_path)

        response = client.post(
            f"{API}/proposals", body(), content_type="application/json", headers=bearer(workspace, "read")
        )

        assert response.status_code == 403
        assert not Proposal.objects.exists()


class TestPeopleOnly:
    @pytest.mark.parametrize("step", ["review", "apply", "revert"])
    def test_is_refused_to_every_token(self, client: Client, tmp_path: Path, step: str) -> None:
        workspace = make_folder(tmp_path)
        proposal = approve(propose(workspace, make_worker(workspace)))
        sent = {"verdict": "approve", "confirmed": True} if step == "review" else {}

        response = client.post(
            f"{API}/proposals/{proposal.public_id}/{step}", sent, content_type="application/json",
            headers={**bearer(workspace), "If-Match": f'"{proposal.version}"'},
        )  # fmt: skip

        assert response.status_code == 403
        assert (tmp_path / "docs/guide.md").read_text() == GUIDE

    def test_closes_the_loop_by_session(self, client: Client, tmp_path: Path) -> None:
        workspace = make_folder(tmp_path)
        proposal = propose(workspace, make_worker(workspace))
        address, version = f"{API}/proposals/{proposal.public_id}", f'"{proposal.version}"'
        person(client)

        for step, sent in (("review", {"verdict": "approve"}), ("apply", {}), ("revert", {"reason": "Wrong."})):
            response = client.post(
                f"{address}/{step}", sent, content_type="application/json", headers={"If-Match": version}
            )
            assert response.status_code == 200, response.text
            version = response["ETag"]

        assert response.json()["state"] == "reverted"
        assert [writing["state"] for writing in response.json()["writings"]] == ["undone"]
        assert (tmp_path / "docs/guide.md").read_text() == GUIDE

    @pytest.mark.parametrize(("header", "status"), [({}, 428), ({"If-Match": '"9"'}, 412)])
    def test_names_the_version_it_read(
        self, client: Client, tmp_path: Path, header: dict[str, str], status: int
    ) -> None:
        workspace = make_folder(tmp_path)
        proposal = propose(workspace, make_worker(workspace))

        response = person(client).post(
            f"{API}/proposals/{proposal.public_id}/review", {"verdict": "approve"}, content_type="application/json",
            headers=header,
        )  # fmt: skip

        assert response.status_code == status

    def test_answers_a_conflict_and_keeps_it(self, client: Client, tmp_path: Path) -> None:
        workspace = make_folder(tmp_path)
        proposal = approve(propose(workspace, make_worker(workspace)))
        (tmp_path / "docs/guide.md").write_text("Mine.\n")

        response = person(client).post(
            f"{API}/proposals/{proposal.public_id}/apply", {}, content_type="application/json",
            headers={"If-Match": f'"{proposal.version}"'},
        )  # fmt: skip

        assert (response.status_code, response.json()["code"]) == (409, "base_changed")
        assert Proposal.objects.get().state == "conflict"


class TestWorkersOwnSteps:
    def test_revises_rebases_and_withdraws_its_own(self, client: Client, tmp_path: Path) -> None:
        workspace = make_folder(tmp_path)
        headers = bearer(workspace)
        made = client.post(f"{API}/proposals", body(), content_type="application/json", headers=headers)
        address, version = made["Location"], made["ETag"]

        def step(name: str, sent: dict[str, Any]) -> Any:
            nonlocal version
            answer = client.post(
                f"{address}/{name}", sent, content_type="application/json", headers={**headers, "If-Match": version}
            )
            version = answer["ETag"]
            return answer.json()

        revised = step("revise", {"rationale": "Said better.", "note": "Shorter."})
        (tmp_path / "docs/guide.md").write_text(GUIDE.replace("End.", "The end."))
        rebased = step("rebase", {})
        withdrawn = step("withdraw", {"reason": "Not needed."})

        assert (revised["revision"], revised["rationale"]) == (2, "Said better.")
        assert "The end." in rebased["content"]
        assert withdrawn["state"] == "withdrawn"


class TestListProposals:
    def test_narrows_and_pages(self, client: Client, tmp_path: Path) -> None:
        workspace = make_folder(tmp_path)
        for number in range(3):
            propose(workspace, make_worker(workspace), content=f"{number}\n")
        services.withdraw_proposal(Proposal.objects.earliest("pk"), actor=make_owner(), now=NOON)
        headers = bearer(workspace, "read")

        first = client.get(f"{API}/proposals?state=proposed&limit=1", headers=headers).json()
        second = client.get(
            f"{API}/proposals?state=proposed&limit=1&cursor={first['next_cursor']}", headers=headers
        ).json()

        assert (first["total"], first["truncated"], second["truncated"]) == (2, True, False)
        assert [one["content"] for one in first["items"] + second["items"]] == ["2\n", "1\n"]

    def test_refuses_unknown_parameters(self, client: Client, tmp_path: Path) -> None:
        workspace = make_folder(tmp_path)

        for query in ("colour=red", "state=lost", "limit=0"):
            response = client.get(f"{API}/proposals?{query}", headers=bearer(workspace, "read"))
            assert response.status_code == 422

    def test_takes_as_many_queries_for_twice_the_rows(self, client: Client, tmp_path: Path) -> None:
        workspace = make_folder(tmp_path)
        shoebox = make_argued_shoebox(workspace)
        headers = bearer(workspace, "read")

        counts = []
        for batch in range(2):
            for number in range(3):
                propose(
                    workspace, make_worker(workspace), content=f"{batch}{number}\n", shoebox=str(shoebox.ref),
                    evidence=[str(shoebox.evidence.earliest("pk").ref)],
                )  # fmt: skip
            client.get(f"{API}/proposals", headers=headers)
            with CaptureQueriesContext(connection) as queries:
                client.get(f"{API}/proposals", headers=headers)
            counts.append(len(queries))

        assert counts[0] == counts[1]


class TestShowProposal:
    def test_is_not_there_for_another_workspaces_token(self, client: Client, tmp_path: Path) -> None:
        workspace = make_folder(tmp_path)
        proposal = propose(workspace, make_worker(workspace))

        response = client.get(f"{API}/proposals/{proposal.public_id}", headers=bearer(make_workspace("/else"), "read"))

        assert response.status_code == 404

    def test_is_not_there_for_its_reader_in_another_workspace(self, client: Client, tmp_path: Path) -> None:
        workspace, other = make_folder(tmp_path), make_workspace(slug="other")
        proposal = propose(workspace, make_owner("elsewhere"))
        reader = person(client)

        assert reader.get(f"{API}/proposals/{proposal.public_id}?workspace={workspace.slug}").status_code == 200
        assert reader.get(f"{API}/proposals/{proposal.public_id}?workspace={other.slug}").status_code == 404

    def test_carries_its_caveats(self, client: Client, tmp_path: Path) -> None:
        workspace = make_folder(tmp_path)
        proposal = propose(workspace, make_worker(workspace), content=GUIDE + "\u202e\n")
        (tmp_path / "docs/guide.md").write_text("Mine.\n")

        out = client.get(f"{API}/proposals/{proposal.public_id}", headers=bearer(workspace, "read")).json()

        assert out["base_state"] == "moved"
        assert out["caveats"] == [
            "docs/guide.md was changed since this was proposed.",
            "The new content holds 1 character that a reader cannot see.",
        ]


class TestExportArtifact:
    def test_reads_the_whole_shoebox(self, client: Client, tmp_path: Path) -> None:
        workspace = make_folder(tmp_path)
        shoebox = make_argued_shoebox(workspace)

        response = client.get(f"{API}/shoeboxes/{shoebox.public_id}/artifact", headers=bearer(workspace, "read"))

        out = response.json()
        assert out["schema"] == "yoimemory-artifact/1"
        assert out["shoebox"]["ref"] == str(shoebox.ref)
        assert len(out["evidence"]) == 2
        assert not list(tmp_path.rglob("shoebox-*"))

    def test_is_not_there_for_another_workspaces_token(self, client: Client, tmp_path: Path) -> None:
        shoebox = make_argued_shoebox(make_folder(tmp_path))

        response = client.get(
            f"{API}/shoeboxes/{shoebox.public_id}/artifact", headers=bearer(make_workspace("/else"), "read")
        )

        assert response.status_code == 404
