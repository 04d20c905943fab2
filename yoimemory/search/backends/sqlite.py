"""FTS5: the full-text tables of SQLite, and all SQL that is only SQLite's.

Two tables of words, both without a copy of the text: `search_whole` has a row per source (under
the pk of the document that stands for it), `search_part` one per passage (under its pk). Rows
are written in the transaction that writes the documents, never by triggers, since Django drops
a table's triggers whenever it rebuilds the table.

Nothing that a person typed reaches FTS5 except inside double quotes (`phrase`), where it is
words and never an operator.
"""

import re
import sqlite3
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from operator import itemgetter
from typing import NamedTuple

from django.db import OperationalError, connections

from yoimemory.search.backends.conditions import conditions
from yoimemory.search.backends.statements import ALIAS, fetch, marks, stored_time
from yoimemory.search.backends.upkeep import (
    COLUMNS,
    TABLES,
    date_files,
    follow_revision,
    forget_documents,
    insert_documents,
    insert_links,
    insert_passages,
    next_pk,
    settle_totals,
    tidy,
    write_parts,
    write_wholes,
)
from yoimemory.search.models import Document, Passage
from yoimemory.search.narrowing import Narrowing

__all__ = [
    "TookTooLong", "Whole", "bounded", "count_parts", "count_wholes", "create_statements", "date_files",
    "dated_parts", "documents_holding", "drop_statements", "fetch", "find_literal", "find_parts", "follow_revision",
    "forget_documents", "frequencies", "insert_documents", "insert_links", "insert_passages", "list_within",
    "match_wholes", "next_pk", "passages_within", "phrase", "said_by", "scan_wholes", "settle_totals", "standing",
    "stored_time", "tidy", "wholes_standing", "wholes_within", "words_like", "write_parts", "write_wholes",
]  # fmt: skip

TIME_LIMIT = 2.0
"""Seconds that one search may take; what has been found by then is answered."""

WEIGHTS = (1.0, 4.0, 0.35, 0.3, 0.6, 0.8, 0.2)
"""How much a word counts by column. CJK counts little beside Latin words: its bigrams are many and would crowd out
the rare identifiers of a mixed query. The body stands first, since FTS5 names no column where it is the first."""
CJK_WEIGHTS = (*WEIGHTS[:-2], 2.0, 1.0)
"""The same for a query of CJK alone. At a fifth a long text with one of the words would outdo a short one with all."""
FREQUENCIES_KEPT = 200_000
_DOCUMENT = (
    f"CASE WHEN f.rowid < {Passage.FAR} THEN f.rowid >> {Passage.NEAR_BITS} "
    f"ELSE (f.rowid - {Passage.FAR}) >> {Passage.FAR_BITS} END"
)
"""The document of a row of `search_part f`, by its number (`Passage.pk_of`)."""
_frequencies: tuple[int, dict[str, int]] = (0, {})


def create_statements() -> list[str]:
    """The statements that make the full-text tables and the views of their vocabulary."""
    columns = ", ".join(COLUMNS)
    # Before 3.43 a table without a copy of its text cannot forget a row, so there it keeps the copy.
    slim = "content='', contentless_delete=1, " if sqlite3.sqlite_version_info >= (3, 43) else ""
    made = []
    for table in TABLES:
        made.append(
            f"CREATE VIRTUAL TABLE {table} USING fts5({columns}, {slim}tokenize='unicode61 remove_diacritics 2')"
        )
        made.append(f"CREATE VIRTUAL TABLE {table}_words USING fts5vocab({table}, 'row')")
    return made


def drop_statements() -> list[str]:
    tables = ("search_whole_words", "search_part_words", "search_whole", "search_part")
    return [f"DROP TABLE IF EXISTS {name}" for name in tables]


class Whole(NamedTuple):
    """A source that matches, by the document that stands for it."""

    pk: int
    score: float
    within: int
    kind: str
    authority: str
    language: str
    state: str


def phrase(text: str) -> str:
    """Quote text so that FTS5 reads words in a row, and never operators."""
    return '"' + text.replace('"', '""').replace("\0", " ") + '"'


# Reading


class TookTooLong(Exception):
    """The engine was stopped at the time limit."""


