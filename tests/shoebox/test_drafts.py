"""What may stand in a draft of a shoebox."""

from datetime import UTC, datetime

import pytest
from pydantic import ValidationError

from shoebox.schemas import ShoeboxDraft


class TestAsOf:
    def test_is_told_in_utc(self) -> None:
        draft = ShoeboxDraft(question="May it start?", as_of=datetime.fromisoformat("2026-07-16T21:00:00+09:00"))

        assert draft.as_of == datetime(2026, 7, 16, 12, 0, tzinfo=UTC)

    @pytest.mark.parametrize("edge", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00"])
    def test_lies_within_the_calendar(self, edge: str) -> None:
        with pytest.raises(ValidationError, match="outside the calendar"):
            ShoeboxDraft(question="May it start?", as_of=datetime.fromisoformat(edge))
