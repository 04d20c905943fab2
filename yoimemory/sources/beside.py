"""What stands beside HEAD: local branches that it does not have, linked work trees, and the files that differ there.

One streamed log tells of every file that an unmerged commit changed, newest first. Its answer is kept
beside the shadow git dir for as long as no branch and not HEAD moves. Branches of remotes are other
people's and are not read. Where HEAD is detached, branches that hold it are later states of it and
not beside it; only what is checked out in a linked work tree counts then.
"""

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from yoimemory.amounts import amount
from yoimemory.sources.dates import read_instant
from yoimemory.sources.git import Git
from yoimemory.sources.linked import LinkedFile
from yoimemory.sources.opener import shown
from yoimemory.sources.process import GitFailed, GitTimedOut
from yoimemory.sources.reading import Document, Tree
from yoimemory.sources.shadow import put_file

SIDES_MAX = 50
"""Unmerged branches whose files are read; of more, those that were committed to last."""

COMMITS_MAX = 2_000
FILES_MAX = 400
"""Files of one branch that are read where they differ; of more, those changed last."""

STATE = "unmerged"
"""The state under which such material is found and listed, whatever state a ticket has there."""

_KEPT = "beside.json"
_FORMAT = 1
_FILES = frozenset({"100644", "100755"})
_WALKED_MAX = 5_000


@dataclass(frozen=True, slots=True)
class Side:
    """A file as an unmerged branch has it. `commit` is the last that changed it there; `head` HEAD's blob or empty."""

    branch: str
    commit: str
    at: datetime | None
    path: str
    blob: str
    head: str = ""


@dataclass(slots=True, eq=False)
class Beside:
    """Everything that differs on branches, and by branch a sentence on what of it is not read."""

    files: list[Side] = field(default_factory=list)
    left_out: dict[str, str] = field(default_factory=dict)


@runtime_checkable
class HasSides(Protocol):
    """A tree with branches beside it."""

    @property
    def beside(self) -> Beside:
        """The files that differ on branches which HEAD does not have."""

    @property
    def linked(self) -> list[LinkedFile]:
        """What lies uncommitted in linked work trees."""

    def linked_text(self, tree: str, path: str) -> Document:
        """A text of a linked work tree. Raises a DomainError where it cannot be read."""

    def blob(self, blob: str, limit: int) -> bytes | None:
        """The bytes of a blob; None for one that is longer, or not on this machine."""

    def past_files(self, commit: str, files: Mapping[str, str]) -> Tree:
        """A tree of these paths with their blobs, at a commit."""

    def head_files(self, under: str) -> dict[str, str]:
        """HEAD's paths at or below a folder, with their blobs."""


def find_beside(git: Git, head: str, blobs: Mapping[str, str]) -> Beside:
    """What branches have that HEAD has not. `blobs` are HEAD's files."""
    try:
        return _find(git, head, blobs) if head else Beside()
    except (GitFailed, GitTimedOut):
        return Beside(left_out={"branches": "Git could not tell what branches have that HEAD has not; run doctor."})


def _find(git: Git, head: str, blobs: Mapping[str, str]) -> Beside:
    tips = _tips(git, head)
    if not tips:
        return Beside()
    key = hashlib.sha256(repr((_FORMAT, head, sorted(tips.items()))).encode("utf-8", "surrogateescape")).hexdigest()
    known = _kept(git, key)
    if known is None:
        known = _differing(git, head, tips, blobs)
        _keep(git, key, known)
    return known


def mark_of_refs(git: Git) -> str:
    """What changes whenever a branch or the HEAD of a linked work tree moves, at the price of a few `stat`s."""
    common = git.shadow.repository.common_dir
    digest = hashlib.sha256()
    for name in ("packed-refs", "reftable/tables.list"):
        digest.update(_stat(common / name))
    stack, count = [common / "refs" / "heads"], 0
    while stack and count < _WALKED_MAX:
        with suppress(OSError), os.scandir(stack.pop()) as entries:
            for entry in sorted(entries, key=lambda each: each.name):
                count += 1
                if entry.is_dir(follow_symlinks=False):
                    stack.append(Path(entry.path))
                else:
                    digest.update(os.fsencode(entry.path) + _stat(Path(entry.path)))
    for place in sorted((common / "worktrees").glob("*"))[:SIDES_MAX]:
        digest.update(os.fsencode(place.name) + _stat(place / "HEAD"))
    return digest.hexdigest()


def _stat(path: Path) -> bytes:
    try:
        status = path.lstat()
    except OSError:
        return b"-"
    return b"%d %d %d" % (status.st_mtime_ns, status.st_size, status.st_ino)


