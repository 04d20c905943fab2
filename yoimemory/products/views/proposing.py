"""The list of proposals, and the forms in which one is written and revised."""

from typing import Any

from django.core.paginator import Paginator
from django.db.models import Case, IntegerField, Value, When
from django.http import HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe
from django_htmx.http import HttpResponseClientRedirect
from pydantic import ValidationError

from evidence.models import Evidence
from hypotheses.basis import labels_of
from shoebox.models import Shoebox
from yoimemory.errors import DomainError
from yoimemory.http import HttpRequest, render_page, sentence, status_of
from yoimemory.products import services
from yoimemory.products.diffs import compare
from yoimemory.products.files import digest_now, text_now
from yoimemory.products.filters import ProposalFilter
from yoimemory.products.forms import MemoryForm, PlaceForm, ProposeForm, ReviseForm
from yoimemory.products.marks import BEGIN, mark_place
from yoimemory.products.merge import merge
from yoimemory.products.models import Proposal
from yoimemory.products.places import check_place, thread_path
from yoimemory.products.standing import Base, base_of, grounds_of
from yoimemory.products.views.answers import proposal_named, shoebox_named

PER_PAGE = 50
SHOEBOXES_SHOWN = 100
State = Proposal.State
ORDER = (
    State.CONFLICT, State.PROPOSED, State.APPROVED, State.NEEDS_CHANGE, State.APPLIED, State.REVERTED, State.REJECTED,
    State.WITHDRAWN,
)  # fmt: skip
HEADS = {
    State.CONFLICT: ("Conflict", "the file moved; nothing was written"),
    State.PROPOSED: ("Proposed", "waiting for a verdict"),
    State.APPROVED: ("Approved", "not yet applied"),
    State.NEEDS_CHANGE: ("Needs change", "waiting for a new revision"),
    State.APPLIED: ("Applied", "in the working tree; committing is yours"),
    State.REVERTED: ("Reverted", "the bytes from before are back"),
    State.REJECTED: ("Rejected", "with reasons"),
    State.WITHDRAWN: ("Withdrawn", ""),
}


@require_safe
def proposal_list(request: HttpRequest) -> TemplateResponse:
    """Show the proposals of the workspace, what waits first, narrowed and paged."""
    rank = Case(*[When(state=state, then=Value(at)) for at, state in enumerate(ORDER)], output_field=IntegerField())
    own = Proposal.objects.in_workspace(request.workspace).with_people().annotate(rank=rank)
    narrowed = ProposalFilter(request.GET, own)
    page = Paginator(narrowed.qs.order_by("rank", "-pk"), PER_PAGE).get_page(request.GET.get("page"))
    query = request.GET.copy()
    query.pop("page", None)
    chosen = Shoebox.objects.in_workspace(request.workspace).filter(public_id=request.GET.get("shoebox", "")).first()
    context = {
        "filter": narrowed,
        "page": page,
        "sections": _sections(list(page.object_list)),
        "any": bool(page.object_list) or own.exists(),
        "query_string": query,
        "chosen": chosen,
    }
    return render_page(request, "products/list.html", context, parts={"proposals"})


@require_http_methods(["GET", "HEAD", "POST"])
def proposal_propose(request: HttpRequest) -> HttpResponse:
    """Write a proposal: first name the file, then change it as it stands, then say why and on what it rests."""
    if request.method == "POST":
        return _propose(request)
    named = request.GET.dict()
    shoebox = shoebox_named(request, named["shoebox"]) if named.get("shoebox") else None
    own = Shoebox.objects.in_workspace(shoebox.workspace if shoebox else request.workspace).open().order_by("-pk")
    shown = own[:SHOEBOXES_SHOWN] if shoebox is None else [shoebox]
    place, code = PlaceForm(named if "path" in named else None, initial=named, shoeboxes=shown), 200
    context: dict[str, Any] = {"shoebox": shoebox, "place": place}
    if place.is_bound and place.is_valid():
        try:
            context |= _opened(request, shoebox, place.cleaned_data["target"], place.cleaned_data["path"])
        except DomainError as error:
            place.add_error("path", sentence(error))
            code = status_of(error)
    return render_page(request, "products/propose.html", context, status=code)


@require_http_methods(["GET", "HEAD", "POST"])
def memory_propose(request: HttpRequest) -> HttpResponse:
    """Write a memory record in words; its file is written in the format of the workspace."""
    if request.method != "POST":
        named = {name: request.GET[name] for name in ("kind", "slug", "replaces", "shoebox") if name in request.GET}
        return render_page(request, "products/memory.html", {"form": MemoryForm(initial=named)})
    form, code = MemoryForm(request.POST), 422
    if form.is_valid():
        try:
            made = services.propose_memory(
                form.draft(), workspace=request.workspace, actor=request.actor, now=timezone.now()
            )
        except (DomainError, ValidationError) as error:
            form.add_error(None, sentence(error) if isinstance(error, DomainError) else str(error.errors()[0]["msg"]))
            code = status_of(error) if isinstance(error, DomainError) else 422
        else:
            return _go(request, made[0])
    return render_page(request, "products/memory.html", {"form": form}, status=code)


