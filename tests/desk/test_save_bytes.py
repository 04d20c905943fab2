"""The bytes of a file as they lie (S18): for what no text gives whole, and never past a mask."""

import json
from pathlib import Path

import pytest
from django.http import StreamingHttpResponse
from django.test import Client

from tests.factories import NOON, make_person, make_token, make_workspace
from tests.sources.repository import Repo
from yoimemory.desk.download import NAME_MAX, bytes_name
from yoimemory.refs import SourceRef
from yoimemory.sources import originals
from yoimemory.sources.models import AddedSource, Workspace
from yoimemory.sources.services import register_workspace
from yoimemory.sources.trees import FolderTree

pytestmark = pytest.mark.django_db(databases=["default", "index"])

TOKEN = "ghp_" + "a1" * 18
PICTURE = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(range(256)) * 300


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "work").mkdir()
    return tmp_path / "work"


@pytest.fixture
def home(root: Path) -> Workspace:
    return make_workspace(root)


@pytest.fixture
def page(home: Workspace) -> Client:
    client = Client()
    user = make_person(home).user
    assert user is not None
    client.force_login(user)
    return client


def saved(page: Client, ref: str) -> bytes:
    answer = page.get("/read/bytes/", {"ref": ref})
    assert isinstance(answer, StreamingHttpResponse)
    return answer.getvalue()


class TestTheNameOfTheBytes:
    @pytest.mark.parametrize(
        ("path", "name"),
        [
            ("a/b/photo.PNG", "photo.PNG"), ("run.sh", "run.sh.bin"), ("page.html", "page.html.bin"),
            ("guide.md", "guide.md"), ("con.exe", "code-con.exe.bin"), ("日本語.jpg", "code.jpg"),
            ('a\r\nb".bin', "a_b.bin"), ("x" * 300, "x" * 100 + ".bin"), (".hidden", "hidden.bin"),
        ],
    )  # fmt: skip
    def test_is_plain_and_ends_so_that_no_program_runs_it(self, path: str, name: str) -> None:
        assert bytes_name(SourceRef("code", path), path) == name
        assert len(name) <= NAME_MAX + len("code-.md.bin")


class TestWhoGetsTheBytes:
    @pytest.mark.parametrize("scope", ["read", "propose"])
    def test_is_nobody_with_a_token(self, root: Path, home: Workspace, scope: str) -> None:
        (root / "shot.png").write_bytes(PICTURE)
        headers = {"Authorization": f"Bearer {make_token(home, scope)[1]}"}

        answer = Client().get("/read/bytes/", {"ref": "code:shot.png"}, headers=headers)

        assert answer.status_code in {302, 401, 403}
        assert PICTURE not in answer.content

    def test_is_nobody_who_has_not_logged_in(self, root: Path, home: Workspace) -> None:
        (root / "shot.png").write_bytes(PICTURE)

        answer = Client().get("/read/bytes/", {"ref": "code:shot.png"})

        assert answer.status_code in {302, 401, 403}
        assert PICTURE not in answer.content


