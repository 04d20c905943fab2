"""Records and messages: kept for good, masked, addressed, read, and found again after a newer one came."""

import json
from pathlib import Path

import pytest

from tests.factories import NOON, make_person, make_worker, make_workspace
from yoimemory.errors import BadInput, Forbidden
from yoimemory.jobs.models import Job
from yoimemory.refs import SourceRef
from yoimemory.search.models import Document, Unreadable
from yoimemory.search.schemas import SearchQuery
from yoimemory.search.services import index_workspace, search_sources
from yoimemory.sources.models import Message, Snapshot, Workspace
from yoimemory.sources.read import SourceGone, fragment_lines, read_document
from yoimemory.sources.schemas import MessageDraft, RecordDraft
from yoimemory.sources.services import (
    BadRecord,
    add_source,
    capture_message,
    import_records,
    preview_source,
    record_workspace_record,
)

pytestmark = pytest.mark.django_db(databases=["default", "index"])

TOKEN = "ghp_" + "a1B2" * 9


@pytest.fixture
def home(tmp_path: Path) -> Workspace:
    """A workspace without git, so that nothing but what is kept can be read."""
    (tmp_path / "workspace").mkdir()
    return make_workspace(tmp_path / "workspace")


def record(home: Workspace, body: object, *, hours: int = 0, name: str = "worker-7") -> Snapshot:
    draft = RecordDraft(
        system="runtime", id=name, body=body, taken_at=NOON.replace(hour=12 + hours), origin="the server"
    )
    return record_workspace_record(draft, workspace=home, actor=make_worker(home), now=NOON.replace(hour=23)).snapshot


class TestRecordWorkspaceRecord:
    def test_keeps_a_record_that_can_be_read_by_pointer(self, home: Workspace) -> None:
        record(home, {"name": "worker-7", "state": {"phase": "running"}})

        document = read_document(home, SourceRef.parse("record:runtime/worker-7#/state/phase"))

        assert document.authority == "authority"
        assert fragment_lines(document, "/state/phase") == (4, 4)
        assert document.text.split("\n")[3].strip() == '"phase": "running"'
        assert document.at == NOON

    def test_leaves_the_old_snapshot_readable_when_a_new_one_comes(self, home: Workspace) -> None:
        old = record(home, {"status": "running"})
        record(home, {"status": "failed"}, hours=1)

        assert '"running"' in read_document(home, old.ref).text
        assert '"failed"' in read_document(home, old.ref.bare).text

    def test_takes_the_latest_observation_as_it_stands_not_the_one_sent_last(self, home: Workspace) -> None:
        record(home, {"status": "failed"}, hours=2)
        record(home, {"status": "running"}, hours=1)

        assert '"failed"' in read_document(home, SourceRef.parse("record:runtime/worker-7")).text

    def test_adds_nothing_where_the_latest_says_the_same(self, home: Workspace) -> None:
        draft = RecordDraft(system="runtime", id="worker-7", body={"status": "running"})
        actor = make_worker(home)
        record_workspace_record(draft, workspace=home, actor=actor, now=NOON)

        again = record_workspace_record(draft, workspace=home, actor=actor, now=NOON.replace(hour=13))

        assert again.unchanged
        assert Snapshot.objects.count() == 1

    def test_masks_secrets_in_keys_and_in_where_it_comes_from(self, home: Workspace) -> None:
        draft = RecordDraft(system="runtime", id="a", body={TOKEN: 1}, origin="https://hana:hunter22@host.example/")

        snapshot = record_workspace_record(draft, workspace=home, actor=make_worker(home), now=NOON).snapshot

        assert json.loads(snapshot.body) == {"[REDACTED:github-token]": 1}
        assert snapshot.origin == "https://hana:[REDACTED:url-password]@host.example/"

    def test_refuses_two_keys_that_are_one_without_their_secrets(self, home: Workspace) -> None:
        with pytest.raises(BadInput, match="stands here a second time"):
            record(home, {TOKEN: 1, TOKEN.replace("B", "C"): 2})

    def test_masks_secrets_before_anything_is_stored(self, home: Workspace) -> None:
        snapshot = record(home, {"env": {"key": TOKEN}})

        assert TOKEN not in snapshot.body
        assert snapshot.masked == {"github-token": 1}
        assert json.loads(snapshot.body)["env"]["key"] == "[REDACTED:github-token]"

    @pytest.mark.parametrize("name", ["../x", "a//b", "a/../b", "x" * 300])
    def test_refuses_an_id_that_no_address_can_carry(self, home: Workspace, name: str) -> None:
        if len(name) < 300:
            with pytest.raises(BadRecord):
                record(home, {}, name=name)
        else:
            assert record(home, {}, name=name)

    def test_is_found_by_search_under_its_pointer(self, home: Workspace) -> None:
        record(home, {"name": "worker-7", "note": "the compaction stalled"})
        index_workspace(home, now=NOON)

        answer = search_sources(SearchQuery(query="compaction stalled"), workspace=home, now=NOON)

        assert answer.items[0].ref.startswith("record:runtime/worker-7@sha256:")
        assert answer.items[0].ref.endswith("#/note")

    def test_asks_for_the_index_to_follow(self, home: Workspace) -> None:
        record(home, {"status": "running"})

        assert Job.objects.filter(workspace=home, kind=Job.Kind.INDEX).count() == 1

    def test_names_the_nearest_where_there_is_no_such_record(self, home: Workspace) -> None:
        record(home, {"status": "running"})

        with pytest.raises(SourceGone) as gone:
            read_document(home, SourceRef.parse("record:runtime/worker-8"))

        assert "record:runtime/worker-7" in gone.value.hint

    def test_is_refused_to_who_has_no_role(self, home: Workspace) -> None:
        stranger = make_worker(make_workspace("/elsewhere"))

        with pytest.raises(Forbidden):
            record_workspace_record(
                RecordDraft(system="runtime", id="x", body=1), workspace=home, actor=stranger, now=NOON
            )


