"""One child process under limits: environment from scratch, own process group, nothing left behind.

Both pipes are read by one loop, so a child that writes much to stderr cannot block; what it says
there is kept short, for our own eyes, and never shown.
"""

import fcntl
import os
import selectors
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from yoimemory.errors import Refused

IDLE_SECONDS = 20.0
"""A streamed command may take as long as it likes, but not be silent for longer while it is read."""

_CHUNK = 1 << 16
_PIPE = 1 << 20
"""What a child may write before it waits for us, where the system lets us say so."""
_STDERR_KEPT = 4_096


class GitProblem(Refused):
    """Git could not answer. The five classes below are all that a caller has to tell apart."""


class GitMissing(GitProblem):
    """There is no git that can be run."""


class GitTimedOut(GitProblem):
    """Git was silent or busy for too long and was ended."""


class GitKilled(GitProblem):
    """Git was ended by a signal from outside."""


class GitTooMuch(GitProblem):
    """Git's answer was larger than we hold in memory."""


class GitFailed(GitProblem):
    """Git ended with an error."""

    said = ""
    """What it wrote to stderr: for telling causes apart, never shown."""


class Child:
    """A running command whose output is read in pieces. Use as a context manager.

    Leaving the block ends the whole process group, reaps it and closes every pipe, also when the
    reader was abandoned half-way.
    """

    def __init__(
        self,
        argv: Sequence[str | bytes],
        *,
        env: Mapping[str, str],
        cwd: Path,
        stdin: bytes | None = None,
        talk: bool = False,
        idle: float = IDLE_SECONDS,
        total: float | None = None,
    ) -> None:
        """`stdin` is sent and closed; with `talk` the pipe stays open for `send`."""
        self._idle = idle
        self._deadline = time.monotonic() + total if total else None
        self._outbox = memoryview(stdin or b"")
        self._talk, self._ended, self._said, self._held = talk, False, bytearray(), bytearray()
        try:
            self._process = subprocess.Popen(  # noqa: S603 - no shell; every argument is a literal or was checked
                argv,
                env=dict(env),
                cwd=cwd,
                stdin=subprocess.PIPE if talk or stdin is not None else subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        except OSError as error:
            raise GitMissing(
                "Git could not be started on this machine.", hint="Install git 2.39.4 or newer and start again."
            ) from error
        _widen(self._process.stdout)
        self._selector = selectors.DefaultSelector()
        for pipe in (self._process.stdout, self._process.stderr):
            assert pipe is not None  # noqa: S101 - both were asked for above
            os.set_blocking(pipe.fileno(), False)
            self._selector.register(pipe, selectors.EVENT_READ)
        if self._process.stdin is not None:
            os.set_blocking(self._process.stdin.fileno(), False)
            self._arm_stdin()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the group, reap it, close the pipes. Safe to call twice."""
        if self._process.poll() is None:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._selector.close()
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            if pipe is not None:
                with suppress(BrokenPipeError):
                    pipe.close()

    def _arm_stdin(self) -> None:
        pipe = self._process.stdin
        if pipe is None or pipe.closed:
            return
        armed = pipe in self._selector.get_map()
        if self._outbox and not armed:
            self._selector.register(pipe, selectors.EVENT_WRITE)
        elif not self._outbox and armed:
            self._selector.unregister(pipe)
        if not self._outbox and not self._talk:
            pipe.close()

    def send(self, data: bytes) -> None:
        """Queue bytes for a child that was started with `talk`; they go out while we read."""
        self._outbox = memoryview(bytes(self._outbox) + data)
        self._arm_stdin()

    def chunks(self) -> Iterator[bytes]:
        """Everything it writes, as it comes, until it ends; then its status is checked."""
        while True:
            if self._held:
                piece = bytes(self._held)
                self._held.clear()
                yield piece
            elif not self._pump():
                return

    def tokens(self, separator: bytes = b"\0", *, limit: int = 8 << 20) -> Iterator[bytes]:
        """Everything it writes, cut at the separator. Of a token longer than `limit` the middle is left out."""
        rest = b""
        for chunk in self.chunks():
            *whole, rest = (rest + chunk).split(separator)
            yield from whole
            rest = rest[:limit]
        if rest:
            yield rest

    def line(self, *, limit: int = 4_096) -> bytes:
        """The next line without its end, from a child that talks."""
        while b"\n" not in self._held:
            if len(self._held) > limit or not self._pump():
                raise GitFailed(
                    "Git ended in the middle of an answer.", hint="Try again; if it happens again, run doctor."
                )
        line, _, rest = bytes(self._held).partition(b"\n")
        self._held = bytearray(rest)
        return line

    def exactly(self, size: int, *, keep: bool = True) -> bytes:
        """The next `size` bytes; read and dropped when not to be kept."""
        parts, left = [], size
        while left:
            if not self._held and not self._pump():
                raise GitFailed(
                    "Git ended in the middle of an answer.", hint="Try again; if it happens again, run doctor."
                )
            piece = bytes(self._held[:left])
            del self._held[:left]
            left -= len(piece)
            if keep:
                parts.append(piece)
        return b"".join(parts)

    def ready(self) -> bool:
        """Whether something of it, or its end, can be read without waiting."""
        if not self._held and not self._ended:
            for key, _ in self._selector.select(0):
                self._serve(key.fileobj)
        return bool(self._held) or self._ended

    def _pump(self) -> bool:
        """Wait for one round of input or output; False when stdout has ended and the status was good."""
        if self._ended:
            return False
        waited_until = time.monotonic() + self._idle
        while not self._held:
            until = min(waited_until, self._deadline or waited_until)
            events = self._selector.select(max(0.0, until - time.monotonic()))
            if not events and time.monotonic() >= until:
                raise GitTimedOut(
                    "Git took too long and was ended.", hint="Try again when the machine is less busy, or run doctor."
                )
            for key, _ in events:
                self._serve(key.fileobj)
            if self._ended:
                self._check_status()
                return bool(self._held)
        return True

    def _serve(self, pipe: object) -> None:
        process = self._process
        if pipe is process.stdin and process.stdin is not None:
            try:
                sent = os.write(process.stdin.fileno(), self._outbox[:_CHUNK])
            except BlockingIOError:
                return
            except BrokenPipeError:
                sent = len(self._outbox)
            self._outbox = self._outbox[sent:]
            self._arm_stdin()
            return
        assert process.stdout is not None  # noqa: S101 - it is a pipe
        assert process.stderr is not None  # noqa: S101 - it is a pipe
        source = process.stdout if pipe is process.stdout else process.stderr
        try:
            data = os.read(source.fileno(), _CHUNK)
        except BlockingIOError:
            return
        if not data:
            self._selector.unregister(source)
            self._ended = self._ended or source is process.stdout
        elif source is process.stdout:
            self._held += data
        elif len(self._said) < _STDERR_KEPT:
            self._said += data[:_STDERR_KEPT]

    def _check_status(self) -> None:
        until = time.monotonic() + self._idle
        while (status := self._process.poll()) is None:
            # stdout is closed: what is left is the end of the process, drained so that it cannot block on stderr.
            if time.monotonic() > until:
                raise GitTimedOut("Git did not end and was ended.", hint="Try again, or run doctor.")
            for key, _ in self._selector.select(0.005):
                self._serve(key.fileobj)
        if status < 0:
            raise GitKilled(f"Git was ended by signal {-status}.", hint="Try again; if it happens again, run doctor.")
        if status:
            problem = GitFailed(
                "Git could not answer for this repository.",
                hint="Run `git fsck` in the workspace, or doctor, to see what is wrong.",
            )
            problem.said = bytes(self._said[:_STDERR_KEPT]).decode("utf-8", "replace")
            raise problem


def _widen(pipe: IO[bytes] | None) -> None:
    if pipe is not None and hasattr(fcntl, "F_SETPIPE_SZ"):
        with suppress(OSError):  # more than a user may have; then it is as wide as it was
            fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, _PIPE)
