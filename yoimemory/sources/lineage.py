"""Where a file comes from: the commits that changed it, under every name it had, and the age of its lines."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from yoimemory.refs import SourceRef
from yoimemory.sources.dates import read_instant
from yoimemory.sources.decoding import clean
from yoimemory.sources.git import Git, NoSuchRevision, open_git
from yoimemory.sources.history import NoHistory, cut_at
from yoimemory.sources.masking import mask
from yoimemory.sources.models import Workspace
from yoimemory.sources.opener import check_path, shown
from yoimemory.sources.process import GitFailed

HISTORY_MAX = 200
_TAG_FIELDS = (
    "refname:short", "objecttype", "objectname", "*objecttype", "*objectname", "creatordate:unix", "subject",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class FileChange:
    """What one commit did to a file. `old_path` is the name it had before, where that commit renamed it."""

    commit: str
    status: str
    path: str
    old_path: str
    title: str
    author: str
    at: datetime | None
    cut: bool = False
    """The clone knows nothing older, so that a file which was there before seems to be added."""

    @property
    def diff(self) -> SourceRef:
        """Where the change itself is read."""
        return SourceRef("diff", f"{self.commit}/{self.path}")


@dataclass(frozen=True, slots=True)
class LineAge:
    """Lines (from 1, inclusive) that stand as one commit left them. `cut` where the clone knows nothing older."""

    first: int
    last: int
    commit: str
    author: str
    at: datetime | None
    title: str
    cut: bool = False


@dataclass(frozen=True, slots=True)
class Tag:
    """A tag and the commit that it names; empty for a tag of something else."""

    name: str
    commit: str
    at: datetime | None
    title: str


def history(workspace: Workspace, path: str, *, revision: str = "HEAD", limit: int = HISTORY_MAX) -> list[FileChange]:
    """The commits that changed a file, newest first, through renames.

    Raises OutsideRoot, NoSuchRevision, or NoHistory where no commit ever had the file.
    """
    git, commit, name = _asked(workspace, path, revision)
    renames = "-M100%" if git.shadow.partial else "-M"
    options = (
        "-z", "--follow", "--name-status", renames, "-l400", "--no-ext-diff", "--no-textconv", "--no-color",
        "--no-notes", "--no-decorate", "--no-show-signature", "--encoding=UTF-8",
        f"--max-count={max(1, min(limit, HISTORY_MAX))}",
        "--format=%x01%H%x00%an%x00%ct%x00%s%x00",
    )  # fmt: skip
    with git.stream("log", *options, commit, "--", name) as child:
        found = list(_changes([token.decode("utf-8", "surrogateescape") for token in child.tokens()]))
    cut = cut_at(git)
    found = [replace(change, cut=True) if change.commit in cut else change for change in found]
    if not found:
        raise NoHistory(f"No commit up to {commit[:12]} has a file {shown(path)}.", hint="Give its path from the root.")
    return found


def _changes(tokens: list[str]) -> Iterator[FileChange]:
    at = 0
    while at < len(tokens):
        if not tokens[at].lstrip("\n").startswith("\1"):
            at += 1
            continue
        commit, author, when, title = tokens[at].lstrip("\n")[1:], *tokens[at + 1 : at + 4]
        at += 4
        while at < len(tokens) and not tokens[at].strip("\n"):
            at += 1
        status = tokens[at].strip("\n") if at < len(tokens) else ""
        renamed = status[:1] in {"R", "C"}
        names = tokens[at + 1 : at + (3 if renamed else 2)]
        at += 1 + len(names)
        if names:
            yield FileChange(
                commit, status[:1], names[-1], names[0] if renamed else "", _words(title), _words(author), _when(when)
            )


def line_ages(
    workspace: Workspace, path: str, *, revision: str = "HEAD", spans: Sequence[tuple[int, int]] = ()
) -> list[LineAge]:
    """Who left the lines of a committed file as they are, in order of lines; of `spans` (inclusive) alone when given.

    It is the file at the revision, not the one on disk. Raises as `history` does.
    """
    git, commit, name = _asked(workspace, path, revision)
    ranges = [f"-L{first},{last}" for first, last in spans]
    try:
        data = git.run("blame", "--porcelain", "--no-textconv", *ranges, commit, "--", name)
    except GitFailed as error:
        raise NoHistory(
            f"The commit {commit[:12]} has no text {shown(path)}.", hint="Its history shows under which name it was."
        ) from error
    return list(_ages(data.decode("utf-8", "replace").split("\n"), shallow=git.shadow.shallow))


def _ages(lines: list[str], *, shallow: bool) -> Iterator[LineAge]:
    """The lines that blame printed. It calls a first commit a boundary too; only a shallow clone is cut there."""
    about: dict[str, dict[str, str]] = {}
    span: tuple[str, int, int] | None = None
    commit, at = "", 0
    while at < len(lines):
        head = lines[at].split(" ")
        if len(head) < 3:
            break
        commit, final = head[0], int(head[2])
        known = about.setdefault(commit, {})
        at += 1
        while at < len(lines) and not lines[at].startswith("\t"):
            key, _, value = lines[at].partition(" ")
            known[key] = value
            at += 1
        at += 1
        if span and span[0] == commit and span[2] + 1 == final:
            span = (commit, span[1], final)
            continue
        if span:
            yield _age(span, about, shallow)
        span = (commit, final, final)
    if span:
        yield _age(span, about, shallow)


def _age(span: tuple[str, int, int], about: dict[str, dict[str, str]], shallow: bool) -> LineAge:
    commit, first, last = span
    known = about[commit]
    return LineAge(
        first, last, commit, _words(known.get("author", "")), _when(known.get("committer-time", "")),
        _words(known.get("summary", "")), shallow and "boundary" in known,
    )  # fmt: skip


def tags(workspace: Workspace) -> list[Tag]:
    """The tags of the repository, newest first; none for a plain folder."""
    git = open_git(workspace)
    if git is None:
        return []
    form = "%00".join(f"%({field})" for field in _TAG_FIELDS)
    data = git.run("for-each-ref", "--sort=-creatordate", f"--format={form}", "refs/tags")
    found = []
    for line in data.decode("utf-8", "replace").split("\n"):
        fields = line.split("\0")
        if len(fields) == len(_TAG_FIELDS):
            name, kind, own, inner_kind, inner, when, title = fields
            commit = own if kind == "commit" else inner if inner_kind == "commit" else ""
            found.append(Tag(_words(name), commit, _when(when), _words(title)))
    return found


def _asked(workspace: Workspace, path: str, revision: str) -> tuple[Git, str, str]:
    name = "/".join(check_path(path))
    git = open_git(workspace)
    if git is None:
        raise NoSuchRevision("This workspace is a plain folder without git, so it has no revisions.")
    return git, git.resolve(revision), name


def _words(text: str) -> str:
    return clean(mask(text).text)[0][:500]


def _when(text: str) -> datetime | None:
    found = read_instant(int(text)) if text.strip().isdigit() else None
    return found.astimezone(UTC) if found else None
