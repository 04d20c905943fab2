"""Where evidence stands: derived from placements and markers, told as a state and as sentences, never stored."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db.models import Max, QuerySet

from evidence.beside import Beside, beside, fields_beside, limits
from evidence.models import Evidence, Placement
from evidence.schemas import AnchorOut, EvidenceOut, RelationOut
from yoimemory.markers.models import Marker

PKS_AT_ONCE = 5_000
"""SQLite takes so many values in one statement, with room to spare."""


@dataclass(frozen=True, slots=True)
class Standing:
    """The anchor state today, a sentence where it needs one, and the line where the words stand (else stood).

    `span` are the offsets in the text with `digest`; `words` what stands there where it is not the
    quote; `changes` what of it bears on meaning; `by` who confirmed it or attached it anew.
    """

    state: str
    note: str = ""
    line: int | None = None
    label: str = ""
    span: tuple[int, int] | None = None
    digest: str = ""
    words: str = ""
    changes: tuple[dict[str, str], ...] = ()
    by: str = ""
    rebased: bool = False

    @property
    def told(self) -> str:
        """The state in a word or two, as people read it."""
        return self.label or self.state


def standings(evidences: Iterable[Evidence]) -> dict[int, Standing]:
    """The standing of each piece of evidence by its pk: what the latest check found, else what intake proved."""
    rows = list(evidences)
    latest = latest_placements(rows)
    return {evidence.pk: _standing(evidence, latest.get(evidence.pk)) for evidence in rows}


def latest_placements(evidences: Iterable[Evidence]) -> dict[int, Placement]:
    """The latest placement of each, by pk of the evidence; in one query."""
    pks = [evidence.pk for evidence in evidences]
    if not pks:
        return {}
    return _newest(pks, Placement.objects.all())


def firm_placements(evidences: Iterable[Evidence]) -> dict[int, Placement]:
    """The latest placement of each at which the words surely stood, leaving out what a person took back."""
    firm = Placement.objects.filter(
        state__in=[Placement.State.VERIFIED, Placement.State.MOVED], start__isnull=False, text_digest__gt="",
        takes_back__isnull=True, taken_back_by__isnull=True,
    )  # fmt: skip
    return _newest([evidence.pk for evidence in evidences], firm)


def _newest(pks: list[int], among: QuerySet[Placement]) -> dict[int, Placement]:
    found: dict[int, Placement] = {}
    for at in range(0, len(pks), PKS_AT_ONCE):
        newest = among.filter(evidence__in=pks[at : at + PKS_AT_ONCE]).values("evidence").annotate(newest=Max("pk"))
        rows = Placement.objects.filter(pk__in=newest.values("newest")).select_related("by")
        found |= {placement.evidence_id: placement for placement in rows}
    return found


def caveats_of(
    evidences: Iterable[Evidence],
    *,
    known: dict[int, Standing] | None = None,
    besides: dict[int, Beside] | None = None,
) -> dict[int, list[str]]:
    """The caveats of each as sentences: markers, drift, uncommitted, recalled, later than the shoebox's as-of."""
    rows = list(evidences)
    stands = known if known is not None else standings(rows)
    markers, others = _markers(rows), besides if besides is not None else limits(rows)
    return {
        evidence.pk: _caveats(evidence, stands[evidence.pk], markers) + others[evidence.pk].caveats_of(evidence)
        for evidence in rows
    }


def is_later(evidence: Evidence) -> bool:
    """Whether the passage was written after the instant as of which its shoebox looks at the world."""
    as_of = evidence.shoebox.as_of
    return bool(as_of and evidence.said_at and evidence.said_at > as_of)


def evidence_out(
    evidence: Evidence, standing: Standing, caveats: Sequence[str], besides: Beside | None = None
) -> EvidenceOut:
    """The evidence as every machine reads it."""
    return EvidenceOut(
        id=evidence.public_id,
        ref=str(evidence.ref),
        shoebox=str(evidence.shoebox.ref),
        kind=evidence.kind,
        source_ref=str(evidence.address),
        title=evidence.title,
        authority=evidence.authority,
        speaker=evidence.speaker,
        said_by=evidence.said_by,
        said_at=evidence.said_at,
        quote=evidence.quote,
        summary=evidence.summary,
        inference=evidence.inference,
        why=evidence.why,
        relations=[RelationOut.model_validate(relation) for relation in evidence.relations.all()],
        scope=evidence.scope,
        basis=evidence.basis,
        anchor=_anchor_out(evidence),
        anchor_state=standing.state,
        anchor_note=standing.note,
        caveats=list(caveats),
        made_by=str(evidence.made_by),
        made_at=evidence.made_at,
        state=evidence.state,
        state_reason=evidence.state_reason,
        state_by=str(evidence.state_by) if evidence.state_by else None,
        state_at=evidence.state_at,
        superseded_by=str(evidence.superseded_by.ref) if evidence.superseded_by else None,
        version=evidence.version,
        **fields_beside(evidence, besides or Beside()),
    )


