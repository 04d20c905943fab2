"""Which path a file has now: renames that git finds, between two states and step by step."""

from yoimemory.errors import DomainError
from yoimemory.sources.git import Git, open_git
from yoimemory.sources.models import Workspace
from yoimemory.sources.process import GitProblem

STEPS_MAX = 5_000
"""Commits that are looked through for renames; older ones are told by the two ends alone."""


class Renames:
    """Renames of one workspace up to HEAD, asked of git once for each revision that they are followed from."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._git: Git | None = None
        self._ends: dict[str, dict[str, str]] = {}
        self._steps: dict[str, dict[str, str]] = {}

    def follow(self, path: str, since: str) -> str:
        """The path that a file of a commit has at HEAD, or nothing where it was not renamed or git cannot tell."""
        if not since or ":" in since:
            return ""
        try:
            if since not in self._ends:
                self._ends[since] = self._between(since)
            if path in self._ends[since]:
                return self._ends[since][path]
            if since not in self._steps:
                self._steps[since] = self._one_by_one(since)
        except (GitProblem, DomainError):  # a commit that is gone, an answer too long: nothing is known then
            self._ends.setdefault(since, {})
            self._steps.setdefault(since, {})
        return self._steps[since].get(path, "")

    @property
    def git(self) -> Git | None:
        self._git = self._git or open_git(self._workspace)
        return self._git

    def _options(self, git: Git) -> tuple[str, ...]:
        # Inexact renames need texts that a partial clone lacks.
        return (
            "-r", "-z", "-M100%" if git.shadow.partial else "-M", "-l1000", "--diff-filter=R", "--name-status",
            "--no-ext-diff", "--no-textconv", "--ignore-submodules=all",
        )  # fmt: skip

    def _between(self, since: str) -> dict[str, str]:
        """Renames between the two ends: right however often a file was renamed, if it is still like it was."""
        git = self.git
        if git is None:
            return {}
        tokens = git.run("diff-tree", *self._options(git), git.resolve(since), "HEAD").split(b"\0")
        return dict(_pairs(tokens))

    def _one_by_one(self, since: str) -> dict[str, str]:
        """Renames commit by commit, put together: right however much a file changed on its way."""
        git = self.git
        if git is None:
            return {}
        names: dict[str, str] = {}
        first: dict[str, str] = {}
        options = (
            "--first-parent", "--diff-merges=first-parent", "--reverse", f"--max-count={STEPS_MAX}", "--format=",
            "--no-show-signature",
        )  # fmt: skip
        with git.stream("log", *options, *self._options(git), f"{git.resolve(since)}..HEAD") as child:
            for old, new in _pairs(list(child.tokens())):
                began = first.pop(old, old)
                names[began], first[new] = new, began
        return {old: new for old, new in names.items() if old != new}


def _pairs(tokens: list[bytes]) -> list[tuple[str, str]]:
    """(old, new) of each rename in an answer of `--name-status -z`, in its order."""
    words = [token.decode("utf-8", "surrogateescape").lstrip("\n") for token in tokens]
    found, at = [], 0
    while at + 2 < len(words):
        if words[at][:1] == "R" and words[at][1:].isdigit():
            found.append((words[at + 1], words[at + 2]))
            at += 3
        else:
            at += 1
    return found


def lost_commits(workspace: Workspace, commits: set[str]) -> set[str]:
    """Those of these commits that HEAD's history does not hold: rebased away, or on another branch, or gone."""
    git = open_git(workspace)
    named = {commit for commit in commits if commit and ":" not in commit}
    if git is None or not named or not git.head():
        return set()
    asked = "".join(f"{commit}\n" for commit in sorted(named))
    there = git.run("cat-file", "--batch-check=%(objectname) %(objecttype)", stdin=asked.encode())
    known = {row.split()[0] for row in there.decode().split("\n") if row.endswith(" commit")}
    beside = git.run("rev-list", "--stdin", stdin=("".join(f"{one}\n" for one in sorted(known)) + "^HEAD\n").encode())
    return (named - known) | (known & set(beside.decode().split()))
