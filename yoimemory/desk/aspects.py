"""Other aspects of a source than its text: a tree, the history of its file, the age of its lines, what it changed."""

from dataclasses import dataclass, field
from datetime import datetime
from urllib.parse import quote, urlencode

from yoimemory.desk.jsontree import Tree, is_json, tree_of
from yoimemory.errors import DomainError
from yoimemory.refs import BadRef, SourceRef
from yoimemory.sources.lineage import LineAge, history, line_ages
from yoimemory.sources.models import Snapshot, Workspace
from yoimemory.sources.places import place_of
from yoimemory.sources.reading import Document

FILES = frozenset({"ticket", "objective", "doc", "code", "memory", "skill"})
AGES_MAX = 1_000
SNAPSHOTS_MAX = 200
PATHS_MAX = 300


@dataclass(frozen=True, slots=True)
class Change:
    """One commit of a file's history: what it did, where the change is read, and the file as it was then."""

    commit: str
    title: str
    author: str
    at: datetime | None
    status: str
    renamed_from: str
    diff: str
    then: str
    current: bool
    cut: bool = False


@dataclass(frozen=True, slots=True)
class Age:
    """Lines that one commit left as they are, with the first of them."""

    first: int
    last: int
    commit: str
    author: str
    at: datetime | None
    title: str
    cut: bool
    line: str


@dataclass(frozen=True, slots=True)
class Touched:
    """A path that a commit changed, and where the change of it is read."""

    status: str
    path: str
    url: str


@dataclass(slots=True)
class Aspect:
    """What is shown in the place of the text. `problem` says why there is nothing."""

    name: str = ""
    tree: Tree | None = None
    changes: list[Change] = field(default_factory=list)
    ages: list[Age] = field(default_factory=list)
    left_out: int = 0
    problem: str = ""
    as_of: datetime | None = None
    """The instant that was asked about."""

    @property
    def stood(self) -> Change | None:
        """The last change by then; None where nothing was there yet."""
        by_then = (change for change in self.changes if self.as_of and change.at and change.at <= self.as_of)
        return next(by_then, None)


def aspects_of(document: Document, workspace: Workspace, *, markdown: bool) -> list[tuple[str, str]]:
    """(view, label) of every way in which a source can be looked at; one way needs no choice."""
    found = [("", "Source")]
    if markdown:
        found.append(("rendered", "Rendered"))
    if is_json(document):
        found.append(("tree", "Tree"))
    if document.ref.kind == "record":
        found.append(("snapshots", "Snapshots"))
    if document.path and workspace.has_git and document.ref.kind in FILES:
        found += [("history", "History"), ("age", "Line age")]
    return found if len(found) > 1 else []


def aspect_of(view: str, document: Document, workspace: Workspace, query: str) -> Aspect | None:
    """The aspect that a page asks for; None for the text itself."""
    if view == "tree" and is_json(document):
        tree = tree_of(document, query)
        if tree is None:
            return Aspect("tree", problem="This text is no JSON that can be read whole; its source view shows it.")
        return Aspect("tree", tree=tree, left_out=tree.left_out)
    if view == "snapshots" and document.ref.kind == "record":
        return _snapshots(document, workspace, query)
    if view not in {"history", "age"} or not document.path or document.ref.kind not in FILES:
        return None
    try:
        return _history(document, workspace, query) if view == "history" else _ages(document, workspace)
    except DomainError as error:
        return Aspect(view, problem=f"{error.message} {error.hint}".strip())


def _path_of(document: Document) -> str:
    """The path as git has it: a name that is not UTF-8 is shown otherwise than it is written."""
    return document.ref.locator if document.ref.kind in {"doc", "code"} else document.path


def _revision_of(document: Document) -> str:
    """Of what is not merged, the commit that has it; of all else the history up to HEAD."""
    return document.revision if document.facts.get("unmerged") else "HEAD"


def _history(document: Document, workspace: Workspace, query: str) -> Aspect:
    found = history(workspace, _path_of(document), revision=_revision_of(document))
    changes = []
    for change in found:
        then = _as_of(document.ref, change.path, change.commit) if change.status != "D" else ""
        changes.append(
            Change(
                commit=change.commit, title=change.title, author=change.author, at=change.at, status=change.status,
                renamed_from=change.old_path, diff=_url(str(change.diff), query),
                then=_url(then, query) if then else "", current=change.commit == document.revision, cut=change.cut,
            )
        )  # fmt: skip
    return Aspect("history", changes=changes)


def _snapshots(document: Document, workspace: Workspace, query: str) -> Aspect:
    """Every observation of a record that was kept, the latest first."""
    found = Snapshot.objects.of(workspace, document.ref.locator).defer("body")
    changes = []
    for snapshot in found[:SNAPSHOTS_MAX]:
        url = _url(str(snapshot.ref), query)
        changes.append(
            Change(
                commit=snapshot.digest, title=snapshot.origin or "No origin was told", at=snapshot.taken_at,
                author=str(snapshot.recorded_by), status="", renamed_from="", diff=url, then="",
                current=snapshot.ref.revision == document.revision,
            )
        )  # fmt: skip
    return Aspect("snapshots", changes=changes, left_out=max(0, found.count() - SNAPSHOTS_MAX))


def _as_of(ref: SourceRef, path: str, commit: str) -> str:
    """The source as that commit left it, under the name it had then."""
    place = place_of(path).ref
    return str((place if place.kind == ref.kind else ref).at(commit))


def _ages(document: Document, workspace: Workspace) -> Aspect:
    committed = document.revision if ":" not in document.revision else ""
    found = line_ages(workspace, _path_of(document), revision=committed or "HEAD")
    lines = document.text.split("\n")
    ages = [_age(age, lines if committed else []) for age in found[:AGES_MAX]]
    note = "" if committed else "The file on disk is not committed as it stands; these are the lines of HEAD."
    return Aspect("age", ages=ages, left_out=max(0, len(found) - AGES_MAX), problem=note)


def _age(age: LineAge, lines: list[str]) -> Age:
    first = lines[age.first - 1] if 0 < age.first <= len(lines) else ""
    return Age(age.first, age.last, age.commit, age.author, age.at, age.title, age.cut, first.strip()[:120])


def touched_by(document: Document, query: str) -> list[Touched]:
    """The paths that a commit changed, each with the address of its change."""
    if document.ref.kind != "commit":
        return []
    found: list[Touched] = []
    for passage in document.passages:
        if passage.heading != "Changed paths":
            continue
        for line in passage.text.split("\n"):
            status, _, name = line.partition(" ")
            path = name.rpartition(" -> ")[2] if status == "R" else name
            if len(status) == 1 and path and len(found) < PATHS_MAX:
                found.append(Touched(status, name, _diff_url(document, path, query)))
    return found


def _diff_url(document: Document, path: str, query: str) -> str:
    try:
        ref = SourceRef.parse(str(SourceRef("diff", f"{document.ref.locator}/{path}")))
    except BadRef:  # longer than any ref may be: the name stays, without a link
        return ""
    return _url(str(ref), query)


def _url(ref: str, query: str) -> str:
    return f"?ref={quote(ref, safe='')}{query}"


def query_of(shoebox_id: str) -> str:
    """The part of an address that keeps the shoebox that is worked on."""
    return "&" + urlencode({"shoebox": shoebox_id}) if shoebox_id else ""
