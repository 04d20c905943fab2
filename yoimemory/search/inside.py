"""Searching inside one shoebox: its sources, found through the workspace, since that floor lies above this one."""

from typing import TYPE_CHECKING, Any

from yoimemory.errors import NotFound
from yoimemory.search.backends import links

if TYPE_CHECKING:
    from yoimemory.sources.models import Workspace

ITEMS_MAX = 500
NONE = (0,)
"""No document has this number: a shoebox without a source in the index is searched and holds nothing."""


class NoSuchShoebox(NotFound):
    """The shoebox to search inside does not exist in this workspace."""


def sources_inside(workspace: "Workspace", shoebox: str) -> dict[str, str]:
    """The sources that a shoebox (a ref or an id) holds, each with what limits it there. Raises NoSuchShoebox."""
    public_id = shoebox.removeprefix("shoebox:").partition("@")[0].partition("#")[0]
    rows: Any = getattr(workspace, "shoeboxes", None)  # the floor above points here by foreign key
    box = rows.filter(public_id=public_id).first() if rows is not None else None
    if box is None:
        raise NoSuchShoebox(
            f"There is no shoebox {shoebox[:80]} in this workspace.",
            hint="Copy its ref from the workbench.",
            fields={"shoebox": "not found"},
        )
    items = box.items.order_by("position").values_list("source", "screening_reason", "screening")[:ITEMS_MAX]
    return {
        source: f"Set aside in this shoebox: {reason}" if screening == "set aside" else ""
        for source, reason, screening in items
    }


def wholes_of(workspace: "Workspace", sources: dict[str, str]) -> tuple[int, ...]:
    """The documents that stand for these sources."""
    rows = links.wholes_of(workspace.public_id, list(sources), column="source")
    return tuple(sorted({whole for _, whole in rows})) or NONE
