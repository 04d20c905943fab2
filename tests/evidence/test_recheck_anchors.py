"""Where quotes stand after their sources changed: verified, moved, orphaned, or not decided; never a guess."""

from typing import Any

import pytest

from evidence.models import Evidence, Placement
from evidence.schemas import EvidenceDraft
from evidence.services import extract_evidence, recheck_anchors
from evidence.standing import caveats_of, standings
from tests.evidence.conftest import Desk
from tests.evidence.repository import WORK_ITEMS
from tests.factories import NOON
from yoimemory.markers.schemas import MarkerDraft
from yoimemory.markers.services import mark_staleness
from yoimemory.refs import SourceRef
from yoimemory.search.services import index_workspace

pytestmark = pytest.mark.django_db

DOC = "doc:docs/work-items.md"
RULE = "Unresolved `depends_on` and incoming unresolved `blocks` are queue and acceptance blockers."
LAST = "A `related` link never blocks."


@pytest.fixture
def quotes(desk: Desk) -> list[Evidence]:
    """A middle line and the last line of one file."""
    drafts = [EvidenceDraft(ref=DOC, quote=quote, why="w") for quote in (RULE, LAST)]
    return extract_evidence(desk.shoebox, drafts, actor=desk.reviewer, now=NOON).stored


def recheck(desk: Desk, *refs: str) -> list[Placement]:
    return recheck_anchors(desk.workspace, [SourceRef.parse(ref) for ref in refs] if refs else None, now=NOON)


def states(desk: Desk, *evidences: Evidence) -> list[str]:
    found = standings(evidences)
    return [found[evidence.pk].state for evidence in evidences]


