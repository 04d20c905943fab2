"""Characters that nobody sees and that may change what is read: controls, bidi marks, zero width, tags, lone bytes."""

import re
import unicodedata

from evidence.normal import ZERO_WIDTH

# A zero-width joiner or non-joiner between letters or signs beyond Latin spells words and emoji; elsewhere it hides.
_JOINERS = r"(?<![\u0300-\U0010ffff])[\u200c\u200d]|[\u200c\u200d](?![\u0300-\U0010ffff])"
_HIDDEN = re.compile(
    f"[{ZERO_WIDTH.replace(chr(0x200C), '').replace(chr(0x200D), '')}"
    r"\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u2061-\u2064\u206a-\u206f\u3164\uffa0\ufff9-\ufffb\ud800-\udfff"
    rf"\U000e0000-\U000e007f]|{_JOINERS}"
)


def find_hidden(text: str) -> list[int]:
    """The offsets of hidden characters. A carriage return at the end of a line is no hidden character."""
    return [match.start() for match in _HIDDEN.finditer(text) if not _ends_line(text, match.start())]


def code_of(char: str) -> str:
    """What is shown in place of a hidden character: `U+202E`, or the byte that could not be decoded."""
    if "\udc80" <= char <= "\udcff":
        return f"0x{ord(char) - 0xDC00:02X}"
    return f"U+{ord(char):04X}"


def name_of(char: str) -> str:
    """The name of a hidden character, for those who point at it."""
    if "\ud800" <= char <= "\udfff":
        return "a byte that is no text"
    return unicodedata.name(char, "control character").lower()


def make_visible(text: str) -> str:
    """The text with every hidden character written out, for places that show text as one piece."""
    return _HIDDEN.sub(lambda match: match[0] if _ends_line(text, match.start()) else f"⟨{code_of(match[0])}⟩", text)


def _ends_line(text: str, at: int) -> bool:
    return text[at] == "\r" and (at + 1 == len(text) or text[at + 1] == "\n")
