"""What we ask git: where HEAD stands, which commit a name means, what changed, the text of a blob.

Every call runs over the shadow git dir (`shadow`), under limits (`process`), with arguments that
are literals or were checked here. Nothing in a workspace is written and nothing of it is run.
"""

import difflib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from yoimemory.errors import BadInput, NotFound
from yoimemory.sources.models import Workspace
from yoimemory.sources.opener import check_path
from yoimemory.sources.process import Child, GitFailed, GitProblem, GitTimedOut, GitTooMuch
from yoimemory.sources.reading import Document
from yoimemory.sources.shadow import (
    NotAWorkspace,
    Shadow,
    copy_index,
    environment,
    find_repository,
    git_program,
    ready_shadow,
)

HELD_MAX = 64 << 20
"""Bytes of an answer that is held in memory."""

TOTAL_SECONDS = 20.0

_ID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_REVISION = re.compile(r"[\w@][\w./+#=,@-]*(?:[~^][0-9]{0,4}){0,10}")


class NoSuchRevision(NotFound):
    """No commit of this workspace has that name or begins with that id."""


class BadRevision(BadInput):
    """The text cannot be the name of a commit; git was not asked."""


@dataclass(frozen=True, slots=True)
class Head:
    """Where a workspace stands. Everything is empty or false for a folder without git or without a commit."""

    commit: str = ""
    branch: str = ""
    detached: bool = False
    dirty: bool = False
    shallow: bool = False


