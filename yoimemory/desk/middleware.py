"""What stands between the street door and every view: the request's id, who asks, which workspace."""

import json
import logging
import sys
from collections.abc import Callable
from http import HTTPStatus

from django.contrib.auth.models import AnonymousUser, User
from django.db import DatabaseError
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.middleware.gzip import GZipMiddleware
from django.shortcuts import render
from django.utils.http import urlencode
from django.views.defaults import server_error

from yoimemory.access.services import actor_for_user
from yoimemory.desk.mending import let_go_if_replaced, told_of
from yoimemory.desk.troubles import RETRY_AFTER, Unserved
from yoimemory.errors import DomainError
from yoimemory.gate import STANDARD_HEADERS, STATIC
from yoimemory.http import error_body
from yoimemory.refs import new_id
from yoimemory.sources.models import Workspace

_log = logging.getLogger("yoimemory.pages")

Answer = Callable[[HttpRequest], HttpResponse]

API = "/api/"
OPEN_TO_ALL = ("/login/", "/start/", "/livez", "/readyz", API)
"""Paths that need no logged-in person: they let one in, or ask for a token themselves."""

WITHOUT_WORKSPACE = ("/admin/", "/logout/", "/workspace/")
"""Paths that work before there is any workspace."""


def person(get_response: Answer) -> Answer:
    """Set `request.actor` and `request.workspace` for a logged-in person; send others to log in."""

    def middleware(request: HttpRequest) -> HttpResponse:
        if request.path.startswith(OPEN_TO_ALL):
            return get_response(request)
        if isinstance(request.user, AnonymousUser):
            return _to_login(request)
        request.actor = actor_for_user(request.user)  # type: ignore[attr-defined]
        workspace = chosen_workspace(request)
        if workspace is None and not request.path.startswith(WITHOUT_WORKSPACE):
            return render(request, "access/no_workspace.html")
        request.workspace = workspace  # type: ignore[attr-defined]
        return get_response(request)

    return middleware


def packed(get_response: Answer) -> Callable[[HttpRequest], HttpResponseBase]:
    """Pack the answers of the JSON layer for whom says that it can unpack them.

    Pages stay as they are: they carry CSRF tokens, whose length beside words of a visitor must tell nothing.
    """
    squeeze = GZipMiddleware(get_response)

    def middleware(request: HttpRequest) -> HttpResponseBase:
        if not request.path.startswith(API):
            return get_response(request)
        return squeeze.process_response(request, get_response(request))

    return middleware


def named(get_response: Answer) -> Answer:
    """Give every request an id, every answer the standard headers, and every error its shape."""

    def middleware(request: HttpRequest) -> HttpResponse:
        request.request_id = new_id()  # type: ignore[attr-defined]
        let_go_if_replaced()
        if request.headers.get("Sec-Fetch-Site") == "same-origin" and request.META.get("HTTP_ORIGIN") == "null":
            # Under our referrer policy browsers name no origin for a form; they do say that it is our own.
            del request.META["HTTP_ORIGIN"]
        response = get_response(request)
        if response.status_code >= HTTPStatus.INTERNAL_SERVER_ERROR:
            # The answer's header and the log share this name; the sentence on the page points to it.
            _log.error("request %s: %s %s", request.request_id, request.method, request.path)  # type: ignore[attr-defined]
        if request.path.startswith(API) and response.status_code >= HTTPStatus.BAD_REQUEST:
            response = _as_json(request, response)
        for name, value in STANDARD_HEADERS.items():
            response.headers.setdefault(name, value)
        if not request.path.startswith(STATIC):
            response["Cache-Control"] = "no-store"
        response.headers.setdefault("X-Request-ID", request.request_id)  # type: ignore[attr-defined]
        return response

    middleware.process_exception = refused  # type: ignore[attr-defined]
    return middleware


def refused(request: HttpRequest, error: Exception) -> HttpResponse | None:
    """Show what the domain refuses as a sentence on a page; anything else stays a bug."""
    if isinstance(error, DatabaseError):
        error = told_of(error) or error
    if not isinstance(error, DomainError):
        return None
    context = {"error": error}
    if isinstance(error, Unserved) and not request.headers.get("HX-Request"):
        return _unserved(request, error)
    if not request.headers.get("HX-Request"):
        return render(request, "access/refused.html", context, status=error.status)
    # htmx swaps 409 and 422 only; the sentence goes above the page, whatever part was asked for.
    status = error.status if error.status in {409, 422} else HTTPStatus.CONFLICT
    response = render(request, "access/refused.html#refusal", context, status=status)
    response["HX-Retarget"], response["HX-Reswap"] = "#main", "afterbegin"
    return response


def broken(request: HttpRequest) -> HttpResponse:
    """The page for what no view could answer: what befell a database as a sentence, anything else as our fault."""
    error = sys.exc_info()[1]
    trouble = told_of(error) if isinstance(error, DatabaseError) else None
    return _unserved(request, trouble) if trouble else server_error(request)


def _unserved(request: HttpRequest, error: Unserved) -> HttpResponse:
    """The sentence on a page of its own: the frame of the others asks the databases."""
    response = render(request, "desk/unserved.html", {"error": error}, status=error.status)
    response["Retry-After"] = str(RETRY_AFTER)
    return response


def workspaces_of(user: User) -> QuerySet[Workspace]:
    """The workspaces in which this person has a role."""
    everywhere = Workspace.objects.order_by("pk")
    return everywhere if user.is_superuser else everywhere.filter(memberships__user=user)


def chosen_workspace(request: HttpRequest) -> Workspace | None:
    """The workspace that a page is about: named in the address, chosen before, or the first of the person's own.

    Raises Http404 if the address names one in which the person has no role.
    """
    own = workspaces_of(request.user)  # type: ignore[arg-type]
    slug = request.GET.get("workspace")
    if slug:
        workspace = own.filter(slug=slug).first()
        if workspace is None:
            raise Http404(f"There is no workspace {slug!r} here.")
        return workspace
    remembered = request.session.get("workspace")
    return (own.filter(slug=remembered).first() if remembered else None) or own.first()


def _to_login(request: HttpRequest) -> HttpResponse:
    address = f"/login/?{urlencode({'next': request.get_full_path()})}" if request.method == "GET" else "/login/"
    if request.headers.get("HX-Request"):
        # A redirect would put the login page into a part of this one.
        return HttpResponse(status=HTTPStatus.UNAUTHORIZED, headers={"HX-Redirect": "/login/"})
    return HttpResponseRedirect(address)


_SENTENCES = {
    400: ("bad_request", "The request could not be read."),
    403: ("forbidden", "This may not be done with this session."),
    404: ("not_found", "There is nothing at this address."),
    405: ("method_not_allowed", "This address does not take that method."),
    413: ("too_large", "The body is larger than 2 MB."),
    500: ("internal_error", "Something went wrong on our side; the request id names it in the log."),
}


def _as_json(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    if response.headers.get("Content-Type", "").startswith("application/json"):
        return response
    code, message = _SENTENCES.get(response.status_code, ("error", "The request was refused."))
    error = DomainError(message, hint="The addresses are listed at /api/v1/docs.")
    body = {**error_body(error, request.request_id), "code": code}  # type: ignore[attr-defined]
    kept = {name: response[name] for name in ("Allow", "Retry-After", "WWW-Authenticate") if response.has_header(name)}
    return HttpResponse(json.dumps(body), status=response.status_code, content_type="application/json", headers=kept)
