"""The shadow git dir: git runs over a folder of ours that borrows objects and refs, never configuration.

A workspace may come from an archive or an agent, so its `.git/config` counts as hostile: it can
name programs that plain git would run. The shadow holds a config that we wrote, a copy of HEAD
and of the ignore rules, and links to the data. No hook, filter or program of a workspace has a
name in it.
"""

import os
import shutil
import stat
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex

from yoimemory import env
from yoimemory.errors import BadInput
from yoimemory.sources.opener import Missing, OutsideRoot, Unopenable, open_root, read_at, read_bytes
from yoimemory.sources.process import Child, GitFailed, GitMissing

_BORROWED = ("objects", "refs", "packed-refs", "shallow", "reftable")
_SMALL = 1 << 20
_INDEX_MAX = 256 << 20
_TRUE_FALSE = {"true", "false"}
_COPIED = {
    "core.filemode": _TRUE_FALSE, "core.ignorecase": _TRUE_FALSE, "core.precomposeunicode": _TRUE_FALSE,
    "core.symlinks": _TRUE_FALSE, "core.autocrlf": {"true", "false", "input"}, "core.eol": {"lf", "crlf", "native"},
}  # fmt: skip


class NotAWorkspace(BadInput):
    """The folder cannot be registered: it is missing, bare, someone else's, or borrows from outside."""


@dataclass(frozen=True, slots=True)
class Repository:
    """What stands behind a folder: its work tree, its own git dir and the one it shares with its siblings."""

    root: Path
    git_dir: Path
    common_dir: Path


def find_repository(path: Path) -> Repository | None:
    """The repository whose work tree is exactly this folder, or None for a plain folder.

    Parent folders are never searched. Raises NotAWorkspace where git data is there but must not
    be used as it stands.
    """
    root = path.absolute()
    if not root.is_dir():
        raise NotAWorkspace(f"{root} is not a folder.", hint="Give the folder of your repository.")
    dot_git = root / ".git"
    if not os.path.lexists(dot_git):
        if all((root / name).exists() for name in ("HEAD", "objects", "refs")):
            raise NotAWorkspace(
                f"{root} is a bare repository: it has history but no files to work on.",
                hint="Clone it and register the clone.",
            )
        return None
    if dot_git.is_symlink():
        raise NotAWorkspace(
            f"The .git of {root} is a link to {dot_git.readlink()}.", hint="Register the folder that it belongs to."
        )
    git_dir, common_dir = (dot_git, dot_git) if dot_git.is_dir() else _linked(root, dot_git)
    _check_own(root, common_dir)
    main = common_dir.parent if common_dir.name == ".git" and common_dir.parent.is_dir() else root
    if main != root:
        git_dir = common_dir
    return Repository(main, git_dir, common_dir)


def _linked(root: Path, dot_git: Path) -> tuple[Path, Path]:
    """Follow the `.git` file of a linked work tree, if the repository names this very folder back."""
    text = _pointer(dot_git)
    target = Path(text.removeprefix("gitdir:").strip())
    git_dir = Path(os.path.normpath(root / target))
    try:
        back = Path(_text(git_dir, "gitdir").strip())
        common = Path(os.path.normpath(git_dir / _text(git_dir, "commondir").strip()))
    except (Unopenable, OutsideRoot):
        back, common = Path(), Path()
    registered = common.joinpath("worktrees") == git_dir.parent and Path(os.path.normpath(git_dir / back)) == dot_git
    if not text.startswith("gitdir:") or not registered:
        raise NotAWorkspace(
            f"The .git file of {root} points to {target}, which does not name this folder as its work tree.",
            hint="Register the repository that it belongs to, or run `git worktree repair` there.",
        )
    return git_dir, common


def _text(folder: Path, name: str) -> str:
    return read_bytes(folder, name, limit=_SMALL).decode("utf-8", "surrogateescape")


