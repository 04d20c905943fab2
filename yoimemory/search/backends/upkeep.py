"""Writing the tables of the index in SQLite, and keeping them small."""

from collections.abc import Sequence
from typing import Any

from django.db import connections

from yoimemory.search.backends.statements import ALIAS, fetch, in_short_steps, marks
from yoimemory.search.models import Document, Passage

TABLES = ("search_part", "search_whole")
COLUMNS = ("body", "title", "context", "who", "day", "cjk_title", "cjk")
REINDEXED_MAX = 50_000
"""Rows of a table up to which its indexes are packed after a long run: of more it would keep others from writing."""
MERGED = 200
"""Pages of words that are merged in one step."""
KEPT_FREE, FREED = 64, 500
"""Free pages that the file may keep, and how many are given back in one step, so that others can write between."""


def next_pk(model: type[Document]) -> int:
    """The pk that follows the last one ever given. Ask inside the transaction that uses it."""
    row = fetch("SELECT seq FROM sqlite_sequence WHERE name = %s", [model._meta.db_table])
    return int(row[0][0]) + 1 if row else 1


def write_parts(rows: Sequence[tuple[Any, ...]]) -> None:
    """Add passages: (pk, then a text for each of COLUMNS)."""
    _write("search_part", rows)


def write_wholes(rows: Sequence[tuple[Any, ...]]) -> None:
    """Add sources: (pk of the document that stands for it, then a text for each of COLUMNS)."""
    _write("search_whole", rows)


def insert_documents(rows: Sequence[tuple[Any, ...]]) -> None:
    """Add rows of `search_document`, in the order of DOCUMENT_COLUMNS."""
    _insert("search_document", DOCUMENT_COLUMNS, rows)


def insert_passages(rows: Sequence[tuple[Any, ...]]) -> None:
    """Add rows of `search_passage`, in the order of PASSAGE_COLUMNS."""
    _insert("search_passage", PASSAGE_COLUMNS, rows)


def insert_links(rows: Sequence[tuple[Any, ...]]) -> None:
    """Add rows of `search_link`, in the order of LINK_COLUMNS."""
    _insert("search_link", LINK_COLUMNS, rows)


DOCUMENT_COLUMNS = (
    "id", "workspace", "unit_id", "whole", "ref", "source", "kind", "title", "path", "authority", "author", "at",
    "revision", "uncommitted", "lossy", "language", "state", "digest", "size", "facts",
)  # fmt: skip
PASSAGE_COLUMNS = (
    "id", "document_id", "ordinal", "fragment", "start_line", "end_line", "speaker", "author", "at", "signals",
    "heading", "text",
)  # fmt: skip
LINK_COLUMNS = ("document_id", "kind", "target_source", "rest", "where", "note", "at")


def forget_documents(pks: Sequence[int]) -> None:
    """Take documents out of every table, words included."""
    with connections[ALIAS].cursor() as cursor:
        for pk in pks:
            for span in Passage.spans_of(pk):
                cursor.execute("DELETE FROM search_part WHERE rowid BETWEEN %s AND %s", span)
                cursor.execute("DELETE FROM search_passage WHERE id BETWEEN %s AND %s", span)
            cursor.execute("DELETE FROM search_whole WHERE rowid = %s", [pk])
            cursor.execute("DELETE FROM search_link WHERE document_id = %s", [pk])
            cursor.execute("DELETE FROM search_document WHERE id = %s", [pk])


def tidy() -> None:
    """Merge the pieces that a long run left, and give back the room that they took."""
    for table in TABLES:
        _merge(table)
    with connections[ALIAS].cursor() as cursor:
        for table in ("search_document", "search_link"):
            if fetch(f"SELECT count(*) FROM {table}", [])[0][0] < REINDEXED_MAX:  # noqa: S608
                for (index,) in fetch("SELECT name FROM sqlite_master WHERE type = 'index' AND tbl_name = %s", [table]):
                    cursor.execute(f'REINDEX "{index}"')  # one at a time: 5 ms of CPU for ten thousand rows
    while fetch("PRAGMA freelist_count", [])[0][0] > KEPT_FREE:
        with connections[ALIAS].cursor() as cursor:
            cursor.execute(f"PRAGMA incremental_vacuum({FREED})")
            if not cursor.fetchall() and fetch("PRAGMA auto_vacuum", [])[0][0] != 2:
                break
    if not connections[ALIAS].in_atomic_block:  # where SQLite refuses it
        fetch("PRAGMA wal_checkpoint(PASSIVE)", [])  # whoever reads next has no long log to look through


