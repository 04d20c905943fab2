"""Reading a marker from a page. It validates; the verb decides and writes."""

from django import forms

from yoimemory.markers.models import Marker
from yoimemory.markers.schemas import MarkerDraft


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
        widget=forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M"),
    )

    def draft(self) -> MarkerDraft:
        return MarkerDraft(**self.cleaned_data)
