"""Evidence comes in by one door: what passes the gate is stored, what does not is told why."""

import hashlib
import json
from typing import Any

import pytest

from evidence.gate import Refusal
from evidence.models import Evidence, Relation, Review
from evidence.schemas import EvidenceDraft, RelationDraft
from evidence.services import extract_evidence, review_evidence
from evidence.services.extraction import NoRole
from evidence.services.weighing import Scales, Weighed
from evidence.standing import caveats_of
from shoebox.models import Shoebox
from shoebox.services import ShoeboxNotOpen
from tests.evidence.conftest import Desk
from tests.evidence.repository import WORK_ITEMS
from tests.factories import NOON, make_hypothesis, make_item, make_person, make_shoebox, make_workspace
from yoimemory.access.models import Actor
from yoimemory.journal.models import Change
from yoimemory.refs import SourceRef, new_id
from yoimemory.search.services import index_workspace

pytestmark = pytest.mark.django_db

DOC = "doc:docs/work-items.md"
RULE = "Unresolved `depends_on` and incoming unresolved `blocks` are queue and acceptance blockers."
CLICK = "A queue click permits routing."


def draft(quote: str = RULE, ref: str = DOC, **kwargs: Any) -> EvidenceDraft:
    return EvidenceDraft(ref=ref, quote=quote, **kwargs)


def extract(desk: Desk, *drafts: EvidenceDraft, actor: Actor | None = None) -> Any:
    return extract_evidence(desk.shoebox, drafts, actor=actor or desk.reviewer, now=NOON)


