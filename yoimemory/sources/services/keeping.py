"""Verbs for what is kept for a workspace and lies in no file of it: records at an instant, messages of users."""

import hashlib
import json
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from yoimemory.access.models import Actor
from yoimemory.access.services import role_in, system_actor
from yoimemory.errors import BadInput, Forbidden
from yoimemory.jobs.models import Job
from yoimemory.jobs.services import enqueue
from yoimemory.journal.services import record_change
from yoimemory.refs import BadRef, SourceRef
from yoimemory.sources.decoding import clean
from yoimemory.sources.imports import ImportedFile, files_to_import
from yoimemory.sources.masking import mask
from yoimemory.sources.models import Message, Snapshot, Workspace
from yoimemory.sources.pointers import NotJson, lay_out
from yoimemory.sources.schemas import MessageDraft, RecordDraft


class BadRecord(BadInput):
    """What was sent as a record is no JSON that can be kept, or has an id that no address can carry."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """The snapshot that says what was sent, and whether it was already there."""

    snapshot: Snapshot
    unchanged: bool


def record_workspace_record(draft: RecordDraft, *, workspace: Workspace, actor: Actor, now: datetime) -> Recorded:
    """Keep how a record stands at an instant, beside every earlier snapshot of it.

    Secrets are masked before it is stored. Where the latest snapshot says the same, none is added.
    Raises Forbidden without a role, BadRecord for an id or a body that cannot be kept.
    """
    _require_role(actor, workspace)
    locator = _locator(draft.system, draft.id)
    body = json.dumps(draft.body, ensure_ascii=False)
    recorded = _keep(workspace, locator, body, actor, now, draft.taken_at or now, draft.origin)
    if not recorded.unchanged:
        enqueue(Job.Kind.INDEX, workspace=workspace, now=now)
    return recorded


@transaction.atomic
def capture_message(
    draft: MessageDraft, *, workspace: Workspace, actor: Actor, now: datetime, by_hand: bool = True
) -> Message:
    """Keep an instruction of a user in their own words, for good; nobody can change or delete it.

    Only secrets are masked, and the answer says how many. What a Worker passes on, or a script in a
    person's name (not `by_hand`), is kept as passed on: no person stands behind those words.
    Raises Forbidden without a role, BadInput for no words or a Worker that does not say whose they are.
    """
    _require_role(actor, workspace)
    if not draft.text.strip():
        raise BadInput("A message needs words.", fields={"text": "required"})
    said_by = mask(draft.said_by.strip()).text[: Message.NAME_MAX] or (actor.name if actor.is_person else "")
    if not said_by:
        raise BadInput("Say whose words these are.", hint="Name the user in said_by.", fields={"said_by": "required"})
    masked = mask(clean(draft.text)[0])
    message = Message.objects.create(
        workspace=workspace, text=masked.text, digest=_digest(masked.text), masked=masked.counts, said_by=said_by,
        said_at=draft.said_at or now, origin=mask(draft.origin.strip()).text[: Message.ORIGIN_MAX],
        captured_by=actor, captured_at=now, relayed=not (actor.is_person and by_hand),
    )  # fmt: skip
    record_change(
        message.ref, verb="message-captured", actor=actor, workspace=workspace, now=now,
        after={"said_by": said_by, "digest": message.digest},
    )  # fmt: skip
    enqueue(Job.Kind.INDEX, workspace=workspace, now=now)
    return message


def import_records(workspace: Workspace, *, now: datetime) -> list[Snapshot]:
    """Keep a snapshot of every JSON file in the record folders of a workspace that is new or has changed.

    The folders are left as they are; a file that is overwritten later keeps its earlier snapshots here.
    What cannot be kept is listed by the index, with its line.
    """
    kept: list[Snapshot] = []
    actor: Actor | None = None
    for file in files_to_import(workspace):
        actor = actor or system_actor("record import")
        try:
            recorded = _keep_file(workspace, file, actor, now)
        except (NotJson, BadRecord):
            continue
        if not recorded.unchanged:
            kept.append(recorded.snapshot)
    return kept


def _keep_file(workspace: Workspace, file: ImportedFile, actor: Actor, now: datetime) -> Recorded:
    taken_at = min(file.changed_at, now)
    locator = _locator(file.system, file.name)
    return _keep(workspace, locator, file.text, actor, now, taken_at, file.origin, mark=file.mark)


@transaction.atomic
def _keep(
    workspace: Workspace,
    locator: str,
    text: str,
    actor: Actor,
    now: datetime,
    taken_at: datetime,
    origin: str,
    *,
    mark: str = "",
) -> Recorded:
    body, masked = _body(text)
    latest = Snapshot.objects.of(workspace, locator).first()
    digest = _digest(body)
    if latest is not None and latest.digest == digest and taken_at >= latest.taken_at:
        if mark and latest.mark != mark:  # the same words in a file that was touched: it need not be read again
            Snapshot.objects.filter(pk=latest.pk).update(mark=mark)
        return Recorded(latest, unchanged=True)
    snapshot = Snapshot.objects.create(
        workspace=workspace, locator=locator, body=body, digest=digest, masked=masked, taken_at=taken_at,
        origin=mask(origin.strip()).text[: Snapshot.ORIGIN_MAX], mark=mark, recorded_by=actor, recorded_at=now,
    )  # fmt: skip
    record_change(
        snapshot.ref.bare, verb="record-recorded", actor=actor, workspace=workspace, now=now,
        before={"revision": f"sha256:{latest.digest}"} if latest else {}, after={"revision": f"sha256:{digest}"},
    )  # fmt: skip
    return Recorded(snapshot, unchanged=False)


def _body(text: str) -> tuple[str, dict[str, int]]:
    """The layout that is kept and how many secrets it held. Raises NotJson or BadRecord."""
    counts: dict[str, int] = {}

    def covered(inner: str) -> str:
        masked = mask(inner)
        for kind, count in masked.counts.items():
            counts[kind] = counts.get(kind, 0) + count
        return masked.text

    body = clean(lay_out(text, covered))[0]
    if len(body) > Snapshot.BODY_MAX:
        raise BadRecord(
            f"This record has {len(body):,} characters; at most {Snapshot.BODY_MAX:,} are kept.",
            hint="Send its parts as records of their own.",
            fields={"body": "too long"},
        )
    return body, counts


def _locator(system: str, name: str) -> str:
    """`<system>/<id>` as an address carries it. Raises BadRecord."""
    locator = f"{system}/{name}"
    try:
        if len(locator) <= Snapshot.LOCATOR_MAX and SourceRef.parse(str(SourceRef("record", locator))).locator:
            return locator
    except BadRef:
        pass
    raise BadRecord(
        f"{name[:80]!r} cannot be the id of a record.",
        hint="An id has no empty step and no . or .. between its slashes, and at most 300 characters.",
        fields={"id": "no address"},
    )


def _require_role(actor: Actor, workspace: Workspace) -> None:
    if not role_in(actor, workspace):
        raise Forbidden(f"{actor} has no role in {workspace}.", hint="An owner of the workspace can give one.")


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
