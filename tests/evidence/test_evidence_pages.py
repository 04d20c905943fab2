"""The list, the page of one piece, the verdicts on it, and what the capture strip gets for an answer."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from evidence.models import Evidence
from evidence.schemas import EvidenceDraft
from evidence.services import extract_evidence, recheck_anchors
from shoebox.models import Shoebox
from tests.evidence.conftest import Desk
from tests.evidence.repository import WORK_ITEMS
from tests.factories import (
    NOON,
    make_evidence,
    make_hypothesis,
    make_person,
    make_relation,
    make_user,
    make_workspace,
)
from yoimemory.journal.services import record_change

pytestmark = pytest.mark.django_db

DOC = "doc:docs/work-items.md"
RULE = "Unresolved `depends_on` and incoming unresolved `blocks` are queue and acceptance blockers."


@pytest.fixture
def page(desk: Desk) -> Client:
    """A browser in which the reviewer is logged in."""
    client = Client()
    assert desk.reviewer.user is not None
    client.force_login(desk.reviewer.user)
    return client


def quoted(desk: Desk, **kwargs: Any) -> Evidence:
    draft = EvidenceDraft(ref=DOC, quote=RULE, **{"why": "It is the rule.", **kwargs})
    return extract_evidence(desk.shoebox, [draft], actor=desk.worker, now=NOON).stored[0]


def htmx(target: str) -> dict[str, str]:
    return {"HX-Request": "true", "HX-Target": target}


class TestList:
    def test_puts_what_refutes_first(self, page: Client, desk: Desk) -> None:
        make_relation(make_evidence(desk.shoebox, quote="It refutes the claim."), desk.shoebox.ref, "refutes")
        make_relation(make_evidence(desk.shoebox, quote="It supports the claim."), desk.shoebox.ref, "supports")

        text = page.get(reverse("evidence:list")).text

        assert text.index("It refutes the claim.") < text.index("It supports the claim.")
        assert "2 quotes wait for a person" in text

    def test_narrows_to_one_shoebox_as_a_part(self, page: Client, desk: Desk) -> None:
        make_evidence(desk.shoebox)

        response = page.get(
            reverse("evidence:list"), {"shoebox": desk.shoebox.public_id}, headers=htmx("evidence-list")
        )

        assert response.text.lstrip().startswith('<div id="evidence-list"')
        assert "Unresolved dependencies block the start." in response.text

    def test_says_what_to_do_when_it_is_empty(self, page: Client) -> None:
        empty = page.get(reverse("evidence:list")).text
        main = empty[empty.index("<main") : empty.index("</main>")]

        assert "Nothing is quoted yet" in main
        assert f'href="{reverse("shoebox:list")}">Choose a shoebox</a>' in main
        assert reverse("desk:review") not in main

    def test_needs_as_many_queries_for_many_rows(
        self, page: Client, desk: Desk, django_assert_max_num_queries: Any
    ) -> None:
        hypothesis = make_hypothesis(desk.shoebox)
        for number in range(12):
            make_relation(make_evidence(desk.shoebox, quote=f"Words number {number}."), hypothesis.ref)

        with django_assert_max_num_queries(68):
            page.get(reverse("evidence:list"))

    def test_shows_nothing_of_other_workspaces(self, page: Client, desk: Desk) -> None:
        make_evidence(Shoebox.objects.create(
            workspace=make_workspace(), question="Elsewhere?", opened_by=desk.worker, opened_at=NOON
        ), quote="Words of another workspace.")  # fmt: skip

        assert "another workspace" not in page.get(reverse("evidence:list"), {"state": "all"}).text


class TestDetail:
    def test_shows_the_quote_in_its_lines(self, page: Client, desk: Desk) -> None:
        evidence = quoted(desk, relation="refutes")

        text = page.get(reverse("evidence:detail", args=[evidence.public_id])).text

        assert '<span class="ln">7</span>' in text
        assert "## Blockers" in text
        assert f"at {evidence.revision[:8]}" in text
        assert "Your verdict" in text

    def test_folds_a_workers_why_until_somebody_looked(self, page: Client, desk: Desk) -> None:
        text = page.get(reverse("evidence:detail", args=[quoted(desk).public_id])).text

        assert "open once you have looked" in text
        assert "<h1>Work items, line 7</h1>" in text

    def test_falls_back_to_what_was_kept_when_the_source_is_gone(self, page: Client, desk: Desk) -> None:
        desk.repository.write("docs/work-items.md", WORK_ITEMS + "\nnot committed\n")
        evidence = quoted(desk)
        desk.repository.remove("docs/work-items.md")
        recheck_anchors(desk.workspace, None, now=NOON)

        text = page.get(reverse("evidence:detail", args=[evidence.public_id])).text

        assert "from what was kept" in text
        assert "acceptance blockers." in text
        assert "The source is gone" in text
        assert '<span class="ln">7</span>' in text

    def test_shows_what_stands_there_now_when_the_words_were_edited(self, page: Client, desk: Desk) -> None:
        evidence = quoted(desk)
        desk.repository.write("docs/work-items.md", WORK_ITEMS.replace("acceptance blockers", "start blockers"))
        recheck_anchors(desk.workspace, None, now=NOON)

        text = page.get(reverse("evidence:detail", args=[evidence.public_id])).text

        assert "Found now" in text
        assert "start blockers" in text
        assert "reworded, meaning" in text

    def test_shows_the_nearest_text_when_the_words_are_gone(self, page: Client, desk: Desk) -> None:
        evidence = quoted(desk)
        rule = "Unresolved `depends_on` and incoming unresolved `blocks` are queue and acceptance blockers."
        desk.repository.write(
            "docs/work-items.md", WORK_ITEMS.replace(rule, "Unresolved `blocks` are no concern here.")
        )
        recheck_anchors(desk.workspace, None, now=NOON)

        text = page.get(reverse("evidence:detail", args=[evidence.public_id])).text

        assert "Nearest now" in text
        assert "it is not what was quoted" in text
        assert "orphaned" in text

    def test_shows_where_the_words_moved(self, page: Client, desk: Desk) -> None:
        evidence = quoted(desk)
        desk.repository.write("docs/work-items.md", "A first line.\n" + WORK_ITEMS)
        recheck_anchors(desk.workspace, None, now=NOON)

        text = page.get(reverse("evidence:detail", args=[evidence.public_id])).text

        assert "Found now" in text
        assert "line 8, was 7" in text

    def test_tells_no_history_of_another_workspace(self, page: Client, desk: Desk) -> None:
        evidence, elsewhere = quoted(desk), make_workspace(slug="elsewhere")
        record_change(
            evidence.ref, verb="tested", actor=make_person(elsewhere), workspace=elsewhere, now=NOON,
            reason="Words from somewhere else.",
        )  # fmt: skip

        text = page.get(reverse("evidence:detail", args=[evidence.public_id])).text

        assert "Words from somewhere else." not in text

    def test_names_who_cites_it_and_what_contradicts_it(self, page: Client, desk: Desk) -> None:
        hypothesis = make_hypothesis(desk.shoebox, claim="It must wait for both.")
        evidence = quoted(desk, relation="supports", target=str(hypothesis.ref))
        other = make_evidence(desk.shoebox, quote="The other side of it.")
        make_relation(other, hypothesis.ref, "refutes")

        text = page.get(reverse("evidence:detail", args=[evidence.public_id])).text

        assert "It must wait for both." in text
        assert "The other side of it." in text

    def test_is_404_for_those_without_a_role(self, desk: Desk) -> None:
        evidence = make_evidence(desk.shoebox)
        client = Client()
        client.force_login(make_user())

        # Somebody without any workspace is told so, whatever the address; nothing of the record shows.
        response = client.get(reverse("evidence:detail", args=[evidence.public_id]))

        assert evidence.quote not in response.text

    def test_belongs_to_its_own_workspace_whatever_was_chosen(self, page: Client, desk: Desk) -> None:
        stranger = make_evidence(
            Shoebox.objects.create(
                workspace=make_workspace(), question="Elsewhere?", opened_by=desk.worker, opened_at=NOON
            )
        )

        assert page.get(reverse("evidence:detail", args=[stranger.public_id])).status_code == 404


class TestVerdicts:
    def test_swap_the_verdict_part(self, page: Client, desk: Desk) -> None:
        evidence = make_evidence(desk.shoebox)

        response = page.post(
            reverse("evidence:review", args=[evidence.public_id]),
            {"verdict": "accept", "version": 1},
            headers=htmx("verdict"),
        )

        assert response.status_code == 200
        assert 'id="verdict"' in response.text
        assert "The evidence is accepted." in response.text
        assert "evidence-reviewed" in response["HX-Trigger"]

    def test_swap_a_row_in_a_list(self, page: Client, desk: Desk) -> None:
        evidence = make_evidence(desk.shoebox)

        response = page.post(
            reverse("evidence:review", args=[evidence.public_id]),
            {"verdict": "reject", "reason": "Not this."},
            headers=htmx(f"evidence-{evidence.public_id}"),
        )

        assert response.text.lstrip().startswith('<li class="row"')
        assert "Undo" in response.text

    def test_answer_a_refusal_with_the_sentence(self, page: Client, desk: Desk) -> None:
        evidence = make_evidence(desk.shoebox)

        response = page.post(
            reverse("evidence:review", args=[evidence.public_id]), {"verdict": "reject"}, headers=htmx("verdict")
        )

        assert response.status_code == 422
        assert "Say why, in one line" in response.text

    def test_tell_of_a_version_that_is_behind(self, page: Client, desk: Desk) -> None:
        evidence = make_evidence(desk.shoebox, version=4)

        response = page.post(
            reverse("evidence:review", args=[evidence.public_id]),
            {"verdict": "accept", "version": 3},
            headers=htmx("verdict"),
        )

        assert response.status_code == 409
        assert "since you read version 3" in response.text

    def test_lead_back_without_htmx(self, page: Client, desk: Desk) -> None:
        evidence = make_evidence(desk.shoebox)
        url = reverse("evidence:review", args=[evidence.public_id])

        own = page.post(url, {"verdict": "accept", "next": "/evidence/"})
        foreign = page.post(reverse("evidence:undo", args=[evidence.public_id]), {"next": "//evil.test/steal"})

        assert own["Location"] == "/evidence/"
        assert foreign["Location"] == reverse("evidence:detail", args=[evidence.public_id])

    def test_set_relations_and_words(self, page: Client, desk: Desk) -> None:
        evidence, hypothesis = make_evidence(desk.shoebox), make_hypothesis(desk.shoebox)

        related = page.post(
            reverse("evidence:relate", args=[evidence.public_id]),
            {"target": str(hypothesis.ref), "relation": "refutes"},
            headers=htmx("relations"),
        )
        explained = page.post(
            reverse("evidence:explain", args=[evidence.public_id]),
            {"why": "Better said.", "applies_to": "until July", "basis": "told", "version": 2},
            headers=htmx("words"),
        )

        assert "The relation is set." in related.text
        assert "Better said." in explained.text
        evidence.refresh_from_db()
        assert (evidence.scope, evidence.basis) == ({"text": "until July"}, "told")

    def test_supersede_by_another_piece(self, page: Client, desk: Desk) -> None:
        old, new = (make_evidence(desk.shoebox, state=Evidence.State.ACCEPTED) for _ in range(2))
        url = reverse("evidence:supersede", args=[old.public_id])

        page.post(url, {"by": "evidence:01JD0000000000000000000000", "reason": "r"})
        page.post(url, {"by": str(new.ref), "reason": "Reworded."})

        old.refresh_from_db()
        assert (old.state, old.superseded_by) == ("superseded", new)


class TestCapture:
    def url(self, desk: Desk) -> str:
        return reverse("evidence:extract", args=[desk.shoebox.public_id])

    def test_answers_the_strip_the_cards_and_the_lines(self, page: Client, desk: Desk) -> None:
        sent = {"ref": DOC, "quote": RULE, "line": 7, "column": 1, "relation": "refutes", "why": "The rule."}

        response = page.post(self.url(desk), sent, headers=htmx("strip-said"))

        assert response.status_code == 200
        assert 'id="strip-said"' in response.text
        assert "Captured and accepted by rin." in response.text
        assert '<section id="quoted" hx-swap-oob="true">' in response.text
        assert '<li id="L7" hx-swap-oob="true">' in response.text
        assert "hl h-r" in response.text
        assert "evidence-extracted" in response["HX-Trigger"]

    def test_answers_a_refusal_with_422_the_sentence_and_the_nearest(self, page: Client, desk: Desk) -> None:
        sent = {"ref": DOC, "quote": RULE.replace("acceptance", "start"), "relation": "refutes"}

        response = page.post(self.url(desk), sent, headers=htmx("strip-said"))

        assert response.status_code == 422
        assert "Not stored." in response.text
        assert "acceptance blockers." in response.text
        assert "hx-swap-oob" not in response.text

    def test_escapes_what_sources_hold(self, page: Client, desk: Desk) -> None:
        desk.repository.write("docs/x.md", "<script>alert(1)</script> and <b onclick=x>more</b> words\n")

        response = page.post(
            self.url(desk),
            {"ref": "doc:docs/x.md", "quote": "<script>alert(1)</script> and <b onclick=x>", "relation": "supports"},
            headers=htmx("strip-said"),
        )

        assert response.status_code == 200
        assert "<script>alert" not in response.text
        assert "<b onclick" not in response.text

    def test_takes_a_capture_back(self, page: Client, desk: Desk) -> None:
        page.post(self.url(desk), {"ref": DOC, "quote": RULE, "line": 7}, headers=htmx("strip-said"))
        evidence = Evidence.objects.get()

        response = page.post(
            reverse("evidence:withdraw", args=[evidence.public_id]), {"ref": DOC}, headers=htmx("strip-said")
        )

        assert "Taken back." in response.text
        assert '<li id="L7" hx-swap-oob="true">' in response.text
        assert "hl h-" not in response.text
        evidence.refresh_from_db()
        assert evidence.state == "retired"

    def test_leads_back_to_the_source_without_htmx(self, page: Client, desk: Desk) -> None:
        good = page.post(self.url(desk), {"ref": DOC, "quote": RULE})
        bad = page.post(self.url(desk), {"ref": DOC, "quote": "Bananas ripen quickly."})

        assert good["Location"].endswith("#L7")
        assert bad["Location"].startswith("/read/?ref=")

    def test_is_404_for_a_shoebox_of_others(self, page: Client, desk: Desk) -> None:
        other = Shoebox.objects.create(
            workspace=make_workspace(), question="Elsewhere?", opened_by=desk.worker, opened_at=NOON
        )

        response = page.post(reverse("evidence:extract", args=[other.public_id]), {"ref": DOC, "quote": RULE})

        assert response.status_code == 404
