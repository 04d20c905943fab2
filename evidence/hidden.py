"""Hidden characters where a source is read: the rule of `yoimemory.visible`, in codes that fit between words."""

import unicodedata

from yoimemory.visible import code_of, find_hidden

__all__ = ["code_of", "find_hidden", "make_visible", "name_of"]


def name_of(char: str) -> str:
    """The name of a hidden character, for those who point at it."""
    if "\ud800" <= char <= "\udfff":
        return "a byte that is no text"
    return unicodedata.name(char, "control character").lower()


def make_visible(text: str) -> str:
    """The text with every hidden character written out, for places that show text as one piece."""
    parts, run = [], 0
    for at in find_hidden(text):
        parts += [text[run:at], f"⟨{code_of(text[at])}⟩"]
        run = at + 1
    return "".join([*parts, text[run:]])
