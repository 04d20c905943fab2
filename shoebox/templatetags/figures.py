"""How numbers and refs are written for people."""

from django import template

from yoimemory.errors import BadInput
from yoimemory.refs import SourceRef

register = template.Library()


@register.filter
def thousands(number: int) -> str:
    """18400 as 18,400."""
    return f"{number:,}"


@register.filter
def short_ref(text: str) -> str:
    """A ref with the beginning of its revision; text that is no ref stays as it is."""
    try:
        revision = SourceRef.parse(text).revision
    except BadInput:
        return text
    head, colon, digest = revision.rpartition(":")
    return text.replace(revision, f"{head}{colon}{digest[:8]}", 1) if digest else text


@register.filter
def of(labels: dict[str, str], key: str) -> str:
    """The label of a key, or the key itself."""
    return labels.get(key, key)
