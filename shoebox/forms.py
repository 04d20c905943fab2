"""What a page sends about a shoebox and its items. Forms validate and hand the verb a value; they never save."""

from datetime import UTC, datetime

from django import forms

from shoebox.models import Item, Shoebox
from shoebox.schemas import Budget, ItemDraft, ShoeboxDraft
from yoimemory.instants import day_end


class ShoeboxForm(forms.Form):
    """Opens a shoebox: the question, the task it serves, and how much it may hold."""

    question = forms.CharField(
        min_length=3,
        max_length=Shoebox.QUESTION_MAX,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="One question that material can speak for and against.",
    )
    task = forms.CharField(
        required=False,
        max_length=2_100,
        label="Ticket or objective",
        help_text="A ref or an id, such as ticket:00001KXKMX0QM. Leave it empty for a free question.",
    )
    task_kind = forms.ChoiceField(
        required=False,
        choices=[("", "none"), ("review", "a review"), ("design", "a design"), ("other", "another task")],
        label="Or a task without a ticket",
    )
    task_title = forms.CharField(
        required=False, max_length=300, label="Its title", help_text="Only for a task without a ticket."
    )
    purpose = forms.CharField(
        required=False,
        max_length=Shoebox.PURPOSE_MAX,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text="What the answer will be used for.",
    )
    as_of = forms.DateTimeField(
        required=False,
        label="As of (UTC)",
        help_text="Anything later stays listed, marked as later. A day alone is meant to its end; empty means now.",
        widget=forms.DateTimeInput(attrs={"placeholder": "2026-07-15 21:26:30", "autocomplete": "off"}),
        input_formats=[
            "%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M", "%Y-%m-%d", "%Y-%m-%dT%H:%M:%SZ", "%Y-%m-%dT%H:%M:%S",
            "%Y-%m-%dT%H:%M",
        ],
    )  # fmt: skip
    queries = forms.CharField(
        required=False,
        max_length=2_000,
        widget=forms.Textarea(attrs={"rows": 2}),
        label="Further searches",
        help_text="One per line; each is searched for and against.",
    )
    budget_items = forms.IntegerField(min_value=1, max_value=500, initial=Shoebox.ITEMS_DEFAULT, label="Items at most")
    budget_characters = forms.IntegerField(
        min_value=1_000, max_value=5_000_000, initial=Shoebox.CHARACTERS_DEFAULT, label="Characters at most"
    )
    gather = forms.BooleanField(required=False, initial=True, label="Gather at once")

    def clean(self) -> dict[str, object]:
        """A free task has a kind and a title, and is none beside a ticket."""
        read: dict[str, object] = super().clean() or {}
        if bool(read.get("task_kind")) != bool(read.get("task_title")):
            self.add_error("task_title", "A task without a ticket needs both a kind and a title.")
        elif read.get("task_kind") and read.get("task"):
            self.add_error("task_kind", "It serves the ticket already; leave this at none.")
        return read

    def draft(self) -> ShoeboxDraft:
        read = self.cleaned_data
        as_of = read["as_of"]
        return ShoeboxDraft(
            question=read["question"],
            task=read["task"].strip(),
            task_kind=read["task_kind"],
            task_title=read["task_title"].strip(),
            purpose=read["purpose"],
            as_of=self._instant(as_of) if as_of else None,
            queries=[line.strip() for line in read["queries"].splitlines() if line.strip()][:20],
            budget=Budget(items=read["budget_items"], characters=read["budget_characters"]),
            gather=read["gather"],
        )

    def _instant(self, as_of: datetime) -> datetime:
        """The moment that was typed; of a day alone its end, as people say "as of the 14th"."""
        typed = str(self.data.get("as_of", "")).strip()
        ended = str(day_end(typed))
        return as_of.astimezone(UTC) if ended == typed else datetime.fromisoformat(ended)


class ItemForm(forms.Form):
    """Adds one ref by hand."""

    ref = forms.CharField(
        min_length=3, max_length=2_100, widget=forms.TextInput(attrs={"placeholder": "doc:docs/guide.md#L10-L24"})
    )
    rationale = forms.CharField(
        max_length=Item.RATIONALE_MAX,
        label="Why it belongs here",
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    leaning = forms.ChoiceField(choices=Item.Leaning.choices, initial=Item.Leaning.UNCLEAR, required=False)

    def draft(self) -> ItemDraft:
        read = self.cleaned_data
        return ItemDraft(ref=read["ref"], rationale=read["rationale"], leaning=read["leaning"] or Item.Leaning.UNCLEAR)


class BudgetForm(forms.Form):
    """Gives a shoebox another budget."""

    items = forms.IntegerField(min_value=1, max_value=500)
    characters = forms.IntegerField(min_value=1_000, max_value=5_000_000)

    def budget(self) -> Budget:
        return Budget(**self.cleaned_data)
