"""Trees: which files are there, whose bytes are committed, what a fingerprint notices."""

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
from yoimemory.sources.git import NoSuchRevision, commits
from yoimemory.sources.models import Workspace
from yoimemory.sources.opener import Missing, Unopenable
from yoimemory.sources.readers import READERS
from yoimemory.sources.trees import open_tree

pytestmark = pytest.mark.django_db

Register = Callable[[Path], Workspace]


class TestTheWorkingTree:
    def test_holds_tracked_and_new_files_and_no_ignored_ones(self, repo: Repo, register: Register) -> None:
        repo.write("ignored.md", "tracked all the same\n")
        repo.commit("first", a_dot_md="one\n", gone_dot_md="x\n", _dot_gitignore="ignored.md\nbuild/\n*.log\n")
        repo.git("add", "-f", "ignored.md")
        repo.commit("ignored but tracked")
        (repo.root / "gone.md").unlink()
        repo.write("new.md", "new\n")
        repo.write("build/x.md", "ignored\n")
        repo.write(".git/info/exclude", "mine.md\n")
        repo.write("mine.md", "mine\n")
        repo.write(".yoi/sessions/x.log", "kept though ignored\n")
        repo.write(".yoimemory-tmp-abc", "half written\n")

        with open_tree(register(repo.root)) as tree:
            files = set(tree.files())

        assert files == {"a.md", "ignored.md", "new.md", ".gitignore", ".yoi/sessions/x.log"}

    def test_passes_by_a_clone_without_files(self, repo: Repo, register: Register) -> None:
        repo.commit("first", a_dot_md="one\n")
        repo.git("clone", "-q", "--bare", ".", str(repo.root / "deps/theirs.git"))
        repo.write("deps/theirs.git.md", "ours\n")
        repo.write("songs/HEAD", "ours\n")
        linked = repo.root.parent / "linked"
        repo.git("worktree", "add", "-q", str(linked), "-b", "feature")
        repo.git("clone", "-q", "--bare", ".", str(linked / "theirs.git"))
        (linked / "new.md").write_text("new\n")

        with open_tree(register(repo.root)) as tree:
            files = set(tree.files())
            beside = [file.path for file in tree.linked]

        assert files == {"a.md", "deps/theirs.git.md", "songs/HEAD"}
        assert beside == ["new.md"]

    def test_knows_whose_bytes_are_committed(self, repo: Repo, register: Register) -> None:
        repo.commit(
            "first", a_dot_md="one\n", b_dot_md="one\n", crlf_dot_md=b"one\r\n", _dot_gitattributes="*.md text\n"
        )
        repo.write("b.md", "two\n")
        repo.write("new.md", "new\n")

        with open_tree(register(repo.root)) as tree:
            committed = {path: tree.is_committed(path) for path in tree.files()}

        assert committed == {".gitattributes": True, "a.md": True, "b.md": False, "crlf.md": False, "new.md": False}

    def test_gives_uncommitted_text_its_digest_as_revision(self, repo: Repo, register: Register) -> None:
        commit = repo.commit("first", a_dot_md="one\n")
        repo.write("b.md", "two\n")

        documents, _ = read_all(register(repo.root))

        assert (documents["doc:a.md"].revision, documents["doc:a.md"].uncommitted) == (commit, False)
        assert documents["doc:b.md"].revision == f"sha256:{documents['doc:b.md'].digest}"
        assert documents["doc:b.md"].uncommitted

    def test_changes_a_fingerprint_with_bytes_commit_and_inode_only(self, repo: Repo, register: Register) -> None:
        repo.commit("first", a_dot_md="one\n", b_dot_md="one\n", c_dot_md="one\n", d_dot_md="one\n")
        workspace = register(repo.root)

        def marks() -> dict[str, str]:
            with open_tree(workspace) as tree:
                return tree.files()

        before = marks()
        assert marks() == before
        repo.write("b.md", "two\n")
        status = (repo.root / "c.md").stat()
        repo.write("c2.md", "two\n").replace(repo.root / "c.md")
        os.utime(repo.root / "c.md", ns=(status.st_atime_ns, status.st_mtime_ns))
        changed = {path for path, mark in marks().items() if before[path] != mark}
        dirty = marks()
        repo.commit("second")
        committed = {path for path, mark in marks().items() if dirty[path] != mark}

        assert changed == {"b.md", "c.md"}
        assert committed == {"b.md", "c.md"}, "now committed, so they are read again for their revision"

    def test_enters_no_other_repository_and_follows_no_link(
        self, repo: Repo, register: Register, tmp_path: Path
    ) -> None:
        (tmp_path / "secret.md").write_text("OUTSIDE\n")
        nested = Repo(repo.root / "vendor" / "other")
        nested.commit("theirs", b_dot_md="theirs\n")
        repo.write("docs/a.md", "one\n")
        (repo.root / "docs" / "out.md").symlink_to(tmp_path / "secret.md")
        (repo.root / "docs" / "in.md").symlink_to("a.md")
        (repo.root / "docs" / "folder").symlink_to("../docs")
        (repo.root / "CLAUDE.md").symlink_to("docs/a.md")
        (repo.root / "config.md").symlink_to(".git/config")

        documents, unreadable = read_all(register(repo.root))

        assert list(documents) == ["doc:docs/a.md"]
        assert sorted(problem.path for problem in unreadable) == ["config.md", "docs/out.md"]
        assert all("links are not followed" in problem.reason for problem in unreadable)

    def test_can_be_asked_for_one_folder_or_file(self, repo: Repo, register: Register) -> None:
        repo.commit("first", a__b_dot_md="one\n", a__c_dot_md="one\n", ab_dot_md="one\n")
        repo.write("a/d.md", "new\n")

        with open_tree(register(repo.root)) as tree:
            assert set(tree.files("a")) == {"a/b.md", "a/c.md", "a/d.md"}
            assert set(tree.files("a/d.md")) == {"a/d.md"}
            assert set(tree.files("nowhere")) == set()

    def test_with_odd_names_reads_each(self, repo: Repo, register: Register) -> None:
        names = [
            "new\nline.md", "-rf.md", "--output=x.md", "hash#frag.md", "at@.md", "a:b.md", "per%2e.md", "日本語.md",
            " lead.md", "back\\slash.md", "c*star[1].md", "rtl-\u202egnp.md", "nfd-e\u0301.md", "nfc-é.md",
        ]  # fmt: skip
        for name in names:
            repo.write(f"names/{name}", f"content of {name!r}\n")
        raw = os.fsencode(repo.root / "names") + b"/latin-\xe9.md"
        Path(os.fsdecode(raw)).write_bytes(b"raw name\n")
        commit = repo.commit("names")
        workspace = register(repo.root)

        documents, unreadable = read_all(workspace)
        at_commit, _ = read_all(workspace, commit)

        assert unreadable == []
        assert len(documents) == len(names) + 1
        assert {ref: document.text for ref, document in documents.items()} == {
            ref: document.text for ref, document in at_commit.items()
        }
        assert all(not document.uncommitted for document in documents.values())
        assert documents["doc:names/latin-%E9.md"].path == "names/latin-\\xe9.md"


