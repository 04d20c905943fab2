"""What narrows a search, as SQL of the index database."""

from collections.abc import Sequence
from typing import Any

from yoimemory.search.backends.statements import marks, stored_time
from yoimemory.search.narrowing import Narrowing


def conditions(narrowing: Narrowing) -> tuple[str, list[Any]]:
    """The filters as SQL over `d` (documents) and, where it needs them, `p` (passages)."""
    where: list[str] = ["d.workspace = %s"]
    params: list[Any] = [narrowing.workspace]

    def among(column: str, values: Sequence[Any], *, negate: bool = False) -> None:
        if values:
            where.append(f"{column} {'NOT ' if negate else ''}IN ({marks(values)})")
            params.extend(values)

    among("d.kind", narrowing.kinds)
    among("d.authority", narrowing.authority)
    among("d.language", narrowing.languages)
    among("d.state", narrowing.states)
    among("d.whole", narrowing.wholes)
    if narrowing.exclude:  # as HEAD has it, and as a branch does
        among("substr(d.source, 1, instr(d.source || '@', '@') - 1)", narrowing.exclude, negate=True)
    for glob in narrowing.paths:
        where.append("(d.path GLOB %s OR substr(d.ref, length(d.kind) + 2) GLOB %s)")
        params.extend([glob, glob])
    if narrowing.upto_document:
        where.append("d.id <= %s")
        params.append(narrowing.upto_document)
    for name in narrowing.authors:
        where.append("(instr(lower(p.author), %s) OR (p.author = '' AND instr(lower(d.author), %s)))")
        params.extend([name.lower(), name.lower()])
    if narrowing.speaker:
        where.append("p.speaker = %s")
        params.append(narrowing.speaker)
    if narrowing.since:
        where.append("coalesce(p.at, d.at) >= %s")
        params.append(stored_time(narrowing.since))
    if narrowing.until:
        where.append("coalesce(p.at, d.at) < %s")
        params.append(stored_time(narrowing.until))
    if narrowing.signals:
        where.append("p.signals <> ''")
    for text in narrowing.literals:
        where.append("(holds(p.text, %s) OR instr(lower(d.title), %s))")
        params.extend([text.lower(), text.lower()])
    return " AND ".join(where), params
