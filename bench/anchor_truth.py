"""What truly became of a quote, told by git alone: where its lines stand by blame, or how they went.

This is the measure that `bench.anchors` holds the app's own answer against; it shares no code with it.
"""

import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from functools import lru_cache
from pathlib import Path

FILE_MAX = 400_000
SURVIVES = 0.6
"""From this share of its words on, in their order, a line that was replaced was reworded and not deleted."""
WINDOW, ADDED_MAX = 3, 400
"""Added lines that are read as one, since text is wrapped anew; and how many of a commit are looked at."""
WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|[A-Z]?[a-z]+|[A-Z]+|\d+|[^\W\da-zA-Z_\u3040-\u30ff\u3400-\u9fff]+")
"""A word of a name counts by itself: a line in which `pod_name` became `worker_name` was reworded."""


@dataclass(slots=True)
class Repository:
    """A git repository that is asked by its own program."""

    path: Path

    def run(self, *args: str) -> str:
        """The answer of git, or nothing where it has none."""
        done = subprocess.run(
            ["git", "-C", str(self.path), "--no-pager", *args], check=False, capture_output=True, timeout=120
        )
        return done.stdout.decode("utf-8", "surrogateescape") if done.returncode == 0 else ""

    def text(self, revision: str, path: str) -> str | None:
        """A file as it was, where it is text of a fair size."""
        data = self.run("show", f"{revision}:{path}")
        return data if data and len(data) < FILE_MAX and "\0" not in data else None


@dataclass(slots=True)
class Quote:
    """Some words of an old revision, with their lines (from 1) and what truly became of them."""

    revision: str
    path: str
    start: int
    end: int
    first: int
    last: int
    truth: str = ""
    line: int = 0
    kept: tuple[int, ...] = ()
    """Where those of its lines stand now that still stand."""


@dataclass(slots=True)
class History:
    """One file from an old revision to the newest: both texts, where its lines are now, and quotes from it."""

    repository: Repository
    revision: str
    old_path: str
    old: str
    new: str | None
    quotes: list[Quote] = field(default_factory=list)
    followed: str = ""


def line_truth(repository: Repository, revision: str, path: str, there: str, *options: str) -> dict[int, int]:
    """Which old line is which new one, by blame over the commits between."""
    lines: dict[int, int] = {}
    names: dict[str, str] = {}
    commit, old, new = "", 0, 0
    told = repository.run("blame", *options, "--first-parent", "--porcelain", f"{revision}..HEAD", "--", there)
    for row in told.split("\n"):
        head = re.match(r"([0-9a-f]{40}) (\d+) (\d+)", row)
        if head:
            commit, old, new = head[1], int(head[2]), int(head[3])
        elif row.startswith("filename "):
            names[commit] = row[9:]  # told once for each commit
        elif row.startswith("\t") and commit == revision and names.get(commit) == path:
            lines[old] = new
    return lines


def tell_truth(
    quote: Quote, lines: dict[int, int], carried: dict[int, int], history: History, chain: list[str]
) -> None:
    """Whether the lines of a quote still stand, were carried elsewhere, were reworded, or are gone.

    `lines` is what blame says, `carried` what it says when it follows lines that were indented anew
    or moved within their file (`-w -M`).
    """
    there = [lines.get(line) for line in range(quote.first, quote.last + 1)]
    quote.kept = tuple(line for line in there if line is not None)
    if there[0] is not None and there == list(range(there[0], there[0] + len(there))):
        quote.truth, quote.line = "intact", there[0]
        return
    quote.kept = quote.kept or tuple(
        carried[line] for line in range(quote.first, quote.last + 1) if line in carried and _row(history, line)
    )
    words = history.old[quote.start : quote.end]
    if history.new is not None and words in history.new:
        quote.truth = "carried elsewhere"
    elif quote.kept:
        quote.truth = "partly changed"
    else:
        quote.truth = _how_it_went(history, quote, chain)


def _row(history: History, line: int) -> str:
    return history.old.split("\n")[line - 1].strip()


def _how_it_went(history: History, quote: Quote, chain: list[str]) -> str:
    """`deleted` where what the commits put in the place of its lines holds less than half of it, else `reworded`."""
    known = survived = 0
    for number, row in enumerate(history.old[quote.start : quote.end].split("\n"), quote.first):
        words = WORD.findall(row)
        added = _put_in_place(history, number, chain) if words else None
        if added is None:
            continue
        weight = sum(map(len, words))
        known += weight
        survived += weight if survives(words, added) else 0
    if not known:
        return "unknown"
    return "reworded" if 2 * survived >= known else "deleted"


def survives(words: list[str], added: list[str]) -> bool:
    """Whether most of some words stand, in their order, in neighbouring added lines, however those are wrapped."""
    rows = [WORD.findall(row) for row in added[:ADDED_MAX]]
    weight, wanted = sum(map(len, words)), set(words)
    for at in range(len(rows)):
        window = [word for row in rows[at : at + WINDOW] for word in row]
        if sum(len(word) for word in wanted.intersection(window)) == 0:
            continue
        blocks = SequenceMatcher(None, words, window, autojunk=False).get_matching_blocks()
        if sum(len(word) for block in blocks for word in words[block.a : block.a + block.size]) >= SURVIVES * weight:
            return True
    return False


def _put_in_place(history: History, number: int, chain: list[str]) -> list[str] | None:
    """The lines that the commit which took an old line away put there; None where that cannot be told."""
    went = _last_seen(history.repository.path, history.revision, history.old_path).get(number)
    if went is None:
        return None
    commit, path, there = went
    if commit not in chain or chain.index(commit) == 0:
        return None
    return _added(_patch(history.repository.path, commit, chain[chain.index(commit) - 1]), path, there)


@lru_cache(maxsize=256)
def _last_seen(root: Path, revision: str, path: str) -> dict[int, tuple[str, str, int]]:
    """The last commit in which each line of an old file stood, with its path and number there."""
    found: dict[int, tuple[str, str, int]] = {}
    names: dict[str, str] = {}
    commit, old, new = "", 0, 0
    answer = Repository(root).run(
        "blame", "--reverse", "--first-parent", "--porcelain", f"{revision}..HEAD", "--", path
    )
    for row in answer.split("\n"):
        head = re.match(r"([0-9a-f]{40}) (\d+) (\d+)", row)
        if head:
            commit, old, new = head[1], int(head[2]), int(head[3])
        elif row.startswith("filename "):
            names[commit] = row[9:]
        elif row.startswith("\t"):
            found[new] = (commit, names.get(commit, path), old)
    return found


@lru_cache(maxsize=512)
def _patch(root: Path, before: str, after: str) -> str:
    return Repository(root).run("diff", "-U0", "-M", "--no-color", "--no-ext-diff", before, after)


def _added(patch: str, path: str, number: int) -> list[str] | None:
    """The lines that a patch put in place of one old line; None where it did not touch that line."""
    for part in patch.split("\ndiff --git ") if patch else []:
        if f"--- a/{path}\n" not in part and f'"a/{path}' not in part:
            continue
        for hunk in _hunks(part):
            about = re.match(r"@@ -(\d+)(?:,(\d+))? \+", hunk)
            if about and int(about[1]) <= number < int(about[1]) + int(about[2] or 1):
                return [row[1:] for row in hunk.split("\n")[1:] if row.startswith("+")]
    return None


def _hunks(part: str) -> Iterator[str]:
    yield from re.split(r"\n(?=@@ )", part)[1:]
