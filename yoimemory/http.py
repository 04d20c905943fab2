"""What every shell shares: the request as our views see it, parts of a page, list envelopes, versions."""

from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from django.conf import settings
from django.core import signing
from django.db.models import Model, QuerySet
from django.forms import BaseForm
from django.http import HttpRequest as DjangoRequest
from django.http import HttpResponse
from django.template.response import TemplateResponse
from django.utils.cache import patch_vary_headers
from django.utils.http import url_has_allowed_host_and_scheme
from django_htmx.middleware import HtmxDetails
from pydantic import BaseModel

from yoimemory.errors import BadInput, DomainError

if TYPE_CHECKING:
    from yoimemory.access.models import Actor
    from yoimemory.sources.models import Workspace


DIGITS_MAX = 10
KEY_STEP = 1 << 64
"""Above any second part of a key, so that both parts fit into one number."""

Row = TypeVar("Row", bound=Model)
One = TypeVar("One")
Out = TypeVar("Out")


class BadCursor(BadInput):
    """The cursor is not one that we gave out for this list."""


class VersionMissing(DomainError):
    """A change of a record must name the version it was read at."""

    status = 428


class Envelope(BaseModel, Generic[Out]):
    """A bounded list: what is shown, how many there are, and where to go on."""

    items: list[Out]
    shown: int
    total: int
    truncated: bool
    next_cursor: str


class HttpRequest(DjangoRequest):
    """A request that passed our middleware.

    `actor` is who asks (a person on pages, a person or Worker on JSON), `workspace` the one
    that the page or token is about; both are set before any view runs. `request_id` is in
    the answer's header, in the error shape and in the log.
    """

    request_id: str

    htmx: HtmxDetails
    actor: "Actor"
    workspace: "Workspace"


def render_page(
    request: DjangoRequest,
    template: str,
    context: dict[str, object],
    *,
    parts: Collection[str] = (),
    status: int = 200,
) -> TemplateResponse:
    """Render a page, or the one part of it that htmx asked for.

    A part has one name: its partial, its element id and the htmx target are the same word.
    Only the names in `parts` may be asked for, so a client cannot reach past a permission
    check written around a partial.
    """
    htmx: HtmxDetails = request.htmx  # type: ignore[attr-defined]
    if htmx and htmx.target in parts:
        template = f"{template}#{htmx.target}"
    response = TemplateResponse(request, template, context, status=status)
    patch_vary_headers(response, ["HX-Request", "HX-Target"])
    return response


def page_of(
    queryset: QuerySet[Row],
    limit: int | None,
    cursor: str,
    out: Callable[[Row], Out] | None = None,
    *,
    outs: Callable[[list[Row]], Sequence[Out]] | None = None,
) -> Envelope[Out]:
    """One page of a list, newest first, stable while rows are added.

    `out` turns one row into what is answered, `outs` a whole page at once (where that saves
    queries). Raises BadInput for a limit out of bounds, BadCursor for a cursor of another list.
    """
    limit = _limit(limit)
    signer = signing.Signer(salt=f"cursor.{queryset.model._meta.label_lower}")
    after = queryset.order_by("-pk")
    if cursor:
        after = after.filter(pk__lt=_position(signer, cursor))
    rows = list(after[: limit + 1])
    truncated, rows = len(rows) > limit, rows[:limit]
    items = list(outs(rows)) if outs else [out(row) for row in rows] if out else []
    return Envelope(
        items=items,
        shown=len(items),
        total=queryset.count() if truncated or cursor else len(rows),
        truncated=truncated,
        next_cursor=signer.sign(str(rows[-1].pk)) if truncated else "",
    )