class TestRecheckAnchors:
    def test_adds_nothing_while_nothing_changed(self, desk: Desk, quotes: list[Evidence]) -> None:
        assert recheck(desk) == []
        assert states(desk, *quotes) == ["verified", "verified"]

    def test_says_moved_after_a_line_was_put_in_above(self, desk: Desk, quotes: list[Evidence]) -> None:
        desk.repository.write("docs/work-items.md", "A new first line.\n" + WORK_ITEMS)

        recheck(desk, DOC)

        assert states(desk, *quotes) == ["moved", "moved"]
        standing = standings(quotes)[quotes[0].pk]
        assert standing.line == 8
        assert "line 8" in standing.note

    def test_says_verified_after_a_change_below(self, desk: Desk, quotes: list[Evidence]) -> None:
        desk.repository.write("docs/work-items.md", WORK_ITEMS + "\nA last line.\n")
        desk.repository.commit()

        placements = recheck(desk, DOC)

        assert [placement.state for placement in placements] == ["verified", "verified"]
        assert len({placement.revision for placement in placements}) == 1

    def test_says_what_bears_on_meaning_after_the_line_was_edited_and_keeps_the_words(
        self, desk: Desk, quotes: list[Evidence]
    ) -> None:
        desk.repository.write("docs/work-items.md", WORK_ITEMS.replace("are queue and", "are no queue and no"))

        recheck(desk, DOC)

        assert states(desk, *quotes) == ["reworded-meaning", "verified"]
        quotes[0].refresh_from_db()
        assert quotes[0].quote == RULE
        assert "negation “no” was added" in caveats_of(quotes)[quotes[0].pk][0]

    def test_says_orphaned_after_the_line_was_taken_out(self, desk: Desk, quotes: list[Evidence]) -> None:
        desk.repository.write("docs/work-items.md", WORK_ITEMS.replace(RULE + "\n", ""))

        recheck(desk, DOC)

        assert states(desk, *quotes) == ["orphaned", "moved"]
        assert "no longer stand" in caveats_of(quotes)[quotes[0].pk][0]

    def test_says_moved_after_a_rename_that_the_index_has_seen(self, desk: Desk, quotes: list[Evidence]) -> None:
        desk.repository.rename("docs/work-items.md", "docs/rules/items.md")
        desk.repository.commit()
        index_workspace(desk.workspace, now=NOON)

        recheck(desk, DOC)

        assert states(desk, *quotes) == ["moved", "moved"]
        assert Placement.objects.filter(place="doc:docs/rules/items.md").count() == 2

    def test_says_orphaned_when_the_source_is_gone_and_verified_when_it_returns(
        self, desk: Desk, quotes: list[Evidence]
    ) -> None:
        desk.repository.remove("docs/work-items.md")
        recheck(desk, DOC)
        assert states(desk, *quotes) == ["orphaned", "orphaned"]
        assert "source is gone" in standings(quotes)[quotes[0].pk].note

        desk.repository.write("docs/work-items.md", WORK_ITEMS)
        recheck(desk, DOC)

        assert states(desk, *quotes) == ["verified", "verified"]
        assert Placement.objects.count() == 4

    def test_does_not_guess_between_two_places(self, desk: Desk, quotes: list[Evidence]) -> None:
        desk.repository.write("docs/work-items.md", f"{RULE}\nbetween\n{RULE}\nafter\n{LAST}\n")

        recheck(desk, DOC)

        assert states(desk, *quotes) == ["ambiguous", "moved"]
        assert "2 times" in standings(quotes)[quotes[0].pk].note

    def test_tells_places_apart_by_what_stands_round_them(self, desk: Desk, quotes: list[Evidence]) -> None:
        desk.repository.write("docs/work-items.md", WORK_ITEMS + f"\n## Again\n\n{RULE}\n")

        recheck(desk, DOC)

        assert states(desk, quotes[0]) == ["verified"]

    def test_finds_words_that_were_only_wrapped_anew(self, desk: Desk, quotes: list[Evidence]) -> None:
        desk.repository.write("docs/work-items.md", WORK_ITEMS.replace("are queue", "are\nqueue"))

        [first, *_] = recheck(desk, DOC)

        assert (first.state, first.label) == ("verified", "verified (layout)")
        assert "white space" in first.note

    def test_looks_only_at_what_changed(self, desk: Desk, quotes: list[Evidence]) -> None:
        desk.repository.write("docs/work-items.md", "Gone.\n")

        assert recheck(desk, "doc:docs/other.md") == []

    def test_never_rewrites_the_anchor_nor_a_placement(self, desk: Desk, quotes: list[Evidence]) -> None:
        before = Evidence.objects.filter(pk=quotes[0].pk).values().get()
        desk.repository.write("docs/work-items.md", "A line.\n" + WORK_ITEMS)
        recheck(desk, DOC)
        first = Placement.objects.order_by("pk").values().first()
        desk.repository.write("docs/work-items.md", "Gone.\n")

        recheck(desk, DOC)

        assert Evidence.objects.filter(pk=quotes[0].pk).values().get() == before
        assert Placement.objects.order_by("pk").values().first() == first

    def test_says_could_not_check_for_what_cannot_be_read(self, desk: Desk, quotes: list[Evidence]) -> None:
        desk.repository.write("docs/work-items.md", bytes(range(256)) * 20)

        recheck(desk, DOC)

        assert states(desk, quotes[0]) == ["could-not-check"]

    def test_needs_a_fixed_number_of_queries(
        self, desk: Desk, quotes: list[Evidence], django_assert_num_queries: Any
    ) -> None:
        recheck(desk)

        with django_assert_num_queries(1):
            standings(quotes)


class TestCaveats:
    def test_tell_of_markers_on_the_lines_alone(self, desk: Desk, quotes: list[Evidence]) -> None:
        for target, reason in ((f"{DOC}#L7", "Slice 2 changed it."), (DOC, "Under review."), (f"{DOC}#L1", "A title.")):
            draft = MarkerDraft(target=target, state="stale", reason=reason)
            mark_staleness(draft, workspace=desk.workspace, actor=desk.reviewer, now=NOON)

        told = caveats_of(quotes)

        assert [caveat.rpartition(": ")[2] for caveat in told[quotes[0].pk]] == ["Slice 2 changed it.", "Under review."]
        assert [caveat.rpartition(": ")[2] for caveat in told[quotes[1].pk]] == ["Under review."]

    def test_tell_of_what_is_later_than_the_as_of(self, desk: Desk) -> None:
        desk.shoebox.as_of = NOON.replace(day=15, hour=21, minute=20)
        desk.shoebox.save()
        draft = EvidenceDraft(
            ref="ticket:00001KXKMX0QM/thread", quote="Ticket を `workspace-panel` が queued にしました。", why="w"
        )

        [evidence] = extract_evidence(desk.shoebox, [draft], actor=desk.reviewer, now=NOON).stored

        assert caveats_of([evidence])[evidence.pk] == [
            "Later than this shoebox's as-of; not counted in its hypotheses."
        ]
