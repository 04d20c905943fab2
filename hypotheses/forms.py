"""What a page sends about hypotheses and representations. Forms validate and hand over a value; they never save."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from django import forms
from django.db.models import QuerySet

from hypotheses.kinds import KINDS
from hypotheses.kinds.kind import Entry, Kind, Row
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
    confidence = forms.ChoiceField(
        required=False, choices=[("", "not said"), *Hypothesis.Confidence.choices], label="Confidence, in a word"
    )

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


class SettleForm(forms.Form):
    """Settles a disagreement about a hypothesis with one of the two answers."""

    answer = forms.CharField(max_length=200)
    reason = forms.CharField(
        max_length=Hypothesis.WORDS_MAX, error_messages={"required": "Say what decided it: the reason stays."}
    )
    override = forms.BooleanField(required=False)


class RelateForm(forms.Form):
    """Sets existing evidence for or against a hypothesis."""

    evidence = forms.CharField(max_length=200, error_messages={"required": "Choose a piece of evidence."})
    relation = forms.ChoiceField(choices=RELATIONS)

    def relation_draft(self) -> EvidenceRelation:
        return EvidenceRelation(**self.cleaned_data)


class RepresentForm(_InShoebox):
    """Makes a representation: built from evidence where its kind can be, else with no rows yet."""

    kind = forms.ChoiceField(
        choices=[(one.name, f"{Representation.Kind(one.name).label}: {one.says}") for one in KINDS.values()]
    )
    title = forms.CharField(required=False, max_length=Representation.TITLE_MAX, help_text="Empty: named after it.")

    def draft(self) -> RepresentationDraft:
        read = self.cleaned_data
        builds = KINDS[read["kind"]].build is not None
        return RepresentationDraft(
            shoebox=read["shoebox"].public_id,
            kind=read["kind"],
            title=read["title"],
            body=None if builds else {},
        )


class TakeInForm(_InShoebox):
    """Takes the JSON file of a representation in, as a new one in a shoebox."""

    file = forms.FileField(label="Its JSON file", widget=forms.FileInput(attrs={"accept": ".json,application/json"}))


class TakeBackForm(forms.Form):
    """Takes a changed JSON file back, as the next version of the representation it was written from."""

    file = forms.FileField(
        label="Its JSON file, changed", widget=forms.FileInput(attrs={"accept": ".json,application/json"})
    )


TIMES = ["%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M", "%Y-%m-%d", "%Y-%m-%dT%H:%M:%SZ", "%Y-%m-%dT%H:%M:%S%z"]


class RowForm(forms.Form):
    """One row of a representation, with the fields that its kind declares."""

    def __init__(self, kind: Kind, data: Mapping[str, Any] | None = None, *, row: Row | None = None) -> None:
        self.kind = kind
        initial = {entry.name: _shown(entry, getattr(row, entry.name)) for entry in kind.entries} if row else {}
        super().__init__(data, initial=initial)
        for entry in kind.entries:
            self.fields[entry.name] = _field(entry)

    def values(self) -> dict[str, Any]:
        """What was typed, as the schema of the row takes it."""
        return {entry.name: _read(entry, self.cleaned_data[entry.name]) for entry in self.kind.entries}


def _field(entry: Entry) -> forms.Field:
    if entry.kind == "choice":
        return forms.ChoiceField(choices=[(one, one or "–") for one in entry.choices], label=entry.label)
    if entry.kind == "yes":
        return forms.BooleanField(label=entry.label, required=False)
    if entry.kind == "time":
        return forms.DateTimeField(
            label=f"{entry.label} (UTC)", required=entry.needed, input_formats=TIMES,
            widget=forms.DateTimeInput(attrs={"placeholder": "2026-07-15 21:26:30", "autocomplete": "off"}),
        )  # fmt: skip
    long = entry.kind in {"text", "refs"}
    widget = forms.Textarea(attrs={"rows": 2}) if long else forms.TextInput(attrs={"autocomplete": "off"})
    note = "One per line, such as evidence:01… or doc:docs/guide.md#L3." if entry.kind == "refs" else ""
    return forms.CharField(label=entry.label, required=entry.needed, widget=widget, help_text=note)


def _shown(entry: Entry, value: Any) -> Any:
    if entry.kind == "refs":
        return "\n".join(value or [])
    return f"{value:%Y-%m-%d %H:%M:%S}" if isinstance(value, datetime) else value


def _read(entry: Entry, value: Any) -> Any:
    if entry.kind == "refs":
        return value.split()
    if entry.kind == "time":
        return value.astimezone(UTC) if value else None
    return value
