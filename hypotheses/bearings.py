"""How evidence bears on the hypotheses of a shoebox and on its question, as rows of representations tell it."""

from collections import defaultdict
from collections.abc import Iterable
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from evidence.models import Evidence, Relation
from hypotheses.models import Hypothesis
from shoebox.models import Shoebox


class Bearing(BaseModel):
    """How one row bears on one hypothesis of the shoebox, or on its question (then `name` is empty)."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    target: str = Field(max_length=200)
    name: str = Field("", max_length=12)
    relation: Literal["supports", "refutes", "contextualizes"]


def bearings_of(shoebox: Shoebox, evidences: Iterable[Evidence]) -> dict[int, list[Bearing]]:
    """How each piece bears on the hypotheses of the shoebox and on its question, by primary key."""
    names = {str(one.ref): f"H{one.number}" for one in Hypothesis.objects.in_shoebox(shoebox)}
    targets = [str(shoebox.ref), *names]
    relations = Relation.objects.filter(evidence__in=[one.pk for one in evidences], target__in=targets)
    found: dict[int, list[Bearing]] = defaultdict(list)
    for relation in relations:
        found[relation.evidence_id].append(
            Bearing.model_validate(
                {"target": relation.target, "name": names.get(relation.target, ""), "relation": relation.relation}
            )
        )
    for bearings in found.values():
        bearings.sort(key=lambda bearing: (len(bearing.name), bearing.name))
    return found


def bearing_words(bears: Iterable[Bearing]) -> str:
    """ "supports H1, refutes H2", for text and titles."""
    return ", ".join(f"{each.relation} {each.name or 'the question'}" for each in bears)
