"""One process: the street door in front of Django in threads, and the indexer's keeper beside it."""

import os
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from yoimemory.gate import App, Message, Receive, Scope, Send, guarded

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "yoimemory.settings")

from django.conf import settings
from django.core.wsgi import get_wsgi_application

from yoimemory.threads import InThreads

THREADS = 4


def build() -> App:
    """The application that a server runs."""
    django: Any = get_wsgi_application()
    pages = InThreads(django, threads=THREADS)

    from csp.utils import build_policy

    from yoimemory.desk.daily import daily_copy
    from yoimemory.desk.watching import index_watch
    from yoimemory.jobs.child import Keeper
    from yoimemory.mcp.mount import PATH, Mount

    keeper, copier, watch = Keeper(), daily_copy(), index_watch()
    tools: Mount | None = None

    async def lifespan(receive: Receive, send: Send) -> None:
        nonlocal tools
        while True:
            message: Message = await receive()
            if message["type"] == "lifespan.startup":
                keeper.start()
                copier.start()
                watch.start()
                tools = Mount()
                tools.start()
                await send({"type": "lifespan.startup.complete"})
            else:
                if tools is not None:
                    await tools.stop()
                _in_thread(keeper.stop)
                _in_thread(copier.stop)
                _in_thread(watch.stop)
                _in_thread(_flush)
                await send({"type": "lifespan.shutdown.complete"})
                return

    async def house(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await lifespan(receive, send)
        elif scope["type"] == "http" and scope["path"].startswith(PATH) and tools is not None:
            await tools(scope, receive, send)
        elif scope["type"] == "http":
            await pages(scope, receive, send)

    return guarded(house, hosts=settings.ALLOWED_HOSTS, policy=build_policy())


def _flush() -> None:
    from django.db import connection  # noqa: TID251 (only to close this thread's connection)

    from yoimemory.access.calls import flush_calls
    from yoimemory.journal.services import flush_events

    flush_events()
    flush_calls()
    connection.close()


def _in_thread(work: Any) -> None:
    # Django refuses its database inside an event loop; at shutdown nothing else waits for the loop.
    with ThreadPoolExecutor(1) as pool:
        pool.submit(work).result()


application = build()
