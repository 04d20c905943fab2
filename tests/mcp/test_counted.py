"""Calls of tools are counted and kept as those over JSON are, in the same bucket (S34)."""

import pytest

from tests.mcp.conftest import House
from yoimemory.access import calls, throttle
from yoimemory.access.models import Call
from yoimemory.access.throttle import Throttle

pytestmark = pytest.mark.django_db


class TestACall:
    def test_too_many_is_refused_with_the_time_to_wait(self, house: House, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(throttle, "calls", Throttle(rate=0.1, burst=2))
        for _ in range(2):
            house.reader.text("search_sources", query="acceptance blockers")

        told = house.reader.refused("search_sources", query="acceptance blockers")

        assert told["code"] == "too_many_requests"
        assert "Try again in" in str(told)
        assert house.proposer.text("search_sources", query="acceptance blockers")

    def test_is_kept_with_what_came_of_it(self, house: House) -> None:
        house.reader.text("search_sources", query="acceptance blockers")
        house.reader.refused("create_shoebox", question="May it start?")

        calls.flush_calls()
        kept = [
            (call.surface, call.operation, call.status, call.code) for call in (*calls._waiting, *Call.objects.all())
        ]

        assert sorted(kept) == [
            ("mcp", "create_shoebox", 403, "scope_missing"),
            ("mcp", "search_sources", 200, ""),
        ]
