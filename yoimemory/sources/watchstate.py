"""How this process notices changes of the sources, told to whoever shows where the index stands."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from yoimemory.sources.models import Workspace


@dataclass(frozen=True, slots=True)
class WatchState:
    """How changes of a workspace are noticed. `problem` is a sentence where that is slower than it should be."""

    notified: bool
    problem: str = ""


_states: dict[int, WatchState] = {}


def watch_state(workspace: "Workspace") -> WatchState | None:
    """How this process notices changes of a workspace; None where it does not watch, such as on the command line."""
    return _states.get(workspace.pk)


def note_state(pk: int, state: WatchState) -> None:
    """Note how changes of the workspace with this pk are noticed from now on."""
    _states[pk] = state


def forget_states() -> None:
    """Nothing is watched any more."""
    _states.clear()
