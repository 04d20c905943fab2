"""Verbs: say what a word meant, take that back, keep a search, let it go. What is removed can be put back."""

from datetime import datetime

from django.db import IntegrityError, transaction

from yoimemory.access.models import Actor
from yoimemory.access.services import require_reviewer, role_in
from yoimemory.asking.models import Alias, SavedSearch
from yoimemory.asking.schemas import AliasDraft, RecentSearch, SavedSearchChange, SavedSearchDraft
from yoimemory.errors import Forbidden, Refused
from yoimemory.journal.models import Event
from yoimemory.journal.services import flush_events, record_change
from yoimemory.sources.models import Workspace

RECENT_MAX = 20
LOOKED_BACK = 300
"""Of so many searches of one person the last different ones are shown; older ones are not looked at."""


class AlreadySaid(Refused):
    """The same word already means the same thing here."""


class TooManySaved(Refused):
    """One person keeps so many searches and no more."""


class NameTaken(Refused):
    """Another search of the same person has that name already."""


class NotYours(Forbidden):
    """A saved search is changed by who saved it, or by a reviewer where it is shared."""


def add_alias(draft: AliasDraft, *, workspace: Workspace, actor: Actor, now: datetime) -> Alias:
    """Write down what a word meant until when. Raises AlreadySaid, Forbidden unless a reviewer says so."""
    require_reviewer(actor, workspace, to="change what words mean")
    try:
        with transaction.atomic():
            alias = Alias.objects.create(workspace=workspace, made_by=actor, made_at=now, **draft.model_dump())
            _record(alias, "alias-added", actor, now)
    except IntegrityError as error:
        raise AlreadySaid(
            f"“{draft.word}” already stands for “{draft.meaning}” here.",
            hint="Change its dates in the admin, or remove it first.",
        ) from error
    return alias


def change_alias(alias: Alias, draft: AliasDraft, *, actor: Actor, now: datetime) -> Alias:
    """Give an alias other words or dates. Raises AlreadySaid, Forbidden."""
    require_reviewer(actor, alias.workspace, to="change what words mean")
    before = Alias.objects.get(pk=alias.pk).told
    for name, value in draft.model_dump().items():
        setattr(alias, name, value)
    try:
        with transaction.atomic():
            alias.save(update_fields=list(draft.model_dump()))
            _record(alias, "alias-changed", actor, now, before=before)
    except IntegrityError as error:
        raise AlreadySaid(f"“{draft.word}” already stands for “{draft.meaning}” here.") from error
    return alias


@transaction.atomic
def remove_alias(alias: Alias, *, actor: Actor, now: datetime) -> Alias:
    """Stop applying an alias. It stays with its history and can be put back."""
    require_reviewer(actor, alias.workspace, to="change what words mean")
    if alias.removed_at is None:
        alias.removed_at = now
        alias.save(update_fields=["removed_at"])
        _record(alias, "alias-removed", actor, now)
    return alias


def restore_alias(alias: Alias, *, actor: Actor, now: datetime) -> Alias:
    """Apply a removed alias again. Raises AlreadySaid where another says the same by now."""
    require_reviewer(actor, alias.workspace, to="change what words mean")
    try:
        with transaction.atomic():
            alias.removed_at = None
            alias.save(update_fields=["removed_at"])
            _record(alias, "alias-restored", actor, now)
    except IntegrityError as error:
        raise AlreadySaid(f"{alias.told} is said by another entry by now.") from error
    return alias


@transaction.atomic
def save_search(draft: SavedSearchDraft, *, workspace: Workspace, actor: Actor, now: datetime) -> SavedSearch:
    """Keep a search under a name; the same name of the same person takes the new words.

    Raises TooManySaved, Forbidden without a role.
    """
    if not role_in(actor, workspace):
        raise Forbidden(f"{actor} has no role in {workspace}.", hint="An owner of the workspace can give one.")
    own = SavedSearch.objects.own(actor, workspace).live()
    saved = own.filter(name=draft.name).first()
    if saved is None and own.count() >= SavedSearch.OWN_MAX:
        raise TooManySaved(f"You keep {SavedSearch.OWN_MAX} searches already.", hint="Remove one first.")
    before = saved.asked if saved else {}
    if saved is None:
        saved = SavedSearch(workspace=workspace, name=draft.name, made_by=actor, made_at=now)
    saved.asked, saved.shared = draft.asked.told(), draft.shared
    saved.save()
    record_change(
        saved.ref, verb="search-saved", actor=actor, workspace=workspace, now=now,
        before={"asked": before}, after={"name": saved.name, "asked": saved.asked, "shared": saved.shared},
    )  # fmt: skip
    return saved


