"""The one confined path opener, and the atomic confined writer that products use.

Nothing outside a root is read or written, whatever links or names say. On Linux the kernel
holds that promise (`openat2`); elsewhere every step is opened by descriptor without following
links. Paths are POSIX, relative, with bytes that are not UTF-8 as surrogates.
"""

import ctypes
import errno
import hashlib
import os
import re
import secrets
import stat
import struct
import sys
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from yoimemory.errors import BadInput, Refused

TEMP_PREFIX = ".yoimemory-tmp-"
"""Names of files that are being written; watchers and readers pass them by."""

PATH_MAX = 4_096
NAME_MAX = 255
WRITE_MAX = 64 << 20

_OPENAT2 = 437
_BENEATH_WITHOUT_LINKS = 0x02 | 0x04 | 0x08  # RESOLVE_NO_MAGICLINKS | RESOLVE_NO_SYMLINKS | RESOLVE_BENEATH
_READ = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK | getattr(os, "O_NOCTTY", 0)
_FOLDER = os.O_RDONLY | os.O_CLOEXEC | os.O_DIRECTORY | os.O_NOFOLLOW
_REASONS = {
    errno.ELOOP: "a symbolic link is on the way, and links are not followed",
    errno.ENOTDIR: "a step on the way is a file or a link, not a folder",
    errno.EISDIR: "it is a folder",
    errno.EACCES: "the permissions of the file do not let us read it",
    errno.EPERM: "the permissions of the file do not let us read it",
    errno.ENXIO: "it is a pipe or socket, not a file",
    errno.ENAMETOOLONG: "the name is too long for this file system",
    errno.EXDEV: "it leads out of the workspace",
    errno.EIO: "the disk reported a read error",
}


class OutsideRoot(BadInput):
    """The path is absolute, climbs out, or names git's own folder."""


class Unopenable(Refused):
    """The path lies inside the root but cannot be read as a plain file; `reason` says why in one clause."""

    def __init__(self, path: str, reason: str, *, hint: str = "") -> None:
        super().__init__(f"{shown(path)} could not be opened: {reason}.", hint=hint)
        self.path, self.reason = path, reason


class Missing(Unopenable):
    """There is no file of this name."""

    status = 404

    def __init__(self, path: str) -> None:
        super().__init__(path, "there is no file of this name")


class Changed(Refused):
    """The file is not the one that the caller saw; nothing was written."""


def shown(path: str) -> str:
    """A path as it may be stored and shown: bytes that are not UTF-8 as escapes, nothing else altered."""
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def check_path(path: str) -> list[str]:
    """The steps of a relative path.

    Raises OutsideRoot for whatever could leave the root or reach git's own folder, in the same
    words whether anything is there or not.
    """
    steps = path.split("/")
    raw = path.encode("utf-8", "surrogateescape") if _is_encodable(path) else None
    if (
        raw is None
        or not path
        or "\0" in path
        or len(raw) > PATH_MAX
        or any(step in {"", ".", ".."} or len(step.encode("utf-8", "surrogateescape")) > NAME_MAX for step in steps)
        or (not _surely_plain(path) and any(_is_git(step) for step in steps))
    ):
        raise OutsideRoot(
            f"{shown(path[:200]) if raw is not None else 'This'!r} is not a path of the workspace.",
            hint="Give a path relative to the workspace root, such as docs/guide.md.",
        )
    return steps


def _is_encodable(path: str) -> bool:
    try:
        path.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return False
    return True


def _surely_plain(path: str) -> bool:
    """A quick look that settles nearly every path of a workspace."""
    return path.isascii() and "~" not in path and ".git" not in path.lower()


def _is_git(step: str) -> bool:
    """Whether some file system would take this step for `.git` (case, 8.3, ignorable code points, streams)."""
    for part in step.split("\\"):
        seen = "".join(char for char in part if unicodedata.category(char) != "Cf").casefold()
        seen = seen.split(":", 1)[0].rstrip(" .")
        if seen == ".git" or re.fullmatch(r"git~[0-9]+|gi[0-9a-f]{4}~[0-9]+", seen):
            return True
    return False


@contextmanager
def open_root(root: Path | str) -> Iterator[int]:
    """A descriptor of the root folder. Raises Unopenable if it is no folder."""
    try:
        descriptor = os.open(root, os.O_RDONLY | os.O_CLOEXEC | os.O_DIRECTORY)
    except OSError as error:
        raise Unopenable(str(root), _reason(error), hint="Check that the folder still exists.") from error
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def read_bytes(root: Path, path: str, *, limit: int) -> bytes:
    """The bytes of one regular file below the root.

    Raises OutsideRoot, Missing, or Unopenable (a link, a device, longer than `limit`).
    """
    with open_root(root) as folder:
        return read_at(folder, path, limit=limit)[0]


