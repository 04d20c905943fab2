"""The evaluation page: two arms of tasks beside one another, and putting a task into the comparison."""

from django import forms
from django.contrib import messages
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from yoimemory.access.services import may_review
from yoimemory.errors import DomainError
from yoimemory.http import HttpRequest, render_page, sentence, status_of
from yoimemory.products import services
from yoimemory.products.evaluation import ENOUGH, evaluation_of
from yoimemory.products.impact_chart import arms_chart, arms_table
from yoimemory.products.models import Trial
from yoimemory.products.reports import TrialDraft, lasted


class TrialForm(forms.Form):
    """Reads a task for the comparison."""

    task = forms.CharField(
        max_length=300, label="Task", widget=forms.TextInput({"autocomplete": "off", "placeholder": "ticket:…"})
    )
    kind = forms.CharField(
        max_length=Trial.KIND_MAX, required=False, label="Kind of task", widget=forms.TextInput({"autocomplete": "off"})
    )
    arm = forms.ChoiceField(
        choices=[("", "let it be drawn"), ("with", "with the skills"), ("without", "without the skills")],
        required=False,
    )


@require_safe
def evaluation_page(request: HttpRequest) -> HttpResponse:
    """Show the figures of both arms, and the form that puts a task in."""
    return _page(request, TrialForm())


@require_POST
def trial_begin(request: HttpRequest) -> HttpResponse:
    """Put a task into the comparison and start its clock."""
    form, code = TrialForm(request.POST), 422
    if form.is_valid():
        try:
            trial = services.begin_trial(
                TrialDraft(**form.cleaned_data), workspace=request.workspace, actor=request.actor, now=timezone.now()
            )
        except DomainError as error:
            form.add_error(None, sentence(error))
            code = status_of(error)
        else:
            messages.success(request, f"{trial.task} is worked on {trial.arm} the skills. Its clock runs from now.")
            return HttpResponseRedirect(reverse("products:evaluation"))
    return _page(request, form, status=code)


@require_POST
def trial_end(request: HttpRequest, public_id: str) -> HttpResponse:
    """Take a task out of the comparison, with a reason."""
    trial = get_object_or_404(Trial.objects.readable_by(request.actor).select_related("workspace"), public_id=public_id)
    try:
        services.end_trial(trial, actor=request.actor, now=timezone.now(), reason=request.POST.get("reason", ""))
    except DomainError as error:
        messages.error(request, sentence(error))
    return HttpResponseRedirect(reverse("products:evaluation"))


def _page(request: HttpRequest, form: TrialForm, *, status: int = 200) -> HttpResponse:
    found = evaluation_of(request.workspace, now=timezone.now(), kind=request.GET.get("kind", "")[: Trial.KIND_MAX])
    context = {
        "found": found,
        "form": form,
        "enough": ENOUGH,
        "chart": arms_chart(found.arms),
        "table": arms_table(found.arms),
        "tasks": [(row, lasted(row.minutes)) for row in found.tasks],
        "may_begin": may_review(request.actor, request.workspace),
    }
    return render_page(request, "products/evaluation.html", context, status=status)