class TestTheBytesOfAFile:
    @pytest.mark.parametrize(
        ("path", "data"),
        [
            ("shot.png", PICTURE), ("tool.bin2", PICTURE), ("blob.md", PICTURE), ("empty.dat", b""),
            ("lossy.md", b"# Half\n\ncaf\xe9 \xff\n"), ("wide.txt", "Größe\r\n".encode("utf-16")),
            ("marked.md", b"\xef\xbb\xbf# With a mark\r\n"), ("page.html", b"<script>alert(1)</script>"),
        ],
    )  # fmt: skip
    def test_are_those_on_disk_and_are_only_ever_saved(self, root: Path, page: Client, path: str, data: bytes) -> None:
        (root / path).write_bytes(data)
        ref = str(SourceRef("doc" if path.endswith((".md", ".txt", ".html")) else "code", path))

        answer = page.get("/read/bytes/", {"ref": ref})

        assert isinstance(answer, StreamingHttpResponse)
        assert answer.getvalue() == data
        assert answer.headers["Content-Length"] == str(len(data))
        assert answer.headers["Content-Type"] == "application/octet-stream"
        assert answer.headers["Content-Disposition"].startswith("attachment; ")
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["Content-Security-Policy"] == "sandbox; default-src 'none'"
        assert "no-store" in answer.headers["Cache-Control"]

    def test_of_a_revision_are_those_of_the_commit(self, tmp_path: Path) -> None:
        repo = Repo(tmp_path / "kept")
        repo.write("shot.png", "\x01\x02 first")
        first = repo.commit("Add a picture")
        repo.write("shot.png", "\x01\x02 second")
        repo.commit("Change it")
        workspace = register_workspace(repo.root, now=NOON)[0]
        then = originals.open_original(workspace, SourceRef("code", "shot.png", first))
        now = originals.open_original(workspace, SourceRef("code", "shot.png"))

        read = b"".join(then), b"".join(now)
        then.close()
        now.close()

        assert read == (b"\x01\x02 first", b"\x01\x02 second")

    def test_of_a_log_that_somebody_added_are_the_logs_own(self, tmp_path: Path, home: Workspace, page: Client) -> None:
        log = tmp_path / "added" / "long.jsonl"
        log.parent.mkdir()
        words = "x" * 700_000
        lines = [json.dumps({"role": "user", "content": f"{number} {words}"}) for number in range(3)]
        log.write_text("\n".join(lines) + "\n")
        AddedSource.objects.create(workspace=home, kind="session", format="auto", path=str(log.parent), created_at=NOON)

        shown = page.get("/read/", {"ref": "session:plain/long/part-2"}).text

        assert 'href="/read/bytes/?ref=session%3Aplain%2Flong%2Fpart-2"' in shown
        assert saved(page, "session:plain/long/part-2") == log.read_bytes()

    @pytest.mark.parametrize(
        "path", ["link.png", "folder/out.png", "%2e%2e/outside.png", "../outside.png", ".git/config"]
    )
    def test_outside_of_the_workspace_stay_there(self, tmp_path: Path, root: Path, page: Client, path: str) -> None:
        (tmp_path / "outside.png").write_bytes(b"OUTSIDE")
        (root / "link.png").symlink_to(tmp_path / "outside.png")
        (root / "folder").symlink_to(tmp_path, target_is_directory=True)
        (root / ".git").mkdir()
        (root / ".git" / "config").write_text("OUTSIDE")

        answer = page.get("/read/bytes/", {"ref": f"code:{path}"})

        assert answer.status_code in {400, 404, 409, 422}
        assert "OUTSIDE" not in answer.text

    def test_are_for_people_who_are_logged_in_here(self, root: Path, page: Client) -> None:
        (root / "shot.png").write_bytes(PICTURE)
        stranger = Client()
        user = make_person(make_workspace("/elsewhere")).user
        assert user is not None
        stranger.force_login(user)

        assert Client().get("/read/bytes/", {"ref": "code:shot.png"}).status_code == 302
        assert stranger.get("/read/bytes/", {"ref": "code:shot.png"}).status_code in {404, 409}

    @pytest.mark.parametrize(
        "ref", ["code:none.png", "commit:abcdef1", "message:01ARZ3NDEKTSV4RRFFQ69G5FAV", "evidence:x", "no ref", ""]
    )
    def test_of_what_has_none_are_refused_in_words(self, page: Client, ref: str) -> None:
        assert page.get("/read/bytes/", {"ref": ref}).status_code in {302, 400, 404, 422}


