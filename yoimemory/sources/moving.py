"""A known workspace in another folder, as after a move to another machine."""

from pathlib import Path

from yoimemory.errors import BadInput
from yoimemory.sources.models import Workspace
from yoimemory.sources.shadow import find_repository


def move_workspace(workspace: Workspace, path: Path) -> Workspace:
    """Let a workspace stand in another folder; its records stay, and its sources are read anew there.

    Raises NotAWorkspace for a folder that is none, BadInput for one that is another workspace's.
    """
    folder = path.expanduser().resolve()
    repository = find_repository(folder)
    root = repository.root if repository else folder
    common_dir = str(repository.common_dir) if repository else ""
    identity = common_dir or str(folder)
    other = Workspace.objects.filter(identity=identity).exclude(pk=workspace.pk).first()
    if other is not None:
        raise BadInput(f"{folder} is the workspace {other.slug} already.", hint="Name another folder.")
    workspace.root, workspace.common_dir, workspace.identity = str(root), common_dir, identity
    workspace.save(update_fields=["root", "common_dir", "identity"])
    return workspace
