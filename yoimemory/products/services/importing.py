"""Reading an artifact back in: the records it holds become records here, proved anew and judged anew."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from pydantic import ValidationError

from evidence.models import Evidence
from evidence.schemas import EvidenceDraft, EvidenceOut
from evidence.services import extract_evidence
from hypotheses.models import Hypothesis
from hypotheses.schemas import EvidenceRelation, HypothesisDraft, HypothesisOut, RepresentationDraft, RepresentationOut
from hypotheses.services import create_representation, propose_hypothesis
from shoebox.models import Shoebox
from shoebox.schemas import ItemDraft, ShoeboxDraft
from shoebox.services import add_items, create_shoebox, screen_items
from yoimemory.access.models import Actor
from yoimemory.errors import BadInput, DomainError, Refused
from yoimemory.journal.services import record_change
from yoimemory.products.artifact import digest_of_json
from yoimemory.products.files import text_now
from yoimemory.products.models import Import
from yoimemory.products.schemas import ArtifactItem, ArtifactOut
from yoimemory.products.services.rules import require_role
from yoimemory.refs import SourceRef
from yoimemory.sources.models import Workspace
from yoimemory.sources.opener import Missing

SIZE_MAX = 8 << 20
CLAIM_FIELDS = {"claim", "open_questions", "alternatives", "threshold", "minimum_evidence", "would_change"}


class NotAnArtifact(BadInput):
    """The text is no artifact of ours, or of a version that we do not read."""


class Tampered(Refused):
    """The artifact is not what it says of itself: something was changed after it was made."""


@dataclass(frozen=True, slots=True)
class Imported:
    """What became of an artifact: its shoebox here, whether that was here before, and what did not pass."""

    shoebox: Shoebox
    known: bool
    foreign: bool
    refused: list[dict[str, str]]


def read_artifact(text: str) -> ArtifactOut:
    """Read an artifact's JSON and hold it against its digest. Raises NotAnArtifact or Tampered."""
    if len(text) > SIZE_MAX:
        raise NotAnArtifact(f"This has {len(text):,} characters; an artifact has at most {SIZE_MAX:,}.")
    try:
        raw = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise NotAnArtifact("This is not JSON.", hint="Send the .json file of an export, whole.") from error
    if not isinstance(raw, dict) or not str(raw.get("schema", "")).startswith("yoimemory-artifact/"):
        raise NotAnArtifact("This JSON is no artifact of yoimemory.", hint="Its schema is yoimemory-artifact/1.")
    if raw.get("digest") != digest_of_json(raw):
        raise Tampered(
            "This artifact was changed after it was made: its content does not have the digest that it names.",
            hint="Ask for the file as it was exported; a changed quote or verdict is never taken in.",
        )
    try:
        return ArtifactOut.model_validate(raw)
    except ValidationError as error:
        place = ".".join(str(step) for step in error.errors()[0]["loc"])
        raise NotAnArtifact(
            f"This artifact is of a form that we do not read: {raw['schema']}, at {place}.",
            hint="It may come from a newer version; update, then import it again.",
        ) from error


def artifact_file(workspace: Workspace, path: str) -> str:
    """The text of an artifact's file in the workspace. Raises OutsideRoot, Unopenable, Missing or NotText."""
    found = text_now(workspace, path.strip())
    if found is None:
        raise Missing(path.strip())
    return found.raw


def import_artifact(text: str, *, workspace: Workspace, actor: Actor, now: datetime) -> Imported:
    """Take an artifact in. One that was made here names the shoebox it came from, and nothing is added.

    One made elsewhere becomes a shoebox of its own. Every quote passes the gate against the
    sources of this workspace, or is refused with a reason; what passes is *suggested*, every
    hypothesis is *proposed*, whatever was judged there, and the artifact stays readable as it
    came. Taking the same artifact in twice gives the same shoebox.
    Raises NotAnArtifact, Tampered, or Forbidden without the right to propose.
    """
    require_role(actor, workspace, to="import artifacts")
    artifact = read_artifact(text)
    own = Shoebox.objects.in_workspace(workspace).filter(public_id=_id(artifact.shoebox.ref)).first()
    if own is not None:
        return Imported(own, known=True, foreign=False, refused=[])
    before = Import.objects.finished().filter(digest=artifact.digest, shoebox__workspace=workspace)
    earlier = before.select_related("shoebox").first()
    if earlier is not None:
        return Imported(earlier.shoebox, known=True, foreign=earlier.foreign, refused=earlier.refused)
    return _Taking(artifact, workspace, actor, now).take(text)


