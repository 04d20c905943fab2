"""Building the index: only what changed is read, nothing is half visible, nothing stays that is gone."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.db import connections

from tests.factories import NOON
from tests.search.shelf import HEAD, Shelf, commit, doc, passages
from yoimemory.errors import Refused
from yoimemory.refs import SourceRef
from yoimemory.search.lookup import find_document, find_documents, first_links_to, links_to, nearest_refs
from yoimemory.search.models import Document, Link, Passage, Position, Unit, Unreadable
from yoimemory.search.services import index_status
from yoimemory.sources import reading
from yoimemory.sources.reading import Link as Pointing

pytestmark = pytest.mark.django_db


def words(table: str = "search_part") -> dict[str, int]:
    with connections["index"].cursor() as cursor:
        cursor.execute(f"SELECT term, doc FROM {table}_words")
        return dict(cursor.fetchall())


class TestIndexWorkspace:
    def test_writes_documents_passages_links_and_words(self, shelf: Shelf) -> None:
        pointing = Pointing("depends_on", "ticket:00001KXKP2A71", where="L1")
        shelf.put(
            doc("ticket:00001KXKMX0QM", "The lock.", title="Lock", facts={"state": "ready"}, links=(pointing,)),
            doc("ticket:00001KXKMX0QM/thread", "a", passages=passages("One event.", "Two events.")),
        )

        run = shelf.index()

        item, thread = Document.objects.order_by("pk")
        assert (run.commit, run.added, run.unreadable, run.removed) == (HEAD, 2, 0, [])
        assert (item.whole, thread.whole) == (item.pk, item.pk)
        assert (item.state, thread.state, thread.source) == ("ready", "ready", "ticket:00001KXKMX0QM")
        assert [(p.fragment, p.text) for p in thread.passages.order_by("pk")] == [
            ("event-1", "One event."),
            ("event-2", "Two events."),
        ]
        assert Link.objects.get().target_source == "ticket:00001KXKP2A71"
        assert words()["events"] == 1
        assert words("search_whole")["events"] == 1

    def test_reads_only_what_changed(self, shelf: Shelf) -> None:
        shelf.put(doc("doc:a.md", "one"))
        shelf.put(doc("doc:b.md", "two"))
        shelf.index()
        shelf.put(doc("doc:b.md", "two, reworded"))

        run = shelf.index()

        assert shelf.reads == ["doc:b.md"]
        assert run.changed == [SourceRef("doc", "b.md")]
        assert run.added == 0
        assert "reworded" in words()

    def test_takes_out_what_is_gone(self, shelf: Shelf) -> None:
        shelf.put(doc("doc:a.md", "unicorn"))
        shelf.put(doc("doc:b.md", "two"))
        shelf.index()
        del shelf.units_["doc:a.md"]

        run = shelf.index()

        assert run.removed == [SourceRef("doc", "a.md")]
        assert [document.ref for document in Document.objects.all()] == ["doc:b.md"]
        assert Unit.objects.filter(key="doc:a.md").count() == 0
        assert "unicorn" not in words()
        assert "unicorn" not in words("search_whole")

    def test_reads_all_again_in_full(self, shelf: Shelf) -> None:
        shelf.put(doc("doc:a.md", "one"))
        shelf.log = [commit("b" * 40, "First")]
        shelf.index()

        run = shelf.index(full=True)

        assert shelf.reads == ["doc:a.md"]
        assert run.changed == []
        assert Document.objects.count() == 2
        assert words()["one"] == 1

    def test_adds_new_commits_and_drops_those_of_a_history_that_was_rewritten(self, shelf: Shelf) -> None:
        first, second = commit("1" * 40, "First"), commit("2" * 40, "Second")
        shelf.log = [first]
        shelf.index()
        shelf.log, shelf.head = [second, first], "2" * 40
        added = shelf.index().added
        shelf.log, shelf.head = [commit("3" * 40, "Second, amended"), first], "3" * 40

        shelf.index()

        assert added == 1
        assert sorted(Document.objects.values_list("title", flat=True)) == ["First", "Second, amended"]

    def test_lists_what_cannot_be_read_and_reads_the_rest(self, shelf: Shelf, monkeypatch: Any) -> None:
        shelf.put(reading.Unreadable("broken.md", "The front matter does not end.", line=3), doc("doc:broken.md", "x"))
        shelf.put(doc("doc:locked.md", "x"))
        shelf.put(doc("doc:good.md", "good"))
        read = shelf.read

        def fail(tree: Any, unit: reading.Unit) -> Any:
            if unit.key == "doc:locked.md":
                raise Refused("The file cannot be opened.", hint="Give yourself the right to read it.")
            return read(tree, unit)

        monkeypatch.setattr(Shelf, "read", lambda self, tree, unit: fail(tree, unit))

        run = shelf.index()

        assert run.unreadable == 2
        assert set(Unreadable.objects.values_list("path", "line")) == {("broken.md", 3), ("doc:locked.md", None)}
        assert set(Document.objects.values_list("ref", flat=True)) == {"doc:broken.md", "doc:good.md"}

    def test_keeps_one_of_two_records_with_one_address(self, shelf: Shelf) -> None:
        shelf.put(doc("ticket:00001KXKMX0QM", "first", path="a/item.md"), unit="a")
        shelf.put(doc("ticket:00001KXKMX0QM", "second", path="b/item.md"), unit="b")

        shelf.index()

        assert Document.objects.get().path == "a/item.md"
        assert "already the address of a/item.md" in Unreadable.objects.get().reason

    def test_holds_text_that_no_database_likes(self, shelf: Shelf) -> None:
        odd = "nul \0 half \ud83d rtl \u202e end"
        shelf.put(doc("doc:odd\udcff.md", odd, title="odd\udcff", path="odd\udcff.md", author="\udcff"))

        shelf.index()

        assert Document.objects.get().ref == "doc:odd%FF.md"
        assert "half" in words()

    def test_finds_lines_that_no_passage_covers(self, shelf: Shelf) -> None:
        text = "# One\ncovered\n\nuncovered line\n\n# Two\ncovered too"
        parts = (reading.Passage("L1-L2", "# One\ncovered", 1, 2), reading.Passage("L6-L7", "# Two\ncovered too", 6, 7))
        shelf.put(doc("doc:a.md", text, passages=parts))

        shelf.index()

        assert set(Passage.objects.values_list("fragment", flat=True)) == {"L1-L2", "L3-L5", "L6-L7"}

    def test_dates_files_by_the_last_commit_that_touched_them(self, shelf: Shelf) -> None:
        touching = (Pointing("touches", "doc:a.md"),)
        shelf.put(doc("doc:a.md", "one"))
        shelf.log = [
            commit("2" * 40, "Later", NOON, touching),
            commit("1" * 40, "Earlier", NOON - timedelta(days=3), touching),
        ]

        shelf.index()

        assert Document.objects.get(ref="doc:a.md").at == NOON

    def test_lets_unchanged_documents_follow_the_new_commit(self, shelf: Shelf) -> None:
        shelf.put(doc("doc:a.md", "one"))
        shelf.put(doc("doc:b.md", "mine", revision="sha256:" + "0" * 64, uncommitted=True))
        shelf.index()
        shelf.head = "b" * 40

        shelf.index()

        assert Document.objects.get(ref="doc:a.md").revision == "b" * 40
        assert Document.objects.get(ref="doc:b.md").revision == "sha256:" + "0" * 64

    def test_tells_how_far_it_is(self, shelf: Shelf) -> None:
        for number in range(3):
            shelf.put(doc(f"doc:{number}.md", "x"))
        told: list[tuple[int, int]] = []

        shelf.index(progress=lambda done, total, note: told.append((done, total)))

        assert told[-1][0] == told[-1][1] == 3

    def test_moves_the_position_when_all_is_in(self, shelf: Shelf, monkeypatch: Any) -> None:
        shelf.put(doc("doc:a.md", "one"))

        def broken(*args: Any, **kwargs: Any) -> Any:
            raise KeyboardInterrupt

        monkeypatch.setattr("yoimemory.search.history.Commits.write_all", broken)
        with pytest.raises(KeyboardInterrupt):
            shelf.index()

        assert Document.objects.count() == 1
        assert Position.objects.get().indexed_at is None
        assert index_status(shelf.workspace).commit == ""

    def test_runs_no_more_once_it_failed(self, shelf: Shelf, monkeypatch: Any) -> None:
        def broken(*args: Any, **kwargs: Any) -> Any:
            raise OSError("no room")

        monkeypatch.setattr("yoimemory.search.history.Commits.write_all", broken)
        with pytest.raises(OSError, match="no room"):
            shelf.index()

        assert Position.objects.get().beat_at is None
        assert not index_status(shelf.workspace).running


class TestIndexStatus:
    def test_counts_the_commits_that_are_lacking(self, shelf: Shelf) -> None:
        first = commit("1" * 40, "First")
        shelf.log, shelf.head = [first], "1" * 40
        shelf.index()
        shelf.log, shelf.head = [commit("2" * 40, "Second"), first], "2" * 40

        status = index_status(shelf.workspace)

        assert (status.commit, status.behind, status.branch, status.running) == ("1" * 40, 1, "main", False)

    def test_knows_nothing_of_a_workspace_that_was_never_read(self, shelf: Shelf) -> None:
        status = index_status(shelf.workspace)

        assert (status.indexed_at, status.behind) == (None, None)


class TestLookup:
    def test_finds_documents_by_address_whatever_part_it_names(self, shelf: Shelf) -> None:
        shelf.put(doc("ticket:00001KXKMX0QM", "a"), doc("ticket:00001KXKMX0QM/thread", "b"))
        shelf.index()

        found = find_document(shelf.workspace, SourceRef.parse(f"ticket:00001KXKMX0QM/thread@{HEAD}#event-1"))
        all_of_it = find_documents(shelf.workspace, ["ticket:00001KXKMX0QM", "ticket:00001KXKP2A71"])

        assert found is not None
        assert found.ref == "ticket:00001KXKMX0QM/thread"
        assert [row.ref for row in all_of_it] == ["ticket:00001KXKMX0QM", "ticket:00001KXKMX0QM/thread"]
        assert find_document(shelf.workspace, SourceRef.parse("doc:none.md")) is None

    def test_follows_links_both_ways(self, shelf: Shelf) -> None:
        shelf.put(doc("doc:a.md", "x", links=(Pointing("links", "doc:b.md#L3"),)))
        shelf.put(doc("doc:b.md", "y"))
        shelf.index()

        assert list(Link.objects.filter(document__ref="doc:a.md").values_list("target", flat=True)) == ["doc:b.md#L3"]
        assert [link.document.ref for link in links_to(shelf.workspace, SourceRef.parse("doc:b.md"))] == ["doc:a.md"]

    def test_tells_the_first_that_point_at_a_source_each_once(self, shelf: Shelf) -> None:
        shelf.put(doc("doc:b.md", "y", links=(Pointing("links", "doc:b.md"),)))
        twice = (Pointing("links", "doc:b.md#L3"), Pointing("mentions", "doc:b.md"))
        for number in range(4):
            shelf.put(doc(f"doc:a{number}.md", "x", links=twice))
        shelf.index()

        found = first_links_to(shelf.workspace, SourceRef.parse("doc:b.md"), 3)

        assert [link.document.ref for link in found] == ["doc:a0.md", "doc:a1.md", "doc:a2.md"]
        assert {link.kind for link in found} == {"links"}

    def test_names_what_is_nearest(self, shelf: Shelf) -> None:
        for name in ("docs/design/overview.md", "docs/guide.md", "README.md"):
            shelf.put(doc(f"doc:{name}", "x"))
        shelf.index()

        assert nearest_refs(shelf.workspace, "doc:docs/overvew.md")[0] == "doc:docs/design/overview.md"
        assert nearest_refs(shelf.workspace, "overview.md", limit=1) == ["doc:docs/design/overview.md"]
        assert nearest_refs(shelf.workspace, ":") == []

    def test_keeps_workspaces_apart(self, shelf: Shelf, monkeypatch: Any) -> None:
        from tests.search.shelf import make_shelf
        from tests.search.test_search_sources import ask

        shelf.put(doc("doc:a.md", "the lock"))
        shelf.index()
        other = make_shelf(monkeypatch)
        other.put(doc("doc:a.md", "the lock of another"))
        other.index()

        assert [hit.snippet for hit in ask(shelf, "lock").items] == ["the lock"]
        assert [hit.snippet for hit in ask(replace(other), "lock").items] == ["the lock of another"]
