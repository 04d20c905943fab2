"""The tools by which a Worker offers something; none of them decides anything."""

import pytest

from evidence.models import Evidence
from hypotheses.models import Hypothesis
from shoebox.models import Shoebox
from tests.factories import make_evidence
from tests.mcp.conftest import MODES, House, Worker
from tests.shoebox.folder import FIRST, RULE, TASK
from yoimemory.access.models import Actor
from yoimemory.markers.models import Marker
from yoimemory.products.models import Impact, Proposal

pytestmark = pytest.mark.django_db

QUOTE = "Unresolved `depends_on` and incoming `blocks` are acceptance blockers"


@pytest.mark.parametrize("mode", MODES)
class TestCreateShoebox:
    def test_gathers_and_answers_with_what_it_holds(self, house: House, mode: str) -> None:
        worker = Worker(house.proposer.secret, mode)

        result = worker.call("create_shoebox", question="May the skills ticket start now?", task=f"ticket:{TASK}")

        made = Shoebox.objects.get(public_id=result.structured_content["ref"].partition(":")[2])
        assert made.items.count() > 0
        assert result.content[0].text.endswith(str(made.ref))
        assert made.opened_by.run == "run-7"

    def test_adds_refs_to_one_that_stands(self, house: House, mode: str) -> None:
        worker = Worker(house.proposer.secret, mode)

        text = worker.text(
            "create_shoebox", shoebox=str(house.shoebox.ref), refs=["doc:docs/rules.md"], why="The rule."
        )

        assert "doc:docs/rules.md@" in text
        assert text.endswith(str(house.shoebox.ref))

    def test_gathers_again_and_tells_only_what_is_new_and_what_has_changed(self, house: House, mode: str) -> None:
        worker = Worker(house.proposer.secret, mode)
        box = worker.call("create_shoebox", question="May the skills ticket start now?").structured_content["ref"]

        nothing = worker.call("create_shoebox", shoebox=box)
        more = worker.call("create_shoebox", shoebox=box, queries=["colours of the panel"])

        assert nothing.content[0].text == f"Gathered again: 0 new, 0 changed since they were read.\n{box}"
        assert "\n  new: " in more.content[0].text
        assert "doc:docs/other.md" in [ref.partition("@")[0] for ref in more.structured_content["new"]]
        assert more.structured_content["changed"] == []

    def test_says_what_is_missing_to_add_refs(self, house: House, mode: str) -> None:
        worker = Worker(house.proposer.secret, mode)

        told = worker.refused("create_shoebox", shoebox=str(house.shoebox.ref), refs=["doc:docs/rules.md"])

        assert told["fields"] == {"why": "required"}


class TestExtractEvidence:
    def test_stores_exact_words_as_suggested(self, house: House) -> None:
        result = house.proposer.call(
            "extract_evidence", shoebox=str(house.shoebox.ref), ref="doc:docs/rules.md", quote=QUOTE,
            relation="refutes", why="It may not start.",
        )  # fmt: skip

        stored = Evidence.objects.get()
        assert stored.state == Evidence.State.SUGGESTED
        assert result.structured_content["stored"][0]["ref"] == str(stored.ref)
        assert result.content[0].text.endswith(str(stored.ref))

    def test_refuses_words_that_do_not_stand_there_with_the_nearest(self, house: House) -> None:
        text = house.proposer.text(
            "extract_evidence", shoebox=str(house.shoebox.ref), ref="doc:docs/rules.md",
            quote="Unresolved dependencies and blocks are acceptance blockers for a start",
        )  # fmt: skip

        assert "not_found" in text
        assert RULE[:40] in text
        assert not Evidence.objects.exists()

    def test_reports_bad_drafts_beside_good_ones(self, house: House) -> None:
        drafts = [{"ref": "doc:docs/rules.md", "quote": QUOTE}, {"ref": "doc:docs/rules.md", "quote": "Never said so."}]

        data = house.proposer.call("extract_evidence", shoebox=str(house.shoebox.ref), drafts=drafts).structured_content

        assert len(data["stored"]) == 1
        assert [one["index"] for one in data["refused"]] == [1]

    def test_takes_drafts_as_json_in_a_string(self, house: House) -> None:
        drafts = f'[{{"ref": "doc:docs/rules.md", "quote": "{QUOTE}"}}]'

        data = house.proposer.call("extract_evidence", shoebox=str(house.shoebox.ref), drafts=drafts).structured_content

        assert len(data["stored"]) == 1

    def test_names_an_unknown_field_of_a_draft(self, house: House) -> None:
        told = house.proposer.refused(
            "extract_evidence", shoebox=str(house.shoebox.ref), drafts=[{"ref": "doc:docs/rules.md", "words": QUOTE}]
        )

        assert told["fields"] == {"drafts.0.words": "unknown"}

    def test_guesses_no_name_that_is_only_distantly_alike(self, house: House) -> None:
        told = house.proposer.refused("mark_staleness", ref="doc:docs/rules.md")

        assert told["hint"].startswith("Known: ")
        assert told["fields"]["target"] == "Field required"

    def test_finds_passages_for_the_question_when_asked(self, house: House) -> None:
        house.proposer.text(
            "create_shoebox", shoebox=str(house.shoebox.ref), refs=["doc:docs/rules.md"], why="The rule."
        )

        data = house.proposer.call("extract_evidence", shoebox=str(house.shoebox.ref), suggest=True).structured_content

        assert len(data["stored"]) == Evidence.objects.filter(state=Evidence.State.SUGGESTED).count()

    def test_wants_one_draft_or_several(self, house: House) -> None:
        assert house.proposer.refused("extract_evidence", shoebox=str(house.shoebox.ref))["code"] == "bad_input"


