"""Shoeboxes from the terminal."""

import argparse
from typing import TYPE_CHECKING, Any

from yoimemory.cli.run import (
    DONE,
    NOTHING,
    at_a_terminal,
    caller,
    instant,
    now,
    say,
    say_within,
    show_json,
    workspace_of,
)

if TYPE_CHECKING:
    from shoebox.models import Shoebox


def new(arguments: argparse.Namespace) -> int:
    """Open a shoebox and show what was gathered."""
    from shoebox.schemas import ShoeboxDraft
    from shoebox.services import create_shoebox

    draft = ShoeboxDraft(
        question=arguments.question, task=arguments.task, task_kind=arguments.task_kind,
        task_title=arguments.task_title, purpose=arguments.purpose, refs=arguments.refs, queries=arguments.queries,
        kinds=arguments.kinds, as_of=instant(arguments.as_of), gather=not arguments.no_gather,
    )  # fmt: skip
    shoebox = create_shoebox(draft, workspace=workspace_of(arguments), actor=caller(), now=now())
    return _show(shoebox, arguments)


def duplicate(arguments: argparse.Namespace) -> int:
    """Open a shoebox for another question with the same material, undecided again."""
    from shoebox.services import duplicate_shoebox

    shoebox = find_shoebox(arguments.shoebox, arguments)
    made = duplicate_shoebox(shoebox, question=arguments.question, gather=arguments.gather, actor=caller(), now=now())
    return _show(made, arguments)


def show(arguments: argparse.Namespace) -> int:
    """Show a shoebox within the budget."""
    return _show(find_shoebox(arguments.shoebox, arguments), arguments)


def _show(shoebox: "Shoebox", arguments: argparse.Namespace) -> int:
    from yoimemory.desk.resolver import open_source

    budget = arguments.budget or (None if arguments.json else _default_budget())
    opened = open_source(shoebox.ref, workspace=shoebox.workspace, actor=caller(), now=now(), budget=budget)
    if arguments.json:
        show_json({"id": shoebox.public_id, "ref": str(shoebox.ref), **(opened.record or {})})
    else:
        say(opened.rendered())
    return DONE


def _default_budget() -> int:
    from django.conf import settings

    return int(settings.RENDER_BUDGET)


def gather(arguments: argparse.Namespace) -> int:
    """Gather again and show only what came in and what has moved on; exit 1 where that is nothing."""
    from shoebox.fitting import left_told
    from shoebox.schemas import ShoeboxGathered
    from shoebox.services import gather_shoebox

    shoebox = find_shoebox(arguments.shoebox, arguments)
    gathered = gather_shoebox(shoebox, actor=caller(), now=now(), queries=arguments.queries)
    if arguments.json:
        show_json(ShoeboxGathered.after(shoebox, new=gathered.new, changed=gathered.changed))
        return DONE if gathered.new or gathered.changed else NOTHING
    blocks = [f"new  {item.ref}\n  {item.rationale}" + _caveats(item.caveats) for item in gathered.new]
    blocks += [f"changed  {item.ref}\n  {item.changed or 'It reads again as it did.'}" for item in gathered.changed]
    say_within(arguments.budget, blocks, total=len(blocks))
    if not blocks:
        say("Nothing is new, and nothing has changed.")
    if left := left_told(gathered.sought):
        say(left)
    return DONE if blocks else NOTHING


def _caveats(caveats: list[str]) -> str:
    return "".join(f"\n  caveat: {caveat}" for caveat in caveats)


def list_shoeboxes(arguments: argparse.Namespace) -> int:
    """List shoeboxes, newest first."""
    from shoebox.models import Shoebox
    from shoebox.schemas import ShoeboxOut
    from yoimemory.http import page_of

    shoeboxes = Shoebox.objects.in_workspace(workspace_of(arguments)).with_holdings().select_related("opened_by")
    page = page_of(shoeboxes, arguments.limit, "", ShoeboxOut.of)
    if arguments.json:
        show_json(page)
    else:
        blocks = [f"{out.ref}  {out.state:9} {out.items_held:>3} items  {out.question}" for out in page.items]
        say_within(None, blocks, total=page.total)
        if not page.items:
            say("There is no shoebox. Open one: yoimemory shoebox new --question …")
    return DONE


