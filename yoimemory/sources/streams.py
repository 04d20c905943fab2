"""Reading a long file in pieces, through the same confined opener, as long as it was when it was opened."""

import codecs
import hashlib
import os
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import TYPE_CHECKING, Any

from yoimemory.sources.opener import Unopenable, open_at

if TYPE_CHECKING:
    from hashlib import _Hash

CHUNK = 1 << 20
STREAM_MAX = 4 << 30
"""Bytes of one file that is read in pieces."""

LINE_MAX = 16 << 20

_OTHER_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


def chunks_at(root: int, path: str) -> Iterator[bytes]:
    """The bytes of one regular file below an open root; what is appended meanwhile is left for the next reading.

    Raises OutsideRoot, Missing, or Unopenable (a link, a device, longer than STREAM_MAX, cut while it was read).
    """
    descriptor = open_at(root, path)
    try:
        left = os.fstat(descriptor).st_size
        if left > STREAM_MAX:
            raise Unopenable(path, f"it has {left:,} bytes and at most {STREAM_MAX:,} are read")
        while left > 0 and (chunk := os.read(descriptor, min(left, CHUNK))):
            left -= len(chunk)
            yield chunk
    except OSError as error:
        raise Unopenable(path, (error.strerror or "the system refused").lower()) from error
    finally:
        os.close(descriptor)


def hashed(chunks: Iterator[bytes], digest: "_Hash") -> Iterator[bytes]:
    """The same chunks, each added to a digest as it goes by."""
    for chunk in chunks:
        digest.update(chunk)
        yield chunk


def blob_digest(size: int, *, algorithm: str) -> "_Hash":
    """What git would call a file of this size, before its bytes are added."""
    return hashlib.new(algorithm, b"blob %d\0" % size, usedforsecurity=False)


def as_utf8(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """Chunks of a text as UTF-8 without a byte order mark, whatever its byte order mark says it is."""
    first = next(chunks, b"")
    for mark, encoding in _OTHER_MARKS:
        if first.startswith(mark):
            decoder = codecs.getincrementaldecoder(encoding)("replace")
            yield decoder.decode(first[len(mark) :]).encode("utf-8", "surrogatepass")
            for chunk in chunks:
                yield decoder.decode(chunk).encode("utf-8", "surrogatepass")
            yield decoder.decode(b"", final=True).encode("utf-8", "surrogatepass")
            return
    yield first.removeprefix(codecs.BOM_UTF8)
    yield from chunks


def lines_in(chunks: Iterator[bytes]) -> Iterator[tuple[bytes, int, bool]]:
    """(line, its length, whether a line end stands behind it); a line longer than LINE_MAX comes empty."""
    held: list[bytes] = []
    size = 0
    for chunk in chunks:
        start = 0
        while (stop := chunk.find(b"\n", start)) >= 0:
            length = size + stop - start
            if length <= LINE_MAX:
                held.append(chunk[start:stop])
            yield (b"".join(held) if length <= LINE_MAX else b""), length, True
            held, size, start = [], 0, stop + 1
        if start < len(chunk):
            size += len(chunk) - start
            if size <= LINE_MAX:
                held.append(chunk[start:])
            else:
                held = []
    if size:
        yield (b"".join(held) if size <= LINE_MAX else b""), size, False


def unpacked(chunks: Iterator[bytes], note: Callable[[str], None]) -> Iterator[bytes]:
    """The bytes packed in Zstandard frames. What comes behind damage is lost: that is noted, once for a file.

    Raises Unopenable where nothing of it can be read, or not on this machine.
    """
    try:
        zstandard: Any = import_module("zstandard")
    except ImportError as error:
        raise Unopenable(
            "", "it is packed as .zst, which is read once the package zstandard is installed beside yoimemory"
        ) from error
    done, problem = 0, ""
    try:
        for out in _frames(chunks, zstandard.ZstdDecompressor(max_window_size=1 << 27)):
            done += len(out)
            if done > STREAM_MAX:
                raise Unopenable("", f"it unpacks to more than {STREAM_MAX:,} bytes")
            yield out
    except zstandard.ZstdError:
        problem = "its packing is damaged"
    except EOFError:
        problem = "its packing ends in the middle"
    if problem and not done:
        raise Unopenable("", problem)
    if problem:
        note(f"{problem[0].upper()}{problem[1:]}; only what comes before is read.")


def _frames(chunks: Iterator[bytes], decompressor: Any) -> Iterator[bytes]:
    """What the frames hold, one after the other. Raises EOFError where the last one is cut off."""
    unpacker = None
    for chunk in chunks:
        for start in range(0, len(chunk), 1 << 16):  # small bites: a bomb must not unfold at once
            bite = chunk[start : start + (1 << 16)]
            while bite:
                unpacker = unpacker or decompressor.decompressobj()
                yield unpacker.decompress(bite)
                bite = unpacker.unused_data if unpacker.eof else b""
                unpacker = None if unpacker.eof else unpacker
    if unpacker is not None:
        raise EOFError
