"""What a text points at: ids, paths and shas mentioned in prose, Markdown links, our own refs."""

import posixpath
import re
import string
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import lru_cache
from urllib.parse import unquote

from yoimemory.refs import OWN_KINDS, SourceRef, lines_fragment
from yoimemory.sources.places import CODE_ENDINGS, DOC_ENDINGS, place_of
from yoimemory.sources.reading import Link, Passage

LINKS_MAX = 2_000
"""Links kept of one document; a list of everything in a workspace points at nothing."""

RECORD_ID = r"0[0-9A-HJKMNP-TV-Z]{12}"
_ID = re.compile(rf"(?<![0-9A-Za-z])({RECORD_ID})(?![0-9A-Za-z])")
_HEX = re.compile(r"[0-9a-f]{7,}")
_HEX_LENGTHS = frozenset((*range(7, 41), 64))
_BEFORE_SHA = frozenset(string.ascii_letters + string.digits + "_./#-")
_AFTER_SHA = frozenset(string.ascii_letters + string.digits + "_")
_IN_PATH = frozenset(string.ascii_letters + string.digits + "_.@+-/")
_PATH_RUN = re.compile(r"[A-Za-z0-9_.@+/-]+")
_ENDINGS = "|".join(sorted(DOC_ENDINGS | CODE_ENDINGS, key=lambda ending: (-len(ending), ending)))
_PATH = re.compile(
    r"(?<![A-Za-z0-9_./:@+~-])(?:\./)?((?:[A-Za-z0-9_.@+-]+/)+[A-Za-z0-9_.@+-]*?\.(?:"
    + _ENDINGS
    + r"))(?![A-Za-z0-9_/-])"
    r"(?::(\d{1,7})(?:-(\d{1,7}))?|#L(\d{1,7})(?:-L(\d{1,7}))?)?"
)
_IDS = re.compile(rf"[0-9a-f](?:[0-9a-f]{{6}}|(?<=0){RECORD_ID[1:]})")
_CLIMBS = re.compile(r"(?:^|/)\.{1,2}/")
_OWN = re.compile(rf"(?<![A-Za-z0-9])({'|'.join(OWN_KINDS)}):([0-9A-HJKMNP-TV-Z]{{26}})(?![0-9A-Za-z])")
_LINK = re.compile(r"\]\([ \t]{0,3}<?([^)\s>#]{1,500})(?:#([^)\s>]{1,200}))?[)\s>]")


class Linker:
    """Finds links in passages. Knows which ids are objectives' and which shortened ids are commits."""

    def __init__(self, objectives: Collection[str], commit_id: Callable[[str], str]) -> None:
        self._objectives, self._commit_id = objectives, commit_id

    def links(self, passages: Iterable[Passage], own: SourceRef, *, path: str = "") -> tuple[Link, ...]:
        """What these passages of one document point at, each target once, at its first place."""
        found: dict[tuple[str, str], Link] = {}
        telling = [passage for passage in passages if points(passage.text)]
        mine = str(own.source) if telling else ""
        for passage in telling:
            for kind, target in self.targets(passage.text, path=path):
                if len(found) >= LINKS_MAX:
                    return tuple(found.values())
                if target != mine:
                    found.setdefault((kind, target), Link(kind, target, where=passage.fragment, at=passage.at))
        return tuple(found.values())

    def targets(self, text: str, *, path: str = "") -> Iterator[tuple[str, str]]:
        """(kind, ref) of everything that a text names, in no particular order."""
        for match in _ID.finditer(text):
            yield "mentions", f"{'objective' if match[1] in self._objectives else 'ticket'}:{match[1]}"
        for match in _paths(text):
            if not _CLIMBS.search(match[1]):
                yield "mentions", _path_target(match)
        for sha in _shas(text):
            commit = self._commit_id(sha)
            if commit:
                yield "mentions", f"commit:{commit}"
        if ":" in text:
            for match in _OWN.finditer(text):
                yield "cites", f"{match[1]}:{match[2]}"
        if path and "](" in text:
            for match in _LINK.finditer(text):
                target = linked(match[1], match[2] or "", path)
                if target:
                    yield "links", target


class NoLinks(Linker):
    """Finds none: for reading a text whose words alone are wanted."""

    def __init__(self) -> None:
        super().__init__((), lambda _: "")

    def links(self, passages: Iterable[Passage], own: SourceRef, *, path: str = "") -> tuple[Link, ...]:
        """Nothing, without a look at the passages: on a long text that takes as long as all the rest."""
        return ()

    def targets(self, text: str, *, path: str = "") -> Iterator[tuple[str, str]]:
        """Nothing."""
        return iter(())


def points(text: str) -> bool:
    """Whether a text has in it what it must have to point at anything: most messages of commits have none of it."""
    return "/" in text or ":" in text or "](" in text or _IDS.search(text) is not None


def _paths(text: str) -> Iterator[re.Match[str]]:
    """Paths in a text. A path begins where its run of letters and signs does, so only there it is looked for."""
    at = text.find("/")
    while at >= 0:
        begin = at
        while begin and text[begin - 1] in _IN_PATH:
            begin -= 1
        match = _PATH.match(text, begin)
        run = _PATH_RUN.match(text, begin)
        end = run.end() if run else at + 1
        if match:
            yield match
        at = text.find("/", max(end, match.end()) if match else end)


def _shas(text: str) -> Iterator[str]:
    """Words of hexadecimal digits that may be a commit: letters and digits, as short as people write them."""
    for match in _HEX.finditer(text):
        word, begin, end = match[0], match.start(), match.end()
        if len(word) not in _HEX_LENGTHS or word.isdigit() or word.isalpha():
            continue
        if (begin and text[begin - 1] in _BEFORE_SHA) or (end < len(text) and text[end] in _AFTER_SHA):
            continue
        yield word


def _path_target(match: re.Match[str]) -> str:
    ref = path_ref(match[1].removeprefix("@"))  # agents are pointed at a file so
    first = match[2] or match[4]
    if not first or int(first) == 0 or "#" in ref:
        return ref
    last = int(match[3] or match[5] or first)
    return f"{ref}#{lines_fragment(int(first), max(int(first), last))}"


@lru_cache(maxsize=1 << 16)
def path_ref(path: str) -> str:
    """The address of a path as text; the quick way for the many paths of a log."""
    return str(place_of(path).ref)


def linked(target: str, fragment: str, path: str) -> str:
    """The address that a Markdown link in the document at `path` leads to, or nothing."""
    if not target or ":" in target or target.startswith("/"):
        return ""
    resolved = posixpath.normpath(posixpath.join(posixpath.dirname(path), unquote(target)))
    if resolved.startswith("..") or resolved in {".", path} or "." not in resolved.rsplit("/", 1)[-1]:
        return ""
    ref = path_ref(resolved)
    return f"{ref}#{fragment}" if re.fullmatch(r"L[1-9][0-9]*(?:-L[1-9][0-9]*)?", fragment) else ref