def page_of_ordered(
    rows: Sequence[One],
    key: Callable[[One], tuple[int, int]],
    limit: int | None,
    cursor: str,
    *,
    of: str,
    outs: Callable[[Sequence[One]], Sequence[Out]],
) -> Envelope[Out]:
    """One page of what stands in an order of its own, as `page_of` answers it.

    A cursor names the key of the last one shown, so the next page is right even when that one
    has gone since. `of` says whose cursors these are.
    """
    limit = _limit(limit)
    signer = signing.Signer(salt=f"cursor.{of}")
    after = rows
    if cursor:
        last = divmod(_position(signer, cursor), KEY_STEP)
        after = [row for row in rows if key(row) > last]
    page, truncated = after[:limit], len(after) > limit
    first, second = key(page[-1]) if truncated else (0, 0)
    return Envelope(
        items=list(outs(page)),
        shown=len(page),
        total=len(rows),
        truncated=truncated,
        next_cursor=signer.sign(str(first * KEY_STEP + second)) if truncated else "",
    )


def _limit(limit: int | None) -> int:
    limit = settings.LIST_LIMIT if limit is None else limit
    if not 1 <= limit <= settings.LIST_LIMIT_MAX:
        raise BadInput(
            f"A limit is a number from 1 to {settings.LIST_LIMIT_MAX}, not {limit}.", fields={"limit": "out of bounds"}
        )
    return limit


def _position(signer: signing.Signer, cursor: str) -> int:
    try:
        return int(signer.unsign(cursor))
    except (signing.BadSignature, ValueError) as error:
        raise BadCursor(
            "This cursor does not belong to this list.",
            hint="Take next_cursor from the last answer as it stands, or leave it out to start again.",
            fields={"cursor": "unknown"},
        ) from error


def set_version(response: HttpResponse, version: int) -> None:
    """Say in the answer which version of the record it shows."""
    response["ETag"] = f'"{version}"'


def version_named(request: DjangoRequest) -> int:
    """The version that a change was written against, from `If-Match`.

    Raises VersionMissing without the header, BadInput if it is not an ETag of ours.
    """
    text = request.headers.get("If-Match", "").strip()
    if not text:
        raise VersionMissing(
            "This change does not say which version it was written against.",
            hint="Read the record, then send its ETag as If-Match.",
            fields={"If-Match": "required"},
        )
    version = number_in(text.removeprefix("W/").strip('"'))
    if version is None:
        raise BadInput(
            f"{text[:40]!r} is not an ETag of ours.", hint='It looks like "3".', fields={"If-Match": "unknown"}
        )
    return version


def number_in(text: str) -> int | None:
    """The number that a form, an address or a header holds; None for anything else, also for one of absurd length."""
    return int(text) if text.isdecimal() and len(text) < DIGITS_MAX else None


def error_body(error: DomainError, request_id: str) -> dict[str, Any]:
    """The one shape in which every machine reads an error."""
    return {
        "code": error.code,
        "message": error.message,
        "hint": error.hint,
        "fields": error.fields,
        "request_id": request_id,
    }


def sentence(error: DomainError) -> str:
    """An error as a page shows it: what stands against it, and what to do next."""
    return f"{error.message} {error.hint}".strip()


def status_of(error: DomainError | str) -> int:
    """409 where the record or a rule stands against it, 422 where the input does: the two that htmx swaps in.

    A ref that leads nowhere is input, and so is what a form says of itself, as a sentence.
    """
    return 409 if isinstance(error, DomainError) and error.status in {403, 409, 412} else 422


def blame(form: BaseForm, error: DomainError) -> int:
    """Put an error of the domain beside the field that it names; the status that the form is answered with."""
    form.add_error(next((name for name in error.fields if name in form.fields), None), sentence(error))
    return status_of(error)


def safe_address(text: str, otherwise: str) -> str:
    """An address within this app, or the other one: a redirect never leads to another host."""
    inside = text.startswith("/") and url_has_allowed_host_and_scheme(text, allowed_hosts=None)
    return text if inside else otherwise


def first_error(form: BaseForm) -> str:
    """The first thing that is wrong with a form, with the name of its field."""
    for name, problems in form.errors.items():
        label = (form.fields[name].label or name.replace("_", " ").capitalize()) if name in form.fields else ""
        return f"{label}: {problems[0]}" if label else str(problems[0])
    return ""
