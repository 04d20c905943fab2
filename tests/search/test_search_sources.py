"""What a search answers: which hits, in which order, with which words, and what is not shown."""

from datetime import timedelta
from typing import Any

import pytest

from tests.factories import NOON, make_system
from tests.search.shelf import Shelf, commit, doc, passages
from yoimemory.journal.models import Event
from yoimemory.journal.services import flush_events
from yoimemory.markers.models import Marker
from yoimemory.refs import SourceRef
from yoimemory.search.cursors import BadCursor
from yoimemory.search.schemas import SearchAnswer, SearchQuery
from yoimemory.search.services import search_sources
from yoimemory.sources.reading import Link

pytestmark = pytest.mark.django_db


def ask(shelf: Shelf, query: str = "", **kwargs: Any) -> SearchAnswer:
    return search_sources(SearchQuery(query=query, **kwargs), workspace=shelf.workspace, now=NOON)


def sources(answer: SearchAnswer) -> list[str]:
    return [hit.source for hit in answer.items]


class TestWhatIsFound:
    @pytest.mark.parametrize(
        ("query", "ref"),
        [
            ("ロックファイル", "ticket:00001KXKMX0QM"),
            ("ロック", "ticket:00001KXKMX0QM"),
            ("ファイル", "ticket:00001KXKMX0QM"),
            ("残骸", "ticket:00001KXKMX0QM"),
            ("骸", "ticket:00001KXKMX0QM"),
            ("があると", "ticket:00001KXKMX0QM"),
            ("同期", "doc:docs/sync.md"),
            ("雾凇", "doc:docs/rime.md"),
            ("词库", "doc:docs/rime.md"),
            ("雾凇词库", "doc:docs/rime.md"),
            ("再構築", "doc:docs/sync.md"),
            ("검색", "doc:docs/ko.md"),
            ("API", "doc:docs/wide.md"),
            ("ＡＰＩ", "doc:docs/wide.md"),
            ("失敗 残骸", "ticket:00001KXKMX0QM"),
            ("task-0042", "session:plain/log"),
            ("foo_bar.rs:12", "session:plain/log"),
            ("foo_bar", "session:plain/log"),
            ("fooBar", "session:plain/log"),
            ("C++", "session:plain/log"),
            ("38.101", "session:plain/log"),
        ],
    )
    def test_holds_every_word_that_stands_there(self, shelf: Shelf, query: str, ref: str) -> None:
        put_six(shelf)

        assert sources(ask(shelf, query)) == [ref]

    @pytest.mark.parametrize("query", ["索引", "task-0043", "foo_bar.rs:13", "38.102"])
    def test_is_nothing_where_it_stands_nowhere(self, shelf: Shelf, query: str) -> None:
        put_six(shelf)

        answer = ask(shelf, query)

        assert [hit for hit in answer.items if query in hit.snippet] == []
        assert not answer.items or "parts of it" in answer.notes[0]

    @pytest.mark.parametrize("query", ["WorkerFilesystemAuthority", "worker_filesystem", "filesystem authority"])
    def test_holds_identifiers_whole_and_by_part(self, shelf: Shelf, query: str) -> None:
        shelf.put(doc("code:src/a.rs", "impl WorkerFilesystemAuthority for Local {}"))
        shelf.put(doc("code:src/b.rs", "nothing of the kind"))
        shelf.index()

        assert sources(ask(shelf, query)) == ["code:src/a.rs"]

    def test_needs_only_one_of_the_words_but_puts_all_of_them_first(self, shelf: Shelf) -> None:
        shelf.put(doc("doc:some.md", "spawn spawn spawn spawn"))
        shelf.put(
            doc("doc:all.md", "a long text on other things, in which a stdio server is found to spawn " + "x " * 80)
        )
        shelf.index()

        answer = ask(shelf, "stdio server spawn")

        assert sources(answer) == ["doc:all.md", "doc:some.md"]
        assert answer.all_words == 1
        assert "One passage holds every word." in answer.items[0].why

    def test_obeys_phrases_and_exclusions(self, shelf: Shelf) -> None:
        shelf.put(doc("doc:a.md", "the stale lock file stays"))
        shelf.put(doc("doc:b.md", "the lock is stale, the file stays"))
        shelf.index()

        assert sources(ask(shelf, '"stale lock file"')) == ["doc:a.md"]
        assert sources(ask(shelf, "stale -stays")) == []
        assert sources(ask(shelf, 'stale -"lock file"')) == ["doc:b.md"]

    def test_chooses_terms_of_a_long_text_by_rarity(self, shelf: Shelf) -> None:
        for number in range(30):
            shelf.put(doc(f"doc:common/{number}.md", "worker runtime session panel"))
        shelf.put(doc("doc:rare.md", "worker zygohistomorphic"))
        shelf.index()

        answer = ask(shelf, text="The worker runtime\n\n" + "panel session worker runtime " * 50 + "zygohistomorphic")

        assert answer.items[0].source == "doc:rare.md"

    def test_follows_links_of_similar_older_work_to_the_files_it_changed(self, shelf: Shelf) -> None:
        earlier = NOON - timedelta(days=30)
        shelf.put(doc("ticket:00001KXKMX0QM", "古いロックファイルの残骸を片付ける処理", at=earlier))
        shelf.put(doc("code:src/lock.rs", "fn sweep() {}"))
        shelf.log = [
            commit(
                "b" * 40,
                "Sweep (00001KXKMX0QM)",
                earlier,
                (Link("mentions", "ticket:00001KXKMX0QM"), Link("touches", "code:src/lock.rs")),
            )
        ]
        shelf.index()

        answer = ask(shelf, text="ロックファイルの残骸が残る\n\nロックファイルの残骸を片付ける", kinds=["code"])

        assert sources(answer) == ["code:src/lock.rs"]
        assert "ticket:00001KXKMX0QM" in " ".join(answer.items[0].why)

    def test_of_fields_alone_lists_every_source_that_they_leave_newest_first(self, shelf: Shelf) -> None:
        for number in range(330):
            shelf.put(doc(f"doc:many/{number:03}.md", "x", at=NOON - timedelta(days=number)))
        shelf.put(doc("code:src/a.rs", "x", at=NOON))
        shelf.index()

        answer = ask(shelf, "kind:doc", limit=200)
        rest = ask(shelf, "kind:doc", limit=200, cursor=answer.next_cursor)

        assert (answer.total, answer.passages) == (330, 330)
        assert sources(answer) + sources(rest) == [f"doc:many/{number:03}.md" for number in range(330)]

    def test_lifts_the_file_that_a_text_names_before_another_that_has_its_words_too(self, shelf: Shelf) -> None:
        for name in ("a", "b"):
            shelf.put(doc(f"code:src/{name}.rs", "the panel loses its session when the worker restarts"))
        shelf.index()
        told = "The panel loses its session\n\nWhen the worker restarts, it is lost"

        unnamed = ask(shelf, text=f"{told}.", kinds=["code"])
        named = ask(shelf, text=f"{told}; see src/b.rs:12 for it.", kinds=["code"])

        assert sources(unnamed) == ["code:src/a.rs", "code:src/b.rs"]
        assert sources(named) == ["code:src/b.rs", "code:src/a.rs"]
        assert ["The text names it." in hit.why for hit in named.items] == [True, False]

    @pytest.mark.parametrize("ref", ["code:src/lock.rs", "ticket:00001KXKMX0QM", "objective:00001KXKMX0QM"])
    def test_finds_what_a_text_names_where_it_shares_no_other_word_with_it(self, shelf: Shelf, ref: str) -> None:
        shelf.put(doc(ref, "fn sweep() {}", title="sweep"), doc("doc:other.md", "the panel"))
        shelf.index()
        text = f"The panel is empty\n\nAfter {ref.partition(':')[2]} was done it was"

        answer = ask(shelf, text=text)
        narrowed = ask(shelf, text=text, kinds=["doc"])

        assert {hit.source: "The text names it." in hit.why for hit in answer.items} == {
            ref: True,
            "doc:other.md": False,
        }
        assert sources(narrowed) == ["doc:other.md"]

    def test_lifts_nothing_that_is_named_only_to_be_refused(self, shelf: Shelf) -> None:
        shelf.put(doc("doc:docs/guide.md", "The lock is here."), doc("doc:docs/third.md", "The lock."))
        shelf.index()

        refused = ask(shelf, 'lock -"docs/guide.md"')

        assert [each for hit in refused.items for each in hit.why if each == "The text names it."] == []

    def test_brings_nothing_back_by_its_name_that_holds_a_refused_word(self, shelf: Shelf) -> None:
        shelf.put(doc("doc:docs/guide.md", "The lock is here."), doc("doc:docs/third.md", "The lock."))
        shelf.index()

        assert set(sources(ask(shelf, "lock docs/guide.md"))) == {"doc:docs/guide.md", "doc:docs/third.md"}
        assert sources(ask(shelf, "lock docs/guide.md -here")) == ["doc:docs/third.md"]