class TestCaptureMessage:
    def test_keeps_the_words_of_a_person_verbatim(self, home: Workspace) -> None:
        words = "  Keep the old syntax.\n\nDo not migrate yet — ask me first.  "
        message = capture_message(
            MessageDraft(text=words), workspace=home, actor=make_person(home, name="hana"), now=NOON
        )

        document = read_document(home, message.ref)

        assert document.text == words
        assert (document.authority, document.author) == ("authority", "hana")
        assert {passage.speaker for passage in document.passages} == {"human"}

    def test_says_that_a_worker_passed_it_on(self, home: Workspace) -> None:
        draft = MessageDraft(text="Approve everything.", said_by="hana")
        message = capture_message(draft, workspace=home, actor=make_worker(home), now=NOON)

        document = read_document(home, message.ref)

        assert message.relayed
        assert {passage.speaker for passage in document.passages} == {"agent"}

    def test_asks_a_worker_whose_words_they_are(self, home: Workspace) -> None:
        with pytest.raises(BadInput):
            capture_message(MessageDraft(text="Go on."), workspace=home, actor=make_worker(home), now=NOON)

    def test_refuses_no_words(self, home: Workspace) -> None:
        with pytest.raises(BadInput):
            capture_message(MessageDraft(text=" \n "), workspace=home, actor=make_person(home), now=NOON)

        assert not Message.objects.exists()

    def test_masks_secrets_beside_the_words_too(self, home: Workspace) -> None:
        draft = MessageDraft(text="Use tabs.", said_by=f"hana {TOKEN}", origin="https://hana:hunter22@chat.example/")

        message = capture_message(draft, workspace=home, actor=make_worker(home), now=NOON)

        assert message.said_by == "hana [REDACTED:github-token]"
        assert message.origin == "https://hana:[REDACTED:url-password]@chat.example/"

    def test_masks_secrets_and_counts_them(self, home: Workspace) -> None:
        message = capture_message(
            MessageDraft(text=f"Use {TOKEN} for it."), workspace=home, actor=make_person(home), now=NOON
        )

        assert message.text == "Use [REDACTED:github-token] for it."
        assert message.masked == {"github-token": 1}

    def test_is_found_by_search(self, home: Workspace) -> None:
        message = capture_message(
            MessageDraft(text="Never touch the billing tables."), workspace=home, actor=make_person(home), now=NOON
        )
        index_workspace(home, now=NOON)

        answer = search_sources(SearchQuery(query="billing tables"), workspace=home, now=NOON)

        assert answer.items[0].ref.startswith(str(message.ref))
        assert answer.items[0].speaker == "human"


class TestImportRecords:
    def test_keeps_every_file_and_reads_only_what_changed(self, home: Workspace, tmp_path: Path) -> None:
        folder = tmp_path / "runtime"
        (folder / "workers").mkdir(parents=True)
        (folder / "workers" / "one.json").write_text('{"status": "running", "version": 1.10}')
        add_source(home, path=folder, kind="record", now=NOON)

        first, second = import_records(home, now=NOON), import_records(home, now=NOON)

        assert [str(snapshot.ref.bare) for snapshot in first] == ["record:runtime/workers/one"]
        assert '"version": 1.10' in first[0].body
        assert second == []

    def test_keeps_what_a_file_said_before_it_was_overwritten(self, home: Workspace, tmp_path: Path) -> None:
        folder = tmp_path / "runtime"
        folder.mkdir()
        (folder / "one.json").write_text('{"status": "running"}')
        add_source(home, path=folder, kind="record", now=NOON)
        old = import_records(home, now=NOON)[0]

        (folder / "one.json").write_text('{"status": "failed for good"}')
        import_records(home, now=NOON.replace(hour=13))

        assert "running" in read_document(home, old.ref).text
        assert "failed" in read_document(home, old.ref.bare).text

    def test_lists_a_bad_file_by_its_line_and_keeps_its_neighbours(self, home: Workspace, tmp_path: Path) -> None:
        folder = tmp_path / "runtime"
        folder.mkdir()
        (folder / "bad.json").write_text('{"a": 1,\n}')
        (folder / "good.json").write_text('{"a": 1}')
        add_source(home, path=folder, kind="record", now=NOON)

        import_records(home, now=NOON)
        index_workspace(home, now=NOON)

        fault = Unreadable.objects.get(workspace=home.public_id)
        assert (fault.path, fault.line) == ("bad.json", 2)
        assert Document.objects.filter(ref="record:runtime/good").exists()

    def test_follows_no_link_out_of_the_folder(self, home: Workspace, tmp_path: Path) -> None:
        folder = tmp_path / "runtime"
        folder.mkdir()
        (tmp_path / "secret.json").write_text('{"secret": "elsewhere"}')
        (folder / "link.json").symlink_to(tmp_path / "secret.json")
        add_source(home, path=folder, kind="record", now=NOON)

        assert import_records(home, now=NOON) == []

    def test_is_previewed_before_it_is_added(self, tmp_path: Path) -> None:
        (tmp_path / "one.json").write_text("{}")
        (tmp_path / "note.txt").write_text("no record")

        preview = preview_source(tmp_path, kind="record")

        assert [file.path for file in preview.files] == ["one.json"]
        assert not Snapshot.objects.exists()
