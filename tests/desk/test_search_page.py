"""The search page and the list of sources."""

import re
from datetime import timedelta
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from django.http import QueryDict
from django.test import Client
from django.urls import reverse

from tests.factories import NOON, make_item, make_owner, make_shoebox
from tests.search.shelf import Shelf, doc, make_shelf, passages
from tests.search.test_search_sources import put_many, put_six, put_two
from tests.surfaces.payloads import hostile_lists
from yoimemory.search.models import Document
from yoimemory.sources.reading import Unreadable

pytestmark = pytest.mark.django_db


@pytest.fixture
def shelf(monkeypatch: pytest.MonkeyPatch, db: None) -> Shelf:
    return make_shelf(monkeypatch)


@pytest.fixture
def page(client: Client, shelf: Shelf) -> Any:
    """Ask for the search page as an owner."""
    client.force_login(make_owner().user)

    def get(part: str = "", **params: Any) -> Any:
        headers = {"HX-Request": "true", "HX-Target": part} if part else {}
        return client.get(reverse("desk:search"), params, headers=headers)

    return get


class TestSearchPage:
    def test_leads_from_a_near_miss_to_what_was_meant(self, shelf: Shelf, page: Any) -> None:
        shelf.put(doc("doc:docs/plan.md", "The orchestrator asks."))
        shelf.index()

        html = page(q="orchestator", kinds="doc").content.decode()

        assert re.search(r'Did you mean <a href="\?q=orchestrator&amp;kinds=doc[^"]*">orchestrator</a>\?', html)

    def test_shows_verbatim_hits_with_marks_and_reasons(self, shelf: Shelf, page: Any) -> None:
        put_two(shelf)

        text = page(q="lock").text

        assert "The <mark>lock</mark> is old." in text
        assert "2 passages in 2 sources" in text
        assert "The lines shown hold “lock”." in text
        assert "nothing filtered out" in text
        assert "every record readable" in text

    def test_invites_to_ask_when_nothing_is_asked(self, shelf: Shelf, page: Any) -> None:
        put_two(shelf)

        text = page().text

        assert "Nothing asked yet" in text
        assert "kinds=session" in text

    def test_goes_straight_to_an_address(self, shelf: Shelf, page: Any) -> None:
        shelf.put(doc("doc:docs/guide.md", "x"))
        shelf.index()

        answer = page(q="docs/guide.md")

        assert answer.status_code == 302
        assert answer["Location"] == reverse("desk:read") + "?ref=doc%3Adocs%2Fguide.md"

    def test_stays_for_an_address_that_leads_nowhere_and_names_the_nearest(self, shelf: Shelf, page: Any) -> None:
        shelf.put(doc("doc:docs/guide.md", "x"))
        shelf.index()

        answer = page(q="doc:docs/giude.md")

        assert answer.status_code == 200
        assert "doc:docs/guide.md" in answer.text

    def test_tells_filtered_from_empty(self, shelf: Shelf, page: Any) -> None:
        put_two(shelf)

        assert "Everything that matches is filtered out" in page(q="lock", kinds="commit").text
        assert "Nothing holds these words" in page(q="zebra").text

    def test_tells_an_index_that_was_never_built(self, shelf: Shelf, page: Any) -> None:
        assert "The sources were never read" in page(q="lock").text

    def test_counts_what_could_not_be_read(self, shelf: Shelf, page: Any) -> None:
        put_two(shelf)
        shelf.put(Unreadable("broken.md", "It is not text."))
        shelf.index()

        assert "1 record not readable" in page(q="lock").text

    def test_ticks_no_facet_that_nobody_chose(self, shelf: Shelf, page: Any) -> None:
        put_two(shelf)

        unasked, chosen = page(q="lock").text, page(q="lock", kinds="doc").text

        assert not re.search(r'name="(kinds|states|languages|authority)" value="[^"]*" checked', unasked)
        assert re.findall(r'name="kinds" value="([^"]*)" checked', chosen) == ["doc"]

    def test_narrows_by_facets_and_answers_only_the_part(self, shelf: Shelf, page: Any) -> None:
        put_two(shelf)

        text = page("results", q="lock", kinds="doc").text

        assert "<html" not in text
        assert "1 filtered out" in text
        assert "The <mark>lock</mark> is old." in text
        assert "is new." not in text

    def test_puts_contrary_hits_apart(self, shelf: Shelf, page: Any) -> None:
        events = passages("The lock is refused.", signals=("rejected",))
        shelf.put(doc("ticket:00001KXKMX0QM/thread", "a", passages=events))
        shelf.put(doc("doc:a.md", "The lock is fine."))
        shelf.index()

        text = page("results", q="lock", stance="disconfirming").text

        assert text.index("May speak against it") < text.index("is refused") < text.index("For it, or neither")
        assert "it was rejected" in text

    def test_flags_what_is_later(self, shelf: Shelf, page: Any) -> None:
        put_two(shelf)

        text = page("results", q="lock", as_of=f"{NOON - timedelta(hours=2):%Y-%m-%dT%H:%M}").text

        assert "Later than 2026-07-16 10:00Z" in text

    def test_offers_to_add_each_hit_to_a_shoebox(self, shelf: Shelf, page: Any) -> None:
        put_two(shelf)
        shoebox = make_shoebox(shelf.workspace)

        text = page(q="lock").text

        assert reverse("shoebox:add", args=[shoebox.public_id]) in text
        assert 'name="rationale" value="Found by searching “lock”.' in text

    def test_names_the_shoeboxes_of_a_hit_in_one_line(self, shelf: Shelf, page: Any) -> None:
        put_two(shelf)
        source = Document.objects.order_by("pk").values_list("ref", flat=True)[0]
        for question in ("First?", "Second?", "Third?"):
            make_item(make_shoebox(shelf.workspace, question=question), ref=source)
        gone = make_shoebox(shelf.workspace, question="Gone?", state="discarded")
        make_item(gone, ref=source)

        text = page("results", q="lock").text

        assert "in shoebox “First?”, “Second?” and 1 more</span>" in text
        assert "Gone?" not in text

    def test_pages_on(self, shelf: Shelf, page: Any) -> None:
        put_many(shelf, 30)

        text = page(q="lock").text

        assert "more on the next page" in text
        assert "cursor=" in text

    def test_shows_the_first_page_for_an_old_cursor(self, shelf: Shelf, page: Any) -> None:
        put_two(shelf)

        answer = page(q="lock", cursor="nonsense")

        assert answer.status_code == 200
        assert "This is the first page." in answer.text

    @pytest.mark.parametrize("name", ["kinds", "authority", "speaker", "as_of", "stance", "since"])
    def test_narrows_nothing_by_what_it_cannot_read(self, shelf: Shelf, page: Any, name: str) -> None:
        put_two(shelf)

        assert "2 passages in 2 sources" in page(**{"q": "lock", name: "nonsense"}).text

    def test_escapes_what_sources_hold(self, shelf: Shelf, page: Any) -> None:
        shelf.put(doc("doc:a.md", "lock <script>alert(1)</script>", title="<b>bold</b>"))
        shelf.index()

        text = page(q="lock").text

        assert "<script>alert" not in text
        assert "<b>bold" not in text

    def test_answers_any_text(self, shelf: Shelf, page: Any, tmp_path: Path) -> None:
        put_six(shelf)

        for query in hostile_lists(tmp_path)["search_queries"]:
            if "\ud83d" not in query:  # no browser can send half a character
                assert page("results", q=query).status_code == 200, repr(query[:40])

    def test_keeps_its_number_of_queries_as_hits_double(
        self, shelf: Shelf, page: Any, django_assert_max_num_queries: Any
    ) -> None:
        put_many(shelf, 15)

        with django_assert_max_num_queries(40):
            page(q="lock")


