"""The JSON layer: who may call what, the one error shape, and the routers of every floor in one place."""

import json
from collections.abc import Callable
from datetime import datetime
from functools import wraps
from http import HTTPStatus
from typing import Any

from django.http import Http404, HttpResponse
from django.http import HttpRequest as DjangoRequest
from django.shortcuts import render
from django.utils import timezone
from ninja import NinjaAPI
from ninja.errors import HttpError, ValidationError
from ninja.openapi.docs import DocsBase
from ninja.openapi.schema import OpenAPISchema
from ninja.operation import Operation
from ninja.security.base import AuthBase
from ninja.utils import check_csrf
from pydantic import BaseModel
from pydantic import ValidationError as DraftError

from evidence.api import router as evidence
from hypotheses.api import router as hypotheses
from shoebox.api import router as shoebox
from yoimemory.access.answers import answer_once
from yoimemory.access.calls import note_call
from yoimemory.access.models import Actor, Call, Token
from yoimemory.access.services import actor_for_user, worker_with
from yoimemory.access.throttle import TooManyRequests, count_call
from yoimemory.asking.api import router as asking
from yoimemory.desk.api import router as desk
from yoimemory.desk.listing_api import router as listing
from yoimemory.desk.mending import serving
from yoimemory.desk.middleware import chosen_workspace
from yoimemory.desk.reference import operations_by_tag
from yoimemory.desk.troubles import RETRY_AFTER, Unserved
from yoimemory.errors import BadInput, DomainError, Forbidden, NotFound
from yoimemory.http import error_body
from yoimemory.markers.api import router as markers
from yoimemory.products.api import router as products
from yoimemory.search.api import router as search
from yoimemory.sources.api import router as sources

Run = Callable[..., HttpResponse]

READS = frozenset({"search_sources_by_body"})
"""Operations that read although they are sent by POST."""

PEOPLE_ONLY = frozenset(
    {
        "review_evidence", "undo_review", "decide_hypothesis", "settle_decision", "withdraw_decision",
        "review_proposal", "apply_proposal", "revert_proposal",
        "resolve_marker", "take_over_marker", "reattach_anchor", "set_reliability",
        "accept_evidence_batch", "undo_evidence_batch", "settle_review", "resolve_contradiction",
        "take_over_contradiction",
        "begin_trial",
        "index_workspace", "stop_index", "add_alias", "remove_alias",
        "list_sources", "preview_source", "add_source", "remove_source",
    }
)  # fmt: skip
"""Operations that no token may call, whatever its scope."""

EVERYWHERE = frozenset({"workspace"})
"""Query parameters that every operation takes."""


class Unauthorized(DomainError):
    """Nobody we know is asking."""

    status = 401


class ScopeMissing(Forbidden):
    """The token's scope does not reach this far."""


class PeopleOnly(Forbidden):
    """No token may do this, on any path."""


class UnknownParameter(BadInput):
    """The address names a parameter that this operation does not have."""


class CrossSite(Forbidden):
    """A session changes something only with the page's own CSRF token."""


class Caller(AuthBase):
    """A Worker's token (`Authorization: Bearer yoim_…`), or a person's session with its CSRF token."""

    openapi_type = "http"
    openapi_scheme = "bearer"
    openapi_description = "A Worker's token. People use the session of their browser instead, with X-CSRFToken."

    def __call__(self, request: DjangoRequest) -> Any:
        return getattr(request, "actor", None)


