"""The last act: sources moved on, session logs were added late, and four things wait for the visitor."""

from django.db import transaction

from evidence.models import Evidence
from hypotheses.models import Hypothesis
from shoebox.models import Shoebox
from shoebox.schemas import Budget
from shoebox.services import resize_shoebox
from yoimemory.asking.schemas import AliasDraft, Asked, SavedSearchDraft
from yoimemory.asking.services import add_alias, save_search
from yoimemory.demo.cast import Cast, at
from yoimemory.demo.history import AGAIN, BY_NUMBER, CHECK, LABELS, LOST
from yoimemory.demo.summer import FORTNIGHT, MEMORY_DECISION, QUESTION, SYNC_DOC
from yoimemory.demo.texts import text_of
from yoimemory.markers.models import Marker
from yoimemory.markers.schemas import ContradictionDraft, MarkerDraft
from yoimemory.markers.services import mark_staleness, note_contradiction, set_reliability
from yoimemory.products.reports import TrialDraft
from yoimemory.products.schemas import ProposalDraft
from yoimemory.products.services import begin_trial, propose_candidate
from yoimemory.refs import SourceRef

REFUTING_SESSION = "session:plain/2026-05-23-label-printer"
REFUTING_LINE = (
    "After a power cut the kitchen tablet starts with its clock at 2020-01-01 and keeps it until the network is back."
)
_SKILL = ".yoi/skills/reviewer/SKILL.md"
_SYNC = "docs/design/sync.md"


def play_after(cast: Cast) -> None:
    """Mark what is stale, leave two proposals waiting, make room. What was played before is not played again."""
    if Marker.objects.filter(workspace=cast.workspace).exclude(origin=Marker.Origin.DERIVED).exists():
        return
    with transaction.atomic():
        _mark(cast)
        _disagree(cast)
        _propose(cast)
        _make_room(cast)
        _compare(cast)
        _remember_words(cast)


def _mark(cast: Cast) -> None:
    mark_staleness(
        MarkerDraft(
            target=MEMORY_DECISION,
            state="superseded",
            by_ref=f"ticket:{BY_NUMBER}/thread#event-3",
            reason="The later clock does not win any more since 22 April. 決定は置き換えられた。",
            review_at=at("07-15T00:00"),
        ),
        workspace=cast.workspace, actor=cast.owner, now=at("07-10T02:00"),
    )  # fmt: skip
    mark_staleness(
        MarkerDraft(
            target=FORTNIGHT,
            state="needs-review",
            reason="Readings end on 24 June; the hourly check of 9 July is not covered.",
        ),
        workspace=cast.workspace, actor=cast.reviewer, now=at("07-10T02:10"),
    )  # fmt: skip


def _disagree(cast: Cast) -> None:
    """Two records that cannot both hold, and a source that a person trusts only so far."""
    note_contradiction(
        ContradictionDraft(
            left=MEMORY_DECISION,
            left_at=at("03-12T00:00"),
            right=SYNC_DOC,
            right_at=at("04-22T00:00"),
            about="Whether a tablet's time may decide which edit wins. 端末の時刻で決めてよいか。",
        ),
        workspace=cast.workspace, actor=cast.owner, now=at("07-10T02:20"),
    )  # fmt: skip
    set_reliability(
        SourceRef.parse(FORTNIGHT), grade="mixed",
        reason="Two calm weeks without a restart: right about what it measured, silent about power cuts.",
        workspace=cast.workspace, actor=cast.owner, now=at("07-10T02:25"),
    )  # fmt: skip


def _propose(cast: Cast) -> None:
    shoebox = Shoebox.objects.get(workspace=cast.workspace, question=QUESTION)
    again = Hypothesis.objects.get(shoebox=shoebox, number=1)
    held = Evidence.objects.in_shoebox(shoebox).accepted()
    supporting = [str(one.ref) for one in held.with_relation(again.ref, "supports")]
    contrary = [str(one.ref) for one in held.with_relation(again.ref, "refutes")]
    now_text = text_of(_SYNC, 3).decode()
    head, tail = now_text.split("## Why not by clock", 1)
    section = (
        "## While both clocks agree\n\n"
        'When the clock check of both tablets says "agrees", the edit with the later tablet time wins and no\n'
        "question is asked. Otherwise both versions are kept, as above.\n\n"
    )
    propose_candidate(
        ProposalDraft(
            target="doc", path=_SYNC, title="Let the later clock win while both clocks agree",
            content=f"{head}{section}## Why not by clock{tail}",
            rationale="31 of 34 questions in one week were answered as the clock would have answered them.",
            evidence=supporting, contrary=contrary, shoebox=str(shoebox.ref),
        ),
        workspace=cast.workspace, actor=cast.orchestrator, now=at("07-10T03:00"),
    )  # fmt: skip
    skill = text_of(_SKILL).decode()
    propose_candidate(
        ProposalDraft(
            target="skill", path=_SKILL, title="Ask the session logs too before approving",
            content=skill + "6. Search the session logs too: what an agent saw in passing is written nowhere else.\n",
            rationale=(
                f"The plan's author searched the tickets only. The run on ticket:{LABELS} was about labels, so nobody "
                "looked there for clocks."
            ),
            shoebox=str(shoebox.ref),
        ),
        workspace=cast.workspace, actor=cast.reviewer, now=at("07-10T03:10"),
    )  # fmt: skip


def _make_room(cast: Cast) -> None:
    """The session logs are new here: gathering again has to find place for what they hold."""
    shoebox = Shoebox.objects.get(workspace=cast.workspace, question=QUESTION)
    resize_shoebox(shoebox, budget=Budget(items=80), actor=cast.owner, now=at("07-10T04:00"))


def _remember_words(cast: Cast) -> None:
    """What the rule was called before April's decision, and a search that the shop asks again and again."""
    add_alias(
        AliasDraft(
            word="later clock", meaning="merge rule", until=at("04-22T00:00").date(),
            note=f"The rule was the later clock until {BY_NUMBER} replaced it.",
        ),
        workspace=cast.workspace, actor=cast.owner, now=at("07-10T04:10"),
    )  # fmt: skip
    save_search(
        SavedSearchDraft(
            name="Against the merge rule", shared=True,
            asked=Asked(q="merge rule sequence", stance="disconfirming", order="newest"),
        ),
        workspace=cast.workspace, actor=cast.owner, now=at("07-10T04:20"),
    )  # fmt: skip


def _compare(cast: Cast) -> None:
    """Two tasks with the skills and two without, each put in when its work began: far too few to tell, and said so."""
    for ticket, arm, begun in (
        (LOST, "with", "04-18T09:00"),
        (BY_NUMBER, "without", "04-21T01:00"),
        (CHECK, "without", "05-11T00:00"),
        (AGAIN, "with", "06-29T02:00"),
    ):
        draft = TrialDraft.model_validate({"task": f"ticket:{ticket}", "kind": "rule of merging", "arm": arm})
        begin_trial(draft, workspace=cast.workspace, actor=cast.owner, now=at(begun))
