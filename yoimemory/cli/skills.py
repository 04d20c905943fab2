"""Our skills from the terminal: which there are, where they stand, writing and taking them away."""

import argparse

from yoimemory.cli.confirming import Answer, agreed_to, digests
from yoimemory.cli.run import DONE, caller, now, say, show_json, workspace_of


def list_skills(arguments: argparse.Namespace) -> int:
    """List the skills of our pack, and in which folders of the workspace each stands."""
    from yoimemory.products.services import plan_skills
    from yoimemory.products.services.skilling import FOLDERS, described

    workspace = workspace_of(arguments)
    standing: dict[str, list[str]] = {}
    for folder in FOLDERS:
        for planned in plan_skills(workspace, folder=folder):
            if planned.exists:
                name = planned.path.split("/")[-2]
                standing.setdefault(name, []).append(folder if planned.same else f"{folder} (changed)")
    rows = [
        {"name": name, "description": told, "installed": standing.get(name, [])} for name, told in described().items()
    ]
    if arguments.json:
        show_json(rows)
        return DONE
    for row in rows:
        say(f"{row['name']}  {', '.join(row['installed']) or 'not installed'}", f"  {row['description']}")
    return DONE


def install(arguments: argparse.Namespace) -> int:
    """Show every file that would be written, and write them after a person typed a yes.

    Raises Forbidden where nobody sits at a terminal, ChangedByHand where a skill was changed.
    """
    from yoimemory.products.services import install_skills, plan_skills

    workspace = workspace_of(arguments)
    plan = plan_skills(workspace, folder=arguments.folder)
    answer = agreed_to(plan, arguments, what="installing skills")
    if answer is not Answer.YES:
        say(answer.sentence)
        return answer.code
    made = install_skills(workspace, folder=arguments.folder, seen=digests(plan), actor=caller(), now=now())
    say(f"Written to {arguments.folder}. Committing is yours. Undo: yoimemory skills undo {made.public_id}")
    return DONE


def undo(arguments: argparse.Namespace) -> int:
    """Take away what was installed, if every file is as we wrote it."""
    from yoimemory.errors import NotFound
    from yoimemory.products.models import Batch, Installation
    from yoimemory.products.services import undo_installation

    written = Installation.objects.filter(workspace=workspace_of(arguments), state=Batch.State.WRITTEN)
    if arguments.installation:
        written = written.filter(public_id=arguments.installation)
    installation = written.select_related("workspace").order_by("-pk").first()
    if installation is None:
        raise NotFound("There is no installation of that name that stands.", hint="yoimemory skills list")
    undo_installation(installation, actor=caller(), now=now())
    if arguments.json:
        show_json({"undone": installation.public_id, "folder": installation.folder})
    else:
        say(f"Undone: {installation.folder} is as it was before.")
    return DONE
