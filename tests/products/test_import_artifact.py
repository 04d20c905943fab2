"""Taking an artifact in: the same records, nothing that was changed on the way, nothing judged elsewhere."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evidence.models import Evidence
from evidence.schemas import EvidenceDraft
from evidence.services import extract_evidence, review_evidence
from hypotheses.schemas import EvidenceRelation, HypothesisDraft, RepresentationDraft
from hypotheses.services import create_representation, decide_hypothesis, propose_hypothesis
from shoebox.models import Shoebox
from shoebox.schemas import ItemDraft, ShoeboxDraft
from shoebox.services import add_items, create_shoebox, screen_items
from tests.factories import NOON, make_owner, make_person, make_token, make_worker, make_workspace
from tests.products.making import GUIDE, make_folder
from yoimemory.access.models import Actor
from yoimemory.errors import Forbidden
from yoimemory.products import services
from yoimemory.products.artifact import artifact_of, as_json, digest_of_json
from yoimemory.products.models import Import
from yoimemory.sources.models import Workspace

pytestmark = pytest.mark.django_db
LINES = [line for line in GUIDE.split("\n") if len(line) > 32]


def make_case(workspace: Workspace, actor: Actor) -> Shoebox:
    """A shoebox made by the verbs alone: items, quotes for and against, a decided claim, a timeline."""
    draft = ShoeboxDraft(question="Does declaring start it?", task="ticket:00001KX6WVNPD", gather=False)
    shoebox = create_shoebox(draft, workspace=workspace, actor=actor, now=NOON)
    items = add_items(
        shoebox,
        [
            ItemDraft(ref="doc:docs/guide.md", rationale="The guide.", leaning="likely contradicts"),
            ItemDraft(ref="ticket:00001KX6WVNPD", rationale="The ticket."),
        ],
        actor=actor,
        now=NOON,
    )
    screen_items(items[1:], screening="set aside", reason="Says nothing.", actor=actor, now=NOON)
    found = extract_evidence(
        shoebox,
        [
            EvidenceDraft(
                ref="doc:docs/guide.md", quote="Declaring a server does not start it.", relation="refutes",
                why="It is the rule.", summary="Says no.", inference="So it is safe.", basis="witnessed",
            ),
            EvidenceDraft(ref="doc:docs/guide.md#L3", kind="summary", summary="Only one rule is given.", why="Scope."),
        ],
        actor=actor, now=NOON,
    )  # fmt: skip
    first, second = found.stored
    claim = propose_hypothesis(
        HypothesisDraft(
            shoebox=str(shoebox.ref), claim="It starts nothing.", open_questions=["Since when?"], threshold="Two.",
            relations=[
                EvidenceRelation(evidence=str(first.ref), relation="supports"),
                EvidenceRelation(evidence=str(second.ref), relation="contextualizes"),
            ],
        ),
        workspace=workspace, actor=actor, now=NOON,
    )  # fmt: skip
    decide_hypothesis(
        claim, after="accepted", reason="Clear enough.", actor=actor, now=NOON, confirmed=True, override=True
    )
    create_representation(
        RepresentationDraft(kind="timeline", shoebox=str(shoebox.ref)), workspace=workspace, actor=actor, now=NOON
    )
    return shoebox


def words_of(shoebox: Shoebox) -> dict[str, Any]:
    """What an artifact says apart from ids, people, times and verdicts, which are this place's own."""
    said = artifact_of(shoebox)
    names = {one.ref: f"e{number}" for number, one in enumerate(said.evidence, 1)}
    names |= {one.ref: f"H{one.number}" for one in said.hypotheses} | {said.shoebox.ref: "question"}
    return {
        "question": said.shoebox.question,
        "task": said.shoebox.task,
        "items": [(one.ref, one.rationale, one.leaning, one.screening, one.screening_reason) for one in said.items],
        "evidence": [
            (
                one.kind, one.source_ref, one.quote, one.summary, one.inference, one.why, one.basis,
                one.anchor.model_dump(), sorted((names[each.target], each.relation) for each in one.relations),
            )
            for one in said.evidence
        ],
        "hypotheses": [(one.number, one.claim, one.open_questions, one.threshold) for one in said.hypotheses],
        "timelines": [
            [(row["label"], [names.get(ref, ref) for ref in row["refs"]]) for row in one.body["rows"]]
            for one in said.representations
        ],
    }  # fmt: skip


