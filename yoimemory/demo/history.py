"""The history of the demo workspace: who committed what, when. Fixed dates and people give the same ids everywhere."""

from dataclasses import dataclass
from datetime import datetime

from yoimemory.demo.texts import text_of, ticket_after

ORDERS, PREP, OFFLINE, BY_CLOCK = "00001KJP1GKJ0", "00001KJXPZTR0", "00001KKFWMG70", "00001KKZSKQM0"
LOST, BY_NUMBER, CHECK, LABELS = "00001KPFVC1T0", "00001KPPRT7M0", "00001KRA71NT0", "00001KS71E920"
QUESTIONS, AGAIN, PAPER, ARCHIVE = "00001KV54PT00", "00001KW8FCEG0", "00001KWDGEVX0", "00001KWTSAEG0"
TICKETS = (ORDERS, PREP, OFFLINE, BY_CLOCK, LOST, BY_NUMBER, CHECK, LABELS, QUESTIONS, AGAIN, PAPER, ARCHIVE)
SURVIVE, ONE_SHEET = "00001KKAM41M0", "00001KJV5QQM0"
OBJECTIVES = (SURVIVE, ONE_SHEET)

MIKA, ORCHESTRATOR, CODER, REVIEWER = "mika", "orchestrator", "coder", "reviewer"


@dataclass(frozen=True)
class File:
    """One file of the workspace, in one of its versions."""

    path: str
    version: int = 0

    def contents(self) -> dict[str, bytes]:
        return {self.path: text_of(self.path, self.version)}


@dataclass(frozen=True)
class Grown:
    """A ticket after its first events."""

    ticket: str
    events: int

    def contents(self) -> dict[str, bytes]:
        return ticket_after(self.ticket, self.events)


@dataclass(frozen=True)
class Step:
    """One commit."""

    at: datetime
    author: str
    subject: str
    changes: tuple[File | Grown, ...]

    def contents(self) -> dict[str, bytes]:
        return {path: data for change in self.changes for path, data in change.contents().items()}


def _step(at: str, author: str, subject: str, *changes: File | Grown) -> Step:
    return Step(datetime.fromisoformat(f"2026-{at}+09:00"), author, subject, changes)


def _relations(ticket: str) -> File:
    return File(f".yoi/tickets/{ticket}/artifacts/relations.json")


def _objective(objective: str, version: int) -> File:
    return File(f".yoi/objectives/{objective}/item.md", version)


_REPORT = "docs/report/2026-04-20-saturday-orders.md"