@contextmanager
def bounded(seconds: float = TIME_LIMIT) -> Iterator[None]:
    """Stop every statement inside after this many seconds. Raises TookTooLong."""
    wrapper = connections[ALIAS]
    wrapper.ensure_connection()
    raw = wrapper.connection
    end = time.monotonic() + seconds
    raw.set_progress_handler(lambda: time.monotonic() > end, 20_000)
    try:
        yield
    except OperationalError as error:
        if "interrupt" in str(error):
            raise TookTooLong from error
        raise
    finally:
        raw.set_progress_handler(None, 0)


def frequencies(words: Iterable[str]) -> dict[str, int]:
    """In how many sources each of these words stands (words that stand in none are left out)."""
    words = list(words)
    known = _known_frequencies()
    unknown = [word for word in words if word not in known]
    for start in range(0, len(unknown), 500):
        some = unknown[start : start + 500]
        known.update(dict.fromkeys(some, 0))
        known.update(fetch(f"SELECT term, doc FROM search_whole_words WHERE term IN ({marks(some)})", some))  # noqa: S608
    return {word: known[word] for word in words if known[word]}


def _known_frequencies() -> dict[str, int]:
    """Frequencies asked before, while no document was added since: to count a common word takes milliseconds."""
    global _frequencies
    state = next_pk(Document)
    if _frequencies[0] != state or len(_frequencies[1]) > FREQUENCIES_KEPT:
        _frequencies = (state, {})
    return _frequencies[1]


def standing(workspace: str) -> tuple[int, int]:
    """The last pk ever given to a document, and how many records of a workspace could not be read whole."""
    sql = (
        "SELECT (SELECT seq FROM sqlite_sequence WHERE name = 'search_document'), "
        "(SELECT count(*) FROM search_unreadable WHERE workspace = %s)"
    )
    last, unreadable = fetch(sql, [workspace])[0]
    return last or 0, unreadable


def words_like(beginning: str, *, shortest: int, longest: int) -> dict[str, int]:
    """The words of the index that begin so and are about as long, with how many sources hold each."""
    sql = (
        "SELECT term, doc FROM search_whole_words WHERE term >= %s AND term < %s "
        "AND length(term) BETWEEN %s AND %s LIMIT 20000"
    )
    return dict(fetch(sql, [beginning, beginning + "\U0010ffff", shortest, longest]))


def count_wholes() -> int:
    """How many sources there are; counted once while no document was added, like the frequencies."""
    known = _known_frequencies()
    if "" not in known:  # no word is empty
        known[""] = int(fetch("SELECT count(*) FROM search_document WHERE id = whole", [])[0][0])
    return known[""]


def find_parts(
    match: str, narrowing: Narrowing, *, limit: int, cjk: bool = False, ordering: str = ""
) -> list[tuple[int, int, int, float]]:
    """The best passages: (pk, document, source's document, score, higher is better)."""
    where, params = conditions(narrowing)
    sql = (
        f"SELECT f.rowid, d.id, d.whole, -bm25(search_part, {_weights(cjk)}) AS score "  # noqa: S608
        f"FROM search_part f CROSS JOIN search_document d ON d.id = {_DOCUMENT}{_passage_join(narrowing)} "
        f"WHERE search_part MATCH %s AND {where} ORDER BY score DESC, f.rowid LIMIT %s"
    )
    rows = [row for each in _apart(match, ordering) for row in fetch(sql, [each, *params, limit])]
    if ordering:
        rows.sort(key=lambda row: (-row[3], row[0]))
    return rows[:limit]


def _apart(match: str, ordering: str) -> list[str]:
    """Matches that together find what `match` finds, each row scored by the words of `ordering` too.

    With the words of both in one OR the engine would look at every place of the common ones; so it skips to the
    rows that the rare ones are in.
    """
    return [f"({match}) AND {ordering}", f"({match}) NOT {ordering}"] if ordering else [match]


