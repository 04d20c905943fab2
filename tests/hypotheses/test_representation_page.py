"""The list of representations and the page of one."""

import json
import re
from datetime import timedelta
from pathlib import Path

import pytest
from django.contrib.staticfiles import finders
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from evidence.models import Evidence, Placement
from hypotheses.models import Representation
from hypotheses.schemas import RepresentationDraft
from hypotheses.services import create_representation
from shoebox.models import Shoebox
from tests.factories import (
    NOON,
    make_evidence,
    make_hypothesis,
    make_owner,
    make_person,
    make_relation,
    make_shoebox,
    make_worker,
    make_workspace,
)

pytestmark = pytest.mark.django_db

HTMX = {"HX-Request": "true"}


@pytest.fixture(autouse=True)
def logged_in(client: Client) -> None:
    actor = make_owner()
    assert actor.user is not None
    client.force_login(actor.user)


def make_dated(shoebox: Shoebox | None = None, count: int = 6) -> list[Evidence]:
    """Evidence of several minutes, the last of it later than the as-of."""
    shoebox = shoebox or make_shoebox(as_of=NOON + timedelta(minutes=count - 2))
    return [
        make_evidence(
            shoebox, quote=f"Line number {number} of the thread.", said_at=NOON + timedelta(minutes=number),
            place="ticket:00001KXKMX0QM/thread" if number % 2 else "doc:docs/guide.md",
        )
        for number in range(count)
    ]  # fmt: skip


def make_timeline(shoebox: Shoebox) -> Representation:
    draft = RepresentationDraft(kind="timeline", shoebox=shoebox.public_id)
    worker = make_worker(shoebox.workspace)
    return create_representation(draft, workspace=shoebox.workspace, actor=worker, now=NOON)


def page_of(client: Client, made: Representation) -> str:
    return client.get(reverse("hypotheses:representation", args=[made.public_id])).text


class TestList:
    def test_shows_which_ones_are_behind(self, client: Client) -> None:
        [first, *_] = make_dated()
        make_timeline(first.shoebox)
        Placement.objects.create(evidence=first, state="moved", method="exact", at=NOON, start_line=3)

        text = client.get(reverse("hypotheses:representations")).text

        assert "behind: 1 moved" in text

    def test_says_what_to_do_when_it_is_empty(self, client: Client) -> None:
        make_workspace()

        assert "then build its timeline." in client.get(reverse("hypotheses:representations")).text

    def test_costs_the_same_for_many(
        self, client: Client, django_assert_max_num_queries: DjangoAssertNumQueries
    ) -> None:
        [first, *_] = make_dated()
        url = reverse("hypotheses:representations")
        headers = {**HTMX, "HX-Target": "representations"}
        for count in (2, 6):
            for _ in range(count):
                make_timeline(first.shoebox)
            with django_assert_max_num_queries(20):
                assert client.get(url, headers=headers).status_code == 200


class TestRepresent:
    def test_builds_and_goes_there(self, client: Client) -> None:
        [first, *_] = make_dated()

        response = client.post(
            reverse("hypotheses:represent"), {"shoebox": first.shoebox.public_id, "kind": "timeline"}
        )

        made = Representation.objects.get()
        assert response.headers["Location"] == reverse("hypotheses:representation", args=[made.public_id])

    def test_answers_htmx_with_a_fresh_form_and_the_event(self, client: Client) -> None:
        [first, *_] = make_dated()
        data = {"shoebox": first.shoebox.public_id, "kind": "timeline"}

        response = client.post(reverse("hypotheses:represent"), data, headers={**HTMX, "HX-Target": "represent"})

        assert "representation-created" in response.headers["HX-Trigger"]
        assert 'id="represent"' in response.text

    def test_says_that_there_is_nothing_to_build_from(self, client: Client) -> None:
        shoebox = make_shoebox()
        data = {"shoebox": shoebox.public_id, "kind": "timeline"}

        response = client.post(reverse("hypotheses:represent"), data, headers={**HTMX, "HX-Target": "represent"})

        assert response.status_code == 422
        assert "There is no evidence to build from." in response.text


