"""What people say of where a quote stands: confirmed, attached anew, taken back; on pages and in JSON."""

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from evidence.models import Evidence, Placement
from evidence.schemas import EvidenceDraft
from evidence.services import (
    NothingToConfirm,
    NothingToTakeBack,
    NotThere,
    OneByOne,
    Words,
    confirm_anchors,
    extract_evidence,
    reattach_anchor,
    recheck_anchors,
    review_evidence,
    settle_review,
    undo_placement,
)
from evidence.services.overturning import conflict_of
from evidence.standing import Standing, caveats_of, standings
from hypotheses.basis import bases_of
from hypotheses.recheck import recheck_reasons
from tests.evidence.conftest import Desk
from tests.evidence.repository import WORK_ITEMS
from tests.factories import NOON, make_hypothesis, make_person
from yoimemory.access.models import Actor
from yoimemory.access.services import NotAReviewer
from yoimemory.errors import BadInput
from yoimemory.refs import SourceRef

pytestmark = pytest.mark.django_db(databases=["default", "index"])

DOC = "doc:docs/work-items.md"
RULE = "Unresolved `depends_on` and incoming unresolved `blocks` are queue and acceptance blockers."
TURNED = RULE.replace("are queue and", "are not queue and")
REWORDED = RULE.replace("incoming unresolved", "arriving unresolved")
LAST = "A `related` link never blocks."


def quote(desk: Desk, words: str = RULE) -> Evidence:
    draft = EvidenceDraft(ref=DOC, quote=words, why="It bears on the question.")
    return extract_evidence(desk.shoebox, [draft], actor=desk.reviewer, now=NOON).stored[0]


def change(desk: Desk, before: str, after: str) -> None:
    desk.repository.write("docs/work-items.md", WORK_ITEMS.replace(before, after))
    desk.repository.commit()
    recheck_anchors(desk.workspace, None, now=NOON)


def standing(evidence: Evidence) -> Standing:
    return standings([evidence])[evidence.pk]


