"""Pages of hypotheses: the board by status, and one hypothesis with what speaks against it and for it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from django import forms
from django.core.paginator import Paginator
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe
from django_htmx.http import trigger_client_event

from evidence.services import relate_evidence
from hypotheses import services
from hypotheses.filters import HypothesisFilter
from hypotheses.forms import (
    AlternativeForm,
    DecideForm,
    DropForm,
    ProposeForm,
    QuestionForm,
    RelateForm,
    SettleForm,
    WordsForm,
)
from hypotheses.models import Hypothesis
from hypotheses.page import Case, case_of, rows_of
from hypotheses.services.finding import evidence_named, hypothesis_named
from shoebox.models import Shoebox
from yoimemory.errors import DomainError
from yoimemory.http import HttpRequest, render_page, sentence, status_of

PER_PAGE = 50


@require_safe
def hypothesis_list(request: HttpRequest) -> TemplateResponse:
    """Show the hypotheses of the workspace by status, narrowed and paged."""
    return render_page(request, "hypotheses/list.html", _board(request), parts={"hypotheses", "propose"})


@require_POST
def hypothesis_propose(request: HttpRequest) -> HttpResponse:
    """Propose a hypothesis; go to its page, or answer with a fresh form and the event."""
    form = ProposeForm(request.POST, shoeboxes=Shoebox.objects.in_workspace(request.workspace))
    if form.is_valid():
        try:
            made = services.propose_hypothesis(
                form.draft(), workspace=request.workspace, actor=request.actor, now=timezone.now()
            )
        except DomainError as error:
            form.add_error(None, sentence(error))
        else:
            if not request.htmx:
                return HttpResponseRedirect(reverse("hypotheses:detail", args=[made.public_id]))
            fresh = ProposeForm(
                initial={"shoebox": made.shoebox.public_id}, shoeboxes=Shoebox.objects.in_workspace(request.workspace)
            )
            context = {"form": fresh, "proposed": made}
            response: HttpResponse = TemplateResponse(request, "hypotheses/list.html#propose", context)
            return trigger_client_event(response, "hypothesis-proposed", {"id": made.public_id})
    if request.htmx:
        return TemplateResponse(request, "hypotheses/list.html#propose", {"form": form}, status=422)
    return render_page(request, "hypotheses/list.html", _board(request) | {"form": form}, status=422)


@require_safe
def hypothesis_detail(request: HttpRequest, public_id: str) -> TemplateResponse:
    """Show one hypothesis: what stands against it and for it, what is open, and what was decided."""
    context = _context(request, _hypothesis(request, public_id))
    return render_page(request, "hypotheses/detail.html", context, parts=PARTS)


@require_POST
def hypothesis_questions(request: HttpRequest, public_id: str) -> HttpResponse:
    """Add an open question, or take one out."""
    hypothesis = _hypothesis(request, public_id)
    adding = "drop" not in request.POST
    form = QuestionForm(request.POST) if adding else DropForm(request.POST)
    if not form.is_valid():
        return _part(request, hypothesis, "questions", problem=_first(form))
    entries = list(hypothesis.open_questions)
    if adding:
        entries.append(form.cleaned_data["question"])
    else:
        entries = _without(entries, form.cleaned_data["drop"])
    return _edited(request, hypothesis, "questions", form.cleaned_data["version"], open_questions=entries)


@require_POST
def hypothesis_alternatives(request: HttpRequest, public_id: str) -> HttpResponse:
    """Add a rejected alternative with its reason, or take one out."""
    hypothesis = _hypothesis(request, public_id)
    form: AlternativeForm | DropForm
    form = DropForm(request.POST) if "drop" in request.POST else AlternativeForm(request.POST)
    if not form.is_valid():
        return _part(request, hypothesis, "alternatives", problem=_first(form))
    entries = list(hypothesis.alternatives)
    if isinstance(form, AlternativeForm):
        entries.append(form.alternative().model_dump())
    else:
        entries = _without(entries, form.cleaned_data["drop"])
    return _edited(request, hypothesis, "alternatives", form.cleaned_data["version"], alternatives=entries)


@require_POST
def hypothesis_edit(request: HttpRequest, public_id: str) -> HttpResponse:
    """Change the words: claim, threshold, what would change our mind, what happened."""
    hypothesis = _hypothesis(request, public_id)
    form = WordsForm(request.POST)
    if not form.is_valid():
        return _part(request, hypothesis, "words", problem=_first(form), words_form=form)
    return _edited(request, hypothesis, "words", form.cleaned_data["version"], words_form=form, **form.words())


@require_POST
def hypothesis_relate(request: HttpRequest, public_id: str) -> HttpResponse:
    """Set existing evidence for or against the hypothesis; answer with both columns."""
    hypothesis = _hypothesis(request, public_id)
    form = RelateForm(request.POST)
    if not form.is_valid():
        return _part(request, hypothesis, "basis", problem=_first(form))
    draft = form.relation_draft()
    try:
        relate_evidence(
            evidence_named(draft.evidence, hypothesis.workspace),
            target=hypothesis.ref,
            relation=draft.relation,
            actor=request.actor,
            now=timezone.now(),
        )
    except DomainError as error:
        return _part(request, hypothesis, "basis", error=error)
    return _part(request, hypothesis, "basis", event="evidence-related")


@require_POST
def hypothesis_decide(request: HttpRequest, public_id: str) -> HttpResponse:
    """Decide: accept, reject, call stale, supersede or propose again, with a reason."""
    hypothesis = _hypothesis(request, public_id)
    form = DecideForm(request.POST)
    if not form.is_valid():
        return _part(request, hypothesis, "decide", problem=_first(form), decide_form=form)
    draft = form.draft()
    try:
        by = hypothesis_named(draft.superseded_by, hypothesis.workspace) if draft.superseded_by else None
        superseding = by if draft.after == "superseded" else None
        services.decide_hypothesis(
            hypothesis,
            superseded_by=superseding,
            actor=request.actor,
            now=timezone.now(),
            **draft.model_dump(exclude={"superseded_by"}),
        )
    except DomainError as error:
        return _part(request, hypothesis, "decide", error=error, decide_form=form)
    return _part(request, _hypothesis(request, public_id), "decide", event="hypothesis-decided")


@require_POST
def hypothesis_settle(request: HttpRequest, public_id: str) -> HttpResponse:
    """End a disagreement of two reviewers with one of their answers."""
    hypothesis = _hypothesis(request, public_id)
    form = SettleForm(request.POST)
    if not form.is_valid():
        return _part(request, hypothesis, "decide", problem=_first(form))
    try:
        services.settle_decision(hypothesis, **form.cleaned_data, actor=request.actor, now=timezone.now())
    except DomainError as error:
        return _part(request, hypothesis, "decide", error=error)
    return _part(request, _hypothesis(request, public_id), "decide", event="hypothesis-decided")


@require_POST
def hypothesis_withdraw(request: HttpRequest, public_id: str) -> HttpResponse:
    """Take one's own answer back while another reviewer has not given theirs."""
    hypothesis = _hypothesis(request, public_id)
    try:
        services.withdraw_decision(hypothesis, actor=request.actor, now=timezone.now())
    except DomainError as error:
        return _part(request, hypothesis, "decide", error=error)
    return _part(request, hypothesis, "decide")


