"""Characters that a reader cannot see, made visible: what is approved must be what is read."""

import re
import unicodedata
from collections.abc import Iterator

_NAMED = {
    "\u00a0": "no-break space", "\u00ad": "soft hyphen", "\u200b": "zero-width space",
    "\u200c": "zero-width non-joiner", "\u200d": "zero-width joiner", "\u200e": "left-to-right mark",
    "\u200f": "right-to-left mark", "\u202a": "left-to-right embedding", "\u202b": "right-to-left embedding",
    "\u202c": "end of direction", "\u202d": "left-to-right override", "\u202e": "right-to-left override",
    "\u2060": "word joiner", "\u2066": "left-to-right isolate", "\u2067": "right-to-left isolate",
    "\u2068": "first-strong isolate", "\u2069": "end of isolate", "\ufeff": "byte order mark", "\r": "carriage return",
}  # fmt: skip
_FILLERS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
_HIDDEN_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_PLAIN_SPACES = frozenset(" \u3000")  # the ideographic space is ordinary in Japanese
_VARIATION = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]")
_EMOJI_STYLE = frozenset("\ufe0e\ufe0f")


def is_hidden(char: str, before: str = "") -> bool:
    """Whether a reader would not see this character, or take it for another.

    A variation selector is ordinary after what it selects (an emoji, an ideograph) and hidden
    anywhere else, where it can carry a message.
    """
    if char in "\n\t":
        return False
    if _VARIATION.match(char):
        return not _selects(char, before)
    category = unicodedata.category(char)
    return category in _HIDDEN_CATEGORIES or (category == "Zs" and char not in _PLAIN_SPACES) or char in _FILLERS


def spell(char: str) -> str:
    """The code point of a hidden character, with its name where people know it."""
    name = _NAMED.get(char, "")
    return f"U+{ord(char):04X}" + (f" {name}" if name else "")


def pieces(text: str) -> Iterator[tuple[str, bool]]:
    """The text in runs: `(characters as they are, False)` and `(one hidden character spelled out, True)`."""
    run, before = 0, ""
    for index, char in enumerate(text):
        if is_hidden(char, before):
            if index > run:
                yield text[run:index], False
            yield spell(char), True
            run = index + 1
        before = char
    if run < len(text):
        yield text[run:], False


def visible(text: str) -> str:
    """The text with every hidden character spelled out in brackets."""
    return "".join(f"⟨{part}⟩" if hidden else part for part, hidden in pieces(text))


def count_hidden(text: str) -> int:
    """How many characters of the text a reader would not see."""
    return sum(1 for _, hidden in pieces(text) if hidden)


def _selects(selector: str, before: str) -> bool:
    if not before:
        return False
    if selector in _EMOJI_STYLE:
        return unicodedata.category(before) in {"So", "Sm", "Sk"} or before in "#*0123456789\u203c\u2049\u3030\u303d"
    return "CJK" in unicodedata.name(before, "")
