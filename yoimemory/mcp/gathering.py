"""The tool that opens a shoebox, or adds to one."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Literal

from pydantic import Field
from pydantic import ValidationError as DraftError

from hypotheses.services.finding import shoebox_named
from shoebox.fitting import left_told
from shoebox.models import Item, Shoebox
from shoebox.schemas import Budget as Room
from shoebox.schemas import ItemDraft, ShoeboxDraft
from shoebox.services import add_items, gather_shoebox
from shoebox.services import create_shoebox as create
from yoimemory.desk.show import ShoeboxShown
from yoimemory.desk.show import show_shoebox as show
from yoimemory.errors import BadInput
from yoimemory.mcp.answers import Answer, fitting
from yoimemory.mcp.arguments import BUDGET_LEAST, Arguments, Budget, Words, misfit, moment
from yoimemory.mcp.caller import Caller
from yoimemory.mcp.opening import shoebox_data
from yoimemory.mcp.quoting import bounded, one_line, shown_whole
from yoimemory.mcp.tools import offered

KEY_MAX = 200
_CUT_ROOM = 120
"""Characters kept for the line that says how much is told."""


ADDED = {"ref": "refs", "rationale": "why"}
"""What the Draft of an item calls what this tool is told under other names."""


class Writing(Arguments):
    """What every tool that writes takes."""

    idempotency_key: str = Field("", max_length=KEY_MAX)


class Creating(Writing):
    """What to gather for, or what to add where."""

    question: str = Field("", max_length=Shoebox.QUESTION_MAX)
    task: str = Field("", max_length=2_100, description="Ticket or objective ref")
    purpose: str = Field("", max_length=Shoebox.PURPOSE_MAX)
    refs: Words = Field([], max_length=100, description="Refs to hold")
    queries: Words = Field([], max_length=20, description="Extra searches")
    kinds: Words = Field([], max_length=20)
    as_of: str = Field("", max_length=40)
    gather: bool = True
    budget_items: int = Field(Shoebox.ITEMS_DEFAULT, ge=1, le=500)
    budget_characters: int = Field(Shoebox.CHARACTERS_DEFAULT, ge=1_000, le=5_000_000)
    shoebox: str = Field("", max_length=200, description="This one instead")
    why: str = Field("", max_length=Item.RATIONALE_MAX, description="Of refs added")
    leaning: Literal["likely supports", "likely contradicts", "unclear"] = "unclear"
    budget: Budget = 8_000


@offered("propose", Creating, "Open a shoebox")
def create_shoebox(told: Creating, caller: Caller, now: datetime) -> Answer:
    """Open a shoebox for one question and gather what the workspace holds for and against. Or, with shoebox, refs and
    why: add refs to it; with shoebox alone: gather again."""
    if told.shoebox:
        return _again(told, caller, now) if not told.refs and not told.why else _add(told, caller, now)
    values = told.model_dump(include={"question", "task", "purpose", "refs", "queries", "kinds", "gather"})
    values["as_of"] = moment(told.as_of, "as_of", end=True)
    values["budget"] = Room(items=told.budget_items, characters=told.budget_characters)
    names = {"budget.items": "budget_items", "budget.characters": "budget_characters"}
    draft = ShoeboxDraft(**drafted(ShoeboxDraft, values, also=names))
    shoebox = create(draft, workspace=caller.workspace, actor=caller.actor, now=now)
    kept: list[ShoeboxShown] = []

    def make(budget: int) -> str:
        kept.append(show(shoebox, actor=caller.actor, now=now, budget=budget))
        return shown_whole(kept[-1].text)

    return Answer(bounded(make, told.budget, BUDGET_LEAST), shoebox_data(kept[-1]))


def _add(told: Creating, caller: Caller, now: datetime) -> Answer:
    if not told.refs or not told.why:
        raise BadInput(
            "To add to a shoebox, say which refs and why they are added.",
            hint="Send shoebox, refs and why; with shoebox alone it is gathered again; without it a new one is opened.",
            fields={"refs" if not told.refs else "why": "required"},
        )
    shoebox = shoebox_named(told.shoebox, caller.workspace)
    drafts = [
        ItemDraft(**drafted(ItemDraft, {"ref": ref, "rationale": told.why, "leaning": told.leaning}, also=ADDED))
        for ref in told.refs
    ]
    items = add_items(shoebox, drafts, actor=caller.actor, now=now)
    lines = [f"Added {len(items)} to the shoebox, as proposed by you:"]
    lines += [f"- {item.ref} {one_line(item.title, 120)}" for item in items]
    lines += [f"  caveat: {one_line(caveat, 200)}" for item in items for caveat in item.caveats]
    data = {"ref": str(shoebox.ref), "items": [item.ref for item in items], "shown": len(items), "total": len(items)}
    return Answer("\n".join([*lines, str(shoebox.ref)]), data)


def _again(told: Creating, caller: Caller, now: datetime) -> Answer:
    shoebox = shoebox_named(told.shoebox, caller.workspace)
    gathered = gather_shoebox(shoebox, actor=caller.actor, now=now, queries=told.queries)
    new, changed, left = gathered.new, gathered.changed, gathered.sought["left_out"]
    head = [f"Gathered again: {len(new)} new, {len(changed)} changed since they were read."]
    if told_left := left_told(gathered.sought):
        head.append(told_left)
    blocks = [_told_of(item, f"new: {one_line(item.rationale, 300)}") for item in new]
    blocks += [_told_of(item, f"changed: {item.changed or 'it reads again as it did.'}") for item in changed]
    foot = str(shoebox.ref)
    shown = fitting(blocks, told.budget - len("\n".join(head)) - len(foot) - _CUT_ROOM, least=1)
    if len(shown) < len(blocks):
        head.append(f"Only the first {len(shown)} of these are told here; show_shoebox shows the rest.")
    data = {
        "ref": foot, "new": [item.ref for item in new], "changed": [item.ref for item in changed], "left_out": left,
        "shown": len(shown), "total": len(blocks),
    }  # fmt: skip
    return Answer("\n".join([*head, *shown, foot]), data)


def _told_of(item: Item, why: str) -> str:
    title = f" {one_line(item.title, 120)}" if item.title else ""
    lines = [f"- {item.ref}{title}", f"  {why}"]
    if item.caveat:
        lines.append(f"  caveat: {one_line(item.caveat, 200)}")
    return "\n".join(lines)


def drafted(
    model: Any, values: dict[str, Any], prefix: str = "", *, also: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """The values as they are, after the Draft that JSON reads has taken them.

    Raises BadInput that names what does not fit; `also` says how the tool calls what the Draft calls otherwise.
    """
    try:
        model.model_validate(values)
    except DraftError as error:
        raise misfit(error, list(model.model_fields), prefix, also or {}) from None
    return values