class TestSourcesPage:
    def test_lists_sources_with_counts_by_kind(self, shelf: Shelf, client: Client) -> None:
        put_two(shelf)
        client.force_login(make_owner().user)

        text = client.get(reverse("desk:sources")).text

        assert "doc:docs/a.md" in text
        assert "session:plain/log" in text
        assert "Every record could be read." in text

    def test_narrows_and_pages(self, shelf: Shelf, client: Client) -> None:
        put_two(shelf)
        put_many(shelf, 60)
        client.force_login(make_owner().user)

        one = client.get(reverse("desk:sources"), {"kinds": "session"}).text
        named = client.get(reverse("desk:sources"), {"q": "many/7"}).text
        second = client.get(reverse("desk:sources"), {"page": "2"}).text

        assert "doc:docs/a.md" not in one
        assert "doc:many/7.md" in named
        assert "page 2 of 2" in second

    def test_lists_what_could_not_be_read(self, shelf: Shelf, client: Client) -> None:
        shelf.put(
            Unreadable("docs/broken.md", "The front matter does not end; close it.", line=3), doc("doc:b.md", "x")
        )
        shelf.index()
        client.force_login(make_owner().user)

        text = client.get(reverse("desk:sources")).text

        assert "docs/broken.md" in text
        assert "The front matter does not end; close it." in text

    def test_says_what_to_do_when_there_is_nothing(self, shelf: Shelf, client: Client) -> None:
        client.force_login(make_owner().user)

        assert "No sources yet" in client.get(reverse("desk:sources")).text


