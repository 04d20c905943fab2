"""Hits as they are shown: the passage's verbatim words, why it matched, and every caveat beside it."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from yoimemory.asking.meanings import Other
from yoimemory.markers.models import Marker
from yoimemory.refs import SourceRef, lines_fragment
from yoimemory.search import contrary
from yoimemory.search.analysis import fold
from yoimemory.search.backends.shown import Shown, passages_shown
from yoimemory.search.models import Document
from yoimemory.search.schemas import Hit
from yoimemory.search.snippets import Snippet, cut_snippet, find_spans
from yoimemory.sources.reading import OUTSIDE

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
    chosen: Sequence[Chosen],
    *,
    workspace: "Workspace",
    wanted: Sequence[str],
    as_of: datetime | None,
    also: Iterable[Other] = (),
    limits: Mapping[str, str] | None = None,
) -> list[Hit]:
    """Load what is shown and put it into words; `also` was looked for too, `limits` tells what to know of a source."""
    meant = {fold(other.word).lower(): other for other in also}
    passages = passages_shown([each.passage for each in chosen])
    shown = [(each, passages[each.passage]) for each in chosen if each.passage in passages]
    titles = _titles(each.whole for each, passage in shown if not passage.title)
    refs = [SourceRef.parse(passage.ref) for _, passage in shown]
    markers = _markers(workspace, refs)
    hits = []
    for (each, passage), address in zip(shown, refs, strict=True):
        snippet = cut_snippet(passage.text, passage.start_line, wanted)
        ref = _ref(passage, address, snippet)
        hits.append(
            Hit(
                ref=str(ref),
                source=str(address.source),
                title=passage.title or titles.get(each.whole, "") or passage.path or passage.ref,
                heading=passage.heading if passage.heading != passage.title else "",
                kind=passage.kind,
                authority=passage.authority,
                snippet=snippet.text,
                first_line=snippet.first,
                last_line=snippet.last,
                marks=snippet.marks,
                score=round(each.score, 4),
                why=_why(each, passage, snippet, wanted, meant),
                caveats=[
                    *_set_aside(passage, limits),
                    *_caveats(passage, _of(markers, ref, passage, snippet), as_of, in_git=workspace.has_git),
                    *_outlived(passage, snippet, meant),
                ],
                speaker=passage.speaker,
                author=passage.author,
                date=passage.at,
                more=each.more,
                signals=passage.signals.split(),
                language=passage.language,
                state=passage.state,
            )
        )
    return hits


def _titles(pks: Iterable[int]) -> dict[int, str]:
    wanted = set(pks)
    return dict(Document.objects.filter(pk__in=wanted).values_list("pk", "title")) if wanted else {}


def _ref(passage: Shown, address: SourceRef, snippet: Snippet) -> SourceRef:
    """The address of what is shown: an event, turn or pointer as a whole, else the very lines."""
    fragment = passage.fragment
    if not fragment or fragment.startswith(("L", "heading=", "symbol=")):
        fragment = lines_fragment(snippet.first, snippet.last)
    if passage.kind == "record" and not fragment.startswith("/"):
        fragment = ""
    ref = address.part(fragment)
    return ref.at(passage.revision) if passage.kind != "commit" else ref


def _set_aside(passage: Shown, limits: Mapping[str, str] | None) -> list[str]:
    said = (limits or {}).get(passage.source, "")
    return [said] if said else []


def _outlived(passage: Shown, snippet: Snippet, meant: Mapping[str, Other]) -> list[str]:
    """Old words in a text that is younger than their meaning: there they may mean something else."""
    found = [meant[word] for word in (*snippet.found, *snippet.elsewhere) if word in meant]
    return [
        f"“{other.word}” may mean something else here: {other.told[0].lower()}{other.told[1:]}"
        for other in found
        if other.ended and passage.at and passage.at.date() >= other.ended
    ]


def _why(
    each: Chosen, passage: Shown, snippet: Snippet, wanted: Sequence[str], meant: Mapping[str, Other]
) -> list[str]:
    why = list(each.why)
    if snippet.found:
        why.append("The lines shown hold " + _listed(snippet.found) + ".")
    if snippet.elsewhere:
        why.append("The rest of the passage holds " + _listed(snippet.elsewhere) + ".")
    title = {word for _, _, word in find_spans(f"{passage.title} {passage.heading}", wanted)}
    if title:
        why.append("The title holds " + _listed(sorted(title)) + ".")
    said = dict.fromkeys(
        meant[word].told for word in (*snippet.found, *snippet.elsewhere, *sorted(title)) if word in meant
    )
    why += [f"Looked for too because {told}" for told in said]
    return why or ["The source as a whole holds what was asked."]


def _listed(words: Sequence[str]) -> str:
    some = [f"“{word}”" for word in words][:6]
    rest = len(words) - len(some)
    return ", ".join(some) + (f" and {rest} more" if rest > 0 else "")


def _markers(workspace: "Workspace", refs: Iterable[SourceRef]) -> dict[str, list[Marker]]:
    """Open markers on what is shown, by the place they stand on."""
    found: dict[str, list[Marker]] = defaultdict(list)
    standing = Marker.objects.open().filter(workspace=workspace)
    if not standing.exists():  # asked with a hundred names it costs more than all that is shown
        return found
    for marker in standing.on(refs).order_by("pk"):
        found[marker.target_source].append(marker)
    return found


def _of(markers: dict[str, list[Marker]], ref: SourceRef, passage: Shown, snippet: Snippet) -> list[Marker]:
    """The markers that say something of these lines, oldest first."""
    place, source = str(ref.bare), str(ref.source)
    on = {marker.pk: marker for name in (place, source) for marker in markers.get(name, ())}
    lines, part = (snippet.first, snippet.last), passage.fragment
    return [on[pk] for pk in sorted(on) if on[pk].concerns(place, also={source}, lines=lines, part=part)]


def _caveats(passage: Shown, markers: Sequence[Marker], as_of: datetime | None, *, in_git: bool) -> list[str]:
    caveats = [marker.caveat for marker in markers]
    later = bool(as_of and passage.at and passage.at > as_of)
    if as_of and later:
        caveats.append(f"Later than {as_of:%Y-%m-%d %H:%M}Z: it dates from {passage.at:%Y-%m-%d %H:%M}Z.")
    elif as_of and not passage.at:
        caveats.append("Undated, so it may be later than the time asked about.")
    if passage.uncommitted and in_git and OUTSIDE not in passage.notes:
        caveats.append("Not committed: it stands in the work tree only.")
    if passage.lossy:
        caveats.append("Some bytes could not be decoded; compare with the file before you rely on the exact words.")
    if passage.authority == "memory" or passage.speaker == "memory":
        caveats.append("Generated memory, not an original source.")
    caveats += passage.notes
    if not later:
        caveats += [f"Mind that {reason}." for reason in contrary.reasons(passage.signals)]
    return caveats
