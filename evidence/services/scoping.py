"""Whether what evidence applies to is still there: its dates, paths, branch, commits and component."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from functools import cached_property
from typing import Any

from django.db.models import Q

from yoimemory.errors import DomainError
from yoimemory.search.models import Document
from yoimemory.sources.git import Git, open_git
from yoimemory.sources.models import Workspace

NAMED_MAX = 50
"""Paths or names of one scope that are looked for."""
BRANCHES = ("for-each-ref", "--format=%(refname:lstrip=2)", "refs/heads", "refs/remotes")


@dataclass
class Scopes:
    """Answers for the scopes of one workspace; git is asked once for its branches, and only where a scope names one."""

    workspace: Workspace
    now: datetime

    def mismatch(self, scope: dict[str, Any]) -> str:
        """Why a scope no longer matches, as a sentence; empty where it does or cannot be told."""
        for told in (self._over(scope), self._paths(scope), self._component(scope), *self._history(scope)):
            if told:
                return told
        return ""

    def _over(self, scope: dict[str, Any]) -> str:
        until = _instant(scope.get("until"))
        if until is None or until > self.now:
            return ""
        return f"Its scope ended on {until:%Y-%m-%d}; whether it still holds, nobody has said."

    def _paths(self, scope: dict[str, Any]) -> str:
        paths = _names(scope.get("paths"))
        asked = Q(pk__in=[])
        for path in paths:
            asked |= Q(path=path) | Q(path__startswith=f"{path.rstrip('/*')}/")
        return "" if not paths or self._any(asked) else f"Nothing it applies to is there any more: {_told(paths)}."

    def _component(self, scope: dict[str, Any]) -> str:
        """A component is a folder or a file by its name, wherever it lies."""
        names = _names(scope.get("component"))
        asked = Q(pk__in=[])
        for name in names:
            for end in ("/", "."):
                asked |= Q(path__istartswith=f"{name}{end}") | Q(path__icontains=f"/{name}{end}")
        if not names or self._any(asked):
            return ""
        return f"It applies to a component that is not there any more: {_told(names)}."

    def _history(self, scope: dict[str, Any]) -> Iterator[str]:
        branches, commits = _names(scope.get("branch")), scope.get("commits")
        try:
            if branches and self._git and not self._branches.intersection(branches):
                yield f"It applies to a branch that is not there any more: {_told(branches)}."
            if isinstance(commits, str) and ".." in commits and self._git:
                yield self._beyond(self._git, commits)
        except DomainError:  # git is not there today or takes too long: then nothing can be told
            return

    def _beyond(self, git: Git, commits: str) -> str:
        """Whether HEAD has left the range of commits behind."""
        last = commits.rpartition("..")[2].strip()
        head = git.head()
        if not last or not head:
            return ""
        commit = git.resolve(last)
        if not git.run("rev-list", "--max-count=1", head, f"^{commit}").strip():
            return ""
        return f"It applies to the commits {commits}, and HEAD has gone beyond them."

    def _any(self, asked: Q) -> bool:
        return Document.objects.filter(asked, workspace=self.workspace.public_id).exists()

    @cached_property
    def _git(self) -> Git | None:
        return open_git(self.workspace)

    @cached_property
    def _branches(self) -> frozenset[str]:
        """Every branch by its name, those of a remote with and without the remote's."""
        if self._git is None:
            return frozenset()
        names = self._git.run(*BRANCHES).decode("utf-8", "replace").split()
        return frozenset(names) | {name.partition("/")[2] for name in names}


def _names(given: object) -> list[str]:
    """One name or several, as a scope tells them; nothing for anything else."""
    several = given if isinstance(given, list) else [given]
    return [one.strip() for one in several[:NAMED_MAX] if isinstance(one, str) and one.strip()]


def _told(names: list[str]) -> str:
    return ", ".join(names[:5])


def _instant(value: object) -> datetime | None:
    """A day or an instant as a scope tells it; None for anything else."""
    if not isinstance(value, str):
        return None
    try:
        found = datetime.fromisoformat(value) if "T" in value else datetime.combine(date.fromisoformat(value), time.max)
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)
