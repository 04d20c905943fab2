"""Markdown whose words stand for themselves: nothing quoted can become a heading, a link or a tag."""

from collections.abc import Iterable, Sequence


def plain(text: str) -> str:
    """Text on one line whose Markdown and HTML characters stand for themselves."""
    line = " ".join(text.split())
    return "".join(f"\\{char}" if char in "\\`*_[]<>|#" else char for char in line)


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """A Markdown table; cells are escaped."""
    body = [f"| {' | '.join(plain(cell) for cell in row)} |" for row in rows]
    return [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}", *body]


def listed(title: str, entries: Sequence[str]) -> list[str]:
    """A heading and its entries, or nothing at all."""
    return [f"## {title}", "", *(f"- {plain(entry)}" for entry in entries), ""] if entries else []


def worded(title: str, words: str) -> list[str]:
    """A heading and its words, or nothing at all."""
    return [f"## {title}", "", plain(words), ""] if words else []
