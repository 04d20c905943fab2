"""Where the running server listens, told in the data folder to other processes of the same person."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

FILE = "server.json"


@contextmanager
def announced(home: Path, base: str) -> Iterator[None]:
    """Say in the data folder where this process serves, for as long as it does."""
    path = home / FILE
    partial = path.with_name(f"{FILE}.{os.getpid()}")
    partial.write_text(json.dumps({"base": base, "pid": os.getpid()}), encoding="utf-8")
    partial.replace(path)
    try:
        yield
    finally:
        if _read(path).get("pid") == os.getpid():  # another server of this home may have taken its place
            with suppress(OSError):
                path.unlink()


def running(home: Path) -> tuple[str, int] | None:
    """Host and port of the server that runs on this data folder; None where none does."""
    told = _read(home / FILE)
    parts = urlsplit(str(told.get("base", "")))
    try:
        place = (parts.hostname or "", parts.port or 0)
    except ValueError:
        return None
    return place if all(place) and _lives(told.get("pid")) else None


def _read(path: Path) -> dict[str, object]:
    try:
        told = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return told if isinstance(told, dict) else {}


def _lives(pid: object) -> bool:
    """Whether that process is still there: a token must not be sent to whoever took its port since."""
    if not isinstance(pid, int) or pid <= 0:
        return False
    if os.name != "posix":
        return True  # no harmless way to ask; the connection will tell
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return False  # somebody else's process: ours never runs under another name
    return True
