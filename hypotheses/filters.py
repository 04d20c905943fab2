"""What a reader may narrow hypotheses and representations by. Page and API share it."""

import django_filters as filters
from django import forms
from django.db.models import Q, QuerySet

from hypotheses.models import Hypothesis, Representation


def _id_of(value: str) -> str:
    """The public id in `shoebox:01…`, or the id as it stands."""
    return value.partition(":")[2] or value


_WORDS = forms.TextInput(attrs={"type": "search", "autocomplete": "off"})


class HypothesisFilter(filters.FilterSet):
    """Narrows by status, shoebox, words of the claim, and evidence that bears on it."""

    status = filters.MultipleChoiceFilter(
        choices=Hypothesis.Status.choices, widget=forms.CheckboxSelectMultiple, label="Status"
    )
    shoebox = filters.CharFilter(method="in_shoebox", label="Shoebox", widget=forms.HiddenInput)
    words = filters.CharFilter(method="says", label="Words", widget=_WORDS)

    class Meta:
        model = Hypothesis
        fields: list[str] = []

    def in_shoebox(self, queryset: QuerySet[Hypothesis], name: str, value: str) -> QuerySet[Hypothesis]:
        return queryset.filter(shoebox__public_id=_id_of(value))

    def says(self, queryset: QuerySet[Hypothesis], name: str, value: str) -> QuerySet[Hypothesis]:
        for word in value.split():
            queryset = queryset.filter(Q(claim__icontains=word) | Q(shoebox__question__icontains=word))
        return queryset


class RepresentationFilter(filters.FilterSet):
    """Narrows by kind, shoebox, words of the title, and what is cited."""

    kind = filters.ChoiceFilter(choices=Representation.Kind.choices, label="Kind", empty_label="every kind")
    shoebox = filters.CharFilter(method="in_shoebox", label="Shoebox", widget=forms.HiddenInput)
    words = filters.CharFilter(method="says", label="Words", widget=_WORDS)

    class Meta:
        model = Representation
        fields: list[str] = []

    def in_shoebox(self, queryset: QuerySet[Representation], name: str, value: str) -> QuerySet[Representation]:
        return queryset.filter(shoebox__public_id=_id_of(value))

    def says(self, queryset: QuerySet[Representation], name: str, value: str) -> QuerySet[Representation]:
        for word in value.split():
            queryset = queryset.filter(Q(title__icontains=word) | Q(shoebox__question__icontains=word))
        return queryset
