"""Does it help: arms that are drawn before the work, figures that are read from evidence and threads alone."""

from datetime import timedelta
from pathlib import Path

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from tests.factories import NOON, make_evidence, make_owner, make_person, make_relation, make_shoebox, make_token
from tests.products.making import make_folder
from yoimemory.access.services import NotAReviewer
from yoimemory.desk.indexing import index_workspace_and_recheck
from yoimemory.errors import BadInput, NotFound
from yoimemory.products import services
from yoimemory.products.evaluation import evaluation_of
from yoimemory.products.impact_chart import arms_chart
from yoimemory.products.models import Trial
from yoimemory.products.reports import TrialDraft, lasted
from yoimemory.sources.models import Workspace

pytestmark = pytest.mark.django_db
LATER = NOON + timedelta(days=1)


def make_tickets(root: Path, count: int) -> Workspace:
    """A folder with tickets `0000000000010`, `…20`, …, each reviewed twice after it began."""
    workspace = make_folder(root)
    for number in range(1, count + 1):
        folder = root / ".yoi" / "tickets" / f"000000000{number:03}0"
        folder.mkdir(parents=True)
        (folder / "item.md").write_text(f"---\ntitle: 'Task {number}'\nstate: 'done'\n---\n\nBody.\n")
        (folder / "thread.md").write_text(
            "<!-- event: review author: r at: 2026-07-15T12:00:00Z status: approve -->\n\nBefore.\n\n---\n"
            "<!-- event: review author: r at: 2026-07-16T13:00:00Z status: request_changes -->\n\nNo.\n\n---\n"
            "<!-- event: state_changed author: r at: 2026-07-16T13:01:00Z from: done to: inprogress -->\n\n---\n"
            "<!-- event: review author: r at: 2026-07-16T14:00:00Z status: approve -->\n\nYes.\n\n---\n"
        )
    index_workspace_and_recheck(workspace, now=NOON)
    return workspace


def task(number: int) -> str:
    return f"ticket:000000000{number:03}0"


def begin(workspace: Workspace, number: int, arm: str = "", kind: str = "bug") -> Trial:
    draft = TrialDraft(task=task(number), kind=kind, arm=arm)  # type: ignore[arg-type]
    return services.begin_trial(draft, workspace=workspace, actor=make_owner(), now=NOON)


class TestBeginTrial:
    def test_draws_both_arms_equally(self, tmp_path: Path) -> None:
        workspace = make_tickets(tmp_path, 6)

        arms = [begin(workspace, number).arm for number in range(1, 7)]

        assert sorted(arms) == ["with"] * 3 + ["without"] * 3
        assert all(set(arms[at : at + 2]) == {"with", "without"} for at in (0, 2, 4))

    def test_keeps_the_arm_of_a_task(self, tmp_path: Path) -> None:
        workspace = make_tickets(tmp_path, 1)
        begin(workspace, 1, "with")

        with pytest.raises(services.AlreadyInTrial):
            begin(workspace, 1, "without")

        assert Trial.objects.get().arm == "with"

    @pytest.mark.parametrize(
        ("ref", "error"), [("doc:docs/guide.md", BadInput), ("ticket:0000000009999", NotFound), ("x", BadInput)]
    )
    def test_takes_tasks_that_are_there(self, tmp_path: Path, ref: str, error: type[Exception]) -> None:
        workspace = make_tickets(tmp_path, 1)
        draft = TrialDraft.model_construct(task=ref, kind="", arm="")

        with pytest.raises(error):
            services.begin_trial(draft, workspace=workspace, actor=make_owner(), now=NOON)

    def test_is_for_reviewers(self, tmp_path: Path, client: Client) -> None:
        workspace = make_tickets(tmp_path, 1)
        member = make_person(workspace, "member")
        headers = {"Authorization": f"Bearer {make_token(workspace)[1]}"}

        with pytest.raises(NotAReviewer):
            services.begin_trial(TrialDraft(task=task(1)), workspace=workspace, actor=member, now=NOON)
        by_worker = client.post("/api/v1/trials", {"task": task(1)}, content_type="application/json", headers=headers)

        assert by_worker.status_code == 403
        assert not Trial.objects.exists()


