"""Making a long history ready in a process of its own, while this one reads the files and writes.

Half the work of a first index is Python over commits, the other half SQLite: two processes do it in about
the time of one. What passes between them are plain values: frames of a length and marshalled rows,
and an empty frame at the end. Ended half-way, the other one ends by its closed pipe.
"""

import argparse
import gc
import marshal
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import django
from django.conf import settings

from yoimemory.sources.process import Child, GitProblem

if TYPE_CHECKING:
    from yoimemory.search.rows import Prepared
    from yoimemory.sources.models import Workspace
    from yoimemory.sources.reading import Document

BATCH = 400
MANY = 10_000
"""Commits from which on a process of its own is worth its start: 0.7 s of CPU, against 0.1 ms for each commit."""
_LENGTH = 4


def in_batches(documents: Iterable["Document"]) -> Iterator[list["Prepared"]]:
    """What the index will hold of these documents, a short transaction at a time."""
    from yoimemory.search.rows import prepare

    ready = map(prepare, documents)
    while batch := list(islice(ready, BATCH)):
        yield batch


class HelperEnded(GitProblem):
    """The process that makes commits ready failed, was ended, or was silent for too long."""


class Ahead(Iterator[list["Prepared"]]):
    """Batches of commits as another process makes them ready."""

    def __init__(self, child: Child) -> None:
        self._child, self._ended = child, False

    def __next__(self) -> list["Prepared"]:
        from yoimemory.search.rows import Prepared

        try:
            frame = self._child.exactly(int.from_bytes(self._child.exactly(_LENGTH), "big"))
        except GitProblem as error:
            raise HelperEnded(
                "The process that makes commits ready ended before it was done.",
                hint="Read the index again: it goes on from there. If it happens again, run doctor.",
            ) from error
        if frame:
            # Plain values of our own child and of the same Python; marshal makes nothing else of them.
            return [Prepared(*each) for each in marshal.loads(frame)]  # noqa: S302
        self._ended = True
        raise StopIteration

    def ready(self) -> bool:
        """Whether a batch has begun to come; what lacks of it is on its way."""
        return not self._ended and self._child.ready()


@contextmanager
def commits_ahead(workspace: "Workspace", since: str, until: str, count: int) -> Iterator[Ahead | None]:
    """The commits of `until` and not of `since`, made ready elsewhere from now on; None for few, and on one core."""
    if count < MANY or _cores() < 2:
        yield None
        return
    arguments = [str(workspace.public_id), str(workspace.path), until, since]
    environment = {**os.environ, "YOIMEMORY_HOME": str(settings.HOME)}
    with Child(
        [sys.executable, "-P", "-m", "yoimemory.search.ahead", *arguments], env=environment, cwd=Path(settings.HOME)
    ) as child:
        yield Ahead(child)


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def main(arguments: list[str] | None = None) -> int:
    """Write the commits of a repository to standard output, as frames."""
    parser = argparse.ArgumentParser(prog="python -m yoimemory.search.ahead", description=__doc__)
    for name in ("workspace", "root", "until", "since"):
        parser.add_argument(name)
    asked = parser.parse_args(arguments)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "yoimemory.settings")
    django.setup()
    gc.disable()  # plain values without cycles, in a process that ends with them: collections only take time
    from yoimemory.sources.git import commits
    from yoimemory.sources.models import Workspace

    # Never saved: all that is asked of it is where its repository and the shadow of it lie.
    workspace = Workspace(public_id=asked.workspace, root=asked.root, common_dir=asked.root)
    for batch in in_batches(commits(workspace, since=asked.since, until=asked.until)):
        frame = marshal.dumps([tuple(each) for each in batch])
        sys.stdout.buffer.write(len(frame).to_bytes(_LENGTH, "big") + frame)
        sys.stdout.buffer.flush()
    sys.stdout.buffer.write(bytes(_LENGTH))
    sys.stdout.buffer.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
