"""A small git workspace on disk that a test changes as a person would: write, commit, rename, remove."""

import os
import subprocess
from datetime import UTC, datetime
from pathlib import Path

from yoimemory.sources.models import Workspace
from yoimemory.sources.services import register_workspace

WORK_ITEMS = """# Work items

A queue click permits routing. It does not permit a start.

## Blockers

Unresolved `depends_on` and incoming unresolved `blocks` are queue and acceptance blockers.
依存関係が解決するまで開始してはならない、と運用文書にある。

A `related` link never blocks.
"""

THREAD = """<!-- event: create author: hare at: 2026-07-15T20:00:00Z -->

## Created

Ticket was created from the panel.

---

<!-- event: state_changed author: workspace-panel at: 2026-07-15T21:26:15Z from: ready to: queued reason: queued -->

Ticket を `workspace-panel` が queued にしました。

---

<!-- event: decision author: orchestrator at: 2026-07-15T21:26:58Z -->

Routing decision: blocked_by_dependency

- The first dependency is still in its fix loop, so this Ticket stays queued.

---
"""

ITEM = """---
title: 'Implement skills'
state: 'queued'
created_at: '2026-07-15T20:00:00Z'
updated_at: '2026-07-15T21:26:15Z'
---

## Background

Skills replace workflows once both removals are closed.
"""


class Repository:
    """A git repository under a temporary folder, with commits at given times."""

    def __init__(self, root: Path) -> None:
        self.root = root
        root.mkdir(parents=True)
        self._git("init", "-q", "-b", "main")
        self._commits = 0

    def write(self, path: str, text: str | bytes) -> None:
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text.encode() if isinstance(text, str) else text)

    def commit(self, message: str = "change") -> str:
        """Commit everything; return the id."""
        self._commits += 1
        self._git("add", "-A")
        self._git("commit", "-q", "--allow-empty", "-m", message, at=f"2026-07-1{self._commits}T12:00:00Z")
        return self._git("rev-parse", "HEAD").strip()

    def amend(self, message: str) -> str:
        """Write the last commit anew, as a rebase does; return its new id."""
        self._git("commit", "-q", "--amend", "-m", message, at="2026-07-15T18:00:00Z")
        return self._git("rev-parse", "HEAD").strip()

    def rename(self, old: str, new: str) -> None:
        (self.root / new).parent.mkdir(parents=True, exist_ok=True)
        (self.root / old).rename(self.root / new)

    def remove(self, path: str) -> None:
        (self.root / path).unlink()

    def register(self) -> Workspace:
        return register_workspace(self.root, now=datetime(2026, 7, 16, 12, 0, tzinfo=UTC))[0]

    def _git(self, *args: str, at: str = "") -> str:
        env = {
            "PATH": os.environ["PATH"], "HOME": str(self.root.parent), "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_AUTHOR_NAME": "hare", "GIT_AUTHOR_EMAIL": "hare@example.test",
            "GIT_COMMITTER_NAME": "hare", "GIT_COMMITTER_EMAIL": "hare@example.test",
        }  # fmt: skip
        if at:
            env |= {"GIT_AUTHOR_DATE": at, "GIT_COMMITTER_DATE": at}
        done = subprocess.run(
            ["git", *args], cwd=self.root, env=env, check=True, capture_output=True, text=True, timeout=20
        )
        return done.stdout


def make_repository(root: Path) -> Repository:
    """A workspace with a doc, a ticket with its thread, and one commit."""
    repository = Repository(root)
    repository.write("docs/work-items.md", WORK_ITEMS)
    repository.write(".yoi/tickets/00001KXKMX0QM/item.md", ITEM)
    repository.write(".yoi/tickets/00001KXKMX0QM/thread.md", THREAD)
    repository.commit("Add work items and the first ticket")
    return repository
