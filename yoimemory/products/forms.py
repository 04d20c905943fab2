"""What a page sends about proposals and exports. Forms validate and hand the verb a value; they never save."""

import re
from collections.abc import Iterable
from typing import Any

from django import forms

from shoebox.models import Shoebox
from yoimemory.products.models import Impact, Proposal, Verdict
from yoimemory.products.schemas import ImpactDraft, MemoryDraft, ProposalDraft, RevisionDraft
from yoimemory.products.thread import REVIEWS

TARGETS = [(target.value, target.value.replace("_", " ")) for target in Proposal.Target]
_CONTENT = {"rows": 24, "spellcheck": "false", "class": "content", "autocomplete": "off"}
_ONE_LINE = {"autocomplete": "off"}
_MARKS = re.compile(r"^(?:<{7} proposed|>{7} in the file now)\r?$", re.MULTILINE)


class Refs(forms.MultipleChoiceField):
    """Any number of refs; whether each exists is for the verb to say."""

    def valid_value(self, value: str) -> bool:
        return True


class PlaceForm(forms.Form):
    """Says what is to be changed: the first step, after which the file is shown for editing."""

    target = forms.ChoiceField(choices=TARGETS, initial=Proposal.Target.DOC, label="Target")
    path = forms.CharField(
        max_length=1_000,
        label="Path, or a ref",
        widget=forms.TextInput(_ONE_LINE),
        help_text="Relative to the workspace, such as docs/guide.md. For a comment the ticket's ref, "
        "ticket:00001KX6WVNPD; for a marker the ref that it is set on, memory:decision/use-sqlite.",
    )
    shoebox = forms.ChoiceField(required=False, label="Shoebox that it comes from")

    def __init__(self, *args: Any, shoeboxes: Iterable[Shoebox] = (), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["shoebox"]
        assert isinstance(field, forms.ChoiceField)  # noqa: S101 (for the type checker)
        field.choices = [("", "none"), *((one.public_id, one.question) for one in shoeboxes)]


class ProseForm(forms.Form):
    """The words of a proposal or of a new revision, and what it rests on."""

    title = forms.CharField(max_length=300, required=False, widget=forms.TextInput(_ONE_LINE))
    content = forms.CharField(
        max_length=Proposal.CONTENT_MAX, strip=False, label="New content, whole", widget=forms.Textarea(_CONTENT)
    )
    rationale = forms.CharField(
        max_length=Proposal.RATIONALE_MAX,
        label="Why (your inference)",
        widget=forms.Textarea({"rows": 4}),
        help_text="What follows from the evidence, and what the change will do.",
    )
    evidence = Refs(required=False)
    contrary = Refs(required=False)
    refs = forms.CharField(
        required=False,
        max_length=10_000,
        label="Further refs, one a line",
        widget=forms.Textarea({"rows": 2, "spellcheck": "false"}),
        help_text="Evidence of other shoeboxes, hypotheses, sources.",
    )

    def clean_content(self) -> str:
        content: str = self.cleaned_data["content"]
        if _MARKS.search(content):
            raise forms.ValidationError("Some places still hold both texts between marks; decide each of them.")
        return content

    def clean(self) -> dict[str, Any]:
        read = super().clean() or self.cleaned_data
        if set(read.get("evidence", [])) & set(read.get("contrary", [])):
            raise forms.ValidationError("The same evidence can speak for the change or against it, not both.")
        return read

    def words(self) -> dict[str, Any]:
        """What was read, the further refs among the evidence."""
        read = dict(self.cleaned_data)
        read["evidence"] = [*read["evidence"], *read.pop("refs").split()]
        return read


class ProposeForm(PlaceForm, ProseForm):
    """Reads a whole proposal."""

    base_digest = forms.CharField(max_length=71, required=False, widget=forms.HiddenInput)
    shoebox = forms.CharField(max_length=200, required=False, widget=forms.HiddenInput)  # type: ignore[assignment]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        forms.Form.__init__(self, *args, **kwargs)  # the shoebox was chosen in the first step

    def draft(self) -> ProposalDraft:
        return ProposalDraft(**self.words())


class ReviseForm(ProseForm):
    """Reads a new revision."""

    note = forms.CharField(
        max_length=2_000,
        required=False,
        label="What is new in this revision",
        widget=forms.TextInput(_ONE_LINE),
    )
    version = forms.IntegerField(widget=forms.HiddenInput)

    def draft(self) -> RevisionDraft:
        words = self.words()
        words.pop("version")
        return RevisionDraft(**words)


class MemoryForm(forms.Form):
    """Reads a memory record: we write its file."""

    kind = forms.ChoiceField(choices=[(kind, kind) for kind in ("decision", "request", "summary")])
    slug = forms.CharField(
        max_length=64,
        required=False,
        label="Name (slug)",
        widget=forms.TextInput(_ONE_LINE),
        help_text="Lower-case words joined by hyphens, such as use-sqlite. The summary has none.",
    )
    status = forms.ChoiceField(
        choices=[(status, status) for status in ("open", "resolved")], required=False, label="Status of a decision"
    )
    replaces = forms.CharField(
        max_length=64,
        required=False,
        label="Replaces the decision",
        widget=forms.TextInput(_ONE_LINE),
        help_text="Its name. The older record is then proposed as replaced, in a proposal of its own.",
    )
    body = forms.CharField(
        max_length=20_000,
        strip=False,
        label="What is to be remembered",
        widget=forms.Textarea({**_CONTENT, "rows": 12}),
    )
    rationale = forms.CharField(
        max_length=Proposal.RATIONALE_MAX, label="Why (your inference)", widget=forms.Textarea({"rows": 3})
    )
    refs = forms.CharField(
        required=False,
        max_length=10_000,
        label="What it rests on: refs, one a line",
        widget=forms.Textarea({"rows": 3, "spellcheck": "false"}),
    )
    shoebox = forms.CharField(max_length=200, required=False, widget=forms.HiddenInput)

    def clean_body(self) -> str:
        body: str = self.cleaned_data["body"]
        return body.replace("\r\n", "\n")

    def draft(self) -> MemoryDraft:
        read = dict(self.cleaned_data)
        read["evidence"] = read.pop("refs").split()
        read["status"] = read["status"] or "open"
        return MemoryDraft(**read)


class ReviewForm(forms.Form):
    """Reads a verdict."""

    verdict = forms.ChoiceField(choices=Verdict.Kind.choices)
    reason = forms.CharField(max_length=4_000, required=False)
    confirmed = forms.BooleanField(required=False)
    version = forms.IntegerField()


class StepForm(forms.Form):
    """Reads what applying, undoing, rebasing and withdrawing need."""

    way = forms.ChoiceField(choices=[("", ""), *Proposal.Way.choices], required=False)
    review = forms.ChoiceField(choices=[("", ""), *REVIEWS.items()], required=False)
    reason = forms.CharField(max_length=4_000, required=False)
    confirmed = forms.BooleanField(required=False)
    version = forms.IntegerField()


class ImportForm(forms.Form):
    """Reads an artifact: its file in the workspace, or its text."""

    path = forms.CharField(
        max_length=1_000,
        required=False,
        label="File in the workspace",
        widget=forms.TextInput({"autocomplete": "off"}),
        help_text="Such as .yoi/tickets/00001KX6WVNPD/artifacts/shoebox-01….json.",
    )
    text = forms.CharField(
        required=False,
        strip=False,
        label="Or the JSON itself",
        widget=forms.Textarea({"rows": 8, "spellcheck": "false", "class": "content"}),
    )

    def clean(self) -> dict[str, Any]:
        read = super().clean() or self.cleaned_data
        if bool(read.get("path")) == bool(read.get("text")):
            raise forms.ValidationError("Name the file, or paste the JSON: one of the two.")
        return read


class ImpactForm(forms.Form):
    """Reads the effect of a proposal that a person tells of."""

    kind = forms.ChoiceField(choices=[(kind.value, kind.value.replace("_", " ")) for kind in Impact.EFFECTS])
    product = forms.CharField(max_length=2_100, required=False)
    note = forms.CharField(max_length=2_000, required=False)

    def draft(self, proposal: Proposal) -> ImpactDraft:
        read = self.cleaned_data
        return ImpactDraft(
            subjects=[str(proposal.ref), *proposal.evidence],
            product=read["product"].strip() or str(proposal.ref),
            kind=read["kind"],
            note=read["note"],
        )


class FolderForm(forms.Form):
    """Reads where an artifact goes."""

    folder = forms.CharField(
        max_length=900, required=False, label="Folder", widget=forms.TextInput({"autocomplete": "off"})
    )
