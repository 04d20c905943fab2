"""Rows changed by hand: what a person has read again is cited as it stands now, the rest as it was."""

from typing import Any

import pytest

from evidence.models import Evidence, Placement
from hypotheses.models import Representation
from hypotheses.schemas import RepresentationDraft, RepresentationEdit
from hypotheses.services import create_representation, edit_representation
from hypotheses.standing import representation_out
from tests.factories import NOON, make_evidence, make_person, make_shoebox

pytestmark = pytest.mark.django_db


def row(evidence: Evidence, label: str) -> dict[str, Any]:
    return {"at": "2026-07-15T21:26:15Z", "lane": "Tickets", "label": label, "refs": [str(evidence.ref)]}


def make_moved() -> tuple[Representation, list[Evidence]]:
    """Two rows, each resting on a quote that has been reworded since."""
    shoebox = make_shoebox()
    person = make_person(shoebox.workspace)
    quotes = [make_evidence(shoebox, state="accepted") for _ in range(2)]
    draft = RepresentationDraft.model_validate(
        {
            "kind": "timeline",
            "shoebox": str(shoebox.ref),
            "body": {"rows": [row(one, f"Row {number}") for number, one in enumerate(quotes)]},
        }
    )
    made = create_representation(draft, workspace=shoebox.workspace, actor=person, now=NOON)
    for one in quotes:
        Placement.objects.create(evidence=one, state="reworded", method="fuzzy", at=NOON)
    return made, quotes


def edited(made: Representation, rows: list[dict[str, Any]], **kwargs: Any) -> dict[str, str]:
    """The anchor state noted for each ref after an edit."""
    edit = RepresentationEdit(body={**made.body, "rows": rows})
    made = edit_representation(made, edit, version=made.version, actor=made.made_by, now=NOON, **kwargs)
    return {cite["ref"]: cite["anchor_state"] for cite in made.cites}


class TestEditRepresentation:
    def test_cites_a_changed_row_as_it_stands_and_the_others_as_they_were(self) -> None:
        made, (first, second) = make_moved()

        states = edited(made, [row(first, "Read again"), made.body["rows"][1]])

        assert states == {str(first.ref): "reworded", str(second.ref): "verified"}
        assert representation_out(made).state == "behind"

    def test_is_current_once_every_row_was_read_again(self) -> None:
        made, quotes = make_moved()

        edited(made, [row(one, "Read again") for one in quotes])

        assert representation_out(made).state == "current"

    def test_takes_a_row_that_is_saved_as_it_was_for_read(self) -> None:
        made, (first, second) = make_moved()

        states = edited(made, made.body["rows"], reread={0})

        assert states == {str(first.ref): "reworded", str(second.ref): "verified"}

    def test_keeps_what_a_row_that_only_changed_places_was_cited_with(self) -> None:
        made, (first, second) = make_moved()

        states = edited(made, list(reversed(made.body["rows"])))

        assert states == {str(first.ref): "verified", str(second.ref): "verified"}

    def test_keeps_what_another_row_still_rests_on(self) -> None:
        made, (_, second) = make_moved()

        states = edited(made, [row(second, "Of the other quote"), made.body["rows"][1]])

        assert states == {str(second.ref): "verified"}
