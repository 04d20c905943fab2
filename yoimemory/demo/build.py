"""Building the demo: its repository and its story, one act after the other, through the verbs."""

from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path

from yoimemory.demo.after import play_after
from yoimemory.demo.cast import Cast
from yoimemory.demo.effects import tell_effects
from yoimemory.demo.history import BESIDE, BRANCH, HISTORY, SPRING, SUMMER, Step
from yoimemory.demo.kept import keep_what_lies_in_no_file
from yoimemory.demo.repository import branch_off, commit_steps, commits_in, start_repository, write_sessions
from yoimemory.demo.spring import play_spring
from yoimemory.demo.summer import play_summer
from yoimemory.desk.indexing import index_workspace_and_recheck
from yoimemory.markers.models import Marker
from yoimemory.sources.models import AddedSource, Workspace
from yoimemory.sources.services import add_source, register_workspace

REPOSITORY, SESSIONS = "asapan", "sessions"

Say = Callable[[str], None]


def _silent(sentence: str) -> None:
    """Say nothing."""


def build_demo(folder: Path, *, now: datetime, say: Say = _silent) -> Workspace:
    """Build the demo workspace in this folder, or open the one that is there.

    The story is played in order: its commits, then what people and Workers made of them, then
    the next commits. Each act notices what was played before, so a build that was killed goes on
    where it stopped, and a finished one is left as its visitors have changed it.
    """
    root, sessions = folder / REPOSITORY, folder / SESSIONS
    if not commits_in(root):
        say("Writing the demo's repository.")
        start_repository(root)
        commit_steps(root, SPRING[:1])
    workspace, _ = register_workspace(root, now=now)
    if _is_finished(workspace, root, sessions):
        return workspace
    cast = Cast.of(workspace, now=now)
    for name, steps, act in (("April", SPRING, play_spring), ("July", SPRING + SUMMER, play_summer)):
        say(f"Playing {name}.")
        _reach(workspace, root, steps, now=now)
        act(cast)
    say("Playing what changed since.")
    _reach(workspace, root, HISTORY, now=now)
    branch_off(root, BRANCH, BESIDE)
    add_source(workspace, path=write_sessions(sessions), kind=AddedSource.Kind.SESSION, now=now)
    keep_what_lies_in_no_file(cast)
    index_workspace_and_recheck(workspace, now=now)
    play_after(cast)
    tell_effects(cast)
    return workspace


def _is_finished(workspace: Workspace, root: Path, sessions: Path) -> bool:
    return (
        len(commits_in(root)) >= len(HISTORY)
        and AddedSource.objects.filter(workspace=workspace, path=str(sessions)).exists()
        and Marker.objects.filter(workspace=workspace).exclude(origin=Marker.Origin.DERIVED).exists()
    )


def _reach(workspace: Workspace, root: Path, steps: Sequence[Step], *, now: datetime) -> None:
    """Bring the history as far as these steps, and the index with it."""
    done = len(commits_in(root))
    if done < len(steps):
        commit_steps(root, steps[done:])
    index_workspace_and_recheck(workspace, now=now)
