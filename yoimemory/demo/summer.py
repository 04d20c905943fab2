"""The second act, July: the replaced rule is wanted back, and one calm fortnight speaks for it."""

from collections.abc import Sequence

from django.db import transaction

from evidence.models import Evidence
from evidence.services import review_evidence
from hypotheses.models import Hypothesis
from hypotheses.schemas import Alternative, HypothesisDraft, OneRating, RatingDraft, RepresentationDraft
from hypotheses.services import create_representation, decide_hypothesis, propose_hypothesis, rate_evidence
from shoebox.models import Shoebox
from shoebox.schemas import ItemDraft, ShoeboxDraft
from shoebox.services import add_items, create_shoebox
from yoimemory.demo.cast import Cast, Line, at, keep, quote, set_aside
from yoimemory.demo.history import AGAIN, BY_CLOCK, BY_NUMBER, CHECK, ORDERS, QUESTIONS, SURVIVE

QUESTION = "May the later clock decide again while both tablets' clocks agree?"
CLOCK_DOC, SYNC_DOC = "doc:docs/design/clock.md", "doc:docs/design/sync.md"
FORTNIGHT = "doc:docs/report/2026-06-24-two-weeks-of-clocks.md"
SATURDAY = "doc:docs/report/2026-04-20-saturday-orders.md"
MEMORY_DECISION = "memory:decision/merge-by-device-clock"
RUNS_ONCE = "The clock check runs once, when the app starts."
NEVER_ORDERS = "A tablet's time is shown to people and never orders edits."


def play_summer(cast: Cast) -> None:
    """Gather, quote for and against, hear the Workers. What was played before is not played again."""
    if Shoebox.objects.filter(workspace=cast.workspace, question=QUESTION).exists():
        return
    with transaction.atomic():
        shoebox = _gather(cast)
        again, number, counter = _claims(cast, shoebox)
        evidence = _own_quotes(cast, shoebox, again, number)
        _rate(cast, evidence, (again, number, counter))
        _workers_quotes(cast, shoebox, again, number)
        _lines_for_the_counter(cast, shoebox, counter)
        create_representation(
            RepresentationDraft(
                kind="timeline", shoebox=str(shoebox.ref), title="What was known about the tablets' clocks, and when"
            ),
            workspace=cast.workspace, actor=cast.orchestrator, now=at("07-08T02:30"),
        )  # fmt: skip


def _gather(cast: Cast) -> Shoebox:
    shoebox = create_shoebox(
        ShoeboxDraft(
            question=QUESTION,
            task=f"ticket:{AGAIN}",
            purpose="Decide whether the plan of 30 June may be built. 決める前に、賛成と反対の材料を集める。",
            queries=["clock agree two seconds", "どちらを残しますか"],
        ),
        workspace=cast.workspace, actor=cast.owner, now=at("07-08T01:00"),
    )  # fmt: skip
    held = set(shoebox.items.values_list("source", flat=True))
    wanted = {
        FORTNIGHT: "Two weeks of readings of both clocks.",
        CLOCK_DOC: "Says what the clock check does, and when.",
        SYNC_DOC: "Says what orders edits today.",
        MEMORY_DECISION: "What generated memory still says about merging.",
    }
    missing = [ItemDraft(ref=ref, rationale=why) for ref, why in wanted.items() if ref not in held]
    if missing:
        add_items(shoebox, missing, actor=cast.owner, now=at("07-08T01:10"))
    add_items(
        shoebox,
        [ItemDraft(ref="code:asapan/merge.py", rationale="What the plan would change.", leaning="likely supports")],
        actor=cast.orchestrator, now=at("07-08T01:12"),
    )  # fmt: skip
    keep(
        shoebox, [FORTNIGHT, CLOCK_DOC, SYNC_DOC, f"ticket:{AGAIN}", f"ticket:{QUESTIONS}", f"objective:{SURVIVE}"],
        actor=cast.owner, now=at("07-08T01:15"),
    )  # fmt: skip
    set_aside(
        shoebox, f"ticket:{ORDERS}", "Shares the word seconds, nothing else.", actor=cast.owner, now=at("07-08T01:16")
    )
    return shoebox


def _claims(cast: Cast, shoebox: Shoebox) -> tuple[Hypothesis, Hypothesis, Hypothesis]:
    again = propose_hypothesis(
        HypothesisDraft(
            shoebox=str(shoebox.ref),
            claim="While the clock check says that both clocks agree, the later edit may win without a question.",
            open_questions=[
                "How long does \"the clocks agree\" hold after the check?",
                "What of a tablet that starts without a network?",
            ],
            threshold="No known way in which a wrong clock passes the check.",
            minimum_evidence=2,
            would_change="One case in which a tablet's clock is wrong and the check does not say so.",
        ),
        workspace=cast.workspace, actor=cast.orchestrator, now=at("07-08T01:20"),
    )  # fmt: skip
    number = propose_hypothesis(
        HypothesisDraft(
            shoebox=str(shoebox.ref),
            claim="Only the server's number may decide; merging edits of different lines makes the questions fewer.",
            alternatives=[
                Alternative(
                    option="Ask in the evening instead of at the counter",
                    reason="The kitchen starts at four and needs the answer before.",
                )
            ],
            threshold="Fewer than ten questions a week, with the Saturday of 18 April still right.",
            minimum_evidence=2,
        ),
        workspace=cast.workspace, actor=cast.owner, now=at("07-08T01:25"),
    )  # fmt: skip
    counter = propose_hypothesis(
        HypothesisDraft(shoebox=str(shoebox.ref), claim="The counter's edit may always win."),
        workspace=cast.workspace, actor=cast.orchestrator, now=at("07-08T01:26"),
    )  # fmt: skip
    return again, number, counter


