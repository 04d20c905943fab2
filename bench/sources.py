"""Speed and size of reading sources, on a repository made by script: full, after one change, after none, a long log.

python -m bench.sources [--commits N] [--files N] [--log MB]

Absolute times say little on a busy machine, so each figure stands beside what git takes for the same
work, and times are those of the processor, of this process and its children.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

WORDS = (
    "clock", "desk", "order", "tablet", "kitchen", "table", "menu", "server", "offline", "later", "wins", "agree",
    "change", "rule", "note", "plan", "stock", "price", "guest", "round", "waiter", "stove", "oven", "dish", "plate",
    "bill", "tip", "shift", "break", "night", "morning", "list", "entry", "field", "value",
)  # fmt: skip
CLEAN = {
    "PATH": os.environ["PATH"], "HOME": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull,
}  # fmt: skip


def git(root: Path, *arguments: str, stdin: Any = None) -> bytes:
    """Plain git, apart from the settings of whoever runs this."""
    done = subprocess.run(["git", "-C", str(root), *arguments], env=CLEAN, stdin=stdin, capture_output=True, check=True)
    return done.stdout


def _text(number: int, lines: int = 40) -> str:
    words = (WORDS[(number * 7 + step * 13 + step * step) % len(WORDS)] for step in range(lines * 9))
    listed = list(words)
    return "".join(" ".join(listed[start : start + 9]) + f" {number}\n" for start in range(0, len(listed), 9))


def _import_stream(commits: int, files: int) -> Iterator[bytes]:
    """A history for `git fast-import`: every commit changes one to three files of a thousand folders."""
    when = 1_700_000_000
    for number in range(commits):
        message = f"Change {WORDS[number % len(WORDS)]} of {WORDS[number * 3 % len(WORDS)]} {number}\n"
        yield b"commit refs/heads/main\ncommitter Hana <hana@example.invalid> %d +0000\n" % (when + 60 * number)
        yield b"data %d\n%s" % (len(message.encode()), message.encode())
        first = files * number // commits
        last = max(first + 1, files * (number + 1) // commits)
        for name in {*range(first, last), number * 31 % max(first, 1)}:
            body = _text(name + number % 5).encode()
            ending = ("md", "py", "rs", "txt")[name % 4]
            yield b"M 100644 inline src/part-%d/file-%d.%s\n" % (name % 200, name, ending.encode())
            yield b"data %d\n%s\n" % (len(body), body)


def make_repository(root: Path, *, commits: int, files: int) -> None:
    """The repository that is measured."""
    git(root.parent, "init", "-q", "-b", "main", str(root))
    with subprocess.Popen(
        ["git", "-C", str(root), "fast-import", "--quiet"], env=CLEAN, stdin=subprocess.PIPE
    ) as child:
        assert child.stdin is not None
        for piece in _import_stream(commits, files):
            child.stdin.write(piece)
        child.stdin.close()
    git(root, "reset", "-q", "--hard")


def spent(work: Callable[[], Any]) -> float:
    """Processor seconds of a piece of work, its children among them."""
    before = _processor()
    work()
    return _processor() - before


def _processor() -> float:
    used = [resource.getrusage(whose) for whose in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def plain_reading(root: Path) -> float:
    """What the measure is: `git log --name-status`, and every file read once."""

    def work() -> None:
        git(root, "log", "--name-status", "-M")
        for path in git(root, "ls-files", "-z").split(b"\0"):
            if path:
                (root / path.decode()).read_bytes()

    return spent(work)


def measure_repository(folder: Path, *, commits: int, files: int) -> dict[str, float]:
    """Full index, one changed file, one new commit and no change, each against git."""
    from django.utils import timezone

    from yoimemory.search.services import index_workspace
    from yoimemory.sources.services import register_workspace

    root = folder / "repository"
    make_repository(root, commits=commits, files=files)
    workspace, _ = register_workspace(root, now=timezone.now())

    def index() -> None:
        index_workspace(workspace, now=timezone.now())

    begun = time.monotonic()
    plain = plain_reading(root)
    read = time.monotonic()
    full = spent(index)
    by_the_clock = (time.monotonic() - read) / (read - begun)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    helper = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    status = min(spent(lambda: git(root, "status", "--porcelain")) for _ in range(3))
    nothing = min(spent(index) for _ in range(3))
    changed = root / "src/part-1/file-1.py"
    changes, made = [], []
    for number in range(3):
        changed.write_text(_text(number))
        changes.append(spent(index))
    for number in range(3):
        changed.write_text(_text(number + 10))
        author = ("-c", "user.name=Hana", "-c", "user.email=hana@example.invalid")
        git(root, *author, "commit", "-q", "-a", "-m", f"Again {number}")
        made.append(spent(index))
    return {
        "commits": commits, "files": files, "git log and reading (s)": plain, "full index (s)": full,
        "full index / git": full / plain, "the same by the clock": by_the_clock,
        "resident (MB)": memory, "resident, helper (MB)": helper, "git status (s)": status,
        "after nothing (s)": nothing, "after nothing / git status": nothing / status,
        "after one changed file (ms)": min(changes) * 1000, "after one commit (ms)": min(made) * 1000,
    }  # fmt: skip


def make_log(path: Path, megabytes: int) -> None:
    """A session log of many turns."""
    with path.open("w") as log:
        number = 0
        while log.tell() < megabytes << 20:
            role = "user" if number % 2 else "assistant"
            line = {"role": role, "content": _text(number, 12), "timestamp": f"2026-07-{number % 28 + 1:02}T12:00:00Z"}
            log.write(json.dumps(line) + "\n")
            number += 1


def measure_log(folder: Path, megabytes: int) -> dict[str, float]:
    """A long session log: memory, and how long another writer of the index has to wait meanwhile."""
    from django.utils import timezone

    from yoimemory.search.services import index_workspace
    from yoimemory.sources.services import add_source, register_workspace

    (folder / "plain").mkdir()
    make_log(folder / "day.jsonl", megabytes)
    workspace, _ = register_workspace(folder / "plain", now=timezone.now())
    add_source(workspace, path=folder / "day.jsonl", kind="session", now=timezone.now())
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    waits: tuple[list[float], list[float]] = ([], [])
    done = threading.Event()
    other = threading.Thread(target=_write_meanwhile, args=[waits, done])
    other.start()
    took = spent(lambda: index_workspace(workspace, now=timezone.now()))
    done.set()
    other.join()
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    people, index = (sorted(each) for each in waits)
    return {
        "log (MB)": megabytes, "log (s)": took, "log (MB/s)": megabytes / took, "resident before (MB)": before,
        "resident after (MB)": after, "other writes": len(index), "longest wait, index (ms)": index[-1] * 1000,
        "99 of 100 within, index (ms)": index[int(len(index) * 0.99)] * 1000,
        # Indexing writes hardly ever to the people's database, so this is what the machine is to blame for.
        "longest wait, people's (ms)": people[-1] * 1000,
        "99 of 100 within, people's (ms)": people[int(len(people) * 0.99)] * 1000,
    }  # fmt: skip


def _write_meanwhile(waits: tuple[list[float], list[float]], done: threading.Event) -> None:
    """Write a small row of both databases again and again, as people do while something is indexed."""
    from django.db import connections, transaction  # noqa: TID251 (only to close this thread's connections)
    from django.utils import timezone

    from yoimemory.journal.models import Event
    from yoimemory.search.models import Position
    from yoimemory.sources.models import Workspace

    workspace = Workspace.objects.order_by("-pk").first()
    assert workspace is not None
    try:
        while not done.wait(0.05):
            start = time.monotonic()
            with transaction.atomic():
                Event.objects.create(workspace=workspace, kind=Event.Kind.QUERY, at=timezone.now())
            waits[0].append(time.monotonic() - start)
            start = time.monotonic()
            with transaction.atomic(using="index"):
                Position.objects.filter(workspace="nobody").update(total=1)
            waits[1].append(time.monotonic() - start)
    finally:
        connections.close_all()


def run(commits: int, files: int, megabytes: int) -> dict[str, float]:
    """Everything, in a home of its own."""
    with tempfile.TemporaryDirectory(prefix="bench-sources-") as name:
        folder = Path(name)
        os.environ["YOIMEMORY_HOME"] = str(folder / "home")
        os.environ["DJANGO_SETTINGS_MODULE"] = "yoimemory.settings"
        import django

        django.setup()
        from yoimemory.cli.ready import make_ready

        make_ready()
        figures = measure_repository(folder, commits=commits, files=files) if commits else {}
        return figures | (measure_log(folder, megabytes) if megabytes else {})


def main(arguments: list[str] | None = None) -> int:
    """Measure, and print one figure a line."""
    parser = argparse.ArgumentParser(prog="python -m bench.sources", description=__doc__.split("\n")[0])
    parser.add_argument("--commits", type=int, default=50_000)
    parser.add_argument("--files", type=int, default=5_000)
    parser.add_argument("--log", type=int, default=200, help="megabytes of the session log; 0 leaves it out")
    asked = parser.parse_args(arguments)
    for name, value in run(asked.commits, asked.files, asked.log).items():
        print(f"{name:32} {value:12,.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
