"""The timeline: its rows, and the picture of them."""

from datetime import datetime, timedelta

import pytest

from evidence.models import Evidence
from hypotheses.bearings import Bearing
from hypotheses.chart import LEFT, RIGHT, draw_detail, draw_timeline
from hypotheses.cites import LABEL_MAX
from hypotheses.kinds.timeline import Timeline, TimelineRow, build_timeline
from tests.factories import NOON, make_evidence, make_hypothesis, make_item, make_relation, make_shoebox
from yoimemory.search.models import Document, Unit

pytestmark = pytest.mark.django_db

MINUTE = timedelta(minutes=1)


def built(*evidences: Evidence) -> Timeline:
    return build_timeline(evidences[0].shoebox, evidences)


class TestBuildTimeline:
    def test_orders_rows_by_when_they_were_written(self) -> None:
        shoebox = make_shoebox()
        late = make_evidence(shoebox, said_at=NOON + MINUTE, quote="The second review asks for changes.")
        early = make_evidence(shoebox, said_at=NOON, quote="The ticket was queued from the panel.")

        timeline = built(late, early)

        assert [row.label for row in timeline.rows] == [f"“{early.quote}”", f"“{late.quote}”"]

    def test_puts_each_row_into_the_lane_of_its_source(self) -> None:
        shoebox = make_shoebox()
        ticket = make_evidence(shoebox, said_at=NOON, place="ticket:00001KXKMX0QM/thread")
        doc = make_evidence(shoebox, said_at=NOON + MINUTE, place="doc:docs/guide.md")

        assert [row.lane for row in built(ticket, doc).rows] == ["Tickets", "Docs"]

    def test_takes_the_date_of_the_source_where_the_passage_has_none(self) -> None:
        shoebox = make_shoebox()
        held = make_evidence(shoebox, place="doc:docs/guide.md")
        make_item(shoebox, "doc:docs/guide.md@" + "a" * 40, at=NOON)
        indexed = make_evidence(shoebox, place="doc:docs/old.md")
        unit = Unit.objects.create(workspace=shoebox.workspace.public_id, key="docs/old.md", reader="doc")
        Document.objects.create(
            workspace=shoebox.workspace.public_id, ref="doc:docs/old.md", source="doc:docs/old.md", kind="doc",
            title="Old", at=NOON - MINUTE, unit=unit, whole=0, authority="authority",
        )  # fmt: skip

        rows = built(held, indexed).rows

        assert [row.at for row in rows] == [NOON - MINUTE, NOON]

    def test_lists_what_has_no_date_and_never_guesses_one(self) -> None:
        evidence = make_evidence()

        timeline = built(evidence)

        assert timeline.rows == []
        assert timeline.undated == [str(evidence.ref)]

    def test_flags_what_is_later_than_the_as_of(self) -> None:
        shoebox = make_shoebox(as_of=NOON)
        at = make_evidence(shoebox, said_at=NOON)
        after = make_evidence(shoebox, said_at=NOON + MINUTE, quote="Both were closed afterwards.")

        timeline = built(at, after)

        assert [row.later for row in timeline.rows] == [False, True]
        assert timeline.as_of == NOON

    def test_says_how_a_row_bears_on_each_hypothesis(self) -> None:
        shoebox = make_shoebox()
        evidence = make_evidence(shoebox, said_at=NOON)
        first, second = make_hypothesis(shoebox), make_hypothesis(shoebox)
        make_relation(evidence, second.ref, "refutes")
        make_relation(evidence, first.ref, "supports")

        [row] = built(evidence).rows

        assert [(one.name, one.relation) for one in row.bears] == [("H1", "supports"), ("H2", "refutes")]

    def test_cites_the_evidence_and_the_place_as_it_was_quoted(self) -> None:
        evidence = make_evidence(said_at=NOON)

        assert built(evidence).rows[0].refs == [str(evidence.ref), str(evidence.address)]

    def test_keeps_the_voices_apart(self) -> None:
        summary = make_evidence(said_at=NOON, kind="summary", quote="", summary="Three tickets wait for each other.")

        assert built(summary).rows[0].label == "Summary: Three tickets wait for each other."

    def test_shortens_long_words_and_puts_them_on_one_line(self) -> None:
        evidence = make_evidence(said_at=NOON, quote="依存先が\n閉じていない。" * 60)

        label = built(evidence).rows[0].label

        assert len(label) == LABEL_MAX + 2
        assert "\n" not in label

    def test_is_the_same_for_any_order_of_the_evidence(self) -> None:
        shoebox = make_shoebox()
        every = [make_evidence(shoebox, said_at=NOON, quote=f"Line number {n} of the thread.") for n in range(5)]

        assert built(*every) == built(*reversed(every))


