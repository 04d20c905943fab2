"""Text made comparable, with a way back: what two people would call the same words.

Normalised are: composition (NFC), line ends and runs of white space (one space), curly quotes,
dashes, and zero-width characters (dropped). Never case, never letters. Every offset of the
normalised text leads back to an offset of the text as it is.
"""

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field

ZERO_WIDTH = (
    "\u00ad\u061c\u180e\u200b\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2066\u2067\u2068\u2069\ufeff"
)
_SAME = {
    "'": "\u2018\u2019\u201a\u201b",
    '"': "\u201c\u201d\u201e\u201f",
    "-": "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d",
    "": ZERO_WIDTH,
}
_REPLACE = [(old, new) for new, olds in _SAME.items() for old in olds]
# A run that is not one plain space: it becomes one space, or nothing where it holds only zero-width characters.
_RUN = re.compile(rf"[^\S ][\s{ZERO_WIDTH}]*|[{ZERO_WIDTH}][\s{ZERO_WIDTH}]*| [\s{ZERO_WIDTH}]+")
# What composition may change as a whole: characters outside ASCII, with the ASCII one that they may attach to.
_FOREIGN = re.compile(rf"[\x21-\x7e]?[^\x00-\x7f\s{ZERO_WIDTH}]+")
# After a single white space a text may be cut: no replacement and no composition reaches across.
_CUT = re.compile(rf"[^\s{ZERO_WIDTH}][ \n](?=[^\s{ZERO_WIDTH}])")
_CHUNK = 8_192


@dataclass(frozen=True, slots=True)
class Normalised:
    """A normalised text and the places where its offsets part from those of the original.

    From `at[i]` on, an offset of the normalised text lies at `origin[i]` plus the distance.
    """

    text: str
    at: list[int]
    origin: list[int]

    def start(self, offset: int) -> int:
        """The original offset of what begins here."""
        index = bisect_right(self.at, offset) - 1
        return self.origin[index] + offset - self.at[index]

    def end(self, offset: int) -> int:
        """The original offset at which what ends here ends (before anything that was dropped there)."""
        index = max(bisect_left(self.at, offset) - 1, 0)
        return self.origin[index] + offset - self.at[index]


@dataclass(slots=True)
class Comparable:
    """A long text made comparable in pieces; the way back is worked out only where it is asked for.

    Working out the way back for a megabyte takes longer than a person should wait for a quote.
    """

    original: str
    text: str = field(init=False)
    _at: list[int] = field(init=False)
    _origin: list[int] = field(init=False)

    def __post_init__(self) -> None:
        pieces, self._at, self._origin = [], [0], [0]
        for chunk in _chunks(self.original):
            piece = plain(chunk)
            pieces.append(piece)
            self._at.append(self._at[-1] + len(piece))
            self._origin.append(self._origin[-1] + len(chunk))
        self.text = "".join(pieces)

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The original span of a span of the normalised text."""
        first = bisect_right(self._at, start) - 1
        last = max(bisect_left(self._at, end), first + 1)
        near = normalise(self.original[self._origin[first] : self._origin[last]])
        offset, origin = self._at[first], self._origin[first]
        return origin + near.start(start - offset), origin + near.end(end - offset)


def plain(text: str) -> str:
    """The normalised text alone, fast."""
    if not text.isascii():
        for old, new in _REPLACE:
            text = text.replace(old, new)
        text = unicodedata.normalize("NFC", text)
    if not text:
        return text
    inner = " ".join(text.split())
    if not inner:
        return " "
    return f"{' ' if text[0].isspace() else ''}{inner}{' ' if text[-1].isspace() else ''}"


def normalise(text: str) -> Normalised:
    """Make a text comparable, and remember the way back."""
    at, origin, pieces = [0], [0], []
    done = length = 0
    for start, end, replacement in _edits(text):
        pieces += [text[done:start], replacement]
        length += start - done + len(replacement)
        at.append(length)
        origin.append(end)
        done = end
    pieces.append(text[done:])
    joined = "".join(pieces)
    for old, new in _REPLACE[: -len(ZERO_WIDTH)]:
        joined = joined.replace(old, new)
    return Normalised(joined, at, origin)


def _chunks(text: str) -> Iterator[str]:
    start = 0
    while len(text) - start > _CHUNK:
        cut = _CUT.search(text, start + _CHUNK)
        if cut is None:
            break
        yield text[start : cut.end()]
        start = cut.end()
    yield text[start:]


def _edits(text: str) -> list[tuple[int, int, str]]:
    """The replacements that may change a length, in order and apart from one another."""
    spaces = [
        (match.start(), match.end(), " " if any(map(str.isspace, match[0])) else "") for match in _RUN.finditer(text)
    ]
    if unicodedata.is_normalized("NFC", text):
        return spaces
    composed = [edit for match in _FOREIGN.finditer(text) for edit in _compositions(match[0], match.start())]
    # White space and zero-width characters end a foreign run, so the two kinds of edit never overlap.
    return sorted(spaces + composed)


def _compositions(run: str, at: int) -> list[tuple[int, int, str]]:
    """How composition changes one run, cluster by cluster where the whole allows it."""
    if unicodedata.is_normalized("NFC", run):
        return []
    clusters = _clusters(run)
    if "".join(unicodedata.normalize("NFC", cluster) for cluster in clusters) != unicodedata.normalize("NFC", run):
        clusters = [run]
    edits = []
    for cluster in clusters:
        composed = unicodedata.normalize("NFC", cluster)
        if composed != cluster:
            edits.append((at, at + len(cluster), composed))
        at += len(cluster)
    return edits


def _clusters(text: str) -> list[str]:
    """Characters with what attaches to them: combining marks, and the later parts of a Hangul syllable."""
    clusters: list[str] = []
    for char in text:
        attaches = unicodedata.combining(char) or "\u1160" <= char <= "\u11ff" or unicodedata.category(char) == "Mc"
        if clusters and attaches:
            clusters[-1] += char
        else:
            clusters.append(char)
    return clusters
