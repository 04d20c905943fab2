"""The thread rule, oddity by oddity, and the whole sample."""

from datetime import UTC, datetime
from itertools import pairwise
from textwrap import dedent

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.sources.conftest import shared
from yoimemory.sources.readers.threads import read_events, speaker_of

LINES = ["<!-- event: review author: a at: 2026-07-01T00:00:00Z -->", "<!-- event: ", "---", "```", "````md", "~~~", "",
         "text", "## Heading", '<!-- event: x author: "', "\u2028", "\r"]  # fmt: skip


def thread(text: str) -> str:
    return dedent(text).lstrip("\n")


class TestReadEvents:
    def test_takes_kind_author_time_and_fields_from_the_header(self) -> None:
        text = thread("""
            <!-- event: state_changed author: "yoi x" at: 2026-07-15T21:26:15Z from: a to: queued why: "a \\"b\\"" -->

            ## Queued

            Body.

            ---
        """)

        (event,) = read_events(text)

        assert (event.number, event.start, event.end) == (1, 1, 5)
        assert (event.kind, event.author, event.heading) == ("state_changed", "yoi x", "Queued")
        assert event.at == datetime(2026, 7, 15, 21, 26, 15, tzinfo=UTC)
        assert event.fields["why"] == 'a "b"'
        assert event.facts()["to"] == "queued"

    def test_starts_an_event_without_a_rule_before_it(self) -> None:
        text = thread("""
            <!-- event: plan author: a at: 2026-07-01T00:00:00Z -->
            first
            <!-- event: review author: b at: 2026-07-01T00:00:00Z -->
            second
        """)

        assert [(event.kind, event.start, event.end) for event in read_events(text)] == [
            ("plan", 1, 2),
            ("review", 3, 4),
        ]

    def test_keeps_text_after_a_rule_and_strips_one_rule_at_the_end(self) -> None:
        text = thread("""
            <!-- event: review author: b at: 2026-07-01T00:00:00Z -->

            one

            ---

            two

            ---

            ---
        """)

        (event,) = read_events(text)

        assert (event.start, event.end) == (1, 9)

    def test_takes_no_example_in_a_closed_fence(self) -> None:
        text = thread("""
            <!-- event: comment author: a at: 2026-07-01T00:00:00Z -->

            ```md
            <!-- event: comment author: x at: 2026-07-01T00:00:00Z -->

            ---

            <!-- event: review author: x at: 2026-07-01T00:00:00Z -->
            ```

            ---

            <!-- event: close author: b at: 2026-07-02T00:00:00Z -->
        """)

        assert [event.kind for event in read_events(text)] == ["comment", "close"]

    def test_lets_no_open_fence_swallow_the_next_event(self) -> None:
        text = thread("""
            <!-- event: comment author: a at: 2026-07-01T00:00:00Z -->

            ```rust
            cut off

            ---

            <!-- event: close author: b at: 2026-07-02T00:00:00Z -->
        """)

        assert [event.kind for event in read_events(text)] == ["comment", "close"]

    def test_takes_pasted_front_matter_as_text(self) -> None:
        text = thread("""
            <!-- event: close author: a at: 2026-07-01T00:00:00Z -->

            ---
            id: 20260527-000001-old
            title: Old
            ---

            ## Background

            ---

            <!-- event: close author: b at: 2026-07-02T00:00:00Z -->

            again
        """)

        first, second = read_events(text)

        assert (first.end, second.kind) == (8, "close")

    def test_reports_what_is_odd_and_goes_on(self) -> None:
        text = thread("""
            <!-- event: create author: "a -- b" at: 2026-13-99 -->
            <!-- event: -->
            <!-- event: decision author: "q\\"uote" at: 2026-01-01T00:00:00Z from: a to: b
            never closed
        """)

        first, second, third = read_events(text)

        assert (first.author, first.at) == ("a -- b", None)
        assert "which is none" in first.odd
        assert "no kind" in second.odd
        assert (third.author, third.fields["to"]) == ('q"uote', "b")
        assert "not closed" in third.odd

    def test_tells_what_an_event_does_to_earlier_ones(self) -> None:
        text = thread("""
            <!-- event: review author: r at: 2026-07-01T00:00:00Z status: request_changes -->
            <!-- event: review author: r at: 2026-07-01T00:00:00Z result: approve -->
            <!-- event: state_changed author: a at: 2026-07-01T00:00:00Z from: queued to: planning reason: rescoped -->
            <!-- event: state_changed author: a at: 2026-07-01T00:00:00Z from: ready to: queued reason: queued -->
            <!-- event: state_changed author: a at: 2026-07-01T00:00:00Z from: ready to: closed reason: superseded -->
            <!-- event: decision author: o at: 2026-07-01T00:00:00Z -->

            Routing decision: blocked_by_dependency
            <!-- event: decision author: o at: 2026-07-01T00:00:00Z -->

            Routing decision: implementation_ready
        """)

        assert [event.signals for event in read_events(text)] == [
            ("request_changes",), (), ("reopened",), (), ("superseded",), ("blocked",), (),
        ]  # fmt: skip

    @given(st.lists(st.sampled_from(LINES), max_size=30))
    def test_covers_every_header_once_and_never_raises(self, lines: list[str]) -> None:
        events = read_events("\n".join(lines))

        assert [event.number for event in events] == list(range(1, len(events) + 1))
        for before, after in pairwise(events):
            assert before.start <= before.end < after.start

    def test_reads_the_487_events_of_the_sample(self) -> None:
        tickets = shared("samples", "yoi-sample", ".yoi", "tickets")

        events = {path.parent.name: read_events(path.read_text()) for path in tickets.glob("*/thread.md")}

        assert sum(map(len, events.values())) == 487
        assert not any(event.odd for found in events.values() for event in found)
        assert len(events["00001KVFD3YSV"]) == 35
        assert [event.kind for event in events["00001KSVPW8JR"]].count("close") == 2
        assert {event.start for event in events["00001KV10SN02"]} >= {128, 261}
        assert 11 in {event.start for event in events["00001KSTXNF6G"]}
        assert not {106, 114} & {event.start for event in events["00001KSKBPMP8"]}
        assert "fix" in {event.kind for event in events["00001KSTRGFX0"]}
        review = next(event for event in events["00001KTCJPGYG"] if event.start <= 264 <= event.end)
        assert review.end > 265

    def test_names_the_line_of_the_queue_event_of_the_first_scenario(self) -> None:
        path = shared("samples", "yoi-sample", ".yoi", "tickets", "00001KXKMX0QM", "thread.md")

        event = next(event for event in read_events(path.read_text()) if event.start == 130)

        assert (event.kind, event.author) == ("state_changed", "workspace-panel")
        assert event.start <= 134 <= event.end


class TestSpeakerOf:
    @pytest.mark.parametrize(
        ("author", "speaker"),
        [
            ("hare", "human"), ("Hana Tester", "human"), ("orchestrator", "agent"), ("yoi-orchestrator", "agent"),
            ("yoi-reviewer-00001KVFD3YSV-r4", "agent"), ("hare/intake", "agent"), ("planning-pod", "agent"),
            ("workspace-panel", "harness"), ("yoi ticket", "harness"), ("tickets.sh", "harness"),
            ("tickets.sh-migration", "harness"), ("LocalTicketBackend", "harness"), ("INSOMNIA", "harness"), ("", ""),
        ],
    )  # fmt: skip
    def test_follows_the_name(self, author: str, speaker: str) -> None:
        assert speaker_of(author) == speaker
