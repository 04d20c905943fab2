"""A shoebox as one artifact: everything gathered, quoted, drawn and argued in it, as one value and as JSON.

No time of making, no order of chance, nothing of this machine: two artifacts of unchanged records
are the same bytes, so that a diff in the workspace shows what changed and nothing else.
"""

import hashlib
import json
from typing import Any

from evidence.beside import beside
from evidence.models import Evidence
from evidence.schemas import EvidenceOut
from evidence.standing import caveats_of, evidence_out, standings
from hypotheses.models import Hypothesis, Representation
from hypotheses.standing import hypotheses_out, representations_out
from shoebox.models import Shoebox
from yoimemory.errors import NotFound
from yoimemory.products.schemas import ArtifactItem, ArtifactOut, ArtifactShoebox, Part
from yoimemory.products.visible import is_hidden

HOLDS: dict[Part, frozenset[str]] = {
    "dossier": frozenset({"items", "evidence", "hypotheses", "representations"}),
    "shoebox": frozenset({"items"}),
    "evidence": frozenset({"evidence"}),
    "hypotheses": frozenset({"evidence", "hypotheses"}),
    "representations": frozenset({"evidence", "hypotheses", "representations"}),
}
"""The sections of each kind of artifact. What argues comes with what it rests on, so that it can be read back."""


class NoSuchRepresentation(NotFound):
    """The shoebox has no representation of that id."""


def artifact_of(shoebox: Shoebox, part: Part = "dossier", *, only: str = "") -> ArtifactOut:
    """Everything of a shoebox, or one part of it, in an order that does not depend on who asks or when.

    `only` is the id or ref of one representation, which then is the only one. Raises NoSuchRepresentation.
    """
    drawn = Representation.objects.in_shoebox(shoebox).select_related("shoebox", "made_by").order_by("pk")
    if only:
        part, drawn = "representations", drawn.filter(public_id=only.removeprefix("representation:"))
        if not drawn.exists():
            raise NoSuchRepresentation(
                f"{shoebox.ref} has no representation {only[:60]!r}.",
                hint="Copy the id from the representation's page.",
            )
    evidences = list(
        Evidence.objects.in_shoebox(shoebox)
        .select_related("shoebox", "made_by", "state_by", "superseded_by")
        .prefetch_related("relations")
        .order_by("pk")
    )
    standing, besides = standings(evidences), beside(evidences)
    caveats = caveats_of(evidences, known=standing, besides=besides)
    artifact = ArtifactOut(
        workspace=shoebox.workspace.slug,
        workspace_id=shoebox.workspace.workspace_id,
        shoebox=_shoebox(shoebox),
        items=[ArtifactItem.model_validate(item) for item in shoebox.items.order_by("position", "pk")],
        evidence=[
            _ordered(evidence_out(one, standing[one.pk], caveats.get(one.pk, []), besides[one.pk])) for one in evidences
        ],
        hypotheses=hypotheses_out(list(Hypothesis.objects.in_shoebox(shoebox).with_people().order_by("number"))),
        representations=representations_out(list(drawn)),
    )
    left_out: dict[str, list[object]] = {name: [] for name in HOLDS["dossier"] - HOLDS[part]}
    artifact = artifact.model_copy(update={"holds": part, **left_out})
    return artifact.model_copy(update={"digest": digest_of_records(artifact)})


def artifact_schema() -> dict[str, Any]:
    """The JSON Schema of an artifact, for machines of others. Its `$id` carries the version that artifacts name."""
    schema = ArtifactOut.model_json_schema(by_alias=True, mode="serialization")
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": str(ArtifactOut.model_fields["format"].default),
        **schema,
    }


def digest_of_records(artifact: ArtifactOut) -> str:
    """The digest that an artifact says of itself: over everything but this digest."""
    return digest_of_json(artifact.model_dump(mode="json"))


def digest_of_json(records: dict[str, Any]) -> str:
    """The same over an artifact as it was read from a file: of what stands there, whatever we know of it today."""
    kept = {name: value for name, value in records.items() if name != "digest"}
    text = json.dumps(kept, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return "sha256:" + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def as_json(artifact: ArtifactOut) -> str:
    """The artifact for machines. Hidden characters are written as escapes, so that a person sees them too."""
    text = json.dumps(artifact.model_dump(mode="json"), indent=2, sort_keys=True, ensure_ascii=False)
    return "".join(_escaped(char) if is_hidden(char) else char for char in text) + "\n"


def _shoebox(shoebox: Shoebox) -> ArtifactShoebox:
    return ArtifactShoebox(
        ref=str(shoebox.ref),
        question=shoebox.question,
        task=shoebox.task,
        task_kind=shoebox.task_kind,
        task_title=shoebox.task_title,
        purpose=shoebox.purpose,
        as_of=shoebox.as_of,
        state=shoebox.state,
        sought=shoebox.sought,
        opened_by=str(shoebox.opened_by),
        opened_at=shoebox.opened_at,
    )


def _ordered(out: EvidenceOut) -> EvidenceOut:
    return out.model_copy(update={"relations": sorted(out.relations, key=lambda one: (one.target, one.relation))})


def _escaped(char: str) -> str:
    return json.dumps(char)[1:-1]
