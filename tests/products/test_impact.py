"""What memory did to the work: told, observed in the work itself, counted without adding the three together."""

import csv
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from evidence.models import Review
from shoebox.models import Shoebox
from tests.factories import (
    NOON,
    make_evidence,
    make_hypothesis,
    make_owner,
    make_shoebox,
    make_token,
    make_worker,
    make_workspace,
)
from tests.products.making import TICKET, approve, make_argued_shoebox, make_folder, propose
from yoimemory.desk.indexing import index_workspace_and_recheck
from yoimemory.errors import Forbidden, NotFound
from yoimemory.journal.models import Event
from yoimemory.markers.models import Marker
from yoimemory.products import services
from yoimemory.products.figures import NAMES
from yoimemory.products.funnel_chart import ROOM, funnel_chart
from yoimemory.products.impact import impact_report
from yoimemory.products.impact_chart import effects_chart, weeks_chart
from yoimemory.products.models import Impact
from yoimemory.products.naming import name_impacts
from yoimemory.products.reports import EffectOut, ImpactReport, StageOut, WeekOut
from yoimemory.products.schemas import ImpactDraft
from yoimemory.sources.models import Workspace
from yoimemory.sources.services import register_workspace

pytestmark = pytest.mark.django_db
LATER = NOON + timedelta(days=1)
STAGES = (
    "opened", "with evidence", "with hypotheses", "led to a product", "approved", "applied", "used, observed",
    "used, recorded", "used, claimed", "taken back",
)  # fmt: skip


def git(root: Path, *argv: str, at: datetime = LATER) -> None:
    stamp = at.isoformat()
    subprocess.run(
        ["git", *argv], cwd=root, check=True, capture_output=True,
        env={
            "PATH": "/usr/bin:/bin", "HOME": str(root), "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b.c",
            "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b.c", "GIT_AUTHOR_DATE": stamp,
            "GIT_COMMITTER_DATE": stamp,
        },
    )  # fmt: skip


def commit(root: Path, message: str, *, at: datetime = LATER) -> None:
    git(root, "add", "-A", at=at)
    git(root, "commit", "-q", "--allow-empty", "-m", message, at=at)


def make_repository(root: Path) -> Workspace:
    """The folder of the other tests as a repository with one commit."""
    make_folder(root).delete()
    git(root, "init", "-q", "-b", "main")
    commit(root, "Begin", at=NOON - timedelta(days=1))
    return register_workspace(root, now=NOON)[0]


def observed(workspace: Workspace) -> list[tuple[str, str, str]]:
    rows = Impact.objects.in_workspace(workspace).filter(known="observed").order_by("pk")
    return [(row.kind, row.subjects[0].partition(":")[0], row.product.partition(":")[0]) for row in rows]


