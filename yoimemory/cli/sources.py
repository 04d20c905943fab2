"""Workspaces and added sources from the terminal."""

import argparse
from pathlib import Path
from typing import Any

from yoimemory.cli.run import DONE, NOTHING, now, say, show_json, worker_token, workspace_of


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
        told = file.reason or (f"{file.records:,} records" if file.records is not None else "not looked at yet")
        bad = f", {file.faults} not readable" if file.faults else ""
        say(f"{file.size:>14,} bytes  {file.format:8} {told}{bad}  {file.path}")
    if preview.left_out:
        say(f"and {preview.left_out:,} more files.")
    say(f"{preview.total:,} logs with {preview.size:,} bytes would be read from {preview.path}. Nothing was added.")
    return DONE if preview.total else NOTHING


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