@require_http_methods(["GET", "HEAD", "POST"])
def proposal_revise(request: HttpRequest, public_id: str) -> HttpResponse:
    """Answer with a new revision; after a conflict the form starts from both texts merged."""
    proposal = proposal_named(request, public_id)
    base, code = base_of(proposal), 200
    if request.method == "POST":
        form, code = ReviseForm(request.POST), 422
        if form.is_valid():
            try:
                services.revise_proposal(
                    proposal, form.draft(), version=form.cleaned_data["version"], actor=request.actor,
                    now=timezone.now(),
                )  # fmt: skip
            except DomainError as error:
                form.add_error(None, sentence(error))
                code = status_of(error)
            else:
                return _go(request, proposal)
    else:
        form = ReviseForm(initial=_as_it_stands(proposal, base))
    context = {
        "proposal": proposal,
        "form": form,
        "base": base,
        "since": compare(proposal.base_content, base.text.text) if base.state == "moved" and base.text else None,
        "evidences": _choices(proposal.shoebox, form),
    }
    return render_page(request, "products/revise.html", context, status=code)


def _propose(request: HttpRequest) -> HttpResponse:
    public_id = request.POST.get("shoebox", "").removeprefix("shoebox:")
    shoebox = shoebox_named(request, public_id) if public_id else None
    workspace = shoebox.workspace if shoebox else request.workspace
    form, code = ProposeForm(request.POST), 422
    if form.is_valid():
        try:
            proposal = services.propose_candidate(
                form.draft(), workspace=workspace, actor=request.actor, now=timezone.now()
            )
        except DomainError as error:
            form.add_error(None, sentence(error))
            code = status_of(error)
        else:
            return _go(request, proposal)
    path = request.POST.get("path", "")
    context: dict[str, object] = {"shoebox": shoebox, "form": form, "path": path, "evidences": _choices(shoebox, form)}
    return render_page(request, "products/propose.html", context, status=code)


def _go(request: HttpRequest, proposal: Proposal) -> HttpResponse:
    address = reverse("products:detail", args=[proposal.public_id])
    return HttpResponseClientRedirect(address) if request.htmx else HttpResponseRedirect(address)


def _sections(rows: list[Proposal]) -> list[dict[str, Any]]:
    grounds = grounds_of(rows)
    sections = []
    for state in ORDER:
        shown = [
            {"proposal": row, "ground": grounds[row.pk], "base": base_of(row)} for row in rows if row.state == state
        ]
        if shown:
            head, remark = HEADS[state]
            sections.append({"head": head, "remark": remark, "rows": shown})
    return sections


def _opened(request: HttpRequest, shoebox: Shoebox | None, target: str, path: str) -> dict[str, Any]:
    """The second step: the file as it stands, ready to be changed."""
    is_text, is_mark = target in Proposal.TEXT_TARGETS, target == Proposal.Target.MARKER
    place = mark_place(path) if is_mark else check_place(thread_path(path) if is_text else path, target)
    workspace = shoebox.workspace if shoebox else request.workspace
    is_file = not is_text and not is_mark
    found = text_now(workspace, place.path) if is_file else None
    form = ProposeForm(
        initial={
            "target": target,
            "path": path,
            "shoebox": str(shoebox.ref) if shoebox else "",
            "content": found.text if found else BEGIN if is_mark else "",
            "base_digest": digest_now(workspace, place.path) if is_file else "",
            "evidence": request.GET.getlist("evidence"),
        }
    )
    return {
        "form": form, "path": place.path, "is_new": found is None and is_file, "is_text": is_text, "is_mark": is_mark,
        "evidences": _choices(shoebox, form),
    }  # fmt: skip


def _as_it_stands(proposal: Proposal, base: Base) -> dict[str, Any]:
    content = proposal.content
    if base.state == "moved" and base.text is not None:
        content = merge(proposal.base_content, proposal.content, base.text.text).text
    return {
        "title": proposal.title,
        "content": content,
        "rationale": proposal.rationale,
        "evidence": proposal.evidence,
        "contrary": proposal.contrary,
        "refs": "\n".join(_further(proposal)),
        "version": proposal.version,
    }


def _further(proposal: Proposal) -> list[str]:
    """Refs that the list of the shoebox's evidence does not offer."""
    offered: set[str] = set()
    if proposal.shoebox is not None:
        offered = {str(one.ref) for one in Evidence.objects.in_shoebox(proposal.shoebox).current()}
    return [ref for ref in proposal.evidence if ref not in offered]


def _choices(shoebox: Shoebox | None, form: ProposeForm | ReviseForm) -> list[dict[str, Any]]:
    """The evidence of the shoebox, to be set for the change or against it."""
    if shoebox is None:
        return []
    rows = list(Evidence.objects.in_shoebox(shoebox).current().prefetch_related("relations").order_by("pk"))
    labels = labels_of(rows)
    chosen, contrary = set(form["evidence"].value() or []), set(form["contrary"].value() or [])
    return [
        {
            "evidence": row,
            "label": labels[row.pk],
            "relation": next((one.relation for one in row.relations.all()), ""),
            "rests": str(row.ref) in chosen,
            "against": str(row.ref) in contrary,
        }
        for row in rows
    ]