class TestEvaluation:
    def quote(self, workspace: Workspace, number: int, minutes: int, relation: str = "supports") -> None:
        shoebox = make_shoebox(workspace, task=task(number))
        evidence = make_evidence(shoebox, state="accepted")
        make_relation(evidence, shoebox.ref, relation)
        type(evidence).objects.filter(pk=evidence.pk).update(made_at=NOON + timedelta(minutes=minutes))

    def test_reads_every_figure_from_evidence_and_threads(self, tmp_path: Path) -> None:
        workspace = make_tickets(tmp_path, 4)
        for number, arm in ((1, "with"), (2, "with"), (3, "without"), (4, "without")):
            begin(workspace, number, arm)
        self.quote(workspace, 1, 10)
        self.quote(workspace, 1, 20, "refutes")
        self.quote(workspace, 2, 30)
        self.quote(workspace, 3, 90)

        found = evaluation_of(workspace, now=LATER)

        first, second = found.arms
        assert (first.tasks, first.with_evidence, first.median_minutes) == (2, 2, 20.0)
        assert (first.fastest_minutes, first.slowest_minutes) == (10.0, 30.0)
        assert (first.evidence, first.contrary, first.tasks_with_contrary) == (3, 1, 1)
        assert (first.reviewed, first.approved_first, first.changes_requested, first.reopened) == (2, 0, 2, 2)
        assert (second.tasks, second.with_evidence, second.median_minutes, second.contrary) == (2, 1, 90.0, 0)
        assert found.tasks[0].reviews == ["request_changes", "approve"], "what was reviewed before does not count"
        assert not found.enough

    def test_counts_nothing_from_before_the_task_began(self, tmp_path: Path) -> None:
        workspace = make_tickets(tmp_path, 1)
        begin(workspace, 1, "with")
        self.quote(workspace, 1, -5)

        [row] = evaluation_of(workspace, now=LATER).tasks

        assert (row.minutes, row.evidence) == (None, 0)

    def test_compares_like_with_like(self, tmp_path: Path) -> None:
        workspace = make_tickets(tmp_path, 2)
        begin(workspace, 1, "with", "bug")
        begin(workspace, 2, "without", "design")

        found = evaluation_of(workspace, now=LATER, kind="bug")

        assert (found.kinds, [row.kind for row in found.tasks]) == (["bug", "design"], ["bug"])

    def test_leaves_out_what_was_taken_out_and_still_shows_it(self, tmp_path: Path) -> None:
        workspace = make_tickets(tmp_path, 1)
        trial = begin(workspace, 1, "with")

        services.end_trial(trial, actor=make_owner(), now=LATER, reason="The ticket was split.")

        found = evaluation_of(workspace, now=LATER)
        assert found.arms[0].tasks == 0
        assert (found.tasks[0].ended, found.tasks[0].reason) == (True, "The ticket was split.")

    def test_takes_as_many_queries_for_more_tasks(self, tmp_path: Path) -> None:
        workspace = make_tickets(tmp_path, 6)
        counts = []
        for numbers in ((1, 2), (3, 4, 5, 6)):
            for number in numbers:
                begin(workspace, number)
                self.quote(workspace, number, 5)
            with CaptureQueriesContext(connection) as queries:
                evaluation_of(workspace, now=LATER)
            counts.append(len(queries))

        assert counts[0] == counts[1]

    def test_draws_no_bar_of_nothing(self, tmp_path: Path) -> None:
        found = evaluation_of(make_folder(tmp_path), now=LATER)

        assert [bar.told for bar in arms_chart(found.arms)[0].bars] == ["–", "–"]

    @pytest.mark.parametrize(
        ("minutes", "said"), [(None, "–"), (5, "5 min"), (119, "119 min"), (150, "2.5 h"), (8640, "6.0 days")]
    )
    def test_tells_a_span_in_the_unit_of_people(self, minutes: float | None, said: str) -> None:
        assert lasted(minutes) == said


class TestEvaluationPage:
    def test_shows_the_arms_and_puts_a_task_in(self, client: Client, tmp_path: Path) -> None:
        workspace, owner = make_tickets(tmp_path, 2), make_owner()
        assert owner.user is not None
        client.force_login(owner.user)
        address = f"{reverse('products:begin_trial')}?workspace={workspace.slug}"

        empty = client.get(f"{reverse('products:evaluation')}?workspace={workspace.slug}").text
        done = client.post(address, {"task": task(1), "kind": "bug", "arm": "with"}, follow=True).text
        again = client.post(address, {"task": task(1)})
        wrong = client.post(address, {"task": ""})

        assert "No task is in the comparison yet" in empty
        assert "worked on with the skills" in done
        assert "too few to tell" in done
        assert (again.status_code, wrong.status_code) == (409, 422)

    def test_takes_a_task_out_with_a_reason(self, client: Client, tmp_path: Path) -> None:
        workspace, owner = make_tickets(tmp_path, 1), make_owner()
        assert owner.user is not None
        client.force_login(owner.user)
        trial = begin(workspace, 1, "with")
        address = reverse("products:end_trial", args=[trial.public_id])

        client.post(address, {"reason": ""})
        trial.refresh_from_db()
        kept = trial.ended_at
        page = client.post(address, {"reason": "Split."}, follow=True).text

        assert kept is None
        assert "taken out" in page

    def test_tells_machines_the_same(self, client: Client, tmp_path: Path) -> None:
        workspace = make_tickets(tmp_path, 1)
        begin(workspace, 1, "with")
        headers = {"Authorization": f"Bearer {make_token(workspace, 'read')[1]}"}

        told = client.get("/api/v1/trials", headers=headers).json()

        assert [arm["tasks"] for arm in told["arms"]] == [1, 0]
