"""What speaks against each hypothesis of a shoebox, and what was looked for when nothing does."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from evidence.models import Evidence, Relation
from evidence.standing import Standing, standings
from hypotheses.models import Hypothesis
from shoebox.models import Shoebox

SHOWN = 2


@dataclass(slots=True)
class Quoted:
    """A piece of evidence with where its quote stands now."""

    evidence: Evidence
    standing: Standing


@dataclass(slots=True)
class Against:
    """What speaks against one claim (or, without a hypothesis, against the question itself)."""

    hypothesis: Hypothesis | None
    quotes: list[Quoted] = field(default_factory=list)
    refuting: int = 0
    supporting: int = 0
    sources: int = 0

    @property
    def label(self) -> str:
        return f"H{self.hypothesis.number}" if self.hypothesis else "the question"

    @property
    def more(self) -> int:
        return self.refuting - len(self.quotes)


def against_each(shoebox: Shoebox) -> list[Against]:
    """One entry for every live hypothesis, in their order; the question itself where there is none or it has evidence.

    Three queries, however many hypotheses and pieces of evidence there are.
    """
    live = list(Hypothesis.objects.in_shoebox(shoebox).live().order_by("number"))
    relations = list(
        Relation.objects.filter(evidence__in=Evidence.objects.in_shoebox(shoebox).current())
        .exclude(relation=Relation.Kind.CONTEXTUALIZES)
        .select_related("evidence")
        .order_by("pk")
    )
    entries = {str(hypothesis.ref): Against(hypothesis) for hypothesis in live}
    question = str(shoebox.ref)
    if not live or any(relation.target == question for relation in relations):
        entries[question] = Against(None)
    standing = standings([relation.evidence for relation in relations])
    for ref, entry in entries.items():
        _fill(entry, [relation for relation in relations if relation.target == ref], standing)
    return list(entries.values())


def _fill(entry: Against, relations: Iterable[Relation], standing: dict[int, Standing]) -> None:
    refuting = [relation.evidence for relation in relations if relation.relation == Relation.Kind.REFUTES]
    entry.refuting = len(refuting)
    entry.supporting = sum(relation.relation == Relation.Kind.SUPPORTS for relation in relations)
    entry.sources = len({evidence.source for evidence in refuting})
    # What a person accepted comes before what a Worker suggested.
    refuting.sort(key=lambda evidence: evidence.state != Evidence.State.ACCEPTED)
    entry.quotes = [Quoted(evidence, standing[evidence.pk]) for evidence in refuting[:SHOWN]]
