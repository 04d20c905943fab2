"""Reading what an answer shows, in plain SQL that every vendor reads; past the object layer, for speed."""

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

from yoimemory.search.backends.links import read_time
from yoimemory.search.backends.sqlite import fetch
from yoimemory.search.backends.statements import marks
from yoimemory.search.packing import unpack


class Shown(NamedTuple):
    """What is loaded of a passage and its document: no more, since fifty are loaded for every search."""

    pk: int
    fragment: str
    start_line: int
    speaker: str
    passage_author: str
    passage_at: datetime | None
    signals: str
    heading: str
    ref: str
    source: str
    title: str
    path: str
    kind: str
    authority: str
    document_author: str
    document_at: datetime | None
    revision: str
    uncommitted: bool
    lossy: bool
    language: str
    state: str
    text: str
    notes: list[str]

    @property
    def at(self) -> datetime | None:
        return self.passage_at or self.document_at

    @property
    def author(self) -> str:
        return self.passage_author or self.document_author


_COLUMNS = (
    "p.id, p.fragment, p.start_line, p.speaker, p.author, p.at, p.signals, p.heading, d.ref, d.source, d.title, "
    "d.path, d.kind, d.authority, d.author, d.at, d.revision, d.uncommitted, d.lossy, d.language, "
    "d.state, p.text, d.facts"
)


def passages_shown(pks: Sequence[int]) -> dict[int, Shown]:
    """These passages with their documents, by pk."""
    if not pks:
        return {}
    sql = (
        f"SELECT {_COLUMNS} FROM search_passage p CROSS JOIN search_document d ON d.id = p.document_id "  # noqa: S608
        f"WHERE p.id IN ({marks(pks)})"
    )
    return {row[0]: _shown(*row) for row in fetch(sql, pks)}


def _shown(*row: Any) -> Shown:
    *columns, text, facts = row
    notes = json.loads(facts).get("notes") if '"notes"' in facts else None
    shown = Shown._make((*columns, unpack(text) if text else "", notes or []))
    return shown._replace(passage_at=read_time(shown.passage_at), document_at=read_time(shown.document_at))