class TestACommitsTree:
    def test_is_what_was_there_then(self, repo: Repo, register: Register) -> None:
        first = repo.commit("first", a_dot_md="one\n")
        repo.commit("second", a_dot_md="two\n", b_dot_md="new\n")
        (repo.root / "link.md").symlink_to("a.md")
        repo.commit("third")
        repo.write("a.md", "dirty\n")
        workspace = register(repo.root)

        then, _ = read_all(workspace, first)
        now, _ = read_all(workspace, "HEAD")

        assert {ref: document.text for ref, document in then.items()} == {"doc:a.md": "one\n"}
        assert {ref: document.text for ref, document in now.items()} == {"doc:a.md": "two\n", "doc:b.md": "new\n"}
        assert then["doc:a.md"].revision == first

    def test_refuses_what_it_does_not_hold(self, repo: Repo, register: Register) -> None:
        repo.commit("first", a_dot_md="one\n")
        workspace = register(repo.root)

        with open_tree(workspace, "main") as tree:
            with pytest.raises(Missing):
                tree.read("nowhere.md")
            with pytest.raises(Unopenable, match="longer than 2 bytes"):
                tree.read("a.md", limit=2)
        with pytest.raises(NoSuchRevision), open_tree(workspace, "nowhere"):
            pass


class TestAPlainFolder:
    def test_is_read_without_revisions(self, tmp_path: Path, register: Register) -> None:
        root = tmp_path / "plain"
        for path in ("docs/a.md", "node_modules/x/readme.md", ".yoi/tickets/00001KXKMX0QA/item.md"):
            (root / path).parent.mkdir(parents=True)
            (root / path).write_text("# words\n")
        nested = Repo(root / "nested")
        nested.commit("theirs", b_dot_md="theirs\n")
        nested.git("clone", "-q", "--bare", "--template=", ".", str(root / "theirs.git"))
        workspace = register(root)

        documents, unreadable = read_all(workspace)

        assert set(documents) == {"doc:docs/a.md", "ticket:00001KXKMX0QA"}
        assert unreadable == []
        assert all(document.revision.startswith("sha256:") for document in documents.values())
        with pytest.raises(NoSuchRevision, match="plain folder"), open_tree(workspace, "HEAD"):
            pass

    def test_that_went_away_is_a_sentence(self, tmp_path: Path, register: Register) -> None:
        (tmp_path / "plain").mkdir()
        workspace = register(tmp_path / "plain")
        (tmp_path / "plain").rmdir()

        with pytest.raises(Unopenable), open_tree(workspace):
            pass


