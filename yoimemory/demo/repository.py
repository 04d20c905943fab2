"""Writing the demo's own repository, with GitPython's object model: safe here, since we made this folder ourselves."""

import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING

from yoimemory.demo.history import Step
from yoimemory.demo.texts import memory_files, session_logs

if TYPE_CHECKING:
    from git import Repo

_INIT_ENVIRONMENT = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_DEFAULT_HASH": "sha1",
    "GIT_TEMPLATE_DIR": "",
}


def start_repository(path: Path) -> None:
    """An empty repository without anybody's templates or hooks, and the memory records that stand beside it."""
    from git import Git  # imported late: 0.13 s that no other command should pay

    shutil.rmtree(path, ignore_errors=True)
    path.mkdir(parents=True)
    git = Git(path)
    git.init("--quiet", "--template=", "--initial-branch=main", env=_INIT_ENVIRONMENT)
    git.config("i18n.commitEncoding", "UTF-8", env=_INIT_ENVIRONMENT)  # a person's own choice would change the ids
    for name, data in memory_files().items():
        _write(path / name, data)


def commit_steps(path: Path, steps: Sequence[Step]) -> str:
    """Commit these steps on top of what is there; return the id of the last one.

    The same steps on the same parent have the same ids on every machine: people and dates are
    fixed, and neither hooks nor signing nor line-end conversion take part.
    """
    from git import Actor, Repo

    with Repo(path) as repository:
        for step in steps:
            contents = step.contents()
            for name, data in contents.items():
                _write(path / name, data)
            repository.index.add(sorted(contents))
            who = Actor(step.author, f"{step.author}@asapan.example")
            repository.index.commit(
                step.subject, author=who, committer=who, author_date=step.at, commit_date=step.at, skip_hooks=True
            )
        return _head(repository)


def branch_off(path: Path, name: str, step: Step) -> str:
    """Put one commit on a branch of its own, on top of HEAD; what is checked out stays as it is. Return its id."""
    from git import Actor, Blob, Commit, IndexFile, Repo

    with Repo(path) as repository:
        if name in repository.heads:
            return repository.heads[name].commit.hexsha
        index = IndexFile.from_tree(repository, "HEAD")
        for file, data in step.contents().items():
            with TemporaryFile() as given:
                given.write(data)
                given.seek(0)
                stored = str(repository.git.hash_object("-w", "--stdin", istream=given))
            index.add([Blob(repository, bytes.fromhex(stored), Blob.file_mode, file)], write=False)
        who = Actor(step.author, f"{step.author}@asapan.example")
        commit = Commit.create_from_tree(
            repository, index.write_tree(), step.subject, [repository.head.commit], head=False,
            author=who, committer=who, author_date=step.at, commit_date=step.at,
        )  # fmt: skip
        repository.create_head(name, commit)
        return commit.hexsha


def commits_in(path: Path) -> list[str]:
    """The ids of the demo's commits, oldest first; none where there is no repository yet."""
    from git import Repo
    from git.exc import InvalidGitRepositoryError, NoSuchPathError

    try:
        with Repo(path) as repository:
            return [commit.hexsha for commit in repository.iter_commits(reverse=True)] if repository.heads else []
    except (InvalidGitRepositoryError, NoSuchPathError):
        return []


def write_sessions(folder: Path) -> Path:
    """The agents' session logs, in a folder of their own outside the repository."""
    for name, data in session_logs().items():
        _write(folder / name, data)
    return folder


def _head(repository: "Repo") -> str:
    return repository.head.commit.hexsha


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    path.chmod(0o644)