def _merge(table: str) -> None:
    """What `optimize` does, in steps, so that others can write between."""
    wrapper = connections[ALIAS]
    sql = f"INSERT INTO {table}({table}, rank) VALUES ('merge', %s)"  # noqa: S608
    with wrapper.cursor() as cursor:
        cursor.execute(sql, [-MERGED])
        changes, before = wrapper.connection.total_changes, 0
        while changes - before > 1:  # FTS5 says so when there is nothing left to merge
            before = changes
            cursor.execute(sql, [MERGED])
            changes = wrapper.connection.total_changes


def settle_totals() -> None:
    """Put right what FTS5 believes of how many rows it has and how long they are.

    A table without a copy of its text does not take forgotten rows off these totals, so they would
    grow with every file that is read again, and with them the weight of every word.
    """
    for table in TABLES:
        kept = fetch(f"SELECT block FROM {table}_data WHERE id = 1", [])  # noqa: S608
        rows = fetch(f"SELECT count(*) FROM {table}_docsize", [])[0][0]  # noqa: S608
        believed = _numbers(kept[0][0])[0] if kept and kept[0][0] else rows
        if believed <= rows * (1 if rows <= EXACT_UPTO else NEAR_ENOUGH):
            continue
        lengths = [0] * len(COLUMNS)
        for (sizes,) in fetch(f"SELECT sz FROM {table}_docsize", []):  # noqa: S608
            for column, size in enumerate(_numbers(sizes)[: len(lengths)]):
                lengths[column] += size
        block = b"".join(map(_varint, (rows, *lengths)))
        with connections[ALIAS].cursor() as cursor:
            cursor.execute(f"UPDATE {table}_data SET block = %s WHERE id = 1", [block])  # noqa: S608


EXACT_UPTO, NEAR_ENOUGH = 50_000, 1.01
"""Rows up to which the totals are kept exact; beyond, counting anew waits until they are a hundredth off."""


def _numbers(block: bytes) -> list[int]:
    """The numbers of a row of SQLite's varints: seven bits to a byte, the highest first, a ninth byte whole."""
    found, value, length = [], 0, 0
    for byte in block:
        length += 1
        value = value << 8 | byte if length == 9 else value << 7 | byte & 0x7F
        if byte < 0x80 or length == 9:
            found.append(value)
            value = length = 0
    return found


def _varint(number: int) -> bytes:
    """A number below 2**56 as a varint of SQLite."""
    parts = [number & 0x7F]
    while number := number >> 7:
        parts.append(number & 0x7F | 0x80)
    return bytes(reversed(parts))


def date_files(workspace: str, *, after: int = 0) -> None:
    """Date each doc and code file by the last commit that touched it: a file of a repository has no date of its own.

    `after` is a pk: only files are looked at that were written later, or that a commit written later touched.
    """
    touched = "SELECT target_source FROM search_link WHERE document_id > %s AND kind = 'touches'"
    some = f"AND (f.id > %s OR f.source IN ({touched})) " if after else ""
    rows = fetch(
        "SELECT f.id, max(c.at) AS last FROM search_document f CROSS JOIN search_link l ON l.target_source = f.source "  # noqa: S608
        "CROSS JOIN search_document c ON c.id = l.document_id WHERE f.workspace = %s AND f.kind IN ('doc', 'code') "
        f"{some}AND NOT f.uncommitted AND l.kind = 'touches' AND c.workspace = f.workspace "
        "GROUP BY f.id HAVING last IS NOT NULL AND last IS NOT f.at",
        [workspace, *([after, after] if after else [])],
    )
    in_short_steps("UPDATE search_document SET at = %s WHERE id = %s", [(last, pk) for pk, last in rows])


def follow_revision(workspace: str, commit: str, *, but: str) -> None:
    """Let what was not read again, and holds the bytes of this commit too, name it.

    What lies in history only stays there: its unit has `but` in its fingerprint. What stands beside HEAD
    names its commit in its ref.
    """
    rows = fetch(
        "SELECT d.id FROM search_document d JOIN search_unit u ON u.id = d.unit_id WHERE d.workspace = %s "
        "AND NOT d.uncommitted AND d.kind <> 'commit' AND d.revision NOT IN ('', %s) "
        "AND substr(d.revision, 1, 7) <> 'sha256:' AND NOT instr(u.fingerprint, %s) AND NOT instr(d.ref, '@')",
        [workspace, commit, but],
    )
    in_short_steps("UPDATE search_document SET revision = %s WHERE id = %s", [(commit, pk) for (pk,) in rows])


def _write(table: str, rows: Sequence[tuple[Any, ...]]) -> None:
    _insert(table, ("rowid", *COLUMNS), rows)


def _insert(table: str, columns: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> None:
    names = ", ".join(f'"{name}"' for name in columns)
    with connections[ALIAS].cursor() as cursor:
        cursor.executemany(f"INSERT INTO {table} ({names}) VALUES ({marks(columns)})", rows)  # noqa: S608
