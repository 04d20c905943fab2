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
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.anchor_truth import History, Quote, Repository, line_truth, tell_truth
from bench.run import set_up

SEED = 11
REVISIONS = 12
SHOWN = frozenset({"silently wrong", "asked or lost", "attached", "right, to confirm", "found elsewhere"})
"""What `--verbose` prints."""
LINES_MAX, CHARACTERS_MIN, CHARACTERS_MAX = 5, 20, 1_500
TEXTS = re.compile(r"\.(md|rs|py|txt|toml|html|css|js|ts|json|yml|yaml|nix|sh|rst|csv)$|(^|/)[A-Z]+$")


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m bench.anchors", description=__doc__)
    parser.add_argument(
        "--repository", type=Path, action="append", help="a repository to measure; may be given several times"
    )
    parser.add_argument("--quotes", type=int, default=1_500, help="how many quotes are taken (default 1,500)")
    parser.add_argument("--seed", type=int, action="append", help=f"may be given several times (default {SEED})")
    parser.add_argument("--no-speed", action="store_true", help="leave the synthetic workspace of 10,000 anchors out")
    parser.add_argument("--verbose", action="store_true", help="print each quote that went wrong")
    asked = parser.parse_args(arguments)
    folder = Path(tempfile.mkdtemp(prefix="yoimemory-bench-"))
    try:
        os.environ["YOIMEMORY_HOME"] = str(folder / "home")
        set_up()
        tally = Tally()
        for path in asked.repository or [Path(__file__).resolve().parents[1]]:
            repository = _with_files(Repository(path.resolve()), folder)
            for seed in asked.seed or [SEED]:
                measured = measure_quality(repository, asked.quotes, seed)
                show(f"{repository.path.name}, seed {seed}", measured, verbose=asked.verbose)
                tally.add(measured)
        if len(asked.repository or ()) > 1 or len(asked.seed or ()) > 1:
            show("all together", tally)
        if not asked.no_speed:
            from bench.anchor_speed import measure_speed

            measure_speed(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return 0


def _with_files(repository: Repository, folder: Path) -> Repository:
    """The repository, or a clone of it where it is bare: a workspace has files."""
    if repository.run("rev-parse", "--is-bare-repository").strip() != "true":
        return repository
    copy = folder / repository.path.parent.name.rsplit("+", 1)[-1]
    repository.run("clone", "--quiet", "--no-checkout", str(repository.path), str(copy))
    return Repository(copy)


@dataclass(slots=True)
class Tally:
    """What was found, by what truly happened."""

    counts: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    wrong: list[str] = field(default_factory=list)
    seconds: float = 0.0

    def add(self, other: "Tally") -> None:
        """Count the quotes of another run in."""
        for kind, counts in other.counts.items():
            self.counts[kind].update(counts)
        self.wrong += other.wrong
        self.seconds += other.seconds


def measure_quality(repository: Repository, quotes: int, seed: int) -> Tally:
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
    return tally


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
        history = History(repository, revision, path, old, new)
        if there != path and there in now:
            history.followed = "followed" if found(path) == there else "lost"
        lines = line_truth(repository, revision, path, there) if new is not None else {}
        carried = line_truth(repository, revision, path, there, "-w", "-M") if new is not None else {}
        for quote in _quotes_of(old, revision, path, draw, 8):
            tell_truth(quote, lines, carried, history, chain)
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


def _count_gone(tally: Tally, history: History) -> None:
    """A file that is no longer there: its quotes are orphaned unless it was renamed, and then it was followed."""
    tally.counts["file gone"]["orphaned"] += len(history.quotes)


def _count(tally: Tally, history: History, quote: Quote, again: Any) -> None:
    if history.followed:
        tally.counts["renamed file"][history.followed] += 1
        history.followed = ""
    first, last = _lines_of(again.found, history.new) if again.found and history.new is not None else (0, 0)
    tally.counts[f"outcomes, {quote.truth}"][str(again.outcome)] += 1
    if quote.truth == "intact":
        right = again.found is not None and first == quote.line
        verdict = "right" if right and again.is_firm else "right, to confirm" if right else (
            "silently wrong" if again.is_firm else "asked or lost"
        )  # fmt: skip
    elif quote.truth == "deleted":
        verdict = "silently wrong" if again.is_firm else "attached" if again.found else "orphaned"
    elif quote.truth == "partly changed" and again.found:
        verdict = "found" if first <= max(quote.kept) and last >= min(quote.kept) else "found elsewhere"
    else:
        verdict = "found" if again.found else "not found"
    tally.counts[quote.truth][verdict] += 1
    if verdict in SHOWN:
        where = f"{quote.revision[:8]}:{quote.path}:{quote.first} (now {quote.line})"
        tally.wrong.append(
            f"{verdict}, {again.outcome} by {again.method} to line {first}: {where}\n"
            f"      {history.old[quote.start : quote.end]!r}"
            + (f"\n      {history.new[again.found.start : again.found.end]!r}" if again.found and history.new else "")
        )


def _lines_of(found: Any, text: str) -> tuple[int, int]:
    return text.count("\n", 0, found.start) + 1, text.count("\n", 0, found.end) + 1


def show(name: str, tally: Tally, *, verbose: bool = False) -> None:
    """Print what was counted, and what of it went wrong where it is wanted."""
    total = sum(sum(tally.counts[kind].values()) for kind in tally.counts if not kind.startswith(("out", "renamed")))
    silent = sum(counts["silently wrong"] for counts in tally.counts.values())
    print(f"\n{name}: {total:,} quotes from changed files; {tally.seconds:.1f} s CPU in all")
    for kind, counts in sorted(tally.counts.items()):
        print(f"  {kind:28}" + ", ".join(f"{name} {count:,}" for name, count in counts.most_common()))
    intact, deleted, gone = tally.counts["intact"], tally.counts["deleted"], tally.counts["file gone"]
    whole = max(sum(intact.values()), 1)
    print(f"  intact, at the right place   {100 * (intact['right'] + intact['right, to confirm']) / whole:.2f} %")
    print(f"  intact, right without asking {100 * intact['right'] / whole:.2f} %")
    print(f"  silent errors                {silent} of {total:,}")
    attached, lost = deleted["attached"] + deleted["silently wrong"], sum(deleted.values())
    print(f"  deleted, attached elsewhere  {attached} of {lost}, {100 * attached / max(lost, 1):.1f} %", end="")
    every = lost + sum(gone.values())
    print(f"; with those of deleted files {attached} of {every}, {100 * attached / max(every, 1):.1f} %")
    for told in tally.wrong if verbose else ():
        print("   ", told)


if __name__ == "__main__":
    sys.exit(main())
