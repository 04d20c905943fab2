"""All that an index says, without the numbers of its rows: to be compared with what another run left."""

from collections.abc import Callable
from typing import Any

Rows = dict[str, Any]


def rows_by(fetch: Callable[[str], list[Any]]) -> Rows:
    """The rows of every table by what they mean; `fetch` asks the database of the index."""
    passages: dict[str, list[Any]] = {ref: [] for (ref,) in fetch("SELECT ref FROM search_document")}
    for ref, *rest in fetch(
        "SELECT d.ref, p.ordinal, p.fragment, p.text FROM search_passage p "
        "JOIN search_document d ON d.id = p.document_id ORDER BY d.ref, p.ordinal"
    ):
        passages[ref].append(rest)
    return {
        "documents": fetch(
            "SELECT d.ref, d.digest, d.revision, d.state, d.at, w.ref FROM search_document d "
            "JOIN search_document w ON w.id = d.whole ORDER BY d.ref"
        ),
        "passages": passages,
        "links": fetch(
            "SELECT d.ref, l.kind, l.target, l.note FROM search_link l "
            "JOIN search_document d ON d.id = l.document_id ORDER BY 1, 2, 3, 4"
        ),
        "words": fetch("SELECT term, doc, cnt FROM search_part_words"),
        "whole words": fetch("SELECT term, doc, cnt FROM search_whole_words"),
        "position": fetch('SELECT "commit", branch FROM search_position WHERE indexed_at IS NOT NULL'),
    }
