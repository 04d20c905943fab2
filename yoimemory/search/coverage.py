"""What a search covered, as it is kept: "nothing was found against it" can only be read with that beside it."""

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

from django.db.models import Count

from yoimemory.search.contrary import SIGNALS, WORDS
from yoimemory.search.models import Document, Unreadable
from yoimemory.search.schemas import IndexPosition, SearchAnswer, SearchQuery

if TYPE_CHECKING:
    from yoimemory.sources.models import Workspace

KINDS_TOLD = 6


def coverage(workspace: "Workspace", position: IndexPosition, *, kinds: tuple[str, ...] = ()) -> dict[str, Any]:
    """Which signs were looked for, in which sources, and where the index stood."""
    rows = Document.objects.filter(workspace=workspace.public_id)
    if kinds:
        rows = rows.filter(kind__in=kinds)
    counts = rows.values_list("kind").annotate(count=Count("source", distinct=True)).order_by("-count", "kind")
    return {
        "signals": sorted(SIGNALS),
        "words": list(WORDS),
        "sources": dict(counts),
        "unreadable": Unreadable.objects.filter(workspace=workspace.public_id).count(),
        "index": {
            "commit": position.commit,
            "branch": position.branch,
            "behind": position.behind,
            "indexed_at": position.indexed_at.isoformat() if position.indexed_at else "",
        },
    }


def counter_search(
    answer: SearchAnswer, query: SearchQuery, *, workspace: "Workspace", by: str, now: datetime
) -> dict[str, Any]:
    """A search for what speaks against something, with what it covered and what came of it."""
    return {
        "at": now.isoformat(),
        "by": by,
        "query": query.query or query.text,
        "as_of": query.as_of.isoformat() if query.as_of else "",
        "matched": answer.total,
        "read": answer.shown,
        "against": sum(bool(hit.signals) for hit in answer.items),
        "nothing": answer.nothing,
        "commit": answer.index.commit,
        **coverage(workspace, answer.index, kinds=tuple(query.kinds)),
    }


def told(kept: Mapping[str, Any]) -> str:
    """What a kept search covers, in one sentence; empty for one that was kept before this was written down."""
    sources = kept.get("sources")
    if not isinstance(sources, Mapping):
        return ""
    if not sources:
        return "Covers nothing: the index holds no such source."
    total = sum(sources.values())
    listed = ", ".join(f"{count:,} {kind}" for kind, count in list(sources.items())[:KINDS_TOLD])
    more = len(sources) - KINDS_TOLD
    listed += f" and {more} more kinds" if more > 1 else " and one more kind" if more == 1 else ""
    index = kept.get("index") or {}
    at = f" at commit {str(index.get('commit'))[:8]}" if index.get("commit") else ""
    behind = index.get("behind")
    lag = f", {behind} commit{'' if behind == 1 else 's'} behind the workspace" if behind else ""
    lost = kept.get("unreadable") or 0
    unread = f" {lost} record{' was' if lost == 1 else 's were'} not readable." if lost else ""
    signs = f" for {len(kept.get('signals') or ())} signs and {len(kept.get('words') or ())} words of refusal"
    return f"Covers {total:,} source{'' if total == 1 else 's'} ({listed}){at}{lag}, read{signs}.{unread}"
