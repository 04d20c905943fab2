"""Source refs: one address scheme for everything that can be pointed at.

    ref = kind ":" locator [ "@" revision ] [ "#" fragment ]

A ref is relative to a workspace; where several are open, people may write `<slug>::<ref>`.
`parse` and `str` are inverse on every legal ref. Characters that would be ambiguous in a
locator (`%`, `@`, `#`, white space, controls, a leading colon) are percent-encoded; bytes of
a file name that are not UTF-8 live in the locator as surrogates and are percent-encoded too.
"""

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from typing import Self
from urllib.parse import unquote_to_bytes

from ulid import ULID

from yoimemory.errors import BadInput

SOURCE_KINDS = (
    "ticket", "objective", "commit", "diff", "branch", "worktree", "session", "doc", "code",
    "record", "message", "memory", "skill",
)  # fmt: skip
OWN_KINDS = ("shoebox", "evidence", "representation", "hypothesis", "proposal")
KINDS = SOURCE_KINDS + OWN_KINDS

_HEAD = re.compile(r"(?:(?P<slug>[a-z0-9][a-z0-9-]*)::)?(?P<kind>[a-z]+):(?P<rest>.*)", re.DOTALL)
_REVISION = re.compile(r"[0-9a-f]{4,64}|sha256:[0-9a-f]{64}")
_LINES = re.compile(r"L([1-9][0-9]*)(?:-L([1-9][0-9]*))?")
_EVENT = re.compile(r"event-([1-9][0-9]*)")
_ENTRY = re.compile(r"entry-([1-9][0-9]*)(?:-([1-9][0-9]*))?")
_NAMED = re.compile(r"(heading|symbol)=(.+)", re.DOTALL)
_PLAIN = re.compile(r"(?!:)[A-Za-z0-9_./:=,+~-]*")
_MAX = 2_048


class BadRef(BadInput):
    """The text is no ref, or a ref of a kind that does not exist."""


