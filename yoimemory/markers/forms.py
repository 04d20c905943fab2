"""Reading markers, contradictions and grades from a page. Forms validate; the verbs decide and write."""

from django import forms

from yoimemory.markers.models import Contradiction, Marker, Reliability
from yoimemory.markers.schemas import ContradictionDraft, MarkerDraft

_SCOPE = "Where it is limited: a version, a platform, a time. Two that hold for different things may both be right."


def _when() -> forms.DateTimeInput:
    return forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M")


class MarkerForm(forms.Form):
    """What a person says when marking a ref."""

    target = forms.CharField(
        max_length=2_100, label="Ref", help_text="A source, some lines of it (…#L34-L36), or one of our own records."
    )
    state = forms.ChoiceField(choices=Marker.State.choices, initial=Marker.State.NEEDS_REVIEW)
    by_ref = forms.CharField(
        max_length=2_100, required=False, label="By", help_text="What supersedes or contradicts it, as a ref."
    )
    reason = forms.CharField(max_length=Marker.REASON_MAX, widget=forms.Textarea(attrs={"rows": 3}))
    review_at = forms.DateTimeField(
        required=False,
        label="Look again on",
        help_text="In UTC. From then on the inbox asks for it.",
        widget=_when(),
    )

    def draft(self) -> MarkerDraft:
        return MarkerDraft(**self.cleaned_data)


class ContradictionForm(forms.Form):
    """Two refs that cannot both hold, with dates and scopes where they are known."""

    about = forms.CharField(
        max_length=Contradiction.WORDS_MAX, label="What they disagree on", widget=forms.Textarea(attrs={"rows": 3})
    )
    left = forms.CharField(max_length=2_100, label="One side", help_text="A ref, with lines: doc:docs/a.md#L3-L5.")
    left_at = forms.DateTimeField(required=False, label="Said on", widget=_when())
    left_scope = forms.CharField(max_length=400, required=False, label="Holds for", help_text=_SCOPE)
    right = forms.CharField(max_length=2_100, label="The other side", help_text="Copy the ref from its page.")
    right_at = forms.DateTimeField(required=False, label="Said on", widget=_when())
    right_scope = forms.CharField(max_length=400, required=False, label="Holds for", help_text=_SCOPE)

    def draft(self) -> ContradictionDraft:
        return ContradictionDraft(**self.cleaned_data)


class ReliabilityForm(forms.Form):
    """How far a source is trusted, and why."""

    source = forms.CharField(max_length=2_100, help_text="A ref; the grade is that of the whole source.")
    grade = forms.ChoiceField(choices=[(grade, grade) for grade in Reliability.Grade.values])
    reason = forms.CharField(max_length=Reliability.REASON_MAX, widget=forms.TextInput(attrs={"autocomplete": "off"}))
    next = forms.CharField(max_length=400, required=False, widget=forms.HiddenInput)