class TestWhatIsMasked:
    @pytest.mark.parametrize(
        "data",
        [
            f"The token is {TOKEN}.\n".encode(), f"The token is {TOKEN}.\n".encode("utf-16"),
            b"\0\1\2\3" * 5_000 + TOKEN.encode() + b"\0\1\2\3" * 5_000,
            b"\xff caf\xe9 " + TOKEN.encode(), b"-----BEGIN RSA PRIVATE KEY-----\nAA",
        ],
    )  # fmt: skip
    def test_leaves_by_no_other_door(self, root: Path, page: Client, data: bytes) -> None:
        (root / "notes.txt").write_bytes(data)

        answer = page.get("/read/bytes/", {"ref": "doc:notes.txt"})

        assert answer.status_code == 409
        assert "holds what is masked, so its bytes are not handed out" in answer.text
        assert TOKEN not in answer.text

    def test_is_seen_however_the_file_writes_it(self, root: Path, page: Client) -> None:
        """In JSON a letter may be written as its number: only the reader of the log sees the words."""
        (root / "sessions").mkdir()
        hidden = TOKEN.replace("ghp_", "ghp\\u005f")
        (root / "sessions" / "one.jsonl").write_text(f'{{"role": "user", "content": "It is {hidden}"}}\n')

        answer = page.get("/read/bytes/", {"ref": "session:plain/one"})

        assert answer.status_code == 409

    @pytest.mark.parametrize("at", [(1 << 20) - 20, (1 << 20) - (16 << 10) - 3, (1 << 20) + 5, 3_000_000])
    def test_is_seen_where_two_pieces_of_a_long_file_meet(self, root: Path, page: Client, at: int) -> None:
        (root / "long.dat").write_bytes(b". " * (at // 2) + TOKEN.encode() + b" ." * 100_000)

        assert page.get("/read/bytes/", {"ref": "code:long.dat"}).status_code == 409

    def test_is_not_linked_on_the_page_of_the_text(self, root: Path, page: Client) -> None:
        (root / "masked.md").write_bytes(b"caf\xe9 " + TOKEN.encode())
        (root / "plain.md").write_bytes(b"# Plain\n")
        (root / "lossy.md").write_bytes(b"# Lossy \xff\n")

        pages = {name: page.get("/read/", {"ref": f"doc:{name}.md"}).text for name in ("masked", "plain", "lossy")}

        assert {name for name, shown in pages.items() if "/read/bytes/" in shown} == {"lossy"}

    def test_that_a_log_gets_while_it_is_sent_ends_the_sending(
        self, root: Path, page: Client, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (root / "data.dat").write_bytes(b"clean " * 10)
        times = iter([[b"clean " * 10], [b"now " + TOKEN.encode() + b" here"]])
        monkeypatch.setattr(FolderTree, "chunks", lambda *_: iter(next(times)))

        answer = page.get("/read/bytes/", {"ref": "code:data.dat"})

        assert isinstance(answer, StreamingHttpResponse)
        with pytest.raises(originals.Withheld):
            answer.getvalue()

    def test_packed_cannot_be_seen_so_a_packed_log_is_withheld(self, tmp_path: Path, home: Workspace) -> None:
        (tmp_path / "added").mkdir()
        (tmp_path / "added" / "one.jsonl.zst").write_bytes(b"(\xb5/\xfd")
        AddedSource.objects.create(
            workspace=home, kind="session", format="codex", path=str(tmp_path / "added"), created_at=NOON
        )

        with pytest.raises(originals.Withheld, match="is packed"):
            originals.open_original(home, SourceRef("session", "codex/one"))


class TestABinaryFile:
    def test_is_there_but_no_text_and_its_bytes_can_be_saved(self, root: Path, page: Client) -> None:
        (root / "shot.png").write_bytes(PICTURE)
        (root / "blob.md").write_bytes(PICTURE)

        for ref in ("code:shot.png", "doc:blob.md"):
            answer = page.get("/read/", {"ref": ref})
            assert answer.status_code == 409
            assert "It is binary, not text." in answer.text
            assert f'href="/read/bytes/?ref={ref.replace(":", "%3A")}"' in answer.text

    def test_that_is_too_long_is_left_in_its_folder(
        self, root: Path, page: Client, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(originals, "BYTES_MAX", 1 << 20)
        (root / "long.dat").write_bytes(b"\0" * ((1 << 20) + 1))

        answer = page.get("/read/bytes/", {"ref": "code:long.dat"})

        assert answer.status_code == 409
        assert "Copy it from its folder." in answer.text
