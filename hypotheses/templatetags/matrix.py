"""The cells of the matrix. A large one has thousands, and a template spends ten steps on each of them."""

from collections.abc import Iterable

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from hypotheses.table import Shown

register = template.Library()


@register.simple_tag
def matrix_cells(cells: Iterable[Shown]) -> SafeString:
    """One row of cells: letters, small words below, who said what in the title; a dispute links to its reasons."""
    return format_html_join("", '<td class="{}" tabindex="-1" title="{}">{}{}</td>', map(_parts, cells))


def _parts(cell: Shown) -> tuple[str, str, str, str]:
    letters = format_html('<a href="#{}">{}</a>', cell.anchor, cell.text) if cell.disputed else cell.text
    small = format_html_join("", "<small>{}</small>", ((word,) for word in cell.small)) if cell.small else ""
    return cell.css, cell.title, letters, small
