"""Which nothing was found, and what to do next: one sentence, the same on every surface."""

from yoimemory.search.query import Typed
from yoimemory.search.schemas import IndexPosition, Nothing, SearchQuery

FILTERS = ("kinds", "path", "authority", "author", "speaker", "languages", "states", "since", "until", "shoebox")
NO_PROOF = "so this is no proof that it is not there."


def advise(
    nothing: Nothing, query: SearchQuery, typed: Typed, *, filtered: int, unreadable: int, position: IndexPosition
) -> str:
    """The sentence for a nothing; empty where something was found."""
    if nothing == "filtered":
        match = "1 source matches" if filtered == 1 else f"{filtered} sources match"
        return f"{match} without the filters ({', '.join(filters_set(query, typed))}); leave some of them out."
    if nothing == "out_of_scope":
        return _scope(query, typed, position)
    if nothing == "unreadable":
        lost = "1 record could not be read" if unreadable == 1 else f"{unreadable} records could not be read"
        return (
            f"Nothing was found, and {lost}, {NO_PROOF} The page of sources and yoimemory doctor say which and why; "
            "or try fewer or other words."
        )
    if nothing == "index_behind":
        return f"Nothing was found, and {_lag(position)}"
    if nothing == "empty":
        return (
            "Nothing in this workspace says so. Try fewer or other words, one of them alone, or part of a name: "
            "identifiers are found by part."
        )
    return ""


def is_out_of_scope(query: SearchQuery, position: IndexPosition) -> bool:
    """Whether a revision was asked for that the index does not hold."""
    return bool(query.revision) and not (position.commit and position.commit.startswith(query.revision.lower()))


def kinds_asked(query: SearchQuery, typed: Typed) -> list[str]:
    """The kinds that are left by what was chosen and what was typed; either alone where they exclude each other."""
    return [kind for kind in query.kinds if not typed.kinds or kind in typed.kinds] or typed.kinds or query.kinds


def _scope(query: SearchQuery, typed: Typed, position: IndexPosition) -> str:
    if is_out_of_scope(query, position):
        at = f"stands at {position.commit[:12]}" if position.commit else "holds no commit"
        return f"The index {at}; index that revision, or ask without one."
    return (
        f"The index holds nothing of the kind {' or '.join(kinds_asked(query, typed))}; "
        "search without the kind, or open a branch or diff by its ref."
    )


def _lag(position: IndexPosition) -> str:
    """How the index is behind, and what to do about it."""
    if position.running:
        return f"the sources are being read right now, {NO_PROOF} Ask again in a moment."
    if not position.indexed_at:
        return "the sources were never read. Read them on the page Diagnostics, or with yoimemory index."
    if position.behind:
        lacks = "a commit" if position.behind == 1 else f"{position.behind} commits"
        return (
            f"the index lacks {lacks} of the workspace, {NO_PROOF} "
            "Bring it up to date on the page Diagnostics, or with yoimemory index, then ask again."
        )
    return f"a change was noticed that is not in the index yet, {NO_PROOF} Ask again in a moment."


def filters_set(query: SearchQuery, typed: Typed) -> list[str]:
    """The filters that were set, those that were typed by their name in the query."""
    typed_ones = {
        "kind:": typed.kinds, "path:": typed.paths, "author:": typed.authors, "id:": typed.ids,
        "after:": typed.since, "before:": typed.until,
    }  # fmt: skip
    return [name for name in FILTERS if getattr(query, name)] + [name for name, value in typed_ones.items() if value]
