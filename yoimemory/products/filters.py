"""What a reader may narrow proposals by. Page and API share it."""

import django_filters as filters
from django import forms
from django.db.models import Q, QuerySet

from yoimemory.products.models import Proposal


class ProposalFilter(filters.FilterSet):
    """Narrows by state, target, shoebox, words of title, path or rationale, and the evidence it rests on."""

    state = filters.MultipleChoiceFilter(
        choices=[(state.value, state.value.replace("_", " ")) for state in Proposal.State],
        widget=forms.CheckboxSelectMultiple,
        label="State",
    )
    target = filters.ChoiceFilter(
        choices=[(target.value, target.value.replace("_", " ")) for target in Proposal.Target],
        label="Target",
        empty_label="every target",
    )
    shoebox = filters.CharFilter(method="in_shoebox", label="Shoebox", widget=forms.HiddenInput)
    evidence = filters.CharFilter(method="rests_on", label="Rests on", widget=forms.HiddenInput)
    words = filters.CharFilter(
        method="says", label="Words", widget=forms.TextInput(attrs={"type": "search", "autocomplete": "off"})
    )

    class Meta:
        model = Proposal
        fields: list[str] = []

    def in_shoebox(self, queryset: QuerySet[Proposal], name: str, value: str) -> QuerySet[Proposal]:
        return queryset.filter(shoebox__public_id=value.partition(":")[2] or value)

    def rests_on(self, queryset: QuerySet[Proposal], name: str, value: str) -> QuerySet[Proposal]:
        # A ULID occurs in no other text, and not every database looks into JSON lists.
        return queryset.filter(evidence__icontains=value.partition(":")[2] or value)

    def says(self, queryset: QuerySet[Proposal], name: str, value: str) -> QuerySet[Proposal]:
        for word in value.split():
            found = Q(title__icontains=word) | Q(path__icontains=word) | Q(rationale__icontains=word)
            queryset = queryset.filter(found)
        return queryset
