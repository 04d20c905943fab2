"""One process at a time: a lock on a file, freed by the system however the process ends."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows: byte locks of its own
    fcntl = None  # type: ignore[assignment]

INDEXER = "indexer.lock"
IN_USE = "in-use.lock"
"""Held together by everything that has the data folder open, so that a restore can tell that nobody has."""


@contextmanager
def held(path: Path, *, wait: bool = False, together: bool = False) -> Iterator[bool]:
    """Hold the lock, if it can be had (or when it can, with `wait`); says whether it is held.

    Those that hold it `together` keep out only who wants it alone.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)
    try:
        yield _take(descriptor, wait=wait, together=together)
    finally:
        os.close(descriptor)  # frees it


def is_free(path: Path) -> bool:
    """Whether nobody holds the lock right now."""
    with held(path) as mine:
        return mine


def _take(descriptor: int, *, wait: bool, together: bool) -> bool:
    if fcntl is None and together:
        return True  # byte locks cannot be shared there; a file that somebody has open is not replaced there either
    try:
        if fcntl is not None:
            how = fcntl.LOCK_SH if together else fcntl.LOCK_EX
            fcntl.flock(descriptor, how | (0 if wait else fcntl.LOCK_NB))
        else:
            import msvcrt

            msvcrt.locking(descriptor, msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK, 1)
    except OSError:
        return False
    return True