class TestConfirmAnchors:
    def test_lets_reworded_words_stand_and_keeps_the_quote(self, desk: Desk) -> None:
        evidence = quote(desk)
        change(desk, RULE, REWORDED)

        confirm_anchors([evidence], actor=desk.reviewer, now=NOON)

        now = standing(evidence)
        assert (now.state, now.told, now.by, now.words) == ("moved", "moved (confirmed)", "rin", REWORDED)
        evidence.refresh_from_db()
        assert evidence.quote == RULE
        assert "a person accepted it" in caveats_of([evidence])[evidence.pk][0]

    def test_is_carried_along_by_later_changes(self, desk: Desk) -> None:
        evidence = quote(desk)
        change(desk, RULE, REWORDED)
        confirm_anchors([evidence], actor=desk.reviewer, now=NOON)

        desk.repository.write("docs/work-items.md", "One more line.\n" + WORK_ITEMS.replace(RULE, REWORDED))
        [placement] = recheck_anchors(desk.workspace, None, now=NOON)

        assert (placement.state, placement.start_line, placement.words) == ("moved", 8, REWORDED)
        assert standing(evidence).told == "moved (confirmed)"

    def test_asks_again_when_the_confirmed_words_change_in_their_turn(self, desk: Desk) -> None:
        evidence = quote(desk)
        change(desk, RULE, REWORDED)
        confirm_anchors([evidence], actor=desk.reviewer, now=NOON)

        change(desk, RULE, REWORDED.replace("are queue", "are not queue"))

        assert standing(evidence).state == "reworded-meaning"

    def test_adds_nothing_when_nothing_changed_since(self, desk: Desk) -> None:
        evidence = quote(desk)
        change(desk, RULE, REWORDED)
        confirm_anchors([evidence], actor=desk.reviewer, now=NOON)

        assert recheck_anchors(desk.workspace, None, now=NOON) == []

    def test_takes_a_change_of_meaning_by_itself_and_with_a_reason(self, desk: Desk) -> None:
        turned, other = quote(desk), quote(desk, LAST)
        change(desk, RULE, "A line.\n" + TURNED)

        with pytest.raises(NothingToConfirm, match="nothing to confirm"):
            confirm_anchors([other], actor=desk.reviewer, now=NOON)
        with pytest.raises(BadInput, match="bears on meaning"):
            confirm_anchors([turned], actor=desk.reviewer, now=NOON)

        assert standing(turned).state == "reworded-meaning"

    def test_refuses_a_change_of_meaning_among_others_and_confirms_none(self, desk: Desk) -> None:
        text = WORK_ITEMS + "\nThe panel shows a short summary of the whole queue.\n"
        desk.repository.write("docs/work-items.md", text)
        desk.repository.commit()
        turned, reworded = quote(desk), quote(desk, "The panel shows a short summary of the whole queue.")
        desk.repository.write("docs/work-items.md", text.replace(RULE, TURNED).replace("a short", "a brief"))
        recheck_anchors(desk.workspace, None, now=NOON)

        with pytest.raises(OneByOne, match="nothing was confirmed"):
            confirm_anchors([reworded, turned], actor=desk.reviewer, now=NOON)

        assert [standing(turned).state, standing(reworded).state] == ["reworded-meaning", "reworded"]

    def test_asks_two_people_apart_about_meaning_where_there_are_two(self, desk: Desk) -> None:
        second = make_person(desk.workspace, "reviewer", "sato")
        evidence = quote(desk)
        change(desk, RULE, TURNED)

        first = confirm_anchors([evidence], actor=desk.reviewer, now=NOON, reason="Only the order changed.")
        assert (first, standing(evidence).state) == ([], "reworded-meaning")
        evidence.refresh_from_db()
        settled = confirm_anchors([evidence], actor=second, now=NOON, reason="It says the same for us.")

        assert settled == [evidence]
        assert standing(evidence).told == "moved (confirmed)"
        with pytest.raises(OneByOne, match="Two people agreed"):
            undo_placement(Evidence.objects.get(pk=evidence.pk), actor=second, now=NOON)

    @pytest.mark.parametrize("who", ["member", "worker"])
    def test_is_for_reviewers_only(self, desk: Desk, who: str) -> None:
        evidence = quote(desk)
        change(desk, RULE, REWORDED)

        with pytest.raises(NotAReviewer):
            confirm_anchors([evidence], actor=getattr(desk, who), now=NOON)