SPRING = (
    _step(
        "03-02T10:00", MIKA, "Start the workspace",
        File("README.md"), File("AGENTS.md"), File(".gitignore"), File("docs/README.md"), File(".yoi/workspace.toml"),
    ),
    _step("03-02T10:12", MIKA, "ticket: create Take pre-orders on the counter tablet", Grown(ORDERS, 1)),
    _step("03-02T11:12", ORCHESTRATOR, "ticket: start the pre-orders", Grown(ORDERS, 4)),
    _step("03-04T10:02", MIKA, "objective: 朝の仕込み表を一枚にする", _objective(ONE_SHEET, 1)),
    _step(
        "03-04T14:31", CODER, "Hold an order and who changed it last",
        File("asapan/__init__.py"), File("asapan/orders.py", 1), Grown(ORDERS, 5),
    ),
    _step("03-04T16:02", MIKA, "ticket: close the pre-orders", Grown(ORDERS, 7)),
    _step("03-05T09:45", MIKA, "ticket: create 厨房タブレットに仕込み表を出す", Grown(PREP, 1)),
    _step("03-05T10:36", ORCHESTRATOR, "ticket: plan the prep sheet", Grown(PREP, 4)),
    _step(
        "03-06T13:22", CODER, "仕込み表の集計",
        File("asapan/prep.py", 1), File("tests/test_prep.py"), Grown(PREP, 5),
    ),
    _step("03-06T14:06", REVIEWER, "ticket: request changes on the prep sheet", Grown(PREP, 6)),
    _step("03-06T16:42", CODER, "仕込み表に時刻の行を足す", File("asapan/prep.py", 2), Grown(PREP, 7)),
    _step("03-06T17:12", REVIEWER, "ticket: approve the prep sheet", Grown(PREP, 8)),
    _step("03-07T05:40", MIKA, "ticket: close 仕込み表", Grown(PREP, 9)),
    _step("03-10T10:05", MIKA, "objective: Orders survive a day without a network", _objective(SURVIVE, 1)),
    _step("03-12T11:06", MIKA, "ticket: create Keep taking orders without a network", Grown(OFFLINE, 1)),
    _step("03-12T11:46", ORCHESTRATOR, "ticket: plan the offline queue", Grown(OFFLINE, 3)),
    _step("03-16T13:12", CODER, "Keep edits in a queue on the tablet", File("asapan/offline.py", 1), Grown(OFFLINE, 4)),
    _step("03-16T14:02", REVIEWER, "ticket: approve the offline queue", Grown(OFFLINE, 5)),
    _step("03-17T12:01", MIKA, "ticket: close the offline queue", Grown(OFFLINE, 6)),
    _step(
        "03-18T15:52", ORCHESTRATOR, "ticket: three ways to merge two edits",
        Grown(BY_CLOCK, 2), _relations(BY_CLOCK),
    ),
    _step("03-19T09:41", MIKA, "ticket: decide that the later clock wins", Grown(BY_CLOCK, 4)),
    _step(
        "03-19T15:32", CODER, "Merge two edits: the later tablet time wins",
        File("asapan/merge.py", 1), File("tests/test_merge.py", 1), File("docs/design/sync.md", 1),
        File("docs/design/overview.md"), Grown(BY_CLOCK, 5),
    ),
    _step("03-19T16:22", REVIEWER, "ticket: approve merging by clock", Grown(BY_CLOCK, 6)),
    _step("03-20T11:02", MIKA, "ticket: close merging by clock", Grown(BY_CLOCK, 7)),
    _step("04-02T14:20", CODER, "Print labels for the bags", File("asapan/labels.py", 1)),
    _step("04-18T17:31", MIKA, "ticket: create 土曜の注文が二件消えた", Grown(LOST, 1)),
    _step("04-18T17:56", ORCHESTRATOR, "ticket: two ways in which the orders can have vanished", Grown(LOST, 2)),
    _step("04-19T10:42", CODER, "ticket: what the logs say about Saturday", Grown(LOST, 3)),
    _step("04-20T08:21", MIKA, "ticket: 厨房の時計は 11 分進んでいた", Grown(LOST, 4)),
    _step("04-20T14:01", CODER, "Report on the two lost orders", File(_REPORT, 1), Grown(LOST, 5)),
    _step("04-20T15:12", REVIEWER, "ticket: request changes on the report", Grown(LOST, 6)),
    _step("04-21T08:51", MIKA, "ticket: the rule goes", Grown(LOST, 7)),
    _step("04-21T09:31", CODER, "Name the rule as the cause", File(_REPORT, 2), Grown(LOST, 8)),
    _step(
        "04-21T10:11", MIKA, "ticket: close the incident, create the replacement",
        Grown(LOST, 9), Grown(BY_NUMBER, 1),
    ),
    _step("04-21T10:46", ORCHESTRATOR, "ticket: plan merging by number", Grown(BY_NUMBER, 2), _relations(BY_NUMBER)),
    _step(
        "04-22T09:26", MIKA, "ticket: the server's number orders edits, superseding 19 March",
        Grown(BY_NUMBER, 4), _objective(SURVIVE, 2),
    ),
    _step(
        "04-24T15:02", CODER, "Order edits by the server's number",
        File("asapan/merge.py", 2), File("asapan/orders.py", 2), File("tests/test_merge.py", 2), Grown(BY_NUMBER, 5),
    ),
    _step("04-24T16:12", REVIEWER, "ticket: request changes, the docs still say the clock wins", Grown(BY_NUMBER, 6)),
)  # fmt: skip
"""From the first commit to the review that asks for the doc change which the first shoebox proposes."""

