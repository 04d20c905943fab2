"""How a refusal of the domain reaches a page: the sentence, and a status that htmx swaps."""

from typing import Any

from django import forms

from yoimemory.errors import DomainError


def sentence(error: DomainError) -> str:
    """What went wrong and what to do next."""
    return f"{error.message} {error.hint}".strip()


def status_of(error: DomainError) -> int:
    """htmx swaps 409 and 422 only; a missing permission or a stale version is told in the part as well."""
    return 409 if error.status in {403, 404, 409, 412} else 422


def first_error(form: forms.Form) -> str:
    """The first thing that is wrong with a form, with the name of its field."""
    errors: dict[str, Any] = form.errors.get_json_data()
    for name, problems in errors.items():
        return f"{name.capitalize()}: {problems[0]['message']}"
    return ""
