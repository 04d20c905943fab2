"""Texts packed for keeping. Most of an index is text that stands in the sources too, so it is to take little room."""

import json
import zlib
from typing import TYPE_CHECKING, Any

from django.db import models

if TYPE_CHECKING:
    _Bytes = models.BinaryField[str, str]
else:
    _Bytes = models.BinaryField

SHORT = 160
"""Bytes up to which packing gains less than it costs."""
_PLAIN = b"\0"
_WINDOW, _MEMORY = -13, 6
"""Small tables: they are cleared for every text, and most texts are shorter than they are."""


def pack(text: str) -> bytes:
    """The bytes that are kept of a text."""
    raw = text.encode()
    if len(raw) > SHORT:
        packer = zlib.compressobj(6, zlib.DEFLATED, _WINDOW, _MEMORY)
        packed = b"\1" + packer.compress(raw) + packer.flush()
        if len(packed) < len(raw):
            return packed
    return _PLAIN + raw


def unpack(kept: bytes) -> str:
    """The text of which these bytes were kept."""
    raw = kept[1:] if kept[:1] == _PLAIN else zlib.decompress(kept[1:], _WINDOW)
    return raw.decode()


class BriefJSON(json.JSONEncoder):
    """JSON without spaces and escapes that no reader needs."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**(options | {"ensure_ascii": False, "separators": (",", ":")}))


class PackedTextField(_Bytes):
    """A text that is read and written as text and kept packed, so the database cannot look into it."""

    def from_db_value(self, value: bytes | None, *_: Any) -> str:
        return unpack(bytes(value)) if value else ""

    def get_db_prep_value(self, value: Any, connection: Any, prepared: bool = False) -> Any:
        return super().get_db_prep_value(pack(value) if isinstance(value, str) else value, connection, prepared)
