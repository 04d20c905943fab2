"""Speed of the index, side by side with `git grep` and ripgrep: `python -m bench.run`.

Without arguments it measures a synthetic workspace that it makes itself (`--passages` says how
large) and the demo; `--workspace PATH` measures a repository of one's own. Everything is made
under a temporary folder that is removed at the end. Times are CPU time, of the other programs too,
so that a busy machine measures nearly what a quiet one does; still the ratios say more.
"""

import argparse
import gc
import os
import random
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from pathlib import Path
from typing import Any

SEED = 7
SECTION_WORDS = 60
SECTIONS_PER_FILE = 12
GREP_WORDS = 12
ROUNDS = 3


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(prog="python -m bench.run", description=__doc__)
    parser.add_argument("--workspace", type=Path, help="a repository to measure instead")
    parser.add_argument("--passages", type=int, default=20_000, help="size of the synthetic workspace (default 20,000)")
    asked = parser.parse_args(arguments)
    folder = Path(tempfile.mkdtemp(prefix="yoimemory-bench-"))
    try:
        os.environ["YOIMEMORY_HOME"] = str(folder / "home")
        set_up()
        if asked.workspace:
            measure(asked.workspace.resolve(), asked.workspace.name)
        else:
            made = folder / "synthetic"
            make_synthetic(made, asked.passages)
            measure(made, f"synthetic, about {asked.passages:,} passages")
            measure(make_demo(folder / "demo"), "demo")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return 0


def set_up() -> None:
    """Django over fresh databases."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "yoimemory.settings")
    import django

    django.setup()
    from django.core.management import call_command

    for database in ("default", "index"):
        call_command("migrate", database=database, verbosity=0)


def measure(root: Path, name: str) -> None:
    """Index one workspace, ask it, and ask the others the same."""
    from django.conf import settings
    from django.utils import timezone

    from yoimemory.search.models import Passage
    from yoimemory.search.services import index_workspace
    from yoimemory.sources.services import register_workspace

    workspace, _ = register_workspace(root, now=timezone.now())
    before = index_size(settings.HOME / "index.sqlite3")
    first = timed(lambda: index_workspace(workspace, now=timezone.now(), full=True))
    again = timed(lambda: index_workspace(workspace, now=timezone.now()))
    texts = list(Passage.objects.filter(document__workspace=workspace.public_id).values_list("text", flat=True))
    count, characters = len(texts), sum(map(len, texts))
    size = index_size(settings.HOME / "index.sqlite3") - before
    print(f"\n{name}: {count:,} passages, {characters / 1e6:.1f} M characters")
    print(f"  index, from nothing     {first:8.2f} s    {characters / 1e6 / first:.1f} M characters per second of CPU")
    print(f"  index, nothing changed  {again:8.2f} s")
    written = sum(len(text.encode()) for text in texts)
    print(f"  index file              {size / 1e6:8.1f} MB   {size / written:.2f} of the text")
    report_queries(workspace, root, texts[:20_000])


def index_size(file: Path) -> int:
    """Bytes of the index file, with everything that was written so far in it."""
    from yoimemory.search.backends.statements import fetch

    fetch("PRAGMA wal_checkpoint(TRUNCATE)", [])
    return file.stat().st_size


def gathering(workspace: Any, questions: Sequence[str]) -> list[Callable[[], Any]]:
    """Gathering a shoebox for each question, without keeping it."""
    from django.utils import timezone

    from shoebox.gathering import gather
    from shoebox.schemas import ShoeboxDraft
    from shoebox.services import create_shoebox
    from yoimemory.access.services import actor_for_user, ensure_owner

    owner = actor_for_user(ensure_owner())
    boxes = [
        create_shoebox(
            ShoeboxDraft(question=question, gather=False), workspace=workspace, actor=owner, now=timezone.now()
        )
        for question in questions
    ]
    return [lambda box=box: gather(box, actor=owner, now=timezone.now()) for box in boxes]  # type: ignore[misc]


def report_queries(workspace: Any, root: Path, texts: list[str]) -> None:
    """The table of queries: ours, and for single words the others' with ratios."""
    from django.utils import timezone

    from yoimemory.search.schemas import SearchQuery
    from yoimemory.search.services import search_sources

    def ask(**query: Any) -> Callable[[], Any]:
        return lambda: search_sources(SearchQuery(**query), workspace=workspace, now=timezone.now())

    words = choose_words(texts)
    draw = random.Random(SEED)
    pairs = [" ".join(draw.sample(words, 3)) for _ in words]
    longer = [" ".join(draw.choice(texts).split()[:8]) for _ in words]
    whole = ["\n\n".join(draw.sample(texts, min(len(texts), 6))) for _ in words]
    single = repeat([ask(query=word) for word in words])
    rows = [
        ("one word", single),
        ("three words", repeat([ask(query=text) for text in pairs])),
        ("eight words", repeat([ask(query=text) for text in longer])),
        ("a whole text", repeat([ask(text=text) for text in whole])),
        ("gathering a shoebox", repeat(gathering(workspace, longer[:4]))),
        ("one word, against it", repeat([ask(query=word, stance="disconfirming") for word in words])),
    ]
    print(f"  {'query':24}{'p50 ms':>9}{'p95 ms':>9}")
    for label, times in rows:
        print(f"  {label:24}{statistics.median(times):9.1f}{percentile(times, 0.95):9.1f}")
    for label, command in (
        ("git grep -c -i", ["git", "grep", "-c", "-i", "-F"]),
        ("rg -c -i", ["rg", "-c", "-i", "-F"]),
    ):
        if shutil.which(command[0]) is None:
            print(f"  {label:24}  not installed here")
            continue
        others = repeat([grep(command, word, root) for word in words])
        ratio = statistics.median(single) / statistics.median(others)
        p50, p95 = statistics.median(others), percentile(others, 0.95)
        print(f"  {label:24}{p50:9.1f}{p95:9.1f}   ours takes {ratio:.2f} of it")


