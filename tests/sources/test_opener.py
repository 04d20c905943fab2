"""The opener reads files below a root and nothing else; the writer puts a file in whole or not at all."""

import os
import socket
import threading
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from yoimemory.sources import opener
from yoimemory.sources.opener import Changed, Missing, OutsideRoot, Unopenable, digest_of, read_bytes, write_bytes

LIMIT = 1_000
STEPS = ["docs", "a.md", "..", ".", "", "up", "out", "self", ".git", "work-evil", "secret.md", "deep", "b.md", "..\\",
         "%2e%2e", "~", "/", "\0", "．．"]  # fmt: skip


def _open_descriptors() -> int:
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


@pytest.fixture(params=["kernel", "walk"])
def root(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A root with neighbours outside, read by each of the two ways of opening."""
    if request.param == "walk":
        monkeypatch.setattr(opener, "_confines", False)
    elif not opener._kernel_confines():
        pytest.skip("This kernel or sandbox has no openat2; the other way is tested.")
    root = tmp_path / "work"
    (root / "docs" / "deep").mkdir(parents=True)
    (root / "docs" / "a.md").write_bytes(b"inside\n")
    (root / "docs" / "deep" / "b.md").write_bytes(b"deeper\n")
    (tmp_path / "work-evil").mkdir()
    (tmp_path / "work-evil" / "secret.md").write_bytes(b"OUTSIDE\n")
    (tmp_path / "secret.md").write_bytes(b"OUTSIDE\n")
    (root / ".git").mkdir()
    (root / ".git" / "config").write_bytes(b"[core]\n")
    return root


class TestReadBytes:
    def test_gives_the_bytes_of_a_file(self, root: Path) -> None:
        assert read_bytes(root, "docs/deep/b.md", limit=LIMIT) == b"deeper\n"

    @pytest.mark.parametrize(
        "path",
        ["", "..", ".", "../secret.md", "docs/../../secret.md", "docs/..", "/etc/passwd", "docs//a.md", "./docs/a.md",
         "docs/a.md/..", "../work-evil/secret.md", "docs/x\0.md", "x" * 300, "a/" * 3_000 + "a", "\ud800"],
    )  # fmt: skip
    def test_refuses_what_could_leave_the_root_in_one_sentence(self, root: Path, path: str) -> None:
        with pytest.raises(OutsideRoot, match="is not a path of the workspace"):
            read_bytes(root, path, limit=LIMIT)

    @pytest.mark.parametrize(
        "path",
        [".git/config", ".GIT/config", ".git./config", ".git /config", "GIT~1/config", "git~1", "docs/.git",
         ".g\u200cit/config", "\ufeff.git/config", ".git::$INDEX_ALLOCATION/config", "docs\\.git\\config",
         "GI7EBA~1/config"],
    )  # fmt: skip
    def test_refuses_gits_own_folder_in_every_spelling(self, root: Path, path: str) -> None:
        with pytest.raises(OutsideRoot):
            read_bytes(root, path, limit=LIMIT)

    @pytest.mark.parametrize("name", [".gitignore", "git.md", "digit~1.md", "a.git", "back\\slash.md", "...", "dot."])
    def test_reads_names_that_only_look_alike(self, root: Path, name: str) -> None:
        (root / name).write_bytes(b"fine")

        assert read_bytes(root, name, limit=LIMIT) == b"fine"

    def test_reads_names_that_are_not_utf8(self, root: Path) -> None:
        Path(os.fsdecode(os.fsencode(root) + b"/latin-\xe9.md")).write_bytes(b"odd name")

        assert read_bytes(root, "latin-\udce9.md", limit=LIMIT) == b"odd name"

    def test_follows_no_link_wherever_it_leads(self, root: Path) -> None:
        (root / "out.md").symlink_to(root.parent / "secret.md")
        (root / "in.md").symlink_to("docs/a.md")
        (root / "folder").symlink_to(root.parent)
        (root / "loop.md").symlink_to("loop.md")

        for path in ("out.md", "in.md", "folder/secret.md", "loop.md"):
            with pytest.raises(Unopenable):
                read_bytes(root, path, limit=LIMIT)

    def test_opens_no_device_pipe_or_socket(self, root: Path) -> None:
        os.mkfifo(root / "pipe.md")
        with socket.socket(socket.AF_UNIX) as server:
            folder = os.open(root, os.O_RDONLY)
            try:
                server.bind(f"/proc/self/fd/{folder}/socket.md")
            finally:
                os.close(folder)

            for path in ("pipe.md", "socket.md", "docs"):
                with pytest.raises(Unopenable):
                    read_bytes(root, path, limit=LIMIT)

    def test_says_what_is_missing_and_what_is_too_long(self, root: Path) -> None:
        (root / "long.md").write_bytes(b"x" * (LIMIT + 1))

        with pytest.raises(Missing, match="no file of this name"):
            read_bytes(root, "docs/none.md", limit=LIMIT)
        with pytest.raises(Unopenable, match=r"1,001 bytes and at most 1,000"):
            read_bytes(root, "long.md", limit=LIMIT)
        with pytest.raises(Unopenable):
            read_bytes(root / "nowhere", "a.md", limit=LIMIT)

    def test_leaves_no_descriptor_open(self, root: Path) -> None:
        before = _open_descriptors()

        for path in ("docs/a.md", "docs", "none", "docs/none/a", "docs/a.md/b"):
            for _ in range(20):
                with suppress(Unopenable):
                    read_bytes(root, path, limit=LIMIT)

        assert _open_descriptors() == before

    @settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
    @given(steps=st.lists(st.sampled_from(STEPS), max_size=7))
    def test_never_returns_an_inode_outside_the_root(self, root: Path, steps: list[str]) -> None:
        for name, target in (("up", ".."), ("out", "../work-evil"), ("self", ".")):
            if not (root / "docs" / name).is_symlink():
                (root / "docs" / name).symlink_to(target)
        inside = {entry.stat().st_ino for entry in root.rglob("*") if entry.is_file() and not entry.is_symlink()}

        with opener.open_root(root) as folder:
            try:
                descriptor = opener.open_at(folder, "/".join(steps))
            except (OutsideRoot, Unopenable):
                return
        found = os.fstat(descriptor).st_ino
        os.close(descriptor)

        assert found in inside

    def test_is_not_tricked_by_a_folder_that_flips_to_a_link(self, root: Path) -> None:
        stop = threading.Event()
        (root / "swap").mkdir()
        (root / "swap" / "secret.md").write_bytes(b"inside")

        def flip() -> None:
            while not stop.is_set():
                (root / "swap").rename(root / "kept")
                (root / "swap").symlink_to(root.parent)
                (root / "swap").unlink()
                (root / "kept").rename(root / "swap")

        thread = threading.Thread(target=flip)
        thread.start()
        try:
            for _ in range(2_000):
                try:
                    assert read_bytes(root, "swap/secret.md", limit=LIMIT) == b"inside"
                except Unopenable:
                    continue
        finally:
            stop.set()
            thread.join()


class TestWriteBytes:
    def test_makes_a_new_file_and_its_folders(self, root: Path) -> None:
        write_bytes(root, ".yoi/tickets/A/artifacts/x.md", b"new", expect_digest="")

        assert (root / ".yoi/tickets/A/artifacts/x.md").read_bytes() == b"new"
        assert [entry.name for entry in (root / ".yoi/tickets/A/artifacts").iterdir()] == ["x.md"]

    def test_replaces_what_the_caller_saw_and_keeps_its_mode(self, root: Path) -> None:
        (root / "docs" / "a.md").chmod(0o640)

        write_bytes(root, "docs/a.md", b"changed", expect_digest=digest_of(b"inside\n"))

        assert (root / "docs" / "a.md").read_bytes() == b"changed"
        assert (root / "docs" / "a.md").stat().st_mode & 0o777 == 0o640

    def test_refuses_when_the_file_is_another_one(self, root: Path) -> None:
        for path, digest in (("docs/a.md", digest_of(b"older")), ("docs/a.md", ""), ("docs/none.md", digest_of(b"x"))):
            with pytest.raises(Changed, match="nothing was written"):
                write_bytes(root, path, b"mine", expect_digest=digest)

        assert (root / "docs" / "a.md").read_bytes() == b"inside\n"
        assert not (root / "docs" / "none.md").exists()

    def test_writes_through_no_link(self, root: Path) -> None:
        (root / "out.md").symlink_to(root.parent / "secret.md")
        (root / "folder").symlink_to(root.parent)
        (root / "new.md").symlink_to(root.parent / "made.md")

        for path, digest in (
            ("out.md", digest_of(b"OUTSIDE\n")),
            ("folder/made.md", ""),
            ("new.md", ""),
            ("folder/x/y", ""),
        ):
            with pytest.raises(Unopenable):
                write_bytes(root, path, b"mine", expect_digest=digest)

        assert (root.parent / "secret.md").read_bytes() == b"OUTSIDE\n"
        assert not (root.parent / "made.md").exists()

    @pytest.mark.parametrize("path", ["../made.md", "/tmp/made.md", ".git/hooks/post-commit", "docs/../../made.md"])
    def test_refuses_paths_outside(self, root: Path, path: str) -> None:
        with pytest.raises(OutsideRoot):
            write_bytes(root, path, b"mine", expect_digest="")

    def test_leaves_nothing_behind_when_the_disk_fails(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def fail(descriptor: int) -> None:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(os, "fsync", fail)

        with pytest.raises(Unopenable, match="no space left"):
            write_bytes(root, "docs/a.md", b"changed", expect_digest=digest_of(b"inside\n"))

        assert sorted(entry.name for entry in (root / "docs").iterdir()) == ["a.md", "deep"]
        assert (root / "docs" / "a.md").read_bytes() == b"inside\n"


class TestRemoveFile:
    def test_takes_away_only_what_was_written(self, root: Path) -> None:
        with pytest.raises(Changed):
            opener.remove_file(root, "docs/a.md", expect_digest=digest_of(b"other"))
        opener.remove_file(root, "docs/a.md", expect_digest=digest_of(b"inside\n"))

        assert not (root / "docs" / "a.md").exists()
        with pytest.raises(Missing):
            opener.remove_file(root, "nowhere/a.md", expect_digest=digest_of(b""))

    def test_clears_the_leftovers_of_a_killed_writer(self, root: Path) -> None:
        (root / "docs" / f"{opener.TEMP_PREFIX}abc").write_bytes(b"half")

        assert opener.remove_leftovers(root, "docs/a.md") == 1
        assert opener.remove_leftovers(root, "nowhere/a.md") == 0
        assert sorted(entry.name for entry in (root / "docs").iterdir()) == ["a.md", "deep"]
