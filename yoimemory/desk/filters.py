"""What the memory catalog may be narrowed by, read from a query string without ever failing."""

from collections.abc import Sequence

import django_filters
from django.db.models import Q, QuerySet

from yoimemory.markers.models import Marker
from yoimemory.refs import SourceRef
from yoimemory.search.models import Document

CLASSES = ("summary", "decision", "request", "candidate", "usage", "audit", "instructions", "other")


class MemoryFilter(django_filters.FilterSet):
    """What the catalog may be narrowed by. A word that fits nothing narrows nothing."""

    q = django_filters.CharFilter(method="named")
    record = django_filters.MultipleChoiceFilter(method="of_kind", choices=[(name, name) for name in CLASSES])
    status = django_filters.CharFilter(field_name="facts__status")
    marked = django_filters.BooleanFilter(method="with_markers")

    class Meta:
        model = Document
        fields: list[str] = []

    def named(self, rows: QuerySet[Document], name: str, value: str) -> QuerySet[Document]:
        """Records whose title or address holds the text."""
        return rows.filter(Q(title__icontains=value) | Q(ref__icontains=value))

    def of_kind(self, rows: QuerySet[Document], name: str, value: Sequence[str]) -> QuerySet[Document]:
        """Records of these classes."""
        wanted = Q(pk__in=[])
        for kind in value:
            wanted |= _kind_query(kind)
        return rows.filter(wanted) if value else rows

    def with_markers(self, rows: QuerySet[Document], name: str, value: bool | None) -> QuerySet[Document]:
        """Records on which an open marker stands, or none does. Markers live in the other database."""
        if value is None:
            return rows
        named = rows.values_list("workspace", flat=True).first()
        open_ones = Marker.objects.open().filter(workspace__public_id=named or "")
        marked = list(open_ones.values_list("target_source", flat=True).distinct())
        return rows.filter(ref__in=marked) if value else rows.exclude(ref__in=marked)


def kind_of(document: Document) -> str:
    """Which class of the catalog a document is, by its address."""
    if document.kind != "memory":
        return "instructions" if document.authority == "procedure" else "other"
    head = SourceRef.parse(document.ref).locator.partition("/")[0]
    return head if head in CLASSES else "other"


def _kind_query(kind: str) -> Q:
    if kind == "instructions":
        return Q(authority="procedure")
    if kind == "other":
        known = Q(pk__in=[])
        for name in CLASSES:
            if name != "other":
                known |= _kind_query(name)
        return ~known
    return Q(ref=f"memory:{kind}") | Q(ref__startswith=f"memory:{kind}/")