class TestObserveImpact:
    def test_finds_a_commit_trailer(self, tmp_path: Path) -> None:
        workspace = make_repository(tmp_path)
        evidence = make_evidence(make_shoebox(workspace), made_by=make_worker(workspace))
        commit(tmp_path, f"Mend it\n\nYoimemory-Evidence: {evidence.ref}")

        index_workspace_and_recheck(workspace, now=LATER)

        impact = Impact.objects.get()
        assert observed(workspace) == [("cited", "evidence", "commit")]
        assert (impact.at, impact.role, impact.actor) == (LATER, "orchestrator", None)

    def test_finds_a_thread_event_written_after_an_export(self, tmp_path: Path) -> None:
        workspace, owner = make_repository(tmp_path), make_owner()
        shoebox = make_argued_shoebox(workspace, task="ticket:00001KX6WVNPD")
        seen = {file.path: file.digest for file in services.plan_export(shoebox)}
        services.export_artifact(shoebox, seen=seen, actor=owner, now=NOON)
        with (tmp_path / TICKET / "thread.md").open("a") as thread:
            thread.write(f"\n<!-- event: review author: a at: 2026-07-17T12:00:00Z -->\n\nSee {shoebox.ref}.\n\n---\n")

        index_workspace_and_recheck(workspace, now=LATER)

        impact = Impact.objects.get()
        assert observed(workspace) == [("cited", "shoebox", "ticket")]
        assert impact.product == "ticket:00001KX6WVNPD/thread#event-2"

    def test_passes_by_what_it_exported_itself(self, tmp_path: Path) -> None:
        workspace, owner = make_repository(tmp_path), make_owner()
        shoebox = make_argued_shoebox(workspace)
        seen = {file.path: file.digest for file in services.plan_export(shoebox, folder="docs/evidence")}
        services.export_artifact(shoebox, folder="docs/evidence", seen=seen, actor=owner, now=NOON)

        index_workspace_and_recheck(workspace, now=LATER)

        assert not Impact.objects.exists()

    def test_believes_no_ref_that_is_not_here(self, tmp_path: Path) -> None:
        workspace = make_repository(tmp_path)
        foreign = make_evidence(make_shoebox(make_workspace("/else")))
        commit(tmp_path, f"Cite {foreign.ref} and evidence:01ARZ3NDEKTSV4RRFFQ69G5FAV")

        index_workspace_and_recheck(workspace, now=LATER)

        assert not Impact.objects.exists()

    def test_finds_an_applied_proposal_in_a_commit_and_its_revert(self, tmp_path: Path) -> None:
        workspace = make_repository(tmp_path)
        proposal = approve(propose(workspace, make_worker(workspace)))
        services.apply_proposal(proposal, actor=make_owner(), now=NOON)
        index_workspace_and_recheck(workspace, now=NOON)
        before = observed(workspace)

        commit(tmp_path, "Say it right")
        index_workspace_and_recheck(workspace, now=LATER)
        arrived = observed(workspace)
        git(tmp_path, "revert", "--no-edit", "HEAD", at=LATER + timedelta(hours=1))
        index_workspace_and_recheck(workspace, now=LATER + timedelta(hours=2))

        assert before == []
        assert arrived == [("caused_update", "proposal", "commit")]
        assert observed(workspace) == [*arrived, ("product_reverted", "proposal", "commit")]

    def test_finds_nothing_twice(self, tmp_path: Path) -> None:
        workspace = make_repository(tmp_path)
        evidence = make_evidence(make_shoebox(workspace))
        commit(tmp_path, f"Cite {evidence.ref}")
        index_workspace_and_recheck(workspace, now=LATER)

        assert services.observe_impact(workspace, now=LATER) == 0
        assert Impact.objects.count() == 1


class TestRecordImpact:
    def draft(self, subject: object, **kwargs: object) -> ImpactDraft:
        return ImpactDraft.model_validate(
            {"subjects": [str(subject)], "product": "ticket:00001KX6WVNPD", "kind": "changed_plan", **kwargs}
        )

    def test_keeps_persons_and_workers_apart(self, tmp_path: Path) -> None:
        workspace = make_folder(tmp_path)
        evidence = make_evidence(make_shoebox(workspace))

        by_person = services.record_impact(self.draft(evidence.ref), workspace=workspace, actor=make_owner(), now=NOON)
        by_worker = services.record_impact(
            self.draft(evidence.ref), workspace=workspace, actor=make_worker(workspace), now=NOON
        )

        assert (by_person.known, by_worker.known) == ("recorded", "claimed")

    def test_refuses_the_same_twice(self, tmp_path: Path) -> None:
        workspace, owner = make_folder(tmp_path), make_owner()
        evidence = make_evidence(make_shoebox(workspace))
        services.record_impact(self.draft(evidence.ref), workspace=workspace, actor=owner, now=NOON)

        with pytest.raises(services.AlreadyTold):
            services.record_impact(self.draft(evidence.ref), workspace=workspace, actor=owner, now=LATER)

    def test_wants_records_that_are_here(self, tmp_path: Path) -> None:
        workspace = make_folder(tmp_path)
        foreign = make_evidence(make_shoebox(make_workspace("/else")))

        with pytest.raises(NotFound, match=foreign.public_id):
            services.record_impact(self.draft(foreign.ref), workspace=workspace, actor=make_owner(), now=NOON)

    def test_needs_the_scope_to_propose(self, tmp_path: Path) -> None:
        workspace = make_folder(tmp_path)
        evidence = make_evidence(make_shoebox(workspace))
        reader = make_worker(workspace, scope="read")

        with pytest.raises(Forbidden):
            services.record_impact(self.draft(evidence.ref), workspace=workspace, actor=reader, now=NOON)

    def test_can_claim_no_harm_and_nothing_observed(self) -> None:
        for kind in ("product_reverted", "observed"):
            with pytest.raises(ValueError, match="kind"):
                self.draft("evidence:01ARZ3NDEKTSV4RRFFQ69G5FAV", kind=kind)