class TestAddresses:
    @pytest.mark.parametrize(
        ("query", "direct"),
        [
            ("doc:docs/guide.md#L2", "doc:docs/guide.md#L2"),
            ("00001KXKMX0QM", "ticket:00001KXKMX0QM"),
            ("ticket:00001KXKMX0QM", "ticket:00001KXKMX0QM"),
            ("bbbbbbb1", "commit:" + "bbbbbbb1" * 5),
            ("docs/guide.md", "doc:docs/guide.md"),
            ("@docs/guide.md", "doc:docs/guide.md"),
            ("./docs/guide.md:2", "doc:docs/guide.md#L2"),
            ("guide.md:2", "doc:docs/guide.md#L2"),
        ],
    )
    def test_go_straight_there(self, shelf: Shelf, query: str, direct: str) -> None:
        shelf.put(doc("doc:docs/guide.md", "first\nsecond"))
        shelf.put(doc("ticket:00001KXKMX0QM", "A task"))
        shelf.log = [commit("bbbbbbb1" * 5, "Change guide")]
        shelf.index()

        answer = ask(shelf, query)

        assert answer.direct == direct
        assert answer.items[0].source == direct.split("#")[0]
        assert "The query names it." in answer.items[0].why

    @pytest.mark.parametrize(
        "narrowed",
        [
            {"kinds": ["ticket"]}, {"path": "src/*"}, {"authority": ["memory"]}, {"author": "nobody at all"},
            {"speaker": "human"}, {"since": NOON + timedelta(days=9_000)}, {"until": NOON - timedelta(days=9_000)},
            {"exclude": ["doc:docs/sync.md"]},
        ],
    )  # fmt: skip
    def test_is_not_put_first_against_a_filter(self, shelf: Shelf, narrowed: dict[str, Any]) -> None:
        put_six(shelf)
        assert sources(ask(shelf, "doc:docs/sync.md"))[:1] == ["doc:docs/sync.md"]

        assert "doc:docs/sync.md" not in sources(ask(shelf, "doc:docs/sync.md", **narrowed))

    @pytest.mark.parametrize("query", ["a:b", "doc:nowhere.md", "no/such/file.rs", "1234567"])
    def test_that_lead_nowhere_are_words(self, shelf: Shelf, query: str) -> None:
        shelf.put(doc("doc:docs/guide.md", "first\nsecond"))
        shelf.index()

        assert ask(shelf, query).direct == ""


