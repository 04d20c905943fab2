"""Characters that a reader cannot see, made visible: what is read and approved must be what stands there.

One rule for the whole house. Pages write text of others through the filter `visible`; where a
person approves words that will be written, the rule is `strict` and names unusual spaces and
carriage returns too.
"""

import re
import unicodedata
from collections.abc import Iterator

from django import template

register = template.Library()

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
_JOINERS = frozenset("\u200c\u200d")
_FIRST_JOINED = "\u0300"
"""From here on a joiner spells words and emoji; between Latin letters it only hides."""
_VARIATION = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]")
_EMOJI_STYLE = frozenset("\ufe0e\ufe0f")
_SUSPECT = re.compile(
    "[^\n\t -~\u00a1-\u00ac\u00ae-\u02ff\u2010-\u2027\u2030-\u205e\u2190-\u23ff\u2500-\u27ff\u3000-\u303f"
    "\u3041-\u3096\u3099-\u30ff\u3105-\u312f\u3131-\u3163\u3400-\u9fff\uac00-\ud7a3\uff01-\uff9f]"
)
"""Everything but the plain letters and signs of common scripts: only these are looked at one by one."""


def is_hidden(char: str, before: str = "", after: str = "", *, strict: bool = False) -> bool:
    """Whether a reader would not see this character, or take it for another.

    A variation selector is ordinary after what it selects (an emoji, an ideograph) and hidden
    anywhere else, where it can carry a message; so is a joiner between letters that it joins. A
    carriage return is ordinary at the end of a line.
    """
    if char in "\n\t":
        return False
    if char == "\r":
        return strict or after not in ("", "\n")
    if char in _JOINERS:
        return strict or before < _FIRST_JOINED or after < _FIRST_JOINED
    if _VARIATION.match(char):
        return not _selects(char, before)
    category = unicodedata.category(char)
    if category == "Zs":
        return strict and char not in _PLAIN_SPACES
    return category in _HIDDEN_CATEGORIES or char in _FILLERS


def find_hidden(text: str, *, strict: bool = False) -> list[int]:
    """The offsets of hidden characters."""
    return [
        at
        for match in _SUSPECT.finditer(text)
        if is_hidden(match[0], text[(at := match.start()) - 1 : at], text[at + 1 : at + 2], strict=strict)
    ]


def spell(char: str) -> str:
    """The code point of a hidden character, with its name where people know it."""
    name = _NAMED.get(char, "")
    return code_of(char) + (f" {name}" if name else "")


def code_of(char: str) -> str:
    """A hidden character in short: `U+202E`, or the byte that could not be decoded."""
    if "\udc80" <= char <= "\udcff":
        return f"0x{ord(char) - 0xDC00:02X}"
    return f"U+{ord(char):04X}"


def pieces(text: str, *, strict: bool = False) -> Iterator[tuple[str, bool]]:
    """The text in runs: `(characters as they are, False)` and `(one hidden character spelled out, True)`."""
    run = 0
    for at in find_hidden(text, strict=strict):
        if at > run:
            yield text[run:at], False
        yield spell(text[at]), True
        run = at + 1
    if run < len(text):
        yield text[run:], False


@register.filter
def visible(text: object, *, strict: bool = False) -> str:
    """The text with every hidden character spelled out in brackets."""
    return "".join(f"⟨{part}⟩" if hidden else part for part, hidden in pieces(str(text), strict=strict))


def _selects(selector: str, before: str) -> bool:
    if not before:
        return False
    if selector in _EMOJI_STYLE:
        return unicodedata.category(before) in {"So", "Sm", "Sk"} or before in "#*0123456789\u203c\u2049\u3030\u303d"
    return "CJK" in unicodedata.name(before, "")