class TestTimelinePage:
    def test_draws_a_link_to_the_row_for_each_dot(self, client: Client) -> None:
        [first, *rest] = make_dated()

        text = page_of(client, make_timeline(first.shoebox))

        for number in range(1, len(rest) + 2):
            assert f'href="#row-{number}"' in text
            assert f'id="row-{number}"' in text

    def test_has_no_style_attribute_anywhere(self, client: Client) -> None:
        [first, *_] = make_dated()

        assert " style=" not in page_of(client, make_timeline(first.shoebox))

    def test_takes_every_class_of_the_picture_from_the_style_sheets(self, client: Client) -> None:
        [first, second, *_] = make_dated()
        hypothesis = make_hypothesis(first.shoebox)
        make_relation(first, hypothesis.ref, "supports")
        make_relation(second, hypothesis.ref, "refutes")
        files = [str(finders.find(f"yoimemory/{name}.css")) for name in ("look", "site")]
        sheets = "".join(Path(file).read_text() for file in files)

        text = page_of(client, make_timeline(first.shoebox))

        drawn = {
            name for words in re.findall(r'<(?:path|circle|text)[^>]*class="([^"]+)"', text) for name in words.split()
        }
        assert drawn
        assert all(f".{name}" in sheets for name in drawn)

    def test_draws_the_as_of_line_and_flags_what_is_later(self, client: Client) -> None:
        [first, *_] = make_dated()

        text = page_of(client, make_timeline(first.shoebox))

        assert 'class="g-asof"' in text
        assert "as of 2026-07-16 12:04:00Z, later is open" in text
        assert text.count('<span class="st st-w">later</span>') == 1

    def test_shows_evidence_that_moved_beside_the_row(self, client: Client) -> None:
        [first, *_] = make_dated()
        made = make_timeline(first.shoebox)
        Placement.objects.create(evidence=first, state="orphaned", method="exact", at=NOON)

        text = page_of(client, made)

        assert "</a> was verified, now orphaned." in text
        assert '<span class="st st-w">was verified</span>' in text

    def test_colours_by_one_hypothesis_on_request(self, client: Client) -> None:
        [first, *_] = make_dated()
        hypothesis = make_hypothesis(first.shoebox)
        make_relation(first, hypothesis.ref, "refutes")
        url = reverse("hypotheses:representation", args=[make_timeline(first.shoebox).public_id])

        text = client.get(url, {"toward": str(hypothesis.ref)}).text

        assert 'class="g-r"' in text
        assert 'aria-current="true">H1' in text

    def test_shows_the_table_even_when_nothing_has_a_date(self, client: Client) -> None:
        evidence = make_evidence()

        text = page_of(client, make_timeline(evidence.shoebox))

        assert "so there is no picture" in text
        assert "Without a date" in text

    def test_rebuilds_in_place(self, client: Client) -> None:
        [first, *_] = make_dated()
        made = make_timeline(first.shoebox)
        Placement.objects.create(evidence=first, state="moved", method="exact", at=NOON, start_line=3)
        url = reverse("hypotheses:rebuild", args=[made.public_id])

        response = client.post(url, {"version": 1}, headers={**HTMX, "HX-Target": "representation"})

        assert "representation-rebuilt" in response.headers["HX-Trigger"]
        assert '<span class="st">current</span>' in response.text
        assert "<html" not in response.text

    def test_refuses_to_rebuild_from_an_old_page(self, client: Client) -> None:
        [first, *_] = make_dated()
        made = make_timeline(first.shoebox)
        url = reverse("hypotheses:rebuild", args=[made.public_id])
        client.post(url, {"version": 1})

        response = client.post(url, {"version": 1}, headers={**HTMX, "HX-Target": "representation"})

        assert response.status_code == 409
        assert "since you read version 1" in response.text


