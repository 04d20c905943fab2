"""Installing our skills into the folder where a workspace's agents look for theirs."""

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

from yoimemory.access.models import Actor
from yoimemory.access.services import require_reviewer
from yoimemory.errors import BadInput, Refused
from yoimemory.products.files import writing_lock
from yoimemory.products.models import Installation, Proposal
from yoimemory.products.schemas import PlannedFile
from yoimemory.products.services.batches import files_to_write, planned_file, undo_batch, write_batch
from yoimemory.sources.frontmatter import read_front_matter
from yoimemory.sources.models import Workspace
from yoimemory.sources.places import SKILL_FOLDERS

PACK = Path(__file__).resolve().parent.parent / "pack"
FOLDERS = SKILL_FOLDERS


class ChangedByHand(Refused):
    """A skill of ours was changed by somebody; installing would lose those words."""


def described() -> dict[str, str]:
    """The skills of our pack with what each says of itself."""
    return {name: read_front_matter(text).text("description") for name, text in skills().items()}


def skills() -> dict[str, str]:
    """The skills of our pack: name and the text of their SKILL.md."""
    return {path.parent.name: path.read_text(encoding="utf-8") for path in sorted(PACK.glob("*/SKILL.md"))}


def plan_skills(workspace: Workspace, *, folder: str = FOLDERS[0]) -> list[PlannedFile]:
    """Say exactly which files installing the skills would write. Raises BadInput for another folder."""
    if folder not in FOLDERS:
        raise BadInput(
            f"Agents do not look for skills in {folder[:80]!r}.",
            hint=f"Folders are {', '.join(FOLDERS)}.",
            fields={"folder": "unknown"},
        )
    return [
        planned_file(workspace, f"{folder}/{name}/SKILL.md", text, target=Proposal.Target.SKILL)
        for name, text in skills().items()
    ]


def install_skills(
    workspace: Workspace, *, folder: str = FOLDERS[0], seen: Mapping[str, str], actor: Actor, now: datetime
) -> Installation:
    """Write our skills, as they were seen. Agents will read them as instructions, so a reviewer does this.

    A skill that somebody changed is never written over. Raises NotAReviewer, PlanChanged,
    NothingToChange, ChangedByHand, and what `plan_skills` raises.
    """
    require_reviewer(actor, workspace, to="install skills")
    with writing_lock(workspace):
        files = files_to_write(plan_skills(workspace, folder=folder), seen)
        changed = [file.path for file in files if not file.ours]
        if changed:
            raise ChangedByHand(
                f"{changed[0]} was changed by somebody and is not written over; nothing was written.",
                hint="Propose the change to that skill instead, or move the file away and install again.",
            )
        installation = Installation(workspace=workspace, folder=folder, by=actor, at=now)
        write_batch(installation, files, workspace=workspace)
    return installation


def undo_installation(installation: Installation, *, actor: Actor, now: datetime) -> Installation:
    """Take the skills away again, if they are as we wrote them. Raises NotAReviewer, AlreadyUndone, ChangedSince."""
    workspace = installation.workspace
    require_reviewer(actor, workspace, to="take skills away")
    with writing_lock(workspace):
        undo_batch(installation, actor=actor, now=now)
    return installation
