"""Commits, from one streamed `git log -z --name-status`: message, changed paths, dates, links."""

import re
from collections.abc import Callable, Collection, Iterator
from datetime import UTC, datetime, timedelta
from functools import lru_cache

from yoimemory.refs import SourceRef, lines_fragment
from yoimemory.sources.decoding import clean
from yoimemory.sources.links import Linker, path_ref
from yoimemory.sources.masking import mask
from yoimemory.sources.opener import shown
from yoimemory.sources.reading import Document, Link, Passage

LOG_ARGUMENTS = (
    "-z", "--name-status", "--diff-merges=first-parent", "-l400", "--no-ext-diff", "--no-textconv", "--no-color",
    "--no-notes", "--ignore-submodules=none", "--no-decorate", "--no-show-signature", "--encoding=UTF-8", "--date=raw",
    "--format=%H%x00%P%x00%an%x00%ad%x00%cd%x00%B",
)  # fmt: skip

PATHS_MAX = 5_000
"""Changed paths that are listed of one commit; a commit that touches more says how many it left out."""

TOUCHES_MAX = 1_000
MESSAGE_MAX = 1 << 20
_COMMIT = re.compile(rb"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_REVERT = re.compile(r'^(?:Revert "|revert:|revert\()|This reverts commit [0-9a-f]{7,}', re.MULTILINE)
_RAW_DATE = re.compile(r"(-?\d{1,14}) ([+-])(\d\d)(\d\d)")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_BLOCK = 80


def read_log(
    tokens: Iterator[bytes], *, objectives: Collection[str], commit_id: Callable[[str], str]
) -> Iterator[Document]:
    """Commits as documents, in the order of the log. `tokens` are its fields, cut at NUL."""
    linker = Linker(objectives, commit_id)
    token = next(tokens, b"")
    while _is_commit(token):
        head = [token, *(next(tokens, b"") for _ in range(5))]
        changes: list[tuple[str, str, str]] = []
        token = next(tokens, b"")
        while token and not _is_commit(token):
            status = token.lstrip(b"\n").decode("ascii", "replace")[:1]
            old = _path(next(tokens, b""))
            new = _path(next(tokens, b"")) if status in "RC" else old
            changes.append((status, old, new))
            token = next(tokens, b"")
        if not token:  # a commit without changes leaves its closing NUL behind
            token = next(tokens, b"")
        yield _commit(head, changes, linker)


def _is_commit(token: bytes) -> bool:
    return len(token) >= 40 and _COMMIT.fullmatch(token) is not None


def _path(token: bytes) -> str:
    return token.decode("utf-8", "surrogateescape")


def _commit(head: list[bytes], changes: list[tuple[str, str, str]], linker: Linker) -> Document:
    sha, parents = head[0].decode(), head[1].decode().split()
    message, lossy = _text(head[5][:MESSAGE_MAX])
    message = message.strip("\n") or "(no message)"
    author, odd_author = _name(head[2])
    lines = [_line(change) for change in changes[:PATHS_MAX]]
    if len(changes) > PATHS_MAX:
        lines.append(f"… and {len(changes) - PATHS_MAX:,} more paths")
    text = message + ("\n\n" + "\n".join(lines) if lines else "")
    at, raw = _date(head[4])
    passages = _passages(message, lines, author, at)
    ref = SourceRef("commit", sha)
    authored = at if head[3] == head[4] else _date(head[3])[0]
    return Document(
        ref=ref,
        title=message.split("\n", 1)[0].strip()[:500],
        text=text,
        authority="authority",
        author=author,
        at=at,
        revision=sha,
        lossy=lossy or odd_author or len(head[5]) > MESSAGE_MAX,
        facts={
            "parents": parents,
            "merge": len(parents) > 1,
            "paths": len(changes),
            "authored_at": authored.isoformat() if authored else "",
            **({"odd_date": raw} if at is None else {}),
        },
        passages=passages,
        links=(*_touches(changes), *linker.links(passages[:1], ref)),
    )


@lru_cache(maxsize=4_096)
def _name(data: bytes) -> tuple[str, bool]:
    """Who made a commit; the same few people made most of a history."""
    name, lossy = _text(data)
    return name.strip()[:200], lossy


def _text(data: bytes) -> tuple[str, bool]:
    try:
        text, lossy = data.decode("utf-8"), False
    except UnicodeDecodeError:
        text, lossy = data.decode("utf-8", "replace"), True
    fixed, replaced = clean(mask(text).text)
    return fixed, lossy or replaced


def _line(change: tuple[str, str, str]) -> str:
    """One changed path on one line, whatever its name holds."""
    status, old, new = change
    name = _one_line(new) if old == new else f"{_one_line(old)} -> {_one_line(new)}"
    return f"{status} {name}"


def _one_line(path: str) -> str:
    if path.isascii() and path.isprintable():
        return path
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode("ascii") for char in shown(path)
    )


def _date(raw: bytes) -> tuple[datetime | None, str]:
    """A date from git's raw form, and that form; no date where the year is beyond what dates can hold.

    Git answers 0 for a date that it cannot hold itself, so 0 is no date either.
    """
    text = raw.decode("ascii", "replace").strip()
    match = _RAW_DATE.fullmatch(text)
    if not match or int(match[1]) == 0:
        return None, text
    try:
        return _EPOCH + timedelta(seconds=int(match[1])), text
    except OverflowError:
        return None, text


def _passages(message: str, lines: list[str], author: str, at: datetime | None) -> tuple[Passage, ...]:
    count = message.count("\n") + 1
    signals = ("reverted",) if _REVERT.search(message) else ()
    found = [Passage(lines_fragment(1, count), message, 1, count, author=author, at=at, signals=signals)]
    for start in range(0, len(lines), _BLOCK):
        block = lines[start : start + _BLOCK]
        first = count + 2 + start
        last = first + len(block) - 1
        found.append(
            Passage(lines_fragment(first, last), "\n".join(block), first, last, heading="Changed paths", at=at)
        )
    return tuple(found)


def _touches(changes: list[tuple[str, str, str]]) -> tuple[Link, ...]:
    """Which sources a commit changed: each path, and the ticket or objective that it belongs to."""
    found: dict[str, Link] = {}
    for status, old, new in changes[:TOUCHES_MAX]:
        for path in dict.fromkeys((old, new)):
            target = path_ref(path)
            found.setdefault(target, Link("touches", target, note=status))
            kind, _, locator = target.partition(":")
            if kind in {"ticket", "objective"} and "/" in locator:
                source = f"{kind}:{locator.partition('/')[0]}"
                found.setdefault(source, Link("touches", source, note=status))
    return tuple(found.values())
