"""Shoeboxes as JSON. The address of a single one, whose show reads several floors, is the desk's."""

from typing import Literal

from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.utils import timezone
from ninja import Query, Router, Status
from pydantic import BaseModel, ConfigDict, Field

from shoebox import services
from shoebox.filters import ShoeboxFilter
from shoebox.models import Item, Shoebox
from shoebox.schemas import ItemDraft, ItemOut, ShoeboxDraft, ShoeboxGathered, ShoeboxOpened, ShoeboxOut
from yoimemory.http import Envelope, HttpRequest, page_of, set_version, version_named

router = Router(tags=["shoeboxes"])


class Narrow(BaseModel):
    """What a list of shoeboxes is narrowed by. All states, unless one is named."""

    state: Literal["", "open", "closed", "archived", "discarded"] = ""
    task: str = ""
    words: str = ""


class ItemDrafts(BaseModel):
    """Refs to add, all or none."""

    model_config = ConfigDict(extra="forbid")

    items: list[ItemDraft] = Field(min_length=1, max_length=100)


class Duplicate(BaseModel):
    """The question of the new shoebox."""

    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True)

    question: str = Field(min_length=3, max_length=Shoebox.QUESTION_MAX)
    gather: bool = False


class ItemsOut(BaseModel):
    """What was added."""

    items: list[ItemOut]


class Screening(BaseModel):
    """Keeps an item, sets it aside with a reason, or says which way it leans. What is left out stays."""

    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True)

    screening: Literal["undecided", "kept", "set aside"] | None = None
    reason: str = Field("", max_length=Item.RATIONALE_MAX)
    leaning: Literal["likely supports", "likely contradicts", "unclear"] | None = None
    position: int | None = Field(None, ge=1)


@router.get("/shoeboxes", response=Envelope[ShoeboxOut], operation_id="list_shoeboxes")
def list_shoeboxes(
    request: HttpRequest, narrow: Query[Narrow], limit: int | None = None, cursor: str = ""
) -> Envelope[ShoeboxOut]:
    """List the shoeboxes of the workspace, newest first."""
    own = Shoebox.objects.in_workspace(request.workspace).with_holdings().select_related("opened_by")
    data = {name: value for name, value in narrow.model_dump().items() if value}
    return page_of(ShoeboxFilter(data, own).qs, limit, cursor, ShoeboxOut.of)


@router.post("/shoeboxes", response={201: ShoeboxOpened}, operation_id="create_shoebox")
def create_shoebox(request: HttpRequest, draft: ShoeboxDraft, response: HttpResponse) -> Status[ShoeboxOpened]:
    """Open a shoebox for a question and gather what the workspace holds round it, for and against."""
    shoebox = services.create_shoebox(draft, workspace=request.workspace, actor=request.actor, now=timezone.now())
    response["Location"] = f"/api/v1/shoeboxes/{shoebox.public_id}"
    set_version(response, shoebox.version)
    return Status(201, ShoeboxOpened.of(shoebox))


@router.post("/shoeboxes/{id}/items", response={201: ItemsOut}, operation_id="add_items")
def add_items(request: HttpRequest, id: str, drafts: ItemDrafts, response: HttpResponse) -> Status[ItemsOut]:
    """Add refs to a shoebox. What a Worker adds comes as its proposal, within the budget."""
    shoebox = _shoebox(request, id)
    items = services.add_items(shoebox, drafts.items, actor=request.actor, now=timezone.now())
    response["Location"] = f"/api/v1/shoeboxes/{id}"
    return Status(201, ItemsOut(items=[ItemOut.model_validate(item) for item in items]))


@router.post("/shoeboxes/{id}/gather", response=ShoeboxGathered, operation_id="gather_shoebox")
def gather_shoebox(request: HttpRequest, id: str, response: HttpResponse, queries: str = "") -> ShoeboxGathered:
    """Gather again: `new` came in, `changed` moved on since. `queries` are further searches, one per line."""
    shoebox = _shoebox(request, id)
    more = [line.strip() for line in queries.splitlines() if line.strip()]
    gathered = services.gather_shoebox(shoebox, actor=request.actor, now=timezone.now(), queries=more)
    set_version(response, shoebox.version)
    return ShoeboxGathered.after(shoebox, new=gathered.new, changed=gathered.changed)


@router.post("/shoeboxes/{id}/duplicate", response={201: ShoeboxOpened}, operation_id="duplicate_shoebox")
def duplicate_shoebox(request: HttpRequest, id: str, wish: Duplicate, response: HttpResponse) -> Status[ShoeboxOpened]:
    """Open a shoebox for another question with the same material, undecided again; what was set aside stays behind."""
    made = services.duplicate_shoebox(
        _shoebox(request, id), question=wish.question, gather=wish.gather, actor=request.actor, now=timezone.now()
    )
    response["Location"] = f"/api/v1/shoeboxes/{made.public_id}"
    set_version(response, made.version)
    return Status(201, ShoeboxOpened.of(made))


@router.patch("/shoeboxes/{id}/items/{item_id}", response=ItemOut, operation_id="screen_item")
def screen_item(request: HttpRequest, id: str, item_id: str, change: Screening, response: HttpResponse) -> ItemOut:
    """Screen, lean or move one item. A Worker may, in a shoebox that it opened itself."""
    version = version_named(request)
    shoebox = _shoebox(request, id)
    item = get_object_or_404(Item.objects.select_related("shoebox"), public_id=item_id, shoebox=shoebox)
    item.shoebox = shoebox
    services.curate_item(item, **change.model_dump(), version=version, actor=request.actor, now=timezone.now())
    set_version(response, item.version)
    return ItemOut.model_validate(item)


def _shoebox(request: HttpRequest, id: str) -> Shoebox:
    rows = Shoebox.objects.in_workspace(request.workspace).select_related("workspace", "opened_by")
    return get_object_or_404(rows, public_id=id)
