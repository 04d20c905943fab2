"""Pages of the shoebox: the list, a new one, and what the workbench does to items."""

from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe
from django_htmx.http import HttpResponseClientRedirect, trigger_client_event

from shoebox import services
from shoebox.filters import ShoeboxFilter
from shoebox.fitting import left_told
from shoebox.forms import BudgetForm, ItemForm, ShoeboxForm
from shoebox.groups import lay_out
from shoebox.models import Item, Shoebox
from yoimemory.errors import DomainError
from yoimemory.http import HttpRequest, blame, first_error, number_in, render_page, sentence, status_of

PER_PAGE = 30


@require_safe
def shoebox_list(request: HttpRequest) -> TemplateResponse:
    """Show the shoeboxes of the workspace, newest first, narrowed and paged."""
    own = Shoebox.objects.in_workspace(request.workspace)
    narrowed = ShoeboxFilter({"state": "open", **request.GET.dict()}, own)
    rows = narrowed.qs.with_holdings().select_related("opened_by").order_by("-pk")
    page = Paginator(rows, PER_PAGE).get_page(request.GET.get("page"))
    query = request.GET.copy()
    query.pop("page", None)
    context = {"filter": narrowed, "page": page, "any": bool(page.object_list) or own.exists(), "query_string": query}
    return render_page(request, "shoebox/list.html", context, parts={"shoeboxes"})


@require_safe
def shoebox_new(request: HttpRequest) -> HttpResponse:
    """Show the form for a new shoebox, filled from the address, so that other pages can link here."""
    named = {
        name: request.GET[name]
        for name in ("question", "task", "task_kind", "task_title", "as_of")
        if name in request.GET
    }
    return render_page(request, "shoebox/new.html", {"form": ShoeboxForm(initial=named)})


@require_POST
def shoebox_create(request: HttpRequest) -> HttpResponse:
    """Open a shoebox and go to its workbench, or show the form with what is wrong."""
    form = ShoeboxForm(request.POST)
    if form.is_valid():
        try:
            shoebox = services.create_shoebox(
                form.draft(), workspace=request.workspace, actor=request.actor, now=timezone.now()
            )
        except DomainError as error:
            blame(form, error)
        else:
            address = reverse("desk:workbench", args=[shoebox.public_id])
            return HttpResponseClientRedirect(address) if request.htmx else HttpResponseRedirect(address)
    return render_page(request, "shoebox/new.html", {"form": form}, parts={"new-shoebox"}, status=422)


@require_POST
def shoebox_gather(request: HttpRequest, id: str) -> HttpResponse:
    """Gather again; answer with the items and what came in."""
    shoebox = _shoebox(request, id)
    more = [query for query in [request.POST.get("query", "").strip()] if query]
    try:
        gathered = services.gather_shoebox(
            shoebox, actor=request.actor, now=timezone.now(), queries=more, version=_version(request)
        )
    except DomainError as error:
        return _items(request, shoebox, error=error)
    return _items(request, shoebox, said=_gathered(gathered), event="shoebox-gathered")


@require_POST
def shoebox_state(request: HttpRequest, id: str) -> HttpResponse:
    """Close, archive, discard or reopen; the page is shown anew, since everything on it depends on the state."""
    shoebox = _shoebox(request, id)
    try:
        services.change_shoebox_state(
            shoebox,
            state=request.POST.get("state", ""),
            reason=request.POST.get("reason", ""),
            actor=request.actor,
            now=timezone.now(),
            version=_version(request),
        )
    except DomainError as error:
        messages.error(request, sentence(error))
    else:
        messages.success(request, f"The shoebox is now {shoebox.state}.")
    return HttpResponseRedirect(reverse("desk:workbench", args=[id]))


@require_POST
def shoebox_duplicate(request: HttpRequest, id: str) -> HttpResponse:
    """Open a shoebox for another question with the same material, and go there."""
    shoebox = _shoebox(request, id)
    try:
        made = services.duplicate_shoebox(
            shoebox,
            question=request.POST.get("question", ""),
            gather=bool(request.POST.get("gather")),
            actor=request.actor,
            now=timezone.now(),
        )
    except DomainError as error:
        messages.error(request, sentence(error))
        return HttpResponseRedirect(reverse("desk:workbench", args=[id]))
    messages.success(request, f"Opened with {_count(made.items.count(), 'item')} of the earlier shoebox, undecided.")
    return HttpResponseRedirect(reverse("desk:workbench", args=[made.public_id]))


@require_POST
def shoebox_resize(request: HttpRequest, id: str) -> HttpResponse:
    """Give the shoebox another budget; answer with the budget part."""
    shoebox = _shoebox(request, id)
    form = BudgetForm(request.POST)
    error = ""
    if form.is_valid():
        try:
            services.resize_shoebox(
                shoebox, budget=form.budget(), actor=request.actor, now=timezone.now(), version=_version(request)
            )
        except DomainError as refusal:
            error = sentence(refusal)
    else:
        error = first_error(form)
    if not request.htmx:
        if error:
            messages.error(request, error)
        return HttpResponseRedirect(reverse("desk:workbench", args=[id]))
    context = {"shoebox": shoebox, "holdings": shoebox.holdings, "budget_error": error}
    response: HttpResponse = TemplateResponse(
        request, "shoebox/items.html#holdings", context, status=422 if error else 200
    )
    return response if error else trigger_client_event(response, "shoebox-resized")


@require_safe
def item_list(request: HttpRequest, id: str) -> HttpResponse:
    """The items of one shoebox by themselves: the panel that the workbench fetches again after a change."""
    shoebox = _shoebox(request, id)
    if not request.htmx:
        return HttpResponseRedirect(reverse("desk:workbench", args=[id]))
    return TemplateResponse(request, "shoebox/items.html#items", items_context(shoebox))


