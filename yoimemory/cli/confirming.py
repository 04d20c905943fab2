"""What a person sees at the terminal before something is written into the workspace, and the yes that it takes."""

import argparse
from collections.abc import Sequence
from enum import Enum
from typing import TYPE_CHECKING

from yoimemory.cli.run import DONE, NOTHING, at_a_terminal, say, show_json

if TYPE_CHECKING:
    from yoimemory.products.schemas import PlannedFile

NOT_WRITTEN = "Nothing was written."


class Answer(Enum):
    """What became of asking: a person said yes or no, or there was nothing to ask about."""

    YES = "yes"
    NO = "no"
    ALL_THERE = "all there"

    @property
    def code(self) -> int:
        """The exit code where nothing was written: what stands already is done, a no is not."""
        return NOTHING if self is Answer.NO else DONE

    @property
    def sentence(self) -> str:
        return "Everything is there already; nothing was written." if self is Answer.ALL_THERE else NOT_WRITTEN


def agreed_to(plan: "Sequence[PlannedFile]", arguments: argparse.Namespace, *, what: str) -> Answer:
    """Show exactly what would be written and ask. Raises Forbidden where nobody sits at a terminal to be asked."""
    from yoimemory.errors import Forbidden

    tell_plan(plan, arguments)
    if all(planned.same for planned in plan):
        return Answer.ALL_THERE
    if not at_a_terminal():
        raise Forbidden(
            f"Nothing was written: a person confirms {what}, at a terminal.",
            hint="Run it at a terminal, or do it on its page.",
        )
    said = input("Write these files? [y/N] ").strip().lower()
    return Answer.YES if said in {"y", "yes"} else Answer.NO


def require_person(what: str) -> None:
    """Raise Forbidden where nobody sits at a terminal: some things only people say."""
    from yoimemory.errors import Forbidden

    if not at_a_terminal():
        raise Forbidden(
            f"Nothing was changed: a person says {what}, at a terminal.",
            hint="Run it at a terminal, or do it on its page.",
        )


def tell_plan(plan: "Sequence[PlannedFile]", arguments: argparse.Namespace) -> None:
    """Every file with what becomes of it, and the whole text of what is new."""
    if arguments.json:
        show_json({"plan": list(plan)})
        return
    for planned in plan:
        change = "is there and stays the same" if planned.same else "is replaced" if planned.exists else "is new"
        say(f"{planned.path}  {change}, {len(planned.content)} characters")
        if not planned.same:
            from yoimemory.products.visible import visible

            say(*(f"  {line}" for line in visible(planned.content).split("\n")))


def digests(plan: "Sequence[PlannedFile]") -> dict[str, str]:
    """What was seen, as the verbs that write ask for it."""
    return {planned.path: planned.digest for planned in plan}