class TestUnits:
    def test_have_names_that_may_be_stored_and_are_their_own(self, repo: Repo, register: Register) -> None:
        repo.ticket("00001KXKMX0QA", thread="<!-- event: create author: a at: 2026-07-01T00:00:00Z -->\n")
        repo.write("docs/日 本.md", "x\n")
        repo.write(".yoi/sessions/a.jsonl", '{"role": "user", "content": "x"}\n')
        repo.write(".yoi/skills/x/SKILL.md", "x\n")
        repo.write("src/a.py", "x\n")
        with open_tree(register(repo.root)) as tree:
            units = [unit for reader in READERS for unit in reader.units(tree)]

        keys = [unit.key for unit in units]
        assert len(set(keys)) == len(keys) == 5
        assert all(key.isprintable() and " " not in key for key in keys)
        assert all(len(unit.fingerprint) <= 200 for unit in units)

    def test_of_the_sample_are_read_in_a_moment(self, tmp_path: Path, register: Register) -> None:
        script = shared("samples", "make_workspace.py")
        subprocess.run([sys.executable, script, tmp_path / "ws"], check=True, capture_output=True, timeout=120)
        workspace = register(tmp_path / "ws")
        started = time.monotonic()

        documents, unreadable = read_all(workspace)

        assert time.monotonic() - started < 15, "it takes about half a second on an idle machine"
        assert unreadable == []
        kinds = [document.ref.kind for document in documents.values()]
        assert {kind: kinds.count(kind) for kind in kinds} == {"ticket": 380, "objective": 7, "doc": 32, "code": 4}
        events = [document.facts["events"] for ref, document in documents.items() if ref.endswith("/thread")]
        assert sum(map(len, events)) == 487
        edges = {(link.kind, link.target) for link in documents["ticket:00001KXKMX0QM/artifacts/relations.json"].links}
        assert edges >= {("depends_on", "ticket:00001KXKJGYGD"), ("depends_on", "ticket:00001KXKP2A71")}
        assert "ticket:00001KST3MFXR/resolution" not in documents
        assert documents["doc:.yoi/workflow/ticket-orchestrator-routing.md"].authority == "procedure"
        assert all(not document.uncommitted and not document.lossy for document in documents.values())


class TestEverythingThatIsRead:
    def test_may_be_stored_whatever_its_name_or_its_json_holds(self, repo: Repo, register: Register) -> None:
        odd = '"\\ud83d\\u0000"'
        repo.ticket("00001KXKMX0QA", thread="<!-- event: create author: a at: 2026-07-01T00:00:00Z -->\n")
        repo.write(
            ".yoi/tickets/00001KXKMX0QA/artifacts/orchestration-plan.jsonl",
            f'{{"kind": {odd}, "author": {odd}, "at": 1}}\n',
        )
        repo.write(
            ".yoi/tickets/00001KXKMX0QA/artifacts/relations.json",
            f'{{"relations": [{{"kind": "related", "target": "B", "note": {odd}}}, {{"target": {odd}}}]}}',
        )
        repo.write(".yoi/sessions/a.jsonl", f'{{"role": {odd}, "name": {odd}, "content": {odd}, "timestamp": {odd}}}\n')
        repo.write("docs/front.md", '---\ntitle: "\\0 \\x01"\n---\n')
        raw = os.fsencode(repo.root) + b"/.yoi/skills/latin-\xe9"
        for place in (raw, os.fsencode(repo.root) + b"/docs/\xff", os.fsencode(repo.root) + b"/.yoi/objectives/\xff"):
            Path(os.fsdecode(place)).mkdir(parents=True)
            for name in (b"SKILL.md", b"\xe9.rst", b"\xe9.py", b"item.md"):
                Path(os.fsdecode(place + b"/" + name)).write_bytes(b"words\n")
        repo.commit("odd names")
        workspace = register(repo.root)

        documents, unreadable = read_all(workspace)
        texts = [text for problem in unreadable for text in (problem.path, problem.reason)]
        for document in [*documents.values(), *commits(workspace)]:
            texts += [str(document.ref), document.title, document.text, document.path, document.author]
            texts += [part for passage in document.passages for part in (passage.heading, passage.text, passage.author)]
            texts += [part for link in document.links for part in (link.target, link.where, link.note)]
            json.dumps(document.facts)

        assert len(documents) > 12
        for text in texts:
            text.encode()
            assert "\0" not in text