def _pointer(dot_git: Path) -> str:
    """What the `.git` file says. The opener denies every path of that name, so it is opened here, without links."""
    descriptor = os.open(dot_git, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        return os.read(descriptor, _SMALL).decode("utf-8", "surrogateescape")
    finally:
        os.close(descriptor)


def _check_own(root: Path, common: Path) -> None:
    """Refuse git data of another user, and git data that reaches outside its own folder."""
    owner = common.stat().st_uid
    mine = {os.geteuid()} | ({int(os.environ["SUDO_UID"])} if os.environ.get("SUDO_UID", "").isdigit() else set())
    if owner not in mine:
        raise NotAWorkspace(
            f"{root} belongs to another user (number {owner}), so its git data is not trusted.",
            hint=f"If you trust it, take it over: chown -R {os.geteuid()} {root}",
        )
    odd = [
        name
        for name in (*_BORROWED, "HEAD", "index", "config", "objects/info", "objects/pack")
        if (common / name).is_symlink()
    ]
    if os.path.lexists(common / "objects/info/alternates"):
        odd.append("objects/info/alternates")
    if os.path.lexists(common / "commondir"):
        odd.append("commondir")
    if odd:
        raise NotAWorkspace(
            f"The git data of {root} reaches outside its own folder ({', '.join(odd)}).",
            hint="Make it self-contained, for example with `git repack -a -d` and without alternates, then try again.",
        )


# --- git itself ------------------------------------------------------------------------------


def git_program() -> str:
    """The git that we run, by absolute path. Raises GitMissing."""
    found = shutil.which("git")
    if found is None:
        raise GitMissing("There is no git on this machine.", hint="Install git 2.39.4 or newer and start again.")
    return os.path.realpath(found)


def environment(shadow: Path, *, literal: bool = True) -> dict[str, str]:
    """The whole environment of a git process. Nothing of our own environment is handed on."""
    program = Path(git_program())
    return {
        "PATH": f"{program.parent}:/usr/bin:/bin",
        "HOME": str(_empty_home()),
        "LC_ALL": "C",
        "TZ": "UTC",
        "GIT_DIR": str(shadow),
        "GIT_CONFIG_COUNT": "0",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_ALLOW_PROTOCOL": "none",
        "GIT_PROTOCOL_FROM_USER": "0",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ASKPASS": "/bin/false",
        "GIT_SSH_COMMAND": "/bin/false",
        "GIT_PAGER": "cat",
        "GIT_EDITOR": "/bin/false",
        "GIT_CEILING_DIRECTORIES": str(shadow.parent),
        "GIT_DISCOVERY_ACROSS_FILESYSTEM": "0",
        **({"GIT_LITERAL_PATHSPECS": "1"} if literal else {}),
    }


def _empty_home() -> Path:
    home = env.home() / "shadow" / "empty-home"
    home.mkdir(parents=True, exist_ok=True, mode=0o700)
    return home


# --- making and refreshing -------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Shadow:
    """A shadow git dir that is ready, and what was learnt about the repository on the way."""

    path: Path
    repository: Repository
    partial: bool
    shallow: bool
    branch: str
    """The branch that HEAD names, empty when HEAD is detached."""


def ready_shadow(name: str, repository: Repository) -> Shadow:
    """Make or refresh the shadow of a repository; cheap when nothing moved.

    Raises NotAWorkspace if the repository has meanwhile become one that must not be used.
    """
    _check_own(repository.root, repository.common_dir)
    folder = env.home() / "shadow" / name
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    common = repository.common_dir
    for borrowed in _BORROWED:
        _link(folder / borrowed, common / borrowed)
    config = _read(common, "config") or b""
    known = folder / "config.of"
    if not known.exists() or known.read_bytes() != config:
        put_file(folder / "config", _own_config(folder, config))
        put_file(known, config)
    head = _read(repository.git_dir, "HEAD") or b"ref: refs/heads/main\n"
    put_file(folder / "HEAD", head)
    put_file(folder / "info" / "exclude", _read(common, "info/exclude") or b"")
    text = head.decode("utf-8", "surrogateescape").strip()
    branch = text.removeprefix("ref:").strip().removeprefix("refs/heads/") if text.startswith("ref:") else ""
    partial = b"partialclone" in config.lower() or b"promisor" in config.lower()
    return Shadow(folder, repository, partial, (common / "shallow").exists(), branch)


def copy_index(shadow: Shadow) -> None:
    """Bring a copy of the index into the shadow (for status only; the real one is never opened by git)."""
    for name in ("index", *(path.name for path in shadow.repository.git_dir.glob("sharedindex.*"))):
        data = _read(shadow.repository.git_dir, name, limit=_INDEX_MAX)
        if data is None:
            with suppress(FileNotFoundError):
                (shadow.path / name).unlink()
        else:
            put_file(shadow.path / name, data)


def _read(folder: Path, name: str, *, limit: int = _SMALL) -> bytes | None:
    try:
        with open_root(folder) as root:
            return read_at(root, name, limit=limit)[0]
    except Missing:
        return None


def _link(link: Path, target: Path) -> None:
    with suppress(OSError):
        if link.readlink() == target:
            return
    fresh = link.with_name(f".{token_hex(6)}")
    fresh.symlink_to(target)
    fresh.replace(link)


def put_file(path: Path, data: bytes) -> None:
    """Write a small file of ours, whole or not at all, only if it differs: several processes share the shadow."""
    with suppress(FileNotFoundError):
        if path.read_bytes() == data:
            return
    path.parent.mkdir(mode=0o700, exist_ok=True)
    fresh = path.with_name(f".{token_hex(6)}")
    fresh.write_bytes(data)
    fresh.chmod(stat.S_IRUSR | stat.S_IWUSR)
    fresh.replace(path)


def _own_config(folder: Path, theirs: bytes) -> bytes:
    """Our config: the formats that the data is in, and nothing that names a program."""
    values = _values_of(folder, theirs)
    object_format = values.get("extensions.objectformat", "sha1").lower()
    ref_format = values.get("extensions.refstorage", "files").lower()
    if object_format not in {"sha1", "sha256"} or ref_format not in {"files", "reftable"}:
        raise NotAWorkspace(
            f"The repository uses the format {object_format}/{ref_format}, which is unknown here.",
            hint="Update yoimemory, or register a clone in the usual format.",
        )
    core = {
        "fsmonitor": "false",
        "hooksPath": os.devnull,
        "bare": "false",
        "untrackedCache": "false",
        "attributesFile": os.devnull,
        "excludesFile": os.devnull,
        "pager": "cat",
        "quotePath": "false",
    }
    core |= {
        name.removeprefix("core."): values[name].lower()
        for name, allowed in _COPIED.items()
        if values.get(name, "").lower() in allowed
    }
    formats = {"objectFormat": object_format} if object_format != "sha1" else {}
    formats |= {"refStorage": ref_format} if ref_format != "files" else {}
    lines = ["[core]", f"\trepositoryformatversion = {1 if formats else 0}"]
    lines += [f"\t{name} = {value}" for name, value in core.items()]
    if formats:
        lines += ["[extensions]", *(f"\t{name} = {value}" for name, value in formats.items())]
    lines += [
        "[diff]",
        "\tignoreSubmodules = all",
        "[status]",
        "\tsubmoduleSummary = false",
        "[submodule]",
        "\trecurse = false",
        "[gc]",
        "\tauto = 0",
        "[log]",
        "\tshowSignature = false",
        "[protocol]",
        "\tallow = never",
        "",
    ]
    return "\n".join(lines).encode()


def _values_of(folder: Path, config: bytes) -> dict[str, str]:
    """Keys and values of a config text, read by git itself but from a pipe and without includes."""
    if not config.strip():
        return {}
    argv = [git_program(), "config", "--file", "-", "--no-includes", "--null", "--list"]
    try:
        with Child(argv, env=environment(folder), cwd=folder, stdin=config, total=20) as child:
            pairs = [token.decode("utf-8", "replace").partition("\n") for token in child.tokens()]
    except GitFailed as error:
        raise NotAWorkspace(
            "The repository's configuration file is broken.", hint="Run `git config --list` there to see the line."
        ) from error
    return {name.lower(): value for name, _, value in pairs}