def make_impact(workspace: Workspace, kind: str = "cited", known: str = "observed", **kwargs: object) -> Impact:
    count = Impact.objects.count()
    kwargs.setdefault("subjects", [f"evidence:{count}"])
    kwargs = {"role": "reviewer", "at": NOON, **kwargs}
    actor = None if known == "observed" else make_owner()
    return Impact.objects.create(
        workspace=workspace, kind=kind, known=known, product=f"commit:{count}", actor=actor, noted_at=NOON,
        key=str(count), **kwargs,
    )  # fmt: skip


class TestImpactReport:
    def test_never_adds_the_three_ways_of_knowing(self, tmp_path: Path) -> None:
        workspace = make_workspace(tmp_path)
        for known in ("observed", "observed", "recorded", "claimed"):
            make_impact(workspace, known=known)

        report = impact_report(workspace, now=LATER)

        cited = report.effects[0]
        assert (cited.kind, cited.observed, cited.recorded, cited.claimed) == ("cited", 2, 1, 1)

    def test_counts_exposure_apart(self, tmp_path: Path) -> None:
        workspace = make_workspace(tmp_path)
        for kind in ("query", "query", "source_opened", "shoebox_created"):
            Event.objects.create(workspace=workspace, kind=kind, subjects=[], at=NOON)

        report = impact_report(workspace, now=LATER)

        assert report.exposure == {"resident_exposure": 0, "query": 2, "source_opened": 1}
        assert all(row.observed == row.recorded == row.claimed == 0 for row in report.effects)

    def test_keeps_to_the_span_and_the_role(self, tmp_path: Path) -> None:
        workspace = make_workspace(tmp_path)
        make_impact(workspace)
        make_impact(workspace, role="coder")

        assert impact_report(workspace, now=LATER).effects[0].observed == 2
        assert impact_report(workspace, now=LATER, role="coder").effects[0].observed == 1
        assert impact_report(workspace, now=NOON + timedelta(weeks=5), weeks=4).effects[0].observed == 0

    def test_counts_harm(self, tmp_path: Path) -> None:
        workspace, owner = make_folder(tmp_path), make_owner()
        proposal = approve(propose(workspace, make_worker(workspace)))
        services.apply_proposal(proposal, actor=owner, now=NOON)
        services.revert_proposal(proposal, actor=owner, now=NOON)
        evidence = make_evidence(make_shoebox(workspace))
        Review.objects.create(
            evidence=evidence, verdict="reject", reason="Wrong.", before="accepted", by=owner, at=NOON
        )
        Marker.objects.create(
            workspace=workspace, target="doc:docs/guide.md", target_source="doc:docs/guide.md", state="stale",
            reason="Old.", origin="person", status="standing", made_by=owner, made_at=NOON,
        )  # fmt: skip
        for at in (NOON - timedelta(hours=1), NOON + timedelta(hours=1)):
            Event.objects.create(
                workspace=workspace, kind="source_opened", subjects=["doc:docs/guide.md#L3"], at=at, actor=owner
            )

        harm = {one.kind: (one.count, one.refs) for one in impact_report(workspace, now=LATER).harm}

        assert harm == {
            "product_reverted": (1, [str(proposal.ref)]),
            "stale_served": (1, ["doc:docs/guide.md"]),
            "accepted_then_refuted": (1, [str(evidence.ref)]),
        }

    def test_takes_the_middle_of_each_week(self, tmp_path: Path) -> None:
        workspace = make_workspace(tmp_path)
        for minutes in (5, 10, 60, None):
            box = make_shoebox(workspace, question=f"After {minutes}?")
            Shoebox.objects.filter(pk=box.pk).update(opened_at=NOON - timedelta(minutes=minutes or 0))
            if minutes is not None:
                make_evidence(box, state="accepted")

        [week] = [row for row in impact_report(workspace, now=LATER).by_week if row.shoeboxes]

        assert (week.week, week.shoeboxes, week.with_evidence, week.median_minutes) == ("2026-w29", 4, 3, 10.0)

    def test_lists_what_nobody_used(self, tmp_path: Path) -> None:
        workspace = make_workspace(tmp_path)
        unused, used, fresh = (make_shoebox(workspace, question=f"{number}?") for number in range(3))
        evidence = make_evidence(used)
        make_impact(workspace, subjects=[str(evidence.ref)])
        Shoebox.objects.filter(pk=fresh.pk).update(opened_at=NOON + timedelta(days=25))

        report = impact_report(workspace, now=NOON + timedelta(days=30))

        assert [box.ref for box in report.unused] == [str(unused.ref)]

    def test_takes_as_many_queries_for_twice_the_rows(self, tmp_path: Path) -> None:
        workspace = make_workspace(tmp_path)

        counts = []
        for _ in range(2):
            for _ in range(3):
                make_impact(workspace)
                make_evidence(make_shoebox(workspace))
            with CaptureQueriesContext(connection) as queries:
                impact_report(workspace, now=NOON + timedelta(days=30))
            counts.append(len(queries))

        assert counts[0] == counts[1]


