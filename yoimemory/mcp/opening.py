"""The tools that show one thing: any source at its revision, any record of ours, a shoebox whole."""

from datetime import datetime

from pydantic import Field

from hypotheses.services.finding import shoebox_named
from yoimemory.desk.opened import Opened
from yoimemory.desk.resolver import open_source as open_ref
from yoimemory.desk.show import SECTIONS, ShoeboxShown
from yoimemory.desk.show import show_shoebox as show
from yoimemory.mcp.answers import Answer
from yoimemory.mcp.arguments import BUDGET_LEAST, Arguments, Budget, Words
from yoimemory.mcp.caller import Caller
from yoimemory.mcp.facts import told_of
from yoimemory.mcp.quoting import OPENING, bounded, fenced, one_line, shown_whole
from yoimemory.mcp.tools import offered
from yoimemory.refs import SourceRef
from yoimemory.search.lookup import find_documents

REF_MAX = 2_100
WITH_PARTS, OTHERS = ("ticket", "objective", "skill"), 8


class Opening(Arguments):
    """What to open."""

    ref: str = Field(min_length=1, max_length=200_000, description="A ref, id, sha or path")
    budget: Budget = 8_000


class Showing(Arguments):
    """Which shoebox to show, and how much of it."""

    shoebox: str = Field(min_length=1, max_length=200, description="Ref or id")
    include: Words = Field([], max_length=10, description="|".join(SECTIONS))
    cursor: str = Field("", max_length=400)
    budget: Budget = 8_000


@offered("read", Opening, "Open a source or record")
def open_source(told: Opening, caller: Caller, now: datetime) -> Answer:
    """Read what a ref names, with line numbers and caveats: a source (or part: #L10-L24, #event-7, #entry-3) or a
    record (shoebox:, evidence:, hypothesis:, representation:, proposal:). Quote exact words from here."""
    kept: list[Opened] = []

    def make(budget: int) -> str:
        kept.append(open_ref(told.ref, workspace=caller.workspace, actor=caller.actor, now=now, budget=budget))
        return text_of(kept[-1], also=_others(kept[-1], caller))

    text = bounded(make, told.budget, BUDGET_LEAST)
    return Answer(text, opened_data(kept[-1]))


@offered("read", Showing, "Show a shoebox")
def show_shoebox(told: Showing, caller: Caller, now: datetime) -> Answer:
    """Show what was gathered, quoted, claimed, drawn and proposed for one question, what speaks against it first. Fit
    to be committed to your history; cite shoebox:<id>."""
    shoebox = shoebox_named(told.shoebox, caller.workspace)
    kept: list[ShoeboxShown] = []

    def make(budget: int) -> str:
        kept.append(show(shoebox, actor=caller.actor, now=now, budget=budget, cursor=told.cursor, include=told.include))
        return shown_whole(kept[-1].text)

    text = bounded(make, told.budget, BUDGET_LEAST)
    return Answer(text, shoebox_data(kept[-1]))


def _others(opened: Opened, caller: Caller) -> str:
    """The other texts of the same source: the thread of a ticket, its resolution, its artifacts."""
    if opened.kind not in WITH_PARTS:
        return ""
    ref = SourceRef.parse(opened.ref)
    names = sorted(row.ref for row in find_documents(caller.workspace, [str(ref.source)]) if row.ref != str(ref.bare))
    more = f" and {len(names) - OTHERS} more" if len(names) > OTHERS else ""
    return f"also: {', '.join(names[:OTHERS])}{more}" if names else ""


def text_of(opened: Opened, *, also: str = "") -> str:
    """An opened source or record as a model reads it: caveats first, the words fenced, its own ref last."""
    if opened.trust == "ours" and opened.text.endswith(opened.ref):
        return shown_whole(opened.text)  # a rendering that is whole by itself
    about = ", ".join(one_line(w, 80) for w in (opened.kind, opened.authority, opened.speaker, opened.author) if w)
    date = f", {opened.date:%Y-%m-%d %H:%M} UTC" if opened.date else ""
    lines = [f"{one_line(opened.title, 300)} ({about}{date})"]
    if opened.standing:
        lines.append(one_line(opened.standing.told, 600))
    lines += [f"caveat: {one_line(caveat, 400)}" for caveat in opened.caveats]
    if opened.trust == "ours":
        lines += ["", shown_whole(opened.text), ""]
    else:
        lines += [f"{OPENING}, lines {opened.first_line} to {opened.last_line} of {opened.lines}:"]
        lines += [*fenced(opened.text, first=opened.first_line), "end of source quote"]
    if also:
        lines.append(also)
    if opened.truncated:
        lines.append(f"Cut here. Go on with: {opened.next_ref}" if opened.next_ref else "Cut here.")
    return "\n".join([*lines, opened.ref])


def opened_data(opened: Opened) -> dict[str, object]:
    """What was opened, in short."""
    data: dict[str, object] = {
        "ref": opened.ref,
        "kind": opened.kind,
        "title": one_line(opened.title, 200),
        "authority": opened.authority,
        "path": one_line(opened.path, 300),
        "author": one_line(opened.author, 200),
        "speaker": opened.speaker,
        "date": opened.date.isoformat() if opened.date else "",
        "revision": opened.revision,
        "uncommitted": opened.uncommitted,
        "first_line": opened.first_line,
        "last_line": opened.last_line,
        "lines": opened.lines,
        "truncated": opened.truncated,
        "next_ref": opened.next_ref,
        "caveats": [one_line(caveat, 300) for caveat in opened.caveats[:20]],
        "trust": opened.trust,
    }
    if opened.standing:
        data |= {"state": opened.standing.state, "blocked": opened.standing.blocked}
    if opened.record:
        data["record"] = told_of(opened.record)
        data |= {name: opened.record[name] for name in ("state", "status") if name in opened.record}
    return data


def shoebox_data(shown: ShoeboxShown) -> dict[str, object]:
    """A shoebox in short: what it is, and the refs of what is shown of it."""
    return {
        "ref": shown.ref,
        "question": one_line(shown.question, 300),
        "state": shown.state,
        "task": shown.task,
        "as_of": shown.as_of.isoformat() if shown.as_of else "",
        "items_held": shown.items_held,
        "items_against": shown.items_against,
        "items_set_aside": shown.items_set_aside,
        "version": shown.version,
        "items": [item.ref for item in shown.items],
        "evidence": [one.ref for one in shown.evidence],
        "hypotheses": [one.ref for one in shown.hypotheses],
        "representations": [one.ref for one in shown.representations],
        "products": [one.ref for one in shown.products],
        "shown": shown.shown,
        "total": shown.total,
        "truncated": shown.truncated,
        "next_cursor": shown.next_cursor,
    }