def _own_quotes(cast: Cast, shoebox: Shoebox, again: Hypothesis, number: Hypothesis) -> list[Evidence]:
    return quote(
        shoebox,
        [
            Line(
                FORTNIGHT, "The largest difference between a tablet and the server was 0.4 seconds.",
                [("supports", again)], "Well below the two seconds that the plan allows.", basis="witnessed",
            ),
            Line(
                FORTNIGHT, "no tablet was restarted in these two weeks", [("refutes", again)],
                "The calm fortnight says nothing about a restart.", basis="witnessed",
            ),
            Line(
                f"ticket:{QUESTIONS}/thread",
                "In 31 of them the person kept the version with the\nlater time on the screen.",
                [("supports", again)], "Most answers are what the clock would have chosen.", basis="witnessed",
            ),
            Line(
                CLOCK_DOC, RUNS_ONCE, [("refutes", again)],
                "Whatever happens to the clock after the start goes unseen.",
            ),
            Line(
                SYNC_DOC, NEVER_ORDERS, [("refutes", again), ("supports", number)],
                "The rule that stands today, since April.",
            ),
            Line(
                f"ticket:{QUESTIONS}/thread", "only 7 touched the same line", [("supports", number)],
                "Merging different lines would already bring the questions below ten.", basis="witnessed",
            ),
            Line(
                f"objective:{SURVIVE}",
                "What decides between two versions must not depend on something that a power cut can change.",
                [("refutes", again), ("supports", number)],
                "If a power cut can change a tablet's clock, this settles it. Can it? 停電で時計は変わるのか。",
            ),
        ],
        actor=cast.owner, now=at("07-08T01:50"),
    )  # fmt: skip


def _rate(cast: Cast, evidence: Sequence[Evidence], claims: Sequence[Hypothesis]) -> None:
    """Rate each own quote against the three claims; the orchestrator sees the first two more kindly."""
    owners = ("C N NA", "I C N", "C N N", "I C N", "I CC N", "N CC NA", "II CC I")
    workers = ("CC N NA", "N N N")
    for actor, cells in ((cast.owner, owners), (cast.orchestrator, workers)):
        for piece, row in zip(evidence, cells, strict=False):
            ratings = [
                OneRating.model_validate({"hypothesis": str(claim.ref), "value": value})
                for claim, value in zip(claims, row.split(), strict=True)
            ]
            draft = RatingDraft(evidence=str(piece.ref), ratings=ratings)
            rate_evidence(draft, workspace=cast.workspace, actor=actor, now=at("07-08T01:55"))


def _workers_quotes(cast: Cast, shoebox: Shoebox, again: Hypothesis, number: Hypothesis) -> None:
    quote(
        shoebox,
        [
            Line(
                f"ticket:{CHECK}/thread", "It must not be taken for a guarantee: it runs once, at start.",
                [("refutes", again)], "The reviewer of the clock check limits what it can carry.",
            ),
            Line(
                f"ticket:{AGAIN}/thread",
                "The plan rests on two weeks in which nobody restarted a tablet without network.",
                [("refutes", again)], "The same gap, seen by the reviewer of the plan.",
            ),
            Line(
                SATURDAY, "", [("contextualizes", number)],
                "It shows how long a wrong merge can stay unnoticed.",
                summary="Seven of the nine wrong merges were put right by hand without anybody asking why.",
                inference="A rule that is wrong once a week may go unnoticed for a month.",
            ),
        ],
        actor=cast.reviewer, now=at("07-08T02:00"),
    )  # fmt: skip
    stored = quote(
        shoebox,
        [
            Line(
                f"ticket:{CHECK}/thread", 'Both tablets show "clock agrees" this morning.', [("supports", again)],
                "The check works on both tablets.",
            ),
            Line(
                f"ticket:{BY_CLOCK}/thread", "No question is asked at the counter.", [("supports", again)],
                "It was decided so in March.",
            ),
        ],
        actor=cast.orchestrator, now=at("07-08T02:05"),
    )  # fmt: skip
    review_evidence(
        stored[1], verdict="reject",
        reason=f"This decision was superseded on 22 April by ticket:{BY_NUMBER}; only memory still holds it.",
        actor=cast.owner, now=at("07-08T02:12"),
    )  # fmt: skip


def _lines_for_the_counter(cast: Cast, shoebox: Shoebox, counter: Hypothesis) -> None:
    quote(
        shoebox,
        [
            Line(
                f"ticket:{BY_CLOCK}/thread", "Way 3 would undo the kitchen's corrections.", [("refutes", counter)],
                "Known since March.",
            )
        ],
        actor=cast.owner, now=at("07-08T02:20"),
    )  # fmt: skip
    decide_hypothesis(
        counter, after="rejected", reason="It would undo what the kitchen corrects; nobody asks for that.",
        actor=cast.owner, now=at("07-08T02:22"),
    )  # fmt: skip