class TestReattachAnchorAfterAChangeOfMeaning:
    def choose(self, evidence: Evidence, actor: Actor, quoted: str, reason: str = "It is what is meant.") -> object:
        words = Words(SourceRef.parse(evidence.place), quoted, reason=reason)
        return reattach_anchor(Evidence.objects.get(pk=evidence.pk), words, actor=actor, now=NOON)

    def test_waits_for_a_second_person_and_tells_nothing_until_then(self, desk: Desk) -> None:
        make_person(desk.workspace, "reviewer", "sato")
        evidence = quote(desk)
        change(desk, RULE, TURNED)
        version, placements = Evidence.objects.get(pk=evidence.pk).version, evidence.placements.count()

        placed = self.choose(evidence, desk.reviewer, TURNED)

        evidence.refresh_from_db()
        assert placed is None
        assert (evidence.version, evidence.placements.count()) == (version, placements)
        assert standing(evidence).state == "reworded-meaning"

    def test_is_done_when_two_people_chose_the_same_words_apart(self, desk: Desk) -> None:
        second = make_person(desk.workspace, "reviewer", "sato")
        evidence = quote(desk)
        change(desk, RULE, TURNED)
        self.choose(evidence, desk.reviewer, TURNED)

        placed = self.choose(evidence, second, TURNED)

        assert isinstance(placed, Placement)
        assert (placed.method, placed.words) == ("re-attached", TURNED)
        assert standing(evidence).told == "moved (re-attached)"
        evidence.refresh_from_db()
        assert evidence.quote == RULE

    def test_is_a_conflict_where_they_chose_other_words_and_is_settled_by_one_of_them(self, desk: Desk) -> None:
        second = make_person(desk.workspace, "reviewer", "sato")
        evidence = quote(desk)
        change(desk, RULE, TURNED)
        self.choose(evidence, desk.reviewer, TURNED)
        self.choose(evidence, second, TURNED[:40])
        conflict = conflict_of(evidence)
        assert conflict is not None
        answers = [look.answer for look in conflict.looks.order_by("pk")]
        evidence.refresh_from_db()

        settle_review(evidence, answer=answers[1], reason="The first half says it.", actor=second, now=NOON)

        assert standing(evidence).words == TURNED[:40]

    def test_is_not_settled_by_words_of_a_text_that_changed_since(self, desk: Desk) -> None:
        second = make_person(desk.workspace, "reviewer", "sato")
        evidence = quote(desk)
        change(desk, RULE, TURNED)
        self.choose(evidence, desk.reviewer, TURNED)
        self.choose(evidence, second, TURNED[:40])
        conflict = conflict_of(evidence)
        assert conflict is not None
        desk.repository.write("docs/work-items.md", "A line above.\n" + WORK_ITEMS.replace(RULE, TURNED))

        with pytest.raises(NotThere, match="changed since"):
            settle_review(
                evidence, answer=conflict.looks.order_by("pk")[0].answer, reason="This.", actor=second, now=NOON
            )

    def test_asks_why(self, desk: Desk) -> None:
        make_person(desk.workspace, "reviewer", "sato")
        evidence = quote(desk)
        change(desk, RULE, TURNED)

        with pytest.raises(BadInput, match="Say why"):
            self.choose(evidence, desk.reviewer, TURNED, reason=" ")


class TestReattachAnchor:
    def test_gives_an_orphan_a_place_and_keeps_the_anchor(self, desk: Desk) -> None:
        evidence = quote(desk)
        anchor = Evidence.objects.filter(pk=evidence.pk).values("quote", "start", "revision", "text_digest").get()
        change(desk, RULE, "Whatever is open blocks the queue, and the acceptance of a Ticket too.")
        assert standing(evidence).state == "orphaned"

        words = Words(SourceRef.parse(DOC), "Whatever is open blocks the queue", reason="The rule was put shorter.")
        placement = reattach_anchor(evidence, words, actor=desk.reviewer, now=NOON)

        assert placement is not None
        assert (placement.state, placement.method, placement.start_line) == ("moved", "re-attached", 7)
        assert standing(evidence).told == "moved (re-attached)"
        assert "The rule was put shorter." in standing(evidence).note
        assert (
            Evidence.objects.filter(pk=evidence.pk).values("quote", "start", "revision", "text_digest").get() == anchor
        )

    def test_may_lead_to_another_source(self, desk: Desk) -> None:
        evidence = quote(desk)
        desk.repository.write("docs/rules.md", f"# Rules\n\n{RULE}\n")
        change(desk, RULE + "\n", "")

        placement = reattach_anchor(
            evidence, Words(SourceRef.parse("doc:docs/rules.md"), RULE), actor=desk.reviewer, now=NOON
        )

        assert placement is not None
        assert (placement.place, placement.words) == ("doc:docs/rules.md", "")

    def test_refuses_words_that_do_not_stand_there_and_names_the_nearest(self, desk: Desk) -> None:
        evidence = quote(desk)
        change(desk, RULE, REWORDED)

        with pytest.raises(NotThere) as refused:
            reattach_anchor(evidence, Words(SourceRef.parse(DOC), RULE), actor=desk.reviewer, now=NOON)

        assert "arriving unresolved" in refused.value.hint
        assert Placement.objects.filter(method="re-attached").count() == 0

    def test_is_for_reviewers_only(self, desk: Desk) -> None:
        evidence = quote(desk)

        with pytest.raises(NotAReviewer):
            reattach_anchor(evidence, Words(SourceRef.parse(DOC), LAST), actor=desk.worker, now=NOON)


