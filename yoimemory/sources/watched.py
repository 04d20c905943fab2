"""What is watched of a workspace: each folder that holds something we read, by itself, and the refs of git.

Folders are named one by one and never watched with what lies below them: the system's own
recursion follows links, and so would leave the workspace. Ignored folders hold nothing that we
read and so are not named.
"""

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from yoimemory.errors import DomainError
from yoimemory.sources.git import open_git
from yoimemory.sources.linked import linked_trees
from yoimemory.sources.models import AddedSource, Workspace
from yoimemory.sources.opener import TEMP_PREFIX
from yoimemory.sources.places import SESSION_FOLDERS
from yoimemory.sources.trees import ALSO_WHEN_IGNORED, open_tree
from yoimemory.sources.walk import DEPTH_MAX

FOLDERS_MAX = 20_000
"""Folders of one workspace that are watched; beyond it the workspace is looked at in turns."""

REF_FOLDERS_MAX = 500
ASKED_MAX = 20
"""Unknown files in one burst that git is asked about; more of them are surely something."""

NETWORK = ("nfs", "cifs", "smb", "fuse", "9p", "virtiofs", "sshfs", "afs", "glusterfs", "ceph")
_REF_FILES = frozenset({"HEAD", "packed-refs", "shallow"})


class TooMany(Exception):
    """The workspace has more folders than are watched."""


@dataclass(slots=True)
class Watched:
    """The folders that are watched for one workspace, what they hold, and why they are not, where they are not."""

    workspace: Workspace
    root: Path
    folders: set[str] = field(default_factory=set)
    files: set[str] = field(default_factory=set)
    refs: set[str] = field(default_factory=set)
    git: str = ""
    added: set[str] = field(default_factory=set)
    """Places beside the workspace that are read too: what was added, and linked work trees."""
    reason: str = ""

    def concerns(self, path: str) -> bool:
        """Whether a change of this path is one of what we read; of git's own files, only those that name commits."""
        name = path.rsplit("/", 1)[-1]
        if name.startswith(TEMP_PREFIX) or name.endswith(".lock"):
            return False
        folder = path.rpartition("/")[0]
        if self.git and (folder == self.git or path.startswith(self.git + "/")):
            return name in _REF_FILES if folder == self.git else folder in self.refs
        return True

    def reads(self, paths: Iterable[str]) -> bool:
        """Whether one of these paths is, or was, something that we read. Git is asked about those nobody knows."""
        unknown = []
        for path in paths:
            if path in self.folders:
                continue
            if path in self.files or path.startswith((self.git + "/") if self.git else "\0"):
                return True
            if any(path.startswith(f"{place}/") or path == place for place in self.added):
                return True
            unknown.append(path)
        if len(unknown) > ASKED_MAX:
            return True
        return bool(unknown) and self._is_read(unknown)

    def _is_read(self, paths: list[str]) -> bool:
        below = f"{self.root}/"
        try:
            with open_tree(self.workspace) as tree:
                for path in paths:
                    if path.startswith(below) and tree.files(path.removeprefix(below)):
                        self.files.add(path)
                        return True
        except DomainError:
            return True
        return False


def watched(workspace: Workspace) -> Watched:
    """What is to be watched of a workspace. Raises what opening it raises, or TooMany."""
    found = Watched(workspace, workspace.path)
    kind = file_system_of(found.root)
    if kind.startswith(NETWORK):
        found.reason = f"Its folder lies on a file system ({kind}) that does not tell of changes"
    root = str(found.root)
    with open_tree(workspace) as tree:
        for path in tree.files():
            found.files.add(f"{root}/{path}")
        _name_folders(found, root)
        for folder in tree.folders:
            if folder.pk > 0:
                _name_added(found, folder.pk)
    if workspace.has_git:
        _name_linked(found, workspace)
        _name_refs(found, Path(workspace.common_dir))
    # Where a link stands on the way, the folder lies elsewhere: what is read there is refused, so nothing is watched.
    found.folders = {folder for folder in found.folders if os.path.realpath(folder) == folder}
    if len(found.folders) > FOLDERS_MAX:
        raise TooMany(f"It has {len(found.folders):,} folders, and at most {FOLDERS_MAX:,} are watched")
    return found


def _name_folders(found: Watched, root: str) -> None:
    """The folders of what is read and those above them, so that a new one beside them is noticed."""
    found.folders.add(root)
    for path in found.files:
        folder = path.rpartition("/")[0]
        while len(folder) > len(root) and folder not in found.folders:
            found.folders.add(folder)
            folder = folder.rpartition("/")[0]
    for name in (*ALSO_WHEN_IGNORED, *SESSION_FOLDERS):
        place = f"{root}/{name}"
        if Path(place).is_dir():
            found.folders.add(place)


def _name_added(found: Watched, pk: int) -> None:
    source = AddedSource.objects.filter(pk=pk).first()
    if source is None:
        return
    place = Path(source.path)
    found.added.add(source.path)
    if place.is_dir():
        found.folders.update(_folders_below(source.path, FOLDERS_MAX))
    else:
        found.folders.add(str(place.parent))


def _name_linked(found: Watched, workspace: Workspace) -> None:
    """The folders of linked work trees that the workspace has too; of those beyond the bound only their refs tell."""
    git = open_git(workspace)
    own = [folder[len(str(found.root)) :] for folder in found.folders if folder.startswith(f"{found.root}/")]
    for tree in linked_trees(git) if git else ():
        folders = {place for each in ("", *own) if Path(place := f"{tree.root}{each}").is_dir()}
        if len(found.folders) + len(folders) <= FOLDERS_MAX:
            found.folders |= folders
            found.added.add(str(tree.root))


def _name_refs(found: Watched, common: Path) -> None:
    """The folder of git's own that names commits, and those of branches and tags; objects are not watched."""
    found.git = str(common)
    found.folders.add(found.git)
    for name in ("refs", "reftable", "worktrees"):
        place = f"{common}/{name}"
        if Path(place).is_dir():
            found.refs.update(_folders_below(place, REF_FOLDERS_MAX))
    found.folders |= found.refs


def _folders_below(top: str, limit: int) -> Iterator[str]:
    """A folder and all below it, at most so many; no link is followed."""
    stack, count = [(top, 0)], 0
    while stack and count < limit:
        folder, depth = stack.pop()
        count += 1
        yield folder
        if depth >= DEPTH_MAX:
            continue
        try:
            with os.scandir(folder) as entries:
                stack += [(entry.path, depth + 1) for entry in entries if entry.is_dir(follow_symlinks=False)]
        except OSError:
            continue


def file_system_of(path: Path) -> str:
    """The kind of file system that a folder lies on, empty where that is not told."""
    try:
        mounts = Path("/proc/mounts").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ""
    best, kind = "", ""
    for line in mounts:
        point, found = line.split(" ")[1:3]
        if (point == "/" or path == Path(point) or Path(point) in path.parents) and len(point) >= len(best):
            best, kind = point, found
    return kind