class Git:
    """Git over the shadow of one repository, for a few questions in a row."""

    def __init__(self, shadow: Shadow) -> None:
        self.shadow = shadow
        self._program = git_program()

    def run(self, *args: str, stdin: bytes | None = None, limit: int = HELD_MAX, work_tree: bool = False) -> bytes:
        """One whole answer. Raises one of the five GitProblems."""
        parts, size = [], 0
        with self._child(args, work_tree=work_tree, stdin=stdin, total=TOTAL_SECONDS) as child:
            for chunk in child.chunks():
                size += len(chunk)
                if size > limit:
                    raise GitTooMuch("Git's answer was too large to hold.", hint="Ask for a smaller part.")
                parts.append(chunk)
        return b"".join(parts)

    def stream(self, *args: str, work_tree: bool = False, with_index: bool = False) -> Child:
        """An answer to be read in pieces; use it as a context manager."""
        return self._child(args, work_tree=work_tree, with_index=with_index)

    def talk(self, *args: str) -> Child:
        """A command that is asked one line at a time; use it as a context manager."""
        return self._child(args, talk=True)

    def over(self, root: Path, index: Path, *args: str) -> Child:
        """The same over another work tree of the repository, by a copy of its index."""
        return self._child(args, tree=(root, index))

    def _child(
        self,
        args: tuple[str, ...],
        *,
        work_tree: bool = False,
        stdin: bytes | None = None,
        total: float | None = None,
        talk: bool = False,
        with_index: bool = False,
        tree: tuple[Path, Path] | None = None,
    ) -> Child:
        paths = args.index("--") if "--" in args else len(args)
        for place, value in enumerate(args):
            # Names of files may hold line ends: behind `--` each is one argument, and nothing splits it.
            split = "\0" in value or ("\n" in value and place < paths)
            if split or len(value.encode("utf-8", "surrogateescape")) > 4_096:
                raise BadRevision("An argument for git holds a line end or is too long.")
        env = environment(self.shadow.path)
        env |= {"GIT_INDEX_FILE": str(self.shadow.path / ("index" if with_index else "no-index"))}
        cwd = self.shadow.path
        if work_tree:
            cwd = self.shadow.repository.root
            env |= {"GIT_WORK_TREE": str(cwd)}
        if tree:
            cwd, index = tree
            env |= {"GIT_WORK_TREE": str(cwd), "GIT_INDEX_FILE": str(index)}
        argv: list[str | bytes] = [self._program, "--no-pager"]
        argv += [value.encode("utf-8", "surrogateescape") for value in args]
        return Child(argv, env=env, cwd=cwd, stdin=stdin, total=total, talk=talk)

    def head(self) -> str:
        """The commit that HEAD means, empty while there is none."""
        try:
            return self.run("rev-parse", "--verify", "--quiet", "--end-of-options", "HEAD^{commit}").decode().strip()
        except GitFailed:
            return ""

    def resolve(self, text: str) -> str:
        """The full id of a commit. Raises BadRevision before git is asked, NoSuchRevision afterwards."""
        check_revision(text)
        try:
            found = self.run("rev-parse", "--verify", "--quiet", "--end-of-options", f"{text}^{{commit}}")
        except GitFailed:
            raise NoSuchRevision(
                f"No commit of this workspace is called {text!r}, or more than one begins with it.",
                hint=self.nearest_name(text),
            ) from None
        return checked_id(found.decode().strip())

    def nearest_name(self, text: str) -> str:
        """A hint that names branches and tags called almost so."""
        near = difflib.get_close_matches(text, [name for name, _ in self.refs()], n=3, cutoff=0.5)
        if near:
            return "Near names: " + ", ".join(near) + "."
        return "Give a branch, a tag or a commit id of at least four digits."

    def refs(self, *below: str) -> list[tuple[str, str]]:
        """Branches and tags by short name, each with the commit or tag object it points to."""
        where = below or ("refs/heads", "refs/tags", "refs/remotes")
        data = self.run("for-each-ref", "--format=%(refname:short)%00%(objectname)", *where)
        pairs = [line.split("\0") for line in data.decode("utf-8", "replace").split("\n") if "\0" in line]
        return [(name, target) for name, target in pairs]

    def objectives(self, commit: str) -> frozenset[str]:
        """Ids that are objectives' and not tickets' at a commit: both share one id space."""
        entries = self.tree_entries(commit, ".yoi/objectives")
        return frozenset(path.split("/")[2] for _, _, path in entries if path.count("/") > 2)

    def is_dirty(self) -> bool:
        """Whether the work tree differs from HEAD, by a copy of the index; also when git cannot tell."""
        copy_index(self.shadow)
        status = (
            "status",
            "--porcelain=v1",
            "-z",
            "--no-renames",
            "--ignore-submodules=all",
            "--untracked-files=normal",
        )
        try:
            with self.stream(*status, work_tree=True, with_index=True) as child:
                return next(child.chunks(), b"") != b""
        except (GitFailed, GitTimedOut):
            return True

    def tree_entries(self, commit: str, under: str = "") -> Iterator[tuple[str, str, str]]:
        """(mode, blob id, path) of every file of a commit, or of those at or below one path."""
        where = ("--", "/".join(check_path(under))) if under else ()
        with self.stream("ls-tree", "-r", "-z", "--full-tree", checked_id(commit), *where) as child:
            for token in child.tokens():
                about, _, path = token.partition(b"\t")
                mode, _, blob = about.decode().split(" ")
                yield mode, blob, path.decode("utf-8", "surrogateescape")


class Blobs:
    """Texts of blobs from one long-lived `cat-file --batch`, started when first asked. Use as a context manager."""

    def __init__(self, git: Git) -> None:
        self._git = git
        self._child: Child | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        if self._child is not None:
            self._child.close()

    def read(self, blob: str, *, limit: int) -> bytes | None:
        """The bytes of a blob, or None when it is longer than `limit` or not on this machine."""
        child = self._child = self._child or self._git.talk("cat-file", "--batch")
        try:
            child.send(checked_id(blob).encode() + b"\n")
            answer = child.line().split(b" ")
            if len(answer) != 3:
                return None
            size = int(answer[2])
            data = child.exactly(size, keep=size <= limit)
            child.exactly(1)
        except GitProblem:
            # Half an answer may still come; the next question must not take it for its own.
            child.close()
            self._child = None
            raise
        return data if size <= limit else None


