"""How numbers and refs are written for people."""

from typing import Any

from django import template

from shoebox.fitting import left_told
from shoebox.models import shortened
from yoimemory.errors import BadInput
from yoimemory.refs import SourceRef
from yoimemory.search.coverage import told

register = template.Library()


@register.filter
def thousands(number: int) -> str:
    """18400 as 18,400."""
    return f"{number:,}"


@register.filter
def short_ref(text: str) -> str:
    """A ref with the beginning of its revision; text that is no ref stays as it is."""
    try:
        return shortened(SourceRef.parse(text))
    except BadInput:
        return text


@register.filter
def covers(sought: dict[str, Any]) -> str:
    """What a kept search covers, in a sentence."""
    return told(sought)


@register.filter
def left(sought: dict[str, Any]) -> str:
    """What a gathering left out and what to do about it."""
    return left_told(sought)


@register.filter
def of(labels: dict[str, str], key: str) -> str:
    """The label of a key, or the key itself."""
    return labels.get(key, key)
