"""How every page tells a refusal: one sentence, a status that htmx swaps in, the first fault of a form."""

import pytest
from django import forms

from yoimemory.errors import BadInput, DomainError, Forbidden, NotFound, Refused, StaleVersion
from yoimemory.http import first_error, sentence, status_of


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (Refused("It stands."), 409), (StaleVersion("It moved."), 409), (Forbidden("You may not."), 409),
        (NotFound("It is gone."), 422), (BadInput("No date."), 422), ("Name: This field is required.", 422),
    ],
)  # fmt: skip
def test_a_refusal_has_a_status_that_is_swapped_in(error: DomainError | str, status: int) -> None:
    assert status_of(error) == status


def test_a_refusal_says_what_to_do_next() -> None:
    assert sentence(Refused("It stands.", hint="Ask again.")) == "It stands. Ask again."
    assert sentence(Refused("It stands.")) == "It stands."


class Both(forms.Form):
    due_at = forms.DateField()
    size = forms.IntegerField(label="How much")

    def clean(self) -> None:
        if "size" not in self.errors and "due_at" not in self.errors:
            raise forms.ValidationError("They do not fit together.")


@pytest.mark.parametrize(
    ("data", "told"),
    [
        ({}, "Due at: This field is required."),
        ({"due_at": "2026-07-14", "size": "x"}, "How much: Enter a whole number."),
        ({"due_at": "2026-07-14", "size": "1"}, "They do not fit together."),
    ],
)
def test_a_form_names_its_first_fault(data: dict[str, str], told: str) -> None:
    assert first_error(Both(data)) == told
