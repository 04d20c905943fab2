"""What a visitor of the demo finds: every stage filled, and the three facts that its story turns on."""

import ast
from pathlib import Path

import pytest
from django.utils import timezone

from evidence.models import Evidence
from evidence.standing import standings
from hypotheses.models import Hypothesis, Representation
from shoebox.models import Item, Shoebox
from shoebox.services import gather_shoebox
from tests.demo.conftest import NOW
from yoimemory.access.models import Actor
from yoimemory.demo import after, build, effects, summer
from yoimemory.demo.after import REFUTING_LINE, REFUTING_SESSION
from yoimemory.demo.build import build_demo
from yoimemory.demo.history import BRANCH
from yoimemory.journal.models import Change, Event
from yoimemory.markers.models import Marker
from yoimemory.products.impact import impact_report
from yoimemory.products.models import Export, Proposal
from yoimemory.refs import SourceRef
from yoimemory.search.models import Document
from yoimemory.search.schemas import SearchQuery
from yoimemory.search.services import search_sources
from yoimemory.sources.models import AddedSource, Workspace
from yoimemory.sources.read import read_document

pytestmark = pytest.mark.django_db  # each test is taken back on top of the demo, which the module takes back

DEMO = Path(build.__file__).parent


class TestStages:
    def test_sources_of_every_kind_are_read(self, demo: Workspace) -> None:
        kinds = set(Document.objects.filter(workspace=demo.public_id).values_list("kind", flat=True))

        assert {"ticket", "objective", "commit", "doc", "code", "session", "memory", "skill"} <= kinds
        assert AddedSource.objects.get(workspace=demo).kind == "session"

    def test_what_nobody_merged_is_found_and_said_to_be_so(self, demo: Workspace) -> None:
        found = search_sources(SearchQuery(query="start screen oven"), workspace=demo, now=NOW).items

        (hit,) = [one for one in found if one.source == "doc:docs/design/start-screen.md"]
        assert any(BRANCH in caveat for caveat in hit.caveats), hit.caveats

    def test_two_shoeboxes_are_gathered_and_curated(self, demo: Workspace) -> None:
        items = Item.objects.filter(shoebox__workspace=demo)

        assert set(Shoebox.objects.in_workspace(demo).values_list("state", flat=True)) == {"open", "closed"}
        assert {"linked", "searched", "proposed by a Worker"} <= set(items.values_list("came", flat=True))
        assert set(items.values_list("screening", flat=True)) == {"undecided", "kept", "set aside"}
        assert {"likely contradicts", "likely supports"} <= set(items.values_list("leaning", flat=True))

    def test_evidence_stands_in_every_state_a_visitor_meets(self, demo: Workspace) -> None:
        evidence = Evidence.objects.in_workspace(demo)

        assert {"accepted", "rejected", "suggested"} == set(evidence.values_list("state", flat=True))
        assert {"quote", "summary"} == set(evidence.values_list("kind", flat=True))
        assert {"supports", "refutes", "contextualizes"} == set(evidence.values_list("relations__relation", flat=True))

    def test_workers_suggestions_wait_in_the_inbox(self, demo: Workspace) -> None:
        waiting = Evidence.objects.in_workspace(demo).to_review().select_related("made_by")

        assert waiting.count() == 4
        assert {one.made_by.kind for one in waiting} == {Actor.Kind.WORKER}

    def test_hypotheses_compete_and_were_decided(self, demo: Workspace) -> None:
        statuses = set(Hypothesis.objects.in_workspace(demo).values_list("status", flat=True))

        assert statuses == {"proposed", "accepted", "rejected", "superseded"}

    def test_representations_are_built(self, demo: Workspace) -> None:
        assert Representation.objects.filter(workspace=demo, built=True).count() == 2

    def test_products_went_out_and_wait(self, demo: Workspace) -> None:
        states = sorted(Proposal.objects.in_workspace(demo).values_list("state", flat=True))
        export = Export.objects.get(shoebox__workspace=demo)

        assert states == ["applied", "proposed", "proposed", "reverted"]
        assert all((demo.path / row.path).is_file() for row in export.writings.all())

    def test_the_way_of_the_questions_is_shown_to_its_end(self, demo: Workspace) -> None:
        report = impact_report(demo, now=NOW, weeks=52)

        assert [stage.stage for stage in report.funnel if not stage.shoeboxes] == []
        assert report.harm[0].count == 1
        assert not (demo.path / "docs/guide/clock-alarm.md").exists()

    def test_markers_stand_and_wait(self, demo: Workspace) -> None:
        assert set(Marker.objects.filter(workspace=demo).values_list("status", flat=True)) == {"standing", "proposed"}

    def test_history_tells_of_every_step(self, demo: Workspace) -> None:
        verbs = set(Change.objects.filter(workspace=demo).values_list("verb", flat=True))

        assert {"hypothesis-decided", "candidate-proposed", "proposal-reviewed", "artifact-exported"} <= verbs
        assert Event.objects.filter(workspace=demo, kind=Event.Kind.SHOEBOX_CREATED).count() == 2


