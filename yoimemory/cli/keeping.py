"""Copies of what people made, from the terminal: taken on request, put back after they were verified."""

import argparse
from dataclasses import asdict
from pathlib import Path

from yoimemory.cli.run import DONE, NOTHING, at_a_terminal, now, say, show_json


def backup(arguments: argparse.Namespace) -> int:
    """Copy the database of what people and Workers made, also while a server runs; tell what the copy holds."""
    from yoimemory.desk.backups import back_up, folder
    from yoimemory.errors import BadInput
    from yoimemory.sources.models import Workspace

    goal = Path(arguments.to).expanduser().absolute() if arguments.to else None
    if goal is not None:
        if not goal.parent.is_dir():
            raise BadInput(f"There is no folder {goal.parent}.", fields={"to": "no such folder"})
        for workspace in Workspace.objects.order_by("pk"):
            if goal.resolve().is_relative_to(workspace.root):
                raise BadInput(
                    f"{goal} lies inside the workspace {workspace.slug}. A copy holds what everybody did, in all of "
                    "them, and does not belong into one.",
                    hint="Name a folder outside.",
                )
    made = back_up(now=now(), to=goal)
    place = goal or folder() / made.path
    if arguments.json:
        show_json({**asdict(made), "path": str(place)})
    else:
        say(f"{place}: {made.rows} rows, {made.bytes} bytes, verified.", f"Put it back: yoimemory restore {place}")
    return DONE


def restore(arguments: argparse.Namespace) -> int:
    """Let a verified copy take the place of the data, while no server runs; the replaced one is kept."""
    from django.conf import settings

    from yoimemory import env
    from yoimemory.cli.ready import in_use
    from yoimemory.desk.backups import put_in_place, verify
    from yoimemory.errors import Forbidden, Refused
    from yoimemory.jobs.lock import IN_USE, held

    if env.worker_token():
        raise Forbidden(
            "No token may do this: only a person may, at their own terminal.",
            hint="YOIMEMORY_TOKEN is set, so this acts as that Worker; a person takes it out of the environment.",
        )
    source = Path(arguments.file).expanduser().absolute()
    roots = _roots(arguments.root)
    found = verify(source)
    if not arguments.json:
        say(f"{source}: made {found.made_at[:16]}, {found.rows} rows, whole.")
    if not arguments.yes and not _agreed():
        say("Nothing was replaced.")
        return NOTHING
    with held(Path(settings.HOME) / IN_USE) as alone:
        if not alone:
            raise Refused(
                "A yoimemory is running on this data folder, and nothing was replaced.",
                hint="Stop the server (and its agents), then restore.",
            )
        kept = put_in_place(source, now=now())
    with in_use():
        _open(source, kept)
        gone = _move(roots)
    _tell(arguments, source, kept, gone)
    return DONE


def _open(source: Path, kept: Path | None) -> None:
    """Make the restored data ready. Whatever stands against it, the person must hear that it is in place by now."""
    from yoimemory.cli import ready
    from yoimemory.errors import DomainError, Refused

    try:
        ready.make_ready()
    except DomainError as error:
        before = f"What stood there before is kept as {kept}; restore that." if kept else "Nothing stood there before."
        raise Refused(f"{source} is in place, and cannot be opened: {error.message}", hint=before) from error


def _agreed() -> bool:
    from yoimemory.errors import BadInput

    if not at_a_terminal():
        raise BadInput("Nothing was replaced: nobody is here to be asked.", hint="Say it with --yes.")
    return input("Let it take the place of the data that stands? [y/N] ").strip().lower() in {"y", "yes"}


def _roots(wishes: list[str]) -> dict[str, Path]:
    from yoimemory.errors import BadInput

    roots = {}
    for wish in wishes:
        slug, found, path = wish.partition("=")
        if not found or not Path(path).expanduser().is_dir():
            raise BadInput(f"{wish!r} names no workspace and its folder.", hint="Write it as --root SLUG=PATH.")
        roots[slug] = Path(path).expanduser()
    return roots


def _move(roots: dict[str, Path]) -> list[str]:
    """Let the workspaces stand where the person says; return the slugs of those whose folder is not there."""
    from yoimemory.errors import NotFound
    from yoimemory.sources.models import Workspace
    from yoimemory.sources.moving import move_workspace

    for slug, path in roots.items():
        workspace = Workspace.objects.filter(slug=slug).first()
        if workspace is None:
            names = ", ".join(Workspace.objects.order_by("slug").values_list("slug", flat=True))
            raise NotFound(f"The copy has no workspace {slug!r}.", hint=f"It is restored. Workspaces: {names}.")
        move_workspace(workspace, path)
    return [workspace.slug for workspace in Workspace.objects.order_by("slug") if not workspace.path.is_dir()]


def _tell(arguments: argparse.Namespace, source: Path, kept: Path | None, gone: list[str]) -> None:
    if arguments.json:
        show_json({"restored": str(source), "replaced": str(kept or ""), "folders_missing": gone})
        return
    say(f"Restored from {source}." + (f" What stood there before is kept as {kept}." if kept else ""))
    say("Sessions ended: log in by a new link. The index is read anew when the server starts.")
    for slug in gone:
        say(f"The folder of {slug} is not on this machine: restore again with --root {slug}=PATH.")