def scan_wholes(match: str, narrowing: Narrowing, *, cjk: bool = False, ordering: str = "") -> list[Whole]:
    """Every source that matches, best first, also those that the filters leave out (`within` tells).

    Of those only tickets get a score: they may vote for what is within.
    """
    where, params = conditions(narrowing.of_sources())
    base, base_params = conditions(narrowing.wide())
    score = f"CASE WHEN {where} OR d.kind = 'ticket' THEN -bm25(search_whole, {_weights(cjk)}) ELSE 0 END"
    sql = (
        f"SELECT f.rowid, {score}, {where}, d.kind, d.authority, d.language, d.state "  # noqa: S608
        f"FROM search_whole f CROSS JOIN search_document d ON d.id = f.rowid WHERE search_whole MATCH %s AND {base}"
    )
    rows = [row for each in _apart(match, ordering) for row in fetch(sql, [*params, *params, each, *base_params])]
    rows.sort(key=itemgetter(0))
    rows.sort(key=itemgetter(1), reverse=True)  # stable, and quicker than one key of both
    return list(map(Whole._make, rows))


def wholes_standing(pks: Sequence[int], narrowing: Narrowing) -> list[Whole]:
    """These sources (by their document) as `scan_wholes` tells them, whatever they hold."""
    if not pks:
        return []
    where, params = conditions(narrowing.of_sources())
    sql = (
        f"SELECT d.id, 0.0, {where}, d.kind, d.authority, d.language, d.state FROM search_document d "  # noqa: S608
        f"WHERE d.id IN ({marks(pks)})"
    )
    return list(map(Whole._make, fetch(sql, [*params, *pks])))


def match_wholes(match: str, narrowing: Narrowing) -> set[int]:
    """The sources within the filters that match, by their document."""
    where, params = conditions(narrowing.of_sources())
    sql = (
        f"SELECT f.rowid FROM search_whole f CROSS JOIN search_document d ON d.id = f.rowid "  # noqa: S608
        f"WHERE search_whole MATCH %s AND {where}"
    )
    return {row[0] for row in fetch(sql, [match, *params])}


def wholes_within(pks: Sequence[int], narrowing: Narrowing) -> list[int]:
    """Those of these sources (by their document) that the filters leave."""
    if not pks:
        return []
    where, params = conditions(replace(narrowing, wholes=tuple(pks)))
    return [row[0] for row in fetch(f"SELECT d.id FROM search_document d WHERE d.id = d.whole AND {where}", params)]  # noqa: S608


def passages_within(document: int, narrowing: Narrowing) -> set[int]:
    """The passages of one document that the filters leave."""
    where, params = conditions(narrowing)
    sql = (
        f"SELECT p.id FROM search_passage p CROSS JOIN search_document d ON d.id = p.document_id "  # noqa: S608
        f"WHERE p.document_id = %s AND {where}"
    )
    return {row[0] for row in fetch(sql, [document, *params])}


def count_parts(match: str, narrowing: Narrowing) -> dict[int, int]:
    """How many passages of each source match within the filters, by its document."""
    where, params = conditions(narrowing)
    if narrowing.needs_passages:
        sql = (
            f"SELECT d.whole, count(*) FROM search_part f CROSS JOIN search_document d ON d.id = {_DOCUMENT} "  # noqa: S608
            f"CROSS JOIN search_passage p ON p.id = f.rowid WHERE search_part MATCH %s AND {where} GROUP BY d.whole"
        )
    else:  # counted by document first, so that only one row of each is looked up
        sql = (
            f"SELECT d.whole, sum(g.found) FROM (SELECT {_DOCUMENT} AS document, count(*) AS found "  # noqa: S608
            f"FROM search_part f WHERE search_part MATCH %s GROUP BY 1) g "
            f"CROSS JOIN search_document d ON d.id = g.document WHERE {where} GROUP BY d.whole"
        )
    return dict(fetch(sql, [match, *params]))


