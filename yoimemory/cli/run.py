"""Running one verb: databases ready, errors as sentences, exit codes, the workspace that is meant."""

import argparse
import os
import sys
from collections.abc import Callable, Iterable
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from yoimemory.access.models import Actor
    from yoimemory.errors import DomainError
    from yoimemory.sources.models import Workspace

DONE, NOTHING, BAD_INPUT, REFUSED, MISSING = 0, 1, 2, 3, 4

Verb = Callable[[argparse.Namespace], int]


def run_verb(verb: Verb, arguments: argparse.Namespace) -> int:
    """Make the databases ready, run the verb, and turn what it refuses into a sentence and a code."""
    if getattr(arguments, "port", None):
        os.environ["YOIMEMORY_PORT"] = str(arguments.port)  # before settings: cookies carry it
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "yoimemory.settings")
    import django
    from pydantic import ValidationError

    from yoimemory.errors import BadInput, DomainError

    django.setup()
    try:
        if getattr(arguments, "prepare", True):
            from yoimemory.cli.ready import make_ready

            make_ready()
        code = verb(arguments)
    except DomainError as error:
        return complain(error)
    except ValidationError as error:
        fields = {".".join(str(step) for step in fault["loc"]): fault["msg"] for fault in error.errors()}
        return complain(BadInput("The input does not fit.", fields=fields))
    except KeyboardInterrupt:
        sys.stderr.write("\nStopped.\n")
        return 130
    except BrokenPipeError:
        # The reader of our output has seen enough.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    _write_events()
    return code


def complain(error: "DomainError") -> int:
    """Say what was refused and what to do, on standard error; return the exit code."""
    sys.stderr.write(f"{error.message}\n")
    if error.hint:
        sys.stderr.write(f"{error.hint}\n")
    for field, fault in error.fields.items():
        sys.stderr.write(f"  {field}: {fault}\n")
    return {404: MISSING, 409: REFUSED, 412: REFUSED, 403: REFUSED}.get(error.status, BAD_INPUT)


def owner() -> "Actor":
    """Who acts at the terminal: the owner of this data folder."""
    from yoimemory.access.services import actor_for_user, ensure_owner

    return actor_for_user(ensure_owner())


def now() -> datetime:
    """This moment, in UTC."""
    from django.utils import timezone

    return timezone.now()


def workspace_of(arguments: argparse.Namespace) -> "Workspace":
    """The workspace that is meant: named, or that of the current folder, or the only one.

    Raises NotFound or BadInput with the names there are.
    """
    from yoimemory.errors import BadInput, NotFound
    from yoimemory.sources.models import Workspace

    known = list(Workspace.objects.order_by("slug"))
    if not known:
        raise NotFound("No workspace is registered.", hint="Register one: yoimemory index PATH.")
    names = "Workspaces: " + ", ".join(workspace.slug for workspace in known) + "."
    if arguments.workspace:
        for workspace in known:
            if workspace.slug == arguments.workspace:
                return workspace
        raise NotFound(f"There is no workspace {arguments.workspace!r}.", hint=names)
    here = Path.cwd().resolve()
    around = [workspace for workspace in known if here.is_relative_to(workspace.root)]
    if around:
        return max(around, key=lambda workspace: len(workspace.root))
    if len(known) > 1:
        raise BadInput("Say which workspace is meant, with --workspace SLUG.", hint=names)
    return known[0]


def registered(path: str) -> "Workspace":
    """The workspace at this path, registered if it was not yet."""
    from yoimemory.sources.services import register_workspace

    return register_workspace(Path(path).expanduser(), now=now())[0]


def instant(text: str) -> datetime | None:
    """Read a point in time; a day means its end, as people say "as of the 14th".

    Raises BadInput if it is none.
    """
    from datetime import UTC

    from django.utils.dateparse import parse_date, parse_datetime

    from yoimemory.errors import BadInput

    if not text:
        return None
    try:
        moment, day = parse_datetime(text), parse_date(text) if len(text) <= 10 else None
    except ValueError:
        moment = day = None
    if day is not None:
        return datetime(day.year, day.month, day.day, 23, 59, 59, 999_999, tzinfo=UTC)
    if moment is None:
        raise BadInput(f"{text!r} is no point in time.", hint="Write 2026-07-14 or 2026-07-14T12:00:00Z.")
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def show_json(value: Any) -> None:
    """One JSON value on standard output."""
    import json

    from pydantic import BaseModel

    def plain(odd: Any) -> Any:
        return odd.model_dump(mode="json") if isinstance(odd, BaseModel) else str(odd)

    sys.stdout.write(json.dumps(value, ensure_ascii=False, indent=2, default=plain) + "\n")


def say(*lines: str) -> None:
    """Lines for people on standard output; surrogates of odd file names are shown escaped."""
    for line in lines:
        sys.stdout.write(line.encode("utf-8", "backslashreplace").decode() + "\n")


def say_within(budget: int | None, blocks: Iterable[str], *, total: int) -> None:
    """Say whole blocks while they fit, then how many were left out."""
    from django.conf import settings

    room, shown = budget or settings.RENDER_BUDGET, 0
    for block in blocks:
        if len(block) > room and shown:
            break
        room -= len(block) + 1
        say(block)
        shown += 1
    if shown < total:
        say(f"{shown} of {total} shown; ask for more with --limit and --budget.")


def read_text(name: str) -> str:
    """The text of a file, or of standard input for `-`. Raises BadInput if it cannot be read as text."""
    from yoimemory.errors import BadInput

    try:
        return sys.stdin.read() if name == "-" else Path(name).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"{name} cannot be read as text: {error.__class__.__name__}.") from error


def _write_events() -> None:
    from yoimemory.journal.services import flush_events

    flush_events()
