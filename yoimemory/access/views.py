"""The door as people see it: the start link, logging in and out, and the Workers' tokens."""

from http import HTTPStatus

from django.contrib.auth import login, logout
from django.contrib.auth.forms import AuthenticationForm
from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.http import HttpRequest as DjangoRequest
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from yoimemory.access.forms import TokenForm
from yoimemory.access.models import Token
from yoimemory.access.services import (
    actor_for_user,
    issue_token,
    redeem_start_link,
    require_owner,
    revoke_tokens,
    role_in,
)
from yoimemory.access.throttle import logins
from yoimemory.http import HttpRequest, render_page, safe_address
from yoimemory.journal.services import record_change

HOME = "/"
NAME_MAX = 150
_BACKEND = "django.contrib.auth.backends.ModelBackend"


@require_http_methods(["GET", "HEAD", "POST"])
def start(request: DjangoRequest, secret: str) -> HttpResponse:
    """Exchange the one-time link that was printed at start for the owner's session.

    GET only shows a button: a link preview or a prefetch must not use the link up.
    """
    if request.method != "POST":
        context = {"secret": secret, "workspace": request.GET.get("workspace", "")}
        return TemplateResponse(request, "access/start.html", context)
    user = redeem_start_link(secret, now=timezone.now())
    if user is None:
        return TemplateResponse(request, "access/start_over.html", status=HTTPStatus.FORBIDDEN)
    login(request, user, backend=_BACKEND)
    _note(request, "logged-in", by="start link")
    if slug := request.GET.get("workspace", ""):
        request.session["workspace"] = slug[:60]  # the one that the server was started for; it may not be the only one
    return HttpResponseRedirect(HOME)


@require_http_methods(["GET", "HEAD", "POST"])
def login_page(request: DjangoRequest) -> HttpResponse:
    """Log a person in by name and password."""
    goal = safe_address(request.POST.get("next") or request.GET.get("next", ""), HOME)
    name = request.POST.get("username", "")[:NAME_MAX].casefold()
    wait = logins.spend(name) if request.method == "POST" else 0
    if wait:
        return _wait(request, goal, wait)
    form = AuthenticationForm(request, request.POST or None)
    if request.method == "POST" and form.is_valid():
        logins.give_back(name)
        login(request, form.get_user())
        _note(request, "logged-in", by="password")
        return HttpResponseRedirect(goal)
    status = HTTPStatus.UNPROCESSABLE_ENTITY if form.is_bound else HTTPStatus.OK
    return TemplateResponse(request, "access/login.html", {"form": form, "next": goal}, status=status)


def _wait(request: DjangoRequest, goal: str, seconds: int) -> HttpResponse:
    """Say that too many passwords were tried for one name, before another one is looked at."""
    form = AuthenticationForm(request)
    context = {"form": form, "next": goal, "wait": seconds}
    response = TemplateResponse(request, "access/login.html", context, status=HTTPStatus.TOO_MANY_REQUESTS)
    response["Retry-After"] = str(seconds)
    return response


@require_POST
def logout_post(request: DjangoRequest) -> HttpResponse:
    """End the session, on this server and in this browser."""
    if request.user.is_authenticated:
        _note(request, "logged-out")
    logout(request)
    return HttpResponseRedirect("/login/")


@require_safe
def worker_list(request: HttpRequest) -> TemplateResponse:
    """List the tokens of the workspace, and how a Worker connects."""
    return _workers(request, TokenForm())


@require_POST
def token_new(request: HttpRequest) -> TemplateResponse:
    """Make a token; its secret stands in this answer and nowhere else."""
    require_owner(request.actor, request.workspace, to="make tokens")
    form = TokenForm(request.POST)
    if not form.is_valid():
        return _workers(request, form, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    token, secret = issue_token(
        workspace=request.workspace, now=timezone.now(), actor=request.actor, **form.cleaned_data
    )
    return _workers(request, TokenForm(), made=token, secret=secret)


@require_POST
def token_revoke(request: HttpRequest, token_id: str) -> TemplateResponse:
    """End a token at once."""
    require_owner(request.actor, request.workspace, to="revoke tokens")
    token = get_object_or_404(Token, public_id=token_id, workspace=request.workspace)
    revoke_tokens(Token.objects.filter(pk=token.pk), now=timezone.now(), actor=request.actor)
    return _workers(request, TokenForm())


def _workers(
    request: HttpRequest, form: TokenForm, *, made: Token | None = None, secret: str = "", status: int = 200
) -> TemplateResponse:
    if not role_in(request.actor, request.workspace):
        raise Http404
    context = {
        "tokens": Token.objects.filter(workspace=request.workspace).order_by("-pk"),
        "form": form,
        "made": made,
        "secret": secret,
        "now": timezone.now(),
        "may_issue": role_in(request.actor, request.workspace) == "owner",
        "base_url": f"{request.scheme}://{request.get_host()}",
    }
    return render_page(request, "access/workers.html", context, parts={"tokens"}, status=status)


def _note(request: DjangoRequest, verb: str, **after: str) -> None:
    actor = actor_for_user(request.user)  # type: ignore[arg-type]
    record_change(f"user:{actor.name}", verb=verb, actor=actor, workspace=None, now=timezone.now(), after=after)
