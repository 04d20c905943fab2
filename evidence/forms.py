"""What a page sends about evidence. Forms validate and hand the verb a value; they never save."""

from typing import Any

from django import forms

from evidence.models import Evidence, Relation, Review
from evidence.schemas import EvidenceDraft
from evidence.services import Words
from yoimemory.refs import SourceRef

_ONE_LINE = {"autocomplete": "off"}


class CaptureForm(forms.Form):
    """Reads the capture strip: words and place from the page, the relation and its target from the keys."""

    ref = forms.CharField(max_length=2_100)
    quote = forms.CharField(max_length=20_000, required=False, strip=False)
    line = forms.IntegerField(min_value=1, required=False)
    column = forms.IntegerField(min_value=1, required=False)
    relation = forms.ChoiceField(choices=[("", "keep only"), *Relation.Kind.choices], required=False)
    target = forms.CharField(max_length=200, required=False)
    why = forms.CharField(max_length=Evidence.WORDS_MAX, required=False)

    def draft(self) -> EvidenceDraft:
        read = self.cleaned_data
        return EvidenceDraft(
            ref=read["ref"],
            quote=read["quote"],
            line=read["line"],
            column=read["column"],
            relation=read["relation"] or None,
            target=read["target"] if read["relation"] else "",
            why=read["why"],
        )


class ReattachForm(forms.Form):
    """Reads the words that a quote is attached to, as they were selected in the reader."""

    ref = forms.CharField(max_length=2_100)
    quote = forms.CharField(max_length=20_000, strip=False)
    line = forms.IntegerField(min_value=1, required=False)
    column = forms.IntegerField(min_value=1, required=False)
    why = forms.CharField(max_length=Evidence.WORDS_MAX, required=False)

    def words(self) -> Words:
        read = self.cleaned_data
        ref = SourceRef.parse(read["ref"])
        return Words(ref, read["quote"].strip(), read["line"], read["column"], read["why"])


class ReviewForm(forms.Form):
    """Reads a verdict and its reason."""

    verdict = forms.ChoiceField(choices=Review.Verdict.choices)
    reason = forms.CharField(max_length=Evidence.WORDS_MAX, required=False)
    version = forms.IntegerField(required=False)


class WordsForm(forms.Form):
    """Reads the words about a quote."""

    why = forms.CharField(
        max_length=Evidence.WORDS_MAX, required=False, label="Why it matters", widget=forms.Textarea({"rows": 2})
    )
    summary = forms.CharField(
        max_length=Evidence.WORDS_MAX,
        required=False,
        label="Summary, in your words",
        widget=forms.Textarea({"rows": 2}),
    )
    inference = forms.CharField(
        max_length=Evidence.WORDS_MAX, required=False, label="Inference: what you conclude",
        widget=forms.Textarea({"rows": 2}),
    )  # fmt: skip
    applies_to = forms.CharField(
        max_length=400, required=False, label="Applies to", widget=forms.TextInput(_ONE_LINE),
        help_text="Paths, a branch, a component, dates: where the observation holds.",
    )  # fmt: skip
    basis = forms.ChoiceField(choices=[(basis, basis) for basis in Evidence.Basis.values], required=False)
    version = forms.IntegerField(required=False, widget=forms.HiddenInput)

    @classmethod
    def of(cls, evidence: Evidence) -> "WordsForm":
        """The form as it stands for this evidence."""
        return cls(
            initial={
                "why": evidence.why,
                "summary": evidence.summary,
                "inference": evidence.inference,
                "applies_to": evidence.scope.get("text", ""),
                "basis": evidence.basis,
                "version": evidence.version,
            }
        )

    def words(self, evidence: Evidence) -> dict[str, Any]:
        """What the verb is handed."""
        read = self.cleaned_data
        scope = {key: value for key, value in evidence.scope.items() if key != "text"}
        if read["applies_to"].strip():
            scope["text"] = read["applies_to"].strip()
        return {
            "why": read["why"],
            "summary": read["summary"],
            "inference": read["inference"],
            "scope": scope,
            "basis": read["basis"] or None,
            "version": read["version"],
        }


class FixForm(forms.Form):
    """Reads what a reviewer sets right in one go with the verdict: why, relation, target."""

    why = forms.CharField(max_length=Evidence.WORDS_MAX, required=False)
    relation = forms.ChoiceField(choices=[("", "as it is"), *Relation.Kind.choices], required=False)
    target = forms.CharField(max_length=200, required=False)
    verdict = forms.ChoiceField(choices=[("accept", "accept"), ("reject", "reject"), ("needs_change", "needs change")])
    reason = forms.CharField(max_length=Evidence.WORDS_MAX, required=False)
    version = forms.IntegerField(required=False)

    def fix(self, evidence: Evidence) -> dict[str, Any]:
        """What the verb is handed; words that were left empty stay as they are."""
        read = self.cleaned_data
        return {
            "words": {"why": read["why"] or None},
            "relation": read["relation"],
            "target": read["target"],
            "verdict": read["verdict"],
            "reason": read["reason"],
            "version": read["version"],
        }
