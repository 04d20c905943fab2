"""Listing files below a root by descriptor: no link is followed, no nested repository entered."""

import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import suppress

from yoimemory.sources.opener import TEMP_PREFIX, check_path

FILES_MAX = 200_000
DEPTH_MAX = 200
PASSED_BY = frozenset({
    ".hg", ".svn", "node_modules", "__pycache__", ".venv", "venv", ".tox", ".mypy_cache", ".ruff_cache",
    ".pytest_cache",
})  # fmt: skip
"""Folders that a plain folder without git is listed without."""

_FOLDER = os.O_RDONLY | os.O_CLOEXEC | os.O_DIRECTORY | os.O_NOFOLLOW


def walk(root: int, under: str = "", *, everything: bool = False) -> Iterator[tuple[str, os.stat_result]]:
    """Every file and link below a folder of an open root, in order, with its `lstat`.

    A folder with a `.git` of its own, or what stands in one, is another repository and is passed by, and so are
    PASSED_BY unless `everything` is asked for.
    """
    stack = [under]
    found = 0
    while stack:
        folder = stack.pop()
        if folder.count("/") >= DEPTH_MAX:
            continue
        files, folders = _entries(root, folder, everything=everything)
        if folder and (".git" in folders or _is_bare(folder, files, folders)):
            continue
        for path, status in files:
            found += 1
            if found > FILES_MAX:
                return
            yield path, status
        stack += sorted((path for name, path in folders.items() if name != ".git"), reverse=True)


def _is_bare(folder: str, files: list[tuple[str, os.stat_result]], folders: dict[str, str]) -> bool:
    """Whether a folder is the repository of a clone without files: its objects are nobody's text."""
    return {"objects", "refs"} <= folders.keys() and any(path == f"{folder}/HEAD" for path, _ in files)


def outside_bare(root: int, paths: Iterable[str]) -> list[str]:
    """The paths of a listing that was made elsewhere, without what stands in the repository of such a clone."""
    listed = list(paths)
    heads = (path.removesuffix("/HEAD") for path in listed if path.endswith("/HEAD"))
    bare = tuple(f"{folder}/" for folder in heads if _is_folder(root, f"{folder}/objects", f"{folder}/refs"))
    return [path for path in listed if not path.startswith(bare)] if bare else listed


def _is_folder(root: int, *folders: str) -> bool:
    try:
        found = [os.stat(os.fsencode(folder), dir_fd=root, follow_symlinks=False) for folder in folders]
    except (OSError, ValueError):
        return False
    return all(stat.S_ISDIR(each.st_mode) for each in found)


def _entries(root: int, folder: str, *, everything: bool) -> tuple[list[tuple[str, os.stat_result]], dict[str, str]]:
    files: list[tuple[str, os.stat_result]] = []
    folders: dict[str, str] = {}
    with suppress(OSError):  # it went away or may not be read: nothing to list
        descriptor = _open_folder(root, folder)
        try:
            with os.scandir(descriptor) as entries:
                for entry in sorted(entries, key=lambda entry: entry.name):
                    path = f"{folder}/{entry.name}" if folder else entry.name
                    if entry.name == ".git":
                        folders[".git"] = path
                    elif entry.is_dir(follow_symlinks=False):
                        if everything or entry.name not in PASSED_BY:
                            folders[entry.name] = path
                    elif not entry.name.startswith(TEMP_PREFIX):
                        status = entry.stat(follow_symlinks=False)
                        if stat.S_ISREG(status.st_mode) or stat.S_ISLNK(status.st_mode):
                            files.append((path, status))
        finally:
            os.close(descriptor)
    return files, folders


def _open_folder(root: int, folder: str) -> int:
    if not folder:
        return os.open(".", _FOLDER, dir_fd=root)  # a fresh one: a duplicate would share the reading position
    descriptor = root
    try:
        for step in check_path(folder):
            deeper = os.open(step.encode("utf-8", "surrogateescape"), _FOLDER, dir_fd=descriptor)
            if descriptor != root:
                os.close(descriptor)
            descriptor = deeper
    except OSError:
        if descriptor != root:
            os.close(descriptor)
        raise
    return descriptor
