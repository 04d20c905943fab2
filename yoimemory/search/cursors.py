"""Cursors of search results: signed, and stable while the index grows.

A cursor names the state of the index that its first page saw (the last document then known) and
what was shown since, so that a page never repeats a hit and never skips one, even when documents
came in between and shifted every score a little.
"""

import base64
import binascii
import hashlib
from dataclasses import dataclass

from django.core import signing

from yoimemory.errors import BadInput

SALT = "yoimemory.search"
SHOWN_MAX = 1_000
"""Hits that one cursor can remember. Whoever has read so many is asked to narrow the search."""


class BadCursor(BadInput):
    """The cursor is not one that we gave out for this search."""


@dataclass(frozen=True, slots=True)
class Cursor:
    upto_document: int
    shown: frozenset[bytes]
    query: str


def mark_of(ref: str) -> bytes:
    """Four bytes that stand for a hit."""
    return hashlib.blake2b(ref.encode("utf-8", "surrogatepass"), digest_size=4).digest()


def write_cursor(cursor: Cursor) -> str:
    shown = base64.urlsafe_b64encode(b"".join(sorted(cursor.shown))).decode()
    return signing.dumps([cursor.upto_document, shown, cursor.query], salt=SALT)


def read_cursor(text: str, *, query: str) -> Cursor:
    """Raises BadCursor for anything that `write_cursor` did not write for the same query."""
    try:
        upto, shown, asked = signing.loads(text, salt=SALT)
        raw = base64.urlsafe_b64decode(shown)
    except (signing.BadSignature, ValueError, binascii.Error) as error:
        raise BadCursor(
            "This cursor is none of ours.",
            hint="Send next_cursor as it came, or none.",
            fields={"cursor": "unreadable"},
        ) from error
    if asked != query:
        raise BadCursor(
            "This cursor belongs to another search.",
            hint="Send it with the same words and filters that it came with.",
            fields={"cursor": "belongs to another search"},
        )
    return Cursor(upto, frozenset(raw[start : start + 4] for start in range(0, len(raw), 4)), asked)