@transaction.atomic
def change_search(change: SavedSearchChange, saved: SavedSearch, *, actor: Actor, now: datetime) -> SavedSearch:
    """Give a saved search another name, share it or keep it to oneself again; what is None stays.

    Raises NotYours, NameTaken.
    """
    _require_keeper(saved, actor)
    before = {"name": saved.name, "shared": saved.shared}
    after = {**before, **change.model_dump(exclude_none=True)}
    own = SavedSearch.objects.filter(workspace=saved.workspace, made_by=saved.made_by, name=after["name"]).live()
    if own.exclude(pk=saved.pk).exists():
        raise NameTaken(f"A search named “{after['name']}” is kept already.", hint="Give it another name.")
    if after != before:
        saved.name, saved.shared = after["name"], after["shared"]
        saved.save(update_fields=["name", "shared"])
        record_change(
            saved.ref, verb="search-changed", actor=actor, workspace=saved.workspace, now=now,
            before=before, after=after,
        )  # fmt: skip
    return saved


@transaction.atomic
def remove_search(saved: SavedSearch, *, actor: Actor, now: datetime) -> SavedSearch:
    """Take a saved search off the list; `restore_search` undoes it. Raises NotYours."""
    _require_keeper(saved, actor)
    if saved.removed_at is None:
        _set_removed(saved, now, "search-removed", actor, now)
    return saved


@transaction.atomic
def restore_search(saved: SavedSearch, *, actor: Actor, now: datetime) -> SavedSearch:
    """Put a removed search back. Raises NotYours."""
    _require_keeper(saved, actor)
    if saved.removed_at is not None:
        _set_removed(saved, None, "search-restored", actor, now)
    return saved


def recent_searches(workspace: Workspace, *, actor: Actor) -> list[RecentSearch]:
    """What this person or Worker asked lately, each once, the latest first. Nobody else's are ever shown."""
    flush_events()
    events = Event.objects.filter(workspace=workspace, kind=Event.Kind.QUERY, detail__has_key="asked")
    if actor.user_id:
        events = events.filter(actor__user=actor.user_id)
    elif actor.token_id:
        events = events.filter(actor__token=actor.token_id)
    else:
        events = events.filter(actor=actor)
    found: dict[str, RecentSearch] = {}
    for at, detail in events.order_by("-pk").values_list("at", "detail")[:LOOKED_BACK]:
        key = str(sorted(detail["asked"].items()))
        if key not in found and len(found) < RECENT_MAX:
            found[key] = RecentSearch(
                asked=detail["asked"], at=at, total=detail.get("total", 0), nothing=detail.get("nothing", "")
            )
    return list(found.values())


def may_change(saved: SavedSearch, actor: Actor) -> bool:
    """Whether this actor may remove it: who saved it, and a reviewer where all see it."""
    if SavedSearch.objects.own(actor, saved.workspace).filter(pk=saved.pk).exists():
        return True
    return saved.shared and not actor.is_worker and role_in(actor, saved.workspace) in ("owner", "reviewer")


def _require_keeper(saved: SavedSearch, actor: Actor) -> None:
    if not may_change(saved, actor):
        raise NotYours(f"{saved.made_by} saved this search.", hint="Save one of your own beside it.")


def _set_removed(saved: SavedSearch, at: datetime | None, verb: str, actor: Actor, now: datetime) -> None:
    saved.removed_at = at
    saved.save(update_fields=["removed_at"])
    record_change(
        saved.ref, verb=verb, actor=actor, workspace=saved.workspace, now=now, after={"name": saved.name}
    )  # fmt: skip


def _record(alias: Alias, verb: str, actor: Actor, now: datetime, *, before: str = "") -> None:
    record_change(
        f"alias {alias.public_id}", verb=verb, actor=actor, workspace=alias.workspace, now=now,
        before={"told": before} if before else {}, after={"told": alias.told},
    )  # fmt: skip
