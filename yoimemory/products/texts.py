"""From the bytes of a file to the words people change, and back: encoding, byte order mark and line ends stay."""

from dataclasses import dataclass

from yoimemory.errors import BadInput, Refused
from yoimemory.products.diffs import opcodes, split_lines
from yoimemory.products.visible import visible
from yoimemory.sources import decoding


class NotText(Refused):
    """The file holds bytes that we could not write back the same."""


class NotInThisEncoding(Refused):
    """The file is kept in an encoding that has no sign for a character of the proposal."""


class UnusableText(BadInput):
    """The new content holds something that no text file can hold."""


@dataclass(frozen=True, slots=True)
class FileText:
    """The words of a file with every line ended by a line feed, and how the file keeps them."""

    text: str
    raw: str
    encoding: str = "utf-8"
    mark: bytes = b""

    @property
    def data(self) -> bytes:
        return self.mark + self.raw.encode(self.encoding)


def read_text(data: bytes, *, path: str) -> FileText:
    """Read a file so that it can be written back byte for byte. Raises NotText where that cannot be."""
    hint = "Change it by hand instead, or write a new file beside it."
    try:
        found = decoding.decode(data)
    except decoding.NotText as error:
        raise NotText(f"{visible(path)} is no text file.", hint=hint) from error
    if found.lossy:
        raise NotText(f"{visible(path)} is not UTF-8 throughout, so it could not be written back unchanged.", hint=hint)
    return FileText(found.text.replace("\r\n", "\n"), found.text, found.encoding, data[: found.mark])


def plain(text: str) -> str:
    """New content as we keep it: a browser's line ends made line feeds. Raises UnusableText."""
    if "\0" in text:
        raise UnusableText("The new content holds a NUL character.", fields={"content": "holds NUL"})
    if any("\ud800" <= char <= "\udfff" for char in text):
        raise UnusableText("The new content holds half a character.", fields={"content": "holds a lone surrogate"})
    return text.replace("\r\n", "\n")


def write_text(text: str, *, like: FileText | None, path: str) -> bytes:
    """The bytes of the new content, kept as the file is kept; a new file is UTF-8 with line feeds.

    A line that is not changed keeps its own line end, a new one takes the file's usual one.
    Raises NotInThisEncoding.
    """
    if like is None:
        return text.encode()
    raw = _with_line_ends(text, like.raw)
    try:
        return like.mark + raw.encode(like.encoding)
    except UnicodeEncodeError as error:
        raise NotInThisEncoding(
            f"{visible(path)} is kept in {like.encoding}, which has no sign for {raw[error.start]!r}.",
            hint="Leave that character out, or change the file's encoding by hand first.",
        ) from error


def _with_line_ends(text: str, raw: str) -> str:
    feeds, pairs = raw.count("\n"), raw.count("\r\n")
    if not pairs:
        return text
    if pairs == feeds:
        return text.replace("\n", "\r\n")
    usual = "\r\n" if pairs * 2 > feeds else "\n"
    old_raw, new = split_lines(raw), split_lines(text)
    old = [line.removesuffix("\r\n") + "\n" if line.endswith("\r\n") else line for line in old_raw]
    out: list[str] = []
    for tag, i1, i2, j1, j2 in opcodes(old, new):
        if tag == "equal":
            out += old_raw[i1:i2]
        else:
            out += [line[:-1] + usual if line.endswith("\n") else line for line in new[j1:j2]]
    return "".join(out)
