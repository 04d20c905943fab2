"""Following the links of the index in plain SQL that every vendor reads, with the order of its joins given."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, Literal

from yoimemory.search.backends.sqlite import fetch
from yoimemory.search.backends.statements import marks


def commits_naming(workspace: str, tickets: Sequence[str]) -> list[tuple[str, str, int]]:
    """Commits whose message names one of these tickets: (commit, ticket, how many tickets it names in all)."""
    return _in_pieces(
        "SELECT d.ref, l.target_source, (SELECT count(DISTINCT m.target_source) FROM search_link m "
        "WHERE m.document_id = d.id AND m.kind = 'mentions' AND m.target_source BETWEEN 'ticket:' AND 'ticket;') "
        "FROM search_link l CROSS JOIN search_document d ON d.id = l.document_id "
        "WHERE d.workspace = %s AND l.kind = 'mentions' AND d.kind = 'commit' AND l.target_source IN ({marks})",
        [workspace],
        tickets,
    )


def targets_of(workspace: str, sources: Sequence[str], *, kinds: Sequence[str]) -> list[tuple[str, str]]:
    """What these sources point at, of these kinds: (source, the source pointed at)."""
    spans = " OR ".join(["l.target_source BETWEEN %s AND %s"] * len(kinds))
    return _in_pieces(
        "SELECT DISTINCT d.source, l.target_source FROM search_document d "  # noqa: S608
        "CROSS JOIN search_link l ON l.document_id = d.id "
        f"WHERE d.workspace = %s AND ({spans}) AND d.source IN ({{marks}})",
        [workspace, *(end for kind in kinds for end in _kind_span(kind))],
        sources,
    )


def dated_sources(pks: Sequence[int]) -> list[tuple[int, str, datetime | None]]:
    """Of these documents, which sources they are and when they are from: (pk, source, date)."""
    sql = f"SELECT id, source, at FROM search_document WHERE id IN ({', '.join(['%s'] * len(pks))})"  # noqa: S608
    return [(pk, source, read_time(at)) for pk, source, at in fetch(sql, pks)] if pks else []


def wholes_of(workspace: str, names: Sequence[str], *, column: Literal["ref", "source"]) -> list[tuple[str, int]]:
    """The documents that stand for these sources, or for the sources with these addresses in them."""
    # Joined to nothing, so that the workspace's documents are not all read for the few that are named.
    own = "workspace" if column == "ref" else "workspace || ''"
    sql = f"SELECT DISTINCT {column}, whole FROM search_document WHERE {own} = %s AND {column} IN ({{marks}})"  # noqa: S608
    return _in_pieces(sql, [workspace], names)


def files_touched(workspace: str, commits: Sequence[str]) -> list[tuple[str, datetime | None, str]]:
    """The docs and code that these commits changed: (commit, its date, file)."""
    rows = _in_pieces(
        "SELECT d.ref, d.at, l.target FROM search_document d CROSS JOIN search_link l ON l.document_id = d.id "
        "WHERE d.workspace = %s AND l.kind = 'touches' AND l.target_source BETWEEN 'code:' AND 'doc;' "
        "AND d.ref IN ({marks})",
        [workspace],
        commits,
    )
    return [(commit, read_time(at), target) for commit, at, target in rows if target.startswith(("code:", "doc:"))]


def refs_there(workspace: str, refs: Sequence[str]) -> set[str]:
    """Which of these addresses the index holds."""
    sql = "SELECT ref FROM search_document WHERE workspace = %s AND ref IN ({marks})"
    return {row[0] for row in _in_pieces(sql, [workspace], refs)}


def renamed(workspace: str, refs: Sequence[str]) -> dict[str, str]:
    """The later names of files that are gone."""
    sql = (
        "SELECT l.target_source, l.note FROM search_link l CROSS JOIN search_document d ON d.id = l.document_id "
        "WHERE d.workspace = %s AND l.kind = 'renamed' AND l.target_source IN ({marks}) ORDER BY d.at"
    )
    return dict(_in_pieces(sql, [workspace], refs))


def _kind_span(kind: str) -> tuple[str, str]:
    """The first and the last text that a ref of this kind can be."""
    return f"{kind}:", f"{kind};"


def _in_pieces(sql: str, params: Sequence[Any], values: Sequence[str]) -> list[Any]:
    rows: list[Any] = []
    for start in range(0, len(values), 900):
        some = values[start : start + 900]
        rows += fetch(sql.replace("{marks}", marks(some)), [*params, *some])
    return rows


def read_time(at: datetime | None) -> datetime | None:
    """An instant as the engine gives it, with its zone."""
    return at.replace(tzinfo=UTC) if at else None
