"""Words with a date, saved and recent searches as JSON."""

from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.utils import timezone
from ninja import Router, Status
from pydantic import BaseModel

from yoimemory.asking import services
from yoimemory.asking.models import Alias, SavedSearch, SavedSearchQuerySet
from yoimemory.asking.schemas import (
    AliasDraft,
    AliasOut,
    RecentSearch,
    SavedSearchChange,
    SavedSearchDraft,
    SavedSearchOut,
)
from yoimemory.http import Envelope, HttpRequest, page_of

router = Router(tags=["search"])


class Recent(BaseModel):
    """The caller's own searches of late, the latest first; nobody else's."""

    items: list[RecentSearch]


@router.get("/aliases", response=Envelope[AliasOut], operation_id="list_aliases")
def list_aliases(request: HttpRequest, limit: int | None = None, cursor: str = "") -> Envelope[AliasOut]:
    """List what words meant until when; searches apply each both ways."""
    rows = Alias.objects.in_workspace(request.workspace).live().select_related("made_by")
    return page_of(rows, limit, cursor, AliasOut.of)


@router.post("/aliases", response={201: AliasOut}, operation_id="add_alias")
def add_alias(request: HttpRequest, draft: AliasDraft, response: HttpResponse) -> Status[AliasOut]:
    """Write down what a word meant until when, as a person with the reviewer role. No token may."""
    alias = services.add_alias(draft, workspace=request.workspace, actor=request.actor, now=timezone.now())
    response["Location"] = "/api/v1/aliases"
    return Status(201, AliasOut.of(alias))


@router.post("/aliases/{id}/remove", response=AliasOut, operation_id="remove_alias")
def remove_alias(request: HttpRequest, id: str, restore: bool = False) -> AliasOut:
    """Stop applying an alias, or apply a removed one again, as a person with the reviewer role. No token may."""
    rows = Alias.objects.in_workspace(request.workspace).select_related("workspace", "made_by")
    verb = services.restore_alias if restore else services.remove_alias
    return AliasOut.of(verb(get_object_or_404(rows, public_id=id), actor=request.actor, now=timezone.now()))


@router.get("/searches", response=Envelope[SavedSearchOut], operation_id="list_saved_searches")
def list_saved_searches(request: HttpRequest, limit: int | None = None, cursor: str = "") -> Envelope[SavedSearchOut]:
    """List the searches that were kept: those that all share, and the caller's own."""
    rows = SavedSearch.objects.seen_by(request.actor, request.workspace).live().select_related("made_by")
    return page_of(rows, limit, cursor, SavedSearchOut.of)


@router.post("/searches", response={201: SavedSearchOut}, operation_id="save_search")
def save_search(request: HttpRequest, draft: SavedSearchDraft, response: HttpResponse) -> Status[SavedSearchOut]:
    """Keep a search under a name; the same name of the same caller takes the new words."""
    saved = services.save_search(draft, workspace=request.workspace, actor=request.actor, now=timezone.now())
    response["Location"] = "/api/v1/searches"
    return Status(201, SavedSearchOut.of(saved))


@router.get("/searches/recent", response=Recent, operation_id="list_recent_searches")
def list_recent_searches(request: HttpRequest) -> Recent:
    """List what the caller asked lately, each search once."""
    return Recent(items=services.recent_searches(request.workspace, actor=request.actor))


@router.patch("/searches/{id}", response=SavedSearchOut, operation_id="change_saved_search")
def change_saved_search(request: HttpRequest, id: str, change: SavedSearchChange) -> SavedSearchOut:
    """Give a saved search another name, or share it; only who saved it may, and a reviewer where it is shared."""
    saved = get_object_or_404(_searches(request).live(), public_id=id)
    return SavedSearchOut.of(services.change_search(change, saved, actor=request.actor, now=timezone.now()))


@router.post("/searches/{id}/remove", response=SavedSearchOut, operation_id="remove_saved_search")
def remove_saved_search(request: HttpRequest, id: str, restore: bool = False) -> SavedSearchOut:
    """Take a saved search off the list; with `restore` put it back."""
    verb = services.restore_search if restore else services.remove_search
    saved = get_object_or_404(_searches(request), public_id=id)
    return SavedSearchOut.of(verb(saved, actor=request.actor, now=timezone.now()))


def _searches(request: HttpRequest) -> SavedSearchQuerySet:
    return SavedSearch.objects.seen_by(request.actor, request.workspace).select_related("workspace", "made_by")
