"""How much matches: sources and passages within the filters, what the filters leave out, and the facets.

A facet says of each value what choosing it would bring: counted within every filter but its own.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from operator import attrgetter

from yoimemory.search.backends import engine
from yoimemory.search.backends.sqlite import Whole
from yoimemory.search.matching import Match
from yoimemory.search.narrowing import Narrowing

FACETS = {"kind": "kinds", "authority": "authority", "language": "languages", "state": "states"}
"""Each facet and the filter that chooses among its values."""

Facets = dict[str, Counter[str]]

_FACETS_OF = attrgetter(*FACETS)


def count(match: Match, narrowing: Narrowing, wholes: Sequence[Whole]) -> tuple[dict[int, int], int, Facets]:
    """Matching passages of each source within the filters, how many sources these leave out, and the facets.

    A source counts where one of its passages does: a filter on passages must hold for what is shown.
    """
    if match.is_text and not narrowing.needs_passages:
        # Of a long text it is enough to know the sources: nobody reads how many thousand passages share a word.
        passages = {whole.pk: 1 for whole in wholes if whole.within}
        return passages, len(wholes) - len(passages), {}
    store = engine()
    matching = store.count_parts(match.expression, replace(narrowing, kinds=(), authority=(), languages=(), states=()))
    known = {whole.pk for whole in wholes}
    # A source that says elsewhere what the query refuses does not match as a whole, a passage of it may.
    wholes = [*wholes, *store.wholes_standing([pk for pk in matching if pk not in known], narrowing)]
    passages = {whole.pk: matching[whole.pk] for whole in wholes if whole.within and whole.pk in matching}
    left_out = _left_out(match, narrowing, wholes, passages)
    if match.is_text:
        return passages, left_out, {}
    values = Counter(map(_FACETS_OF, (whole for whole in wholes if whole.pk in matching)))
    return passages, left_out, {facet: _counted(facet, values, narrowing) for facet in FACETS}


def _left_out(match: Match, narrowing: Narrowing, wholes: Sequence[Whole], passages: dict[int, int]) -> int:
    """How many sources the filters leave out. A sign that is asked for, as in `C++`, is no filter."""
    others = [whole for whole in wholes if whole.pk not in passages]
    if not narrowing.literals:
        return sum(not whole.within or narrowing.needs_passages for whole in others)
    holding = engine().count_parts(match.expression, replace(narrowing.wide(), literals=narrowing.literals))
    return sum(whole.pk in holding for whole in others)


def _counted(facet: str, values: Counter[tuple[str, ...]], narrowing: Narrowing) -> Counter[str]:
    """How many sources have each value of a facet, of those that all other filters leave.

    Sources alike in all facets are counted together: thousands of them are a few dozen kinds.
    """
    names = list(FACETS)
    own = names.index(facet)
    chosen = [(names.index(name), set(some)) for name, field in FACETS.items() if (some := getattr(narrowing, field))]
    others = [(at, some) for at, some in chosen if at != own]
    counted: Counter[str] = Counter()
    for alike, count in values.items():
        if alike[own] and all(alike[at] in some for at, some in others):
            counted[alike[own]] += count
    return counted