class TestImportArtifact:
    def test_gives_the_same_records_elsewhere(self, tmp_path: Path) -> None:
        here, there, owner = make_folder(tmp_path / "a"), make_folder(tmp_path / "b"), make_owner()
        shoebox = make_case(here, owner)

        taken = services.import_artifact(as_json(artifact_of(shoebox)), workspace=there, actor=owner, now=NOON)

        assert (taken.known, taken.foreign, taken.refused) == (False, True, [])
        assert words_of(taken.shoebox) == words_of(shoebox)

    def test_lets_nothing_judged_there_stand_here(self, tmp_path: Path) -> None:
        here, there, owner = make_folder(tmp_path / "a"), make_folder(tmp_path / "b"), make_owner()
        shoebox = make_case(here, owner)
        assert shoebox.evidence.accepted().exists()

        taken = services.import_artifact(as_json(artifact_of(shoebox)), workspace=there, actor=owner, now=NOON)

        assert {one.state for one in taken.shoebox.evidence.all()} == {"suggested"}
        assert {one.status for one in taken.shoebox.hypotheses.all()} == {"proposed"}
        caveat = next(one for one in artifact_of(taken.shoebox).evidence[0].caveats if one.startswith("Imported"))
        assert caveat.startswith("Imported from evidence:")
        assert "accepted there, which binds nobody here" in caveat

    def test_keeps_the_file_as_it_came(self, tmp_path: Path) -> None:
        here, there, owner = make_folder(tmp_path / "a"), make_folder(tmp_path / "b"), make_owner()
        text = as_json(artifact_of(make_case(here, owner)))

        services.import_artifact(text, workspace=there, actor=owner, now=NOON)

        row = Import.objects.get()
        assert (row.content, row.origin_workspace) == (text, here.slug)
        assert "Clear enough." in row.content

    def test_gives_the_same_shoebox_twice(self, tmp_path: Path) -> None:
        here, there, owner = make_folder(tmp_path / "a"), make_folder(tmp_path / "b"), make_owner()
        text = as_json(artifact_of(make_case(here, owner)))

        first = services.import_artifact(text, workspace=there, actor=owner, now=NOON)
        second = services.import_artifact(text, workspace=there, actor=owner, now=NOON)

        assert (second.shoebox, second.known) == (first.shoebox, True)
        assert Shoebox.objects.in_workspace(there).count() == 1

    def test_knows_what_was_made_here(self, tmp_path: Path) -> None:
        here, owner = make_folder(tmp_path), make_owner()
        shoebox = make_case(here, owner)

        taken = services.import_artifact(as_json(artifact_of(shoebox)), workspace=here, actor=owner, now=NOON)

        assert (taken.shoebox, taken.known, taken.foreign) == (shoebox, True, False)
        assert not Import.objects.exists()

    def test_is_no_foreigner_in_the_same_workspace_on_another_machine(self, tmp_path: Path) -> None:
        here, there, owner = make_folder(tmp_path / "a"), make_folder(tmp_path / "b"), make_owner()
        for workspace in (here, there):
            workspace.workspace_id = "0190"
            workspace.save(update_fields=["workspace_id"])

        taken = services.import_artifact(
            as_json(artifact_of(make_case(here, owner))), workspace=there, actor=owner, now=NOON
        )

        assert not taken.foreign

    @pytest.mark.parametrize(
        ("old", "new"),
        [
            ("does not start it", "does start it"),
            ('"state": "accepted"', '"state": "rejected"'),
            ("It starts nothing.", "It starts everything."),
            ('"digest": "sha256:', '"digest": "sha256:0'),
        ],
    )
    def test_refuses_what_was_changed_on_the_way(self, tmp_path: Path, old: str, new: str) -> None:
        here, there, owner = make_folder(tmp_path / "a"), make_folder(tmp_path / "b"), make_owner()
        text = as_json(artifact_of(make_case(here, owner)))
        assert old in text

        with pytest.raises(services.Tampered, match="was changed after it was made"):
            services.import_artifact(text.replace(old, new, 1), workspace=there, actor=owner, now=NOON)

        assert not Shoebox.objects.in_workspace(there).exists()

    def test_proves_every_quote_anew(self, tmp_path: Path) -> None:
        here, there, owner = make_folder(tmp_path / "a"), make_folder(tmp_path / "b"), make_owner()
        text = as_json(artifact_of(make_case(here, owner)))
        raw = json.loads(text)
        raw["evidence"][0]["quote"] = "Declaring a server starts everything at once."
        forged = json.dumps({**raw, "digest": digest_of_json(raw)})

        taken = services.import_artifact(forged, workspace=there, actor=owner, now=NOON)

        assert [one["code"] for one in taken.refused if one["what"] == "evidence"] == ["not_found"]
        assert not taken.shoebox.evidence.filter(kind="quote").exists()

    def test_survives_a_forged_claim_and_question(self, tmp_path: Path) -> None:
        here, there, owner = make_folder(tmp_path / "a"), make_folder(tmp_path / "b"), make_owner()
        raw = json.loads(as_json(artifact_of(make_case(here, owner))))
        raw["hypotheses"][0]["claim"] = "?"
        claim = json.dumps({**raw, "digest": digest_of_json(raw)})
        raw["shoebox"]["question"] = ""
        question = json.dumps({**raw, "digest": digest_of_json(raw)})

        taken = services.import_artifact(claim, workspace=there, actor=owner, now=NOON)
        with pytest.raises(services.NotAnArtifact, match="question"):
            services.import_artifact(question, workspace=there, actor=owner, now=NOON)

        assert "hypothesis" in {one["what"] for one in taken.refused}

    def test_names_what_has_no_source_here(self, tmp_path: Path) -> None:
        here, owner = make_folder(tmp_path / "a"), make_owner()
        (tmp_path / "b").mkdir()
        there = make_workspace(tmp_path / "b")

        taken = services.import_artifact(
            as_json(artifact_of(make_case(here, owner))), workspace=there, actor=owner, now=NOON
        )

        assert {one["what"] for one in taken.refused} >= {"task", "item", "evidence"}
        assert taken.shoebox.task == ""
        assert taken.shoebox.hypotheses.count() == 1

    def test_leaves_out_what_was_rejected_there(self, tmp_path: Path) -> None:
        here, there, owner = make_folder(tmp_path / "a"), make_folder(tmp_path / "b"), make_owner()
        shoebox = make_case(here, owner)
        draft = EvidenceDraft(ref="ticket:00001KX6WVNPD", kind="summary", summary="A summary that is wrong.")
        worker = make_worker(here)
        [wrong] = extract_evidence(shoebox, [draft], actor=worker, now=NOON).stored
        review_evidence(wrong, verdict="reject", reason="It says no such thing.", actor=owner, now=NOON)

        taken = services.import_artifact(as_json(artifact_of(shoebox)), workspace=there, actor=owner, now=NOON)

        assert [one["code"] for one in taken.refused] == ["ended_there"]
        assert "It says no such thing." in taken.refused[0]["message"]

    @pytest.mark.parametrize("scope", ["read", "propose"])
    def test_is_open_to_workers_that_may_propose(self, tmp_path: Path, scope: str) -> None:
        here, there, owner = make_folder(tmp_path / "a"), make_folder(tmp_path / "b"), make_owner()
        text = as_json(artifact_of(make_case(here, owner)))
        worker = make_worker(there, scope=scope)

        if scope == "read":
            with pytest.raises(Forbidden):
                services.import_artifact(text, workspace=there, actor=worker, now=NOON)
            return
        taken = services.import_artifact(text, workspace=there, actor=worker, now=NOON)

        assert {one.came for one in taken.shoebox.items.all()} == {"proposed by a Worker"}
        assert {one.state for one in taken.shoebox.evidence.all()} == {"suggested"}

    def test_is_not_for_strangers(self, tmp_path: Path) -> None:
        here, owner = make_folder(tmp_path), make_owner()
        text = as_json(artifact_of(make_case(here, owner)))

        with pytest.raises(Forbidden):
            services.import_artifact(text, workspace=here, actor=make_person(make_workspace("/else")), now=NOON)


