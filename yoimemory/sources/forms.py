"""Reading a message or a place from a page. Forms validate; the verbs decide and write."""

from django import forms

from yoimemory.sources.models import AddedSource, Message
from yoimemory.sources.schemas import MessageDraft


class MessageForm(forms.Form):
    """The words of a user, as they were said."""

    text = forms.CharField(
        max_length=Message.TEXT_MAX,
        strip=False,
        label="Words",
        widget=forms.Textarea(attrs={"rows": 6}),
        help_text="Verbatim. They are kept for good: nobody can change them. Secrets are masked.",
    )
    said_by = forms.CharField(
        max_length=Message.NAME_MAX, required=False, label="Said by", help_text="Leave it empty if the words are yours."
    )
    said_at = forms.DateTimeField(
        required=False,
        label="Said at",
        help_text="In UTC; now, where it is left out.",
        widget=forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M"),
    )
    origin = forms.CharField(
        max_length=Message.ORIGIN_MAX, required=False, label="Where", help_text="Such as a chat, a call, a letter."
    )

    def draft(self) -> MessageDraft:
        """The message, with the line ends that were typed: a browser sends others."""
        fields = {**self.cleaned_data, "text": self.cleaned_data["text"].replace("\r\n", "\n")}
        return MessageDraft(**fields)


class PlaceForm(forms.Form):
    """A file or folder of this machine that is to be read beside the repository."""

    path = forms.CharField(
        max_length=1_000, label="File or folder", help_text="Its whole path on the machine that runs yoimemory."
    )
    kind = forms.ChoiceField(choices=AddedSource.Kind.choices, label="What it holds")
    format = forms.CharField(
        max_length=40,
        required=False,
        label="Format",
        help_text="Only where the files do not tell it themselves, such as claude or codex.",
    )