@dataclass(slots=True)
class _Taking:
    """One import under way."""

    artifact: ArtifactOut
    workspace: Workspace
    actor: Actor
    now: datetime

    def take(self, text: str) -> Imported:
        shoebox, refused = self._shoebox()
        row = Import.objects.create(
            shoebox=shoebox, digest=self.artifact.digest, origin=self.artifact.shoebox.ref[:200],
            origin_workspace=self.artifact.workspace[:200], foreign=self._is_foreign(), content=text, by=self.actor,
            at=self.now,
        )  # fmt: skip
        refused += self._items(shoebox)
        stored, more = self._evidence(shoebox)
        claims, unclaimed = self._hypotheses(shoebox, stored)
        refused += more + unclaimed + self._elsewhere(claims) + self._representations(shoebox, stored, claims)
        with transaction.atomic():
            Import.objects.filter(pk=row.pk).update(refused=refused, finished_at=self.now)
            record_change(
                shoebox.ref, verb="artifact-imported", actor=self.actor, workspace=self.workspace, now=self.now,
                after={
                    "from": self.artifact.shoebox.ref, "digest": self.artifact.digest, "evidence": len(stored),
                    "hypotheses": len(claims), "refused": len(refused),
                },
            )  # fmt: skip
        return Imported(shoebox, known=False, foreign=row.foreign, refused=refused)

    def _is_foreign(self) -> bool:
        ours = self.workspace.workspace_id
        return not ours or ours != self.artifact.workspace_id

    def _shoebox(self) -> tuple[Shoebox, list[dict[str, str]]]:
        said = self.artifact.shoebox
        try:
            draft = ShoeboxDraft.model_validate(
                {**said.model_dump(include={"question", "task", "task_title", "purpose", "as_of"}), "gather": False}
            )
        except ValidationError as error:
            raise NotAnArtifact(f"Its shoebox cannot be opened: {_no('', '', error)['message']}.") from error
        try:
            return create_shoebox(draft, workspace=self.workspace, actor=self.actor, now=self.now), []
        except DomainError as error:
            title = said.task_title or f"{said.task}, elsewhere"
            draft = draft.model_copy(update={"task": "", "task_kind": "other", "task_title": title[:300]})
            shoebox = create_shoebox(draft, workspace=self.workspace, actor=self.actor, now=self.now)
            return shoebox, [_no("task", said.task, error)]

    def _items(self, shoebox: Shoebox) -> list[dict[str, str]]:
        refused = []
        for said in self.artifact.items:
            try:
                self._item(shoebox, said)
            except (DomainError, ValidationError) as error:
                refused.append(_no("item", said.ref, error))
        return refused

    def _item(self, shoebox: Shoebox, said: ArtifactItem) -> None:
        draft = ItemDraft.model_validate({"ref": said.ref, "rationale": said.rationale, "leaning": said.leaning})
        items = add_items(shoebox, [draft], actor=self.actor, now=self.now)
        if said.screening != "undecided" and self.actor.is_person:
            screen_items(items, screening=said.screening, reason=said.screening_reason, actor=self.actor, now=self.now)

    def _evidence(self, shoebox: Shoebox) -> tuple[dict[str, Evidence], list[dict[str, str]]]:
        """Everything quoted or observed, each piece through the gate; by its ref there."""
        said, drafts, refused = [], [], []
        for one in self.artifact.evidence:
            if one.state in Evidence.ENDED:
                refused.append({"what": "evidence", "ref": one.ref, "code": "ended_there", "message": (
                    f"It was {one.state} there. {one.state_reason}".strip())})  # fmt: skip
                continue
            try:
                drafts.append(_draft(one, self.artifact.shoebox.ref))
                said.append(one)
            except (ValidationError, DomainError) as error:
                refused.append(_no("evidence", one.ref, error))
        origins = [self._origin(one) for one in said]
        outcome = extract_evidence(shoebox, drafts, actor=self.actor, now=self.now, imported=origins)
        failed = {refusal.index: refusal for refusal in outcome.refused}
        passed = [one for index, one in enumerate(said) if index not in failed]
        for index, refusal in failed.items():
            one = said[index]
            refused.append({"what": "evidence", "ref": one.ref, "code": refusal.code, "message": refusal.message})
        return {one.ref: stored for one, stored in zip(passed, outcome.stored, strict=True)}, refused

    def _origin(self, one: EvidenceOut) -> dict[str, Any]:
        return {
            "evidence": one.ref, "workspace": self.artifact.workspace, "by": one.made_by,
            "at": one.made_at.isoformat(), "state": one.state, "state_by": one.state_by or "",
        }  # fmt: skip

    def _hypotheses(
        self, shoebox: Shoebox, stored: dict[str, Evidence]
    ) -> tuple[dict[str, Hypothesis], list[dict[str, str]]]:
        """The claims in their order, each proposed; by its ref there."""
        claims, refused = {}, []
        for said in sorted(self.artifact.hypotheses, key=lambda one: one.number):
            try:
                draft = _claim(said, shoebox, stored)
                claims[said.ref] = propose_hypothesis(draft, workspace=self.workspace, actor=self.actor, now=self.now)
            except (DomainError, ValidationError) as error:
                refused.append(_no("hypothesis", said.ref, error))
        return claims, refused

    def _elsewhere(self, claims: dict[str, Hypothesis]) -> list[dict[str, str]]:
        """Relations to claims of other shoeboxes there have no place here; each is named."""
        known = {self.artifact.shoebox.ref, *claims}
        return [
            {
                "what": "relation", "ref": relation.target, "code": "unknown_target",
                "message": f"{one.ref} also {relation.relation} {relation.target}, which is not in this artifact.",
            }
            for one in self.artifact.evidence
            for relation in one.relations
            if relation.target not in known
        ]  # fmt: skip

    def _representations(
        self, shoebox: Shoebox, stored: dict[str, Evidence], claims: dict[str, Hypothesis]
    ) -> list[dict[str, str]]:
        here = {ref: str(one.ref) for ref, one in stored.items()} | {ref: str(one.ref) for ref, one in claims.items()}
        here[self.artifact.shoebox.ref] = str(shoebox.ref)
        refused = []
        for said in self.artifact.representations:
            try:
                draft = _representation(said, shoebox, here)
                create_representation(draft, workspace=self.workspace, actor=self.actor, now=self.now)
            except (DomainError, ValidationError) as error:
                refused.append(_no("representation", said.ref, error))
        return refused


