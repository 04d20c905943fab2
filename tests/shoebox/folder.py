"""A small workspace without git for tests of gathering and curating: a task, what it depends on, a rule, a memory."""

import json
from pathlib import Path

from tests.factories import NOON
from yoimemory.search.services import index_workspace
from yoimemory.sources.models import Workspace
from yoimemory.sources.services import register_workspace

TASK, FIRST, SECOND, LOOSE = "00001KXKMX0QM", "00001KXKJGYGD", "00001KXKP2A71", "00001KVHR3WSD"

RULE = "Unresolved `depends_on` and incoming `blocks` are acceptance blockers; a queued ticket may not start."


def item(title: str, body: str, *, state: str = "queued", updated: str = "2026-07-15T21:26:15Z") -> str:
    return (
        f"---\ntitle: '{title}'\nstate: '{state}'\ncreated_at: '2026-07-15T19:00:00Z'\nupdated_at: '{updated}'\n---\n\n"
        f"## Background\n\n{body}\n"
    )


def event(kind: str, at: str, body: str, *, author: str = "orchestrator", **fields: str) -> str:
    header = f"author: {author} at: {at}"
    more = "".join(f" {name.rstrip('_')}: {value}" for name, value in fields.items())
    return f"<!-- event: {kind} {header}{more} -->\n\n## {kind}\n\n{body}\n\n---\n\n"


def write_workspace(root: Path) -> None:
    """Write the files: the first dependency has a review against it, the second is on hold."""
    tickets = root / ".yoi" / "tickets"
    relations = [
        {"ticket_id": TASK, "kind": "depends_on", "target": each, "note": "Skills come after the removal.",
         "author": "yoi ticket", "at": "2026-07-15T19:45:40Z"}
        for each in (FIRST, SECOND)
    ]  # fmt: skip
    files = {
        tickets / TASK / "item.md": item(
            "Implement skills support", "Skills replace workflows. See docs/rules.md for what blocks a start."
        ),
        tickets / TASK / "thread.md": event("create", "2026-07-15T19:00:00Z", "Opened.")
        + event("state_changed", "2026-07-15T21:26:15Z", "Queued from the panel.", from_="ready", to="queued")
        + event("state_changed", "2026-07-15T23:01:28Z", "Started.", from_="queued", to="inprogress"),
        tickets / TASK / "artifacts" / "relations.json": json.dumps({"version": 1, "relations": relations}, indent=2),
        tickets / FIRST / "item.md": item("Remove workflows", "The workflow machinery goes.", state="closed"),
        tickets / FIRST / "thread.md": event("create", "2026-07-15T19:02:13Z", "Opened.")
        + event("state_changed", "2026-07-15T19:55:42Z", "Accepted.", from_="queued", to="inprogress")
        + event("review", "2026-07-15T21:25:42Z", "A stale test fails.", author="reviewer", status="request_changes")
        + event("review", "2026-07-15T21:35:26Z", "All good now.", author="reviewer", status="approve")
        + event("close", "2026-07-15T21:39:23Z", "Closed.", author="hare", status="closed"),
        tickets / FIRST / "resolution.md": "# Resolution\n\nThe workflow machinery was removed.\n",
        tickets / SECOND / "item.md": item("Remove knowledge", "The knowledge kind goes.", state="closed"),
        tickets / SECOND / "thread.md": event("create", "2026-07-15T20:04:08Z", "Opened.")
        + event("state_changed", "2026-07-15T20:27:02Z", "Queued.", from_="ready", to="queued")
        + event("decision", "2026-07-15T20:27:51Z", "This pass leaves it queued.")
        + event("close", "2026-07-15T23:00:18Z", "Closed.", author="hare", status="closed"),
        tickets / LOOSE / "item.md": item("Call tools over MCP", f"Executes tools. Cites {TASK} as a sibling."),
        root / "docs" / "rules.md": f"# Rules\n\n## Blockers\n\n{RULE}\n",
        root / "docs" / "other.md": "# Colours\n\nThe panel is green.\n",
        root / ".yoi" / "memory" / "decisions" / "start-queued.md": "---\ncreated_at: 2026-06-01T00:00:00Z\n"
        "updated_at: 2026-06-01T00:00:00Z\nsources: []\nstatus: open\n---\n\n"
        "A queued ticket may start at once when skills support is wanted.\n",
    }  # fmt: skip
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def make_folder(root: Path) -> Workspace:
    """The folder, registered and indexed."""
    write_workspace(root)
    workspace, _ = register_workspace(root, now=NOON)
    index_workspace(workspace, now=NOON)
    return workspace
