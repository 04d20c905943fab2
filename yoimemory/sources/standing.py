"""Telling at the price of one `git status` that nothing changed since a workspace was read."""

import hashlib
import os
from collections.abc import Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING

from yoimemory.sources.beside import mark_of_refs
from yoimemory.sources.git import Git, open_git
from yoimemory.sources.linked import uncommitted
from yoimemory.sources.models import AddedSource, Message, Snapshot, Workspace
from yoimemory.sources.opener import Unopenable, open_root
from yoimemory.sources.process import GitFailed, GitTimedOut
from yoimemory.sources.shadow import copy_index
from yoimemory.sources.trees import ALSO_WHEN_IGNORED, added_folders
from yoimemory.sources.walk import walk

if TYPE_CHECKING:
    from hashlib import _Hash

CHANGES_MAX = 2_000
"""Files that differ from HEAD up to which this is the cheaper way."""

_STATUS = ("status", "--porcelain=v1", "-z", "--no-renames", "--ignore-submodules=all", "--untracked-files=all")


def standing_of(workspace: Workspace) -> str:
    """A digest that stays the same while nothing that is read has changed, whatever else was touched.

    It names HEAD, the files that git finds different from it (with size and time), the files that git
    was told not to look at, and what is read although git ignores it or does not know it. Empty where
    that cannot be told, or not cheaply: then the files themselves must be looked at.
    Raises what opening the workspace raises.
    """
    git = open_git(workspace)
    commit = git.head() if git is not None else ""
    if git is None or not commit:
        return ""
    digest = hashlib.sha256(f"{commit} {git.shadow.branch}".encode("utf-8", "surrogateescape"))
    try:
        with open_root(workspace.path) as root:
            if not _add_changes(git, root, digest):
                return ""
            digest.update(mark_of_refs(git).encode())
            for file in uncommitted(git):
                digest.update(f"\0{file.tree}\t{file.path}\t{file.mark}".encode("utf-8", "surrogateescape"))
            for folder in ALSO_WHEN_IGNORED:
                _add_all(walk(root, folder, everything=True), digest)
    except (GitFailed, GitTimedOut, Unopenable):
        return ""
    _add_others(workspace, digest)
    return digest.hexdigest()


def _add_changes(git: Git, root: int, digest: "_Hash") -> bool:
    """What differs from HEAD, and what git would not notice; False where that is too much."""
    copy_index(git.shadow)
    count = 0
    with git.stream(*_STATUS, work_tree=True, with_index=True) as child:
        for token in child.tokens():
            count += 1
            if count > CHANGES_MAX:
                return False
            digest.update(b"\0" + token + _told(root, token[3:]))
    with git.stream("ls-files", "-v", "-z", with_index=True, work_tree=True) as child:
        for token in child.tokens():
            if token[:1].islower() or token[:1] == b"S":  # told to be taken for unchanged, or not checked out
                digest.update(b"\0" + token + _told(root, token[2:]))
    return True


def _told(root: int, path: bytes) -> bytes:
    try:
        status = os.stat(path, dir_fd=root, follow_symlinks=False)
    except (OSError, ValueError):
        return b""
    return b"\t%d %d %d" % (status.st_mtime_ns, status.st_size, status.st_ino)


def _add_all(found: Iterator[tuple[str, os.stat_result]], digest: "_Hash") -> None:
    for path, status in found:
        line = f"\0{path}\t{status.st_mtime_ns} {status.st_size} {status.st_ino}"
        digest.update(line.encode("utf-8", "surrogateescape"))


def _add_others(workspace: Workspace, digest: "_Hash") -> None:
    """What lies outside the repository: added places, records and messages."""
    for model in (Snapshot, Message):
        last = model.objects.filter(workspace=workspace).order_by("-pk").values_list("pk", flat=True).first()
        digest.update(f"\0{model.__name__} {last}".encode())
    if not AddedSource.objects.filter(workspace=workspace).exists():
        return
    with ExitStack() as stack:
        for folder in added_folders(stack, workspace):
            digest.update(f"\0{folder.pk} {folder.kind} {folder.format}".encode())
            for path, mark in folder.tree.files().items():
                digest.update(f"\0{path}\t{mark}".encode("utf-8", "surrogateescape"))