class TestHits:
    def test_are_verbatim_lines_with_their_address(self, shelf: Shelf) -> None:
        shelf.put(doc("doc:docs/guide.md", "# Guide\n\nDeclaring a server does not start it.\nIt waits."))
        shelf.index()

        hit = ask(shelf, "server").items[0]

        assert hit.snippet.startswith("Declaring a server does not start it.")
        assert (hit.first_line, hit.ref) == (3, f"doc:docs/guide.md@{shelf.head}#L3-L4")
        assert [hit.snippet[a:b] for a, b in hit.marks] == ["server"]
        assert hit.why == ["The lines shown hold “server”."]

    def test_name_the_event_and_who_speaks(self, shelf: Shelf) -> None:
        events = passages("Started the lock work.", "The lock is refused.", author="reviewer", speaker="agent", at=NOON)
        shelf.put(doc("ticket:00001KXKMX0QM/thread", "Started the lock work.\n\nThe lock is refused.", passages=events))
        shelf.index()

        hit = ask(shelf, "lock refused").items[0]

        assert hit.ref.endswith("#event-2")
        assert (hit.author, hit.speaker, hit.date) == ("reviewer", "agent", NOON)

    def test_come_once_per_source_and_say_how_many_more(self, shelf: Shelf) -> None:
        item = doc("ticket:00001KXKMX0QM", "The lock.", facts={"state": "closed"})
        thread = doc("ticket:00001KXKMX0QM/thread", "a", passages=passages("lock one", "lock two"))
        shelf.put(item, thread)
        shelf.index()

        once, twice = ask(shelf, "lock"), ask(shelf, "lock", per_source=2)

        assert (once.total, once.passages, once.items[0].more, once.items[0].state) == (1, 3, 2, "closed")
        assert (twice.total, len(twice.items), twice.items[0].more) == (2, 2, 1)

    def test_carry_their_caveats(self, shelf: Shelf) -> None:
        shelf.put(doc("memory:decision/lock", "Use a lock.", authority="memory", uncommitted=True, lossy=True, at=NOON))
        shelf.index()
        make_marker(shelf, "memory:decision/lock", "The lock was dropped in June.")

        hit = ask(shelf, "lock", as_of=NOON - timedelta(days=1)).items[0]

        told = " ".join(hit.caveats)
        for part in ("dropped in June", "Later than", "Not committed", "could not be decoded", "Generated memory"):
            assert part in told

    def test_are_spared_a_marker_on_other_lines(self, shelf: Shelf) -> None:
        shelf.put(doc("doc:docs/guide.md", "The lock.\n\n\n\n\n\n\n\nThe end."))
        shelf.index()
        make_marker(shelf, "doc:docs/guide.md#L9", "The end is near.")

        assert "The end is near" not in " ".join(ask(shelf, "lock").items[0].caveats)
        assert "The end is near" in " ".join(ask(shelf, "end").items[0].caveats)