class TestExtractEvidence:
    def test_stores_the_whole_anchor(self, desk: Desk) -> None:
        [evidence] = extract(desk, draft(why="It is the rule.", relation="refutes")).stored

        raw = (desk.repository.root / "docs/work-items.md").read_bytes()
        assert evidence.quote == RULE
        assert evidence.quote_digest == hashlib.sha256(RULE.encode()).hexdigest()
        assert (evidence.start_line, evidence.start_column, evidence.end_line) == (7, 1, 7)
        assert WORK_ITEMS[evidence.start : evidence.end] == RULE
        assert raw[evidence.byte_start : evidence.byte_end].decode() == RULE
        assert evidence.prefix == WORK_ITEMS[evidence.start - 64 : evidence.start]
        assert evidence.suffix == WORK_ITEMS[evidence.end : evidence.end + 64]
        assert (evidence.match, evidence.occurrence, evidence.occurrences) == ("exact", 1, 1)
        assert evidence.text_digest == hashlib.sha256(raw).hexdigest()
        assert len(evidence.revision) == 40
        assert not evidence.uncommitted
        assert "Blockers" in evidence.hint
        assert str(evidence.address) == f"{DOC}@{evidence.revision}#L7"

    def test_gives_byte_ranges_in_japanese_text(self, desk: Desk) -> None:
        words = "依存関係が解決するまで開始してはならない、と運用文書にある。"

        [evidence] = extract(desk, draft(words)).stored

        raw = (desk.repository.root / "docs/work-items.md").read_bytes()
        assert raw[evidence.byte_start : evidence.byte_end].decode() == words

    def test_says_that_the_text_was_not_committed(self, desk: Desk) -> None:
        desk.repository.write("docs/work-items.md", WORK_ITEMS + "\nAn uncommitted line of text here.\n")

        [evidence] = extract(desk, draft("An uncommitted line of text here.")).stored

        assert evidence.uncommitted
        assert evidence.revision == f"sha256:{evidence.text_digest}"

    def test_quotes_a_former_revision(self, desk: Desk) -> None:
        first = desk.repository.commit("first state")
        desk.repository.write("docs/work-items.md", "# Work items\n\nNothing blocks.\n")
        desk.repository.commit("drop the rule")

        [evidence] = extract(desk, draft(ref=f"{DOC}@{first[:10]}")).stored

        assert evidence.revision == first
        assert extract(desk, draft()).refused[0].code == "not_found"

    def test_records_who_said_it_and_when(self, desk: Desk) -> None:
        words = "Ticket を `workspace-panel` が queued にしました。"

        [evidence] = extract(desk, draft(words, ref="ticket:00001KXKMX0QM/thread#event-2")).stored

        assert evidence.said_by == "workspace-panel"
        assert evidence.said_at is not None
        assert evidence.said_at.isoformat() == "2026-07-15T21:26:15+00:00"
        assert evidence.hint.startswith("event-2")
        assert evidence.source == "ticket:00001KXKMX0QM"

    def test_takes_the_occurrence_that_was_selected(self, desk: Desk) -> None:
        desk.repository.write("docs/twice.md", "The same words stand here.\n\nThe same words stand here.\n")
        desk.repository.commit()

        [evidence] = extract(desk, draft("The same words stand here.", ref="doc:docs/twice.md", line=3)).stored

        assert (evidence.start_line, evidence.occurrence, evidence.occurrences) == (3, 2, 2)

    def test_keeps_what_was_sent_when_only_normalised_words_matched(self, desk: Desk) -> None:
        sent = RULE.replace(" and ", "  and\n")

        [evidence] = extract(desk, draft(sent)).stored

        assert evidence.match == "normalised"
        assert evidence.quote == RULE
        assert evidence.provenance["sent"] == sent

    def test_puts_a_relation_without_target_on_the_question(self, desk: Desk) -> None:
        [evidence] = extract(desk, draft(relation="supports")).stored

        assert [(r.target, r.relation) for r in evidence.relations.all()] == [(str(desk.shoebox.ref), "supports")]

    def test_bears_on_several_targets(self, desk: Desk) -> None:
        first, second = make_hypothesis(desk.shoebox), make_hypothesis(desk.shoebox)
        relations = [
            RelationDraft(target=str(first.ref), relation="refutes"),
            RelationDraft(target=str(second.ref), relation="supports"),
        ]

        [evidence] = extract(desk, draft(relations=relations)).stored

        assert evidence.relations.count() == 2

    def test_keeps_a_number_out_of_sight(self, desk: Desk) -> None:
        [evidence] = extract(desk, draft(confidence=0.93), actor=desk.worker).stored

        assert evidence.provenance["confidence"] == 0.93
        assert evidence.basis == "cannot be judged"

    def test_stores_a_summary_without_an_anchor(self, desk: Desk) -> None:
        one = draft("", kind="summary", ref=f"{DOC}#L7-L8", summary="Unresolved dependencies block.", why="The rule.")

        [evidence] = extract(desk, one).stored

        assert (evidence.kind, evidence.quote, evidence.start_line, evidence.end_line) == ("summary", "", 7, 8)

    def test_writes_history_and_an_event(self, desk: Desk) -> None:
        [evidence] = extract(desk, draft(), actor=desk.worker).stored

        change = Change.objects.get(subject=str(evidence.ref))
        assert (change.verb, change.actor) == ("evidence-extracted", desk.worker)


class TestFirstState:
    @pytest.mark.parametrize(
        ("who", "why", "state"),
        [
            ("reviewer", "It is the rule.", "accepted"),
            ("reviewer", "", "draft"),
            ("member", "It is the rule.", "suggested"),
            ("member", "", "draft"),
            ("worker", "It is the rule.", "suggested"),
            ("worker", "", "suggested"),
        ],
    )
    def test_follows_from_who_and_why(self, desk: Desk, who: str, why: str, state: str) -> None:
        [evidence] = extract(desk, draft(why=why), actor=getattr(desk, who)).stored

        assert evidence.state == state

    def test_says_captured_and_accepted_by(self, desk: Desk) -> None:
        [evidence] = extract(desk, draft(why="It is the rule.")).stored

        review = Review.objects.get(evidence=evidence)
        assert (review.by, review.verdict, review.before) == (desk.reviewer, "accept", "suggested")
        assert evidence.state_by == desk.reviewer