def row(at: datetime, lane: str = "Tickets", relation: str = "", **kwargs: object) -> TimelineRow:
    bears = [Bearing.model_validate({"target": "hypothesis:x", "name": "H1", "relation": relation})] if relation else []
    return TimelineRow.model_validate(
        {"at": at, "lane": lane, "label": "A line", "bears": bears, "refs": ["ticket:1"], **kwargs}
    )


class TestDrawTimeline:
    def test_draws_nothing_of_nothing(self) -> None:
        assert draw_timeline(Timeline(rows=[])) is None

    def test_keeps_every_dot_and_tick_between_the_edges(self) -> None:
        rows = [row(NOON + timedelta(hours=n * n), "Docs" if n % 2 else "Tickets") for n in range(20)]

        chart = draw_timeline(Timeline(rows=rows, as_of=NOON + timedelta(hours=5)))

        assert chart is not None
        places = [dot.x for lane in chart.lanes for dot in lane.dots] + [tick.x for tick in chart.ticks]
        assert all(LEFT <= x <= RIGHT for x in places)
        assert 2 <= len(chart.ticks) <= 12

    def test_orders_lanes_by_kind_and_ends_with_unknown_ones(self) -> None:
        rows = [row(NOON, "Elsewhere"), row(NOON, "Docs"), row(NOON, "Tickets")]

        chart = draw_timeline(Timeline(rows=rows))

        assert chart is not None
        assert [lane.name for lane in chart.lanes] == ["Tickets", "Docs", "Elsewhere"]

    def test_steps_dots_down_that_would_cover_one_another(self) -> None:
        chart = draw_timeline(Timeline(rows=[row(NOON), row(NOON), row(NOON + timedelta(days=9))]))

        assert chart is not None
        [lane] = chart.lanes
        assert len({(dot.x, dot.y) for dot in lane.dots}) == 3
        assert chart.height > lane.dots[1].y

    def test_draws_the_as_of_line_within_the_scale_even_past_the_last_row(self) -> None:
        chart = draw_timeline(Timeline(rows=[row(NOON)], as_of=NOON + timedelta(days=30)))

        assert chart is not None
        assert chart.as_of is not None
        assert LEFT < chart.as_of < RIGHT
        assert chart.as_of_turned

    def test_colours_by_the_one_hypothesis_asked_for(self) -> None:
        both = [
            Bearing.model_validate({"target": f"hypothesis:{name}", "name": name, "relation": relation})
            for name, relation in (("H1", "supports"), ("H2", "refutes"))
        ]
        timeline = Timeline(rows=[row(NOON).model_copy(update={"bears": both})])

        tones = []
        for target in ("", "hypothesis:H1", "hypothesis:H2"):
            chart = draw_timeline(timeline, target=target)
            assert chart is not None
            tones.append(chart.lanes[0].dots[0].tone)

        assert tones == ["", "supports", "refutes"]

    @pytest.mark.parametrize(
        "span", [timedelta(seconds=20), timedelta(hours=4), timedelta(days=40), timedelta(days=4000)]
    )
    def test_labels_a_handful_of_ticks_whatever_the_span(self, span: timedelta) -> None:
        chart = draw_timeline(Timeline(rows=[row(NOON), row(NOON + span)]))

        assert chart is not None
        assert 2 <= len(chart.ticks) <= 12
        assert len({tick.label for tick in chart.ticks}) == len(chart.ticks)


class TestDrawDetail:
    def test_enlarges_the_stretch_where_rows_crowd(self) -> None:
        crowded = [row(NOON + timedelta(seconds=15 * n)) for n in range(5)]
        apart = [row(NOON - timedelta(days=1)), row(NOON + timedelta(days=1))]

        detail = draw_detail(Timeline(rows=[apart[0], *crowded, apart[1]], as_of=NOON + timedelta(seconds=20)))

        assert detail is not None
        assert [dot.row for dot in detail.dots] == [2, 3, 4, 5, 6]
        assert detail.span == "1 minute"
        assert detail.as_of is not None

    def test_leaves_labels_room(self) -> None:
        crowded = [row(NOON + timedelta(seconds=n), label="長い見出し" * 20) for n in range(4)]

        detail = draw_detail(Timeline(rows=[*crowded, row(NOON + timedelta(days=1))]))

        assert detail is not None
        assert all(dot.label_y < detail.axis for dot in detail.dots)
        for one, other in zip(detail.dots, detail.dots[2:], strict=False):
            assert one.label_y != other.label_y or one.x + 250 < other.x
        assert len({dot.label_y for dot in detail.dots}) > 1

    def test_is_not_drawn_where_rows_stand_free(self) -> None:
        rows = [row(NOON + timedelta(days=n)) for n in range(6)]

        assert draw_detail(Timeline(rows=rows)) is None

    def test_is_not_drawn_for_rows_of_one_instant(self) -> None:
        rows = [row(NOON) for _ in range(5)]

        assert draw_detail(Timeline(rows=rows)) is None