@dataclass(frozen=True, slots=True, order=True)
class SourceRef:
    """An address: what kind of source, where, at which revision, which part of it."""

    kind: str
    locator: str
    revision: str = ""
    fragment: str = ""

    @classmethod
    @lru_cache(4_096)  # an answer reads the same few refs again and again, and none of them ever changes
    def parse(cls, text: str) -> Self:
        """Read a ref without its workspace.

        Raises BadRef with a sentence that says which part could not be read.
        """
        slug, ref = split_workspace(text)
        if slug:
            raise BadRef(f"{text!r} names the workspace {slug!r}; here a ref without workspace is expected.")
        match = _HEAD.fullmatch(ref)
        if match is None or match["kind"] not in KINDS:
            raise BadRef(
                f"{text[:120]!r} is not a ref.",
                hint="A ref is kind:locator, for example doc:docs/guide.md#L3; kinds are " + ", ".join(KINDS) + ".",
            )
        if len(ref) > _MAX:
            raise BadRef(f"This ref has {len(ref)} characters; at most {_MAX} are allowed.")
        rest, _, fragment = match["rest"].partition("#")
        locator, _, revision = rest.partition("@")
        if "@" in revision:
            raise BadRef(f"{text[:120]!r} holds two revisions; write an @ inside a path as %40.")
        built = cls(match["kind"], _decode(locator), revision, _decode(fragment))
        built._check(text, has_revision="@" in rest, has_fragment="#" in match["rest"])
        return built

    def _check(self, text: str, *, has_revision: bool, has_fragment: bool) -> None:
        if not self.locator or "\0" in self.locator or self.locator.startswith("/"):
            raise BadRef(f"{text[:120]!r} has no usable locator.", hint="Paths are relative to the workspace.")
        if any(part in {"", ".", ".."} for part in self.locator.split("/")):
            raise BadRef(f"{text[:120]!r} leaves its workspace or holds an empty step.")
        if has_revision and not _REVISION.fullmatch(self.revision):
            raise BadRef(
                f"{self.revision[:80]!r} is no revision.",
                hint="A revision is a commit id (4 to 64 hex digits) or sha256: and 64 hex digits.",
            )
        if has_fragment and not self._fragment_is_legal():
            raise BadRef(
                f"{self.fragment[:80]!r} is no fragment of a {self.kind}.",
                hint="Fragments are L10, L10-L24, event-7, entry-12, entry-12-18, heading=slug, symbol=name, /pointer.",
            )

    def _fragment_is_legal(self) -> bool:
        if self.kind == "record":
            return self.fragment.startswith("/") or bool(self.lines and self.lines[0] <= self.lines[1])
        if self.lines or self.entries:
            first, last = self.lines or self.entries or (1, 1)
            return first <= last
        return bool(_EVENT.fullmatch(self.fragment) or _NAMED.fullmatch(self.fragment))

    def __str__(self) -> str:
        text = f"{self.kind}:{_encode(self.locator)}"
        if self.revision:
            text += f"@{self.revision}"
        if self.fragment:
            text += f"#{_encode(self.fragment, also='')}"
        return text

    @property
    def bare(self) -> "SourceRef":
        """The same place as it stands, whole: without revision and fragment."""
        return SourceRef(self.kind, self.locator)  # built, not replaced: an index run does it for every row

    @property
    def source(self) -> "SourceRef":
        """The source it belongs to: a ticket with its thread and artifacts is one source."""
        if self.kind in {"ticket", "objective", "skill"}:
            return SourceRef(self.kind, self.locator.split("/", 1)[0])
        if self.kind == "diff":
            return SourceRef("commit", self.locator.split("/", 1)[0])
        return self.bare

    def at(self, revision: str) -> "SourceRef":
        """The same place at a revision."""
        return SourceRef(self.kind, self.locator, revision, self.fragment)

    def part(self, fragment: str) -> "SourceRef":
        """A part of the same source at the same revision."""
        return SourceRef(self.kind, self.locator, self.revision, fragment)

    @property
    def lines(self) -> tuple[int, int] | None:
        """First and last line that the fragment names, from 1, inclusive."""
        match = _LINES.fullmatch(self.fragment)
        return (int(match[1]), int(match[2] or match[1])) if match else None

    @property
    def entries(self) -> tuple[int, int] | None:
        """First and last entry of a session that the fragment names, from 1, inclusive."""
        match = _ENTRY.fullmatch(self.fragment)
        return (int(match[1]), int(match[2] or match[1])) if match else None

    @property
    def event(self) -> int | None:
        """The event of a thread that the fragment names, from 1."""
        match = _EVENT.fullmatch(self.fragment)
        return int(match[1]) if match else None

    @property
    def named(self) -> tuple[str, str] | None:
        """`("heading", slug)` or `("symbol", name)` where the fragment names one."""
        match = _NAMED.fullmatch(self.fragment)
        return (match[1], match[2]) if match else None


def split_workspace(text: str) -> tuple[str, str]:
    """Take `slug::ref` apart; the slug is empty where none was written."""
    match = _HEAD.fullmatch(text.strip())
    if match and match["slug"]:
        return match["slug"], text.strip()[len(match["slug"]) + 2 :]
    return "", text.strip()


def lines_fragment(first: int, last: int) -> str:
    """The fragment that names these lines (from 1, inclusive)."""
    return f"L{first}" if first == last else f"L{first}-L{last}"


def new_id() -> str:
    """A public id in order of time (a ULID, 26 characters)."""
    return str(ULID())


def _encode(text: str, *, also: str = "@") -> str:
    """Percent-encode what would be ambiguous; everything else, Japanese too, stays readable."""
    if _PLAIN.fullmatch(text):
        return text  # nearly every ref of a workspace; an index run writes a hundred thousand of them
    out = []
    for index, char in enumerate(text):
        odd = (
            char in "%#"
            or char in also
            or (char == ":" and index == 0)
            or char.isspace()
            or unicodedata.category(char) in {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
        )
        out.append("".join(f"%{byte:02X}" for byte in _bytes(char)) if odd else char)
    return "".join(out)


def _bytes(char: str) -> bytes:
    # A surrogate that stands for a raw byte of a file name gives that byte back.
    return char.encode("utf-8", "surrogateescape" if "\udc80" <= char <= "\udcff" else "surrogatepass")


def _decode(text: str) -> str:
    return unquote_to_bytes(text).decode("utf-8", "surrogateescape") if "%" in text else text