def stages(report: ImpactReport) -> dict[str, tuple[int, int]]:
    return {stage.stage: (stage.shoeboxes, stage.records) for stage in report.funnel}


class TestFunnel:
    def test_counts_the_shoeboxes_that_reached_each_stage(self, tmp_path: Path) -> None:
        workspace, owner = make_folder(tmp_path), make_owner()
        make_shoebox(workspace, question="Nothing yet?")
        argued = make_argued_shoebox(workspace)
        evidence = make_evidence(argued, state="accepted")
        proposal = approve(propose(workspace, make_worker(workspace), shoebox=str(argued.ref)))
        services.apply_proposal(proposal, actor=owner, now=NOON)
        make_impact(workspace, subjects=[str(proposal.ref), str(argued.ref)])
        make_impact(workspace, known="claimed", subjects=[str(evidence.ref)])

        assert stages(impact_report(workspace, now=LATER)) == {
            "opened": (2, 2),
            "with evidence": (1, 1),
            "with hypotheses": (1, argued.hypotheses.count()),
            "led to a product": (1, 1),
            "approved": (1, 1),
            "applied": (1, 1),
            "used, observed": (1, 1),
            "used, recorded": (0, 0),
            "used, claimed": (1, 1),
            "taken back": (0, 0),
        }

    def test_counts_an_export_and_what_was_taken_back(self, tmp_path: Path) -> None:
        workspace, owner = make_folder(tmp_path), make_owner()
        exported, undone = make_argued_shoebox(workspace), make_shoebox(workspace)
        seen = {file.path: file.digest for file in services.plan_export(exported, folder="docs/evidence")}
        services.export_artifact(exported, folder="docs/evidence", seen=seen, actor=owner, now=NOON)
        proposal = approve(propose(workspace, make_worker(workspace), shoebox=str(undone.ref)))
        services.apply_proposal(proposal, actor=owner, now=NOON)
        services.revert_proposal(proposal, actor=owner, now=NOON)

        found = stages(impact_report(workspace, now=LATER))

        assert (found["led to a product"], found["applied"], found["taken back"]) == ((2, 2), (2, 2), (1, 1))

    def test_keeps_to_the_span_the_role_and_the_workspace(self, tmp_path: Path) -> None:
        workspace = make_workspace(tmp_path)
        make_shoebox(workspace, opened_by=make_worker(workspace))
        make_shoebox(workspace)
        make_shoebox(make_workspace("/else"))

        assert stages(impact_report(workspace, now=LATER))["opened"] == (2, 2)
        assert stages(impact_report(workspace, now=LATER, role="orchestrator"))["opened"] == (1, 1)
        assert stages(impact_report(workspace, now=NOON + timedelta(weeks=5), weeks=4))["opened"] == (0, 0)

    def test_is_drawn_about_one_middle_on_one_scale(self) -> None:
        counts = [4, 2, 0, 0, 0, 0, 1, 0, 0, 1]
        rows = [StageOut(stage=name, shoeboxes=n, records=n) for name, n in zip(STAGES, counts, strict=True)]

        chart = funnel_chart(rows)

        assert [stage.width for stage in chart.stages] == [ROOM * count / 4 for count in counts]
        assert len({stage.x + stage.width / 2 for stage in chart.stages}) == 1
        assert [bool(stage.slope) for stage in chart.stages] == [True] * 5 + [False] * 5
        assert [stage.style for stage in chart.stages[-4:]] == ["b-obs", "b-rec", "b-cla", "g-r"]


