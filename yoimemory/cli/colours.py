"""Colour for a terminal: what is a ref, what is quoted, what is a caveat. Nothing is said by colour alone."""

import os
import re
import sys

_OFF = "\033[0m"
_DIM, _CYAN, _YELLOW = "\033[2m", "\033[36m", "\033[33m"
_REF = re.compile(
    r"\b(?:shoebox|evidence|hypothesis|representation|proposal|marker|artifact|ticket|objective|doc|code|commit|diff"
    r"|session|memory|skill|record|message|branch|worktree):[^\s,;)”]+"
)
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_CAVEAT = re.compile(r"^\s*(?:caveat|note|mind|behind|recheck)\b", re.IGNORECASE)
_QUOTED = re.compile(r"^\s*(?:\d+\s*)?\|")


def wanted() -> bool:
    """Whether colour is for somebody: a terminal that takes it, and nobody who asked for none (no-color.org)."""
    return sys.stdout.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"


def harmless(line: str) -> str:
    """A line whose control characters are written out: a source must not move the cursor or rename the window."""
    return _CONTROL.sub(lambda found: f"\\x{ord(found[0]):02x}", line)


def lit(line: str) -> str:
    """A line with its refs, quotes and caveats told apart."""
    if _QUOTED.match(line):
        return f"{_DIM}{line}{_OFF}"
    if _CAVEAT.match(line):
        return f"{_YELLOW}{line}{_OFF}"
    return _REF.sub(lambda found: f"{_CYAN}{found[0]}{_OFF}", line)
