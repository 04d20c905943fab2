"""What a reader may narrow the evidence by. The page and the API share it."""

import django_filters as filters
from django import forms
from django.db.models import Q, QuerySet

from evidence.drift import drifted_at
from evidence.models import Evidence, Placement, Relation
from yoimemory.markers.models import SecondLook
from yoimemory.refs import SOURCE_KINDS

WAITING = "waiting"
CURRENT = "current"
CONFLICT = "conflict"
_STATES = [
    (CURRENT, "standing"),
    (WAITING, "waiting for a person"),
    (CONFLICT, "reviewers disagree"),
    *Evidence.State.choices,
    ("all", "all"),
]


class EvidenceFilter(filters.FilterSet):
    """Narrows by state, relation, target, anchor state, kind, source and words."""

    state = filters.ChoiceFilter(choices=_STATES, method="in_state", empty_label=None, label="State")
    relation = filters.ChoiceFilter(
        choices=Relation.Kind.choices, method="with_relation", empty_label="any", label="Relation"
    )
    anchor = filters.ChoiceFilter(
        choices=[(state, state) for state in Placement.State.values],
        method="with_anchor",
        empty_label="any",
        label="Anchor",
    )
    source = filters.ChoiceFilter(
        choices=[(kind, kind) for kind in SOURCE_KINDS], method="of_kind", empty_label="any", label="Source"
    )
    words = filters.CharFilter(
        method="says", label="Words", widget=forms.TextInput(attrs={"type": "search", "autocomplete": "off"})
    )
    shoebox = filters.CharFilter(method="of_shoebox", label="Shoebox", widget=forms.HiddenInput)
    target = filters.CharFilter(method="on_target", label="Target", widget=forms.HiddenInput)
    moved = filters.CharFilter(method="moved_at", label="Drifted up to commit", widget=forms.HiddenInput)
    ref = filters.CharFilter(method="from_ref", label="Ref", widget=forms.HiddenInput)

    class Meta:
        model = Evidence
        fields: list[str] = []

    def in_state(self, queryset: QuerySet[Evidence], name: str, value: str) -> QuerySet[Evidence]:
        if value == "all":
            return queryset
        if value == CURRENT:
            return queryset.exclude(state__in=Evidence.ENDED)
        if value == WAITING:
            return queryset.filter(state__in=Evidence.WAITING)
        if value == CONFLICT:
            return queryset.filter(public_id__in=disputed_ids())
        return queryset.filter(state=value)

    def with_relation(self, queryset: QuerySet[Evidence], name: str, value: str) -> QuerySet[Evidence]:
        return queryset.filter(pk__in=Relation.objects.filter(relation=value).values("evidence"))

    def with_anchor(self, queryset: QuerySet[Evidence], name: str, value: str) -> QuerySet[Evidence]:
        return queryset.filter(pk__in=Evidence.objects.in_anchor_state(value).values("pk"))

    def moved_at(self, queryset: QuerySet[Evidence], name: str, value: str) -> QuerySet[Evidence]:
        return queryset.filter(pk__in=drifted_at(Evidence.objects.filter(pk__in=queryset.values("pk")), value))

    def of_kind(self, queryset: QuerySet[Evidence], name: str, value: str) -> QuerySet[Evidence]:
        return queryset.filter(source__startswith=f"{value}:")

    def says(self, queryset: QuerySet[Evidence], name: str, value: str) -> QuerySet[Evidence]:
        for word in value.split():
            queryset = queryset.filter(
                Q(quote__icontains=word) | Q(summary__icontains=word) | Q(why__icontains=word)
                | Q(inference__icontains=word) | Q(place__icontains=word) | Q(title__icontains=word)
            )  # fmt: skip
        return queryset

    def of_shoebox(self, queryset: QuerySet[Evidence], name: str, value: str) -> QuerySet[Evidence]:
        return queryset.filter(shoebox__public_id=value.partition(":")[2] or value)

    def on_target(self, queryset: QuerySet[Evidence], name: str, value: str) -> QuerySet[Evidence]:
        return queryset.filter(pk__in=Relation.objects.filter(target=value).values("evidence"))

    def from_ref(self, queryset: QuerySet[Evidence], name: str, value: str) -> QuerySet[Evidence]:
        place = value.partition("#")[0].partition("@")[0]
        return queryset.filter(Q(place=place) | Q(source=place))


def disputed_ids() -> list[str]:
    """The public ids of evidence about which two reviewers answered differently."""
    subjects = SecondLook.objects.in_conflict().filter(subject__startswith="evidence:")
    return [subject.partition(":")[2] for subject in subjects.values_list("subject", flat=True)]
