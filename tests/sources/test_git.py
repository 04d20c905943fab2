"""Git over the shadow git dir: nothing of a workspace runs, nothing is left behind, every failure is a sentence."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.sources.conftest import read_all, shared
from tests.sources.repository import Repo
from yoimemory import env
from yoimemory.errors import DomainError
from yoimemory.refs import SourceRef
from yoimemory.sources import git as git_module
from yoimemory.sources.git import (
    BadRevision,
    Blobs,
    Git,
    Head,
    NoSuchRevision,
    commits,
    count_commits,
    head_of,
    open_git,
    resolve_revision,
)
from yoimemory.sources.lineage import history, line_ages
from yoimemory.sources.models import Workspace
from yoimemory.sources.opener import OutsideRoot, Unopenable, read_bytes
from yoimemory.sources.process import Child, GitFailed, GitKilled, GitMissing, GitTimedOut, GitTooMuch
from yoimemory.sources.read import read_document
from yoimemory.sources.shadow import NotAWorkspace, environment
from yoimemory.sources.standing import standing_of
from yoimemory.sources.watched import watched

pytestmark = pytest.mark.django_db

SHAPES = ["s01-empty-repo", "s02-detached-head", "s03-shallow-clone", "s04-worktrees", "s05-submodule", "s06-bare.git",
          "s07-other-owner", "s08-commit-oddities", "s09-partial-clone", "s10-config-basic", "s18-filenames",
          "s19-symlinks", "s20-sibling-prefix", "s22-plain-folder", "s23-no-yoi", "s24-nested-repo"]  # fmt: skip

Register = Callable[[Path], Workspace]

TRAPPED = """
[core]
\tfsmonitor = {trap}
\thooksPath = {folder}/hooks
\tpager = {trap}
\tsshCommand = {trap}
\talternateRefsCommand = {trap}
[diff]
\texternal = {trap}
[diff "evil"]
\ttextconv = {trap}
\tcommand = {trap}
[filter "evil"]
\tclean = {trap}
\tsmudge = {trap}
\tprocess = {trap}
\trequired = true
[gpg]
\tprogram = {trap}
[log]
\tshowSignature = true
[alias]
\tlog = !{trap}
\tls-tree = !{trap}
[include]
\tpath = {folder}/included
[remote "origin"]
\turl = ext::{trap}
\tpromisor = true
[protocol "ext"]
\tallow = always
[extensions]
\tpartialClone = origin
"""


@pytest.fixture
def trapped(tmp_path: Path) -> tuple[Repo, Path]:
    """A repository whose own configuration runs a program at nearly every step, and where that program would tell."""
    repo, fired = Repo(tmp_path / "trapped"), tmp_path / "fired"
    trap = tmp_path / "trap"
    trap.write_text(f'#!/bin/sh\necho "$0 $*" >> "{fired}"\ncat\nexit 0\n')
    trap.chmod(0o755)
    repo.ticket("00001KCNTR01A", title="Control")
    first = repo.commit("first", docs__a_dot_md="one\n")
    repo.commit("second", docs__a_dot_md="two\n", _dot_gitattributes="*.md diff=evil filter=evil\n")
    repo.write("docs/a.md", f"three, mentions {first[:10]}\n")
    repo.write(".yoi/sessions/a.jsonl", '{"role": "user", "content": "hello"}\n')
    (tmp_path / "included").write_text(f"[core]\n\tfsmonitor = {trap}\n")
    for hook in ("post-index-change", "reference-transaction", "post-checkout"):
        place = tmp_path / "hooks" / hook
        place.parent.mkdir(exist_ok=True)
        place.write_bytes(trap.read_bytes())
        place.chmod(0o755)
        (repo.root / ".git" / "hooks").mkdir(exist_ok=True)
        (repo.root / ".git" / "hooks" / hook).symlink_to(trap)
    with (repo.root / ".git" / "config").open("a") as config:
        config.write(TRAPPED.format(trap=trap, folder=tmp_path))
    return repo, fired


def look_at_everything(workspace: Workspace) -> None:
    """All that the app ever asks of a repository."""
    head_of(workspace)
    standing_of(workspace)
    watched(workspace)
    history(workspace, "docs/a.md")
    line_ages(workspace, "docs/a.md")
    documents, _ = read_all(workspace)
    at_head, _ = read_all(workspace, "HEAD")
    found = list(commits(workspace))
    count_commits(workspace, found[-1].revision, "HEAD")
    resolve_revision(workspace, "main")
    for ref in ("branch:main", f"diff:{found[0].revision}/docs/a.md", f"commit:{found[0].revision[:8]}"):
        read_document(workspace, SourceRef.parse(ref))
    for ref in documents:
        read_document(workspace, SourceRef.parse(ref))
    assert "ticket:00001KCNTR01A" in documents
    assert "ticket:00001KCNTR01A" in at_head


class TestAHostileRepository:
    def test_springs_its_traps_under_careless_git(self, trapped: tuple[Repo, Path]) -> None:
        repo, fired = trapped

        repo.git("status", ok=False)
        repo.git("diff", ok=False)

        assert fired.exists(), "a trap that never fires proves nothing"

    def test_runs_nothing_under_ours(self, trapped: tuple[Repo, Path], register: Register) -> None:
        repo, fired = trapped
        before = (repo.root / ".git" / "index").read_bytes()

        look_at_everything(register(repo.root))

        assert not fired.exists()
        assert (repo.root / ".git" / "index").read_bytes() == before

    def test_runs_nothing_when_our_own_environment_is_planted(
        self, trapped: tuple[Repo, Path], register: Register, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        repo, fired = trapped
        trap = str(tmp_path / "trap")
        planted = {
            "GIT_CONFIG_COUNT": "2",
            "GIT_CONFIG_KEY_0": "core.fsmonitor",
            "GIT_CONFIG_VALUE_0": trap,
            "GIT_CONFIG_KEY_1": "diff.external",
            "GIT_CONFIG_VALUE_1": trap,
            "GIT_INDEX_FILE": str(repo.root / ".git" / "index"),
            "GIT_DIR": str(repo.root / ".git"),
            "GIT_EXTERNAL_DIFF": trap,
            "GIT_PAGER": trap,
            "GIT_TRACE": str(tmp_path / "trace"),
            "GIT_OBJECT_DIRECTORY": "/nonexistent",
        }
        for name, value in planted.items():
            monkeypatch.setenv(name, value)

        look_at_everything(register(repo.root))

        assert not fired.exists()
        assert not (tmp_path / "trace").exists()

    def test_has_no_program_in_the_shadow_config(self, trapped: tuple[Repo, Path], register: Register) -> None:
        workspace = register(trapped[0].root)
        open_git(workspace)

        config = (env.home() / "shadow" / workspace.public_id / "config").read_text()

        assert "trap" not in config
        assert "fsmonitor = false" in config

    @pytest.mark.parametrize(
        "names",
        [
            pytest.param(SHAPES, id="of every shape"),
            pytest.param([], id="with every text", marks=pytest.mark.slow),
        ],
    )
    def test_that_others_built_runs_nothing_and_shows_its_control(
        self, names: list[str], tmp_path: Path, register: Register
    ) -> None:
        script = shared("cases", "make_hostile.py")
        out = tmp_path / "hostile"
        only = ["--only", *names] if names else []
        subprocess.run([sys.executable, script, "build", out, *only], check=True, capture_output=True, timeout=120)
        built = json.loads((out / "manifest.json").read_text())["workspaces"]
        places = [one for one in built if one["status"] == "built" and one["kind"] != "payload"]

        for one in places:
            try:
                workspace = register(out / one.get("path", one["name"]))
            except NotAWorkspace:
                assert one["name"] in {"s06-bare.git", "s07-other-owner"}
                continue
            documents, _ = read_all(workspace)
            history = list(commits(workspace))
            control = one.get("facts", {}).get("control")
            assert control is None or any(control in document.text for document in documents.values()), one["name"]
            assert not any("OUTSIDE-MUST-NOT-LEAK" in document.text for document in [*documents.values(), *history])

        check = subprocess.run([sys.executable, script, "check", out], capture_output=True, text=True, timeout=120)
        assert check.returncode == 0, check.stdout


class TestTheEnvironmentOfGit:
    def test_is_made_from_scratch(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        monkeypatch.setenv("GIT_CONFIG_PARAMETERS", "'core.fsmonitor'='x'")
        monkeypatch.setenv("SECRET_TOKEN", "yoim_secret")

        made = environment(tmp_path)

        assert not {"GIT_CONFIG_PARAMETERS", "SECRET_TOKEN", "USER"} & set(made)
        assert made["GIT_CONFIG_COUNT"] == "0"
        assert made["GIT_ALLOW_PROTOCOL"] == "none"
        assert not any(Path(made["HOME"]).iterdir())

    def test_reaches_the_child_and_nothing_else_does(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        monkeypatch.setenv("SECRET_TOKEN", "yoim_secret")

        with Child(["/usr/bin/env"], env={"ONLY": "this"}, cwd=tmp_path) as child:
            told = b"".join(child.chunks())

        assert told == b"ONLY=this\n"


class TestHeadOf:
    def test_names_commit_and_branch(self, repo: Repo, register: Register) -> None:
        commit = repo.commit("first", a_dot_md="one\n")

        assert head_of(register(repo.root)) == Head(commit, "main")

    def test_tells_a_changed_tree_from_a_clean_one(self, repo: Repo, register: Register) -> None:
        repo.commit("first", a_dot_md="one\n")
        workspace = register(repo.root)
        repo.write("a.md", "two\n")

        assert head_of(workspace).dirty

    def test_knows_a_detached_head_and_a_cut_history(self, repo: Repo, register: Register, tmp_path: Path) -> None:
        first = repo.commit("first", a_dot_md="one\n")
        repo.commit("second", a_dot_md="two\n")
        repo.git("clone", "-q", "--depth", "1", f"file://{repo.root}", str(tmp_path / "shallow"))
        repo.git("checkout", "-q", "--detach", first)

        assert head_of(register(repo.root)) == Head(first, "", detached=True)
        assert head_of(register(tmp_path / "shallow")).shallow

    def test_knows_a_repository_without_a_commit(self, repo: Repo, register: Register) -> None:
        repo.write("a.md", "one\n")
        workspace = register(repo.root)

        assert head_of(workspace) == Head("", "main", dirty=True)
        assert list(commits(workspace)) == []
        assert count_commits(workspace, "", "HEAD") == 0

    def test_is_empty_for_a_plain_folder(self, tmp_path: Path, register: Register) -> None:
        (tmp_path / "plain").mkdir()

        assert head_of(register(tmp_path / "plain")) == Head()

    def test_survives_a_broken_index(self, repo: Repo, register: Register) -> None:
        repo.commit("first", a_dot_md="one\n")
        workspace = register(repo.root)
        (repo.root / ".git" / "index").write_bytes(b"noise")

        documents, unreadable = read_all(workspace)

        assert list(documents) == ["doc:a.md"]
        assert unreadable == []
        assert head_of(workspace).dirty, "nobody can say that it is clean"

    def test_says_so_when_the_repository_went_away(self, repo: Repo, register: Register) -> None:
        repo.commit("first", a_dot_md="one\n")
        workspace = register(repo.root)
        (repo.root / ".git").rename(repo.root / "gone")

        with pytest.raises(NotAWorkspace, match="no longer holds a git repository"):
            head_of(workspace)


class TestResolveRevision:
    def test_takes_ids_branches_and_tags(self, repo: Repo, register: Register) -> None:
        commit = repo.commit("first", a_dot_md="one\n")
        repo.git("branch", "日本語/枝")
        repo.git("tag", "-a", "v1.0", "-m", "tag")
        workspace = register(repo.root)

        for text in (commit, commit[:7], "HEAD", "main", "日本語/枝", "v1.0", "heads/main", "@", "HEAD~0"):
            assert resolve_revision(workspace, text) == commit

    @pytest.mark.parametrize(
        "text",
        ["-x",
         "--output=x", "--", "", " ", "HEAD\n", "HEAD\0", "a..b", "@{-1}", ":/fix", "HEAD^{/x}", "$(id)", "main:a.md",
         "../../HEAD", "0" * 38, "0" * 40, "g" * 40, "x" * 5_000, "HEAD --output=x", "refs/../../config", "é\udc80"],
    )  # fmt: skip
    def test_refuses_what_cannot_be_a_name_before_git_is_asked(
        self, repo: Repo, register: Register, text: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        repo.commit("first", a_dot_md="one\n")
        workspace = register(repo.root)
        monkeypatch.setattr(git_module, "open_git", lambda workspace: pytest.fail("git was asked"))

        with pytest.raises(BadRevision, match="is not the name of a commit"):
            resolve_revision(workspace, text)

    def test_refuses_the_shared_lists_and_makes_no_file(self, repo: Repo, register: Register, tmp_path: Path) -> None:
        script, out = shared("cases", "make_hostile.py"), tmp_path / "hostile"
        build = [sys.executable, script, "build", out, "--only", "payloads-shared"]
        subprocess.run(build, check=True, capture_output=True, timeout=120)
        lists = json.loads((out / "payloads-shared" / "lists.json").read_text())
        repo.commit("first", docs__guide_dot_md="one\n")
        workspace = register(repo.root)
        before = sorted(str(path) for path in tmp_path.rglob("*"))

        for text in lists["revisions_refused"]:
            with pytest.raises(BadRevision):
                resolve_revision(workspace, text)
        for path in lists["paths_refused"]:
            with pytest.raises((OutsideRoot, Unopenable)):
                read_bytes(repo.root, path, limit=1_000)

        assert len(lists["revisions_refused"]) > 20
        assert sorted(str(path) for path in tmp_path.rglob("*")) == before

    def test_names_the_nearest_when_there_is_none(self, repo: Repo, register: Register) -> None:
        repo.commit("first", a_dot_md="one\n")

        with pytest.raises(NoSuchRevision) as refusal:
            resolve_revision(register(repo.root), "mian")

        assert "main" in refusal.value.hint


class TestCommits:
    def test_carry_message_paths_dates_and_links(self, repo: Repo, register: Register) -> None:
        first = repo.commit("first", docs__a_dot_md="one\n" * 20, src__x_dot_py="x = 1\n")
        repo.ticket("00001KCNTR01A")
        repo.git("mv", "docs/a.md", "docs/b.md")
        (repo.root / "src" / "x.py").unlink()
        repo.commit(f"Move a\n\nAs 00001KCNTR01B asks, after {first[:9]}; see docs/guide.md:3.")

        latest, earliest = commits(register(repo.root))

        assert latest.title == "Move a"
        assert latest.text == (
            f"Move a\n\nAs 00001KCNTR01B asks, after {first[:9]}; see docs/guide.md:3.\n\n"
            "A .yoi/tickets/00001KCNTR01A/item.md\nR docs/a.md -> docs/b.md\nD src/x.py"
        )
        assert latest.at is not None
        assert latest.at.timestamp() == 1_780_000_120
        assert latest.author == "Hana"
        assert latest.facts["parents"] == [first]
        links = {(link.kind, link.target) for link in latest.links}
        assert {
            ("touches", "ticket:00001KCNTR01A"), ("touches", "doc:docs/a.md"), ("touches", "doc:docs/b.md"),
            ("touches", "code:src/x.py"), ("mentions", "ticket:00001KCNTR01B"), ("mentions", f"commit:{first}"),
            ("mentions", "doc:docs/guide.md#L3"),
        } <= links  # fmt: skip
        assert earliest.facts["parents"] == []
        assert [passage.fragment for passage in latest.passages] == ["L1-L3", "L5-L7"]

    def test_come_from_one_range(self, repo: Repo, register: Register) -> None:
        ids = [repo.commit(f"number {number}", a_dot_md=f"{number}\n") for number in range(5)]
        workspace = register(repo.root)

        found = [document.revision for document in commits(workspace, since=ids[1], until=ids[3])]

        assert found == [ids[3], ids[2]]
        assert count_commits(workspace, ids[1], "HEAD") == 3
        with pytest.raises(NoSuchRevision):
            list(commits(workspace, since="f" * 40))

    def test_of_merges_list_what_came_in(self, repo: Repo, register: Register) -> None:
        repo.commit("first", a_dot_md="one\n")
        repo.git("checkout", "-q", "-b", "side")
        repo.commit("aside", b_dot_md="side\n")
        repo.git("checkout", "-q", "main")
        repo.commit("ahead", a_dot_md="two\n")
        repo.git("merge", "-q", "--no-ff", "-m", "merge side", "side")

        merge = next(commits(register(repo.root)))

        assert merge.facts["merge"]
        assert merge.text == "merge side\n\nA b.md"

    @pytest.mark.parametrize(
        ("header", "message", "title", "at", "lossy"),
        [
            (b"A <a@x> 1700000000 +0900", b"fine\n", "fine", 1_700_000_000, False),
            ("André <a@x> 1700000000 +0100".encode("latin-1"), "é\n".encode("latin-1"), "\ufffd", 1_700_000_000, True),
            (b"A <a@x> 0 +0000", b"epoch\n", "epoch", None, False),
            (b"A <a@x> 99999999999999999999 +0000", b"late\n", "late", None, False),
            (b"A <a@x> 999999999999 +0000", b"year 33658\n", "year 33658", None, False),
            (b"A <a@x> 1700000000 +9999", b"odd zone\n", "odd zone", 1_700_000_000, False),
            (b"no brackets at all", b"broken\n", "broken", None, False),
            (b" <a@x> 1700000000 +0000", b"", "(no message)", 1_700_000_000, False),
            (b"A <a@x> 1700000000 +0000", b"crlf\r\n\r\nbody\r\n", "crlf", 1_700_000_000, False),
            (b"A <a@x> 1700000000 +0000", b"long " * 50_000, "long", 1_700_000_000, False),
        ],
    )
    def test_of_odd_shapes_are_listed(
        self, repo: Repo, register: Register, header: bytes, message: bytes, title: str, at: int | None, lossy: bool
    ) -> None:
        parent = repo.commit("first", a_dot_md="one\n")
        tree = repo.git("rev-parse", "HEAD^{tree}")
        people = b"author " + header + b"\ncommitter " + header
        raw = f"tree {tree}\nparent {parent}\n".encode() + people + b"\n\n" + message
        odd = repo.git("hash-object", "-t", "commit", "-w", "--literally", "--stdin", stdin=raw)
        repo.git("update-ref", "refs/heads/main", odd)

        latest, earliest = commits(register(repo.root))

        assert latest.title.startswith(title)
        assert (latest.at.timestamp() if latest.at else None) == at
        assert latest.lossy == lossy
        assert earliest.title == "first"

    def test_survive_a_submodule_file_that_git_refuses(self, repo: Repo, register: Register) -> None:
        repo.commit("first", a_dot_md="one\n")
        repo.git("update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},vendor/evil")
        repo.write(".gitmodules", '[submodule "evil"]\n\tpath = vendor/evil\n\tupdate = !touch fired\n')
        repo.git("add", ".gitmodules")
        repo.git("commit", "-q", "-m", "submodule")

        latest = next(commits(register(repo.root)))

        assert latest.text == "submodule\n\nA .gitmodules\nA vendor/evil"

    def test_put_every_path_on_one_line(self, repo: Repo, register: Register) -> None:
        repo.write("new\nline.md", "x\n")
        repo.write("esc\x1b[31m.md", "x\n")
        repo.commit("names")

        assert next(commits(register(repo.root))).text == "names\n\nA esc\\x1b[31m.md\nA new\\nline.md"

    def test_of_a_sha256_repository_are_read(self, tmp_path: Path, register: Register) -> None:
        root = tmp_path / "sha256"
        root.mkdir()
        made = Repo.__new__(Repo)
        made.root, made._minute = root, 0
        made.git("init", "-q", "-b", "main", "--object-format=sha256", "--template=")
        commit = made.commit("first", a_dot_md="one\n")
        workspace = register(root)

        documents, _ = read_all(workspace)

        assert len(commit) == 64
        assert [document.revision for document in commits(workspace)] == [commit]
        assert documents["doc:a.md"].revision == commit
        assert read_document(workspace, SourceRef.parse(f"diff:{commit[:8]}/a.md")).text.endswith("+one\n")


class TestABoundedChild:
    @pytest.fixture
    def child(self, tmp_path: Path) -> Callable[..., Child]:
        return lambda script, **limits: Child(
            ["/bin/sh", "-c", script], env={"PATH": "/usr/bin:/bin"}, cwd=tmp_path, **limits
        )

    def test_that_is_silent_is_ended_with_its_whole_group(self, child: Callable[..., Child], tmp_path: Path) -> None:
        started = time.monotonic()

        with child("sleep 60 & echo $! > pid; wait", idle=0.3) as running, pytest.raises(GitTimedOut):
            list(running.chunks())

        assert time.monotonic() - started < 10
        time.sleep(0.05)
        state = Path(f"/proc/{(tmp_path / 'pid').read_text().strip()}/stat")
        assert not state.exists() or state.read_text().split()[2] == "Z"

    def test_is_ready_once_it_has_written_and_at_its_end(self, child: Callable[..., Child], tmp_path: Path) -> None:
        with child("while [ ! -e go ]; do sleep 0.01; done; echo told") as running:
            before = running.ready()
            (tmp_path / "go").touch()
            told = running.exactly(5)
            after = [*running.chunks(), running.ready()]

        assert (before, told, after) == (False, b"told\n", [True])

    def test_that_takes_too_long_in_all_is_ended(self, child: Callable[..., Child]) -> None:
        with child("while :; do echo x; sleep 0.05; done", total=0.4) as running, pytest.raises(GitTimedOut):
            list(running.chunks())

    def test_that_floods_stderr_does_not_block(self, child: Callable[..., Child]) -> None:
        with child("head -c 3000000 /dev/zero >&2; echo done") as running:
            assert b"".join(running.chunks()) == b"done\n"

    def test_that_fails_or_is_killed_says_which(self, child: Callable[..., Child]) -> None:
        with child("echo oops >&2; exit 3") as running, pytest.raises(GitFailed) as failed:
            list(running.chunks())
        with child("kill -9 $$") as running, pytest.raises(GitKilled, match="signal 9"):
            list(running.chunks())

        assert failed.value.said == "oops\n"
        assert "oops" not in failed.value.message

    def test_that_is_abandoned_leaves_no_zombie_and_no_descriptor(self, child: Callable[..., Child]) -> None:
        before = sum(1 for _ in Path("/proc/self/fd").iterdir())

        for _ in range(30):
            with child("yes") as running:
                next(running.chunks())
                pid = running._process.pid
            assert not Path(f"/proc/{pid}").exists()

        assert sum(1 for _ in Path("/proc/self/fd").iterdir()) == before

    def test_reads_much_input_while_it_writes_much(self, tmp_path: Path) -> None:
        data = os.urandom(3_000_000)

        with Child(["/bin/cat"], env={}, cwd=tmp_path, stdin=data) as running:
            assert b"".join(running.chunks()) == data

    def test_that_is_missing_is_a_sentence(self, tmp_path: Path) -> None:
        with pytest.raises(GitMissing, match="could not be started"):
            Child(["/nonexistent/git"], env={}, cwd=tmp_path)


class TestGit:
    @pytest.fixture
    def git(self, repo: Repo, register: Register) -> Git:
        repo.commit("first", a_dot_md="one\n", big_dot_md="x" * 100_000)
        found = open_git(register(repo.root))
        assert found is not None
        return found

    def test_holds_no_more_than_its_limit(self, git: Git) -> None:
        with pytest.raises(GitTooMuch):
            git.run("show", "HEAD:big.md", limit=1_000)

    def test_reads_blobs_in_a_row_and_drops_those_too_long(self, git: Git) -> None:
        ids = {path: blob for _, blob, path in git.tree_entries(git.head())}

        with Blobs(git) as texts:
            assert texts.read(ids["a.md"], limit=100) == b"one\n"
            assert texts.read(ids["big.md"], limit=100) is None
            assert texts.read("f" * 40, limit=100) is None
            assert texts.read(ids["a.md"], limit=100) == b"one\n"

    @pytest.mark.parametrize("value", ["a\nb", "a\0b", "x" * 5_000])
    def test_hands_on_no_argument_with_line_ends(self, git: Git, value: str) -> None:
        with pytest.raises(DomainError):
            git.run("rev-parse", value)

    def test_leaves_nothing_behind_after_many_questions(self, git: Git) -> None:
        git.head()
        before = sum(1 for _ in Path("/proc/self/fd").iterdir())

        for _ in range(60):
            git.head()

        assert sum(1 for _ in Path("/proc/self/fd").iterdir()) == before
        children = Path(f"/proc/self/task/{os.getpid()}/children")
        assert not children.exists() or children.read_text().split() == []

    def test_tells_a_missing_program(self, repo: Repo, register: Register, monkeypatch: pytest.MonkeyPatch) -> None:
        workspace = register(repo.root)
        monkeypatch.setenv("PATH", "/nonexistent")

        with pytest.raises(GitMissing, match="no git on this machine"):
            head_of(workspace)
