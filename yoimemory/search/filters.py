"""What a search and the list of sources may be narrowed by, read from a query string without ever failing."""

from datetime import UTC, datetime
from typing import Any

import django_filters
from django import forms
from django.db.models import Q, QuerySet

from yoimemory.refs import SOURCE_KINDS
from yoimemory.search.models import Document
from yoimemory.search.query import day_span
from yoimemory.search.schemas import PER_SOURCE_MAX, SearchQuery
from yoimemory.sources.reading import AUTHORITY, SPEAKERS

STANCES = ("supporting", "disconfirming")
ORDERS = ("newest", "oldest")
PER_SOURCE = tuple(map(str, range(2, PER_SOURCE_MAX + 1)))


def _choices(values: tuple[str, ...]) -> list[tuple[str, str]]:
    return [(value, value) for value in values]


class OpenChoice(forms.MultipleChoiceField):
    """Values that depend on the sources: an unknown one finds nothing, and that is said, not refused."""

    def valid_value(self, value: Any) -> bool:
        return True


class OpenChoiceFilter(django_filters.MultipleChoiceFilter):
    field_class = OpenChoice


class SearchFilter(django_filters.FilterSet):
    """The facets of a search, under the names that JSON has. What cannot be read narrows nothing."""

    kinds = django_filters.MultipleChoiceFilter(field_name="kind", choices=_choices(SOURCE_KINDS))
    authority = django_filters.MultipleChoiceFilter(field_name="authority", choices=_choices(AUTHORITY))
    speaker = django_filters.ChoiceFilter(field_name="passages__speaker", choices=_choices(SPEAKERS))
    path = django_filters.CharFilter(method="under")
    author = django_filters.CharFilter(field_name="author", lookup_expr="icontains")
    states = OpenChoiceFilter(field_name="state")
    languages = OpenChoiceFilter(field_name="language")

    class Meta:
        model = Document
        fields: list[str] = []

    def under(self, documents: QuerySet[Document], name: str, value: str) -> QuerySet[Document]:
        """Documents whose path or address begins so."""
        return documents.filter(Q(path__startswith=value) | Q(ref__contains=f":{value}"))

    def narrow(self, query: str, **more: Any) -> SearchQuery:
        """The search that this asks for. A facet that was sent with a value of its own kind counts, others do not."""
        self.form.is_valid()
        asked = {name: value for name, value in self.form.cleaned_data.items() if value}
        for name in ("since", "until", "as_of"):
            if at := written_instant(self.data.get(name, ""), end=name != "since"):
                asked[name] = at
        for name, known in (("stance", STANCES), ("order", ORDERS)):
            if self.data.get(name) in known:
                asked[name] = self.data[name]
        for name in ("revision", "shoebox"):
            if text := str(self.data.get(name, "")).strip()[:80]:
                asked[name] = text
        if str(self.data.get("per_source", "")) in PER_SOURCE:
            asked["per_source"] = int(self.data["per_source"])
        if isinstance(cursor := self.data.get("cursor"), str):
            asked["cursor"] = cursor
        return SearchQuery(query=query, **(asked | more))


class SourceFilter(SearchFilter):
    """What the list of sources may be narrowed by."""

    q = django_filters.CharFilter(method="named", widget=forms.TextInput(attrs={"type": "search"}))
    order = django_filters.OrderingFilter(fields=(("at", "date"), ("title", "title"), ("path", "path")))

    def named(self, documents: QuerySet[Document], name: str, value: str) -> QuerySet[Document]:
        """Documents whose title or address holds the text."""
        return documents.filter(Q(title__icontains=value) | Q(ref__icontains=value))


def written_instant(text: str, *, end: bool) -> datetime | None:
    """An instant that a person wrote: `2026-07-16` as an end means the whole of that day."""
    text = text.strip().replace("Z", "+00:00")
    span = day_span(text)
    if span is None:
        return None
    whole_day = len(text) <= len("2026-07-16")
    return (span[1] if end and whole_day else span[0]).astimezone(UTC)
