"""Workspaces and added sources from the terminal."""

import argparse
import sys
from pathlib import Path
from typing import Any

from yoimemory.amounts import amount
from yoimemory.cli.run import (
    DONE,
    NOTHING,
    at_a_terminal,
    caller,
    instant,
    now,
    read_text,
    say,
    show_json,
    worker_token,
    workspace_of,
)


def add(arguments: argparse.Namespace) -> int:
    """Have a file or folder outside the repository read as well."""
    from yoimemory.sources.services import add_source

    path = Path(arguments.path).expanduser().absolute()
    if arguments.preview:
        return _preview(arguments, path)
    workspace = workspace_of(arguments)
    source = add_source(workspace, path=path, kind=arguments.kind, format=arguments.format, now=now())
    if arguments.json:
        show_json({"workspace": workspace.slug, "path": source.path, "kind": source.kind, "format": source.format})
    else:
        say(f"{workspace.slug} reads {source.path} as {source.kind}. Bring the index up to date: yoimemory index")
    return DONE


def _preview(arguments: argparse.Namespace, path: Path) -> int:
    """Show what would be read; nothing is added."""
    from dataclasses import asdict

    from yoimemory.sources.services import preview_source

    preview = preview_source(path, kind=arguments.kind, format=arguments.format)
    if arguments.json:
        show_json(asdict(preview))
        return DONE if preview.total else NOTHING
    for file in preview.files:
        told = file.reason or (amount(file.records, "record") if file.records is not None else "not looked at yet")
        bad = f", {file.faults} not readable" if file.faults else ""
        say(f"{file.size:>14,} bytes  {file.format:8} {told}{bad}  {file.path}")
    if preview.left_out:
        say(f"and {amount(preview.left_out, 'more file')}.")
    read = f"{amount(preview.total, 'file')} with {preview.size:,} bytes"
    say(f"{read} would be read from {preview.path}. Nothing was added.")
    return DONE if preview.total else NOTHING


def record(arguments: argparse.Namespace) -> int:
    """Keep how a record stands now: one JSON value from a file or from standard input."""
    import json

    from yoimemory.errors import BadInput
    from yoimemory.sources.schemas import RecordDraft, RecordOut
    from yoimemory.sources.services import record_workspace_record

    system, _, name = arguments.record.removeprefix("record:").partition("/")
    try:
        body = json.loads(read_text(arguments.file))
    except ValueError as error:
        raise BadInput(f"{arguments.file} is no JSON: {error}.") from error
    draft = RecordDraft(system=system, id=name, body=body, taken_at=instant(arguments.at), origin=arguments.origin)
    recorded = record_workspace_record(draft, workspace=workspace_of(arguments), actor=caller(), now=now())
    if arguments.json:
        show_json(RecordOut.of(recorded.snapshot, unchanged=recorded.unchanged))
    else:
        told = "says what its latest snapshot says" if recorded.unchanged else "is kept"
        say(f"{recorded.snapshot.ref} {told}. Bring the index up to date: yoimemory index")
    return DONE


def message(arguments: argparse.Namespace) -> int:
    """Keep an instruction of a user verbatim; from a script it is kept as passed on."""
    from yoimemory.sources.schemas import MessageDraft, MessageOut
    from yoimemory.sources.services import capture_message

    text = sys.stdin.read() if arguments.text == "-" else arguments.text
    draft = MessageDraft(text=text, said_by=arguments.said_by, said_at=instant(arguments.at), origin=arguments.origin)
    kept = capture_message(draft, workspace=workspace_of(arguments), actor=caller(), now=now(), by_hand=at_a_terminal())
    if arguments.json:
        show_json(MessageOut.of(kept))
    else:
        say(f"{kept.ref} is kept, as said by {kept.said_by}{' and passed on' if kept.relayed else ''}.")
    return DONE


def list_sources(arguments: argparse.Namespace) -> int:
    """List workspaces and what each reads beside its repository."""
    from yoimemory.sources.models import Workspace

    workspaces = Workspace.objects.prefetch_related("added_sources").order_by("slug")
    if arguments.workspace or worker_token():
        workspaces = workspaces.filter(pk=workspace_of(arguments).pk)
    rows: list[dict[str, Any]] = [
        {
            "workspace": workspace.slug,
            "root": workspace.root,
            "sources": [
                {"path": source.path, "kind": source.kind, "format": source.format}
                for source in workspace.added_sources.all()
            ],
        }
        for workspace in workspaces
    ]
    if arguments.json:
        show_json(rows)
        return DONE
    for row in rows:
        say(f"{row['workspace']}  {row['root']}")
        for source in row["sources"]:
            say(f"  {source['kind']:8} {source['path']}" + (f" ({source['format']})" if source["format"] else ""))
    if not rows:
        say("No workspace is registered. Register one: yoimemory index PATH")
    return DONE


def remove(arguments: argparse.Namespace) -> int:
    """Stop reading an added source. Its file stays; what was quoted from it keeps its words."""
    from yoimemory.errors import NotFound
    from yoimemory.sources.models import AddedSource
    from yoimemory.sources.services import remove_source

    workspace = workspace_of(arguments)
    path = str(Path(arguments.path).expanduser().absolute())
    sources = list(AddedSource.objects.filter(workspace=workspace, path__in=[path, arguments.path]))
    if not sources:
        raise NotFound(f"{workspace.slug} does not read {path}.", hint="yoimemory sources list shows what it reads.")
    for source in sources:
        remove_source(source)
    if arguments.json:
        show_json({"workspace": workspace.slug, "removed": len(sources)})
    else:
        say(f"{workspace.slug} no longer reads {path}. Bring the index up to date: yoimemory index")
    return DONE