class TestFacts:
    def test_a_decision_was_superseded_and_stays_readable(self, demo: Workspace) -> None:
        old = Hypothesis.objects.get(workspace=demo, status="superseded")

        assert old.superseded_by is not None
        assert old.superseded_by.status == "accepted"
        assert old.decisions.get().reason
        marker = Marker.objects.get(workspace=demo, state="superseded", origin="person")
        assert marker.target == summer.MEMORY_DECISION
        assert read_document(demo, SourceRef.parse(marker.by_ref)).text

    @pytest.mark.parametrize(
        ("quote", "state"), [(summer.RUNS_ONCE, "reworded-meaning"), (summer.NEVER_ORDERS, "moved")]
    )
    def test_a_quoted_source_has_changed_since(self, demo: Workspace, quote: str, state: str) -> None:
        evidence = Evidence.objects.get(workspace=demo, shoebox__question=summer.QUESTION, quote=quote)

        assert standings([evidence])[evidence.pk].state == state

    def test_most_quotes_still_stand(self, demo: Workspace) -> None:
        quotes = list(Evidence.objects.filter(workspace=demo, kind="quote"))

        assert sum(one.state == "verified" for one in standings(quotes).values()) >= len(quotes) - 4

    @pytest.mark.parametrize("query", ["tablet clock", "clock power cut", "時計 停電"])
    def test_the_refuting_line_is_found_by_disconfirming_search(self, demo: Workspace, query: str) -> None:
        answer = search_sources(
            SearchQuery(query=query, stance="disconfirming", limit=10), workspace=demo, now=timezone.now()
        )

        assert REFUTING_SESSION in [hit.source for hit in answer.items]

    def test_the_refuting_line_stands_in_the_session_word_by_word(self, demo: Workspace) -> None:
        session = read_document(demo, SourceRef.parse(REFUTING_SESSION))

        assert REFUTING_LINE in session.text

    def test_nobody_had_linked_the_refuting_line(self, demo: Workspace) -> None:
        assert not Item.objects.filter(shoebox__workspace=demo, source=REFUTING_SESSION).exists()
        assert not Evidence.objects.filter(workspace=demo, source=REFUTING_SESSION).exists()

    def test_gathering_again_for_the_open_question_brings_the_refuting_line(self, demo: Workspace) -> None:
        shoebox = Shoebox.objects.get(workspace=demo, question=summer.QUESTION)

        gathered = gather_shoebox(
            shoebox, queries=("a tablet's clock after a power cut",), actor=shoebox.opened_by, now=NOW
        )

        assert REFUTING_SESSION in [item.source for item in gathered.new]


class TestBuilding:
    def test_opens_what_stands(self, demo: Workspace, demo_folder: Path) -> None:
        before = (Change.objects.count(), Evidence.objects.count(), Actor.objects.count())

        again = build_demo(demo_folder, now=NOW)

        assert again == demo
        assert (Change.objects.count(), Evidence.objects.count(), Actor.objects.count()) == before

    def test_makes_no_row_by_itself(self) -> None:
        made = [
            f"{path.name}:{node.lineno} {node.func.attr}"
            for path in DEMO.glob("*.py")
            for node in ast.walk(ast.parse(path.read_text()))
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
            if node.func.attr in {"create", "bulk_create", "save", "update", "update_or_create", "get_or_create"}
        ]

        assert made == []


class TestInterruptedBuilding:
    def test_goes_on_where_it_was_killed(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        class Killed(BaseException):
            pass

        def kill(*args: object, **kwargs: object) -> None:
            raise Killed

        with monkeypatch.context() as patch:
            patch.setattr(summer, "create_representation", kill)
            with pytest.raises(Killed):
                build_demo(tmp_path, now=NOW)
        with monkeypatch.context() as patch:
            patch.setattr(after, "propose_candidate", kill)
            with pytest.raises(Killed):
                build_demo(tmp_path, now=NOW)
        with monkeypatch.context() as patch:
            patch.setattr(effects, "revert_proposal", kill)
            with pytest.raises(Killed):
                build_demo(tmp_path, now=NOW)

        workspace = build_demo(tmp_path, now=NOW)

        assert Shoebox.objects.in_workspace(workspace).count() == 2
        assert Evidence.objects.in_workspace(workspace).count() == 19
        assert Proposal.objects.in_workspace(workspace).count() == 4
