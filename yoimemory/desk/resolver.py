"""Opening whatever a ref names: any source at its revision, any record of ours, within a bound."""

from dataclasses import replace
from datetime import datetime

from yoimemory.access.models import Actor
from yoimemory.access.services import role_in
from yoimemory.desk.opened import Opened
from yoimemory.desk.records import open_record
from yoimemory.errors import NotFound
from yoimemory.journal.models import Event
from yoimemory.journal.services import record_event
from yoimemory.markers.models import Contradiction, Marker, Reliability
from yoimemory.markers.models.markers import stands_on
from yoimemory.refs import OWN_KINDS, BadRef, SourceRef, lines_fragment, split_workspace
from yoimemory.search.lookup import named_by, nearest_refs
from yoimemory.search.waiting import standing_of
from yoimemory.sources.blocks import headings_of, slug_of
from yoimemory.sources.decoding import lines_of
from yoimemory.sources.models import Workspace
from yoimemory.sources.read import fragment_lines, read_document
from yoimemory.sources.reading import Document, Passage

NUMBERS = 9
"""Characters that a line costs beside its text when it is rendered with its number."""

LINT = "Lint: "
"""How a caveat begins that tells what the format of a skill asks for."""

FRAME = 400
"""Characters kept for the head, the frame and the ref of a rendered answer, beside its caveats."""


class NoSuchPlace(NotFound):
    """The source is there, but not the part that the ref names."""


NOW = "Shown as it is now: only how a ticket stood is told as of an instant. Name a commit to read a file as of then."


def open_source(
    text_or_ref: str | SourceRef,
    *,
    workspace: Workspace,
    actor: Actor,
    now: datetime,
    budget: int | None = None,
    as_of: datetime | None = None,
) -> Opened:
    """Open a ref of any kind, also one of our own; what is no ref but names one source (an id, a path) opens it.

    Of a ticket it is told how it stands, or stood at `as_of`.
    The answer is cut at lines to `budget` characters of rendered text, and says where to go on.
    Raises NotFound or BadRef, whose hint names the nearest refs there are.
    """
    ref, workspace = resolve(str(text_or_ref), workspace=workspace, actor=actor)
    if ref.kind in OWN_KINDS:
        return open_record(ref, workspace=workspace, actor=actor, now=now, budget=budget)
    opened = _open_text(read_document(workspace, ref), ref, workspace, budget)
    opened.standing = standing_of(workspace, ref, as_of=as_of)
    if as_of and opened.standing is None:
        opened.caveats.append(NOW)
    record_event(Event.Kind.SOURCE_OPENED, workspace=workspace, actor=actor, now=now, subjects=[opened.ref])
    return opened


def resolve(text: str, *, workspace: Workspace, actor: Actor) -> tuple[SourceRef, Workspace]:
    """The ref that a text means, and the workspace it is in.

    Raises NotFound for a workspace that is not the actor's, BadRef for what names nothing.
    """
    slug, rest = split_workspace(text)
    if slug and slug != workspace.slug:
        other = Workspace.objects.filter(slug=slug).first()
        if other is None or not role_in(actor, other):
            raise NotFound(f"There is no workspace {slug!r} here.", hint="Leave it out to mean this workspace.")
        workspace = other
    try:
        return SourceRef.parse(rest), workspace
    except BadRef as error:
        named = named_by(workspace, rest)
        if named is not None:
            return named, workspace
        nearest = nearest_refs(workspace, rest)
        hint = f"Nearest: {', '.join(nearest)}." if nearest else error.hint
        raise BadRef(error.message, hint=hint, fields={"ref": "no ref"}) from error


def _open_text(document: Document, ref: SourceRef, workspace: Workspace, budget: int | None) -> Opened:
    lines = lines_of(document.text) or [""]
    first, last, passage = _span(document, ref, lines)
    caveats = caveats_on(document, passage, workspace, first, last)
    room = None if budget is None else budget - FRAME - sum(len(caveat) + 10 for caveat in caveats)
    shown, cut = _fit(lines[first - 1 : last], room)
    end = first + len(shown) - 1
    place = document.ref.at(document.revision)
    fragment = ref.fragment if ref.fragment and not cut else lines_fragment(first, end) if cut else ""
    return Opened(
        ref=str(place.part(fragment)),
        kind=document.ref.kind,
        title=document.title,
        authority=document.authority,
        path=document.path,
        author=passage.author if passage else document.author,
        speaker=passage.speaker if passage else "",
        date=passage.at if passage and passage.at else document.at,
        revision=document.revision,
        uncommitted=document.uncommitted,
        lossy=document.lossy,
        language=document.language,
        text="\n".join(shown),
        first_line=first,
        last_line=end,
        lines=len(lines),
        truncated=cut,
        next_ref=str(place.part(lines_fragment(end + 1, last))) if cut and end < last else "",
        facts=document.facts,
        caveats=caveats,
    )


