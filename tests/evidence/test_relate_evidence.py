"""Words and relations about a quote may change, each with its author; the quote never does."""

import pytest

from evidence.models import Evidence
from evidence.services import (
    BadTarget,
    EvidenceEnded,
    NoRelation,
    NotYours,
    explain_evidence,
    relate_evidence,
    unrelate_evidence,
)
from tests.evidence.conftest import Desk
from tests.factories import NOON, make_evidence, make_hypothesis
from yoimemory.errors import BadInput, StaleVersion
from yoimemory.journal.models import Change
from yoimemory.refs import SourceRef

pytestmark = pytest.mark.django_db


class TestRelateEvidence:
    @pytest.mark.parametrize("relation", ["supports", "refutes", "contextualizes"])
    def test_sets_each_relation_alike(self, desk: Desk, relation: str) -> None:
        evidence, hypothesis = make_evidence(desk.shoebox), make_hypothesis(desk.shoebox)

        relate_evidence(evidence, target=hypothesis.ref, relation=relation, actor=desk.reviewer, now=NOON)

        assert [(r.target, r.relation) for r in evidence.relations.all()] == [(str(hypothesis.ref), relation)]
        assert evidence.version == 2
        assert Change.objects.get(subject=str(evidence.ref)).verb == "evidence-related"

    def test_changes_the_relation_and_keeps_the_former_in_the_history(self, desk: Desk) -> None:
        evidence, target = make_evidence(desk.shoebox), desk.shoebox.ref
        relate_evidence(evidence, target=target, relation="supports", actor=desk.reviewer, now=NOON)

        relate_evidence(evidence, target=target, relation="refutes", actor=desk.reviewer, now=NOON)

        assert evidence.relations.get().relation == "refutes"
        assert Change.objects.order_by("-pk")[0].before["relation"] == "supports"

    def test_takes_a_relation_back(self, desk: Desk) -> None:
        evidence = make_evidence(desk.shoebox)
        relate_evidence(evidence, target=desk.shoebox.ref, relation="supports", actor=desk.reviewer, now=NOON)

        unrelate_evidence(evidence, target=desk.shoebox.ref, actor=desk.reviewer, now=NOON)

        assert not evidence.relations.exists()
        with pytest.raises(NoRelation):
            unrelate_evidence(evidence, target=desk.shoebox.ref, actor=desk.reviewer, now=NOON)

    @pytest.mark.parametrize("target", ["doc:docs/a.md", "shoebox:01JD0000000000000000000000"])
    def test_refuses_a_target_that_nothing_bears_on(self, desk: Desk, target: str) -> None:
        with pytest.raises(BadTarget):
            relate_evidence(
                make_evidence(desk.shoebox),
                target=SourceRef.parse(target),
                relation="supports",
                actor=desk.reviewer,
                now=NOON,
            )

    def test_refuses_an_unknown_relation(self, desk: Desk) -> None:
        with pytest.raises(BadInput, match="no relation"):
            relate_evidence(
                make_evidence(desk.shoebox), target=desk.shoebox.ref, relation="proves", actor=desk.reviewer, now=NOON
            )

    def test_lets_a_worker_word_its_own_suggestion_but_nothing_accepted(self, desk: Desk) -> None:
        own = make_evidence(desk.shoebox, made_by=desk.worker)
        accepted = make_evidence(desk.shoebox, made_by=desk.worker, state=Evidence.State.ACCEPTED)

        relate_evidence(own, target=desk.shoebox.ref, relation="supports", actor=desk.worker, now=NOON)

        with pytest.raises(NotYours):
            relate_evidence(accepted, target=desk.shoebox.ref, relation="supports", actor=desk.worker, now=NOON)

    def test_leaves_ended_evidence_as_it_was(self, desk: Desk) -> None:
        ended = make_evidence(desk.shoebox, state=Evidence.State.RETIRED, state_reason="Over.")

        with pytest.raises(EvidenceEnded):
            relate_evidence(ended, target=desk.shoebox.ref, relation="supports", actor=desk.reviewer, now=NOON)


class TestExplainEvidence:
    def test_edits_words_and_names_their_author(self, desk: Desk) -> None:
        evidence = make_evidence(desk.shoebox, made_by=desk.worker)

        explain_evidence(evidence, actor=desk.reviewer, now=NOON, version=1, why="Better said.", summary="In short.")

        evidence.refresh_from_db()
        assert (evidence.why, evidence.summary) == ("Better said.", "In short.")
        assert evidence.provenance == {"why_by": "rin", "summary_by": "rin"}
        assert evidence.state == "suggested"

    def test_accepts_a_reviewers_own_draft_once_it_says_why(self, desk: Desk) -> None:
        draft = make_evidence(desk.shoebox, made_by=desk.reviewer, state=Evidence.State.DRAFT, why="")

        explain_evidence(draft, actor=desk.reviewer, now=NOON, why="It is the rule.")

        assert draft.state == "accepted"
        assert draft.reviews.get().verdict == "accept"

    def test_suggests_a_members_draft_once_it_says_why(self, desk: Desk) -> None:
        draft = make_evidence(desk.shoebox, made_by=desk.member, state=Evidence.State.DRAFT, why="")

        explain_evidence(draft, actor=desk.member, now=NOON, why="It is the rule.")

        assert draft.state == "suggested"

    def test_suggests_again_what_needed_a_change(self, desk: Desk) -> None:
        sent_back = make_evidence(
            desk.shoebox, made_by=desk.worker, state=Evidence.State.NEEDS_CHANGE, state_reason="Say more."
        )

        explain_evidence(sent_back, actor=desk.worker, now=NOON, why="Said more.")

        assert (sent_back.state, sent_back.state_reason) == ("suggested", "")

    def test_never_touches_the_anchor(self, desk: Desk) -> None:
        evidence = make_evidence(desk.shoebox)
        before = {name: getattr(evidence, name) for name in ("quote", "start", "revision", "text_digest")}

        explain_evidence(evidence, actor=desk.reviewer, now=NOON, why="New.", scope={"text": "until July"})

        evidence.refresh_from_db()
        assert before == {name: getattr(evidence, name) for name in before}

    def test_changes_nothing_when_nothing_is_new(self, desk: Desk) -> None:
        evidence = make_evidence(desk.shoebox)

        explain_evidence(evidence, actor=desk.reviewer, now=NOON, why=evidence.why)

        assert evidence.version == 1

    def test_keeps_a_why_on_what_is_accepted(self, desk: Desk) -> None:
        accepted = make_evidence(desk.shoebox, state=Evidence.State.ACCEPTED)

        with pytest.raises(BadInput, match="says why"):
            explain_evidence(accepted, actor=desk.reviewer, now=NOON, why=" ")

    def test_refuses_a_version_that_is_behind(self, desk: Desk) -> None:
        evidence = make_evidence(desk.shoebox)
        explain_evidence(evidence, actor=desk.reviewer, now=NOON, why="First.")

        with pytest.raises(StaleVersion):
            explain_evidence(evidence, actor=desk.reviewer, now=NOON, why="Second.", version=1)

    def test_is_for_those_whose_words_they_are(self, desk: Desk) -> None:
        with pytest.raises(NotYours):
            explain_evidence(make_evidence(desk.shoebox), actor=desk.member, now=NOON, why="Mine now.")
