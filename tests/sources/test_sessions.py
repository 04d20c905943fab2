"""Session logs: stable numbers, speakers, memory told apart, bad lines reported and passed."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.factories import NOON
from tests.sources.conftest import read_all
from tests.sources.repository import Repo
from yoimemory.refs import SourceRef
from yoimemory.sources.formats import Reading
from yoimemory.sources.models import Workspace
from yoimemory.sources.read import SourceGone, fragment_lines, read_document
from yoimemory.sources.reading import Document
from yoimemory.sources.records import Log, records_in
from yoimemory.sources.services import add_source, remove_source

pytestmark = pytest.mark.django_db

Register = Callable[[Path], Workspace]
LOG = [
    {"role": "user", "content": "May it start?\nSee docs/guide.md.", "timestamp": "2026-07-01T10:00:00Z"},
    {
        "role": "assistant",
        "content": [{"type": "text", "text": "いいえ。"}, {"type": "tool_use", "name": "Read", "input": {"p": 1}}],
        "timestamp": "2026-07-01T10:00:01.5+00:00",
    },
    {"role": "tool", "content": "blocked", "timestamp": 1_782_900_002},
    {"role": "system", "content": "reminder", "timestamp": "noon"},
]


def lines(*records: object) -> bytes:
    return b"".join(
        json.dumps(record, ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n" for record in records
    )


def one(repo: Repo, register: Register, data: bytes) -> tuple[Document, list[tuple[int | None, str]]]:
    repo.write(".yoi/sessions/log.jsonl", data)
    documents, unreadable = read_all(register(repo.root))
    (document,) = documents.values()
    return document, [(problem.line, problem.reason) for problem in unreadable]


class TestAPlainLog:
    def test_becomes_one_document_with_an_entry_per_record(self, repo: Repo, register: Register) -> None:
        document, problems = one(repo, register, lines(*LOG))

        assert problems == []
        assert str(document.ref) == "session:plain/log"
        assert document.text == 'May it start?\nSee docs/guide.md.\n\nいいえ。\nRead {"p": 1}\n\nblocked\n\nreminder'
        assert document.title == "May it start?"
        assert [
            (passage.fragment, passage.speaker, passage.start_line, passage.end_line) for passage in document.passages
        ] == [
            ("entry-1", "human", 1, 2),
            ("entry-2", "agent", 4, 5),
            ("entry-3", "tool", 7, 7),
            ("entry-4", "harness", 9, 9),
        ]
        assert document.passages[0].at == datetime(2026, 7, 1, 10, tzinfo=UTC)
        assert document.passages[3].at is None
        assert document.uncommitted
        assert document.revision == f"sha256:{document.digest}"
        assert [(link.target, link.where) for link in document.links] == [("doc:docs/guide.md", "entry-1")]
        assert fragment_lines(document, "entry-2-3") == (4, 7)

    def test_keeps_its_numbers_while_it_grows(self, repo: Repo, register: Register) -> None:
        whole = lines(*LOG)

        before, _ = one(repo, register, whole[: len(lines(*LOG[:2])) + 10])
        after, _ = one(repo, register, whole)

        assert before.facts["pending"]
        assert [passage.fragment for passage in before.passages] == ["entry-1", "entry-2"]
        assert after.passages[:2] == before.passages[:2]

    @pytest.mark.parametrize(
        ("data", "numbers", "problems"),
        [
            (lines(*LOG) + b'{"role": "user", "content": "half', [1, 2, 3, 4], []),
            (lines(*LOG) + '{"role": "user", "content": "末'.encode()[:-1], [1, 2, 3, 4], []),
            (lines(*LOG[:2]) + b"{broken\n" + lines(*LOG[2:]), [1, 2, 4, 5], [(3, "This line is not JSON.")]),
            (lines(LOG[0])[:-1] + lines(*LOG[1:]), [1, 2, 3, 4], []),
            (b"\n\n" + lines(LOG[0]) + b"  \n\t\n" + lines(*LOG[1:]), [1, 2, 3, 4], []),
            (lines(*LOG).replace(b"\n", b"\r\n"), [1, 2, 3, 4], []),
            (b"\xef\xbb\xbf" + lines(*LOG), [1, 2, 3, 4], []),
            (b"\xff\xfe" + lines(*LOG).decode().encode("utf-16-le"), [1, 2, 3, 4], []),
            (json.dumps(LOG).encode(), [1, 2, 3, 4], []),
            (b"7\n" + lines(*LOG), [2, 3, 4, 5], [(1, "This record is no JSON object.")]),
            (lines(*LOG[:1]) + b'{"role": "user", "content": "caf\xe9"}\n', [1, 2], []),
            (lines(LOG[0], {"role": "user", "content": "cut \ud83d"}), [1, 2], []),
            (b"[" * 60_000 + b"\n" + lines(*LOG), [2, 3, 4, 5], [(1, "This line is not JSON.")]),
        ],
    )
    def test_gives_every_good_entry_and_reports_each_bad_line(
        self, repo: Repo, register: Register, data: bytes, numbers: list[int], problems: list[tuple[int, str]]
    ) -> None:
        document, found = one(repo, register, data)

        assert [passage.fragment for passage in document.passages] == [f"entry-{number}" for number in numbers]
        assert found == problems
        document.text.encode()

    def test_keeps_a_long_line_and_its_neighbours(self, repo: Repo, register: Register) -> None:
        long = {"role": "tool", "content": "x" * (3 << 20)}

        repo.write(".yoi/sessions/log.jsonl", lines(LOG[0], long, LOG[2]))
        workspace = register(repo.root)
        documents, problems = read_all(workspace)

        assert {ref: [passage.fragment for passage in found.passages] for ref, found in documents.items()} == {
            "session:plain/log": ["entry-1", "entry-2"],
            "session:plain/log/part-2": ["entry-3"],
        }
        assert problems == []
        last = documents["session:plain/log/part-2"]
        assert read_document(workspace, SourceRef.parse("session:plain/log#entry-3")) == last
        assert read_document(workspace, SourceRef.parse("session:plain/log/part-2")) == last
        assert [link.target for link in last.links if link.kind == "parent"] == ["session:plain/log"]

    @given(st.lists(st.binary(max_size=60) | st.just(lines(LOG[0])[:-1]), max_size=12))
    def test_never_loses_a_good_line_among_noise(self, noise: list[bytes]) -> None:
        data = b"\n".join(piece.replace(b"\n", b"") for piece in noise) + b"\n"

        found = [record for _, record in records_in(iter([b"0\n" + data]), Log("x.jsonl"))]

        assert sum(record == LOG[0] for record in found) == sum(piece == lines(LOG[0])[:-1] for piece in noise)


class TestMemoryInALog:
    def test_is_told_apart_from_what_was_said(self, repo: Repo, register: Register) -> None:
        content = "Before.\n<memory>\nold rule\n</memory>\nAfter."

        document, _ = one(repo, register, lines({"role": "user", "content": content}))

        assert [
            (passage.fragment, passage.speaker, passage.text, passage.start_line) for passage in document.passages
        ] == [
            ("entry-1", "human", "Before.", 1),
            ("entry-1", "memory", "<memory>\nold rule\n</memory>", 2),
            ("entry-1", "human", "After.", 5),
        ]

    def test_is_what_our_own_answers_are(self, repo: Repo, register: Register) -> None:
        ours = {"role": "tool", "content": "Evidence … evidence:01JD0000000000000000000000"}
        said = {"role": "assistant", "content": "I cite evidence:01JD0000000000000000000000."}

        document, _ = one(repo, register, lines(ours, said))

        assert [passage.speaker for passage in document.passages] == ["memory", "agent"]
        assert [(link.kind, link.target) for link in document.links] == [
            ("cites", "evidence:01JD0000000000000000000000")
        ]

    def test_may_have_a_role_of_its_own(self, repo: Repo, register: Register) -> None:
        document, _ = one(repo, register, lines({"role": "memory", "content": "Pods are Workers."}))

        assert document.passages[0].speaker == "memory"


class TestLogsOfAgents:
    def test_carry_the_words_of_their_tagged_lines(self, repo: Repo, register: Register) -> None:
        repo.write(
            ".yoi/sessions/0197/1.jsonl",
            lines(
                {"kind": "segment_start", "ts": 1_782_900_000_000},
                {"kind": "user_input", "ts": 1_782_900_000_000, "segments": [{"kind": "text", "text": "please check"}]},
                {
                    "kind": "assistant_item",
                    "item": {"kind": "message", "role": "assistant", "content": [{"text": "done"}]},
                },
                {"kind": "tool_result", "item": {"kind": "tool_result", "summary": "failed", "is_error": True}},
                {"kind": "from_the_future", "payload": {}},
            ),
        )
        repo.write(
            ".yoi/sessions/c.jsonl",
            lines(
                {
                    "type": "user",
                    "timestamp": "2026-07-01T10:00:00.000Z",
                    "message": {"role": "user", "content": "hello"},
                },
                {
                    "type": "assistant",
                    "message": {
                        "role": "assistant",
                        "content": [{"type": "thinking", "thinking": "…"}, {"type": "text", "text": "hi"}],
                    },
                },
                {"type": "user", "message": {"role": "user", "content": [{"type": "tool_result", "content": "a\nb"}]}},
                {"type": "summary", "summary": "s"},
            ),
        )
        repo.write(
            ".yoi/sessions/x.jsonl",
            lines(
                {
                    "type": "response_item",
                    "payload": {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "go"}]},
                },
                {"type": "response_item", "payload": {"type": "function_call_output", "output": "ok"}},
            ),
        )
        repo.write(".yoi/sessions/0197/1.trace.jsonl", b"{}\n")

        documents, unreadable = read_all(register(repo.root))

        assert unreadable == []
        said = {
            ref: [(passage.fragment, passage.speaker, passage.text) for passage in document.passages]
            for ref, document in documents.items()
            if ref.startswith("session:")
        }
        assert said == {
            "session:yoi/0197/1": [
                ("entry-2", "human", "please check"),
                ("entry-3", "agent", "done"),
                ("entry-4", "tool", "failed"),
            ],
            "session:claude/c": [
                ("entry-1", "human", "hello"),
                ("entry-2", "agent", "hi"),
                ("entry-3", "tool", "a\nb"),
            ],
            "session:codex/x": [("entry-1", "human", "go"), ("entry-2", "tool", "ok")],
        }
        assert documents["session:yoi/0197/1"].facts["other"] == {"segment_start": 1, "from_the_future": 1}
        assert documents["session:yoi/0197/1"].passages[2].signals == ("failed",)

    @given(
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
            lambda inner: (
                st.lists(inner, max_size=3)
                | st.dictionaries(
                    st.sampled_from(
                        ["role", "content", "kind", "type", "message", "payload", "item", "text", "timestamp", "ts"]
                    ),
                    inner,
                    max_size=5,
                )
            ),
            max_leaves=12,
        )
    )
    def test_never_fail_whatever_they_hold(self, value: object) -> None:
        if isinstance(value, dict):
            log = Reading("log")
            log.survey(1, value)
            entry = log.entry(1, value)

            assert isinstance(entry.text, str)
            assert entry.speaker in {"human", "agent", "tool", "memory", "harness"}


class TestAnAddedFolder:
    def test_is_read_with_the_folder_as_its_root(self, repo: Repo, register: Register, tmp_path: Path) -> None:
        logs = tmp_path / "logs"
        (logs / "deep").mkdir(parents=True)
        (tmp_path / "secret.jsonl").write_bytes(lines(LOG[0]))
        (logs / "one.jsonl").write_bytes(lines(LOG[0]))
        (logs / "deep" / "two.jsonl").write_bytes(lines(LOG[1]))
        (logs / "out.jsonl").symlink_to(tmp_path / "secret.jsonl")
        (logs / "notes.md").write_text("no log\n")
        workspace = register(repo.root)
        source = add_source(workspace, path=logs, kind="session", now=NOON)

        documents, unreadable = read_all(workspace)

        assert sorted(documents) == ["session:plain/deep/two", "session:plain/one"]
        assert [problem.path for problem in unreadable] == ["out.jsonl"]
        assert read_document(workspace, SourceRef.parse("session:plain/deep/two#entry-1")).title == "deep/two"
        remove_source(source)
        with pytest.raises(SourceGone):
            read_document(workspace, SourceRef.parse("session:plain/one"))

    def test_may_be_a_single_file_and_may_share_a_name(self, repo: Repo, register: Register, tmp_path: Path) -> None:
        repo.write(".yoi/sessions/day.jsonl", lines(LOG[0]))
        (tmp_path / "logs").mkdir()
        (tmp_path / "logs" / "day.jsonl").write_bytes(lines(LOG[2]))
        workspace = register(repo.root)
        add_source(workspace, path=tmp_path / "logs" / "day.jsonl", kind="session", now=NOON)

        documents, _ = read_all(workspace)

        assert [documents[ref].text for ref in sorted(documents)] == [LOG[0]["content"], "blocked"]
        assert sorted(documents) == ["session:plain/day", "session:plain/day/day"]

    def test_that_went_away_is_passed_by(self, repo: Repo, register: Register, tmp_path: Path) -> None:
        (tmp_path / "logs").mkdir()
        repo.write("a.md", "fine\n")
        workspace = register(repo.root)
        add_source(workspace, path=tmp_path / "logs", kind="session", now=NOON)
        (tmp_path / "logs").rmdir()

        documents, unreadable = read_all(workspace)

        assert list(documents) == ["doc:a.md"]
        assert unreadable == []
