"""Material before it is an item: what was found or read, and which sentences limit it."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime

from shoebox.models import Item
from yoimemory.errors import BadInput, NotFound
from yoimemory.refs import OWN_KINDS, SourceRef, split_workspace
from yoimemory.sources.decoding import lines_of
from yoimemory.sources.models import Workspace
from yoimemory.sources.read import read_document
from yoimemory.sources.reading import Document


class NoSuchPart(NotFound):
    """The source exists, but not the part of it that the ref names."""


@dataclass(frozen=True, slots=True)
class Found:
    """Something that may become an item: the ref with the revision that was read, and why it is here."""

    ref: SourceRef
    title: str
    authority: str
    at: datetime | None
    characters: int
    digest: str
    rationale: str
    came: str
    leaning: str = Item.Leaning.UNCLEAR
    caveat: str = ""

    @property
    def place(self) -> str:
        """The ref without its revision: what makes it one item of a shoebox."""
        return str(self.ref.at(""))

    @property
    def document(self) -> str:
        """The whole document it stands in, as it is."""
        return str(self.ref.bare)

    def limited_by(self, *sentences: str) -> "Found":
        """The same with further caveats, each said once; that it is later is said in one way only."""
        said = [self.caveat] if self.caveat else []
        for sentence in sentences:
            late = sentence.startswith("Later:") and any(each.startswith("Later:") for each in said)
            if sentence and sentence not in said and not late:
                said.append(sentence)
        return replace(self, caveat=" ".join(said))


def read_found(
    text: str,
    workspace: Workspace,
    *,
    rationale: str,
    came: str,
    leaning: str = Item.Leaning.UNCLEAR,
    as_of: datetime | None = None,
) -> Found:
    """Read the source that a ref names, now, and make it material with the revision that was read.

    Raises BadRef or BadInput for what is no ref of a source of this workspace, NotFound for a
    source or a part of one that does not exist, Refused for one that cannot be read.
    """
    slug, rest = split_workspace(text)
    if slug and slug != workspace.slug:
        raise BadInput(
            f"{text} belongs to the workspace {slug}; this shoebox belongs to {workspace.slug}.",
            fields={"ref": "another workspace"},
        )
    ref = SourceRef.parse(rest)
    if ref.kind in OWN_KINDS:
        raise BadInput(
            f"A shoebox holds sources; {ref} is a record of ours.",
            hint="Add the source that it was quoted from.",
            fields={"ref": "no source"},
        )
    document = read_document(workspace, ref)
    size, at = part_of(document, ref.fragment)
    found = Found(
        ref=_read_ref(document).part(ref.fragment),
        title=document.title,
        authority=document.authority,
        at=at,
        characters=size,
        digest=document.digest,
        rationale=rationale,
        came=came,
        leaning=leaning,
    )
    later = later_than(at, as_of) if ref.fragment or ref.kind == "commit" else changed_later(at, as_of)
    return found.limited_by(later, "Not committed yet." if document.is_pending and workspace.has_git else "")


def _read_ref(document: Document) -> SourceRef:
    """The address with the revision that was read; the address of a commit is its revision."""
    return document.ref if document.ref.kind in {"commit", "diff"} else document.ref.at(document.revision)


def part_of(document: Document, fragment: str) -> tuple[int, datetime | None]:
    """How many characters the named part of a document has, and when it was written.

    Raises NoSuchPart when the document has no such lines, event or entry.
    """
    if not fragment:
        return len(document.text), document.at
    for passage in document.passages:
        if passage.fragment == fragment:
            return len(passage.text), passage.at or document.at
    ref = document.ref.part(fragment)
    if ref.lines:
        lines = lines_of(document.text) or [""]
        first, last = ref.lines
        if first > len(lines):
            raise NoSuchPart(f"{document.ref} has {len(lines)} lines, so there is no line {first}.")
        within = [passage.at for passage in document.passages if passage.start_line <= first <= passage.end_line]
        return len("\n".join(lines[first - 1 : last])), next((at for at in within if at), document.at)
    if ref.entries:
        first, last = ref.entries  # compared, never counted through: a ref may name a thousand million entries
        numbered = ((passage, ref.part(passage.fragment).entries) for passage in document.passages)
        inside = [passage for passage, entry in numbered if entry and first <= entry[0] <= last]
        if inside:
            return sum(len(passage.text) for passage in inside), inside[0].at or document.at
    if ref.named or ref.kind == "record":
        return len(document.text), document.at
    raise NoSuchPart(
        f"{document.ref} has no part {fragment}.", hint="Leave the fragment out to add the whole, or name its lines."
    )


def later_than(at: datetime | None, as_of: datetime | None) -> str:
    """The caveat of something that was written after the instant the shoebox is read as of."""
    moment = _moment_after(at, as_of)
    return f"Later: written at {moment}, after this as-of." if moment else ""


def changed_later(at: datetime | None, as_of: datetime | None) -> str:
    """The caveat of a text that may have said something else at that instant."""
    moment = _moment_after(at, as_of)
    return f"Later: last changed at {moment}, after this as-of." if moment else ""


def moment_of(at: datetime, as_of: datetime | None) -> str:
    """An instant in UTC, with its date unless it is the day of the as-of."""
    at = at.astimezone(UTC)
    same = as_of is not None and at.date() == as_of.astimezone(UTC).date()
    return f"{at:%H:%M:%SZ}" if same else f"{at:%Y-%m-%d %H:%M:%SZ}"


def _moment_after(at: datetime | None, as_of: datetime | None) -> str:
    return moment_of(at, as_of) if at and as_of and at > as_of else ""
