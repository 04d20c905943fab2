"""An instant in a draft is one in UTC, or is refused: every draft of every floor, at the ends of the calendar."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

from shoebox.schemas import ShoeboxDraft
from yoimemory.markers.schemas import ContradictionDraft, MarkerDraft
from yoimemory.search.schemas import SearchQuery
from yoimemory.sources.schemas import MessageDraft, RecordDraft

DRAFTS: list[tuple[type[BaseModel], dict[str, Any]]] = [
    (RecordDraft, {"system": "runtime", "id": "a", "body": {}}),
    (MessageDraft, {"text": "Use tabs."}),
    (MarkerDraft, {"target": "doc:a.md", "state": "stale", "reason": "Old."}),
    (ContradictionDraft, {"left": "doc:a.md", "right": "doc:b.md", "about": "Tabs."}),
    (SearchQuery, {"query": "tabs"}),
]


def _instants() -> Iterator[tuple[type[BaseModel], dict[str, Any], str]]:
    for draft, least in DRAFTS:
        for name, field in draft.model_fields.items():
            if "datetime" in str(field.annotation):
                yield draft, least, name


@pytest.mark.parametrize(("draft", "least", "name"), list(_instants()))
class TestAnInstant:
    def test_without_a_zone_is_in_utc(self, draft: type[BaseModel], least: dict[str, Any], name: str) -> None:
        found = draft.model_validate({**least, name: "2026-07-01T12:00:00"})

        assert getattr(found, name) == datetime(2026, 7, 1, 12, tzinfo=UTC)

    @pytest.mark.parametrize("written", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00"])
    def test_beyond_the_calendar_is_refused(
        self, draft: type[BaseModel], least: dict[str, Any], name: str, written: str
    ) -> None:
        with pytest.raises(ValidationError, match="every year that can be kept"):
            draft.model_validate({**least, name: written})


def test_every_draft_with_an_instant_is_tried() -> None:
    assert len(list(_instants())) == 8


@pytest.mark.parametrize(
    ("draft", "least", "name"),
    [
        (SearchQuery, {"query": "a"}, "until"),
        (SearchQuery, {"query": "a"}, "as_of"),
        (ShoeboxDraft, {"question": "May it?"}, "as_of"),
    ],
)
def test_a_day_up_to_which_is_asked_is_meant_whole(draft: type[BaseModel], least: dict[str, Any], name: str) -> None:
    day = draft.model_validate({**least, name: "2026-07-14"})
    instant = draft.model_validate({**least, name: "2026-07-14T00:00:00"})

    assert getattr(day, name) == datetime(2026, 7, 14, 23, 59, 59, 999_999, tzinfo=UTC)
    assert getattr(instant, name) == datetime(2026, 7, 14, tzinfo=UTC)


def test_a_day_from_which_on_is_asked_is_its_beginning() -> None:
    assert SearchQuery.model_validate({"query": "a", "since": "2026-07-14"}).since == datetime(2026, 7, 14, tzinfo=UTC)
