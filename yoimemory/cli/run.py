"""Running one verb: databases ready, errors as sentences, exit codes, the workspace that is meant."""

import argparse
import os
import sys
from collections.abc import Callable, Iterable
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from yoimemory.access.models import Actor, Token
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
        if not getattr(arguments, "prepare", True):
            return verb(arguments)
        from yoimemory.cli.ready import in_use, make_ready
        from yoimemory.desk.mending import serving

        with in_use():
            make_ready(thorough=getattr(arguments, "thorough", False))
            with serving():
                admit(arguments)
                try:
                    return verb(arguments)
                finally:
                    _write_events()  # what was read is noted, also where the verb then refused
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


def complain(error: "DomainError") -> int:
    """Say what was refused and what to do, on standard error; return the exit code."""
    warn(*(text for text in (error.message, error.hint) if text))
    warn(*(f"  {field}: {fault}" for field, fault in error.fields.items()))
    return {404: MISSING, 409: REFUSED, 412: REFUSED, 403: REFUSED, 503: REFUSED}.get(error.status, BAD_INPUT)


def admit(arguments: argparse.Namespace) -> None:
    """Refuse a Worker's token what its scope does not cover. Raises Forbidden."""
    from yoimemory.errors import Forbidden

    token = worker_token()
    if token is None or not arguments.needs:
        return
    if arguments.needs == "people":
        raise Forbidden(
            "No token may do this: only a person may, on their page or at their own terminal.",
            hint="YOIMEMORY_TOKEN is set, so this acts as that Worker; a person takes it out of the environment.",
        )
    if arguments.needs == "propose" and not token.may_propose:
        raise Forbidden("This token may only read.", hint="Ask a person for one with the scope propose.")


def caller() -> "Actor":
    """Who acts at the terminal: the Worker whose token is in the environment, else the owner of this data folder."""
    from yoimemory.access.services import actor_for_token, actor_for_user, ensure_owner

    token = worker_token()
    return actor_for_token(token) if token else actor_for_user(ensure_owner())


def worker_token() -> "Token | None":
    """The token in the environment; None without one. Raises Forbidden for one that is not usable."""
    from yoimemory import env
    from yoimemory.access.services import authenticate_token
    from yoimemory.errors import Forbidden

    secret = env.worker_token()
    if not secret:
        return None
    token = authenticate_token(secret, now=now())
    if token is None:
        raise Forbidden(
            "The token in YOIMEMORY_TOKEN is not known, has expired or was revoked.",
            hint="A person makes a new one on the Workers page or with `yoimemory token new`.",
        )
    return token


def at_a_terminal() -> bool:
    """Whether a person sits here: an agent's shell reads from and writes to pipes and files."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def now() -> datetime:
    """This moment, in UTC."""
    from django.utils import timezone

    return timezone.now()


def workspace_of(arguments: argparse.Namespace) -> "Workspace":
    """The workspace that is meant: named, or that of the current folder, or the only one.

    A Worker has the one of its token. Raises NotFound or BadInput with the names there are.
    """
    from yoimemory.errors import BadInput, NotFound
    from yoimemory.sources.models import Workspace

    token = worker_token()
    if token is not None:
        if arguments.workspace and arguments.workspace != token.workspace.slug:
            raise NotFound(
                f"There is no workspace {arguments.workspace!r} for this token.", hint="Leave it out: a token has one."
            )
        return token.workspace
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
    """Lines for people on standard output, in colour at a terminal; what a terminal would obey is written out."""
    from yoimemory.cli.colours import harmless, lit, wanted

    colour = wanted()
    for line in "\n".join(lines).split("\n"):
        shown = harmless(line.encode("utf-8", "backslashreplace").decode())
        sys.stdout.write((lit(shown) if colour else shown) + "\n")


def warn(*lines: str) -> None:
    """Lines for people on standard error; what a terminal would obey is written out."""
    from yoimemory.cli.colours import harmless

    for line in lines:
        for part in line.split("\n"):
            sys.stderr.write(harmless(part.encode("utf-8", "backslashreplace").decode()) + "\n")


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
