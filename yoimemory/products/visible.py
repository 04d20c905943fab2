"""The rule of `yoimemory.visible` as strict as approval needs it: unusual spaces and carriage returns count too."""

from collections.abc import Iterator

from yoimemory import visible as rule


def is_hidden(char: str, before: str = "") -> bool:
    """Whether a reader would not see this character, or take it for another."""
    return rule.is_hidden(char, before, strict=True)


def pieces(text: str) -> Iterator[tuple[str, bool]]:
    """The text in runs: `(characters as they are, False)` and `(one hidden character spelled out, True)`."""
    return rule.pieces(text, strict=True)


def visible(text: str) -> str:
    """The text with every hidden character spelled out in brackets."""
    return rule.visible(text, strict=True)


def count_hidden(text: str) -> int:
    """How many characters of the text a reader would not see."""
    return len(rule.find_hidden(text, strict=True))
