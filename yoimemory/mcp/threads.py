"""Verbs run in threads: the event loop never waits for a database."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar

from asgiref.sync import sync_to_async
from django.db import connections  # noqa: TID251 (only to close those of a thread that broke)

P = ParamSpec("P")
R = TypeVar("R")

THREADS = 4

executor: ThreadPoolExecutor | None = ThreadPoolExecutor(THREADS, thread_name_prefix="mcp")
"""Where verbs run. None: in the one thread of the caller, which tests need, since their transaction is there."""


async def run(work: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """Run a piece of synchronous work in a thread of ours."""

    def tidy() -> R:
        try:
            return work(*args, **kwargs)
        finally:
            for connection in connections.all(initialized_only=True):
                if not connection.in_atomic_block:
                    connection.close_if_unusable_or_obsolete()

    if executor is None:
        return await sync_to_async(tidy, thread_sensitive=True)()
    return await sync_to_async(tidy, thread_sensitive=False, executor=executor)()
