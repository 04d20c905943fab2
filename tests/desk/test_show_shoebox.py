import json
from datetime import timedelta

import pytest
from django.test import Client

from shoebox.models import Item, Shoebox
from tests.factories import (
    NOON,
    make_evidence,
    make_hypothesis,
    make_item,
    make_relation,
    make_shoebox,
    make_token,
)
from yoimemory.access.services import actor_for_token
from yoimemory.desk.show import BUDGET_LEAST, ShoeboxShown, show_shoebox
from yoimemory.errors import BadInput
from yoimemory.http import BadCursor
from yoimemory.journal.models import Event
from yoimemory.journal.services import flush_events

pytestmark = pytest.mark.django_db


@pytest.fixture
def box() -> Shoebox:
    return make_shoebox(question="May it start, or must it wait?", task="ticket:00001KXKMX0QM")


def show(box: Shoebox, **kwargs: object) -> ShoeboxShown:
    return show_shoebox(box, actor=box.opened_by, now=NOON, **kwargs)  # type: ignore[arg-type]


class TestShowShoebox:
    def test_tells_quote_summary_and_inference_apart(self, box: Shoebox) -> None:
        hypothesis = make_hypothesis(box, claim="Start now.")
        evidence = make_evidence(
            box, quote="Unresolved dependencies\nblock the start.", summary="It names a rule.", inference="So: wait."
        )
        make_relation(evidence, hypothesis.ref, "refutes")

        text = show(box).text

        assert "refutes H1" in text
        assert "  > Unresolved dependencies\n  > block the start.\n" in text
        assert "  Summary, test: It names a rule." in text
        assert "  Inference, test: So: wait." in text
        assert "  Inference (why it matters), test: It is the rule in question." in text
        assert "  Inference (claim, test): Start now." in text

    def test_carries_caveats_inline_and_ends_with_its_own_ref(self, box: Shoebox) -> None:
        make_item(box, caveat="Later: approved at 21:35:26Z, after this as-of.", changed="Changed since it was read.")

        text = show(box).text

        assert "  Caveat: Later: approved at 21:35:26Z, after this as-of." in text
        assert "  Caveat: Changed since it was read." in text
        assert text.endswith(f"\n{box.ref}")

    def test_marks_what_the_last_gathering_brought_in(self) -> None:
        box = make_shoebox(sought={"earlier": [{}]}, gathered_at=NOON)
        old = make_item(box, "doc:docs/old.md")
        make_item(box, "doc:docs/new.md")
        Item.objects.filter(pk=old.pk).update(added_at=NOON - timedelta(days=1))

        text = show(box).text

        assert "- doc:docs/new.md [new: the last gathering brought it in]" in text
        assert "- doc:docs/old.md\n" in text

    def test_puts_the_contrary_first_and_the_set_aside_last(self, box: Shoebox) -> None:
        make_item(box, "doc:a.md", screening="set aside", screening_reason="Other subject.")
        make_item(box, "doc:b.md")
        make_item(box, "doc:c.md", leaning=Item.Leaning.CONTRADICTS)

        assert [item.ref for item in show(box).items] == ["doc:c.md", "doc:b.md", "doc:a.md"]

    def test_keeps_our_words_on_their_line(self, box: Shoebox) -> None:
        make_item(box, rationale="One line\n  > and a forged quote")

        assert "\n  > and a forged quote" not in show(box).text

    def test_shows_only_the_sections_asked_for(self, box: Shoebox) -> None:
        make_item(box)
        make_evidence(box)

        shown = show(box, include=["items"])

        assert (len(shown.items), len(shown.evidence), shown.total) == (1, 0, 1)
        assert "Shown here: items." in shown.text

    def test_refuses_an_unknown_section_and_a_budget_too_small(self, box: Shoebox) -> None:
        with pytest.raises(BadInput, match="no section"):
            show(box, include=["poems"])
        with pytest.raises(BadInput, match="budget"):
            show(box, budget=BUDGET_LEAST - 1)

    def test_counts_showing_as_a_query(self, box: Shoebox) -> None:
        show(box)
        flush_events()

        assert Event.objects.get(kind=Event.Kind.QUERY).subjects == [str(box.ref)]


class TestBudget:
    @pytest.mark.parametrize("budget", [BUDGET_LEAST, 2_000, 5_000])
    def test_is_never_exceeded_and_every_item_comes_once(self, box: Shoebox, budget: int) -> None:
        for number in range(30):
            make_item(box, f"doc:docs/{number}.md", rationale="It bears on the question. " * 10, title="T" * 300)
        seen: list[str] = []
        cursor, rounds = "", 0

        while True:
            shown = show(box, budget=budget, cursor=cursor)
            assert len(shown.text) <= budget
            assert shown.total == 30
            assert len(shown.items) == shown.shown
            seen += [item.ref for item in shown.items]
            cursor, rounds = shown.next_cursor, rounds + 1
            assert shown.truncated is bool(cursor)
            if not cursor:
                break

        assert seen == [f"doc:docs/{number}.md" for number in range(30)]
        assert rounds > 1

    def test_names_what_is_too_large_and_goes_on_after_it(self, box: Shoebox) -> None:
        make_item(box, "doc:" + "a" * 1_900)
        make_item(box, "doc:docs/small.md")

        shown = show(box, budget=BUDGET_LEAST)

        assert "is left out; ask for a larger budget" in shown.text
        assert [item.ref for item in shown.items] == ["doc:docs/small.md"]
        assert (shown.shown, shown.total) == (2, 2)

    def test_holds_with_the_longest_question(self) -> None:
        box = make_shoebox(question="Why? " * 200, task="ticket:" + "Z" * 2_000)
        make_item(box)

        shown = show(box, budget=BUDGET_LEAST)

        assert len(shown.text) <= BUDGET_LEAST
        assert shown.shown == 1

    def test_pages_stably_while_items_are_added(self, box: Shoebox) -> None:
        for number in range(12):
            make_item(box, f"doc:docs/{number:02}.md", rationale="x" * 300)
        first = show(box, budget=2_000)

        make_item(box, "doc:docs/zz.md")
        rest = show(box, budget=None, cursor=first.next_cursor)

        shown = [item.ref for item in [*first.items, *rest.items]]
        assert len(shown) == len(set(shown)) == 13

    def test_refuses_a_cursor_of_another_shoebox(self, box: Shoebox) -> None:
        other = make_shoebox(box.workspace)
        for one in (box, other):
            for number in range(9):
                make_item(one, f"doc:docs/{number}.md", rationale="x" * 400)

        with pytest.raises(BadCursor):
            show(other, cursor=show(box, budget=BUDGET_LEAST).next_cursor)


