"""How long it takes to look at 10,000 quotes again, and to check and store one: a part of `bench.anchors`."""

import os
import random
import re
import statistics
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ANCHORS = 10_000
FILES = 1_000
LINES = 120
TOUCHED = FILES // 100
LONG, LONG_TEXTS = 1_000_000, 5
SEED = 5
WORDS = re.findall(
    r"\w+",
    "queue worker ticket blocked until accepted reviewer anchor digest commit panel start route objective merge source "
    "evidence shoebox question passage context revision branch thread event decision scope index session",
)


def measure_speed(folder: Path) -> None:
    """Make a repository, quote from it, change it, and print what looking again cost, in CPU time of all processes."""
    from django.utils import timezone

    from evidence.services import recheck_anchors
    from yoimemory.refs import SourceRef
    from yoimemory.search.services import index_workspace

    root = folder / "anchors"
    texts = _make(root)
    workspace, shoebox, actor = _people(root)
    index_workspace(workspace, now=timezone.now())
    _store_anchors(workspace, shoebox, actor, texts)
    print(f"\nsynthetic: {ANCHORS:,} anchors in {FILES:,} files")
    _change(root, texts, range(TOUCHED))
    run = index_workspace(workspace, now=timezone.now())
    touched = {ref.source for ref in (*run.changed, *run.removed)}
    placed: list[Any] = []
    spent = cpu(lambda: placed.extend(recheck_anchors(workspace, touched, now=timezone.now())))
    states = sorted({str(each.state) for each in placed})
    print(
        f"  a commit that touches 1 % of files     {spent:6.2f} s CPU   {len(placed)} placements: {', '.join(states)}"
    )
    spent = cpu(lambda: recheck_anchors(workspace, {SourceRef.parse("doc:docs/none.md")}, now=timezone.now()))
    print(f"  a commit that touches nothing cited    {spent:6.2f} s CPU")
    _store_one(root, workspace, shoebox, actor)


def cpu(act: Callable[[], Any]) -> float:
    """CPU seconds of this process and of the programs that it started."""
    before = os.times()
    act()
    after = os.times()
    return sum(after[:4]) - sum(before[:4])


def _make(root: Path) -> list[list[str]]:
    draw = random.Random(SEED)
    root.mkdir(parents=True)
    texts = []
    for number in range(FILES):
        lines = [f"# Part {number}", ""]
        lines += [f"{' '.join(draw.choices(WORDS, k=12))} {number}-{line}." for line in range(LINES)]
        texts.append(lines)
        path = root / f"docs/{number % 40}/part-{number}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(lines) + "\n")
    _git(root, "init", "-q", "-b", "main")
    _commit(root)
    return texts


def _change(root: Path, texts: list[list[str]], numbers: range) -> None:
    """Put lines in above, and change the wording of every tenth line."""
    for number in numbers:
        lines = [f"A new line {step}." for step in range(3)] + [
            line.replace("until", "before") if at % 10 == 0 else line for at, line in enumerate(texts[number])
        ]
        (root / f"docs/{number % 40}/part-{number}.md").write_text("\n".join(lines) + "\n")
    _commit(root)


def _people(root: Path) -> tuple[Any, Any, Any]:
    from django.contrib.auth.models import User
    from django.utils import timezone

    from shoebox.models import Shoebox
    from yoimemory.access.models import Actor
    from yoimemory.sources.services import register_workspace

    workspace, _ = register_workspace(root, now=timezone.now())
    user = User.objects.create_superuser("bench", password=None)
    actor = Actor.objects.create(kind=Actor.Kind.PERSON, name="bench", user=user)
    shoebox = Shoebox.objects.create(
        workspace=workspace, question="How fast is it?", opened_by=actor, opened_at=timezone.now()
    )
    return workspace, shoebox, actor


def _store_anchors(workspace: Any, shoebox: Any, actor: Any, texts: list[list[str]]) -> None:
    """Ten quotes of each file, as the gate would have stored them."""
    from dataclasses import asdict

    from django.utils import timezone

    from evidence import gate
    from evidence.models import Evidence

    head = _git(workspace.path, "rev-parse", "HEAD").strip()
    rows = []
    for number, lines in enumerate(texts):
        text = "\n".join(lines) + "\n"
        starts, digest = gate.line_starts(text), gate.digest_of(text)
        ref = f"doc:docs/{number % 40}/part-{number}.md"
        for step in range(ANCHORS // FILES):
            words = lines[2 + step * 11]
            found = gate.locate(text, words)
            assert found is not None
            rows.append(
                Evidence(
                    workspace=workspace,
                    shoebox=shoebox,
                    place=ref,
                    source=ref,
                    revision=head,
                    text_digest=digest,
                    made_by=actor,
                    made_at=timezone.now(),
                    state="accepted",
                    state_by=actor,
                    state_at=timezone.now(),
                    why="Measured.",
                    **asdict(gate.anchor_at(text, found, starts)),
                )
            )
    Evidence.objects.bulk_create(rows, batch_size=500)


def _store_one(root: Path, workspace: Any, shoebox: Any, actor: Any) -> None:
    """Quotes of texts of a megabyte, through the gate and into the database; one before them warms the process up."""
    from django.utils import timezone

    from evidence.schemas import EvidenceDraft
    from evidence.services import extract_evidence

    draw = random.Random(SEED)
    names = ["warm", *(f"long-{number}" for number in range(LONG_TEXTS))]
    texts = {name: [f"{' '.join(draw.choices(WORDS, k=12))} {at}." for at in range(LONG // 90)] for name in names}
    for name, lines in texts.items():
        (root / f"docs/{name}.md").write_text("\n".join(lines) + "\n")
    _commit(root)
    size = (root / "docs/long-0.md").stat().st_size
    head = _git(root, "rev-parse", "HEAD").strip()
    first, later = [], []
    for name, lines in texts.items():
        for at in (1_000, 2_000, 3_000):
            draft = EvidenceDraft(ref=f"doc:docs/{name}.md@{head}", quote=lines[at], why="Measured.")
            begun = time.process_time()
            outcome = extract_evidence(shoebox, [draft], actor=actor, now=timezone.now())
            spent = (time.process_time() - begun) * 1_000
            assert outcome.stored
            if name != "warm":
                (first if at == 1_000 else later).append(spent)
    told = (
        f"{statistics.median(first):.1f} ms CPU the first of a text, {statistics.median(later):.1f} ms each further one"
    )
    print(f"  a quote checked and stored, {size / 1e6:.1f} MB    {told}")


def _commit(root: Path) -> None:
    _git(root, "add", "-A")
    _git(root, "commit", "-q", "-m", "change")


def _git(root: Path, *args: str) -> str:
    env = {
        "PATH": os.environ["PATH"], "HOME": str(root), "GIT_CONFIG_NOSYSTEM": "1", "GIT_AUTHOR_NAME": "bench",
        "GIT_AUTHOR_EMAIL": "bench@example.test", "GIT_COMMITTER_NAME": "bench",
        "GIT_COMMITTER_EMAIL": "bench@example.test",
    }  # fmt: skip
    done = subprocess.run(
        ["git", "-C", str(root), *args], env=env, check=True, capture_output=True, text=True, timeout=120
    )
    return done.stdout
