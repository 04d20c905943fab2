"""The chat history of Aider: turns by their marks, dated by their chat, streamed."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.factories import NOON
from tests.sources.conftest import read_all
from tests.sources.repository import Repo
from yoimemory.refs import SourceRef
from yoimemory.sources.formats.aider import ENTRY_MAX, FENCE_LINES, aider_records
from yoimemory.sources.models import Workspace
from yoimemory.sources.read import read_document
from yoimemory.sources.records import Log
from yoimemory.sources.services import add_source, preview_source

pytestmark = pytest.mark.django_db

Register = Callable[[Path], Workspace]
CHAT = """> the end of an earlier chat

# aider chat started at 2026-06-01 10:00:00

> Aider v0.80\x20\x20
> Model: x\x20\x20

#### Fix the lock order\x20\x20
#### in src/lock.py\x20\x20

I take the outer lock first.

```md
#### not the user
> not the tool
```

# A heading of the assistant

> Commit 1234567 fix: lock order\x20\x20
"""


def _turns(text: str | bytes) -> list[tuple[str, str]]:
    data = text.encode() if isinstance(text, str) else text
    return [(record["role"], record["content"]) for _, record in aider_records(iter([data]), Log("x"))]


class TestAiderTurns:
    def test_are_told_by_their_marks(self) -> None:
        assert _turns(CHAT) == [
            ("tool", "the end of an earlier chat"),
            ("system", "aider chat started at 2026-06-01 10:00:00"),
            ("tool", "Aider v0.80\nModel: x"),
            ("user", "Fix the lock order\nin src/lock.py"),
            ("assistant", "I take the outer lock first.\n\n```md\n#### not the user\n> not the tool\n```\n\n"
             "# A heading of the assistant"),
            ("tool", "Commit 1234567 fix: lock order"),
        ]  # fmt: skip

    def test_are_told_again_after_a_fence_that_is_never_closed(self) -> None:
        text = "```\n" + "code\n" * (FENCE_LINES + 1) + "\n#### Go on\n"

        assert _turns(text)[-1] == ("user", "Go on")

    def test_that_are_huge_go_on_as_further_entries(self) -> None:
        found = _turns("word word\n" * 250_000)

        assert len(found) == 3
        assert max(len(content) for _, content in found) < ENTRY_MAX * 1.2

    @pytest.mark.parametrize("data", [b"", b"\xff\xfe", b"\xef\xbb\xbf#### Hi", b"#### a\r\n#### b\r\n", b"\0" * 99])
    def test_of_odd_bytes_raise_nothing(self, data: bytes) -> None:
        assert all(role in {"user", "assistant"} for role, _ in _turns(data))


class TestAnAiderLog:
    def test_in_the_repository_is_a_session(self, repo: Repo, register: Register) -> None:
        repo.write(".aider.chat.history.md", CHAT)
        repo.write("sub/.aider.chat.history.md", "#### Sub\n")
        workspace = register(repo.root)

        documents, unreadable = read_all(workspace)

        assert unreadable == []
        assert set(documents) == {"session:aider/.aider.chat.history", "session:aider/sub/.aider.chat.history"}
        log = documents["session:aider/.aider.chat.history"]
        assert log.title == "Fix the lock order"
        assert [passage.speaker for passage in log.passages] == ["tool", "harness", "tool", "human", "agent", "tool"]
        assert log.passages[3].at is not None
        assert read_document(workspace, SourceRef.parse("session:aider/sub/.aider.chat.history#entry-1")).text == "Sub"

    def test_may_be_added_under_another_name(self, repo: Repo, register: Register, tmp_path: Path) -> None:
        place = tmp_path / "chat.md"
        place.write_text(CHAT)
        workspace = register(repo.root)
        add_source(workspace, path=place, kind="session", format="aider", now=NOON)

        documents, _ = read_all(workspace)

        assert [found.title for found in documents.values()] == ["Fix the lock order"]
        assert preview_source(place, kind="session", format="aider").files[0].records == 6
