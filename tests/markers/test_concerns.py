"""Of which words a marker says something: one rule for search, for what is opened and for evidence."""

import pytest

from yoimemory.markers.models import Marker

ENTRY = "session:plain/one.jsonl"


class TestConcerns:
    @pytest.mark.parametrize(
        ("target", "place", "lines", "part", "concerned"),
        [
            ("doc:a.md", "doc:a.md", (3, 4), "", True),
            ("doc:b.md", "doc:a.md", (3, 4), "", False),
            ("ticket:1/thread", "ticket:1/thread", (3, 4), "event-2", True),
            ("ticket:1", "ticket:1/thread", (3, 4), "event-2", True),
            ("ticket:1#L3", "ticket:1/thread", (3, 4), "event-2", False),
            ("ticket:1/thread#event-2", "ticket:1/thread", (3, 4), "event-2", True),
            ("ticket:1/thread#event-9", "ticket:1/thread", (3, 4), "event-2", False),
            ("ticket:1/thread#event-9", "ticket:1/thread", (1, 90), "", True),
            ("doc:a.md#L4-L9", "doc:a.md", (3, 4), "", True),
            ("doc:a.md#L5-L9", "doc:a.md", (3, 4), "", False),
            ("doc:a.md#L5-L9", "doc:a.md", None, "", True),
            ("doc:a.md#heading=rules", "doc:a.md", (3, 4), "heading=names", True),
            (f"{ENTRY}#entry-3-5", ENTRY, (3, 4), "entry-5", True),
            (f"{ENTRY}#entry-3-5", ENTRY, (3, 4), "entry-6", False),
        ],
    )
    def test_is_told_by_place_lines_and_part(
        self, target: str, place: str, lines: tuple[int, int] | None, part: str, concerned: bool
    ) -> None:
        marker = Marker(target=target)

        assert marker.concerns(place, also={"ticket:1"}, lines=lines, part=part) == concerned