def dated_parts(
    match: str, narrowing: Narrowing, *, newest: bool, once: bool, limit: int
) -> list[tuple[int, int, int, str]]:
    """Passages that match in order of their dates: (source's document, pk, document, date or empty).

    With `once` each source stands once, at its newest (or oldest) passage.
    """
    where, params = conditions(narrowing)
    at = "coalesce(p.at, d.at, '')"
    # With max() or min() SQLite takes the other columns from the row that has it.
    told = f"{'max' if newest else 'min'}({at})" if once else at
    sql = (
        f"SELECT d.whole, f.rowid, d.id, {told} AS day FROM search_part f "  # noqa: S608
        f"CROSS JOIN search_document d ON d.id = {_DOCUMENT} CROSS JOIN search_passage p ON p.id = f.rowid "
        f"WHERE search_part MATCH %s AND {where} {'GROUP BY d.whole' if once else ''} "
        f"ORDER BY day = '', day {'DESC' if newest else 'ASC'}, f.rowid LIMIT %s"
    )
    return fetch(sql, [match, *params, limit])


def said_by(pks: Sequence[int]) -> list[tuple[int, str, str, str]]:
    """Who wrote these passages, and when: (pk, kind, author, date or empty)."""
    sql = (
        "SELECT p.id, d.kind, CASE p.author WHEN '' THEN d.author ELSE p.author END, coalesce(p.at, d.at, '') "  # noqa: S608
        f"FROM search_passage p CROSS JOIN search_document d ON d.id = p.document_id WHERE p.id IN ({marks(pks)})"
    )
    return fetch(sql, pks) if pks else []


def find_literal(texts: Sequence[str], narrowing: Narrowing, *, limit: int) -> list[tuple[int, int, int, float]]:
    """Passages that hold all these texts as they stand, newest document first.

    Where a text has letters or digits, only the passages are unpacked that have a word with them in it.
    """
    where, params = conditions(narrowing)
    tables, words = "search_passage p", []
    expressions = [_words_with(run) for text in texts if (run := max(_RUN.findall(text.lower()), key=len, default=""))]
    if "" in expressions:
        return []
    if narrowed := [f"({each})" for each in expressions if each]:
        tables, words = "search_part f CROSS JOIN search_passage p ON p.id = f.rowid", [" AND ".join(narrowed)]
        where = f"search_part MATCH %s AND {where}"
    holds = "".join([" AND (holds(p.text, %s) OR instr(d.title, %s))"] * len(texts))
    sql = (
        f"SELECT p.id, d.id, d.whole, 1.0 / (1 + length(p.text)) "  # noqa: S608
        f"FROM {tables} CROSS JOIN search_document d ON d.id = p.document_id "
        f"WHERE {where}{holds} ORDER BY d.at DESC, p.id LIMIT %s"
    )
    return fetch(sql, [*words, *params, *(form for text in texts for form in (text, text)), limit])


def list_within(narrowing: Narrowing) -> list[tuple[int, int, int]]:
    """Every source with passages that the filters leave, newest first: (its document, how many, the first of them)."""
    where, params = conditions(narrowing)
    sql = (
        "SELECT d.whole, count(*), min(p.id) FROM search_document d "  # noqa: S608
        f"CROSS JOIN search_passage p ON p.document_id = d.id WHERE {where} "
        "GROUP BY d.whole ORDER BY max(coalesce(p.at, d.at, '')) DESC, d.whole"
    )
    return fetch(sql, params)


_RUN = re.compile(r"[a-z0-9]{3,}")
WORDS_WITH = 400
"""More words of the index than this that have some letters in them narrow nothing."""


def _words_with(letters: str) -> str | None:
    """A match for the words that have these letters in them: empty where none has, None where very many have."""
    rows = fetch("SELECT term FROM search_whole_words WHERE instr(term, %s) LIMIT %s", [letters, WORDS_WITH])
    return None if len(rows) == WORDS_WITH else " OR ".join(phrase(row[0]) for row in rows)


def documents_holding(text: str, workspace: str) -> list[tuple[str, str]]:
    """The documents with a passage that holds a text as it stands: (ref, source)."""
    found = find_literal([text], Narrowing(workspace=workspace), limit=-1)
    pks = list(dict.fromkeys(row[1] for row in found))
    rows = Document.objects.filter(pk__in=pks[:500]).order_by("ref")
    return list(rows.values_list("ref", "source"))


def _weights(cjk: bool) -> str:
    return ", ".join(map(str, CJK_WEIGHTS if cjk else WEIGHTS))


def _passage_join(narrowing: Narrowing) -> str:
    return " CROSS JOIN search_passage p ON p.id = f.rowid" if narrowing.needs_passages else ""