@require_POST
def item_add(request: HttpRequest, id: str) -> HttpResponse:
    """Add one ref by hand; answer with the items, or with what is wrong."""
    shoebox = _shoebox(request, id)
    form = ItemForm(request.POST)
    if not form.is_valid():
        return _items(request, shoebox, error=first_error(form), form=form)
    try:
        [item] = services.add_items(shoebox, [form.draft()], actor=request.actor, now=timezone.now())
    except DomainError as error:
        return _items(request, shoebox, error=error, form=form)
    return _items(request, shoebox, said=f"Added {item.short_ref}.", event="items-added")


@require_POST
def item_screen(request: HttpRequest, id: str, item_id: str) -> HttpResponse:
    """Keep an item, set it aside with a reason, or leave it undecided; answer with its row."""
    item = _item(request, id, item_id)
    try:
        services.screen_items(
            [item],
            screening=request.POST.get("screening", ""),
            reason=request.POST.get("reason", ""),
            actor=request.actor,
            now=timezone.now(),
            version=_version(request),
        )
    except DomainError as error:
        return _row(request, item, error=error)
    return _row(request, item, event="item-screened")


@require_POST
def item_undo(request: HttpRequest, id: str, item_id: str) -> HttpResponse:
    """Take back the last screening; answer with the row."""
    item = _item(request, id, item_id)
    try:
        services.undo_screening(item, actor=request.actor, now=timezone.now())
    except DomainError as error:
        return _row(request, item, error=error)
    return _row(request, item, event="item-screened")


@require_POST
def item_move(request: HttpRequest, id: str, item_id: str) -> HttpResponse:
    """Put an item earlier or later; answer with the items in their new order."""
    item = _item(request, id, item_id)
    position = number_in(request.POST.get("position", ""))
    try:
        services.move_item(
            item,
            position=item.position if position is None else position,
            actor=request.actor,
            now=timezone.now(),
        )
    except DomainError as error:
        return _row(request, item, error=error)
    return _items(request, item.shoebox, event="item-moved", anchor=f"item-{item.public_id}")


@require_POST
def item_lean(request: HttpRequest, id: str, item_id: str) -> HttpResponse:
    """Say which way an item seems to lean; answer with its row."""
    item = _item(request, id, item_id)
    try:
        services.lean_item(
            item,
            leaning=request.POST.get("leaning", ""),
            actor=request.actor,
            now=timezone.now(),
            version=_version(request),
        )
    except DomainError as error:
        return _row(request, item, error=error)
    return _row(request, item, event="item-leaned")


def items_context(shoebox: Shoebox) -> dict[str, Any]:
    """What the items panel shows; the workbench includes it."""
    return {
        "shoebox": shoebox,
        "layout": lay_out(shoebox, shoebox.items.select_related("added_by").in_order()),
        "holdings": shoebox.holdings,
        "leanings": Item.Leaning.values,
        "item_form": ItemForm(),
    }


def _shoebox(request: HttpRequest, id: str) -> Shoebox:
    shoeboxes = Shoebox.objects.readable_by(request.actor).select_related("workspace", "opened_by")
    shoebox = get_object_or_404(shoeboxes, public_id=id)
    request.workspace = shoebox.workspace
    return shoebox


def _item(request: HttpRequest, id: str, item_id: str) -> Item:
    shoebox = _shoebox(request, id)
    item = get_object_or_404(Item.objects.select_related("added_by"), public_id=item_id, shoebox=shoebox)
    item.shoebox = shoebox
    return item


def _items(
    request: HttpRequest,
    shoebox: Shoebox,
    *,
    said: str = "",
    error: DomainError | str = "",
    event: str = "",
    anchor: str = "items",
    form: ItemForm | None = None,
) -> HttpResponse:
    """The panel with what was done or what stood against it; without htmx the workbench, with a message."""
    wrong = sentence(error) if isinstance(error, DomainError) else error
    if not request.htmx:
        if wrong:
            messages.error(request, wrong)
        elif said:
            messages.success(request, said)
        return HttpResponseRedirect(reverse("desk:workbench", args=[shoebox.public_id]) + f"#{anchor}")
    context = {**items_context(shoebox), "said": said, "error": wrong, "oob": True}
    if form is not None:
        context["item_form"] = form
    response: HttpResponse = TemplateResponse(
        request, "shoebox/items.html#changed", context, status=status_of(error) if wrong else 200
    )
    return trigger_client_event(response, event) if event else response


def _row(request: HttpRequest, item: Item, *, error: DomainError | None = None, event: str = "") -> HttpResponse:
    """The row of one item, with budget and counts out of band; without htmx the workbench at that row."""
    if not request.htmx:
        if error:
            messages.error(request, sentence(error))
        address = reverse("desk:workbench", args=[item.shoebox.public_id])
        return HttpResponseRedirect(f"{address}#item-{item.public_id}")
    if error:
        item.refresh_from_db()
    context = items_context(item.shoebox)
    context |= {"row": context["layout"].row_of(item), "oob": True, "error": sentence(error) if error else ""}
    response: HttpResponse = TemplateResponse(
        request, "shoebox/items.html#screened", context, status=status_of(error) if error else 200
    )
    return trigger_client_event(response, event) if event else response


def _gathered(gathered: services.Gathered) -> str:
    """What came of gathering again, in a sentence, and what to do where something new fits no longer."""
    said = "Gathered: " + _count(len(gathered.new), "new item") + ", " + _count(len(gathered.changed), "changed source")
    return f"{said}. {left_told(gathered.sought)}".rstrip()


def _version(request: HttpRequest) -> int | None:
    return number_in(request.POST.get("version", ""))


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
