"""Evidence goes out as Web Annotations and comes back in through the gate."""

import json
from urllib.parse import unquote

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from evidence.annotations import NotAnAnnotation, page_of_annotations, read_annotations, to_annotation
from evidence.models import Evidence
from evidence.schemas import EvidenceDraft
from evidence.services import extract_evidence, take_in_annotations, taking
from evidence.standing import evidence_outs
from evidence.views import queueing
from tests.evidence.conftest import Desk
from tests.factories import NOON, make_evidence, make_shoebox

pytestmark = pytest.mark.django_db

DOC = "doc:docs/work-items.md"
JAPANESE = "依存関係が解決するまで開始してはならない、と運用文書にある。"


@pytest.fixture
def quoted(desk: Desk) -> Evidence:
    draft = EvidenceDraft(ref=DOC, quote=JAPANESE, why="The rule.", inference="So it waits.", relation="refutes")
    return extract_evidence(desk.shoebox, [draft], actor=desk.reviewer, now=NOON).stored[0]


class TestExport:
    def test_carries_quote_position_and_time_state(self, quoted: Evidence) -> None:
        annotation = to_annotation(evidence_outs([quoted])[0])

        exact, position = annotation["target"]["selector"]
        assert (exact["type"], exact["exact"]) == ("TextQuoteSelector", JAPANESE)
        assert exact["prefix"].endswith("blockers.\n")
        assert (position["type"], position["start"]) == ("TextPositionSelector", quoted.start)
        assert annotation["target"]["state"]["type"] == "TimeState"
        assert annotation["target"]["state"]["yoimemory:revision"] == quoted.revision
        assert annotation["target"]["source"].startswith("urn:yoimemory:source:doc:docs/work-items.md")

    def test_tells_our_words_apart_by_purpose_and_author(self, quoted: Evidence) -> None:
        bodies = to_annotation(evidence_outs([quoted])[0])["body"]

        told = {body["purpose"]: body.get("value", "") for body in bodies}
        assert told["assessing"] == "The rule."
        assert told["commenting"] == "So it waits."
        assert {body["creator"] for body in bodies if body["type"] == "TextualBody"} == {"rin"}

    def test_is_offered_over_json_and_as_a_file(self, desk: Desk, quoted: Evidence, client: Client) -> None:
        assert desk.reviewer.user is not None
        client.force_login(desk.reviewer.user)

        one = client.get(f"/api/v1/evidence/{quoted.public_id}/annotation").json()
        page = client.get("/api/v1/annotations", {"shoebox": str(desk.shoebox.ref)}).json()
        sent = client.get(reverse("evidence:annotations", args=[desk.shoebox.public_id]))

        assert one["type"] == "Annotation"
        assert page["items"][0]["id"] == one["id"]
        assert json.loads(sent.getvalue())["type"] == "AnnotationPage"
        assert "attachment" in sent["Content-Disposition"]

    @pytest.mark.parametrize("rows_at_once", [1, 2, 200])
    def test_gives_out_every_piece_in_one_file(
        self, desk: Desk, client: Client, monkeypatch: pytest.MonkeyPatch, rows_at_once: int
    ) -> None:
        assert desk.reviewer.user is not None
        client.force_login(desk.reviewer.user)
        refs = [str(make_evidence(desk.shoebox, quote=f"A rule of its own, number {at}.").ref) for at in range(5)]
        monkeypatch.setattr(queueing, "GIVEN_OUT", rows_at_once)

        page = json.loads(client.get(reverse("evidence:annotations", args=[desk.shoebox.public_id])).getvalue())

        assert [unquote(item["id"]).removeprefix("urn:yoimemory:record:") for item in page["items"]] == refs
        assert page["partOf"]["total"] == 5


class TestImport:
    def test_takes_the_file_back_that_was_given_out_however_many_it_holds(
        self, desk: Desk, quoted: Evidence, client: Client, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        assert desk.reviewer.user is not None
        client.force_login(desk.reviewer.user)
        quote_again = ["The first dependency is still in its fix loop", "Skills replace workflows once both removals"]
        sources = ["ticket:00001KXKMX0QM/thread", "ticket:00001KXKMX0QM"]
        for words in quote_again:
            drafts = [EvidenceDraft(ref=ref, quote=words, why="Counted.") for ref in sources]
            extract_evidence(desk.shoebox, drafts, actor=desk.reviewer, now=NOON)
        many = Evidence.objects.in_shoebox(desk.shoebox).count()
        text = client.get(reverse("evidence:annotations", args=[desk.shoebox.public_id])).getvalue().decode()
        monkeypatch.setattr(taking, "ANNOTATIONS_MAX", 2)
        other = make_shoebox(desk.workspace)

        outcome = take_in_annotations(other, text, actor=desk.reviewer, now=NOON)

        assert many > 2
        assert (len(outcome.stored), outcome.refused) == (many, [])

    def test_says_of_what_was_refused_where_it_stands_in_the_file(
        self, desk: Desk, quoted: Evidence, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        page = page_of_annotations(evidence_outs([quoted] * 3), total=3, next_cursor="")
        monkeypatch.setattr(taking, "ANNOTATIONS_MAX", 2)

        outcome = take_in_annotations(make_shoebox(desk.workspace), json.dumps(page), actor=desk.member, now=NOON)

        assert [(refusal.code, refusal.index) for refusal in outcome.refused] == [("duplicate", 1), ("duplicate", 2)]

    def test_takes_back_what_was_given_out_as_a_suggestion(self, desk: Desk, quoted: Evidence) -> None:
        page = page_of_annotations(evidence_outs([quoted]), total=1, next_cursor="")
        other = make_shoebox(desk.workspace)
        read = read_annotations(json.dumps(page))

        outcome = extract_evidence(other, read.drafts, imported=read.origins, actor=desk.reviewer, now=NOON)

        [stored] = outcome.stored
        assert (stored.quote, stored.start, stored.revision) == (JAPANESE, quoted.start, quoted.revision)
        assert (stored.why, stored.inference) == ("The rule.", "So it waits.")
        assert stored.state == "suggested"
        assert stored.provenance["imported"]["by"] == "rin"

    def test_reads_one_from_elsewhere(self) -> None:
        given = {
            "type": "Annotation",
            "body": "It waits.",
            "target": {"source": DOC, "selector": [{"type": "TextQuoteSelector", "exact": JAPANESE}]},
        }

        [draft] = read_annotations(given).drafts

        assert (draft.ref, draft.quote, draft.inference) == (DOC, JAPANESE, "It waits.")

    @pytest.mark.parametrize(
        "given",
        ["{", "[]", '{"type": "Note"}', '{"type": "Annotation"}', '{"type": "Annotation", "target": {"source": "x"}}'],
    )
    def test_says_what_is_no_annotation(self, given: str) -> None:
        with pytest.raises(NotAnAnnotation):
            read_annotations(given)

    def test_has_a_page_button_that_tells_of_refusals(self, desk: Desk, client: Client) -> None:
        assert desk.reviewer.user is not None
        client.force_login(desk.reviewer.user)
        invented = {
            "type": "Annotation",
            "target": {
                "source": DOC, "selector": {"type": "TextQuoteSelector", "exact": "Nobody ever wrote this anywhere."},
            },
        }  # fmt: skip
        upload = SimpleUploadedFile("a.jsonld", json.dumps(invented).encode())

        page = client.post(
            reverse("evidence:import", args=[desk.shoebox.public_id]), {"file": upload}, follow=True
        ).text

        assert "0 taken in as suggested, 1 refused." in page
        assert "not_found" in page
        assert not Evidence.objects.exists()
