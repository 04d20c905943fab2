"""The kinds of representation: what each builder takes from the evidence, and how each is written down."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from evidence.models import Evidence, Placement
from hypotheses.cites import Cites
from hypotheses.kinds import KINDS
from hypotheses.kinds.alternatives import build_alternatives
from hypotheses.kinds.authority_map import build_authority_map, disagreements
from hypotheses.kinds.contradiction_report import Conflict, build_contradiction_report, later_side
from hypotheses.kinds.decision_table import build_decision_table
from hypotheses.kinds.dependency_graph import DependencyGraph, build_dependency_graph
from hypotheses.kinds.hypothesis_table import build_hypothesis_table
from hypotheses.kinds.kind import Asked
from hypotheses.kinds.subsystem_map import build_subsystem_map, component_of
from hypotheses.models import Representation
from hypotheses.rendering import body_markdown
from hypotheses.schemas import HypothesisDraft, RepresentationDraft
from hypotheses.services import create_representation, decide_hypothesis, edit_hypothesis, propose_hypothesis
from hypotheses.standing import representation_out
from shoebox.models import Shoebox
from tests.factories import NOON, make_evidence, make_hypothesis, make_person, make_relation, make_shoebox, make_worker
from yoimemory.markers.schemas import MarkerDraft
from yoimemory.markers.services import mark_staleness
from yoimemory.search.models import Document, Link, Unit

pytestmark = pytest.mark.django_db

DAY = timedelta(days=1)


def current(shoebox: Shoebox) -> list[Evidence]:
    return list(Evidence.objects.in_shoebox(shoebox).current().order_by("pk"))


def make_document(shoebox: Shoebox, ref: str, source: str = "", **kwargs: Any) -> Document:
    workspace = shoebox.workspace.public_id
    unit, _ = Unit.objects.get_or_create(workspace=workspace, key=ref, reader="test", defaults={"fingerprint": "1"})
    return Document.objects.create(
        workspace=workspace, unit=unit, whole=0, ref=ref, source=source or ref, kind=ref.partition(":")[0],
        authority="authority", digest="d" * 64, **kwargs,
    )  # fmt: skip


def make_link(document: Document, kind: str, target: str, at: datetime | None = None) -> Link:
    return Link.objects.create(document=document, kind=kind, target_source=target, at=at)


def make_ticket(shoebox: Shoebox, name: str, events: list[dict[str, str]]) -> Document:
    """A ticket in the index: its item, and its thread with events."""
    source = f"ticket:{name}"
    item = make_document(shoebox, source, title=f"Ticket {name}", state="closed")
    make_document(shoebox, f"{source}/thread", source, title="Thread", facts={"events": events})
    return item


def make_representation_of(kind: Any, body: dict[str, Any]) -> Representation:
    shoebox = make_shoebox()
    draft = RepresentationDraft(kind=kind, shoebox=shoebox.public_id, body=body)
    return create_representation(draft, workspace=shoebox.workspace, actor=make_person(shoebox.workspace), now=NOON)


class TestEveryKind:
    def test_has_its_choice_its_template_and_its_schema(self) -> None:
        assert set(KINDS) == set(Representation.Kind.values)
        assert len(KINDS) == 11
        for kind in KINDS.values():
            assert {entry.name for entry in kind.entries} <= set(kind.row.model_fields)
            assert kind.rows in kind.body.model_fields

    @pytest.mark.parametrize("name", list(KINDS))
    def test_is_made_shown_and_written_down(self, name: str) -> None:
        shoebox = make_shoebox()
        make_evidence(shoebox, said_at=NOON)
        body = None if KINDS[name].build else {}
        draft = RepresentationDraft.model_validate({"kind": name, "shoebox": shoebox.public_id, "body": body})

        made = create_representation(draft, workspace=shoebox.workspace, actor=make_worker(shoebox.workspace), now=NOON)

        assert made.title.endswith("May it start now?")
        assert body_markdown(representation_out(made))[0].startswith("## ")

    @pytest.mark.parametrize("name", [name for name, kind in KINDS.items() if kind.build])
    def test_takes_back_what_it_gave(self, name: str) -> None:
        shoebox = make_shoebox()
        claim = make_hypothesis(shoebox)
        make_relation(make_evidence(shoebox, said_at=NOON), claim.ref, "supports")
        make_relation(make_evidence(shoebox, said_at=NOON, quote="It must wait for both."), claim.ref, "refutes")
        person = make_person(shoebox.workspace)
        draft = RepresentationDraft.model_validate({"kind": name, "shoebox": shoebox.public_id})
        built = create_representation(draft, workspace=shoebox.workspace, actor=person, now=NOON)
        again = RepresentationDraft.model_validate({"kind": name, "shoebox": shoebox.public_id, "body": built.body})

        taken = create_representation(again, workspace=shoebox.workspace, actor=person, now=NOON)

        assert taken.body == built.body
        assert taken.cites == built.cites


class TestHypothesisTable:
    def test_lists_every_claim_with_both_sides_and_the_reason(self) -> None:
        shoebox = make_shoebox()
        first, second = make_hypothesis(shoebox, open_questions=["Who?"]), make_hypothesis(shoebox)
        against = make_evidence(shoebox)
        make_relation(against, first.ref, "refutes")
        make_relation(against, second.ref, "supports")
        decide_hypothesis(
            first, after="rejected", reason="It only routes.", actor=make_person(shoebox.workspace), now=NOON
        )

        rows = build_hypothesis_table(shoebox, current(shoebox)).rows

        assert [(row.name, row.status, row.open_questions) for row in rows] == [
            ("H1", "rejected", 1),
            ("H2", "proposed", 0),
        ]
        assert rows[0].against == rows[1].supporting == [str(against.ref)]
        assert rows[0].reason == "It only routes."


class TestAlternatives:
    def test_tells_who_turned_down_what_and_when(self) -> None:
        shoebox = make_shoebox()
        person, worker = make_person(shoebox.workspace, name="hare"), make_worker(shoebox.workspace)
        draft = HypothesisDraft.model_validate(
            {
                "shoebox": shoebox.public_id,
                "claim": "It must wait.",
                "would_change": "Both closed.",
                "alternatives": [{"option": "Start and revert", "reason": "Two work trees would meet."}],
            }
        )
        claim = propose_hypothesis(draft, workspace=shoebox.workspace, actor=worker, now=NOON)
        more = [*claim.alternatives, {"option": "Ask again", "reason": "It was asked twice."}]
        edit_hypothesis(claim, version=1, actor=person, now=NOON + DAY, alternatives=more)
        rejected = make_hypothesis(shoebox, claim="It may start.")
        decide_hypothesis(rejected, after="rejected", reason="It only routes.", actor=person, now=NOON + 2 * DAY)

        rows = build_alternatives(shoebox, []).rows

        assert [(row.option, row.by, row.at) for row in rows] == [
            ("H2 It may start.", "hare", NOON + 2 * DAY),
            ("Start and revert", str(worker), NOON),
            ("Ask again", "hare", NOON + DAY),
        ]
        assert rows[1].would_reopen == "Both closed."


class TestDecisionTable:
    def test_puts_the_evidence_into_the_cells(self) -> None:
        shoebox = make_shoebox()
        claim = make_hypothesis(shoebox)
        doc = make_evidence(shoebox, place="doc:docs/guide.md")
        ticket = make_evidence(shoebox, place="ticket:00001KXKMX0QM/thread", quote="It must wait for both.")
        other = make_evidence(shoebox, place="ticket:00001KXKJGYGD/thread", quote="It may start at once.")
        for evidence, relation in ((doc, "supports"), (ticket, "refutes"), (other, "supports")):
            make_relation(evidence, claim.ref, relation)

        rows = build_decision_table(shoebox, current(shoebox)).rows

        assert [(row.criterion, row.verdict, row.says) for row in rows] == [
            ("What tickets say", "mixed", "1 against, 1 for"),
            ("What docs say", "for", "0 against, 1 for"),
        ]
        assert rows[1].refs == [str(doc.ref)]


class TestContradictionReport:
    def test_sets_each_support_against_what_refutes_it_and_says_which_is_later(self) -> None:
        shoebox = make_shoebox()
        claim = make_hypothesis(shoebox, claim="Declaration only; the design doc is right.")
        doc = make_evidence(shoebox, said_at=NOON, quote="This is a typed configuration surface only.")
        ticket = make_evidence(
            shoebox, said_at=NOON + timedelta(hours=2), quote="Execution は server を spawn し、送信します。",
            place="ticket:00001KVHR3WSD/resolution",
        )  # fmt: skip
        make_relation(doc, claim.ref, "supports")
        make_relation(ticket, claim.ref, "refutes")

        [row] = build_contradiction_report(shoebox, current(shoebox)).rows

        assert row.kind == "contradiction"
        assert (row.one_refs, row.other_refs) == ([str(doc.ref)], [str(ticket.ref)])
        assert later_side(row) == "the other side is later the same day"

    def test_lists_open_markers_and_quotes_that_drifted(self) -> None:
        shoebox = make_shoebox()
        evidence = make_evidence(shoebox)
        person = make_person(shoebox.workspace)
        draft = MarkerDraft(
            target=f"{evidence.place}#L1", state="superseded", reason="See the ticket.", by_ref="ticket:1"
        )
        mark_staleness(draft, workspace=shoebox.workspace, actor=person, now=NOON)
        elsewhere = MarkerDraft(target=f"{evidence.place}#L90", state="stale", reason="Other lines.")
        mark_staleness(elsewhere, workspace=shoebox.workspace, actor=person, now=NOON)
        Placement.objects.create(evidence=evidence, state="orphaned", method="exact", at=NOON, note="The line is gone.")

        marker, drift = build_contradiction_report(shoebox, current(shoebox)).rows

        assert (marker.kind, marker.other_refs, marker.other_side) == ("marker", ["ticket:1"], "See the ticket.")
        assert (drift.kind, drift.other_side) == ("drift", "The line is gone.")

    @pytest.mark.parametrize(
        ("one", "other", "said"),
        [
            (NOON, NOON + 3 * DAY, "the other side is 3 days later"),
            (NOON + DAY, NOON, "the first side is 1 day later"),
            (NOON, NOON, "both of one moment"),
            (NOON, None, ""),
        ],
    )
    def test_never_calls_the_later_side_the_truer(self, one: datetime, other: datetime | None, said: str) -> None:
        row = Conflict(kind="contradiction", about="It.", one_at=one, other_at=other)

        assert later_side(row) == said


class TestAuthorityMap:
    def test_tells_classes_apart_and_where_they_disagree(self) -> None:
        shoebox = make_shoebox()
        claim = make_hypothesis(shoebox)
        rule = make_evidence(shoebox, authority="authority", place="doc:docs/rule.md")
        memory = make_evidence(
            shoebox, authority="memory", place="memory:decision/start", quote="We start at once here."
        )
        make_relation(rule, claim.ref, "refutes")
        make_relation(memory, claim.ref, "supports")

        body = build_authority_map(shoebox, current(shoebox))

        assert [(row.authority, row.source) for row in body.rows] == [
            ("authority", "doc:docs/rule.md"), ("memory", "memory:decision/start"),
        ]  # fmt: skip
        assert disagreements(body, {"H1": "It may start."}) == ["H1 It may start: memory for it, authority against it."]


class TestSubsystemMap:
    def test_weighs_components_by_what_stands_in_them_or_touches_them(self) -> None:
        shoebox = make_shoebox()
        claim = make_hypothesis(shoebox)
        code = make_evidence(shoebox, place="code:crates/ticket/src/lib.rs")
        commit = make_evidence(shoebox, place="commit:" + "b" * 40, quote="ticket: hold what is not ready")
        make_evidence(shoebox, place="session:plain/log", quote="I would rather wait for both.")
        make_relation(code, claim.ref, "supports")
        make_relation(commit, claim.ref, "refutes")
        document = make_document(shoebox, "commit:" + "b" * 40)
        make_link(document, "touches", "code:crates/ticket/src/state.rs")
        make_link(document, "touches", "doc:docs/design/tickets.md")

        rows = build_subsystem_map(shoebox, current(shoebox)).rows

        assert [(row.component, row.supports, row.refutes) for row in rows] == [
            ("crates/ticket", 1, 1), ("docs/design", 0, 1), ("no path", 0, 0),
        ]  # fmt: skip
        assert rows[0].paths == ["crates/ticket/src/lib.rs", "crates/ticket/src/state.rs"]

    @pytest.mark.parametrize(
        ("path", "component"),
        [("README.md", "top level"), ("docs/a.md", "docs"), ("a/b/c/d.rs", "a/b"), ("", "no path")],
    )
    def test_takes_the_first_steps_of_a_path(self, path: str, component: str) -> None:
        assert component_of(path) == component


def graph_of(shoebox: Shoebox) -> DependencyGraph:
    return build_dependency_graph(shoebox, current(shoebox))


class TestDependencyGraph:
    def test_of_a_hundred_and_fifty_nodes_writes_no_word_over_another_and_leaves_related_to_the_legend(self) -> None:
        made = make_representation_of(
            "dependency_graph",
            {
                "nodes": [{"ref": f"ticket:T{number}", "label": f"Ticket {number}"} for number in range(150)],
                "edges": [
                    {
                        "source": f"ticket:T{number}", "kind": "depends_on" if number % 3 else "related",
                        "target": f"ticket:T{number // 2}",
                    }
                    for number in range(1, 150)
                ],
            },
        )  # fmt: skip
        kind = KINDS["dependency_graph"]

        shown = kind.show(kind.body.model_validate(made.body), Asked(made, Cites.of(made), "", {}))

        arrows = shown.extra["arrows"]
        labels = [(one.drawn.label_x, one.drawn.label_y) for one in arrows if one.label]
        assert (len(shown.extra["boxes"]), len(arrows)) == (150, 149)
        assert {one.label for one in arrows} == {"depends_on", ""}
        assert all(
            abs(one[0] - other[0]) >= 70 or abs(one[1] - other[1]) >= 12
            for place, one in enumerate(labels)
            for other in labels[:place]
        )
        assert arrows[0].title == "T1 depends_on T0"

    def test_derives_states_and_blockers_as_of_the_instant(self) -> None:
        shoebox = make_shoebox(task="ticket:AAA", as_of=NOON)
        waiting = make_ticket(shoebox, "AAA", [{"kind": "state_changed", "to": "queued", "at": "2026-07-16T11:00:00Z"}])
        make_ticket(
            shoebox, "BBB",
            [
                {"kind": "state_changed", "to": "inprogress", "at": "2026-07-16T10:00:00Z"},
                {"kind": "close", "at": "2026-07-16T13:00:00Z"},
            ],
        )  # fmt: skip
        make_link(waiting, "depends_on", "ticket:BBB")

        before = graph_of(shoebox)
        shoebox.as_of = NOON + DAY
        after = graph_of(shoebox)

        assert {node.ref: (node.state, node.blocked) for node in before.nodes} == {
            "ticket:AAA": ("queued", True), "ticket:BBB": ("inprogress", False),
        }  # fmt: skip
        assert before.edges[0].blocking
        assert not after.edges[0].blocking
        assert not any(node.blocked for node in after.nodes)

    def test_reads_blocks_the_other_way_round(self) -> None:
        shoebox = make_shoebox(task="ticket:AAA")
        blocker = make_ticket(shoebox, "AAA", [{"kind": "state_changed", "to": "ready", "at": "2026-07-16T11:00:00Z"}])
        make_ticket(shoebox, "BBB", [{"kind": "state_changed", "to": "queued", "at": "2026-07-16T11:00:00Z"}])
        make_link(blocker, "blocks", "ticket:BBB")

        graph = graph_of(shoebox)

        assert [node.ref for node in graph.nodes if node.blocked] == ["ticket:BBB"]

    def test_marks_what_waits_for_itself(self) -> None:
        shoebox = make_shoebox(task="ticket:AAA")
        open_event = [{"kind": "state_changed", "to": "queued", "at": "2026-07-16T11:00:00Z"}]
        names = ["AAA", "BBB", "CCC"]
        tickets = {name: make_ticket(shoebox, name, open_event) for name in names}
        for source, target in (("AAA", "BBB"), ("BBB", "AAA")):
            make_link(tickets[source], "depends_on", f"ticket:{target}")
        make_link(tickets["AAA"], "depends_on", "ticket:CCC")
        for name in names:
            make_evidence(shoebox, place=f"ticket:{name}/thread", quote=f"A line of the ticket {name}.")

        graph = graph_of(shoebox)

        assert [node.ref for node in graph.nodes if node.circle] == ["ticket:AAA", "ticket:BBB"]
        assert [edge.circle for edge in graph.edges] == [True, True, False]

    def test_leaves_out_links_that_are_later(self) -> None:
        shoebox = make_shoebox(task="ticket:AAA", as_of=NOON)
        waiting = make_ticket(shoebox, "AAA", [])
        make_ticket(shoebox, "BBB", [])
        make_link(waiting, "depends_on", "ticket:BBB", at=NOON + DAY)

        assert graph_of(shoebox).edges == []

    def test_claims_nothing_of_a_ticket_whose_state_is_unknown(self) -> None:
        shoebox = make_shoebox(task="ticket:AAA")
        make_link(make_ticket(shoebox, "AAA", []), "depends_on", "ticket:NOWHERE")

        graph = graph_of(shoebox)

        assert [edge.target for edge in graph.edges] == ["ticket:NOWHERE"]
        assert not graph.edges[0].blocking

    def test_writes_one_edge_for_what_two_records_say(self) -> None:
        shoebox = make_shoebox(task="ticket:AAA")
        item = make_ticket(shoebox, "AAA", [])
        make_ticket(shoebox, "BBB", [])
        relations = make_document(shoebox, "ticket:AAA/artifacts/relations.json", "ticket:AAA")
        for document in (item, relations):
            make_link(document, "depends_on", "ticket:BBB")

        assert len(graph_of(shoebox).edges) == 1