def _span(document: Document, ref: SourceRef, lines: list[str]) -> tuple[int, int, Passage | None]:
    """The lines that the fragment names, and the passage when it is one. Raises NoSuchPlace."""
    if not ref.fragment:
        return 1, len(lines), None
    if ref.lines:
        first, last = ref.lines
        if first > len(lines):
            raise NoSuchPlace(
                f"{document.ref} has {len(lines)} lines, so there is no line {first}.",
                hint=f"The nearest is {document.ref.part(lines_fragment(len(lines), len(lines)))}.",
            )
        return first, min(last, len(lines)), _passage_around(document, first)
    found = [] if ref.fragment.startswith("/") else _passages(document, ref)
    if found:
        return found[0].start_line, max(one.end_line for one in found), found[0] if len(found) == 1 else None
    pointed = ref.fragment.startswith("/")
    span = fragment_lines(document, ref.fragment) if pointed else _named_span(document, ref, lines)
    if span is None:
        known = [passage.fragment for passage in document.passages[:5]]
        raise NoSuchPlace(
            f"{document.ref} has no part {ref.fragment!r}.",
            hint=f"Its first parts are {', '.join(known)}." if known else "Leave the fragment out.",
        )
    return (*span, None)


def _passages(document: Document, ref: SourceRef) -> list[Passage]:
    if ref.entries:
        first, last = ref.entries  # compared, never counted through: a ref may name a thousand million entries
        numbered = ((passage, ref.part(passage.fragment).entries) for passage in document.passages)
        return [passage for passage, entry in numbered if entry and first <= entry[0] <= last]
    return [passage for passage in document.passages if passage.fragment == ref.fragment]


def _passage_around(document: Document, line: int) -> Passage | None:
    return next((one for one in document.passages if one.start_line <= line <= one.end_line), None)


def _named_span(document: Document, ref: SourceRef, lines: list[str]) -> tuple[int, int] | None:
    """From a heading or definition to the next of its depth or above."""
    kind, name = ref.named or ("", "")
    marks = headings_of(document.text) if kind == "heading" else []
    for index, mark in enumerate(marks):
        if name == slug_of(mark.text):
            rest = (later.line - 1 for later in marks[index + 1 :] if later.level <= mark.level)
            return mark.line, next(rest, len(lines))
    return fragment_lines(document, ref.fragment) if kind else None


def _fit(lines: list[str], room: int | None) -> tuple[list[str], bool]:
    """As many whole lines as fit, at least one (cut within, if it alone is longer than the room)."""
    if room is None:
        return lines, False
    shown: list[str] = []
    for line in lines:
        room -= len(line) + NUMBERS + 1
        if room < 0:
            break
        shown.append(line)
    if not shown:
        return [lines[0][: max(200, len(lines[0]) + room)]], True
    return shown, len(shown) < len(lines)


def caveats_on(document: Document, passage: Passage | None, workspace: Workspace, first: int, last: int) -> list[str]:
    """What limits these lines of a text, as sentences."""
    caveats = []
    if document.is_pending and workspace.has_git:
        caveats.append("Uncommitted: this text stands in the working tree and in no commit.")
    if document.lossy:
        caveats.append("Decoded with losses: some bytes could not be read and are shown as replacement characters.")
    if document.facts.get("relayed"):
        caveats.append(f"Passed on by {document.facts.get('captured_by')}: no person wrote these words down here.")
    caveats += document.facts.get("notes", [])
    caveats += [f"{LINT}{warning}" for warning in document.facts.get("warnings", [])]
    if document.authority == "memory" or (passage and passage.speaker == "memory"):
        caveats.append("Generated memory: it came out of earlier answers and is no independent evidence.")
    place = replace(document.ref, revision="", fragment="")
    markers = Marker.objects.open().filter(workspace=workspace).on([place]).order_by("pk")
    part = passage.fragment if passage else ""
    for marker in markers:
        if marker.concerns(str(place), also={str(place.source)}, lines=(first, last), part=part):
            caveats.append(marker.caveat)
    for marker in Marker.objects.open().filter(workspace=workspace).named_by([place]).order_by("pk"):
        if stands_on(SourceRef.parse(marker.by_ref), str(place), also=(), lines=(first, last), part=part):
            caveats.append(marker.told_of_cause)
    for one in Contradiction.objects.open().filter(workspace=workspace).on([place]).order_by("pk"):
        if one.concerns(str(place), also={str(place.source)}, lines=(first, last), part=part):
            caveats.append(one.caveat_for(place))
    graded = Reliability.objects.filter(workspace=workspace, source=str(place.source)).select_related("set_by").first()
    if graded and graded.is_doubted:
        caveats.append(f"Graded {graded.grade} by {graded.set_by}: {graded.reason}")
    return caveats
