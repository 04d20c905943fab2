"""The reader: any source at its revision, what is quoted from it, and what one must know before trusting it."""

import json
from typing import Any
from urllib.parse import quote

import pytest
from django.test import Client

from evidence.schemas import EvidenceDraft
from evidence.services import extract_evidence
from tests.evidence.conftest import Desk, desk  # noqa: F401 - the fixture
from tests.evidence.repository import THREAD, WORK_ITEMS
from tests.factories import NOON, make_evidence, make_hypothesis, make_shoebox, make_workspace
from yoimemory.journal.models import Event
from yoimemory.journal.services import flush_events
from yoimemory.markers.schemas import MarkerDraft
from yoimemory.markers.services import mark_staleness
from yoimemory.search.services import index_workspace

pytestmark = pytest.mark.django_db

DOC = "doc:docs/work-items.md"
TICKET = "ticket:00001KXKMX0QM/thread"
QUEUED = "Ticket を `workspace-panel` が queued にしました。"


@pytest.fixture
def page(desk: Desk) -> Client:  # noqa: F811
    client = Client()
    assert desk.reviewer.user is not None
    client.force_login(desk.reviewer.user)
    return client


def read(page: Client, ref: str, **query: str) -> Any:
    return page.get("/read/", {"ref": ref, **query})


class TestReader:
    def test_numbers_the_lines_and_links_them(self, page: Client) -> None:
        text = read(page, DOC).text

        assert '<li id="L7"><a class="ln" href="#L7">7</a>' in text
        assert "as committed" in text
        assert "10 lines" in text

    def test_shows_events_as_cards_with_who_and_when(self, page: Client) -> None:
        text = read(page, TICKET).text

        assert text.count('<article class="event') == 3
        assert "<b>state changed</b><span>workspace-panel</span>" in text
        assert "2026-07-15 21:26:15Z" in text
        assert "ready → queued" in text
        assert "&lt;!-- event" not in text
        assert "queued にしました" in text

    def test_shows_turns_of_a_session(self, page: Client, desk: Desk) -> None:  # noqa: F811
        log = [
            {"role": "user", "content": "May it start?", "timestamp": "2026-07-15T21:00:00Z"},
            {"role": "assistant", "content": "No, two tickets block it.", "timestamp": "2026-07-15T21:00:05Z"},
        ]
        desk.repository.write(".yoi/sessions/s1.jsonl", "".join(json.dumps(entry) + "\n" for entry in log))
        desk.repository.commit()

        text = read(page, "session:plain/s1").text

        assert text.count('<article class="event') == 2
        assert "2 turns" in text
        assert ">human<" in text
        assert ">agent<" in text

    def test_marks_events_later_than_the_as_of(self, page: Client, desk: Desk) -> None:  # noqa: F811
        desk.shoebox.as_of = NOON.replace(day=15, hour=21, minute=26, second=30)
        desk.shoebox.save()

        text = read(page, TICKET, shoebox=desk.shoebox.public_id).text

        assert text.count('<article class="event later"') == 1
        assert "later than as of 2026-07-15 21:26:30Z" in text
        assert "Routing decision: blocked_by_dependency" in text

    def test_highlights_what_is_quoted_and_lists_it(self, page: Client, desk: Desk) -> None:  # noqa: F811
        hypothesis = make_hypothesis(desk.shoebox, claim="Start now.")
        draft = EvidenceDraft(ref=TICKET, quote=QUEUED, why="w", relation="supports", target=str(hypothesis.ref))
        extract_evidence(desk.shoebox, [draft], actor=desk.reviewer, now=NOON)

        text = read(page, TICKET, shoebox=desk.shoebox.public_id).text

        assert f'<span class="hl h-s">{QUEUED.split("`")[0]}' in text
        assert '<a href="#L11">L11</a>' in text
        assert "H1 Start now." in text

    def test_toggles_to_rendered_markdown(self, page: Client) -> None:
        text = read(page, DOC, view="rendered").text

        assert "<h2>Blockers</h2>" in text
        assert 'class="prose" hx-disable' in text
        assert 'id="strip"' not in text

    def test_reads_an_earlier_revision_and_says_that_it_changed(self, page: Client, desk: Desk) -> None:  # noqa: F811
        first = desk.repository.commit("state one")
        desk.repository.write("docs/work-items.md", "# Work items\n\nAll is new.\n")
        desk.repository.commit()

        text = read(page, f"{DOC}@{first[:8]}").text

        assert "queue and acceptance blockers" in text
        assert "The source has changed since this revision." in text

    def test_says_when_the_text_is_not_committed(self, page: Client, desk: Desk) -> None:  # noqa: F811
        desk.repository.write("docs/work-items.md", WORK_ITEMS + "\nNew.\n")

        text = read(page, DOC).text

        assert "as it stands on disk" in text
        assert "in no commit" in text

    def test_says_when_text_was_lost_in_decoding(self, page: Client, desk: Desk) -> None:  # noqa: F811
        desk.repository.write("docs/odd.md", b"some words \xff\xfe here and more words\n")

        assert "Decoded with losses" in read(page, "doc:docs/odd.md").text

    def test_shows_markers_of_the_source(self, page: Client, desk: Desk) -> None:  # noqa: F811
        draft = MarkerDraft(target=DOC, state="stale", reason="Slice 2 changed it.")
        mark_staleness(draft, workspace=desk.workspace, actor=desk.reviewer, now=NOON)

        assert "Slice 2 changed it." in read(page, DOC).text

    def test_writes_hidden_characters_out_and_says_so(self, page: Client, desk: Desk) -> None:  # noqa: F811
        desk.repository.write("docs/bidi.md", "safe \u202etxt.exe words\n")

        text = read(page, "doc:docs/bidi.md").text

        assert "U+202E" in text
        assert "One hidden character is written out" in text
        assert "\u202e" not in text

    def test_shows_a_long_text_in_parts(self, page: Client, desk: Desk) -> None:  # noqa: F811
        desk.repository.write("docs/long.md", "".join(f"line {number}\n" for number in range(1, 5_001)))

        start = read(page, "doc:docs/long.md").text
        middle = read(page, "doc:docs/long.md#L3000").text

        assert "Lines 1 to 1,500 of 5,000." in start
        assert "Later lines" in start
        assert '<li id="L3000" class="cur"' in middle
        assert "Earlier lines" in middle

    def test_offers_the_parts_of_a_ticket(self, page: Client, desk: Desk) -> None:  # noqa: F811
        index_workspace(desk.workspace, now=NOON)

        text = read(page, "ticket:00001KXKMX0QM").text

        assert ">Thread</a>" in text
        assert 'aria-current="page">Item</a>' in text

    def test_names_the_shoeboxes_that_words_can_go_into(self, page: Client, desk: Desk) -> None:  # noqa: F811
        make_shoebox(desk.workspace, question="Another question?")

        text = read(page, DOC).text

        assert "Capture into" in text
        assert "Another question?" in text

    def test_captures_into_the_only_open_shoebox(self, page: Client, desk: Desk) -> None:  # noqa: F811
        assert f'data-shoebox="{desk.shoebox.public_id}"' in read(page, DOC).text

    def test_records_that_it_was_opened(self, page: Client, desk: Desk) -> None:  # noqa: F811
        read(page, DOC)
        flush_events()

        event = Event.objects.get(kind=Event.Kind.SOURCE_OPENED)
        assert event.subjects[0].startswith(f"{DOC}@")
        assert event.actor == desk.reviewer

    @pytest.mark.parametrize("ref", [f"{DOC}#heading=blockers", f"{DOC}#L7-L9", f"{TICKET}#event-2", f"{DOC}#L9999"])
    def test_opens_every_kind_of_part(self, page: Client, ref: str) -> None:
        response = read(page, ref)

        assert response.status_code == 200
        assert ("has no part" in response.text) == ref.endswith("L9999")

    def test_puts_the_text_into_the_page_as_it_is(self, page: Client, desk: Desk) -> None:  # noqa: F811
        desk.repository.write(
            ".yoi/tickets/00001KXKMX0QM/thread.md", THREAD.replace("Routing decision", "<script>x</script>")
        )

        text = read(page, TICKET).text

        assert "&lt;script&gt;x&lt;/script&gt;" in text