def identify(request: Any) -> None:
    """Set `request.actor`, `request.workspace` and, for a Worker, `request.token`.

    Raises Unauthorized, CrossSite, or NotFound for a workspace that is not the caller's.
    """
    header = request.headers.get("Authorization", "")
    request.token = None
    if header:
        scheme, _, secret = header.partition(" ")
        actor = _worker(request, secret.strip()) if scheme.lower() == "bearer" else None
        if actor is None:
            raise Unauthorized(
                "This token is not known, has expired or was revoked.",
                hint="A person makes a new one on the Workers page or with `yoimemory token new`.",
            )
        _let_worker_in(request, actor)
        return
    if not request.user.is_authenticated:
        raise Unauthorized(
            "This address needs a token or a session.", hint="Send the header Authorization: Bearer yoim_…"
        )
    if check_csrf(request) is not None:
        raise CrossSite("The CSRF token is missing or wrong.", hint="Send it as X-CSRFToken; pages carry it.")
    request.actor = actor_for_user(request.user)
    try:
        request.workspace = chosen_workspace(request)
    except Http404 as error:
        raise NotFound(str(error)) from error
    if request.workspace is None:
        raise NotFound("There is no workspace yet.", hint="Register one with `yoimemory serve PATH`.")


def _worker(request: Any, secret: str) -> Actor | None:
    return worker_with(
        secret,
        now=timezone.now(),
        run=request.headers.get("X-Worker-Run", ""),
        model=request.headers.get("X-Worker-Model", ""),
        on_behalf_of=request.headers.get("X-On-Behalf-Of", ""),
    )


def _let_worker_in(request: Any, actor: Actor) -> None:
    token = actor.token
    assert token is not None  # noqa: S101  (a Worker that called has one)
    request.token, request.workspace, request.actor = token, token.workspace, actor
    count_call(token.pk)
    named = request.GET.get("workspace")
    if named and named != token.workspace.slug:
        raise NotFound(f"There is no workspace {named!r} for this token.", hint="Leave it out: a token has one.")


def check_scope(request: Any, operation: Operation) -> None:
    """Refuse a token what its scope does not cover. Raises PeopleOnly or ScopeMissing."""
    if request.token is None:
        return
    if operation.operation_id in PEOPLE_ONLY:
        raise PeopleOnly(
            "No token may do this: only a person with the reviewer role may.", hint="Propose it; a person decides."
        )
    reads = request.method in {"GET", "HEAD"} or operation.operation_id in READS
    if not reads and not request.token.may_propose:
        raise ScopeMissing("This token may only read.", hint="Ask for one with the scope propose.")


def check_parameters(request: Any, operation: Operation) -> None:
    """Refuse query parameters that this operation does not have, by name. Raises UnknownParameter."""
    known = set(EVERYWHERE)
    for model in operation.models:
        if model.__ninja_param_source__ == "query":
            known |= set(getattr(model, "__ninja_flatten_map__", {}))
    known |= {parameter["name"] for parameter in (operation.openapi_extra or {}).get("parameters", [])}
    unknown = sorted(set(request.GET) - known)
    if unknown:
        raise UnknownParameter(
            f"There is no parameter {unknown[0]!r} here.",
            hint="Known parameters: " + ", ".join(sorted(known)) + ".",
            fields=dict.fromkeys(unknown, "unknown"),
        )


def door(run: Run) -> Run:
    """What every operation asks first: who, may they, and is the address right; then the answer, once per key."""
    operation: Operation = run.__self__  # type: ignore[attr-defined]

    @wraps(run)
    def guarded(request: Any, **path: Any) -> HttpResponse:
        began = timezone.now()
        try:
            with serving():
                identify(request)
                check_scope(request, operation)
                check_parameters(request, operation)
                writes = request.method == "POST" and operation.operation_id not in READS
                answer = answer_once(request, lambda: run(request, **path)) if writes else run(request, **path)
        except DomainError as error:
            answer = refuse(request, error)
        _note(request, operation, answer, began)
        return answer

    return guarded


def _note(request: Any, operation: Operation, answer: HttpResponse, began: datetime) -> None:
    """Keep a Worker's call for the people who look after it."""
    token: Token | None = request.token
    if token is not None:
        note_call(
            token, surface=Call.Surface.JSON, operation=str(operation.operation_id), status=answer.status_code,
            code=getattr(answer, "refusal", ""), run=request.headers.get("X-Worker-Run", ""), began=began,
            now=timezone.now(),
        )  # fmt: skip


