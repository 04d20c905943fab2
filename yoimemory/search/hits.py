"""Hits as they are shown: the passage's verbatim words, why it matched, and every caveat beside it."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from yoimemory.markers.models import Marker
from yoimemory.refs import SourceRef, lines_fragment
from yoimemory.search import contrary
from yoimemory.search.models import Document, Passage
from yoimemory.search.schemas import Hit
from yoimemory.search.snippets import Snippet, cut_snippet, find_spans

if TYPE_CHECKING:
    from yoimemory.sources.models import Workspace


@dataclass(slots=True)
class Chosen:
    """A passage that will be shown, with its score, the reasons known so far, and how many more its source has."""

    passage: int
    whole: int
    score: float
    why: list[str] = field(default_factory=list)
    more: int = 0


def make_hits(
    chosen: Sequence[Chosen], *, workspace: "Workspace", wanted: Sequence[str], as_of: datetime | None
) -> list[Hit]:
    """Load what is shown and put it into words."""
    passages = (
        Passage.objects.select_related("document").defer("document__facts").in_bulk([each.passage for each in chosen])
    )
    apart = {
        each.whole for each in chosen if each.passage in passages and passages[each.passage].document_id != each.whole
    }
    wholes = Document.objects.defer("facts").in_bulk(apart)
    shown = [(each, passages[each.passage]) for each in chosen if each.passage in passages]
    markers = _markers(workspace, [passage.document for _, passage in shown])
    hits = []
    for each, passage in shown:
        document = passage.document
        snippet = cut_snippet(passage.text, passage.start_line, wanted)
        ref = _ref(document, passage, snippet)
        hits.append(
            Hit(
                ref=str(ref),
                source=document.source,
                title=document.title or (wholes[each.whole].title if each.whole in wholes else "") or document.path,
                heading=passage.heading if passage.heading != document.title else "",
                kind=document.kind,
                authority=document.authority,
                snippet=snippet.text,
                first_line=snippet.first,
                last_line=snippet.last,
                marks=snippet.marks,
                score=round(each.score, 4),
                why=_why(each, passage, snippet, wanted),
                caveats=_caveats(document, passage, ref, snippet, markers.get(document.source, ()), as_of),
                speaker=passage.speaker,
                author=passage.author or document.author,
                date=passage.at or document.at,
                more=each.more,
                signals=passage.signals.split(),
                language=document.language,
                state=document.state or (wholes[each.whole].state if each.whole in wholes else ""),
            )
        )
    return hits


def _ref(document: Document, passage: Passage, snippet: Snippet) -> SourceRef:
    """The address of what is shown: an event, turn or pointer as a whole, else the very lines."""
    fragment = passage.fragment
    if not fragment or fragment.startswith(("L", "heading=", "symbol=")):
        fragment = lines_fragment(snippet.first, snippet.last)
    if document.kind == "record" and not fragment.startswith("/"):
        fragment = ""
    ref = SourceRef.parse(document.ref).part(fragment)
    return ref.at(document.revision) if document.kind != "commit" else ref


def _why(each: Chosen, passage: Passage, snippet: Snippet, wanted: Sequence[str]) -> list[str]:
    why = list(each.why)
    if snippet.found:
        why.append("The lines shown hold " + _listed(snippet.found) + ".")
    if snippet.elsewhere:
        why.append("The rest of the passage holds " + _listed(snippet.elsewhere) + ".")
    title = {word for _, _, word in find_spans(f"{passage.document.title} {passage.heading}", wanted)}
    if title:
        why.append("The title holds " + _listed(sorted(title)) + ".")
    return why or ["The source as a whole holds what was asked."]


def _listed(words: Sequence[str]) -> str:
    some = [f"“{word}”" for word in words][:6]
    rest = len(words) - len(some)
    return ", ".join(some) + (f" and {rest} more" if rest > 0 else "")


def _markers(workspace: "Workspace", documents: Sequence[Document]) -> dict[str, list[Marker]]:
    """Open markers by the source they stand on."""
    refs = [SourceRef.parse(document.ref) for document in documents]
    found: dict[str, list[Marker]] = defaultdict(list)
    for marker in Marker.objects.open().filter(workspace=workspace).on(refs).order_by("pk"):
        found[str(SourceRef.parse(marker.target).source)].append(marker)
    return found


def _caveats(
    document: Document,
    passage: Passage,
    ref: SourceRef,
    snippet: Snippet,
    markers: Sequence[Marker],
    as_of: datetime | None,
) -> list[str]:
    caveats = [marker.caveat for marker in markers if _concerns(marker.ref, ref, snippet)]
    at = passage.at or document.at
    if as_of and at and at > as_of:
        caveats.append(f"Later than {as_of:%Y-%m-%d %H:%M}Z: it dates from {at:%Y-%m-%d %H:%M}Z.")
    elif as_of and not at:
        caveats.append("Undated, so it may be later than the time asked about.")
    if document.uncommitted:
        caveats.append("Not committed: it stands in the work tree only.")
    if document.lossy:
        caveats.append("Some bytes could not be decoded; compare with the file before you rely on the exact words.")
    if document.authority == "memory" or passage.speaker == "memory":
        caveats.append("Generated memory, not an original source.")
    if passage.signals and not (as_of and at and at > as_of):
        caveats += [f"Mind that {reason}." for reason in contrary.reasons(passage.signals)]
    return caveats


def _concerns(target: SourceRef, ref: SourceRef, snippet: Snippet) -> bool:
    """Whether a marker speaks of what is shown: of all of its source, or of a part that the lines touch."""
    if target.bare not in {ref.bare, ref.source}:
        return False
    if not target.fragment or target.bare != ref.bare:
        return True
    if target.lines:
        return target.lines[0] <= snippet.last and target.lines[1] >= snippet.first
    return target.fragment == ref.fragment