def grep(command: list[str], word: str, root: Path) -> Callable[[], Any]:
    """One search with a program of its own, as a person would run it."""
    return lambda: subprocess.run(
        [*command, "--", word, *(["."] if command[0] == "rg" else [])],
        cwd=root,
        capture_output=True,
        check=False,
        timeout=60,
    )


def repeat(asks: Sequence[Callable[[], Any]]) -> list[float]:
    """Milliseconds of every question in every round, the first round left out as a warm-up."""
    for each in asks:
        each()
    gc.freeze()  # as a server does; what this measurement holds of texts is no part of one
    return [timed(each) * 1_000 for _ in range(ROUNDS) for each in asks]


def timed(act: Callable[[], Any]) -> float:
    """Seconds of CPU that an act takes, here and in the programs that it starts."""
    start = _cpu()
    act()
    return _cpu() - start


def _cpu() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def percentile(times: Sequence[float], share: float) -> float:
    return sorted(times)[min(len(times) - 1, int(len(times) * share))]


def choose_words(texts: list[str]) -> list[str]:
    """Words of the workspace, common and rare."""
    import re

    seen = sorted({word for text in texts[:2_000] for word in re.findall(r"[A-Za-z]{5,12}", text)})
    return random.Random(SEED).sample(seen, min(GREP_WORDS, len(seen)))


def make_synthetic(root: Path, passages: int) -> None:
    """A repository of Markdown and code whose words are as unevenly common as those of real text."""
    draw = random.Random(SEED)
    vocabulary = [*words_of_syllables(draw, 20_000), *JAPANESE]
    names = vocabulary[:20_000]
    weights = list(accumulate(1 / (rank + 5) for rank in range(len(vocabulary))))
    files = max(1, passages // SECTIONS_PER_FILE)
    for number in range(files):
        code = number % 3 == 0
        path = root / ("src" if code else "docs") / f"d{number % 100:02d}" / f"f{number:06d}.{'py' if code else 'md'}"
        path.parent.mkdir(parents=True, exist_ok=True)
        sections = []
        for _ in range(SECTIONS_PER_FILE):
            words = draw.choices(vocabulary, cum_weights=weights, k=SECTION_WORDS)
            name = "_".join(draw.choices(names, k=2))
            body = "\n".join(" ".join(words[start : start + 10]) for start in range(0, len(words), 10))
            sections.append(f"def {name}():\n    '''\n{body}\n    '''\n" if code else f"## {name}\n\n{body}\n")
        path.write_text("\n\n".join(sections), encoding="utf-8")
    who = {f"GIT_{role}_{what}": value for role in ("AUTHOR", "COMMITTER") for what, value in WHO.items()}
    for command in (["init", "-q", "-b", "main"], ["add", "."], ["commit", "-q", "-m", "Make the synthetic workspace"]):
        subprocess.run(["git", *command], cwd=root, check=True, env={**os.environ, **who}, timeout=600)


WHO = {"NAME": "bench", "EMAIL": "bench@example.invalid"}
JAPANESE = [
    "再構築",
    "同期",
    "失敗",
    "ロックファイル",
    "残骸",
    "検索",
    "廃止",
    "仕様",
    "設計",
    "確認",
    "実装",
    "記憶",
] * 5


def words_of_syllables(draw: random.Random, count: int) -> Iterator[str]:
    """Made-up words that can be said."""
    seen: set[str] = set()
    while len(seen) < count:
        word = "".join(draw.choice("bdfgklmnprstvz") + draw.choice("aeiou") for _ in range(draw.randint(2, 4)))
        if word not in seen:
            seen.add(word)
            yield word


def make_demo(folder: Path) -> Path:
    """The repository of the demo; building it also indexes it once."""
    from django.utils import timezone

    from yoimemory.demo.build import build_demo

    return build_demo(folder, now=timezone.now()).path


if __name__ == "__main__":
    sys.exit(main())
