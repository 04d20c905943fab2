"""Reading the pages of access."""

from django import forms

from yoimemory.access.models import Token


class TokenForm(forms.Form):
    """Reads what a new token is for."""

    name = forms.CharField(
        max_length=Token.NAME_MAX,
        label="Name",
        help_text="Which Worker uses it, for example “reviewer on my laptop”.",
    )
    role = forms.CharField(
        max_length=Token.NAME_MAX,
        required=False,
        label="Role",
        help_text="Orchestrator, coder, reviewer …; stands beside everything it proposes.",
    )
    scope = forms.ChoiceField(
        choices=[(Token.Scope.PROPOSE, "propose: reads and proposes"), (Token.Scope.READ, "read: reads only")],
        label="Scope",
        help_text="No token may accept, decide, approve, apply or resolve.",
    )
    days = forms.IntegerField(min_value=1, max_value=Token.DAYS_MAX, initial=Token.DAYS_MAX, label="Days it lasts")