def read_at(root: int, path: str, *, limit: int) -> tuple[bytes, os.stat_result]:
    """Like `read_bytes`, from an open root, with what `fstat` said of the very file that was read."""
    descriptor = open_at(root, path)
    try:
        found = os.fstat(descriptor)
        if found.st_size > limit:
            raise Unopenable(path, f"it has {found.st_size:,} bytes and at most {limit:,} are read")
        chunks, left = [], limit + 1
        while left > 0 and (chunk := os.read(descriptor, min(left, 1 << 20))):
            chunks.append(chunk)
            left -= len(chunk)
        if left <= 0:
            raise Unopenable(path, f"it grew past {limit:,} bytes while it was read")
        return b"".join(chunks), found
    except OSError as error:
        raise Unopenable(path, _reason(error)) from error
    finally:
        os.close(descriptor)


def open_at(root: int, path: str) -> int:
    """A descriptor of a regular file below an open root, never through a link."""
    steps = check_path(path)
    try:
        descriptor = _open(root, steps, _READ)
    except FileNotFoundError as error:
        raise Missing(path) from error
    except OSError as error:
        raise Unopenable(path, _reason(error)) from error
    mode = os.fstat(descriptor).st_mode
    if not stat.S_ISREG(mode):
        os.close(descriptor)
        raise Unopenable(path, "it is a folder" if stat.S_ISDIR(mode) else "it is a device or pipe, not a file")
    return descriptor


def _reason(error: OSError) -> str:
    return _REASONS.get(error.errno or 0, (error.strerror or "the system refused").lower())


def _open(root: int, steps: list[str], flags: int) -> int:
    names = [step.encode("utf-8", "surrogateescape") for step in steps]
    if _kernel_confines():
        return _openat2(root, b"/".join(names), flags)
    return _walk(root, names, flags)


def _openat2(root: int, path: bytes, flags: int) -> int:
    assert _LIBC is not None  # noqa: S101 - asked only where the kernel confines
    how = struct.pack("QQQ", flags, 0, _BENEATH_WITHOUT_LINKS)
    for _ in range(8):
        descriptor: int = _LIBC.syscall(_OPENAT2, root, path, how, len(how))
        if descriptor >= 0:
            return descriptor
        code = ctypes.get_errno()
        if code not in {errno.EAGAIN, errno.EINTR}:  # EAGAIN: a rename elsewhere raced with the look-up
            break
    raise OSError(code, os.strerror(code))


def _walk(root: int, names: list[bytes], flags: int) -> int:
    """Open step by step, no link followed, for systems without `openat2`."""
    folder = root
    try:
        for name in names[:-1]:
            deeper = os.open(name, _FOLDER, dir_fd=folder)
            if folder != root:
                os.close(folder)
            folder = deeper
        return os.open(names[-1], flags, dir_fd=folder)
    finally:
        if folder != root:
            os.close(folder)


_LIBC = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None
_confines: bool | None = None


def _kernel_confines() -> bool:
    """Whether `openat2` is there (Linux 5.6, and no sandbox that forbids it); asked once."""
    global _confines
    if _confines is None:
        _confines = False
        if _LIBC is not None:
            with suppress(OSError), open_root("/") as folder:
                os.close(_openat2(folder, b".", _FOLDER))
                _confines = True
    return _confines


# --- writing ---------------------------------------------------------------------------------


def digest_of(data: bytes) -> str:
    """What `write_bytes` compares: SHA-256 of bytes, as hex digits."""
    return hashlib.sha256(data).hexdigest()


def write_bytes(root: Path, path: str, data: bytes, *, expect_digest: str) -> None:
    """Put these bytes in the place of a file below the root, whole or not at all.

    `expect_digest` is the digest of what the caller saw there, or empty for a file that must not
    exist yet. Missing folders are made; the mode of an existing file stays.
    Raises OutsideRoot, Unopenable (a link is never written through) or Changed.
    """
    steps = check_path(path)
    if len(data) > WRITE_MAX:
        raise Unopenable(path, f"{len(data):,} bytes are more than the {WRITE_MAX:,} that may be written")
    with open_root(root) as top, _folder(top, steps[:-1], path) as folder:
        mode = _check_expected(folder, steps[-1], path, expect_digest)
        _replace(folder, steps[-1], path, data, mode)