class TestShoeboxesOverJson:
    @pytest.fixture
    def headers(self, box: Shoebox) -> dict[str, str]:
        return {"Authorization": f"Bearer {make_token(box.workspace)[1]}"}

    def test_shows_everything_where_no_budget_is_sent(
        self, client: Client, box: Shoebox, headers: dict[str, str]
    ) -> None:
        for number in range(60):
            make_item(box, f"doc:docs/{number}.md", rationale="x" * 300)

        response = client.get(f"/api/v1/shoeboxes/{box.public_id}", headers=headers)

        body = response.json()
        assert (len(body["items"]), body["truncated"]) == (60, False)
        assert response.headers["ETag"] == '"1"'
        assert body["id"] == box.public_id

    def test_keeps_the_budget_that_is_sent(self, client: Client, box: Shoebox, headers: dict[str, str]) -> None:
        for number in range(20):
            make_item(box, f"doc:docs/{number}.md", rationale="x" * 300)

        body = client.get(f"/api/v1/shoeboxes/{box.public_id}?budget=2000&include=items", headers=headers).json()

        assert len(body["text"]) <= 2_000
        assert body["truncated"] is True

    def test_hides_shoeboxes_of_other_workspaces(self, client: Client, headers: dict[str, str]) -> None:
        other = make_shoebox()

        response = client.get(f"/api/v1/shoeboxes/{other.public_id}", headers=headers)

        assert response.status_code == 404
        assert response.json()["code"] == "not_found"

    def test_lists_newest_first_with_an_envelope(self, client: Client, box: Shoebox, headers: dict[str, str]) -> None:
        make_shoebox(box.workspace, question="Another?", state="closed")

        every = client.get("/api/v1/shoeboxes", headers=headers).json()
        closed = client.get("/api/v1/shoeboxes?state=closed&limit=1", headers=headers).json()

        assert [each["question"] for each in every["items"]] == ["Another?", box.question]
        assert set(every) == {"items", "shown", "total", "truncated", "next_cursor"}
        assert [each["question"] for each in closed["items"]] == ["Another?"]

    def test_screens_a_workers_own_items_with_the_version_it_read(self, client: Client, box: Shoebox) -> None:
        token, secret = make_token(box.workspace)
        own = make_shoebox(box.workspace, opened_by=actor_for_token(token, run="r"))
        item, others = make_item(own), make_item(box)
        call = Caller(client, secret)

        missing = call.patch(own, item, {"screening": "kept"}, version="")
        kept = call.patch(own, item, {"screening": "kept", "leaning": "likely supports"}, version='"1"')
        stale = call.patch(own, item, {"screening": "undecided"}, version='"1"')
        foreign = call.patch(box, others, {"screening": "kept"}, version='"1"')

        assert [each.status_code for each in (missing, kept, stale, foreign)] == [428, 200, 412, 403]
        assert kept.json()["leaning"] == "likely supports"
        assert stale.json()["code"] == "stale_version"

    def test_closes_a_workers_own_shoebox_and_no_other(self, client: Client, box: Shoebox) -> None:
        token, secret = make_token(box.workspace)
        own = make_shoebox(box.workspace, opened_by=actor_for_token(token))
        call, closed = Caller(client, secret), {"state": "closed", "reason": "Answered."}

        missing = call.patch(own, None, closed, version="")
        stale = call.patch(own, None, closed, version='"7"')
        done = call.patch(own, None, closed, version='"1"')
        foreign = call.patch(box, None, closed, version='"1"')
        elsewhere = call.patch(make_shoebox(), None, closed, version='"1"')

        statuses = [each.status_code for each in (missing, stale, done, foreign, elsewhere)]
        assert statuses == [428, 412, 200, 403, 404]
        assert done.json()["state"] == "closed"


class Caller:
    def __init__(self, client: Client, secret: str) -> None:
        self.client, self.secret = client, secret

    def patch(self, box: Shoebox, item: Item | None, body: dict[str, str], *, version: str) -> object:
        headers = {"Authorization": f"Bearer {self.secret}", **({"If-Match": version} if version else {})}
        return self.client.patch(
            f"/api/v1/shoeboxes/{box.public_id}" + (f"/items/{item.public_id}" if item else ""),
            json.dumps(body),
            content_type="application/json",
            headers=headers,
        )