def add(arguments: argparse.Namespace) -> int:
    """Add a ref by hand, with the line that says why."""
    from shoebox.schemas import ItemDraft, ItemOut
    from shoebox.services import add_items

    shoebox = find_shoebox(arguments.shoebox, arguments)
    draft = ItemDraft(ref=arguments.ref, rationale=arguments.why, leaning=arguments.leaning)
    items = add_items(shoebox, [draft], actor=caller(), now=now())
    if arguments.json:
        show_json([ItemOut.model_validate(item) for item in items])
    else:
        say(*[f"added  {item.ref}" for item in items] or ["It was already there."])
    return DONE if items else NOTHING


def export(arguments: argparse.Namespace) -> int:
    """Show exactly what would be written into the workspace, then write it after a person typed a yes.

    Raises Forbidden where nobody sits at a terminal: only a person writes into a workspace.
    """
    from yoimemory.errors import Forbidden
    from yoimemory.products.services import export_artifact, plan_export

    shoebox = find_shoebox(arguments.shoebox, arguments)
    wish = {"folder": arguments.folder, "part": arguments.part, "only": arguments.only}
    plan = plan_export(shoebox, **wish)
    _tell_plan(plan, arguments)
    if not at_a_terminal():
        raise Forbidden(
            "Nothing was written: a person confirms an export, at a terminal.",
            hint=f"Run it at a terminal, or export on the page of {shoebox.ref}.",
        )
    if input("Write these files? [y/N] ").strip().lower() not in {"y", "yes"}:
        say("Nothing was written.")
        return NOTHING
    seen = {planned.path: planned.digest for planned in plan}
    made = export_artifact(shoebox, **wish, seen=seen, actor=caller(), now=now())
    if arguments.json:
        show_json({"export": made.public_id, "files": [planned.path for planned in plan]})
    else:
        say(f"Written. It can be undone on the page of {shoebox.ref}.")
    return DONE


def import_file(arguments: argparse.Namespace) -> int:
    """Take an artifact in. Every quote is proved anew; what was judged elsewhere waits for review here."""
    from yoimemory.cli.run import read_text
    from yoimemory.products.schemas import ImportOut, RefusedPart
    from yoimemory.products.services import import_artifact

    text = read_text(arguments.file)
    taken = import_artifact(text, workspace=workspace_of(arguments), actor=caller(), now=now())
    refused = [RefusedPart.model_validate(part) for part in taken.refused]
    if arguments.json:
        ref = str(taken.shoebox.ref)
        show_json(ImportOut(shoebox=ref, known=taken.known, foreign=taken.foreign, refused=refused))
        return NOTHING if refused else DONE
    if taken.known:
        say(f"{taken.shoebox.ref} is where it came from, or took it in before; nothing was added.")
    else:
        whose = "another workspace's: everything in it waits for review" if taken.foreign else "of this workspace"
        say(f"{taken.shoebox.ref}  taken in, {whose}.")
    say(*(f"refused  {part.what} {part.ref}: {part.message}" for part in refused))
    return NOTHING if refused else DONE


def _tell_plan(plan: list[Any], arguments: argparse.Namespace) -> None:
    if arguments.json:
        show_json({"plan": plan})
        return
    for planned in plan:
        change = "is there and stays the same" if planned.same else "is replaced" if planned.exists else "is new"
        say(f"{planned.path}  {change}, {len(planned.content)} characters")


def find_shoebox(text: str, arguments: argparse.Namespace) -> "Shoebox":
    """The shoebox of this id or ref. Raises NotFound."""
    from shoebox.models import Shoebox
    from yoimemory.errors import NotFound

    workspace = workspace_of(arguments)
    shoebox = Shoebox.objects.filter(workspace=workspace, public_id=text.removeprefix("shoebox:")).first()
    if shoebox is None:
        raise NotFound(f"There is no shoebox {text!r} in {workspace.slug}.", hint="yoimemory shoebox list names them.")
    return shoebox
