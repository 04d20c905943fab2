"""The MCP server in this very process, on standard input and output: for those who run no server."""

import asyncio
import sys
from typing import Any

from mcp.server.stdio import stdio_server

from yoimemory.env import worker_model, worker_principal, worker_run
from yoimemory.mcp.caller import READ_ONLY, Caller, identify
from yoimemory.mcp.server import build_server
from yoimemory.mcp.threads import run


def serve(secret: str, *, read_only: bool) -> int:
    """Answer one client until its input ends. Raises Unauthorized at once where the token is not usable."""
    headers = {
        "x-worker-run": worker_run(),
        "x-worker-model": worker_model(),
        "x-on-behalf-of": worker_principal(),
        READ_ONLY: "1" if read_only else "",
    }
    identify(secret, headers)

    async def who(context: Any) -> Caller:
        return await run(identify, secret, headers)

    async def main() -> None:
        server = build_server(who)
        async with stdio_server() as (reading, writing):
            await server.run(reading, writing, server.create_initialization_options())

    asyncio.run(main())
    sys.stdout.flush()
    return 0