class TestFilters:
    @pytest.mark.parametrize(
        ("kwargs", "found"),
        [
            ({"kinds": ["doc"]}, ["doc:docs/a.md"]),
            ({"authority": ["procedure"]}, ["doc:docs/a.md"]),
            ({"path": "docs/*"}, ["doc:docs/a.md"]),
            ({"path": "docs"}, ["doc:docs/a.md"]),
            ({"author": "HANA"}, ["session:plain/log"]),
            ({"speaker": "agent"}, ["session:plain/log"]),
            ({"since": NOON}, ["session:plain/log"]),
            ({"until": NOON}, ["doc:docs/a.md"]),
            ({"exclude": ["doc:docs/a.md#L1"]}, ["session:plain/log"]),
            ({"query": "lock kind:doc"}, ["doc:docs/a.md"]),
            ({"query": "lock after:2026-07-16"}, ["session:plain/log"]),
            ({"query": "lock author:hana"}, ["session:plain/log"]),
        ],
    )
    def test_narrow(self, shelf: Shelf, kwargs: dict[str, Any], found: list[str]) -> None:
        put_two(shelf)

        answer = ask(shelf, **{"query": "lock", **kwargs})

        assert sources(answer) == found

    def test_count_what_they_leave_out(self, shelf: Shelf) -> None:
        put_two(shelf)

        answer = ask(shelf, "lock", kinds=["doc"])

        assert (answer.total, answer.filtered, answer.nothing) == (1, 1, "")
        assert answer.facets["kind"] == {"doc": 1, "session": 1}

    def test_count_for_each_value_what_choosing_it_would_bring(self, shelf: Shelf) -> None:
        put_two(shelf)

        answer = ask(shelf, "lock", authority=["procedure"])

        assert answer.facets["kind"] == {"doc": 1}
        assert sum(answer.facets["authority"].values()) == 2

    def test_count_no_source_that_holds_a_phrase_across_two_passages_only(self, shelf: Shelf) -> None:
        shelf.put(doc("doc:docs/a.md", "The stale lock is left."))
        parts = passages("It is stale", "lock it again")
        shelf.put(doc("doc:docs/b.md", "It is stale\n\nlock it again", passages=parts))
        shelf.index()

        answer = ask(shelf, '"stale lock"')

        assert (answer.total, answer.filtered, answer.facets["kind"]) == (1, 0, {"doc": 1})

    def test_alone_list_what_they_leave(self, shelf: Shelf) -> None:
        put_two(shelf)

        assert sources(ask(shelf, "kind:session")) == ["session:plain/log"]


