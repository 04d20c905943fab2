"""Serving the app, on a workspace of one's own or on the demo."""

import argparse
import errno
import gc
import os
import shutil
import signal
import socket
import sys
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING

from yoimemory.cli.run import BAD_INPUT, DONE, now, registered, say
from yoimemory.cli.running import announced
from yoimemory.errors import Refused

if TYPE_CHECKING:
    from yoimemory.sources.models import Workspace

_LOOPBACK = {"127.0.0.1", "localhost", "::1"}
_GRACE = 5


class CannotListen(Refused):
    """The address is taken, or not ours."""


def serve(arguments: argparse.Namespace) -> int:
    """Register PATH, have it read in the background, and serve until stopped."""
    from yoimemory.sources.models import Workspace

    with _listen(arguments) as listener:
        workspaces = [registered(arguments.path)] if arguments.path else list(Workspace.objects.order_by("pk"))
        return _run(arguments, listener, workspaces)


def demo(arguments: argparse.Namespace) -> int:
    """Build the demo workspace, or open the one that stands, and serve it."""
    from django.conf import settings

    from yoimemory.demo.build import build_demo

    folder = Path(arguments.folder or settings.HOME / "demo").expanduser().absolute()
    say(f"The demo workspace stands in {folder}.")
    if arguments.no_serve:
        workspace = build_demo(folder, now=now(), say=say)
        say(f"Serve it with: yoimemory serve {workspace.root}")
        return DONE
    with _listen(arguments) as listener:
        return _run(arguments, listener, [build_demo(folder, now=now(), say=say)])


def _listen(arguments: argparse.Namespace) -> socket.socket:
    """Take the address first: a taken port is known before anything is done. Raises CannotListen."""
    from django.conf import settings

    family = socket.AF_INET6 if ":" in arguments.host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    if os.name == "posix":
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((arguments.host, settings.PORT))
    except OSError as error:
        listener.close()
        if error.errno == errno.EADDRINUSE:
            raise CannotListen(
                f"Port {settings.PORT} is taken by another program, perhaps by a yoimemory that runs already.",
                hint=f"Open http://127.0.0.1:{settings.PORT}/, or choose another port: --port {settings.PORT + 1}.",
            ) from error
        raise CannotListen(
            f"This machine cannot listen at {arguments.host} port {settings.PORT}: {os.strerror(error.errno or 0)}.",
            hint="Leave --host out to serve this machine only.",
        ) from error
    return listener


def _program() -> str:
    """How this program is called in the shell that started it; `make run` leaves it in `.venv`, off the PATH."""
    return "yoimemory" if shutil.which("yoimemory") else os.path.relpath(sys.argv[0])


def _run(arguments: argparse.Namespace, listener: socket.socket, workspaces: list["Workspace"]) -> int:
    """Announce the address, then serve until a signal."""
    import uvicorn
    from django.conf import settings
    from django.db import connections  # noqa: TID251 (only to close this thread's connections)

    from yoimemory.access.services import ensure_owner, issue_start_link
    from yoimemory.access.sessions import SessionStore
    from yoimemory.jobs.models import Job
    from yoimemory.jobs.services import enqueue
    from yoimemory.products.services import recover_writings
    from yoimemory.sources.watching import Watcher

    recover_writings(now())
    SessionStore.clear_expired()
    for workspace in workspaces:
        enqueue(Job.Kind.INDEX, workspace=workspace, now=now())
    user = ensure_owner()
    base = f"http://{_name_of(arguments.host)}:{settings.PORT}"
    link = f"{base}/start/{issue_start_link(user=user, now=now())}/"
    if len(workspaces) == 1:
        link += f"?workspace={workspaces[0].slug}"  # a slug needs no quoting; it opens what was asked for
    connections.close_all()
    say(f"yoimemory serves {_names(workspaces)} at {base}/", f"Log in as {user}, once, within an hour: {link}")
    say(f"Stop with Ctrl-C. A new link: {_program()} link --port {settings.PORT}")
    _warn_of_others(arguments.host)
    sys.stdout.flush()
    if not arguments.no_open and _has_browser():
        webbrowser.open(link)

    from yoimemory.asgi import application

    config = uvicorn.Config(
        application, log_config=None, access_log=False, server_header=False, proxy_headers=False, lifespan="on",
        timeout_graceful_shutdown=_GRACE,
    )  # fmt: skip
    server = uvicorn.Server(config)
    # uvicorn raises the signal again once it has ended in order; the default would kill us with our address announced.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    _settle_down()
    watcher = Watcher()
    watcher.start()
    try:
        with announced(settings.HOME, base):
            server.run(sockets=[listener])
    finally:
        watcher.stop()
    return DONE if server.started else BAD_INPUT


def _settle_down() -> None:
    """Load what requests need before the first comes; collections then pass over what lives as long as the server."""
    from django.urls import get_resolver

    get_resolver().url_patterns  # noqa: B018 (asked for, it is loaded)
    gc.collect()
    gc.freeze()


def _warn_of_others(host: str) -> None:
    """Say what it means to be reached from other machines."""
    if host not in _LOOPBACK:
        say(
            f"Careful: {host} can be reached from other machines, without encryption. Each name under which",
            "they call it must stand in YOIMEMORY_ALLOWED_HOSTS.",
        )


def _names(workspaces: list["Workspace"]) -> str:
    return ", ".join(workspace.slug for workspace in workspaces) or "no workspace yet"


def _name_of(host: str) -> str:
    if host in {"0.0.0.0", "::"}:  # noqa: S104 (compared, not bound)
        return "127.0.0.1"
    return f"[{host}]" if ":" in host else host


def _has_browser() -> bool:
    """Whether a browser would open in a window; a text browser would take this terminal."""
    if not sys.stdout.isatty():
        return False
    return sys.platform in {"darwin", "win32"} or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
