"""Every tool, in the order in which a client lists them."""

from yoimemory.mcp import opening, searching
from yoimemory.mcp.tools import TOOLS

__all__ = ["TOOLS", "opening", "searching"]