class TestDownload:
    def test_offers_markdown_and_json(self, client: Client) -> None:
        [first, *_] = make_dated()
        made = make_timeline(first.shoebox)

        markdown = client.get(reverse("hypotheses:download", args=[made.public_id, "timeline.md"]))
        machine = client.get(reverse("hypotheses:download", args=[made.public_id, "timeline.json"]))

        assert markdown.headers["Content-Type"] == "text/markdown; charset=utf-8"
        assert markdown.headers["Content-Disposition"].startswith("attachment")
        assert markdown.text.startswith("# Timeline: May it start now?")
        assert json.loads(machine.content)["ref"] == str(made.ref)

    def test_offers_nothing_else(self, client: Client) -> None:
        [first, *_] = make_dated()
        made = make_timeline(first.shoebox)

        response = client.get(reverse("hypotheses:download", args=[made.public_id, "timeline.exe"]))

        assert response.status_code == 404


class TestZoom:
    def made(self) -> Representation:
        shoebox = make_shoebox()
        for days, where in ((0, "doc:docs/guide.md"), (1, "ticket:00001KXKMX0QM/thread"), (60, "doc:docs/guide.md")):
            at = NOON + timedelta(days=days)
            make_evidence(shoebox, said_at=at, place=where, quote=f"This was written on day {days}.")
        return make_timeline(shoebox)

    def test_shows_only_the_days_asked_for_under_their_own_numbers(self, client: Client) -> None:
        url = reverse("hypotheses:representation", args=[self.made().public_id])

        text = client.get(url, {"since": "2026-09-01", "until": "2026-09-30"}).text

        assert "on day 60." in text
        assert "on day 1." not in text
        assert 'href="#row-3"' in text
        assert 'id="row-3"' in text
        assert '<span class="n">1 of 3</span>' in text

    def test_links_to_each_month_and_each_lane(self, client: Client) -> None:
        url = reverse("hypotheses:representation", args=[self.made().public_id])

        text = client.get(url, {"lane": "Docs"}).text

        assert 'href="?lane=Docs&amp;since=2026-07-01&amp;until=2026-07-31">2026-07</a>' in text
        assert 'href="?lane=Tickets">Tickets</a>' in text
        assert 'href="?lane=Docs" aria-current="true">Docs</a>' in text
        assert "on day 1." not in text

    def test_keeps_the_stretch_when_it_is_coloured(self, client: Client) -> None:
        made = self.made()
        hypothesis = make_hypothesis(made.shoebox)
        for evidence in made.shoebox.evidence.all():
            make_relation(evidence, hypothesis.ref, "refutes")
        again = make_timeline(made.shoebox)

        text = client.get(reverse("hypotheses:representation", args=[again.public_id]), {"since": "2026-09-01"}).text

        assert f"?since=2026-09-01&amp;toward=hypothesis%3A{hypothesis.public_id}" in text

    @pytest.mark.parametrize(
        ("query", "said"),
        [
            ({"since": "yesterday"}, "is no day. Write it as 2026-07-16."),
            ({"since": "2026-09-02", "until": "2026-09-01"}, "The first day is after the last."),
            ({"since": "2027-01-01"}, "No row stands in this stretch."),
        ],
    )
    def test_says_what_to_do_about_a_stretch_that_shows_nothing(
        self, client: Client, query: dict[str, str], said: str
    ) -> None:
        text = client.get(reverse("hypotheses:representation", args=[self.made().public_id]), query).text

        assert said in text


class TestReviewChecklist:
    def test_is_offered_as_a_task_list_and_as_a_review_of_the_ticket(self, client: Client) -> None:
        shoebox = make_shoebox(task="ticket:00001KXKMX0QM")
        evidence = make_evidence(shoebox)
        rows = [
            {"check": "Both targets are closed.", "done": True, "refs": [str(evidence.ref)]},
            {"check": "The diff stays small."},
        ]
        draft = RepresentationDraft(kind="review_checklist", shoebox=shoebox.public_id, body={"rows": rows})
        made = create_representation(draft, workspace=shoebox.workspace, actor=make_person(shoebox.workspace), now=NOON)

        text = client.get(reverse("hypotheses:download", args=[made.public_id, "review_checklist.md"])).text

        assert f"- [x] Both targets are closed. ({evidence.ref})" in text
        assert "- [ ] The diff stays small." in text
        page = page_of(client, made)
        assert "?target=ticket_review&amp;path=ticket%3A00001KXKMX0QM&amp;shoebox=" in page
        assert f"- [x] Both targets are closed. ({evidence.ref})\n- [ ] The diff stays small." in page