def _tips(git: Git, head: str) -> dict[str, str]:
    """Branches that may have something HEAD has not, by name with the commit each stands at."""
    wanted = ["--sort=-committerdate", "--format=%(refname:lstrip=2)%00%(objectname)"]
    if not git.shadow.branch:
        wanted.append(f"--no-contains={head}")
    data = git.run("for-each-ref", *wanted, "refs/heads").decode("utf-8", "surrogateescape")
    tips = dict(line.split("\0") for line in data.split("\n") if line.count("\0") == 1)
    checked_out = dict(git.refs("refs/heads")) if not git.shadow.branch else tips
    for name, text in _heads_of_trees(git).items():
        branch = text.removeprefix("ref: refs/heads/")
        if branch != text and branch in checked_out:
            tips.setdefault(branch, checked_out[branch])
        elif branch == text and len(text) in {40, 64} and text.isalnum():
            tips.setdefault(f"work tree {name}", text)
    own = git.shadow.branch
    return {name: tip for name, tip in tips.items() if tip != head and name != own}


def _heads_of_trees(git: Git) -> dict[str, str]:
    found = {}
    for place in sorted((git.shadow.repository.common_dir / "worktrees").glob("*"))[:SIDES_MAX]:
        with suppress(OSError, UnicodeDecodeError):
            if not (place / "HEAD").is_symlink():
                found[place.name] = (place / "HEAD").read_bytes()[:4_096].decode().strip()
    return found


def _differing(git: Git, head: str, tips: dict[str, str], blobs: Mapping[str, str]) -> Beside:
    names = {tip: name for name, tip in reversed(list(tips.items())[:SIDES_MAX])}
    newest: dict[tuple[str, str], Side] = {}
    for side in _changed(git, head, names):
        newest.setdefault((side.branch, side.path), side)
    found = Beside()
    counts: dict[str, int] = {}
    tip_of = {name: tip for tip, name in names.items()}
    for side in _as_at_tip(git, newest, tip_of):
        known = blobs.get(side.path, "")
        if side.blob == known:
            continue
        counts[side.branch] = counts.get(side.branch, 0) + 1
        if counts[side.branch] <= FILES_MAX:
            found.files.append(Side(side.branch, side.commit, side.at, side.path, side.blob, known))
    for name, count in counts.items():
        if count > FILES_MAX:
            more = f"{amount(count - FILES_MAX, 'more file')}; what is not searched opens at the branch's commit."
            found.left_out[name] = f"The branch {shown(name)} differs from HEAD in {more}"
    for name in list(tips)[SIDES_MAX:]:
        found.left_out[name] = f"More than {SIDES_MAX} branches are not merged; {shown(name)} is not searched."
    return found


def _changed(git: Git, head: str, names: dict[str, str]) -> Iterator[Side]:
    """Every file that an unmerged commit changed, latest commit first; a merge itself changes nothing here."""
    options = (
        "--raw", "--no-abbrev", "-z", "--no-renames", "--no-merges", "--no-show-signature", "--no-ext-diff",
        f"--max-count={COMMITS_MAX}", "--format=%x01%H %ct %S",
    )  # fmt: skip
    with git.stream("log", *options, *names, f"^{head}", "--") as child:
        commit, when, tip, about = "", "", "", ""
        for token in child.tokens():
            text = token.decode("utf-8", "surrogateescape").lstrip("\n")
            if text.startswith("\x01"):
                commit, when, tip = text[1:].split(" ", 2)
                about = ""
            elif text.startswith(":"):
                about = text
            elif about and text:
                fields, about = about[1:].split(" "), ""
                if fields[1] in _FILES and tip in names:
                    yield Side(names[tip], commit, read_instant(int(when)), text, fields[3])


def _as_at_tip(git: Git, newest: dict[tuple[str, str], Side], tips: dict[str, str]) -> Iterator[Side]:
    """Each file as its branch has it now: a merge may have settled it otherwise than the last commit to it."""
    if not newest:
        return
    with git.talk("cat-file", "--batch-check") as child:
        for side in newest.values():
            if "\n" in side.path:
                yield side
                continue
            child.send(f"{tips[side.branch]}:{side.path}\n".encode("utf-8", "surrogateescape"))
            answer = child.line(limit=1 << 14).split(b" ")
            if len(answer) != 3 or answer[1] != b"blob" or b":" in answer[0]:
                continue  # taken away again
            blob = answer[0].decode()
            at_tip = blob != side.blob
            yield Side(side.branch, tips[side.branch] if at_tip else side.commit, side.at, side.path, blob)


def _kept(git: Git, key: str) -> Beside | None:
    with suppress(OSError, ValueError, KeyError, TypeError, AttributeError):
        kept: dict[str, Any] = json.loads((git.shadow.path / _KEPT).read_bytes())
        if kept["key"] == key:
            files = [Side(**{**row, "at": read_instant(row["at"])}) for row in kept["files"]]
            return Beside(files, dict(kept["left_out"]))
    return None


def _keep(git: Git, key: str, found: Beside) -> None:
    rows = [{**asdict(side), "at": side.at.isoformat() if side.at else ""} for side in found.files]
    data = json.dumps({"key": key, "files": rows, "left_out": found.left_out})
    with suppress(OSError, GitFailed):
        put_file(git.shadow.path / _KEPT, data.encode())