class TestStanceAndTime:
    def test_ranks_what_speaks_against_it_first(self, shelf: Shelf) -> None:
        shelf.put(doc("doc:plain.md", "lock lock lock works"))
        shelf.put(doc("doc:doubt.md", "The lock was abandoned, never again " + "x " * 60))
        events = passages("The lock " + "x " * 90, signals=("request_changes",))
        shelf.put(doc("ticket:00001KXKMX0QM/thread", "a", passages=events))
        shelf.index()

        answer = ask(shelf, "lock", stance="disconfirming")

        assert sources(answer) == ["ticket:00001KXKMX0QM", "doc:doubt.md", "doc:plain.md"]
        assert "asks for changes" in " ".join(answer.items[0].why)
        assert answer.items[0].signals == ["request_changes"]
        assert "Sought what speaks against it" in answer.notes[0]

    def test_ranks_what_spoke_against_it_by_then_before_what_came_later(self, shelf: Shelf) -> None:
        late = passages("lock lock lock", signals=("rejected",), at=NOON)
        shelf.put(doc("ticket:00001KXKMX0QM/thread", "a", passages=late, at=NOON))
        shelf.put(doc("doc:doubt.md", "The lock was abandoned " + "x " * 60, at=NOON - timedelta(days=9)))
        shelf.put(doc("doc:plain.md", "lock lock works", at=NOON - timedelta(days=9)))
        shelf.index()

        answer = ask(shelf, "lock", stance="disconfirming", as_of=NOON - timedelta(days=1))

        assert sources(answer) == ["doc:doubt.md", "ticket:00001KXKMX0QM", "doc:plain.md"]
        assert "Behind what was known by then, but it was rejected." in answer.items[1].why

    def test_says_what_looking_for_the_contrary_covers_also_when_nothing_is_found(self, shelf: Shelf) -> None:
        put_two(shelf)
        as_of = NOON - timedelta(hours=1)

        answer = ask(shelf, "zebra path:docs/**", stance="disconfirming", as_of=as_of, kinds=["doc"])
        flush_events()

        told = answer.notes[-1]
        assert told.startswith("Covers 1 source (1 doc) at commit aaaaaaaa, read for 8 signs and ")
        assert told.endswith(" words of refusal. Narrowed by path:.")
        detail = Event.objects.get(kind=Event.Kind.QUERY).detail
        assert detail["sources"] == {"doc": 1}
        assert (detail["filters"], detail["as_of"]) == (["path:"], as_of.isoformat())

    def test_says_nothing_of_coverage_where_all_stances_are_asked_for(self, shelf: Shelf) -> None:
        put_two(shelf)

        assert ask(shelf, "lock").notes == []

    def test_ranks_it_last_when_support_is_sought(self, shelf: Shelf) -> None:
        events = passages("lock lock lock", signals=("rejected",))
        shelf.put(doc("ticket:00001KXKMX0QM/thread", "a", passages=events))
        shelf.put(doc("doc:plain.md", "the lock " + "x " * 60))
        shelf.index()

        assert sources(ask(shelf, "lock", stance="supporting")) == ["doc:plain.md", "ticket:00001KXKMX0QM"]

    def test_flags_what_is_later_and_shows_what_is_earlier_first(self, shelf: Shelf) -> None:
        early, late = NOON - timedelta(days=9), NOON
        both = (*passages("the lock was planned", at=early), *passages("lock lock lock done", at=late))
        shelf.put(doc("ticket:00001KXKMX0QM/thread", "a", passages=both, at=late))
        shelf.put(doc("doc:late.md", "lock", at=late))
        shelf.index()

        answer = ask(shelf, "lock", as_of=NOON - timedelta(days=1))

        assert answer.items[0].snippet == "the lock was planned"
        assert not [caveat for caveat in answer.items[0].caveats if caveat.startswith("Later")]
        assert [caveat for caveat in answer.items[1].caveats if caveat.startswith("Later")]