class TestReadArtifact:
    @pytest.mark.parametrize(
        "text",
        [
            "", "no json", "[]", "{}", '{"schema": "other/1"}', "1e999", '"\\ud800"', "[" * 100_000,
            '{"schema": "yoimemory-artifact/1"}',
        ],
    )  # fmt: skip
    def test_refuses_what_is_none(self, text: str) -> None:
        with pytest.raises((services.NotAnArtifact, services.Tampered)):
            services.read_artifact(text)

    def test_says_where_a_newer_form_differs(self) -> None:
        raw = {"schema": "yoimemory-artifact/2", "shoebox": {}}
        text = json.dumps({**raw, "digest": digest_of_json(raw)})

        with pytest.raises(services.NotAnArtifact, match="yoimemory-artifact/2"):
            services.read_artifact(text)

    @settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(st.recursive(st.none() | st.booleans() | st.text(), lambda inner: st.dictionaries(st.text(), inner)))
    def test_never_raises_anything_else(self, value: Any) -> None:
        raw = {"schema": "yoimemory-artifact/1", "shoebox": value, "items": value}
        text = json.dumps({**raw, "digest": digest_of_json(raw)})

        with pytest.raises(services.NotAnArtifact):
            services.read_artifact(text)


class TestRoundTrip:
    @settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(
        why=st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=200),
        claim=st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=3, max_size=200),
        relation=st.sampled_from(["supports", "refutes", "contextualizes"]),
    )
    def test_keeps_every_word(self, tmp_path_factory: Any, why: str, claim: str, relation: str) -> None:
        root, owner = tmp_path_factory.mktemp("trip"), make_owner()
        here, there = make_folder(root / "a"), make_folder(root / "b")
        draft = ShoeboxDraft(question="Does it?", gather=False)
        shoebox = create_shoebox(draft, workspace=here, actor=owner, now=NOON)
        quote = EvidenceDraft(ref="doc:docs/guide.md", quote=LINES[0], why=why, inference=claim)
        [evidence] = extract_evidence(shoebox, [quote], actor=owner, now=NOON).stored
        if len(claim.strip()) >= 3:
            named = [EvidenceRelation.model_validate({"evidence": str(evidence.ref), "relation": relation})]
            propose_hypothesis(
                HypothesisDraft(shoebox=str(shoebox.ref), claim=claim, relations=named), workspace=here, actor=owner,
                now=NOON,
            )  # fmt: skip

        taken = services.import_artifact(as_json(artifact_of(shoebox)), workspace=there, actor=owner, now=NOON)

        assert taken.refused == []
        assert words_of(taken.shoebox) == words_of(shoebox)
        assert Evidence.objects.in_shoebox(taken.shoebox).count() == 1


