"""Names and bytes of one state of a workspace: the working tree as it is now, or one commit.

Which files a working tree has, in one rule: those of HEAD that are still there, those that git
does not ignore, and everything below ALSO_WHEN_IGNORED, ignored or not. Nested
repositories and submodules are not entered. A link is never followed; one that leads to a file
we read under its own name is passed by, any other is listed as unreadable.
"""

import os
import posixpath
import stat
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import cached_property
from pathlib import Path

from yoimemory.refs import SourceRef
from yoimemory.sources.beside import Beside, find_beside
from yoimemory.sources.git import Blobs, CommitIds, Git, NoSuchRevision, open_git
from yoimemory.sources.gone import Gone, gone_tickets
from yoimemory.sources.kept import kept_folder
from yoimemory.sources.linked import LinkedFile, uncommitted
from yoimemory.sources.links import Linker, NoLinks
from yoimemory.sources.models import AddedSource, Workspace
from yoimemory.sources.opener import TEMP_PREFIX, Missing, OutsideRoot, Unopenable, check_path, open_root, read_at
from yoimemory.sources.places import FILED_TICKETS, MEMORY_FOLDERS, TICKET_FOLDERS, paths_of, place_of
from yoimemory.sources.reading import READ_MAX, AddedFolder, Document, Tree
from yoimemory.sources.streams import blob_digest, chunks_at, hashed
from yoimemory.sources.walk import outside_bare, walk

ALSO_WHEN_IGNORED = (".yoi/memory", ".yoi/sessions", *MEMORY_FOLDERS)

BLOB_MAX = 128 << 20
"""Bytes of a long log that is read from a commit, where it comes whole."""

_FILE_MODES = {"100644", "100755", "100664"}


def _no_commit(prefix: str) -> str:
    return ""


class _Listing:
    """What the kinds of tree share: links in texts, and which ids are objectives'."""

    revision = ""
    folders: tuple[AddedFolder, ...] = ()
    is_added = False
    _commit_id: Callable[[str], str] = staticmethod(_no_commit)

    def files(self, under: str = "") -> dict[str, str]:
        raise NotImplementedError

    @cached_property
    def linker(self) -> Linker:
        paths = self.files(".yoi/objectives")
        return Linker(frozenset(path.split("/")[2] for path in paths if path.count("/") > 2), self._commit_id)


class FolderTree(_Listing):
    """A plain folder without revisions: a workspace without git, or an added source."""

    def __init__(self, root: int, *, is_added: bool = False, only: str = "") -> None:
        self._root, self.is_added, self._only = root, is_added, only

    @cached_property
    def _all(self) -> dict[str, str]:
        found = dict(walk(self._root, everything=self.is_added))
        return _fingerprints(self._root, found, {})

    def files(self, under: str = "") -> dict[str, str]:
        if self._only:
            return {self._only: self._all_of_one()} if not under else {}
        return _below(self._all, under)

    def _all_of_one(self) -> str:
        return _fingerprint(os.stat(os.fsencode(self._only), dir_fd=self._root, follow_symlinks=False), "")

    def read(self, path: str, *, limit: int = READ_MAX) -> bytes:
        return read_at(self._root, path, limit=limit)[0]

    def chunks(self, path: str) -> Iterator[bytes]:
        return chunks_at(self._root, path)

    def is_committed(self, path: str) -> bool:
        return False


