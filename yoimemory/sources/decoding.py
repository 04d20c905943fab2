"""From bytes to the text that a person reads and quotes, and back to the bytes a quote stands in."""

import codecs
import hashlib
import re
from dataclasses import dataclass, field
from unicodedata import category

from yoimemory.errors import Refused

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_SNIFFED = 8_192
_NULS_SHARE = 20
"""One byte of so many is NUL in UTF-16: the other half of a space, a line end, a Latin letter."""
_NO_TEXT = frozenset({"Cc", "Cn", "Co", "Cs"})
_CONTROLS = bytes((*range(9), *range(14, 27), *range(28, 32), 127))
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")


class NotText(Refused):
    """The bytes are those of a picture, a program or the like."""


@dataclass(frozen=True, slots=True)
class Decoded:
    """Text, how it was coded, and whether anything in it could not be read (then it stands as U+FFFD)."""

    text: str
    encoding: str = "utf-8"
    mark: int = 0
    lossy: bool = False
    masked: dict[str, int] = field(default_factory=dict)
    digest: str = ""
    """SHA-256 of the bytes, where the text is theirs letter by letter."""


def decode(data: bytes) -> Decoded:
    """Read bytes as UTF-8, by their byte order mark, or as UTF-16 where there is no doubt.

    What cannot be read becomes U+FFFD and is flagged. Line ends stay as they are.
    Raises NotText for bytes that are no text.
    """
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return _decode(data[len(mark) :], encoding, len(mark))
    if encoding := _unmarked_utf16(data):
        return _decode(data, encoding, 0)
    if is_binary(data):
        raise NotText("It is binary, not text.")
    return _decode(data, "utf-8", 0)


def _unmarked_utf16(data: bytes) -> str:
    """The encoding of UTF-16 without a byte order mark where there is no doubt; otherwise nothing.

    No doubt: whole units, NULs in one half of them only, and nothing but letters and signs in their place.
    """
    head = data[:_SNIFFED]
    even, odd = head[::2].count(0), head[1::2].count(0)
    if len(data) % 2 or not (even or odd) or (even and odd) or (even + odd) * _NULS_SHARE < len(head):
        return ""
    encoding = "utf-16-be" if even else "utf-16-le"
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        return ""
    return "" if any(category(sign) in _NO_TEXT and sign not in "\t\n\f\r" for sign in text[:_SNIFFED]) else encoding


def is_binary(data: bytes) -> bool:
    """Whether bytes without a byte order mark are no text: many NULs or control bytes near their start."""
    head = data[:_SNIFFED]
    if not head:
        return False
    odd = len(head) - len(head.translate(None, _CONTROLS))
    return odd * 20 > len(head)


def _decode(data: bytes, encoding: str, mark: int) -> Decoded:
    lossy = False
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        text, lossy = data.decode(encoding, "replace"), True
    if "\0" in text:
        text, lossy = text.replace("\0", "\ufffd"), True
    return Decoded(
        text,
        encoding,
        mark,
        lossy,
        digest="" if lossy or mark or encoding != "utf-8" else hashlib.sha256(data).hexdigest(),
    )


def clean(text: str) -> tuple[str, bool]:
    """Text that may be stored: no NUL, no lone surrogate. Says whether something was replaced."""
    fixed, count = _UNSTORABLE.subn("\ufffd", text)
    return fixed, count > 0


def lines_of(text: str) -> list[str]:
    """The lines of a text, cut at `\\n` only; a last line end opens no further line."""
    lines = text.split("\n")
    if lines and not lines[-1]:
        lines.pop()
    return lines