class TestPropose:
    def test_a_hypothesis_starts_as_proposed(self, house: House) -> None:
        evidence = make_evidence(house.shoebox)

        text = house.proposer.text(
            "propose_hypothesis", shoebox=str(house.shoebox.ref), claim="It may not start.",
            supports=[str(evidence.ref)], open_questions=["Who decides?"],
            alternatives=[{"option": "Start at once", "reason": "A dependency is open."}],
        )  # fmt: skip

        made = Hypothesis.objects.get()
        assert made.status == Hypothesis.Status.PROPOSED
        assert f"for: {evidence.ref}" in text
        assert text.endswith(str(made.ref))

    def test_a_text_waits_for_a_person(self, house: House) -> None:
        text = house.proposer.text(
            "propose_candidate", target="doc", path="docs/rules.md", content="# Rules\n\nAsk first.\n",
            rationale="It is shorter.",
        )  # fmt: skip

        made = Proposal.objects.get()
        assert made.state == Proposal.State.PROPOSED
        assert "Ask first." in text
        assert text.endswith(str(made.ref))

    def test_a_representation_is_built_from_evidence(self, house: House) -> None:
        make_evidence(house.shoebox)

        text = house.proposer.text("create_representation", shoebox=str(house.shoebox.ref), kind="timeline")

        assert text.rsplit("\n", 1)[1].startswith("representation:")

    def test_a_marker_is_proposed_until_a_person_takes_it_over(self, house: House) -> None:
        text = house.proposer.text(
            "mark_staleness", target="memory:decision/start-queued", state="superseded", by_ref="doc:docs/rules.md",
            reason="The rule says otherwise.",
        )  # fmt: skip

        assert Marker.objects.get().status == Marker.Status.PROPOSED
        assert text.endswith("memory:decision/start-queued")

    def test_an_effect_is_claimed(self, house: House) -> None:
        data = house.proposer.call(
            "record_impact", subjects=[str(house.shoebox.ref)], product=f"ticket:{TASK}", kind="changed_plan"
        ).structured_content

        assert data["known"] == Impact.Known.CLAIMED

    def test_a_workers_run_is_recorded_on_what_it_does(self, house: House) -> None:
        house.proposer.text(
            "mark_staleness", target=f"ticket:{FIRST}", state="stale", reason="It was closed long ago."
        )  # fmt: skip

        assert Marker.objects.get().made_by == Actor.objects.get(run="run-7")


class TestIdempotencyKey:
    ARGUMENTS = {"target": f"ticket:{FIRST}", "state": "stale", "reason": "Closed.", "idempotency_key": "one"}

    def test_gives_a_retry_the_first_answer(self, house: House) -> None:
        first = house.proposer.text("mark_staleness", **self.ARGUMENTS)
        again = house.proposer.text("mark_staleness", **self.ARGUMENTS)

        assert again == first
        assert Marker.objects.count() == 1

    def test_refuses_the_key_for_another_change(self, house: House) -> None:
        house.proposer.text("mark_staleness", **self.ARGUMENTS)

        told = house.proposer.refused("mark_staleness", **{**self.ARGUMENTS, "reason": "Another."})

        assert told["code"] == "key_reused"

    def test_keeps_nothing_of_what_was_refused(self, house: House) -> None:
        house.proposer.refused("mark_staleness", **{**self.ARGUMENTS, "target": "nothing"})

        assert house.proposer.text("mark_staleness", **self.ARGUMENTS)


class TestScope:
    def test_read_lists_only_tools_that_read(self, house: House) -> None:
        names = [tool.name for tool in house.reader.tools()]

        assert names == ["search_sources", "open_source", "show_shoebox", "show_evidence", "list_records"]

    def test_read_may_not_call_what_it_does_not_see(self, house: House) -> None:
        told = house.reader.refused("create_shoebox", question="May it start?")

        assert told["code"] == "scope_missing"
        assert not Shoebox.objects.exclude(pk=house.shoebox.pk).exists()

    def test_a_client_may_give_up_writing(self, house: House) -> None:
        careful = Worker(house.proposer.secret, read_only=True)

        assert all(tool.annotations.read_only_hint for tool in careful.tools())
        assert careful.refused("create_shoebox", question="May it start?")["code"] == "scope_missing"
