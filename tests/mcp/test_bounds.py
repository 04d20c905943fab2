"""Whatever is asked and whatever the sources hold: an answer reaches the model whole, and ends with its ref."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.factories import make_evidence, make_hypothesis, make_item, make_relation, make_shoebox, make_workspace
from tests.mcp.clients import broken_limits, depth, nodes
from tests.mcp.conftest import House, Worker
from yoimemory.mcp.answers import BYTES_MAX, DEPTH_MAX, NODES_MAX, TEXT_MAX, Answer
from yoimemory.mcp.catalog import ORDER, TOOLS
from yoimemory.mcp.quoting import fenced, one_line

FEW = settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
HEAVY = "⟨いろは\u202e\u200b“”" * 200

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=50),
    lambda inner: st.lists(inner, max_size=8) | st.dictionaries(st.text(max_size=20), inner, max_size=8),
    max_leaves=200,
)


class TestAnswer:
    @given(text=st.text(max_size=20_000), data=st.dictionaries(st.text(max_size=40), json_values, max_size=30))
    @settings(max_examples=120, deadline=None)
    def test_of_any_text_and_data_stays_within_its_bounds(self, text: str, data: dict[str, Any]) -> None:
        answer = Answer(text, data)

        assert len(answer.text) <= TEXT_MAX
        assert nodes(dict(answer.data)) <= NODES_MAX
        assert len(json.dumps(dict(answer.data), ensure_ascii=False).encode()) <= BYTES_MAX

    def test_that_is_too_deep_is_told_in_words(self) -> None:
        deep: Any = "here"
        for _ in range(40):
            deep = {"in": deep}

        shown = Answer("", {"deep": deep}).data

        assert depth(dict(shown)) <= DEPTH_MAX + 1

    def test_that_is_too_long_keeps_its_last_line(self) -> None:
        answer = Answer("word " * 4_000 + "\nshoebox:01A")

        assert answer.text.endswith("shoebox:01A")


class TestFence:
    @given(st.text(max_size=400), st.integers(1, 10_000))
    def test_cannot_be_left_by_what_it_holds(self, text: str, first: int) -> None:
        lines = fenced(text, first=first)

        assert all(line.startswith(">") for line in lines)
        assert all(len(line.splitlines()) == 1 for line in lines)

    @given(st.text(max_size=400))
    def test_of_a_title_is_one_line(self, text: str) -> None:
        assert len(one_line(text).splitlines()) <= 1


@pytest.fixture
def heavy(house: House) -> House:
    """Records of the greatest size that people and Workers can make, with what grows when it is written out."""
    for number in range(10):
        make_item(
            house.shoebox, ref=f"doc:docs/{number}.md@" + "a" * 40, title=HEAVY[:300], rationale=HEAVY[:500],
        )  # fmt: skip
        evidence = make_evidence(
            house.shoebox, quote=HEAVY[:1_500], why=HEAVY[:1_900], summary=HEAVY[:1_900], inference=HEAVY[:1_900],
            title=HEAVY[:200],
        )  # fmt: skip
        claim = make_hypothesis(house.shoebox, claim=HEAVY[:900], open_questions=[HEAVY[:400]] * 10)
        make_relation(evidence, claim.ref, "refutes")
    docs = Path(house.workspace.root) / "docs"
    (docs / "heavy.md").write_text("\n".join([HEAVY] * 400), encoding="utf-8")
    (docs / "one-line.md").write_text("x" * 200_000, encoding="utf-8")
    return house


@pytest.mark.django_db
class TestEveryAnswer:
    CALLS: list[tuple[str, Callable[[House], dict[str, Any]]]] = [
        ("search_sources", lambda house: {"query": "skills queued start", "limit": 50, "per_source": 20}),
        ("open_source", lambda house: {"ref": "doc:docs/heavy.md"}),
        ("open_source", lambda house: {"ref": "doc:docs/one-line.md"}),
        ("open_source", lambda house: {"ref": str(house.shoebox.ref)}),
        ("open_source", lambda house: {"ref": str(house.shoebox.hypotheses.first().ref)}),
        ("show_shoebox", lambda house: {"shoebox": str(house.shoebox.ref)}),
        ("show_evidence", lambda house: {"shoebox": str(house.shoebox.ref), "limit": 50, "context": 10}),
        ("list_records", lambda house: {"noun": "evidence", "limit": 50}),
        ("list_records", lambda house: {"noun": "hypotheses", "limit": 50}),
        ("create_shoebox", lambda house: {"question": "May it start? " * 60}),
        (
            "extract_evidence",
            lambda house: {
                "shoebox": str(house.shoebox.ref),
                "drafts": [{"ref": "doc:docs/heavy.md", "quote": HEAVY[:1_400] + "!", "why": HEAVY[:1_900]}] * 50,
            },
        ),
        ("create_representation", lambda house: {"shoebox": str(house.shoebox.ref), "kind": "contradiction_report"}),
        (
            "propose_hypothesis",
            lambda house: {
                "shoebox": str(house.shoebox.ref),
                "claim": HEAVY[:900],
                "open_questions": [HEAVY[:480]] * 20,
            },
        ),
        (
            "propose_candidate",
            lambda house: {
                "target": "doc",
                "path": "docs/new.md",
                "content": "いろは。\n" * 9_000,
                "rationale": HEAVY[:3_000],
            },
        ),
        (
            "record_impact",
            lambda house: {"subjects": [str(house.shoebox.ref)], "product": "doc:docs/rules.md", "kind": "cited"},
        ),
        ("mark_staleness", lambda house: {"target": "doc:docs/rules.md", "state": "stale", "reason": HEAVY[:1_900]}),
    ]

    def test_is_tried_for_every_tool(self) -> None:
        assert {name for name, _ in self.CALLS} == set(ORDER)

    @pytest.mark.parametrize("number", range(len(CALLS)))
    @pytest.mark.parametrize("budget", [1_500, 8_000])
    def test_of_the_heaviest_records_is_whole(self, heavy: House, number: int, budget: int) -> None:
        name, arguments = self.CALLS[number]
        more = {"budget": budget} if "budget" in TOOLS[name].schema["properties"] else {}

        result = heavy.proposer.call(name, **arguments(heavy), **more)

        assert broken_limits(result) == []
        assert len(result.content[0].text) <= (budget if more else 8_000)

    @given(words=st.text(max_size=60), budget=st.integers(1_500, 8_000), limit=st.integers(1, 50))
    @FEW
    def test_of_any_search_is_whole(self, heavy: House, words: str, budget: int, limit: int) -> None:
        result = heavy.reader.call("search_sources", query=words, budget=budget, limit=limit)

        assert broken_limits(result) == []
        assert len(result.content[0].text) <= budget

    @given(quote=st.text(max_size=300), why=st.text(max_size=300))
    @FEW
    def test_of_any_draft_is_whole(self, house: House, quote: str, why: str) -> None:
        result = house.proposer.call(
            "extract_evidence", shoebox=str(house.shoebox.ref), ref="doc:docs/rules.md", quote=quote, why=why
        )

        assert broken_limits(result) == []


@pytest.mark.django_db
def test_a_workspace_without_sources_answers_too(worker_of: Callable[..., Worker]) -> None:
    shoebox = make_shoebox(make_workspace())

    result = worker_of(shoebox.workspace).call("search_sources", query="anything")

    assert broken_limits(result) == []