class CommitIds:
    """Which commit a shortened id means, from one long-lived `cat-file --batch-check`, started when first asked."""

    def __init__(self, git: Git) -> None:
        self._git = git
        self._child: Child | None = None
        self._known: dict[str, str] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        if self._child is not None:
            self._child.close()

    def __call__(self, prefix: str) -> str:
        """The full id of the one commit that begins so, or nothing."""
        if prefix not in self._known:
            child = self._child = self._child or self._git.talk("cat-file", "--batch-check")
            try:
                child.send(prefix.encode() + b"\n")
                answer = child.line().split(b" ")
            except GitProblem:
                child.close()
                self._child = None
                raise
            self._known[prefix] = answer[0].decode() if answer[1:2] == [b"commit"] else ""
        return self._known[prefix]


def checked_id(text: str) -> str:
    """A full object id. Raises BadRevision for anything else."""
    if not _ID.fullmatch(text):
        raise BadRevision(f"{text[:80]!r} is not the full id of a commit.")
    return text


def check_revision(text: str) -> None:
    """Raise BadRevision for what cannot be a commit's name, always in the same words."""
    looks_like_id = len(text) in {40, 64} and text.isalnum() and not _ID.fullmatch(text)
    if (
        len(text.encode("utf-8", "surrogatepass")) > 1_024
        or not _REVISION.fullmatch(text)
        or ".." in text
        or "//" in text
        or looks_like_id
        or (text.strip("0") == "" and len(text) >= 4)
    ):
        raise BadRevision(
            f"{text[:80]!r} is not the name of a commit.",
            hint="Give a branch, a tag, HEAD, or a commit id of at least four digits.",
        )


def open_git(workspace: Workspace) -> Git | None:
    """Git for a workspace, or None for a plain folder.

    Raises NotAWorkspace when its repository went away or must no longer be used.
    """
    if not workspace.has_git:
        return None
    repository = find_repository(workspace.path)
    if repository is None:
        raise NotAWorkspace(
            f"{workspace.root} no longer holds a git repository.",
            hint="Bring its .git back, or register the folder anew.",
        )
    return Git(ready_shadow(workspace.public_id, repository))


def head_of(workspace: Workspace) -> Head:
    """Where the workspace stands right now."""
    git = open_git(workspace)
    if git is None:
        return Head()
    commit = git.head()
    shadow = git.shadow
    return Head(commit, shadow.branch, bool(commit) and not shadow.branch, git.is_dirty(), shadow.shallow)


def resolve_revision(workspace: Workspace, text: str) -> str:
    """The full id of the commit that a branch, tag or id names.

    Raises BadRevision for what cannot be a name, NoSuchRevision for a name that means no commit.
    """
    check_revision(text)
    git = open_git(workspace)
    if git is None:
        raise NoSuchRevision("This workspace is a plain folder without git, so it has no revisions.")
    return git.resolve(text)


def commits(workspace: Workspace, *, since: str = "", until: str = "HEAD") -> Iterator[Document]:
    """The commits reachable from `until` and not from `since`, newest first, from one streamed log.

    Raises NoSuchRevision if either names no commit, except for HEAD while there is none yet.
    """
    from yoimemory.sources.readers.commits import LOG_ARGUMENTS, read_log

    git = open_git(workspace)
    if git is None or (until == "HEAD" and not git.head()):
        return
    renames = "-M100%" if git.shadow.partial else "-M"  # inexact renames need texts that a partial clone lacks
    span = [git.resolve(until)] + ([f"^{git.resolve(since)}"] if since else [])
    objectives = git.objectives(span[0])
    with CommitIds(git) as ids, git.stream("log", *LOG_ARGUMENTS, renames, *span) as child:
        yield from read_log(child.tokens(), objectives=objectives, commit_id=ids)


def count_commits(workspace: Workspace, since: str, until: str = "HEAD") -> int:
    """How many commits are reachable from `until` and not from `since`. Raises NoSuchRevision if either names none."""
    git = open_git(workspace)
    if git is None or (until == "HEAD" and not git.head()):
        return 0
    # Full ids need no question of their own: git fails by itself where it has no such commit.
    names = [text if _ID.fullmatch(text) else git.resolve(text) for text in (until, since) if text]
    try:
        return int(git.run("rev-list", "--count", names[0], *(f"^{name}" for name in names[1:])))
    except GitFailed:
        for name in names:
            git.resolve(name)
        raise
