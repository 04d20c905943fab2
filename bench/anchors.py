"""How well quotes are found again, and how fast: `python -m bench.anchors`.

Random quotes of one to five lines are taken from old revisions of a git repository and looked for in
its newest one. Where they truly stand is told by `git blame` over the commits between; whether they
were deleted, by the commit that took their lines away. Without arguments our own repository is
measured; `--repository PATH` measures another, bare or not.
"""

import argparse
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from functools import lru_cache
from pathlib import Path
from typing import Any

from bench.run import set_up

SEED = 11
REVISIONS = 12
LINES_MAX, CHARACTERS_MIN, CHARACTERS_MAX = 5, 20, 1_500
FILE_MAX = 400_000
SAME_LINE = 0.6
"""From this likeness on an added line is the reworded one and not another."""
TEXTS = re.compile(r"\.(md|rs|py|txt|toml|html|css|js|ts|json|yml|yaml|nix|sh|rst|csv)$|(^|/)[A-Z]+$")


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m bench.anchors", description=__doc__)
    parser.add_argument("--repository", type=Path, default=Path(__file__).resolve().parents[1])
    parser.add_argument("--quotes", type=int, default=1_500, help="how many quotes are taken (default 1,500)")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--no-speed", action="store_true", help="leave the synthetic workspace of 10,000 anchors out")
    parser.add_argument("--verbose", action="store_true", help="print each quote that went wrong")
    asked = parser.parse_args(arguments)
    folder = Path(tempfile.mkdtemp(prefix="yoimemory-bench-"))
    try:
        os.environ["YOIMEMORY_HOME"] = str(folder / "home")
        set_up()
        repository = Repository(asked.repository.resolve())
        if repository.run("rev-parse", "--is-bare-repository").strip() == "true":  # a workspace has files
            copy = folder / repository.path.parent.name.rsplit("+", 1)[-1]
            repository.run("clone", "--quiet", "--no-checkout", str(repository.path), str(copy))
            repository = Repository(copy)
        measure_quality(repository, asked.quotes, asked.seed, verbose=asked.verbose)
        if not asked.no_speed:
            from bench.anchor_speed import measure_speed

            measure_speed(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return 0


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


@dataclass(slots=True)
class Tally:
    """What was found, by what truly happened."""

    counts: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    wrong: list[str] = field(default_factory=list)
    seconds: float = 0.0


def measure_quality(repository: Repository, quotes: int, seed: int, *, verbose: bool = False) -> Tally:
    """Take quotes, look for them, compare with what truly became of them."""
    from evidence.again import Sought, find_again
    from evidence.models import Evidence
    from evidence.shift import Shift

    draw = random.Random(seed)
    chain = repository.run("rev-list", "--first-parent", "HEAD").split()
    picked = [chain[len(chain) * step // (REVISIONS + 1)] for step in range(1, REVISIONS + 1)]
    tally = Tally()
    for revision in dict.fromkeys(picked):
        for history in _histories(repository, revision, chain, draw, quotes // REVISIONS):
            if history.new is None:
                _count_gone(tally, history)
                continue
            shift = Shift(history.old, history.new)
            for quote in history.quotes:
                words = history.old[quote.start : quote.end]
                sought = Sought(
                    words, history.old[max(0, quote.start - Evidence.CONTEXT) : quote.start],
                    history.old[quote.end : quote.end + Evidence.CONTEXT], history.old.count(words),
                    not quote.path.endswith((".md", ".txt", ".rst")),
                )  # fmt: skip
                begun = time.process_time()
                again = find_again(sought, shift, quote.start, quote.end)
                tally.seconds += time.process_time() - begun
                _count(tally, history, quote, again)
    _print(repository, tally, verbose=verbose)
    return tally


@dataclass(slots=True)
class History:
    """One file from an old revision to the newest: both texts, where its lines are now, and quotes from it."""

    repository: Repository
    revision: str
    old_path: str
    new_path: str
    old: str
    new: str | None
    quotes: list[Quote] = field(default_factory=list)
    followed: str = ""


def _histories(
    repository: Repository, revision: str, chain: list[str], draw: random.Random, quotes: int
) -> Iterator[History]:
    """Files that changed since a revision, with random quotes and their truth."""
    now = _blobs(repository, "HEAD")
    before = _blobs(repository, revision)
    renames = _true_renames(repository, revision)
    changed = [path for path, blob in before.items() if TEXTS.search(path) and now.get(renames.get(path, path)) != blob]
    draw.shuffle(changed)
    files = changed[: max(4, quotes // 8)]
    found = _our_renames(repository, revision)
    for path in files:
        old = repository.text(revision, path)
        if old is None:
            continue
        there = renames.get(path, path)
        new = repository.text("HEAD", there) if there in now else None
        history = History(repository, revision, path, there, old, new)
        if there != path and there in now:
            history.followed = "followed" if found(path) == there else "lost"
        lines = _line_truth(repository, revision, path, there) if new is not None else {}
        for quote in _quotes_of(old, revision, path, draw, 8):
            _tell_truth(quote, lines, history, chain)
            history.quotes.append(quote)
        yield history


def _blobs(repository: Repository, revision: str) -> dict[str, str]:
    rows = (row.split("\t", 1) for row in repository.run("ls-tree", "-r", "-z", revision).split("\0") if "\t" in row)
    return {path: about.split()[2] for about, path in rows if about.startswith("100")}


def _true_renames(repository: Repository, revision: str) -> dict[str, str]:
    """Every path of an old revision that was renamed since, step by step, with its name today."""
    tokens = repository.run(
        "log", "--first-parent", "--diff-merges=first-parent", "-M", "--diff-filter=R", "--name-status", "-z",
        "--format=", "--reverse", f"{revision}..HEAD",
    ).split("\0")  # fmt: skip
    names: dict[str, str] = {}
    back: dict[str, str] = {}
    at = 0
    while at + 2 < len(tokens):
        if not tokens[at].strip().startswith("R"):
            at += 1
            continue
        old, new = tokens[at + 1], tokens[at + 2]
        first = back.pop(old, old)
        names[first], back[new] = new, first
        at += 3
    return names


def _our_renames(repository: Repository, revision: str) -> Any:
    """How the app follows a rename, over the same repository."""
    from django.utils import timezone

    from yoimemory.sources.renames import Renames
    from yoimemory.sources.services import register_workspace

    workspace, _ = register_workspace(repository.path, now=timezone.now())
    renames = Renames(workspace)
    return lambda path: renames.follow(path, revision)


def _line_truth(repository: Repository, revision: str, path: str, there: str) -> dict[int, int]:
    """Which old line is which new one, by blame over the commits between."""
    lines: dict[int, int] = {}
    commit = name = ""
    old = new = 0
    for row in repository.run("blame", "--first-parent", "--porcelain", f"{revision}..HEAD", "--", there).split("\n"):
        head = re.match(r"([0-9a-f]{40}) (\d+) (\d+)", row)
        if head:
            commit, old, new = head[1], int(head[2]), int(head[3])
        elif row.startswith("filename "):
            name = row[9:]
        elif row.startswith("\t") and commit == revision and name == path:
            lines[old] = new
    return lines


def _quotes_of(text: str, revision: str, path: str, draw: random.Random, many: int) -> Iterator[Quote]:
    rows = text.split("\n")
    starts = [0]
    for row in rows:
        starts.append(starts[-1] + len(row) + 1)
    for _ in range(many * 4):
        first = draw.randrange(len(rows))
        last = min(first + draw.randint(1, LINES_MAX), len(rows)) - 1
        words = "\n".join(rows[first : last + 1])
        start = starts[first] + len(words) - len(words.lstrip())
        end = starts[first] + len(words.rstrip())
        if first == last and end - start > 60 and draw.random() < 0.5:
            cut = draw.randint(0, (end - start) // 3)
            start, end = start + cut, end - draw.randint(0, (end - start) // 3)
            start += len(text[start:end]) - len(text[start:end].lstrip())
            end = start + len(text[start:end].rstrip())
        if not CHARACTERS_MIN <= end - start <= CHARACTERS_MAX:
            continue
        first = text.count("\n", 0, start) + 1
        yield Quote(revision, path, start, end, first, text.count("\n", 0, end) + 1)
        many -= 1
        if not many:
            return


def _tell_truth(quote: Quote, lines: dict[int, int], history: History, chain: list[str]) -> None:
    """Whether the lines of a quote still stand, were carried elsewhere, were reworded, or are gone."""
    there = [lines.get(line) for line in range(quote.first, quote.last + 1)]
    if there[0] is not None and there == list(range(there[0], there[0] + len(there))):
        quote.truth, quote.line = "intact", there[0]
        return
    words = history.old[quote.start : quote.end]
    if history.new is not None and words in history.new:
        quote.truth = "carried elsewhere"
        return
    if any(line is not None for line in there):
        quote.truth = "partly changed"
        return
    quote.truth = _how_it_went(history, quote, chain)


def _how_it_went(history: History, quote: Quote, chain: list[str]) -> str:
    """`deleted` where the commit that took the lines away put nothing like them in their place, else `reworded`."""
    repository = history.repository
    ends = _last_seen(repository.path, history.revision, history.old_path)
    went = ends.get(quote.first)
    if went is None:
        return "unknown"
    commit, path, number = went
    if commit not in chain or chain.index(commit) == 0:
        return "unknown"
    patch = _patch(repository.path, commit, chain[chain.index(commit) - 1])
    added = _added(patch, path, number)
    if added is None:
        return "unknown"
    row = history.old.split("\n")[quote.first - 1].strip()
    if any(SequenceMatcher(None, row, other.strip(), autojunk=False).ratio() >= SAME_LINE for other in added[:200]):
        return "reworded"
    return "deleted"


@lru_cache(maxsize=256)
def _last_seen(root: Path, revision: str, path: str) -> dict[int, tuple[str, str, int]]:
    """The last commit in which each line of an old file stood, with its path and number there."""
    found: dict[int, tuple[str, str, int]] = {}
    commit, old, new = "", 0, 0
    answer = Repository(root).run(
        "blame", "--reverse", "--first-parent", "--porcelain", f"{revision}..HEAD", "--", path
    )
    for row in answer.split("\n"):
        head = re.match(r"([0-9a-f]{40}) (\d+) (\d+)", row)
        if head:
            commit, old, new = head[1], int(head[2]), int(head[3])
        elif row.startswith("filename "):
            name = row[9:]
            found[new] = (commit, name, old)
        elif row.startswith("\t") and new not in found:
            found[new] = (commit, path, old)
    return found


@lru_cache(maxsize=512)
def _patch(root: Path, before: str, after: str) -> str:
    return Repository(root).run("diff", "-U0", "-M", "--no-color", "--no-ext-diff", before, after)


def _added(patch: str, path: str, number: int) -> list[str] | None:
    """The lines that a patch put in place of one old line; None where it did not touch that line."""
    for part in patch.split("\ndiff --git ") if patch else []:
        if f"--- a/{path}\n" not in part and f'"a/{path}' not in part:
            continue
        for hunk in re.split(r"\n(?=@@ )", part)[1:]:
            about = re.match(r"@@ -(\d+)(?:,(\d+))? \+", hunk)
            if about and int(about[1]) <= number < int(about[1]) + int(about[2] or 1):
                return [row[1:] for row in hunk.split("\n")[1:] if row.startswith("+")]
    return None


def _count_gone(tally: Tally, history: History) -> None:
    """A file that is no longer there: its quotes are orphaned unless it was renamed, and then it was followed."""
    tally.counts["file gone"]["orphaned"] += len(history.quotes)


def _count(tally: Tally, history: History, quote: Quote, again: Any) -> None:
    if history.followed:
        tally.counts["renamed file"][history.followed] += 1
        history.followed = ""
    line = history.new.count("\n", 0, again.found.start) + 1 if again.found and history.new is not None else 0
    tally.counts[f"outcomes, {quote.truth}"][str(again.outcome)] += 1
    if quote.truth == "intact":
        right = again.found is not None and line == quote.line
        verdict = "right" if right and again.is_firm else "right, to confirm" if right else (
            "silently wrong" if again.is_firm else "asked or lost"
        )  # fmt: skip
    elif quote.truth == "deleted":
        verdict = "silently wrong" if again.is_firm else "attached" if again.found else "orphaned"
    else:
        verdict = "found" if again.found else "not found"
    tally.counts[quote.truth][verdict] += 1
    if verdict in {"silently wrong", "asked or lost", "attached", "right, to confirm"}:
        where = f"{quote.revision[:8]}:{quote.path}:{quote.first} (now {quote.line})"
        tally.wrong.append(
            f"{verdict}, {again.outcome} by {again.method} to line {line}: {where}\n"
            f"      {history.old[quote.start : quote.end]!r}"
            + (f"\n      {history.new[again.found.start : again.found.end]!r}" if again.found and history.new else "")
        )


def _print(repository: Repository, tally: Tally, *, verbose: bool) -> None:
    total = sum(sum(tally.counts[kind].values()) for kind in tally.counts if not kind.startswith(("out", "renamed")))
    silent = sum(counts["silently wrong"] for counts in tally.counts.values())
    print(f"\n{repository.path.name}: {total:,} quotes from changed files; {tally.seconds:.1f} s CPU in all")
    for kind, counts in sorted(tally.counts.items()):
        print(f"  {kind:28}" + ", ".join(f"{name} {count:,}" for name, count in counts.most_common()))
    intact, deleted = tally.counts["intact"], tally.counts["deleted"]
    whole = max(sum(intact.values()), 1)
    print(f"  intact, at the right place   {100 * (intact['right'] + intact['right, to confirm']) / whole:.2f} %")
    print(f"  intact, right without asking {100 * intact['right'] / whole:.2f} %")
    print(f"  silent errors                {silent} of {total:,}")
    lost = max(sum(deleted.values()), 1)
    print(f"  deleted, attached elsewhere  {100 * (deleted['attached'] + deleted['silently wrong']) / lost:.1f} %")
    for told in tally.wrong if verbose else ():
        print("   ", told)


if __name__ == "__main__":
    sys.exit(main())
