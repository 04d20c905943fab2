"""What counts as deleted when the re-anchoring benchmark tells how a quote truly went."""

import subprocess
from pathlib import Path

import pytest

from bench.anchor_truth import WORD, History, Quote, Repository, line_truth, survives, tell_truth

OLD = "# Rules\n\nA ticket waits until its blockers are accepted.\nNothing else holds it up.\n\nThe end of the page.\n"


def commit(root: Path, text: str) -> str:
    (root / "rules.md").write_text(text)
    told = ("-c", "user.name=t", "-c", "user.email=t@example.test")
    for args in (("init", "-q"), ("add", "-A"), (*told, "commit", "-q", "-m", "change")):
        subprocess.run(["git", "-C", str(root), *args], check=True, timeout=30)
    return Repository(root).run("rev-parse", "HEAD").strip()


def truth_of(root: Path, new: str, line: int) -> Quote:
    before = commit(root, OLD)
    commit(root, new)
    repository, words = Repository(root), OLD.split("\n")[line - 1]
    start = OLD.index(words)
    quote = Quote(before, "rules.md", start, start + len(words), line, line)
    lines = line_truth(repository, before, "rules.md", "rules.md")
    carried = line_truth(repository, before, "rules.md", "rules.md", "-w", "-M")
    chain = repository.run("rev-list", "HEAD").split()
    tell_truth(quote, lines, carried, History(repository, before, "rules.md", OLD, new), chain)
    return quote


class TestTellTruth:
    def test_follows_an_intact_line(self, tmp_path: Path) -> None:
        quote = truth_of(tmp_path, f"A new line.\n{OLD}", 3)

        assert (quote.truth, quote.line) == ("intact", 4)

    @pytest.mark.parametrize(
        ("now", "truth"),
        [
            ("A ticket waits\nuntil its blockers are all accepted.", "reworded"),
            ("Queues are a thing of the past.", "deleted"),
            ("", "deleted"),
        ],
    )
    def test_tells_what_was_reworded_or_wrapped_from_what_went(self, tmp_path: Path, now: str, truth: str) -> None:
        quote = truth_of(tmp_path, OLD.replace("A ticket waits until its blockers are accepted.", now), 3)

        assert quote.truth == truth

    def test_follows_a_line_that_was_indented(self, tmp_path: Path) -> None:
        quote = truth_of(tmp_path, OLD.replace("A ticket", "    A ticket"), 3)

        assert quote.truth in {"partly changed", "carried elsewhere"}
        assert quote.kept == (3,)


class TestSurvives:
    @pytest.mark.parametrize(
        ("row", "added", "kept"),
        [
            ("let view = PodFsView::new(fs);", ["let view = WorkerFsView::new(fs);"], True),
            ("manifest = { workspace = true }", ["manifest.workspace = true"], True),
            ("    vec![deny_write(layout.memory_dir())]", ["vec![", "deny_write(", "layout.memory_dir())]"], True),
            ('"--profile".to_string(),', ['"--worker".to_string(),'], False),
            ("履歴として参照したりする。", ["永続化層に流したりする。"], False),
        ],
    )
    def test_holds_a_renamed_or_wrapped_line_for_the_same(self, row: str, added: list[str], kept: bool) -> None:
        assert survives(WORD.findall(row), added) is kept
