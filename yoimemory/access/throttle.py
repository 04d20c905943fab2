"""How often somebody may come: one bucket for each caller, filled at an even rate, emptied by one for each call.

The buckets live in the memory of the one process that serves; after a restart everybody begins with a
full one.
"""

import threading
import time
from collections.abc import Callable, Hashable
from math import ceil

from django.conf import settings

from yoimemory.errors import DomainError

CALLERS_MAX = 10_000
"""So many buckets are kept; beyond that the full ones, which say nothing, are forgotten first."""


class TooManyRequests(DomainError):
    """The caller comes more often than this place allows; `retry_after` says when, in whole seconds."""

    status = 429

    def __init__(self, message: str, *, retry_after: int, hint: str = "") -> None:
        super().__init__(message, hint=hint or f"Try again in {retry_after} s.")
        self.retry_after = retry_after


class Throttle:
    """Buckets of one size. `rate` is calls a second, `burst` how many may come at once; a rate of 0 lets all pass."""

    def __init__(self, *, rate: float, burst: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate, self._burst, self._clock = rate, max(1.0, burst), clock
        self._lock = threading.Lock()
        self._buckets: dict[Hashable, tuple[float, float]] = {}

    def spend(self, caller: Hashable) -> int:
        """Take one call out of the caller's bucket; 0, or how many seconds to wait where it is empty."""
        if not self._rate:
            return 0
        now = self._clock()
        with self._lock:
            left = self._left(caller, now)
            if left < 1:
                return ceil((1 - left) / self._rate)
            self._buckets[caller] = (left - 1, now)
            if len(self._buckets) > CALLERS_MAX:
                self._forget(now)
        return 0

    def give_back(self, caller: Hashable) -> None:
        """Fill the caller's bucket, such as after a password that was right."""
        with self._lock:
            self._buckets.pop(caller, None)

    def _left(self, caller: Hashable, now: float) -> float:
        left, at = self._buckets.get(caller, (self._burst, now))
        return min(self._burst, left + (now - at) * self._rate)

    def _forget(self, now: float) -> None:
        fullest = sorted(self._buckets, key=lambda caller: self._left(caller, now), reverse=True)
        for caller in fullest[: CALLERS_MAX // 10]:
            del self._buckets[caller]


calls = Throttle(rate=settings.CALLS_A_MINUTE / 60, burst=settings.CALLS_A_MINUTE / 6)
"""Of the Workers' tokens, over JSON and MCP alike."""

logins = Throttle(rate=1 / 30, burst=10)
"""Of passwords tried for one name: ten at once, then one in half a minute."""


def count_call(token_id: int) -> None:
    """Count one call of a token. Raises TooManyRequests where it called too often."""
    wait = calls.spend(token_id)
    if wait:
        raise TooManyRequests(
            f"This token called more than {settings.CALLS_A_MINUTE} times a minute.",
            retry_after=wait,
            hint=f"Try again in {wait} s, and ask for more at once (limit, budget).",
        )
