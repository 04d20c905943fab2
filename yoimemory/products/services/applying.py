"""Carrying an approved proposal into the work, and undoing it: journal first, then one atomic write."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime

from django.db import transaction

from yoimemory.access.models import Actor
from yoimemory.access.services import require_reviewer
from yoimemory.errors import BadInput, DomainError
from yoimemory.journal.services import record_change
from yoimemory.markers.models import Marker
from yoimemory.markers.services import mark_staleness, resolve_markers
from yoimemory.products.files import bytes_now, digest_now, put, ticket_lock, writing_lock
from yoimemory.products.marks import read_mark
from yoimemory.products.models import Proposal, Writing
from yoimemory.products.places import check_place
from yoimemory.products.services.formats import require_format
from yoimemory.products.services.rules import (
    ChangedSince,
    NoSuchRecord,
    check_version,
    move,
    require_risk_confirmed,
    require_state,
)
from yoimemory.products.texts import read_text, write_text
from yoimemory.products.thread import appended, citing, entry_of
from yoimemory.products.visible import visible
from yoimemory.sources.opener import Changed, digest_of

Way = Proposal.Way


def artifact_path(proposal: Proposal) -> str:
    """Where a text for a ticket's thread goes when it is written as an artifact instead."""
    folder = proposal.path.rsplit("/", 1)[0]
    return f"{folder}/artifacts/{proposal.target.removeprefix('ticket_')}-{proposal.public_id}.md"


def apply_proposal(
    proposal: Proposal,
    *,
    actor: Actor,
    now: datetime,
    way: str = "",
    review: str = "",
    confirmed: bool = False,
    version: int | None = None,
) -> Proposal:
    """Write an approved proposal into the workspace, or note that a person carried its text over by hand.

    A file is written only if it still is what the proposal was made against; otherwise nothing
    is written and the proposal comes back in the state *conflict*. The bytes from before are kept
    first, so a crash at any moment leaves the old file or the new one, and both can be told.
    A text for a ticket's thread is carried over by hand, written as an artifact, or, when that is
    asked for by name, appended as an event under the ticket backend's own lock (`review` is then
    what a review says). A marker is set, and no file is touched. No ticket's state changes, and no
    commit is made.

    Raises NotAReviewer, NotInThisState, RiskNotConfirmed, WrongFormat, ForgesAnEvent, BackendBusy,
    StaleVersion, or what the opener raises.
    """
    require_reviewer(actor, proposal.workspace, to="apply proposals")
    check_version(proposal, version)
    require_state(proposal, Proposal.State.APPLIED, to="applied")
    chosen = _way(proposal, way)
    if chosen == Way.MARKED:
        return _mark(proposal, actor=actor, now=now)
    if chosen == Way.BY_HAND:
        return _finish(proposal, chosen, actor=actor, now=now)
    path = artifact_path(proposal) if chosen == Way.ARTIFACT else proposal.path
    check_place(path, Proposal.Target.TICKET_ARTIFACT if chosen == Way.ARTIFACT else proposal.target)
    require_risk_confirmed(proposal, path, confirmed=confirmed)
    require_format(proposal.workspace, proposal.target, path, proposal.content, proposed=False)
    with writing_lock(proposal.workspace), _beside_the_backend(proposal, chosen):
        _read_again(proposal, Proposal.State.APPLIED, to="applied")
        before = bytes_now(proposal.workspace, path)
        if chosen != Way.APPENDED and _digest(before) != proposal.base_digest:
            return _conflict(proposal, path, actor=actor, now=now)
        if chosen == Way.APPENDED:
            after = _with_event(proposal, path, before, author=actor.name, now=now, review=review)
        else:
            base = None if before is None else read_text(before, path=path)
            after = write_text(proposal.content, like=base, path=path)
        return _write(proposal, chosen, path, before, after, actor=actor, now=now)


def thread_entry(proposal: Proposal, *, author: str, now: datetime, review: str = "") -> str:
    """Exactly what appending this text would add to its ticket's thread."""
    body = citing(proposal.content, proposal.evidence, proposal=str(proposal.ref))
    return entry_of(proposal.target, body, author=author, now=now, review=review)


