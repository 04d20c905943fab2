"""What a page sends about hypotheses and representations. Forms validate and hand over a value; they never save."""

from typing import Any

from django import forms
from django.db.models import QuerySet

from hypotheses.models import Hypothesis, Representation
from hypotheses.schemas import Alternative, DecisionDraft, EvidenceRelation, HypothesisDraft, RepresentationDraft
from shoebox.models import Shoebox

RELATIONS = [("supports", "supports"), ("refutes", "refutes"), ("contextualizes", "contextualizes")]


class _InShoebox(forms.Form):
    """Names a shoebox of the workspace by its public id."""

    shoebox = forms.ModelChoiceField(Shoebox.objects.none(), to_field_name="public_id", empty_label=None)

    def __init__(self, *args: Any, shoeboxes: QuerySet[Shoebox], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["shoebox"].queryset = shoeboxes  # type: ignore[attr-defined]


class ProposeForm(_InShoebox):
    """Proposes a hypothesis in a shoebox."""

    claim = forms.CharField(
        min_length=3,
        max_length=Hypothesis.CLAIM_MAX,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text="One sentence that evidence can speak for and against.",
    )
    threshold = forms.CharField(
        required=False,
        max_length=Hypothesis.WORDS_MAX,
        widget=forms.Textarea(attrs={"rows": 2}),
        label="Decision threshold",
        help_text="What must be known before it is decided.",
    )
    minimum_evidence = forms.IntegerField(
        required=False, min_value=0, max_value=100, initial=1, label="Accepted evidence at least"
    )
    would_change = forms.CharField(
        required=False,
        max_length=Hypothesis.WORDS_MAX,
        widget=forms.Textarea(attrs={"rows": 2}),
        label="What would change our mind",
    )

    def draft(self) -> HypothesisDraft:
        read = self.cleaned_data
        least = read["minimum_evidence"]
        return HypothesisDraft(
            shoebox=read["shoebox"].public_id,
            claim=read["claim"],
            threshold=read["threshold"],
            minimum_evidence=1 if least is None else least,
            would_change=read["would_change"],
        )


class VersionForm(forms.Form):
    """Every change names the version of the page it was made on."""

    version = forms.IntegerField(min_value=1, widget=forms.HiddenInput)


class QuestionForm(VersionForm):
    """Adds one open question."""

    question = forms.CharField(max_length=500, label="Another open question")


class AlternativeForm(VersionForm):
    """Adds one rejected alternative with its reason."""

    option = forms.CharField(max_length=500, label="Alternative")
    reason = forms.CharField(max_length=1_000, label="Rejected because")

    def alternative(self) -> Alternative:
        return Alternative(option=self.cleaned_data["option"], reason=self.cleaned_data["reason"])


class DropForm(VersionForm):
    """Takes one entry out of a list, named by its place."""

    drop = forms.IntegerField(min_value=0)


class WordsForm(VersionForm):
    """Changes the words about a hypothesis."""

    claim = forms.CharField(min_length=3, max_length=Hypothesis.CLAIM_MAX, widget=forms.Textarea(attrs={"rows": 2}))
    threshold = forms.CharField(
        required=False, max_length=Hypothesis.WORDS_MAX, widget=forms.Textarea(attrs={"rows": 2}),
        label="Decision threshold",
    )  # fmt: skip
    minimum_evidence = forms.IntegerField(min_value=0, max_value=100, label="Accepted evidence at least")
    would_change = forms.CharField(
        required=False, max_length=Hypothesis.WORDS_MAX, widget=forms.Textarea(attrs={"rows": 2}),
        label="What would change our mind",
    )  # fmt: skip
    what_happened = forms.CharField(
        required=False, max_length=Hypothesis.WORDS_MAX, widget=forms.Textarea(attrs={"rows": 2}),
        label="What happened",
    )  # fmt: skip

    def words(self) -> dict[str, Any]:
        return {name: value for name, value in self.cleaned_data.items() if name != "version"}


class DecideForm(VersionForm):
    """Decides a hypothesis: where it goes, why, and what the person takes upon themselves."""

    after = forms.ChoiceField(choices=Hypothesis.Status.choices)
    reason = forms.CharField(
        max_length=Hypothesis.WORDS_MAX,
        widget=forms.Textarea(attrs={"rows": 2}),
        error_messages={"required": "Say why: a decision is read long after it was made."},
    )
    superseded_by = forms.CharField(required=False, max_length=200)
    override = forms.BooleanField(required=False)
    confirmed = forms.BooleanField(required=False)

    def draft(self) -> DecisionDraft:
        return DecisionDraft(**self.cleaned_data)


class RelateForm(forms.Form):
    """Sets existing evidence for or against a hypothesis."""

    evidence = forms.CharField(max_length=200, error_messages={"required": "Choose a piece of evidence."})
    relation = forms.ChoiceField(choices=RELATIONS)

    def relation_draft(self) -> EvidenceRelation:
        return EvidenceRelation(**self.cleaned_data)


class RepresentForm(_InShoebox):
    """Builds a representation of a shoebox's evidence."""

    kind = forms.ChoiceField(choices=Representation.Kind.choices)
    title = forms.CharField(required=False, max_length=Representation.TITLE_MAX, help_text="Empty: named after it.")

    def draft(self) -> RepresentationDraft:
        read = self.cleaned_data
        return RepresentationDraft(shoebox=read["shoebox"].public_id, kind=read["kind"], title=read["title"])