def evidence_outs(evidences: Iterable[Evidence]) -> list[EvidenceOut]:
    """Several at once, with a fixed number of queries."""
    rows = list(evidences)
    stands, besides = standings(rows), beside(rows)
    caveats = caveats_of(rows, known=stands, besides=besides)
    return [evidence_out(row, stands[row.pk], caveats[row.pk], besides[row.pk]) for row in rows]


def _anchor_out(evidence: Evidence) -> AnchorOut:
    fields = {name: getattr(evidence, name) for name in AnchorOut.model_fields if name != "ref"}
    return AnchorOut(ref=str(evidence.address), **fields)


def _standing(evidence: Evidence, placement: Placement | None) -> Standing:
    if evidence.kind != Evidence.Kind.QUOTE:
        return Standing(Placement.State.UNBOUND, line=evidence.start_line)
    if placement is None:
        return Standing(Placement.State.VERIFIED, line=evidence.start_line)
    return Standing(
        placement.state,
        _moved_note(evidence, placement) if placement.state == Placement.State.MOVED else placement.note,
        placement.start_line or evidence.start_line,
        placement.label,
        (placement.start, placement.end) if placement.start is not None and placement.end is not None else None,
        placement.text_digest,
        placement.words,
        tuple(placement.changes),
        str(placement.by) if placement.by else "",
        placement.rebased,
    )


def _moved_note(evidence: Evidence, placement: Placement) -> str:
    place = f"in {placement.place}, " if placement.place else ""
    where = f"Now {place}on line {placement.start_line}; it was quoted from line {evidence.start_line}."
    return f"{where} {placement.note}".strip()


def _caveats(evidence: Evidence, standing: Standing, markers: dict[str, list[Marker]]) -> list[str]:
    caveats = []
    if standing.state in Placement.DRIFTED:
        caveats.append(f"Anchor {standing.state}: {standing.note}".strip())
    if is_later(evidence):
        caveats.append("Later than this shoebox's as-of; not counted in its hypotheses.")
    if evidence.authority == "memory":
        caveats.append("From generated memory: it says what was remembered, and is no independent evidence.")
    if evidence.uncommitted and not standing.note.startswith("Quoted before it was committed"):
        caveats.append("Quoted from text that was not committed; the digest proves it, no commit does.")
    if standing.rebased:
        caveats.append(
            f"The commit it was quoted at, {evidence.revision[:8]}, is no longer part of the history: rebased away, or "
            "on another branch. The words and their proof are kept."
        )
    if standing.words and standing.state == Placement.State.MOVED:
        caveats.append(f"The source reads differently now, and a person accepted it: “{standing.words[:200]}”")
    imported = evidence.provenance.get("imported")
    if imported:
        caveats.append(
            f"Imported from {imported['evidence']} of {imported['workspace']}, extracted there by {imported['by']}; "
            f"it was {imported['state']} there, which binds nobody here."
        )
    earlier = evidence.provenance.get("rejected_before")
    if earlier:
        caveats.append(f"The same words were rejected before the source changed: {earlier}.")
    refs = {evidence.place, evidence.source, str(evidence.ref)}
    for marker in sorted({one for ref in refs for one in markers.get(ref, [])}, key=lambda one: one.pk):
        if concerns(marker, evidence, line=standing.line):
            caveats.append(marker.caveat)
    return caveats


def concerns(marker: Marker, evidence: Evidence, *, line: int | None = None) -> bool:
    """Whether a marker says something of this evidence: of itself, its whole place or source, or the very part quoted.

    `line` is where the words stand now, where that is known.
    """
    first = line or evidence.start_line
    last = first + (evidence.end_line or 0) - (evidence.start_line or 0) if first else None
    return marker.workspace_id == evidence.workspace_id and marker.concerns(
        evidence.place,
        also={evidence.source, str(evidence.ref)},
        lines=(first, max(first, last)) if first and last else None,
        part=evidence.hint.partition(" ")[0],
    )


def _markers(rows: list[Evidence]) -> dict[str, list[Marker]]:
    """Open markers on the evidence or its sources, by what they stand on."""
    if not rows:
        return {}
    refs = {ref for row in rows for ref in (row.place, row.source, str(row.ref))}
    found: dict[str, list[Marker]] = defaultdict(list)
    workspaces = {row.workspace_id for row in rows}
    for marker in Marker.objects.open().without_drift().filter(workspace__in=workspaces, target_source__in=refs):
        found[marker.target_source].append(marker)
    return found
