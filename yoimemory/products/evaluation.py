"""Does it help? Two arms of tasks beside one another, everything counted from events and threads, nothing typed in."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime
from statistics import median

from evidence.models import Evidence
from yoimemory.products.models import Trial
from yoimemory.products.reports import ArmOut, EvaluationOut, TrialOut
from yoimemory.search.models import Document
from yoimemory.sources.dates import read_instant
from yoimemory.sources.models import Workspace

ENOUGH = 10
"""Tasks of an arm below which the page says that the figures show nothing yet."""


def evaluation_of(workspace: Workspace, *, now: datetime, kind: str = "") -> EvaluationOut:
    """Compare the arms, for one kind of task where one is named."""
    every = Trial.objects.in_workspace(workspace).select_related("by").order_by("at", "pk")
    kinds = sorted({trial.kind for trial in every if trial.kind})
    trials = [trial for trial in every if not kind or trial.kind == kind]
    rows = _rows(workspace, trials)
    counted = [row for row in rows if not row.ended]
    arms = [_arm(arm, [row for row in counted if row.arm == arm]) for arm in Trial.Arm.values]
    return EvaluationOut(
        kind=kind, kinds=kinds, until=now, arms=arms, tasks=rows, enough=min(arm.tasks for arm in arms) >= ENOUGH
    )


def _rows(workspace: Workspace, trials: Sequence[Trial]) -> list[TrialOut]:
    quoted, threads, titles = _quoted(workspace, trials), _threads(workspace, trials), _titles(workspace, trials)
    rows = []
    for trial in trials:
        held = [one for one in quoted[trial.task] if one.made_at >= trial.at]
        first = min((one.made_at for one in held), default=None)
        reviews, reopened = _reviews(threads.get(trial.task, []), trial.at)
        title, state = titles.get(trial.task, ("", ""))
        rows.append(
            TrialOut(
                id=trial.public_id,
                task=trial.task,
                title=title,
                state=state,
                kind=trial.kind,
                arm=trial.arm,
                at=trial.at,
                ended=trial.ended_at is not None,
                reason=trial.reason,
                minutes=round((first - trial.at).total_seconds() / 60, 1) if first else None,
                evidence=len(held),
                contrary=sum(any(each.relation == "refutes" for each in one.relations.all()) for one in held),
                reviews=reviews,
                reopened=reopened,
            )
        )
    return rows


def _quoted(workspace: Workspace, trials: Sequence[Trial]) -> dict[str, list[Evidence]]:
    """The accepted evidence of every shoebox of each task."""
    found: dict[str, list[Evidence]] = defaultdict(list)
    rows = (
        Evidence.objects.in_workspace(workspace)
        .accepted()
        .filter(shoebox__task__in=[trial.task for trial in trials])
        .select_related("shoebox")
        .prefetch_related("relations")
        .order_by("pk")
    )
    for row in rows:
        found[row.shoebox.task].append(row)
    return found


def _threads(workspace: Workspace, trials: Sequence[Trial]) -> dict[str, list[dict[str, str]]]:
    """The events of each ticket's thread, as the index read them."""
    refs = [f"{trial.task}/thread" for trial in trials]
    rows = Document.objects.filter(workspace=workspace.public_id, ref__in=refs)
    return {row.ref.removesuffix("/thread"): row.facts.get("events", []) for row in rows}


def _titles(workspace: Workspace, trials: Sequence[Trial]) -> dict[str, tuple[str, str]]:
    rows = Document.objects.filter(workspace=workspace.public_id, ref__in=[trial.task for trial in trials])
    return {row.ref: (row.title, row.state) for row in rows}


def _reviews(events: Sequence[dict[str, str]], since: datetime) -> tuple[list[str], int]:
    """The verdicts of the reviews since the work began, in order, and how often the ticket went back."""
    order = ("planning", "intake", "ready", "queued", "inprogress", "done", "closed")
    verdicts, back = [], 0
    for event in events:
        at = read_instant(event.get("at", ""))
        if at is None or at < since:
            continue
        if event.get("kind") == "review":
            said = event.get("status") or event.get("result") or ""
            verdicts.append("approve" if said in {"approve", "approved"} else said or "unclear")
        before, after = event.get("from", ""), event.get("to", "")
        if event.get("kind") == "state_changed" and before in order and after in order:
            back += order.index(after) < order.index(before)
    return verdicts, back


def _arm(arm: str, rows: Sequence[TrialOut]) -> ArmOut:
    minutes = sorted(row.minutes for row in rows if row.minutes is not None)
    first = [row.reviews[0] for row in rows if row.reviews]
    return ArmOut(
        arm=arm,
        tasks=len(rows),
        with_evidence=len(minutes),
        median_minutes=round(median(minutes), 1) if minutes else None,
        fastest_minutes=minutes[0] if minutes else None,
        slowest_minutes=minutes[-1] if minutes else None,
        evidence=sum(row.evidence for row in rows),
        contrary=sum(row.contrary for row in rows),
        tasks_with_contrary=sum(row.contrary > 0 for row in rows),
        reviewed=len(first),
        approved_first=sum(verdict == "approve" for verdict in first),
        changes_requested=sum(verdict != "approve" for row in rows for verdict in row.reviews),
        reopened=sum(row.reopened for row in rows),
    )
