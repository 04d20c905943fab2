"""What a reader may narrow the list of shoeboxes by. The page and the API share it."""

import django_filters as filters
from django import forms
from django.db.models import Q, QuerySet

from shoebox.models import Shoebox


class ShoeboxFilter(filters.FilterSet):
    """Narrows by state (open ones unless another is named), task and words of the question."""

    state = filters.ChoiceFilter(
        choices=[*Shoebox.State.choices, ("all", "all")], method="in_state", empty_label=None, label="State"
    )
    task = filters.CharFilter(method="serves", label="Task")
    words = filters.CharFilter(
        method="says", label="Words", widget=forms.TextInput(attrs={"type": "search", "autocomplete": "off"})
    )

    class Meta:
        model = Shoebox
        fields: list[str] = []

    def in_state(self, queryset: QuerySet[Shoebox], name: str, value: str) -> QuerySet[Shoebox]:
        return queryset if value == "all" else queryset.filter(state=value)

    def serves(self, queryset: QuerySet[Shoebox], name: str, value: str) -> QuerySet[Shoebox]:
        return queryset.filter(Q(task=value) | Q(task__endswith=f":{value}"))

    def says(self, queryset: QuerySet[Shoebox], name: str, value: str) -> QuerySet[Shoebox]:
        for word in value.split():
            queryset = queryset.filter(Q(question__icontains=word) | Q(purpose__icontains=word))
        return queryset