class TestPages:
    def test_give_every_hit_once(self, shelf: Shelf) -> None:
        put_many(shelf, 23)

        seen, cursor = [], ""
        while True:
            answer = ask(shelf, "lock", limit=5, cursor=cursor)
            seen += sources(answer)
            cursor = answer.next_cursor
            if not cursor:
                break

        assert len(seen) == answer.total == 23
        assert len(set(seen)) == 23

    def test_stay_the_same_while_documents_come_in(self, shelf: Shelf) -> None:
        put_many(shelf, 20)
        seen, cursor, round_ = [], "", 0
        while round_ == 0 or cursor:
            answer = ask(shelf, "lock", limit=4, cursor=cursor)
            seen += sources(answer)
            cursor, round_ = answer.next_cursor, round_ + 1
            shelf.put(doc(f"doc:new/{round_}.md", "lock " * round_ * 3))
            shelf.index()

        assert len(seen) == len(set(seen)) == 20
        assert not [source for source in seen if source.startswith("doc:new/")]

    def test_refuse_a_cursor_of_another_search(self, shelf: Shelf) -> None:
        put_many(shelf, 10)
        cursor = ask(shelf, "lock", limit=2).next_cursor

        for asked, sent in (("other", cursor), ("lock", "abc"), ("lock", cursor[:-1])):
            with pytest.raises(BadCursor):
                ask(shelf, asked, limit=2, cursor=sent)

    def test_keep_within_a_budget_of_characters(self, shelf: Shelf) -> None:
        put_many(shelf, 20)

        answer = ask(shelf, "lock", budget=3_000)

        assert 1 <= answer.shown < 20
        assert answer.truncated
        assert answer.next_cursor
        assert sum(len(hit.model_dump_json()) for hit in answer.items) <= 3_000

    def test_ask_as_often_when_there_is_more(self, shelf: Shelf, django_assert_num_queries: Any) -> None:
        put_many(shelf, 5)
        ask(shelf, "lock")

        def count() -> int:
            with django_assert_num_queries(10, using="index", exact=False):
                ask(shelf, "lock")
            return 1

        assert count()
        put_many(shelf, 10, start=100)
        assert count()


class TestRecord:
    def test_of_a_search_is_an_event(self, shelf: Shelf) -> None:
        put_two(shelf)
        flush_events()
        actor = make_system()

        search_sources(
            SearchQuery(query="lock", stance="disconfirming"), workspace=shelf.workspace, now=NOON, actor=actor
        )
        flush_events()

        event = Event.objects.get(kind="query", actor=actor)
        assert event.detail["query"] == "lock"
        assert event.detail["stance"] == "disconfirming"
        assert len(event.subjects) == 2


def put_six(shelf: Shelf) -> None:
    """The six documents of row 3 of what users of neighbouring tools ran into, and a few signs."""
    shelf.put(doc("ticket:00001KXKMX0QM", "ロックファイルの残骸があると起動に失敗する。"))
    shelf.put(doc("doc:docs/sync.md", "同期のあとで一覧を再構築する。"))
    shelf.put(doc("doc:docs/rime.md", "雾凇词库是一个输入法的名字。"))
    shelf.put(doc("doc:docs/ko.md", "이 문서를 검색할 수 있다."))
    shelf.put(doc("doc:docs/wide.md", "ＡＰＩ の説明です。"))
    shelf.put(doc("session:plain/log", "task-0042 touched foo_bar.rs:12 this morning, in C++, for chip 38.101."))
    shelf.index()


def put_two(shelf: Shelf) -> None:
    shelf.put(doc("doc:docs/a.md", "The lock is old.", authority="procedure", at=NOON - timedelta(days=1)))
    spoken = passages("The lock is new.", fragment="entry", speaker="agent", author="hana", at=NOON)
    shelf.put(doc("session:plain/log", "The lock is new.", passages=spoken, at=NOON))
    shelf.index()


def put_many(shelf: Shelf, count: int, start: int = 0) -> None:
    for number in range(start, start + count):
        shelf.put(doc(f"doc:many/{number}.md", "lock " * (number % 7 + 1) + f"word{number} " * (number % 3)))
    shelf.index()


def make_marker(shelf: Shelf, target: str, reason: str) -> Marker:
    return Marker.objects.create(
        workspace=shelf.workspace,
        target=target,
        target_source=str(SourceRef.parse(target).bare),
        state="stale",
        reason=reason,
        origin="person",
        status="standing",
        made_by=make_system(),
        made_at=NOON,
    )
