"""Every tool, in the order in which a client lists them: reading first, then what offers something."""

from yoimemory.mcp import gathering, listing, opening, proposing, searching
from yoimemory.mcp.tools import OFFERED, Tool

MODULES = (searching, opening, listing, gathering, proposing)
"""Where tools are; naming them here is what offers them."""

ORDER = (
    "search_sources", "open_source", "show_shoebox", "show_evidence", "list_records", "create_shoebox",
    "extract_evidence", "create_representation", "propose_hypothesis", "propose_candidate", "record_impact",
    "mark_staleness",
)  # fmt: skip

TOOLS: dict[str, Tool] = {name: OFFERED[name] for name in ORDER}
