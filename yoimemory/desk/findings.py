"""One thing that doctor looked at, as every surface tells it."""

from dataclasses import dataclass
from typing import Literal

Level = Literal["ok", "note", "finding"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing looked at: `ok`, `note` (worth knowing) or `finding` (mend it), each with its remedy.

    `refs` names the first records or places that it is about, `url` the page where they are mended;
    `action` is a safe step that a button may take.
    """

    level: Level
    check: str
    message: str
    remedy: str = ""
    refs: tuple[str, ...] = ()
    url: str = ""
    action: Literal["", "index", "backup", "mend", "forget"] = ""
