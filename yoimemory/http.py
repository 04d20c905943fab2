"""The one HTMX helper and the request as our views see it."""

from collections.abc import Collection
from typing import TYPE_CHECKING

from django.http import HttpRequest as DjangoRequest
from django.template.response import TemplateResponse
from django.utils.cache import patch_vary_headers
from django_htmx.middleware import HtmxDetails

if TYPE_CHECKING:
    from yoimemory.access.models import Actor
    from yoimemory.sources.models import Workspace


class HttpRequest(DjangoRequest):
    """A request that passed our middleware.

    `actor` is who asks (a person on pages, a person or Worker on JSON), `workspace` the one
    that the page or token is about; both are set before any view runs.
    """

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
