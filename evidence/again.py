"""Finding a quote again in another state of its source: where it surely stands, or how often it might."""

from dataclasses import dataclass

from evidence import gate
from evidence.models import Evidence


@dataclass(frozen=True, slots=True)
class Again:
    """Where a quote stands now, how that was found, and how many places hold its words. No place is guessed."""

    found: gate.Found | None
    method: str
    times: int


def find_again(evidence: Evidence, text: str, digest: str) -> Again:
    """Same text, else the only place with these words, else the only one with the same surroundings."""
    if digest == evidence.text_digest and evidence.start is not None and evidence.end is not None:
        return Again(gate.Found(evidence.start, evidence.end, evidence.match), "same text", evidence.occurrences)
    places = gate.every(text, evidence.quote) if evidence.quote else []
    if not places:
        return Again(None, "exact", 0)
    if len(places) == 1:
        return Again(places[0], places[0].match, 1)
    alike = [place for place in places if _same_surroundings(evidence, text, place)]
    if len(alike) == 1:
        return Again(alike[0], "exact, same context", len(places))
    return Again(None, "exact", len(places))


def _same_surroundings(evidence: Evidence, text: str, found: gate.Found) -> bool:
    before = text[max(0, found.start - len(evidence.prefix)) : found.start]
    return before == evidence.prefix and text[found.end : found.end + len(evidence.suffix)] == evidence.suffix
