"""What pages send about words and saved searches. Forms validate and hand the verb a draft; they never save."""

from django import forms
from django.http import QueryDict
from pydantic import ValidationError as DraftError

from yoimemory.asking.models import Alias, SavedSearch
from yoimemory.asking.schemas import AliasDraft, Asked, SavedSearchChange, SavedSearchDraft

WORDS = ("word", "meaning", "since", "until", "note")
LISTS = ("kinds", "authority", "languages", "states")


class AliasForm(forms.ModelForm):  # type: ignore[type-arg]
    """A word, what it meant, and between which days."""

    class Meta:
        model = Alias
        fields: tuple[str, ...] = WORDS
        labels = {"word": "Word", "meaning": "Means", "since": "From", "until": "Until", "note": "Note"}
        widgets = {
            "since": forms.DateInput(attrs={"type": "date"}),
            "until": forms.DateInput(attrs={"type": "date"}),
        }

    def clean(self) -> dict[str, object]:
        """Words and days that make sense together; the same rule as for JSON."""
        read: dict[str, object] = super().clean() or {}
        if not self.errors:
            try:
                AliasDraft.model_validate({name: read.get(name) for name in WORDS})
            except DraftError as error:
                raise forms.ValidationError(error.errors()[0]["msg"].removeprefix("Value error, ")) from error
        return read

    def draft(self) -> AliasDraft:
        return AliasDraft.model_validate({name: self.cleaned_data[name] for name in WORDS})


class SaveForm(forms.Form):
    """A name for the search whose address is sent along."""

    name = forms.CharField(max_length=SavedSearch.NAME_MAX, widget=forms.TextInput(attrs={"autocomplete": "off"}))
    shared = forms.BooleanField(required=False)
    asked = forms.CharField(max_length=20_000, widget=forms.HiddenInput)

    def clean_asked(self) -> Asked:
        """The words and filters of an address, without what only turns its pages."""
        try:
            return asked_of(QueryDict(self.cleaned_data["asked"]))
        except DraftError as error:
            raise forms.ValidationError("Nothing is asked in that address, so there is nothing to keep.") from error

    def draft(self) -> SavedSearchDraft:
        return SavedSearchDraft(**self.cleaned_data)


class ChangeForm(forms.Form):
    """Another name for a saved search, and who sees it."""

    name = forms.CharField(max_length=SavedSearch.NAME_MAX)
    shared = forms.BooleanField(required=False)

    def change(self) -> SavedSearchChange:
        return SavedSearchChange(**self.cleaned_data)


def asked_of(query: QueryDict) -> Asked:
    """What an address of the search page asks. Raises pydantic's ValidationError where it asks nothing."""
    values: dict[str, object] = {
        name: [value for value in query.getlist(name) if value] if name in LISTS else query.get(name, "")
        for name in Asked.model_fields
        if name in query
    }
    return Asked.model_validate(values)