def revert_proposal(
    proposal: Proposal, *, actor: Actor, now: datetime, reason: str = "", version: int | None = None
) -> Proposal:
    """Undo an applied proposal: put back the bytes from before, if the file still holds what we wrote.

    Raises NotAReviewer, NotInThisState, ChangedSince (then nothing was touched), StaleVersion.
    """
    require_reviewer(actor, proposal.workspace, to="undo proposals")
    check_version(proposal, version)
    require_state(proposal, Proposal.State.REVERTED, to="undone")
    with writing_lock(proposal.workspace), _beside_the_backend(proposal, proposal.way):
        _read_again(proposal, Proposal.State.REVERTED, to="undone")
        writing = proposal.writings.filter(state=Writing.State.WRITTEN).order_by("-pk").first()
        if writing is not None:
            put_back([writing], actor=actor, now=now, reason=reason.strip())
        _unmark(proposal, actor=actor, now=now, reason=reason.strip())
        finish_reverted(proposal, writing, actor=actor, now=now, reason=reason.strip())
    return proposal


def put_back(writings: list[Writing], *, actor: Actor, now: datetime, reason: str = "") -> None:
    """Put back what stood in these files before, last written first; call it under the writing lock.

    They stay *undoing* until the caller has marked them undone together with what they were written
    for: after a crash in between, the start of the server knows what is left to do. All are looked
    at before the first is touched. Raises ChangedSince if one no longer holds what we wrote.
    """
    for writing in writings:
        if digest_now(writing.workspace, writing.path) != writing.after_digest:
            raise _changed_since(writing)
    done: list[Writing] = []
    for writing in reversed(writings):
        Writing.objects.filter(pk=writing.pk).update(
            state=Writing.State.UNDOING, undone_by=actor, note=reason[: Writing.NOTE_MAX]
        )
        data = None if writing.before is None else bytes(writing.before)
        try:
            put(writing.workspace, writing.path, data, expect_digest=writing.after_digest)
        except DomainError as error:
            Writing.objects.filter(pk=writing.pk).update(state=Writing.State.WRITTEN, undone_by=None, note="")
            mark_undone(done, now=now)
            if isinstance(error, Changed):
                raise _changed_since(writing) from error
            raise
        done.append(writing)


def mark_undone(writings: Iterable[Writing], *, now: datetime) -> None:
    """Say that these files hold again what they held before."""
    pks = [writing.pk for writing in writings]
    Writing.objects.filter(pk__in=pks).update(state=Writing.State.UNDONE, undone_at=now)


def finish_reverted(proposal: Proposal, writing: Writing | None, *, actor: Actor, now: datetime, reason: str) -> None:
    """Record that an applied proposal was undone, and its writing with it: both or neither."""
    with transaction.atomic():
        if writing is not None:
            mark_undone([writing], now=now)
        move(
            proposal, before=Proposal.State.APPLIED, state=Proposal.State.REVERTED, state_reason=reason,
            state_by=actor, state_at=now,
        )  # fmt: skip
        record_change(
            proposal.ref, verb="proposal-reverted", actor=actor, workspace=proposal.workspace, now=now,
            before={"state": Proposal.State.APPLIED, "digest": writing.after_digest if writing else ""},
            after={"state": proposal.state, "digest": writing.before_digest if writing else ""},
            reason=reason,
        )  # fmt: skip


def finish_applied(proposal: Proposal, writing: Writing, *, actor: Actor, now: datetime) -> None:
    """Record that a writing which a crash had cut short did reach its file. Call it in a transaction."""
    way = Way.ARTIFACT if writing.path != proposal.path else Way.APPENDED if proposal.is_text else Way.WRITTEN
    _finish(proposal, way, actor=actor, now=now, writing=writing)


def _read_again(proposal: Proposal, after: str, *, to: str) -> None:
    """Once nobody else writes: what was checked so far must be what stands. Raises NotInThisState, StaleVersion."""
    read = proposal.version
    proposal.refresh_from_db()
    require_state(proposal, after, to=to)
    check_version(proposal, read)


def _way(proposal: Proposal, way: str) -> str:
    if proposal.is_text:
        allowed = [Way.BY_HAND, Way.ARTIFACT, Way.APPENDED]
    else:
        allowed = [Way.MARKED] if proposal.is_mark else [Way.WRITTEN]
    if not way:
        if proposal.is_text:
            raise BadInput(
                "A ticket's thread has another writer, so say how this text reaches it.",
                hint=f"It can be {', '.join(allowed[:-1])} or {allowed[-1]}.",
                fields={"way": "required"},
            )
        return allowed[0]
    if way not in allowed:
        raise BadInput(f"This proposal cannot be {way}.", hint=f"It can be {' or '.join(allowed)}.")
    return way


