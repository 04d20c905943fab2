"""Installing our skills into the folder where a workspace's agents look for theirs."""

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

from yoimemory.access.models import Actor
from yoimemory.access.services import require_reviewer
from yoimemory.errors import BadInput
from yoimemory.products.files import writing_lock
from yoimemory.products.models import Installation, Proposal
from yoimemory.products.schemas import PlannedFile
from yoimemory.products.services.batches import files_to_write, planned_file, undo_batch, write_batch
from yoimemory.sources.models import Workspace
from yoimemory.sources.places import SKILL_FOLDERS

PACK = Path(__file__).resolve().parent.parent / "pack"
FOLDERS = SKILL_FOLDERS


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

    Raises NotAReviewer, PlanChanged, NothingToChange, and what `plan_skills` raises.
    """
    require_reviewer(actor, workspace, to="install skills")
    with writing_lock(workspace):
        files = files_to_write(plan_skills(workspace, folder=folder), seen)
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