class TestImportPage:
    def test_takes_a_file_of_the_workspace_and_shows_what_became_of_it(self, client: Client, tmp_path: Path) -> None:
        here, there, owner = make_folder(tmp_path / "a"), make_folder(tmp_path / "b"), make_owner()
        (tmp_path / "b/docs/box.json").write_text(as_json(artifact_of(make_case(here, owner))))
        assert owner.user is not None
        client.force_login(owner.user)
        address = f"{reverse('products:import')}?workspace={there.slug}"

        response = client.post(address, {"path": "docs/box.json"}, follow=True)

        assert "Taken in" in response.text
        assert "What was decided there" in response.text
        assert "Clear enough." in response.text
        assert Import.objects.get().shoebox.workspace == there

    @pytest.mark.parametrize(
        ("sent", "status", "says"),
        [
            ({}, 422, "one of the two"),
            ({"text": "no json"}, 422, "This is not JSON."),
            ({"path": "docs/none.json"}, 422, "no file of this name"),
            ({"path": "../../etc/passwd"}, 422, "not a path of the workspace"),
        ],
    )
    def test_says_what_is_wrong(
        self, client: Client, tmp_path: Path, sent: dict[str, str], status: int, says: str
    ) -> None:
        make_folder(tmp_path)
        owner = make_owner()
        assert owner.user is not None
        client.force_login(owner.user)

        response = client.post(reverse("products:import"), sent)

        assert response.status_code == status
        assert says in response.text

    def test_is_not_there_for_people_of_other_workspaces(self, client: Client, tmp_path: Path) -> None:
        here, there, owner = make_folder(tmp_path / "a"), make_folder(tmp_path / "b"), make_owner()
        services.import_artifact(as_json(artifact_of(make_case(here, owner))), workspace=there, actor=owner, now=NOON)
        stranger = make_person(here, role="member")
        assert stranger.user is not None
        client.force_login(stranger.user)

        response = client.get(reverse("products:imported", args=[Import.objects.get().public_id]))

        assert response.status_code == 404


class TestImportOverJson:
    def test_answers_created_then_known(self, client: Client, tmp_path: Path) -> None:
        here, there, owner = make_folder(tmp_path / "a"), make_folder(tmp_path / "b"), make_owner()
        headers = {"Authorization": f"Bearer {make_token(there)[1]}"}
        sent = {"artifact": json.loads(as_json(artifact_of(make_case(here, owner))))}

        first = client.post("/api/v1/artifacts", sent, content_type="application/json", headers=headers)
        second = client.post("/api/v1/artifacts", sent, content_type="application/json", headers=headers)

        assert (first.status_code, second.status_code) == (201, 200)
        assert first.json()["foreign"] is True
        assert first.json()["shoebox"] == second.json()["shoebox"]
        assert first["Location"] == f"/api/v1/shoeboxes/{first.json()['shoebox'].removeprefix('shoebox:')}"

    def test_refuses_a_changed_one(self, client: Client, tmp_path: Path) -> None:
        here, there, owner = make_folder(tmp_path / "a"), make_folder(tmp_path / "b"), make_owner()
        headers = {"Authorization": f"Bearer {make_token(there)[1]}"}
        artifact = json.loads(as_json(artifact_of(make_case(here, owner))))
        artifact["hypotheses"][0]["status"] = "rejected"

        response = client.post(
            "/api/v1/artifacts", {"artifact": artifact}, content_type="application/json", headers=headers
        )

        assert (response.status_code, response.json()["code"]) == (409, "tampered")
