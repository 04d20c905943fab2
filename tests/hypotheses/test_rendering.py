"""Hypotheses and representations as Markdown and JSON."""

import json
from typing import Any

import pytest

from hypotheses.markdown import plain
from hypotheses.rendering import hypothesis_markdown, representation_json, representation_markdown
from hypotheses.schemas import RepresentationDraft
from hypotheses.services import create_representation
from hypotheses.standing import hypothesis_out, representation_out
from tests.factories import NOON, make_evidence, make_hypothesis, make_person, make_relation, make_shoebox
from yoimemory.desk.records import open_record

pytestmark = pytest.mark.django_db


class TestRenderRepresentation:
    def test_writes_a_table_that_survives_what_is_quoted(self) -> None:
        shoebox = make_shoebox(as_of=NOON)
        evidence = make_evidence(shoebox, said_at=NOON, quote="a | b\n<script>alert(1)</script> `c` 依存先")
        hypothesis = make_hypothesis(shoebox)
        make_relation(evidence, hypothesis.ref, "refutes")
        draft = RepresentationDraft(kind="timeline", shoebox=shoebox.public_id)
        made = create_representation(draft, workspace=shoebox.workspace, actor=make_person(shoebox.workspace), now=NOON)

        text = representation_markdown(representation_out(made))

        row = next(line for line in text.splitlines() if "依存先" in line)
        assert row.startswith(
            "| 2026-07-16 12:00:00 | Docs | “a \\| b \\<script\\>alert(1)\\</script\\> \\`c\\` 依存先”"
        )
        assert "refutes H1" in row
        assert "As of 2026-07-16 12:00:00 UTC" in text
        assert text.endswith(f"Ref: {made.ref}, version 1\n")

    def test_writes_the_same_bytes_every_time(self) -> None:
        evidence = make_evidence(said_at=NOON)
        draft = RepresentationDraft(kind="timeline", shoebox=evidence.shoebox.public_id)
        person = make_person(evidence.workspace)
        made = create_representation(draft, workspace=evidence.workspace, actor=person, now=NOON)
        made.refresh_from_db()

        first, second = (representation_json(representation_out(made)) for _ in range(2))

        assert first == second
        assert json.loads(first)["body"]["rows"][0]["refs"][0] == str(evidence.ref)
        assert first.endswith("}\n")


class TestRenderHypothesis:
    def test_puts_what_is_against_first_and_keeps_the_checklist(self) -> None:
        hypothesis = make_hypothesis(
            claim="It may *start* now.",
            open_questions=["Who closes them?"],
            alternatives=[{"option": "Wait", "reason": "Too slow."}],
            would_change="A revert.",
        )
        make_relation(make_evidence(hypothesis.shoebox), hypothesis.ref, "supports")
        make_relation(make_evidence(hypothesis.shoebox), hypothesis.ref, "refutes")

        text = hypothesis_markdown(hypothesis_out(hypothesis))

        assert text.startswith("# H1 It may \\*start\\* now.\n")
        assert text.index("## Against") < text.index("## For")
        assert "- [x] An attempt to refute it is recorded" in text
        assert "- [ ] 0 accepted pieces of evidence supporting it" in text
        assert "- Wait: Too slow." in text


def test_plain_text_stands_for_itself() -> None:
    assert plain("# a_b [c](d) | e\nf") == "\\# a\\_b \\[c\\](d) \\| e f"


class TestOpenRecord:
    @pytest.mark.parametrize(
        ("kind", "body", "said"),
        [
            ("risks", {"rows": [{"risk": "Both might be reopened."}]}, "Both might be reopened."),
            ("review_checklist", {"rows": [{"check": "The diff stays small."}]}, "- [ ] The diff stays small."),
            ("dependency_graph", {"nodes": [{"ref": "ticket:00001KXKMX0QM", "label": "Skills"}]}, "00001KXKMX0QM"),
        ],
    )
    def test_shows_the_body_of_every_kind(self, kind: str, body: dict[str, Any], said: str) -> None:
        shoebox = make_shoebox()
        person = make_person(shoebox.workspace)
        draft = RepresentationDraft.model_validate({"kind": kind, "shoebox": shoebox.public_id, "body": body})
        made = create_representation(draft, workspace=shoebox.workspace, actor=person, now=NOON)

        opened = open_record(made.ref, workspace=shoebox.workspace, actor=person, now=NOON)

        assert said in opened.text
        assert f"{kind}, current" in opened.text
