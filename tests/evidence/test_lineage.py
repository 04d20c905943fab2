"""Corroboration counts where evidence comes from, not how often it was quoted."""

import pytest

from evidence.beside import beside
from evidence.lineage import lineages_of
from evidence.models import Evidence, Placement
from tests.evidence.conftest import Desk
from tests.factories import NOON, make_evidence, make_relation, make_worker
from yoimemory.markers.services import set_reliability
from yoimemory.refs import SourceRef

pytestmark = pytest.mark.django_db


class TestLineages:
    def test_ten_quotes_of_one_page_are_one(self, desk: Desk) -> None:
        rows = [make_evidence(desk.shoebox, quote=f"Sentence number {n} of the page.") for n in range(10)]

        assert len(set(lineages_of(rows).values())) == 1

    def test_two_agents_that_read_the_same_line_are_one(self, desk: Desk) -> None:
        rows = [make_evidence(desk.shoebox, made_by=make_worker(desk.workspace, name=name)) for name in ("one", "two")]

        assert len(set(lineages_of(rows).values())) == 1

    def test_a_copy_and_a_rename_are_one(self, desk: Desk) -> None:
        original = make_evidence(desk.shoebox, place="doc:docs/a.md", text_digest="a" * 64)
        copy = make_evidence(desk.shoebox, place="doc:copies/a.md", text_digest="a" * 64, quote="Other words of it.")
        renamed = make_evidence(desk.shoebox, place="doc:docs/b.md", quote="Words after the rename.")
        Placement.objects.create(evidence=original, state="moved", method="renamed", place="doc:docs/b.md", at=NOON)

        assert len(set(lineages_of([original, copy, renamed]).values())) == 1

    def test_a_file_and_its_diff_are_one(self, desk: Desk) -> None:
        rows = [make_evidence(desk.shoebox, place="doc:docs/a.md")]
        rows.append(make_evidence(desk.shoebox, place=f"diff:{'b' * 40}/docs/a.md", quote="A line that was added."))

        assert len(set(lineages_of(rows).values())) == 1

    def test_the_same_long_words_in_two_places_are_one_copied(self, desk: Desk) -> None:
        digest = "c" * 64
        rows = [
            make_evidence(desk.shoebox, place=place, quote_digest=digest) for place in ("doc:a.md", "ticket:00001KX")
        ]

        assert len(set(lineages_of(rows).values())) == 1

    def test_two_documents_with_words_of_their_own_are_two(self, desk: Desk) -> None:
        rows = [make_evidence(desk.shoebox, place=f"doc:{n}.md", quote=f"Words of document {n}.") for n in range(2)]

        assert len(set(lineages_of(rows).values())) == 2


class TestBeside:
    def _on_the_question(self, desk: Desk, place: str, quote: str) -> Evidence:
        evidence = make_evidence(desk.shoebox, place=place, quote=quote)
        make_relation(evidence, desk.shoebox.ref, "supports")
        return evidence

    def test_counts_pieces_and_lineages_of_the_same_relation(self, desk: Desk) -> None:
        first = self._on_the_question(desk, "doc:a.md", "One sentence of a.")
        self._on_the_question(desk, "doc:a.md", "Another sentence of a.")
        self._on_the_question(desk, "doc:b.md", "A sentence of b.")

        [told] = beside([first])[first.pk].corroboration

        assert (told.pieces, told.lineages) == (3, 2)

    def test_shows_how_far_people_trust_the_source(self, desk: Desk) -> None:
        evidence = make_evidence(desk.shoebox)
        set_reliability(
            SourceRef.parse("doc:docs/guide.md#L4"), grade="unreliable", reason="Out of date since May.",
            workspace=desk.workspace, actor=desk.reviewer, now=NOON,
        )  # fmt: skip

        other = beside([evidence])[evidence.pk]

        assert other.reliability is not None
        assert other.reliability.grade == "unreliable"
        assert other.caveats_of(evidence) == ["Its source is graded unreliable by rin: Out of date since May."]