class TestTimeToFirstEvidence:
    def test_is_told_by_role(self, tmp_path: Path) -> None:
        workspace = make_workspace(tmp_path)
        for by, minutes in ((make_worker(workspace), 30), (make_owner(), 10), (make_owner(), 20)):
            box = make_shoebox(workspace, opened_by=by)
            Shoebox.objects.filter(pk=box.pk).update(opened_at=NOON - timedelta(minutes=minutes))
            make_evidence(box, state="accepted")

        report = impact_report(workspace, now=LATER)
        narrowed = impact_report(workspace, now=LATER, role="orchestrator")

        assert {row.role: (row.shoeboxes, row.evidence_after) for row in report.by_role} == {
            "orchestrator": (1, "30 min"), "person": (2, "15 min"),
        }  # fmt: skip
        assert [one.minutes for one in narrowed.first_evidence] == [30.0]
        assert [week.median_minutes for week in narrowed.by_week if week.shoeboxes] == [30.0]


class TestCharts:
    def test_put_all_ways_on_one_scale(self) -> None:
        effects = [EffectOut(kind="cited", observed=4, recorded=2, claimed=0)]

        chart = effects_chart({"query": 100, "source_opened": 50}, effects, [])

        assert [bar.width for bar in chart.rows[0].bars] == [110.0, 55.0, 0.0]
        assert [line.bars[0].width for line in chart.exposure] == [110.0, 55.0]

    def test_break_the_line_where_nothing_is_known(self) -> None:
        medians = [10.0, 20.0, None, 5.0, 8.0]
        weeks = [
            WeekOut(week=f"2026-w{number}", shoeboxes=1, with_evidence=1, median_minutes=value)
            for number, value in enumerate(medians, start=10)
        ]

        chart = weeks_chart(weeks)

        assert len(chart.points) == 4
        assert [len(line.split()) for line in chart.lines] == [2, 2]
        assert all(20.0 <= point.y <= 150.0 for point in chart.points)

    def test_draw_nothing_of_nothing(self) -> None:
        assert effects_chart({}, [], []).rows == ()
        assert weeks_chart([]).points == ()