@contextmanager
def _folder(root: int, steps: list[str], path: str) -> Iterator[int]:
    """A descriptor of the folder a file goes into, made where it is missing, no link on the way."""
    folder = os.dup(root)
    try:
        for step in steps:
            name = step.encode("utf-8", "surrogateescape")
            with suppress(FileExistsError):
                os.mkdir(name, 0o777, dir_fd=folder)
                os.fsync(folder)
            deeper = os.open(name, _FOLDER, dir_fd=folder)
            os.close(folder)
            folder = deeper
        yield folder
    except OSError as error:
        raise Unopenable(path, _reason(error)) from error
    finally:
        os.close(folder)


def _check_expected(folder: int, name: str, path: str, expect_digest: str) -> int | None:
    """The mode of the file that is there, after comparing it with what the caller saw; None for a new file."""
    try:
        data, found = read_at(folder, name, limit=WRITE_MAX)
    except Missing:
        if expect_digest:
            raise Changed(f"{shown(path)} is no longer there; nothing was written.") from None
        return None
    except Unopenable as error:
        raise Unopenable(path, error.reason) from error
    if not expect_digest:
        raise Changed(f"{shown(path)} exists already; nothing was written.", hint="Look at it and choose again.")
    if digest_of(data) != expect_digest.removeprefix("sha256:"):
        raise Changed(
            f"{shown(path)} was changed since it was read; nothing was written.",
            hint="Look at the new text and make the change again on top of it.",
        )
    return stat.S_IMODE(found.st_mode)


def _replace(folder: int, name: str, path: str, data: bytes, mode: int | None) -> None:
    temporary = f"{TEMP_PREFIX}{secrets.token_hex(8)}"
    target = name.encode("utf-8", "surrogateescape")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW
    descriptor = os.open(temporary, flags, 0o666, dir_fd=folder)
    try:
        try:
            view = memoryview(data)
            while view:
                view = view[os.write(descriptor, view) :]
            if mode is not None:
                os.fchmod(descriptor, mode)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        if mode is None:
            _link_new(folder, temporary, target, path)
        else:
            os.rename(temporary, target, src_dir_fd=folder, dst_dir_fd=folder)
        os.fsync(folder)
    finally:
        with suppress(FileNotFoundError):
            os.unlink(temporary, dir_fd=folder)


def _link_new(folder: int, temporary: str, target: bytes, path: str) -> None:
    """Give a new file its name without ever taking the place of one that appeared meanwhile."""
    try:
        os.link(temporary, target, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
    except FileExistsError as error:
        raise Changed(f"{shown(path)} appeared meanwhile; nothing was written.") from error
    except (OSError, NotImplementedError):  # a file system without hard links
        os.rename(temporary, target, src_dir_fd=folder, dst_dir_fd=folder)


def remove_file(root: Path, path: str, *, expect_digest: str) -> None:
    """Take away a file that we wrote, if it is still the one we wrote (to undo an export).

    Raises OutsideRoot, Unopenable or Changed.
    """
    with _existing_folder(root, path) as (folder, name):
        _check_expected(folder, name, path, expect_digest or "-")
        os.unlink(name.encode("utf-8", "surrogateescape"), dir_fd=folder)
        os.fsync(folder)


def remove_leftovers(root: Path, path: str) -> int:
    """Take away what a killed writer left beside this path (our own temporary names only); return how many.

    Call it while nobody writes there. Raises OutsideRoot or Unopenable.
    """
    try:
        with _existing_folder(root, path) as (folder, _), os.scandir(folder) as entries:
            names = [entry.name for entry in entries if entry.name.startswith(TEMP_PREFIX)]
            for name in names:
                os.unlink(name, dir_fd=folder)
    except Missing:
        return 0
    return len(names)


@contextmanager
def _existing_folder(root: Path, path: str) -> Iterator[tuple[int, str]]:
    """A descriptor of the folder that holds a path, and the path's last step."""
    steps = check_path(path)
    with open_root(root) as top:
        try:
            folder = _open(top, steps[:-1], _FOLDER) if len(steps) > 1 else os.dup(top)
        except FileNotFoundError as error:
            raise Missing(path) from error
        except OSError as error:
            raise Unopenable(path, _reason(error)) from error
        try:
            yield folder, steps[-1]
        except OSError as error:
            raise Unopenable(path, _reason(error)) from error
        finally:
            os.close(folder)
