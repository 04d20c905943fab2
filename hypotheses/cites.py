"""What a row of a representation cites: evidence with its label and anchor state now and then, or a source's place."""

from collections.abc import Iterable
from dataclasses import dataclass

from evidence.models import Evidence
from evidence.standing import standings
from hypotheses.basis import labels_of
from hypotheses.models import Representation
from hypotheses.standing import cited_evidence
from yoimemory.refs import SourceRef

LABEL_MAX = 160


@dataclass(frozen=True, slots=True)
class Cite:
    """One ref of a row: where it leads, and how it stands against what it was when it was cited."""

    ref: str
    label: str
    evidence_id: str = ""
    state: str = ""
    was: str = ""
    gone: str = ""
    words: str = ""

    @property
    def moved(self) -> bool:
        return bool(self.gone) or (bool(self.was) and self.was != self.state)

    @property
    def ours(self) -> bool:
        return not self.evidence_id and self.ref.split(":", 1)[0] in {"hypothesis", "shoebox", "representation"}


@dataclass(frozen=True, slots=True)
class Cites:
    """Turns the refs of one representation into what a row shows of them, without a query per ref."""

    known: dict[str, Cite]

    @classmethod
    def of(cls, representation: Representation) -> "Cites":
        evidence = cited_evidence([representation])
        states, labels = standings(list(evidence.values())), labels_of(evidence.values())
        was = {cite["ref"]: cite for cite in representation.cites}
        return cls({ref: _cite(one, labels[one.pk], states[one.pk].state, was[ref]) for ref, one in evidence.items()})

    def __call__(self, refs: Iterable[str]) -> list[Cite]:
        """The cites of a row; the place of evidence that is cited too is not named twice."""
        cites = [self.known.get(ref) or Cite(ref=ref, label=short(ref)) for ref in refs]
        ours = [cite for cite in cites if cite.evidence_id]
        return ours or cites


def short(ref: str) -> str:
    """A ref that people can read in a table: the end of its locator and its fragment."""
    parsed = SourceRef.parse(ref)
    tail = "/".join(parsed.locator.split("/")[-2:])
    return f"{tail[:60]}#{parsed.fragment}" if parsed.fragment else tail[:60]


def label_of(evidence: Evidence) -> str:
    """What a row says of evidence: the quoted words in quotation marks, or a summary with its label."""
    if evidence.kind == Evidence.Kind.QUOTE:
        return f"“{_shortened(evidence.quote)}”"
    words = evidence.summary or evidence.inference or evidence.title or evidence.place
    return f"{evidence.get_kind_display()}: {_shortened(words)}"


def _shortened(words: str) -> str:
    line = " ".join(words.split())
    return line if len(line) <= LABEL_MAX else line[: LABEL_MAX - 1].rstrip() + "…"


def _cite(evidence: Evidence, label: str, state: str, was: dict[str, str]) -> Cite:
    gone = evidence.has_ended and was.get("state") != evidence.state
    return Cite(
        ref=str(evidence.ref),
        label=label,
        evidence_id=evidence.public_id,
        state=state,
        was=was.get("anchor_state", ""),
        gone=evidence.state if gone else "",
        words=label_of(evidence),
    )
