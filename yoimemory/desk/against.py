"""What speaks against each hypothesis of a shoebox, and what was looked for when nothing does."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from evidence.models import Evidence, Relation
from evidence.standing import Standing, is_later, standings
from hypotheses.models import Hypothesis
from shoebox.models import Shoebox
from yoimemory.desk.needs import Bearing

SHOWN = 2


@dataclass(slots=True)
class Quoted:
    """A piece of evidence with where its quote stands now, what limits it and what it bears on."""

    evidence: Evidence
    standing: Standing
    caveats: list[str] = field(default_factory=list)
    bearings: list[Bearing] = field(default_factory=list)


@dataclass(slots=True)
class Against:
    """What speaks against one claim (or, without a hypothesis, against the question itself)."""

    hypothesis: Hypothesis | None
    quotes: list[Quoted] = field(default_factory=list)
    refuting: int = 0
    supporting: int = 0
    sources: int = 0
    later_evidence: list[Evidence] = field(default_factory=list)

    @property
    def label(self) -> str:
        return f"H{self.hypothesis.number}" if self.hypothesis else "the question"

    @property
    def later(self) -> int:
        """Refuting evidence from after the as-of: shown, and counted apart."""
        return len(self.later_evidence)

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
        .select_related("evidence", "evidence__shoebox")
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


def _fill(entry: Against, relations: Sequence[Relation], standing: dict[int, Standing]) -> None:
    every = [relation.evidence for relation in relations if relation.relation == Relation.Kind.REFUTES]
    refuting = [evidence for evidence in every if not is_later(evidence)]
    entry.later_evidence = [evidence for evidence in every if is_later(evidence)]
    entry.refuting = len(refuting)
    entry.supporting = sum(
        relation.relation == Relation.Kind.SUPPORTS and not is_later(relation.evidence) for relation in relations
    )
    entry.sources = len({evidence.source for evidence in refuting})
    # What a person accepted comes before what a Worker suggested.
    refuting.sort(key=lambda evidence: evidence.state != Evidence.State.ACCEPTED)
    entry.quotes = [Quoted(evidence, standing[evidence.pk]) for evidence in refuting[:SHOWN]]