class TestWhatIsNotThere:
    def test_is_404_and_names_the_nearest(self, page: Client, desk: Desk) -> None:  # noqa: F811
        index_workspace(desk.workspace, now=NOON)

        response = read(page, "doc:docs/work-itms.md")

        assert response.status_code == 404
        assert f"/read/?ref={quote(DOC, safe='')}" in response.text

    def test_is_404_for_what_is_no_ref(self, page: Client, desk: Desk) -> None:  # noqa: F811
        index_workspace(desk.workspace, now=NOON)

        assert read(page, "nonsense words").status_code == 404

    def test_still_shows_what_was_quoted_from_it(self, page: Client, desk: Desk) -> None:  # noqa: F811
        make_evidence(desk.shoebox, place="doc:docs/gone.md", quote="These words were kept for later.")

        response = read(page, "doc:docs/gone.md")

        assert response.status_code == 404
        assert "These words were kept for later." in response.text

    def test_tells_a_binary_file_apart(self, page: Client, desk: Desk) -> None:  # noqa: F811
        desk.repository.write("docs/picture.md", bytes(range(256)) * 20)

        response = read(page, "doc:docs/picture.md")

        assert response.status_code == 409
        assert "cannot be read" in response.text

    def test_leads_our_own_refs_to_their_pages(self, page: Client, desk: Desk) -> None:  # noqa: F811
        evidence, hypothesis = make_evidence(desk.shoebox), make_hypothesis(desk.shoebox)

        assert read(page, str(evidence.ref))["Location"] == f"/evidence/{evidence.public_id}/"
        assert read(page, str(hypothesis.ref))["Location"] == f"/hypotheses/{hypothesis.public_id}/"
        assert read(page, str(desk.shoebox.ref))["Location"] == f"/shoeboxes/{desk.shoebox.public_id}/"

    def test_is_404_in_a_workspace_of_others(self, page: Client) -> None:
        other = make_workspace()

        assert read(page, f"{other.slug}::{DOC}").status_code == 404

    def test_leads_to_the_sources_without_a_ref(self, page: Client) -> None:
        assert page.get("/read/")["Location"] == "/sources/"
