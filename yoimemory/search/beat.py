"""The time of a run, and its signs of life."""

from collections.abc import Callable
from datetime import datetime, timedelta
from time import monotonic

from yoimemory.search.models import Position

Progress = Callable[[int, int, str], None]


class RunStopped(Exception):
    """Raised by what hears of progress, to end the run there: what was written stays."""


class Clock:
    """The time that a run was given, going on from there."""

    def __init__(self, now: datetime) -> None:
        self.now, self.start = now, monotonic()

    def __call__(self) -> datetime:
        return self.now + timedelta(seconds=monotonic() - self.start)


class Beat:
    """Tells how far a run is: to whoever asked for progress, and to other processes by the position's row."""

    EVERY = 1.0

    def __init__(self, position: Position, clock: Clock, total: int, progress: Progress | None) -> None:
        self.position, self.clock, self.total, self.progress = position, clock, total, progress
        self.done, self.told = 0, 0.0

    def moved(self, count: int, note: str) -> None:
        self.done += count
        if self.progress:
            self.progress(min(self.done, self.total), self.total, note)
        if monotonic() - self.told > self.EVERY:
            self.told = monotonic()
            Position.objects.filter(pk=self.position.pk).update(
                beat_at=self.clock(), done=min(self.done, self.total), total=self.total
            )