class TestEveryNothing:
    """Each kind of nothing has its sentence, and says what to do next."""

    def test_empty(self, shelf: Shelf, page: Any) -> None:
        put_two(shelf)

        assert "Try fewer or other words" in page(q="zebra").text

    def test_filtered(self, shelf: Shelf, page: Any) -> None:
        put_two(shelf)

        assert "match without the filters" in page(q="lock", path="nowhere/**").text

    def test_filtered_leads_to_the_words_without_the_fields_that_were_typed(self, shelf: Shelf, page: Any) -> None:
        put_two(shelf)

        text = page(q='lock "stale lock" path:nowhere/**').text

        assert 'href="?q=lock+%22stale+lock%22&amp;stay=1">Search without them' in text

    def test_out_of_scope_by_revision(self, shelf: Shelf, page: Any) -> None:
        put_two(shelf)

        text = page(q="lock", revision="b" * 40).text

        assert "The index does not hold this revision" in text
        assert "Leave the revision out, or index it first." in text

    def test_out_of_scope_by_kind(self, shelf: Shelf, page: Any) -> None:
        put_two(shelf)

        text = page(q="zebra", kinds="branch").text

        assert "The index does not hold this kind" in text
        assert "The index holds nothing of the kind branch" in text

    def test_unreadable(self, shelf: Shelf, page: Any) -> None:
        shelf.put(Unreadable("docs/broken.md", "no text"))
        shelf.index()

        assert "1 record could not be read" in page(q="zebra").text

    def test_index_behind(self, shelf: Shelf, page: Any) -> None:
        assert "The sources were never read." in page(q="lock").text


class TestAroundTheHits:
    def test_shows_more_of_one_source(self, shelf: Shelf, page: Any) -> None:
        shelf.put(doc("session:plain/log", "lock\n\nlock", passages=passages("lock", "lock", fragment="entry")))
        shelf.index()

        text = page(q="lock").text
        further = re.search(r'href="\?([^"]*per_source=20[^"]*)"', text)

        assert further is not None
        assert "path=plain%2Flog" in further[1]
        assert page(q="lock", path="plain/log", per_source="20").text.count('class="row stack hit"') == 2

    def test_leads_through_all_passages_of_one_source(self, shelf: Shelf, page: Any) -> None:
        turns = passages(*(f"lock {number}" for number in range(45)), fragment="entry")
        shelf.put(doc("session:plain/log", "\n\n".join(f"lock {n}" for n in range(45)), passages=turns))
        shelf.index()
        seen: list[str] = []
        found = re.search(r'href="\?([^"]*)">44 more passages from this source', page(q="lock").text)

        while found is not None:
            text = page(**QueryDict(unescape(found[1])).dict()).text
            seen += re.findall(r'class="ref" title="([^"]*)"', text)
            found = re.search(r'href="\?([^"]*)">Further hits', text)

        assert len(seen) == len(set(seen)) == 45

    def test_seeks_disconfirming_by_a_button(self, shelf: Shelf, page: Any) -> None:
        put_two(shelf)

        assert re.search(
            r'id="seek" href="\?q=lock&amp;stance=disconfirming[^"]*">Seek disconfirming', page(q="lock").text
        )

    @pytest.mark.parametrize(
        ("sent", "shown"),
        [
            ({"as_of": "2026-06-01T00:00:00Z"}, 'name="as_of" value="2026-06-01T00:00"'),
            ({"as_of": "2026-06-01T09:00:05+09:00"}, 'name="as_of" value="2026-06-01T00:00:05"'),
            ({"since": "2026-06-01T00:00:00Z"}, 'name="since" value="2026-06-01"'),
            ({"until": "2026-06-02T00:00:00Z"}, 'name="until" value="2026-06-01"'),
            ({"until": "2026-06-01"}, 'name="until" value="2026-06-01"'),
            ({"as_of": "yesterday"}, 'name="as_of" value=""'),
        ],
    )
    def test_gives_each_field_its_date_back_however_the_address_wrote_it(
        self, shelf: Shelf, page: Any, sent: dict[str, str], shown: str
    ) -> None:
        put_two(shelf)

        assert shown in page(q="lock", **sent).text

    def test_counts_apart_what_speaks_against_it_later_than_the_as_of(self, shelf: Shelf, page: Any) -> None:
        shelf.put(doc("doc:a.md", "The lock was rejected.", at=NOON))
        shelf.put(doc("doc:b.md", "The lock was abandoned.", at=NOON - timedelta(days=400)))
        shelf.index()

        text = page(q="lock", stance="disconfirming", as_of=f"{NOON - timedelta(days=30):%Y-%m-%dT%H:%M}").text

        assert (
            'May speak against it <span class="n">2</span></h2><span class="r">1 of them later than the as-of' in text
        )
        assert "Covers 2 sources (2 doc)" in text

    def test_searches_inside_a_shoebox_and_names_it(self, shelf: Shelf, page: Any) -> None:
        put_two(shelf)
        box = make_shoebox(shelf.workspace, question="Is it stale?")

        text = page(q="lock", shoebox=box.public_id).text

        assert "Everything that matches is filtered out" in text
        assert "Is it stale?</a> only." in text

    def test_says_when_the_shoebox_is_not_there(self, shelf: Shelf, page: Any) -> None:
        put_two(shelf)

        assert (
            "There is no shoebox NONE in this workspace. Everything was searched."
            in page(q="lock", shoebox="NONE").text
        )
