"""Linked work trees: where each lies, and which of its files stand in no commit yet.

Git compares over a copy of the work tree's own index, in our shadow git dir: nothing of it is locked or
written, and no filter of the repository has a name there.
"""

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from yoimemory.errors import DomainError
from yoimemory.sources.git import Git
from yoimemory.sources.opener import TEMP_PREFIX, OutsideRoot, check_path, open_root, read_bytes
from yoimemory.sources.process import GitProblem
from yoimemory.sources.shadow import find_repository, put_file
from yoimemory.sources.walk import outside_bare

TREES_MAX = 20
"""Linked work trees whose uncommitted files are read."""

FILES_MAX = 200
"""Uncommitted files of one work tree that are read."""

_INDEX_MAX = 64 << 20


@dataclass(frozen=True, slots=True)
class LinkedTree:
    """A linked work tree that is there and points back at its repository."""

    name: str
    root: Path
    git_dir: Path


@dataclass(frozen=True, slots=True)
class LinkedFile:
    """A file of a linked work tree that is in no commit as it stands. `blob` is what its commit has, or empty."""

    tree: str
    path: str
    mark: str
    blob: str = ""


def linked_trees(git: Git) -> list[LinkedTree]:
    """The linked work trees of a repository that can be read, by name."""
    common = git.shadow.repository.common_dir
    found = []
    for place in sorted((common / "worktrees").glob("*"))[:TREES_MAX]:
        if tree := _linked_tree(common, place.name):
            found.append(tree)
    return found


def _linked_tree(common: Path, name: str) -> LinkedTree | None:
    git_dir = common / "worktrees" / name
    with suppress(DomainError, OSError, ValueError):
        told = read_bytes(common, f"worktrees/{name}/gitdir", limit=1 << 16).decode("utf-8", "surrogateescape")
        root = common.parent / told.strip().removesuffix("/.git")
        linked_to = find_repository(root) if root.is_dir() else None
        if linked_to is not None and linked_to.common_dir == common and root != common.parent:
            return LinkedTree(name, root, git_dir)
    return None


def uncommitted(git: Git) -> list[LinkedFile]:
    """What lies uncommitted in linked work trees, at most FILES_MAX of each. One that git cannot read gives nothing."""
    found: list[LinkedFile] = []
    for tree in linked_trees(git):
        with suppress(GitProblem, DomainError, OSError):
            found += _uncommitted(git, tree)
    return found


def _uncommitted(git: Git, tree: LinkedTree) -> list[LinkedFile]:
    index = git.shadow.path / f"index-of-{sha256(os.fsencode(tree.name)).hexdigest()[:16]}"
    put_file(index, read_bytes(tree.git_dir, "index", limit=_INDEX_MAX))
    found = [LinkedFile(tree.name, path, mark, blob) for path, blob in _asked(git, tree, index)
             if (mark := _mark(tree.root / path))]  # fmt: skip
    return found[:FILES_MAX]


def _asked(git: Git, tree: LinkedTree, index: Path) -> Iterator[tuple[str, str]]:
    """Paths that differ from the work tree's HEAD, with the blob there; then those git does not know or ignore."""
    head = (tree.git_dir / "HEAD").read_bytes()[:4_096].decode("utf-8", "surrogateescape").strip()
    commit = git.resolve(head.removeprefix("ref: ").strip())
    about, taken = "", set[str]()
    with git.over(tree.root, index, "diff-index", "-z", "--raw", "--no-renames", "--no-abbrev", commit, "--") as child:
        for token in child.tokens():
            text = token.decode("utf-8", "surrogateescape")
            if text.startswith(":"):
                about = text
                continue
            fields, about = about[1:].split(" "), ""
            if len(fields) == 5 and fields[4][:1] in "AMT" and _is_plain(text):
                taken.add(text)
                yield text, fields[2] if fields[2].strip("0") else ""
    with git.over(tree.root, index, "ls-files", "-z", "--others", "--exclude-standard") as child:
        names = [token.decode("utf-8", "surrogateescape") for token in child.tokens()]
    with open_root(tree.root) as root:
        for text in outside_bare(root, names):
            name = text.rsplit("/", 1)[-1]
            if text not in taken and not text.endswith("/") and not name.startswith(TEMP_PREFIX) and _is_plain(text):
                yield text, ""


def _is_plain(path: str) -> bool:
    try:
        check_path(path)
    except OutsideRoot:
        return False
    return True


def _mark(path: Path) -> str:
    """Size and time of a file, empty for what is none. A link is none, wherever it leads."""
    with suppress(OSError, ValueError):
        status = path.lstat()
        if stat.S_ISREG(status.st_mode):
            return f"{status.st_mtime_ns}-{status.st_size}-{status.st_ino}"
    return ""