class WorkingTree(_Listing):
    """The files as they lie on disk now, beside the commit that HEAD names."""

    def __init__(self, root: int, git: Git, commit: str, texts: Blobs, commit_id: Callable[[str], str]) -> None:
        self._root, self._git, self.revision, self._blobs = root, git, commit, texts
        self._commit_id = commit_id
        self._heads: dict[str, dict[str, str]] = {}
        self._listed: dict[str, dict[str, str]] = {}
        self._hashes: dict[str, str] = {}

    def files(self, under: str = "") -> dict[str, str]:
        known = _covering(self._listed, under)
        if known is not None:
            return _below(known, under)
        head = self._head(under)
        names = dict.fromkeys([*head, *outside_bare(self._root, self._untracked(under))])
        found: dict[str, os.stat_result] = {}
        for path in names:
            if (status := _lstat(self._root, path)) is not None:
                found[path] = status
        for folder in ALSO_WHEN_IGNORED:
            if not under or (folder + "/").startswith(under + "/") or (under + "/").startswith(folder + "/"):
                found |= dict(walk(self._root, max(folder, under, key=len), everything=True))
                status = _lstat(self._root, under)
                if status is not None and stat.S_ISREG(status.st_mode):  # one record was asked for, not its folder
                    found[under] = status
        self._listed[under] = _fingerprints(self._root, dict(sorted(found.items())), head)
        return self._listed[under]

    def _untracked(self, under: str) -> Iterator[str]:
        """Files that git does not ignore. Asked with an empty index, so that a broken one cannot hide anything."""
        where = ("--", "/".join(check_path(under))) if under else ()
        with self._git.stream("ls-files", "-z", "--others", "--exclude-standard", *where, work_tree=True) as child:
            for token in child.tokens():
                path = token.decode("utf-8", "surrogateescape")
                if not path.endswith("/") and not path.rsplit("/", 1)[-1].startswith(TEMP_PREFIX):
                    yield path

    def _head(self, under: str) -> dict[str, str]:
        """Blob ids of HEAD's files, by path; gitlinks and links are no files."""
        known = _covering(self._heads, under)
        if known is not None:
            return known
        if not self.revision:
            return {}
        entries = self._git.tree_entries(self.revision, under)
        self._heads[under] = {path: blob for mode, blob, path in entries if mode != "160000"}
        return self._heads[under]

    def gone(self, ticket: str = "") -> dict[str, Gone]:
        """Also what HEAD has, for where the working tree has it no longer."""
        found = _only(gone_tickets(self._git, self.revision), ticket)
        places = paths_of(SourceRef("ticket", ticket)) if ticket else (*TICKET_FOLDERS, FILED_TICKETS)
        for path, blob in ((path, blob) for place in places for path, blob in self._head(place).items()):
            place = place_of(path)
            if place.reader == "tickets":
                name = place.unit.partition(":")[2]
                if name not in found or found[name].removed_in:
                    found[name] = Gone(name, self.revision, "", None, {})
                found[name].files[path] = blob
        return _only(found, ticket)

    def past(self, gone: Gone) -> Tree:
        return PastTree(self._git, gone, self._blobs, self.linker)

    @cached_property
    def beside(self) -> Beside:
        """What differs on branches that HEAD does not have."""
        return find_beside(self._git, self.revision, self._head(""))

    @cached_property
    def linked(self) -> list[LinkedFile]:
        """What lies uncommitted in linked work trees."""
        return uncommitted(self._git) if self.revision else []

    def linked_text(self, tree: str, path: str) -> Document:
        from yoimemory.sources.history import read_linked  # which reads commits by a reader, and readers read trees

        return read_linked(self._git, tree, path)

    def head_files(self, under: str) -> dict[str, str]:
        return _below(self._head(under), under)

    def past_files(self, commit: str, files: Mapping[str, str]) -> Tree:
        return self.past(Gone("", commit, "", None, dict(files)))

    def blob(self, blob: str, limit: int) -> bytes | None:
        return self._blobs.read(blob, limit=limit)

    def read(self, path: str, *, limit: int = READ_MAX) -> bytes:
        data = read_at(self._root, path, limit=limit)[0]
        digest = blob_digest(len(data), algorithm=self._algorithm)
        digest.update(data)
        self._hashes[path] = digest.hexdigest()
        return data

    @property
    def _algorithm(self) -> str:
        return "sha256" if len(self.revision) == 64 else "sha1"

    def chunks(self, path: str) -> Iterator[bytes]:
        """The bytes in pieces. Once all were read, it is known whether they are those of HEAD."""
        status = _lstat(self._root, path)
        if path not in self._head(path) or status is None:
            yield from chunks_at(self._root, path)
            return
        digest = blob_digest(status.st_size, algorithm=self._algorithm)
        yield from hashed(chunks_at(self._root, path), digest)
        self._hashes[path] = digest.hexdigest()

    def is_committed(self, path: str) -> bool:
        """Whether the bytes that were read are those of HEAD's blob, filters and line ends left aside."""
        if not self.revision or path not in self._head(path):
            return False
        if path not in self._hashes:
            try:
                self.read(path)
            except Unopenable:
                return False
        return self._head(path).get(path) == self._hashes[path]


class CommitTree(_Listing):
    """The files of one commit."""

    def __init__(self, git: Git, commit: str, texts: Blobs, commit_id: Callable[[str], str]) -> None:
        self._git, self.revision, self._blobs = git, commit, texts
        self._commit_id = commit_id
        self._listed: dict[str, dict[str, str]] = {}

    def files(self, under: str = "") -> dict[str, str]:
        known = _covering(self._listed, under)
        if known is not None:
            return _below(known, under)
        entries = self._git.tree_entries(self.revision, under)
        self._listed[under] = {path: blob for mode, blob, path in entries if mode in _FILE_MODES and _is_plain(path)}
        return self._listed[under]

    def read(self, path: str, *, limit: int = READ_MAX) -> bytes:
        blob = self.files(path).get(path)
        if blob is None:
            raise Missing(path)
        data = self._blobs.read(blob, limit=limit)
        if data is None:
            raise Unopenable(path, f"its text is not on this machine, or longer than {limit:,} bytes")
        return data

    def chunks(self, path: str) -> Iterator[bytes]:
        yield self.read(path, limit=BLOB_MAX)

    def is_committed(self, path: str) -> bool:
        return True

    def gone(self, ticket: str = "") -> dict[str, Gone]:
        return _only(gone_tickets(self._git, self.revision), ticket)

    def past(self, gone: Gone) -> Tree:
        return PastTree(self._git, gone, self._blobs, self.linker)