def _draft(one: EvidenceOut, question: str) -> EvidenceDraft:
    place = SourceRef.parse(one.source_ref)
    return EvidenceDraft.model_validate(
        {
            "ref": str(place.part("") if one.kind == "quote" else place),
            "kind": one.kind,
            "quote": one.quote,
            "line": one.anchor.start_line,
            "column": one.anchor.start_column,
            "relation": next((each.relation for each in one.relations if each.target == question), None),
            "why": one.why,
            "summary": one.summary,
            "inference": one.inference,
            "scope": one.scope,
            "basis": one.basis,
        }
    )


def _claim(said: HypothesisOut, shoebox: Shoebox, stored: dict[str, Evidence]) -> HypothesisDraft:
    words = said.model_dump(include=CLAIM_FIELDS)
    relations = [one.model_dump() for one in _relations(said, stored)]
    return HypothesisDraft.model_validate({"shoebox": str(shoebox.ref), **words, "relations": relations})


def _relations(said: HypothesisOut, stored: dict[str, Evidence]) -> Iterator[EvidenceRelation]:
    for cited in [*said.contradicting, *said.supporting, *said.contextual]:
        if cited.ref in stored:
            yield EvidenceRelation.model_validate({"evidence": str(stored[cited.ref].ref), "relation": cited.relation})


def _representation(said: RepresentationOut, shoebox: Shoebox, here: dict[str, str]) -> RepresentationDraft:
    return RepresentationDraft.model_validate(
        {
            "kind": said.kind, "shoebox": str(shoebox.ref), "title": said.title, "build": False,
            "body": _renamed(said.body, here),
        }
    )  # fmt: skip


def _renamed(value: Any, here: dict[str, str]) -> Any:
    """A body with every ref of a record there put as the record here."""
    if isinstance(value, dict):
        return {key: _renamed(entry, here) for key, entry in value.items()}
    if isinstance(value, list):
        return [_renamed(entry, here) for entry in value]
    return here.get(value, value) if isinstance(value, str) else value


def _no(what: str, ref: str, error: DomainError | ValidationError) -> dict[str, str]:
    if isinstance(error, DomainError):
        return {"what": what, "ref": ref, "code": error.code, "message": error.message}
    first = error.errors()[0]
    place = ".".join(str(step) for step in first["loc"])
    return {"what": what, "ref": ref, "code": "bad_input", "message": f"{place}: {first['msg']}"}


def _id(ref: str) -> str:
    return ref.partition(":")[2]