@contextmanager
def _beside_the_backend(proposal: Proposal, way: str) -> Iterator[None]:
    """Keep the ticket backend out while its file is written; for any other file there is nobody to keep out."""
    if way != Way.APPENDED:
        yield
        return
    with ticket_lock(proposal.workspace, proposal.path.rsplit("/", 2)[0]):
        yield


def _with_event(
    proposal: Proposal, path: str, before: bytes | None, *, author: str, now: datetime, review: str
) -> bytes:
    if before is None:
        raise NoSuchRecord(f"{visible(path)} is not there, so nothing can be appended to it.", hint="Copy the text.")
    thread = read_text(before, path=path)
    entry = thread_entry(proposal, author=author, now=now, review=review)
    return write_text(appended(thread.text, entry), like=thread, path=path)


def _write(
    proposal: Proposal, way: str, path: str, before: bytes | None, after: bytes, *, actor: Actor, now: datetime
) -> Proposal:
    """Journal, then write, then record: in this order, each committed before the next."""
    digest = _digest(before)
    writing = Writing.objects.create(
        workspace=proposal.workspace, proposal=proposal, path=path, before=before, before_digest=digest,
        after_digest=digest_of(after), by=actor, at=now,
    )  # fmt: skip
    try:
        put(proposal.workspace, path, after, expect_digest=digest)
    except DomainError as error:
        _abandon(writing, error.message)
        if isinstance(error, Changed) and way != Way.APPENDED:
            return _conflict(proposal, path, actor=actor, now=now)
        raise
    with transaction.atomic():
        Writing.objects.filter(pk=writing.pk).update(state=Writing.State.WRITTEN)
        return _finish(proposal, way, actor=actor, now=now, writing=writing)


def _mark(proposal: Proposal, *, actor: Actor, now: datetime) -> Proposal:
    """Set the marker that was approved; no file is touched. Raises AlreadyMarked, NoSuchRecord."""
    with transaction.atomic():
        draft = read_mark(proposal.path, proposal.content).model_copy(update={"evidence": proposal.evidence})
        marker = mark_staleness(draft, workspace=proposal.workspace, actor=actor, now=now)
        _finish(proposal, Way.MARKED, actor=actor, now=now)
        Proposal.objects.filter(pk=proposal.pk).update(marker=marker)
        proposal.marker = marker
    return proposal


def _unmark(proposal: Proposal, *, actor: Actor, now: datetime, reason: str) -> None:
    """Resolve the marker that the proposal set, where it still stands."""
    if proposal.marker is not None and proposal.marker.status == Marker.Status.STANDING:
        said = reason or f"Undone with {proposal.ref}."
        resolve_markers([proposal.marker], actor=actor, resolution=said, now=now)


def _digest(data: bytes | None) -> str:
    return "" if data is None else digest_of(data)


def _finish(proposal: Proposal, way: str, *, actor: Actor, now: datetime, writing: Writing | None = None) -> Proposal:
    with transaction.atomic():
        move(
            proposal, before=Proposal.State.APPROVED, state=Proposal.State.APPLIED, state_reason="", state_by=actor,
            state_at=now, way=way,
        )  # fmt: skip
        record_change(
            proposal.ref, verb="proposal-applied", actor=actor, workspace=proposal.workspace, now=now,
            before={"state": Proposal.State.APPROVED, "digest": writing.before_digest if writing else ""},
            after={
                "state": proposal.state, "way": way, "path": writing.path if writing else "",
                "digest": writing.after_digest if writing else "",
            },
        )  # fmt: skip
    return proposal


def _conflict(proposal: Proposal, path: str, *, actor: Actor, now: datetime) -> Proposal:
    reason = f"{visible(path)} is no longer what this was proposed against; nothing was written."
    with transaction.atomic():
        move(
            proposal, before=Proposal.State.APPROVED, state=Proposal.State.CONFLICT, state_reason=reason,
            state_by=actor, state_at=now,
        )  # fmt: skip
        record_change(
            proposal.ref, verb="proposal-conflicted", actor=actor, workspace=proposal.workspace, now=now,
            before={"state": Proposal.State.APPROVED}, after={"state": proposal.state}, reason=reason,
        )  # fmt: skip
    return proposal


def _abandon(writing: Writing, note: str) -> None:
    Writing.objects.filter(pk=writing.pk).update(state=Writing.State.ABANDONED, note=note[: Writing.NOTE_MAX])


def _changed_since(writing: Writing) -> ChangedSince:
    return ChangedSince(
        f"{visible(writing.path)} was changed after we wrote it. Undoing would lose that change; nothing was touched.",
        hint="Edit the file by hand, or propose the change that puts it right.",
    )