class TestRefusals:
    @pytest.mark.parametrize(
        ("quote", "code"),
        [
            ("blocks start", "not_found"),
            ("too short", "too_short"),
            ("x" * 1_501, "too_long"),
            ("Resolved dependencies are never blockers of a queue or of acceptance.", "not_found"),
            (f"{CLICK} … {RULE}", "stitched"),
        ],
    )
    def test_carry_a_code(self, desk: Desk, quote: str, code: str) -> None:
        outcome = extract(desk, draft(quote))

        assert outcome.stored == []
        assert [refusal.code for refusal in outcome.refused] == [code]

    def test_show_the_nearest_text(self, desk: Desk) -> None:
        [refusal] = extract(desk, draft(RULE.replace("acceptance", "start"))).refused

        assert refusal.nearest == RULE
        assert SourceRef.parse(refusal.nearest_ref).fragment == "L7"

    def test_show_both_places_of_a_stitched_quote(self, desk: Desk) -> None:
        [refusal] = extract(desk, draft(f"{CLICK} {RULE}")).refused

        assert [SourceRef.parse(place).fragment for place in refusal.places] == ["L3", "L7"]

    def test_name_the_source_in_which_the_words_do_stand(self, desk: Desk) -> None:
        index_workspace(desk.workspace, now=NOON)

        [refusal] = extract(desk, draft(ref="ticket:00001KXKMX0QM")).refused

        assert refusal.code == "found_elsewhere"
        assert refusal.nearest_ref.startswith(DOC)
        assert DOC in refusal.message

    @pytest.mark.parametrize(
        "ref", ["doc:docs/nothing.md", "doc:docs/work-items.md@0123456789", "evidence:01JD0000000000000000000000"]
    )
    def test_tell_that_a_source_cannot_be_read(self, desk: Desk, ref: str) -> None:
        [refusal] = extract(desk, draft(ref=ref)).refused

        assert refusal.code == "unreadable_source"
        assert refusal.message.endswith(".")

    def test_close_the_same_words_offered_twice(self, desk: Desk) -> None:
        extract(desk, draft(relation="supports"), actor=desk.worker)

        [refusal] = extract(desk, draft(relation="refutes"), actor=desk.worker).refused

        assert refusal.code == "duplicate"
        assert refusal.nearest_ref == str(Evidence.objects.get().ref)

    def test_add_a_reviewers_new_relation_to_what_is_there(self, desk: Desk) -> None:
        hypothesis = make_hypothesis(desk.shoebox)
        [first] = extract(desk, draft(relation="supports")).stored

        outcome = extract(desk, draft(relation="refutes", target=str(hypothesis.ref)))

        assert outcome.stored == outcome.related == [first]
        assert Relation.objects.filter(evidence=first).count() == 2
        assert Evidence.objects.count() == 1

    def test_remember_a_rejection_of_the_same_words_and_relation(self, desk: Desk) -> None:
        [evidence] = extract(desk, draft(why="w", relation="supports"), actor=desk.worker).stored
        review_evidence(evidence, verdict="reject", reason="It is about other tickets.", actor=desk.reviewer, now=NOON)

        [refusal] = extract(desk, draft(relation="supports"), actor=desk.worker).refused

        assert refusal.code == "rejected_before"
        assert "about other tickets" in refusal.message

    def test_let_rejected_words_return_once_their_source_changed(self, desk: Desk) -> None:
        [evidence] = extract(desk, draft(why="w", relation="supports"), actor=desk.worker).stored
        review_evidence(evidence, verdict="reject", reason="Not then.", actor=desk.reviewer, now=NOON)
        desk.repository.write("docs/work-items.md", WORK_ITEMS + "\nMore.\n")
        desk.repository.commit()

        [again] = extract(desk, draft(relation="supports"), actor=desk.worker).stored

        assert again.provenance["rejected_before"] == str(evidence.ref)

    def test_are_logged(self, desk: Desk) -> None:
        extract(desk, draft("Bananas ripen under yellow lamps."), actor=desk.worker)

        change = Change.objects.get(subject=str(desk.shoebox.ref), verb="evidence-refused")
        assert change.after["code"] == "not_found"
        assert change.actor == desk.worker

    def test_never_fail_the_good_drafts_beside_them(self, desk: Desk) -> None:
        outcome = extract(desk, draft("Bananas ripen under yellow lamps."), draft(), draft(ref="nonsense"))

        assert [evidence.quote for evidence in outcome.stored] == [RULE]
        assert [(refusal.index, refusal.code) for refusal in outcome.refused] == [(0, "not_found"), (2, "bad_input")]

    @pytest.mark.parametrize("target", ["doc:docs/work-items.md", "shoebox:01JD0000000000000000000000", "nonsense"])
    def test_hold_off_a_target_that_nothing_bears_on(self, desk: Desk, target: str) -> None:
        [refusal] = extract(desk, draft(relation="supports", target=target)).refused

        assert refusal.code == "bad_input"