PARTS = {"standing", "basis", "questions", "alternatives", "words", "checks", "decide", "decisions"}


@dataclass(slots=True)
class Column:
    """One status of the board with its rows."""

    status: str
    rows: list[Any] = field(default_factory=list)


def _board(request: HttpRequest) -> dict[str, Any]:
    own = Hypothesis.objects.in_workspace(request.workspace)
    narrowed = HypothesisFilter(request.GET, own)
    page = Paginator(narrowed.qs.with_people().in_board_order(), PER_PAGE).get_page(request.GET.get("page"))
    columns = {status: Column(status) for status in Hypothesis.BOARD}
    for row in rows_of(list(page.object_list)):
        columns[Hypothesis.Status(row.hypothesis.status)].rows.append(row)
    shoeboxes = Shoebox.objects.in_workspace(request.workspace)
    chosen = shoeboxes.filter(public_id=request.GET.get("shoebox", "").removeprefix("shoebox:")).first()
    query = request.GET.copy()
    query.pop("page", None)
    return {
        "filter": narrowed,
        "page": page,
        "columns": [column for column in columns.values() if column.rows],
        "any": bool(page.object_list) or own.exists(),
        "chosen": chosen,
        "form": ProposeForm(
            initial={"shoebox": chosen.public_id} if chosen else {}, shoeboxes=shoeboxes.open().order_by("-pk")
        ),
        "query_string": query,
    }


def _hypothesis(request: HttpRequest, public_id: str) -> Hypothesis:
    rows = Hypothesis.objects.readable_by(request.actor).with_people()
    hypothesis = get_object_or_404(rows, public_id=public_id)
    request.workspace = hypothesis.workspace
    return hypothesis


def _context(request: HttpRequest, hypothesis: Hypothesis, **more: Any) -> dict[str, Any]:
    case: Case = case_of(hypothesis, request.actor)
    words = {name: getattr(hypothesis, name) for name in WordsForm.base_fields}
    return {"case": case, "hypothesis": hypothesis, "words_form": WordsForm(initial=words), **more}


def _edited(
    request: HttpRequest, hypothesis: Hypothesis, part: str, version: int, *, words_form: Any = None, **fields: Any
) -> HttpResponse:
    try:
        services.edit_hypothesis(hypothesis, version=version, actor=request.actor, now=timezone.now(), **fields)
    except DomainError as error:
        kept = {"words_form": words_form} if words_form else {}
        return _part(request, hypothesis, part, error=error, **kept)
    return _part(request, _hypothesis(request, hypothesis.public_id), part, event="hypothesis-edited")


def _part(
    request: HttpRequest,
    hypothesis: Hypothesis,
    part: str,
    *,
    error: DomainError | None = None,
    problem: str = "",
    event: str = "",
    **more: Any,
) -> HttpResponse:
    """The part that a form changed, with the page's new version out of band; without htmx the page."""
    problem = sentence(error) if error else problem
    code = status_of(error) if error else 422 if problem else 200
    if not request.htmx and not problem:
        return HttpResponseRedirect(reverse("hypotheses:detail", args=[hypothesis.public_id]) + f"#{part}")
    more |= {"problem": problem, "problem_part": part, "asked": error.fields if error else {}}
    more["oob"] = bool(request.htmx) and not problem
    context = _context(request, hypothesis, **more)
    template = f"hypotheses/detail.html#{part}" if request.htmx else "hypotheses/detail.html"
    response: HttpResponse = TemplateResponse(request, template, context, status=code)
    return trigger_client_event(response, event) if event else response


def _first(form: forms.Form) -> str:
    """The first thing that is wrong with a form, as one sentence with the name of its field."""
    for name, problems in form.errors.get_json_data().items():
        label = form.fields[name].label or name.replace("_", " ").capitalize() if name in form.fields else ""
        return f"{label}: {problems[0]['message']}" if label else str(problems[0]["message"])
    return ""


def _without(entries: Sequence[Any], place: int) -> list[Any]:
    return [entry for index, entry in enumerate(entries) if index != place]