class TestUndoPlacement:
    def test_lets_what_was_found_before_count_again(self, desk: Desk) -> None:
        evidence = quote(desk)
        change(desk, RULE, REWORDED)
        confirm_anchors([evidence], actor=desk.reviewer, now=NOON)

        undo_placement(evidence, actor=desk.reviewer, now=NOON)

        assert standing(evidence).state == "reworded"
        assert [each.method for each in evidence.placements.order_by("pk")][1:] == ["confirmed", "taken back"]
        assert recheck_anchors(desk.workspace, None, now=NOON) == []

    def test_refuses_where_no_person_said_anything(self, desk: Desk) -> None:
        evidence = quote(desk)

        with pytest.raises(NothingToTakeBack):
            undo_placement(evidence, actor=desk.reviewer, now=NOON)


class TestRecheckAbove:
    def test_is_asked_of_every_hypothesis_that_cites_a_change_of_meaning(self, desk: Desk) -> None:
        hypothesis = make_hypothesis(desk.shoebox)
        draft = EvidenceDraft(ref=DOC, quote=RULE, why="w", relation="supports", target=str(hypothesis.ref))
        extract_evidence(desk.shoebox, [draft], actor=desk.reviewer, now=NOON)
        change(desk, RULE, TURNED)

        [reason] = recheck_reasons(hypothesis, bases_of([hypothesis])[hypothesis.pk])

        assert "bears on its meaning" in reason
        assert "negation “not” was added" in reason


@pytest.fixture
def page(client: Client, desk: Desk) -> Client:
    client.force_login(User.objects.get(username="rin"))
    return client


class TestPages:
    def test_show_the_word_diff_and_the_named_token(self, page: Client, desk: Desk) -> None:
        evidence = quote(desk)
        change(desk, RULE, TURNED)

        text = page.get(reverse("evidence:detail", args=[evidence.public_id])).text

        assert "<ins>not </ins>" in text or "<ins> not</ins>" in text
        assert "reworded, meaning" in text
        assert "Confirm: these words stand for the quote" in text

    def test_confirm_with_a_reason_and_answer_with_the_part(self, page: Client, desk: Desk) -> None:
        evidence = quote(desk)
        change(desk, RULE, TURNED)
        url = reverse("evidence:confirm", args=[evidence.public_id])

        refused = page.post(url, {"reason": ""}, headers={"HX-Request": "true", "HX-Target": "anchor"})
        done = page.post(url, {"reason": "Same rule."}, headers={"HX-Request": "true", "HX-Target": "anchor"})

        assert refused.status_code == 422
        assert 'id="anchor"' in done.text
        assert "moved (confirmed)" in done.text
        assert "Take this back" in done.text

    def test_offer_lookalikes_of_an_orphan_as_candidates_only(self, page: Client, desk: Desk) -> None:
        evidence = quote(desk)
        change(desk, RULE, "Unresolved `blocks` alone are of no concern to the queue here.")

        text = page.get(reverse("evidence:detail", args=[evidence.public_id])).text

        assert "orphaned" in text
        assert "Candidates, which nobody has confirmed" in text
        assert "of no concern to the queue" in text

    def test_open_the_reader_for_attaching_and_attach(self, page: Client, desk: Desk) -> None:
        evidence = quote(desk)
        change(desk, RULE, REWORDED)
        reader = page.get(reverse("desk:read"), {"ref": DOC, "reattach": evidence.public_id}).text
        assert "Attach this quote anew" in reader
        form = reader.partition(reverse("evidence:reattach", args=[evidence.public_id]))[2].partition("</form>")[0]
        assert "csrfmiddlewaretoken" in form

        answer = page.post(
            reverse("evidence:reattach", args=[evidence.public_id]),
            {"ref": DOC, "quote": REWORDED, "line": 7, "column": 1, "why": "Same rule."},
            follow=True,
        )

        assert "Attached anew." in answer.text
        assert standing(evidence).told == "moved (re-attached)"

    def test_have_one_banner_for_a_commit_that_filters_the_list(self, page: Client, desk: Desk) -> None:
        turned, other = quote(desk), quote(desk, LAST)
        change(desk, RULE, TURNED)
        [commit] = {placement.revision for placement in Placement.objects.filter(state="reworded-meaning")}
        url = f"{reverse('evidence:list')}?state=accepted&amp;moved={commit[:12]}"

        for where in (reverse("desk:inbox"), reverse("evidence:list")):
            text = page.get(where).text
            assert f"Up to commit {commit[:8]}" in text
            assert url in text
        narrowed = page.get(url.replace("&amp;", "&")).text

        assert turned.public_id in narrowed
        assert other.public_id not in narrowed
        assert "Confirm what moved" not in narrowed

    def test_confirm_several_that_were_only_reworded(self, page: Client, desk: Desk) -> None:
        evidence = quote(desk)
        change(desk, RULE, REWORDED)
        [commit] = {placement.revision for placement in Placement.objects.filter(state="reworded")}
        url = f"{reverse('evidence:list')}?state=accepted&moved={commit[:12]}"
        assert "Confirm what moved or was only reworded (1)" in page.get(url).text

        answer = page.post(reverse("evidence:confirm_several"), {"id": [evidence.public_id], "next": url}, follow=True)

        assert "1 confirmed" in answer.text
        assert standing(evidence).told == "moved (confirmed)"