class TestMemory:
    def test_is_marked_recalled_and_told_as_a_caveat(self, desk: Desk) -> None:
        desk.repository.write(
            ".yoi/memory/decisions/no-start.md", "# No start\n\nA queued ticket must not be started.\n"
        )
        desk.repository.commit()

        [evidence] = extract(
            desk, draft("A queued ticket must not be started.", ref="memory:decision/no-start", basis="witnessed")
        ).stored

        assert evidence.basis == "recalled"
        assert evidence.provenance["basis"] == "witnessed"
        assert "no independent evidence" in caveats_of([evidence])[evidence.pk][0]

    def test_put_into_a_conversation_is_no_new_evidence(self, desk: Desk) -> None:
        log = [
            {"role": "user", "content": "May the queued ticket start now?", "timestamp": "2026-07-15T21:00:00Z"},
            {"role": "memory", "content": "A queued ticket must not be started.", "timestamp": "2026-07-15T21:00:01Z"},
        ]
        desk.repository.write(".yoi/sessions/s1.jsonl", "".join(json.dumps(entry) + "\n" for entry in log))
        desk.repository.commit()

        recalled = extract(desk, draft("A queued ticket must not be started.", ref="session:plain/s1"))
        said = extract(desk, draft("May the queued ticket start now?", ref="session:plain/s1"))

        assert [refusal.code for refusal in recalled.refused] == ["recalled"]
        assert [evidence.speaker for evidence in said.stored] == ["human"]


class TestWhoMay:
    def test_refuses_those_without_a_role(self, desk: Desk) -> None:
        stranger = make_person(make_workspace())

        with pytest.raises(NoRole):
            extract(desk, draft(), actor=stranger)

    def test_refuses_a_closed_shoebox(self, desk: Desk) -> None:
        closed = make_shoebox(desk.workspace, state=Shoebox.State.CLOSED)

        with pytest.raises(ShoeboxNotOpen, match="closed"):
            extract_evidence(closed, [draft()], actor=desk.reviewer, now=NOON)

    def test_refuses_a_shoebox_that_is_closed_while_the_source_is_read(
        self, desk: Desk, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        weigh = Scales.weigh

        def slowly(scales: Scales, one: EvidenceDraft) -> Weighed | Refusal:
            Shoebox.objects.update(state=Shoebox.State.DISCARDED)
            return weigh(scales, one)

        monkeypatch.setattr(Scales, "weigh", slowly)

        with pytest.raises(ShoeboxNotOpen, match="discarded"):
            extract(desk, draft(), actor=desk.reviewer)
        assert not Evidence.objects.exists()


class TestWhatItBearsOn:
    def test_is_refused_when_no_such_hypothesis_is_here(self, desk: Desk) -> None:
        elsewhere = make_hypothesis(make_shoebox(make_workspace()))

        outcome = extract(
            desk,
            draft(relation="supports", target=str(elsewhere.ref)),
            draft(relation="supports", target=f"hypothesis:{new_id()}"),
        )

        assert outcome.stored == []
        assert [refusal.code for refusal in outcome.refused] == ["bad_input", "bad_input"]
        assert str(elsewhere.ref) in outcome.refused[0].message


def test_items_of_the_shoebox_come_first_when_words_stand_elsewhere(desk: Desk) -> None:
    desk.repository.write("docs/a-copy.md", f"{RULE}\n")
    desk.repository.commit()
    index_workspace(desk.workspace, now=NOON)
    make_item(desk.shoebox, ref=DOC)

    [refusal] = extract(desk, draft(ref="ticket:00001KXKMX0QM")).refused

    assert refusal.nearest_ref.startswith(DOC)
