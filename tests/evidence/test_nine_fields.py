"""All nine fields of a piece of evidence on each surface: its page, JSON, MCP, and both forms of the export."""

import re
from collections.abc import Callable
from datetime import timedelta
from html import unescape
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from evidence.models import Evidence
from evidence.schemas import EvidenceDraft
from evidence.services import extract_evidence, review_evidence
from evidence.standing import evidence_outs
from tests.evidence.conftest import Desk
from tests.factories import NOON, make_hypothesis, make_token
from yoimemory.markers.schemas import MarkerDraft
from yoimemory.markers.services import mark_staleness, set_reliability
from yoimemory.mcp.showing import evidence_block
from yoimemory.products.artifact import artifact_of
from yoimemory.products.artifact_text import as_markdown
from yoimemory.refs import SourceRef

pytestmark = pytest.mark.django_db

DOC = "doc:docs/work-items.md"
RULE = "Unresolved `depends_on` and incoming unresolved `blocks` are queue and acceptance blockers."
FIELDS = {
    "source": DOC,
    "quote": RULE,
    "summary": "The page lists what blocks.",
    "inference": "So the start has to wait.",
    "why": "It is the maintained rule.",
    "relation": "refutes",
    "scope": "while migrating",
    "paths": "crates/queue",
    "branch": "develop",
    "basis": "witnessed",
    "reliability": "normative here",
    "staleness": "The rule is under review.",
    "extractor": "Worker scout",
    "time": "2026",
}  # fmt: skip
"""What each of the nine is told by; quote, summary and inference count as one of them and are three here."""
LABELS = ("summary", "inference", "why")


@pytest.fixture
def whole(desk: Desk) -> Evidence:
    """One piece in which every field says something."""
    draft = EvidenceDraft(
        ref=DOC, quote=RULE, relation="refutes", target=str(make_hypothesis(desk.shoebox).ref),
        summary=FIELDS["summary"], inference=FIELDS["inference"], why=FIELDS["why"], basis="witnessed",
        scope={"text": "while migrating", "paths": ["crates/queue"], "branch": "develop"},
    )  # fmt: skip
    [stored] = extract_evidence(desk.shoebox, [draft], actor=desk.worker, now=NOON).stored
    review_evidence(stored, verdict="accept", actor=desk.reviewer, now=NOON + timedelta(hours=1))
    set_reliability(
        SourceRef.parse(DOC), grade="normative here", reason="Maintained.",
        workspace=desk.workspace, actor=desk.reviewer, now=NOON,
    )  # fmt: skip
    marker = MarkerDraft(target=str(stored.ref), state="needs-review", reason=FIELDS["staleness"])
    mark_staleness(marker, workspace=desk.workspace, actor=desk.reviewer, now=NOON)
    return Evidence.objects.with_people().get()


def page(desk: Desk, evidence: Evidence) -> str:
    client = Client()
    assert desk.reviewer.user is not None
    client.force_login(desk.reviewer.user)
    answer = client.get(reverse("evidence:detail", args=[evidence.public_id])).text
    words = unescape(re.sub(r"<[^>]+>", " ", answer[answer.index("<main") : answer.index("</main>")]))
    return " ".join(words.split())


def json(desk: Desk, evidence: Evidence) -> str:
    bearer = {"Authorization": f"Bearer {make_token(desk.workspace)[1]}"}
    return Client().get(f"/api/v1/evidence/{evidence.public_id}", headers=bearer).text


def mcp(desk: Desk, evidence: Evidence) -> str:
    return evidence_block(evidence_outs([evidence])[0], short=False)


def exported(desk: Desk, evidence: Evidence) -> str:
    [one] = artifact_of(desk.shoebox).evidence
    return one.model_dump_json()


def exported_text(desk: Desk, evidence: Evidence) -> str:
    return as_markdown(artifact_of(desk.shoebox), machine="a.json")


SURFACES: list[Callable[[Desk, Evidence], str]] = [page, json, mcp, exported, exported_text]


class TestNineFields:
    @pytest.mark.parametrize("surface", SURFACES)
    def test_are_all_told(self, desk: Desk, whole: Evidence, surface: Callable[[Desk, Evidence], str]) -> None:
        fields = {**FIELDS, "extractor": str(desk.worker)}

        told = surface(desk, whole)

        assert [name for name, words in fields.items() if words not in told] == []
        assert str(whole.start_line) in told
        assert whole.revision[:12] in told or surface in {mcp, exported_text}

    @pytest.mark.parametrize("surface", [page, mcp, exported_text])
    def test_have_the_three_voices_labelled_with_their_author(
        self, desk: Desk, whole: Evidence, surface: Callable[[Desk, Evidence], str]
    ) -> None:
        whole.provenance["summary_by"] = "mika"
        whole.save(update_fields=["provenance"])

        told = surface(desk, whole)

        author = re.escape(str(desk.worker))
        assert re.search(rf"summary, mika: {re.escape(FIELDS['summary'])}", told, re.IGNORECASE)
        assert re.search(rf"inference, {author}: {re.escape(FIELDS['inference'])}", told, re.IGNORECASE)
        assert re.search(rf"why\b[^:]*, {author}: {re.escape(FIELDS['why'])}", told, re.IGNORECASE)
        assert re.search(r"quoted|source quote", told, re.IGNORECASE)

    def test_stand_in_fields_of_their_own_for_machines(self, desk: Desk, whole: Evidence) -> None:
        [out] = artifact_of(desk.shoebox).evidence
        answer: Any = Client().get(
            f"/api/v1/evidence/{whole.public_id}",
            headers={"Authorization": f"Bearer {make_token(desk.workspace)[1]}"},
        )

        for told in (out.model_dump(mode="json"), answer.json()):
            assert (told["quote"], told["summary"], told["inference"], told["why"]) == tuple(
                FIELDS[name] for name in ("quote", *LABELS)
            )
            assert {f"{name}_by": told[f"{name}_by"] for name in LABELS} == {
                f"{name}_by": str(desk.worker) for name in LABELS
            }
            assert told["anchor"]["revision"] == whole.revision
            assert told["extractor"]["name"] == desk.worker.name