class TestJson:
    def test_lists_confirms_attaches_and_takes_back(self, page: Client, desk: Desk) -> None:
        evidence = quote(desk)
        change(desk, RULE, REWORDED)
        path = f"/api/v1/evidence/{evidence.public_id}/placements"

        [found] = page.get(path).json()["items"]
        confirmed = page.post(
            "/api/v1/evidence/confirmations", {"evidence": [evidence.public_id]}, content_type="application/json"
        )
        version = page.get(f"/api/v1/evidence/{evidence.public_id}").json()["version"]
        back = page.delete(path, headers={"If-Match": f'"{version}"'})
        version = back.json()["version"]
        attached = page.post(
            path, {"ref": DOC, "quote": REWORDED}, content_type="application/json",
            headers={"If-Match": f'"{version}"'},
        )  # fmt: skip

        assert (found["state"], found["words"], found["changes"]) == ("reworded", REWORDED, [])
        assert (confirmed.status_code, confirmed.json()[0]["anchor_state"]) == (201, "moved")
        assert (back.status_code, back.json()["anchor_state"]) == (200, "reworded")
        assert (attached.status_code, attached.json()["anchor_state"]) == (201, "moved")

    def test_refuses_an_unknown_one(self, page: Client, desk: Desk) -> None:
        answer = page.post(
            "/api/v1/evidence/confirmations", {"evidence": ["01M8PQK3SSBB2743CEXFTYFFHP"]},
            content_type="application/json",
        )  # fmt: skip

        assert answer.status_code == 404


class TestRetire:
    def test_ends_the_question(self, desk: Desk) -> None:
        evidence = quote(desk)
        change(desk, RULE, TURNED)

        review_evidence(evidence, verdict="retire", reason="The rule is gone.", actor=desk.reviewer, now=NOON)

        assert recheck_anchors(desk.workspace, None, now=NOON) == []
        with pytest.raises(Exception, match="not changed any more"):
            confirm_anchors([evidence], actor=desk.reviewer, now=NOON, reason="x")