class PastTree(CommitTree):
    """The files of a ticket at the last commit that had it. Their blobs are known, so git is not asked for a list."""

    def __init__(self, git: Git, gone: Gone, texts: Blobs, linker: Linker) -> None:
        super().__init__(git, gone.commit, texts, _no_commit)
        self._listed = {"": {path: blob for path, blob in gone.files.items() if _is_plain(path)}}
        self.linker = linker

    def gone(self, ticket: str = "") -> dict[str, Gone]:
        return {}


def _only(gone: dict[str, Gone], ticket: str) -> dict[str, Gone]:
    """A copy: all of them, or the one that is asked for."""
    return {name: each for name, each in gone.items() if not ticket or name == ticket}


@contextmanager
def open_tree(workspace: Workspace, revision: str = "", *, with_links: bool = True) -> Iterator[Tree]:
    """A state of the workspace to read: its working tree, or the commit that `revision` names.

    Raises NoSuchRevision, BadRevision, NotAWorkspace, or Unopenable when the folder is gone.
    """
    with ExitStack() as stack:
        git = open_git(workspace)
        if revision:
            past = _commit_tree(stack, git, revision)
            if not with_links:
                past.linker = NoLinks()
            yield past
            return
        root = stack.enter_context(open_root(workspace.path))
        tree: FolderTree | WorkingTree
        if git is None:
            tree = FolderTree(root)
        else:
            texts, ids = stack.enter_context(Blobs(git)), stack.enter_context(CommitIds(git))
            tree = WorkingTree(root, git, git.head(), texts, ids)
        if not with_links:
            tree.linker = NoLinks()
        tree.folders = (*added_folders(stack, workspace), kept_folder(workspace, tree.linker))
        yield tree


def _commit_tree(stack: ExitStack, git: Git | None, revision: str) -> CommitTree:
    if git is None:
        raise NoSuchRevision("This workspace is a plain folder without git, so it has no revisions.")
    commit = git.resolve(revision)
    return CommitTree(git, commit, stack.enter_context(Blobs(git)), stack.enter_context(CommitIds(git)))


def added_folders(stack: ExitStack, workspace: Workspace) -> Iterator[AddedFolder]:
    """What a person chose to have read beside the repository, open for as long as the stack is."""
    for source in AddedSource.objects.filter(workspace=workspace).order_by("pk"):
        path = Path(source.path)
        try:
            is_file = path.is_file()
            root = stack.enter_context(open_root(path.parent if is_file else path))
        except (Unopenable, OSError):
            continue  # unplugged or moved: what was read of it stays until it is removed
        tree = FolderTree(root, is_added=True, only=path.name if is_file else "")
        yield AddedFolder(source.pk, source.kind, source.format, path.stem if is_file else path.name, tree)


def _covering(listed: dict[str, dict[str, str]], under: str) -> dict[str, str] | None:
    """What was listed before of a folder that holds this one."""
    for folder, files in listed.items():
        if not folder or under == folder or under.startswith(folder + "/"):
            return files
    return None


def _below(files: dict[str, str], under: str) -> dict[str, str]:
    if not under:
        return files
    return {path: mark for path, mark in files.items() if path == under or path.startswith(under + "/")}


def _is_plain(path: str) -> bool:
    try:
        check_path(path)
    except OutsideRoot:
        return False
    return True


def _lstat(root: int, path: str) -> os.stat_result | None:
    try:
        return os.stat(path.encode("utf-8", "surrogateescape"), dir_fd=root, follow_symlinks=False)
    except (OSError, ValueError):
        return None


def _fingerprints(root: int, found: dict[str, os.stat_result], head: dict[str, str]) -> dict[str, str]:
    """Fingerprints of the files among these, and of links that lead nowhere we read anyway."""
    files = {path: status for path, status in found.items() if stat.S_ISREG(status.st_mode) and _is_plain(path)}
    folders = {folder for path in files for folder in _parents(path)}
    marks = {}
    for path, status in found.items():
        if path in files:
            marks[path] = _fingerprint(status, head.get(path, ""))
        elif stat.S_ISLNK(status.st_mode) and _is_plain(path):
            target = _link_target(root, path)
            if target not in files and target not in folders:
                marks[path] = f"link-{status.st_mtime_ns}"
    return marks


def _fingerprint(status: os.stat_result, blob: str) -> str:
    return f"{status.st_mtime_ns}-{status.st_size}-{status.st_ino}" + (f"-{blob[:12]}" if blob else "")


def _parents(path: str) -> Iterator[str]:
    while "/" in path:
        path = path.rsplit("/", 1)[0]
        yield path


def _link_target(root: int, path: str) -> str:
    try:
        target = os.readlink(path.encode("utf-8", "surrogateescape"), dir_fd=root).decode("utf-8", "surrogateescape")
    except OSError:
        return ""
    return "" if target.startswith("/") else posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