class Reference(DocsBase):
    """The docs page, rendered by us: the usual ones need scripts that our content policy forbids."""

    def render_page(self, request: DjangoRequest, api: NinjaAPI, **kwargs: Any) -> HttpResponse:
        context = {
            "groups": operations_by_tag(api.get_openapi_schema()),
            "schema_url": self.get_openapi_url(api, kwargs),
        }
        return render(request, "access/reference.html", context)


class Error(BaseModel):
    """What went wrong, as every operation tells it. `fields` names the inputs concerned."""

    code: str
    message: str
    hint: str
    fields: dict[str, str]
    request_id: str


class House(NinjaAPI):
    """Ours, with the one error shape published beside what each operation answers."""

    def get_openapi_schema(self, **kwargs: Any) -> OpenAPISchema:
        """The schema as ninja writes it; whatever status is not named there is an error in the one shape."""
        schema = super().get_openapi_schema(**kwargs)
        schema["components"]["schemas"]["Error"] = Error.model_json_schema()
        told = {
            "description": "An error. 429 and 503 say in Retry-After when to come again.",
            "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}},
        }
        for path in schema["paths"].values():
            for operation in path.values():
                operation["responses"]["default"] = told
        return schema


api = House(
    title="yoimemory",
    version="1",
    description="Sources, shoeboxes, evidence, hypotheses and proposals of one workspace, as Workers read them.",
    urls_namespace="api",
    auth=Caller(),
    docs=Reference(),
)
api.add_decorator(door, mode="view")


@api.exception_handler(DomainError)
def refuse(request: Any, error: DomainError) -> HttpResponse:
    """Answer an error of the domain in the one shape."""
    body = error_body(error, getattr(request, "request_id", ""))
    response = HttpResponse(
        json.dumps(body, ensure_ascii=False), status=error.status, content_type="application/json; charset=utf-8"
    )
    response.refusal = error.code  # type: ignore[attr-defined]
    if error.status == HTTPStatus.UNAUTHORIZED:
        response["WWW-Authenticate"] = 'Bearer realm="yoimemory"'
    if isinstance(error, TooManyRequests):
        response["Retry-After"] = str(error.retry_after)
    if isinstance(error, Unserved):
        response["Retry-After"] = str(RETRY_AFTER)
    return response


@api.exception_handler(ValidationError)
def refuse_input(request: Any, error: ValidationError) -> HttpResponse:
    """Answer input that does not fit its schema, naming each field."""
    return refuse(request, _bad_fields(error.errors, skip=1))


@api.exception_handler(HttpError)
def refuse_body(request: Any, error: HttpError) -> HttpResponse:
    """Answer a body that is no JSON."""
    return refuse(request, BadInput("The body is no JSON that can be read.", fields={"body": "not JSON"}))


@api.exception_handler(DraftError)
def refuse_draft(request: Any, error: DraftError) -> HttpResponse:
    """Answer a Draft that a view built itself and that does not fit."""
    return refuse(request, _bad_fields(error.errors(include_url=False, include_input=False), skip=0))


@api.exception_handler(Http404)
def refuse_missing(request: Any, error: Http404) -> HttpResponse:
    """Answer a record that does not exist, or not for this caller."""
    return refuse(request, NotFound("There is no such record in this workspace."))


def _bad_fields(errors: list[Any], *, skip: int) -> BadInput:
    fields = {}
    for error in errors:
        place = [str(step) for step in error["loc"][skip:]]
        if skip and error["loc"][0] == "body" and len(place) > 1:
            place = place[1:]  # the name of the view's argument, which the caller never sees
        unknown = error["type"] == "extra_forbidden"
        fields[".".join(place) or "body"] = "unknown" if unknown else error["msg"]
    named = ", ".join(fields)
    return BadInput(f"The input does not fit: {named}.", hint="See /api/v1/docs for what is expected.", fields=fields)


for router in (search, asking, desk, shoebox, evidence, hypotheses, products, markers, sources, listing):
    api.add_router("", router)
