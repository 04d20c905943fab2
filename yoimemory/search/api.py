"""Searching as JSON, by address or by body. Where the index stands is told by the desk, beside its work."""

from collections.abc import Sequence
from typing import Any

from django.http import HttpRequest as DjangoRequest
from django.http import HttpResponse
from django.utils import timezone
from ninja import Query, Router
from pydantic import BaseModel, ConfigDict, Field
from pydantic import ValidationError as DraftError

from yoimemory.errors import BadInput
from yoimemory.instants import End, Instant
from yoimemory.refs import SOURCE_KINDS
from yoimemory.search.schemas import PER_SOURCE_MAX, Order, SearchAnswer, SearchQuery, Stance, Words
from yoimemory.search.services import search_sources
from yoimemory.sources.reading import AUTHORITY, SPEAKERS

router = Router(tags=["search"])


class SearchParams(BaseModel):
    """What can be asked in the address. Lists are repeated parameters."""

    model_config = ConfigDict(extra="forbid")

    q: Words = Field("", description="What a person types: words, phrases in quotes, -not, kind:, path:, a ref.")
    kinds: list[str] = Field(default_factory=list, max_length=len(SOURCE_KINDS) * 2)
    path: Words = Field("", max_length=2_048, description="A glob over path or locator; * crosses /.")
    authority: list[str] = Field(default_factory=list, max_length=len(AUTHORITY) * 2)
    author: Words = Field("", max_length=200)
    speaker: str = Field("", max_length=20)
    since: Instant | None = None
    until: End | None = Field(None, description="A day alone is meant with all that happened on it.")
    as_of: End | None = Field(None, description="What is later than this stays, and says so in its caveats.")
    revision: str = Field("", max_length=80)
    stance: Stance = "any"
    languages: list[str] = Field(default_factory=list, max_length=20)
    states: list[str] = Field(default_factory=list, max_length=40, description="States of tickets and objectives.")
    order: Order = Field("relevance", description="relevance, newest or oldest; what has no date comes last.")
    shoebox: str = Field("", max_length=80, description="A ref or an id: search inside this shoebox only.")
    limit: int = Field(50, ge=1, le=200)
    per_source: int = Field(
        1, ge=1, le=PER_SOURCE_MAX, description="Hits per source; a ticket with all its files is one source."
    )
    cursor: str = Field("", max_length=20_000)
    budget: int | None = Field(None, ge=200, le=1_000_000, description="Characters that the answer may have.")


class SearchBody(SearchParams):
    """The same in a body, with long text and with sources to leave out."""

    text: Words = Field("", max_length=1_000_000, description="Long text; its rarest terms are sought.")
    exclude: list[str] = Field(default_factory=list, max_length=500, description="Refs; the whole source of each.")


@router.get("/search", response=SearchAnswer, operation_id="search_sources")
def search_by_address(request: DjangoRequest, params: Query[SearchParams]) -> HttpResponse:
    """Find passages, best first, with verbatim words, reasons and caveats."""
    return _answer(request, params)


@router.post("/search", response=SearchAnswer, operation_id="search_sources_by_body")
def search(request: DjangoRequest, body: SearchBody) -> HttpResponse:
    """Find passages, best first, with verbatim words, reasons and caveats; also for a long text."""
    return _answer(request, body)


def _answer(request: Any, asked: SearchParams) -> HttpResponse:
    _check(asked.kinds, SOURCE_KINDS, "kinds")
    _check(asked.authority, AUTHORITY, "authority")
    _check([asked.speaker] if asked.speaker else [], SPEAKERS, "speaker")
    values = asked.model_dump(exclude={"q"}) | {"query": asked.q}
    try:
        query = SearchQuery(**values)
    except DraftError:
        raise BadInput("Say what to look for.", hint="Send q or text.", fields={"q": "required"}) from None
    answer = search_sources(query, workspace=request.workspace, now=timezone.now(), actor=request.actor)
    # Written once: the answer is of the schema already, and validating fifty hits again takes longer than finding them.
    return HttpResponse(answer.model_dump_json(), content_type="application/json; charset=utf-8")


def _check(values: Sequence[str], known: Sequence[str], name: str) -> None:
    unknown = sorted(set(values) - set(known))
    if unknown:
        raise BadInput(
            f"There is no {name} {unknown[0]!r}.",
            hint=f"Known {name}: " + ", ".join(known) + ".",
            fields={name: "unknown"},
        )
