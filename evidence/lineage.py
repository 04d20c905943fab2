"""Where evidence comes from in the end: ten quotes of one page are one source, and so are a file and its copy."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from evidence.models import Evidence, Placement
from yoimemory.refs import SourceRef

COPIED_FROM = 32
"""Equal words of this length in two sources are one of them copied; shorter ones may well be chance."""


TRACED = ("place", "text_digest", "quote", "quote_digest")
"""What of a piece tells its lineage."""


@dataclass(slots=True)
class _Groups:
    """Which names lead to the same origin."""

    parent: dict[str, str] = field(default_factory=dict)

    def root(self, name: str) -> str:
        at = name
        while (up := self.parent.setdefault(at, at)) != at:
            at = up
        while name != at:
            self.parent[name], name = at, self.parent[name]
        return at

    def join(self, one: str, other: str) -> None:
        roots = sorted((self.root(one), self.root(other)))
        self.parent[roots[1]] = roots[0]


def lineages_of(evidences: Iterable[Evidence]) -> dict[int, str]:
    """The lineage of each piece by its pk: a name that pieces share which go back to one source.

    One are: the same source at any revision, a file and the diffs of it, a file before and after a
    rename, texts that are equal from end to end, and places that hold the same quoted words.
    """
    rows = list(evidences)
    pks = [row.pk for row in rows]
    later: dict[int, set[str]] = defaultdict(set)
    for pk, place in Placement.objects.filter(evidence__in=pks).exclude(place="").values_list("evidence", "place"):
        later[pk].add(place)
    groups = _Groups()
    for row in rows:
        own = _source(row.place)
        groups.root(own)
        if row.text_digest:
            groups.join(own, f"~text:{row.text_digest}")
        if len(row.quote) >= COPIED_FROM and row.quote_digest:
            groups.join(own, f"~words:{row.quote_digest}")
        for place in later[row.pk]:
            groups.join(own, _source(place))
    names: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        names[groups.root(_source(row.place))].add(_source(row.place))
    return {row.pk: min(names[groups.root(_source(row.place))]) for row in rows}


def _source(ref: str) -> str:
    """The name of a source, the same for a file and for a diff of it."""
    place = SourceRef.parse(ref)
    if place.kind == "diff":
        return f"file:{place.locator.partition('/')[2]}"
    source = place.source
    if source.kind in {"doc", "code"}:
        return f"file:{source.locator}"
    return str(source)