class TestImpactPage:
    def test_says_the_finding_and_its_harm_in_the_headline(self, client: Client, tmp_path: Path) -> None:
        workspace, owner = make_folder(tmp_path), make_owner()
        Impact.objects.create(
            workspace=workspace, kind="caused_update", known="observed", subjects=["proposal:x"], product="commit:1",
            at=datetime.now(UTC), noted_at=NOON, key="k",
        )  # fmt: skip
        assert owner.user is not None
        client.force_login(owner.user)

        page = client.get(reverse("products:impact"))
        part = client.get(
            reverse("products:impact"),
            {"weeks": "4", "role": "x"},
            headers={"HX-Request": "true", "HX-Target": "impact"},
        )

        assert "1 change of the work observed, 0 products taken back" in page.text
        assert "never added" in page.text
        assert "4 weeks to" in part.text
        assert "<html" not in part.text

    def test_calls_what_was_observed_by_its_name(self, client: Client, tmp_path: Path) -> None:
        workspace, owner = make_folder(tmp_path), make_owner()
        index_workspace_and_recheck(workspace, now=NOON)
        evidence = make_evidence(make_shoebox(workspace, question="Does the later clock win?"))
        subjects = [str(evidence.ref), str(evidence.shoebox.ref), "evidence:01ARZ3NDEKTSV4RRFFQ69G5FAV", "doc:x.md"]
        Impact.objects.create(
            workspace=workspace, kind="cited", known="observed", subjects=subjects, product="doc:docs/guide.md#L1-L2",
            at=NOON, noted_at=NOON, key="k",
        )  # fmt: skip

        [told] = name_impacts(Impact.objects.all(), workspace)
        assert owner.user is not None
        client.force_login(owner.user)
        text = client.get(reverse("products:impact")).text

        assert told["name"] == "Guide"
        assert told["subjects"] == [
            (subjects[0], f"“{evidence.quote}”"),
            (subjects[1], "Does the later clock win?"),
            (subjects[2], "01ARZ3NDEKTSV4RRFFQ69G5FAV"),
        ]
        assert told["more"] == 1
        assert 'title="doc:docs/guide.md#L1-L2">Guide</a>' in text
        assert "Does the later clock win?</a>" in text

    def test_calls_what_harm_befell_by_its_name(self, client: Client, tmp_path: Path) -> None:
        workspace, owner = make_folder(tmp_path), make_owner()
        index_workspace_and_recheck(workspace, now=NOON)
        at = datetime.now(UTC)
        Marker.objects.create(
            workspace=workspace, target="doc:docs/guide.md", target_source="doc:docs/guide.md", state="stale",
            reason="Old.", origin="person", status="standing", made_by=owner, made_at=at - timedelta(hours=2),
        )  # fmt: skip
        Event.objects.create(
            workspace=workspace, kind="source_opened", subjects=["doc:docs/guide.md#L3"], at=at - timedelta(hours=1),
            actor=owner,
        )  # fmt: skip
        assert owner.user is not None
        client.force_login(owner.user)

        text = client.get(reverse("products:impact")).text

        assert "</span> stale item served after the marker" in text
        assert 'title="doc:docs/guide.md">Guide</a>' in text

    def test_draws_the_way_into_the_work_with_its_table_beside(self, client: Client, tmp_path: Path) -> None:
        workspace, owner = make_folder(tmp_path), make_owner()
        box = make_shoebox(workspace)
        Shoebox.objects.filter(pk=box.pk).update(opened_at=datetime.now(UTC))
        assert owner.user is not None
        client.force_login(owner.user)

        text = client.get(reverse("products:impact")).text

        assert '<svg viewBox="0 0 360' in text
        assert "<td>led to a product</td>" in text
        assert "used, observed" in text

    def test_takes_a_longer_span_where_everything_is_older(self, client: Client, tmp_path: Path) -> None:
        workspace, owner = make_folder(tmp_path), make_owner()
        make_impact(workspace, at=datetime.now(UTC) - timedelta(weeks=20))
        assert owner.user is not None
        client.force_login(owner.user)

        assert "26 weeks to" in client.get(reverse("products:impact")).text
        assert "4 weeks to" in client.get(reverse("products:impact"), {"weeks": "4"}).text

    @pytest.mark.parametrize("name", NAMES)
    def test_hands_out_each_figure(self, client: Client, tmp_path: Path, name: str) -> None:
        workspace, owner = make_folder(tmp_path), make_owner()
        box = make_shoebox(workspace, question="=1+1")
        make_hypothesis(box, status="accepted")
        assert owner.user is not None
        client.force_login(owner.user)
        span = {"weeks": "52"}

        table = client.get(reverse("products:figure_download", args=[name, "csv"]), span)
        told = client.get(reverse("products:figure_download", args=[name, "json"]), span).json()

        head, *lines = csv.reader(table.text.splitlines())
        assert told["figure"] == name
        assert told["rows"] or name == "roles"
        assert all(list(row) == head for row in told["rows"])
        assert len(lines) == len(told["rows"])
        assert not any(cell.startswith("=") for line in lines for cell in line)

    @pytest.mark.parametrize(("name", "form"), [("funnel", "xls"), ("nothing", "csv")])
    def test_has_no_other_files(self, client: Client, tmp_path: Path, name: str, form: str) -> None:
        make_folder(tmp_path)
        owner = make_owner()
        assert owner.user is not None
        client.force_login(owner.user)

        assert client.get(reverse("products:figure_download", args=[name, form])).status_code == 404

    def test_hands_out_its_events(self, client: Client, tmp_path: Path) -> None:
        workspace, owner = make_folder(tmp_path), make_owner()
        make_impact(workspace, note="=1+1")
        assert owner.user is not None
        client.force_login(owner.user)

        table = client.get(reverse("products:impact_download", args=["csv"]))
        rows = client.get(reverse("products:impact_download", args=["json"])).json()

        assert table["Content-Disposition"].startswith("attachment")
        assert "'=1+1" in table.text
        assert [row["known"] for row in rows] == ["observed"]

    def test_takes_a_persons_word_from_the_products_page(self, client: Client, tmp_path: Path) -> None:
        workspace, owner = make_folder(tmp_path), make_owner()
        proposal = approve(propose(workspace, make_worker(workspace)))
        services.apply_proposal(proposal, actor=owner, now=NOON)
        assert owner.user is not None
        client.force_login(owner.user)
        address = reverse("products:record_impact", args=[proposal.public_id])

        done = client.post(address, {"kind": "changed_plan", "product": "ticket:00001KX6WVNPD"}, follow=True)
        again = client.post(address, {"kind": "changed_plan", "product": "ticket:00001KX6WVNPD"}, follow=True)

        assert "Noted as recorded by you" in done.text
        assert "was told before" in again.text
        assert Impact.objects.get().known == "recorded"


class TestImpactOverJson:
    def test_takes_a_workers_claim_and_counts_it_apart(self, client: Client, tmp_path: Path) -> None:
        workspace = make_folder(tmp_path)
        evidence = make_evidence(make_shoebox(workspace))
        headers = {"Authorization": f"Bearer {make_token(workspace)[1]}"}
        sent = {"subjects": [str(evidence.ref)], "product": "commit:" + "a" * 40, "kind": "avoided_duplicate"}

        made = client.post("/api/v1/impact", sent, content_type="application/json", headers=headers)
        report = client.get("/api/v1/impact?weeks=4", headers=headers).json()
        events = client.get("/api/v1/impact/events?known=claimed", headers=headers).json()

        assert (made.status_code, made.json()["known"]) == (201, "claimed")
        row = next(one for one in report["effects"] if one["kind"] == "avoided_duplicate")
        assert (row["observed"], row["recorded"], row["claimed"]) == (0, 0, 1)
        assert events["total"] == 1
