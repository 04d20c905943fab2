"""Lists of any kind of record, in the shape that JSON and MCP give them."""

import argparse

from yoimemory.cli.run import DONE, NOTHING, caller, now, say, say_within, show_json, workspace_of


def records(arguments: argparse.Namespace) -> int:
    """List records of one kind, newest first; exit 1 when there are none."""
    from yoimemory.desk.listing import list_records

    noun = arguments.noun
    filters = dict(narrowed(text) for text in arguments.where)
    page = list_records(
        noun, workspace=workspace_of(arguments), actor=caller(), now=now(), filters=filters, limit=arguments.limit,
        cursor=arguments.cursor,
    )  # fmt: skip
    if arguments.json:
        show_json(page)
    else:
        say_within(None, [_line(item.model_dump(mode="json")) for item in page.items], total=page.total)
        if page.next_cursor:
            say(f"More: --cursor {page.next_cursor}")
        if not page.items:
            say(f"No {noun} here{' that fit' if filters else ''}.")
    return DONE if page.items else NOTHING


def narrowed(text: str) -> tuple[str, str]:
    """A name and a value of `--where`. Raises BadInput."""
    from yoimemory.errors import BadInput

    name, equals, value = text.partition("=")
    if not equals or not value:
        raise BadInput(f"{text[:80]!r} narrows nothing.", hint="Write --where state=accepted.")
    return name, value


def _line(item: dict[str, object]) -> str:
    """The ref of a record, how it stands, and its first words."""
    names = ("claim", "question", "quote", "summary", "title", "path", "target", "kind")
    words = next((str(item[name]) for name in names if item.get(name)), "")
    standing = next((str(item[name]) for name in ("state", "status") if item.get(name)), "")
    first = " ".join(words.split())
    return "  ".join(part for part in (str(item.get("ref") or item.get("id") or ""), standing, first[:100]) if part)
