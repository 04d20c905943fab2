"""Searching and opening from the terminal."""

import argparse
from typing import TYPE_CHECKING

from yoimemory.amounts import amount
from yoimemory.cli.run import DONE, NOTHING, caller, instant, now, say, say_within, show_json, workspace_of

if TYPE_CHECKING:
    from datetime import datetime

    from yoimemory.search.schemas import Hit, SearchAnswer


def search(arguments: argparse.Namespace) -> int:
    """Find passages; exit 1 when there is none, with the kind of nothing it is."""
    from pydantic import ValidationError as DraftError

    from yoimemory.errors import BadInput
    from yoimemory.search.schemas import SearchQuery
    from yoimemory.search.services import search_sources

    plain = ("path", "author", "speaker", "revision", "order", "shoebox", "per_source", "cursor", "stance", "limit")
    lists = ("kinds", "authority", "languages", "states")
    try:
        query = SearchQuery(
            query=" ".join(arguments.query),
            **{name: getattr(arguments, name) for name in (*plain, *lists)},
            since=_begin(arguments.since),
            until=instant(arguments.until),
            as_of=instant(arguments.as_of),
        )
    except DraftError as error:
        wrong = error.errors()[0]
        name = "--" + str(wrong["loc"][0]).replace("_", "-") if wrong["loc"] else "the query"
        raise BadInput(f"{name} does not fit: {wrong['msg']}.", hint="See yoimemory search --help.") from error
    workspace = workspace_of(arguments)
    answer = search_sources(query, workspace=workspace, now=now(), actor=caller())
    if arguments.json:
        show_json(answer)
    else:
        say_within(arguments.budget, [_hit(hit) for hit in answer.items], total=answer.total)
        _index_line(answer)
    return DONE if answer.items else NOTHING


def _begin(text: str) -> "datetime | None":
    """An instant from which on to look: of a day its beginning. Raises BadInput if it is none."""
    from yoimemory.search.query import day_span

    span = day_span(text.strip())
    return span[0] if span else instant(text)


def _hit(hit: "Hit") -> str:
    lines = [
        f"{hit.ref}",
        f"  {hit.title} [{hit.kind}, {hit.authority}]" + (f" {hit.date:%Y-%m-%d}" if hit.date else ""),
    ]
    for offset, line in enumerate(hit.snippet.split("\n")):
        lines.append(f"  {hit.first_line + offset:>5} | {line}")
    if hit.why:
        lines.append(f"  why: {' '.join(hit.why)}")
    lines += [f"  caveat: {caveat}" for caveat in hit.caveats]
    return "\n".join(lines) + "\n"


def _index_line(answer: "SearchAnswer") -> None:
    if not answer.items:
        say(answer.advice or "Nothing more was found.")
    for note in answer.notes:
        if note != answer.advice:
            say(note)
    for guess in answer.did_you_mean:
        say(f"did you mean: {guess}")
    if answer.next_cursor:
        say(f"more: --cursor {answer.next_cursor}")
    position = answer.index
    at = f"at {position.commit[:8]}" if position.commit else "of the files as they were read"
    behind = f", {amount(position.behind, 'commit')} behind" if position.behind else ""
    say(f"index {at}{behind}")


def open_ref(arguments: argparse.Namespace) -> int:
    """Show what a ref names, with its line numbers, within the budget."""
    from django.conf import settings

    from yoimemory.desk.resolver import open_source

    budget = arguments.budget or (None if arguments.json else settings.RENDER_BUDGET)
    opened = open_source(
        arguments.ref, workspace=workspace_of(arguments), actor=caller(), now=now(), budget=budget,
        as_of=instant(arguments.as_of),
    )  # fmt: skip
    if arguments.json:
        show_json(opened)
    else:
        say(opened.rendered())
    return DONE