SUMMER = (
    _step(
        "04-27T08:41", CODER, "Describe merging by number in the docs",
        File("docs/design/sync.md", 2), Grown(BY_NUMBER, 7),
    ),
    _step("04-27T09:21", REVIEWER, "ticket: approve merging by number", Grown(BY_NUMBER, 8)),
    _step("04-27T11:01", MIKA, "ticket: close merging by number", Grown(BY_NUMBER, 9)),
    _step("05-11T10:06", ORCHESTRATOR, "ticket: start the clock check", Grown(CHECK, 3)),
    _step(
        "05-12T12:32", CODER, "Compare the tablet's clock with the server's",
        File("asapan/clock.py", 1), File("docs/design/clock.md", 1), Grown(CHECK, 4),
    ),
    _step("05-12T13:16", REVIEWER, "ticket: approve the clock check as a warning", Grown(CHECK, 5)),
    _step("05-13T08:01", MIKA, "ticket: close the clock check", Grown(CHECK, 6)),
    _step("05-22T14:46", ORCHESTRATOR, "ticket: plan the labels after the power cut", Grown(LABELS, 3)),
    _step(
        "05-23T11:11", CODER, "ラベルの日付を注文から取る",
        File("asapan/labels.py", 2), File("docs/design/labels.md"), Grown(LABELS, 4),
    ),
    _step("05-23T15:01", MIKA, "ticket: close the labels", Grown(LABELS, 6)),
    _step("06-01T09:00", MIKA, "Write down how we review and plan", File(".yoi/skills/reviewer/SKILL.md"),
          File(".yoi/skills/orchestrator/SKILL.md")),
    _step("06-15T17:01", MIKA, "ticket: create 「どちらを残しますか?」が多すぎる", Grown(QUESTIONS, 1)),
    _step("06-22T10:31", CODER, "ticket: one week of questions counted", Grown(QUESTIONS, 2)),
    _step("06-22T11:01", ORCHESTRATOR, "ticket: two ways to fewer questions", Grown(QUESTIONS, 3)),
    _step("06-24T18:00", CODER, "Report on two weeks of clocks", File("docs/report/2026-06-24-two-weeks-of-clocks.md")),
    _step("06-29T10:31", MIKA, "ticket: ask for merging by clock again", Grown(QUESTIONS, 5), Grown(AGAIN, 1)),
    _step("06-29T11:02", ORCHESTRATOR, "ticket: what is claimed and what is confirmed", Grown(AGAIN, 2),
          _relations(AGAIN), _objective(SURVIVE, 3)),
    _step("06-30T09:31", ORCHESTRATOR, "ticket: plan merging by clock again", Grown(AGAIN, 3)),
    _step(
        "07-01T09:56", ORCHESTRATOR, "ticket: start 仕込み表を朝四時に印刷する",
        Grown(PAPER, 3), _objective(ONE_SHEET, 2),
    ),
    _step(
        "07-02T11:21", REVIEWER, "ticket: request changes on the plan, no evidence against was sought", Grown(AGAIN, 4)
    ),
    _step("07-02T17:01", MIKA, "ticket: 決める前に集める", Grown(AGAIN, 5)),
    _step("07-07T12:01", CODER, "仕込み表を紙の幅に合わせる", File("asapan/prep.py", 3), Grown(PAPER, 4)),
    _step("07-08T09:31", MIKA, "ticket: archive orders older than one year", Grown(ARCHIVE, 2)),
)  # fmt: skip
"""From the rewritten docs to the question of July: may the clock decide again?"""

AFTER = (
    _step(
        "07-09T11:15", CODER, "Check the clock every hour",
        File("asapan/clock.py", 2), File("docs/design/clock.md", 2),
    ),
    _step("07-10T10:40", CODER, "Say what a person sees while tablets sync", File("docs/design/sync.md", 3)),
)  # fmt: skip
"""What changed after the July quotes were taken: one quoted line moves, another is reworded."""

BRANCH = "clock-of-server"
BESIDE = _step("07-10T16:20", CODER, "Show the server's time on the start screen", File("docs/design/start-screen.md"))
"""What a coder tried on a branch of its own and nobody merged: found, and marked as such."""

HISTORY = SPRING + SUMMER + AFTER
