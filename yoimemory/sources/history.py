"""What lies in git and in no file: a commit, a diff, a branch, a work tree."""

import hashlib
import re
from dataclasses import replace
from pathlib import Path

from yoimemory.amounts import amount
from yoimemory.errors import BadInput, DomainError, NotFound, Refused
from yoimemory.refs import SourceRef, lines_fragment
from yoimemory.sources.blocks import block_passages
from yoimemory.sources.decoding import NotText, clean, decode, lines_of
from yoimemory.sources.git import CommitIds, Git, open_git
from yoimemory.sources.masking import mask
from yoimemory.sources.models import Workspace
from yoimemory.sources.opener import Missing, Unopenable, open_root, read_at, read_bytes, shown
from yoimemory.sources.process import GitFailed, GitTooMuch
from yoimemory.sources.readers.commits import LOG_ARGUMENTS, read_log
from yoimemory.sources.reading import READ_MAX, Document, Link, Passage
from yoimemory.sources.shadow import find_repository
from yoimemory.sources.texts import noted

DIFF_MAX = 4 << 20
AHEAD_MAX = 50

_EMPTY_TREES = {
    40: "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    64: "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
}
_HEX = re.compile(r"[0-9a-f]{4,64}")


CUT = (
    "The history of this clone is cut here (shallow): what came before is not on this machine, so the commit seems to "
    "add every file it has."
)


class NoHistory(NotFound):
    """The workspace has no git, or git has nothing of that name."""


class NotShown(Refused):
    """The answer is longer than is held at once, or a part of it is not on this machine."""


def _git(workspace: Workspace) -> Git:
    git = open_git(workspace)
    if git is None:
        raise NoHistory("This workspace is a plain folder without git, so it has no commits, diffs or branches.")
    return git


def _commit_id(git: Git, text: str) -> str:
    if not _HEX.fullmatch(text):
        raise BadInput(f"{text[:80]!r} is not the id of a commit.", hint="Give at least four of its hex digits.")
    return git.resolve(text)


def _commit(git: Git, commit: str) -> Document:
    renames = "-M100%" if git.shadow.partial else "-M"
    with CommitIds(git) as ids, git.stream("log", *LOG_ARGUMENTS, "--max-count=1", renames, commit) as child:
        found = next(read_log(child.tokens(), objectives=git.objectives(commit), commit_id=ids))
    return noted(found, CUT, cut=True) if commit in cut_at(git) else found


def cut_at(git: Git) -> frozenset[str]:
    """The commits of a shallow clone whose parents it does not have; git tells them apart from first ones nowhere."""
    if not git.shadow.shallow:
        return frozenset()
    try:
        data = read_bytes(git.shadow.repository.common_dir, "shallow", limit=1 << 20)
    except Unopenable:
        return frozenset()
    return frozenset(data.decode("ascii", "replace").split())


def is_cut(workspace: Workspace) -> bool:
    """Whether a workspace is a shallow clone; False where git cannot say, and Diagnostics tells why."""
    try:
        git = open_git(workspace)
    except DomainError:
        return False
    return git is not None and bool(cut_at(git))


def read_commit(workspace: Workspace, ref: SourceRef) -> Document:
    """A commit by its id or the beginning of it; one that HEAD does not have is no authority yet."""
    git = _git(workspace)
    found = _commit(git, _commit_id(git, ref.locator))
    head = git.head()
    if head and git.run("rev-list", "--max-count=1", found.ref.locator, f"^{head}").strip():
        return replace(found, authority="semi", facts={**found.facts, "unmerged": True})
    return found


def read_diff(workspace: Workspace, ref: SourceRef) -> Document:
    """What a commit changed in one path, against its first parent. Raises NoHistory if it did not touch it."""
    git = _git(workspace)
    prefix, _, path = ref.locator.partition("/")
    if not path:
        raise BadInput(f"{ref} names no path.", hint="Write diff:<commit>/<path>.")
    about = _commit(git, _commit_id(git, prefix))
    commit, parents = about.ref.locator, about.facts["parents"]
    base = parents[0] if parents else _EMPTY_TREES[len(commit)]
    renames = "-M100%" if git.shadow.partial else "-M"
    names = git.run("diff-tree", "-r", "-z", "--name-status", "--ignore-submodules=none", renames, base, commit)
    touched = _touched(names.decode("utf-8", "surrogateescape").split("\0"), path)
    if not touched:
        raise NoHistory(
            f"The commit {commit[:12]} does not touch {shown(path)}.", hint=f"See what it touches: commit:{commit}"
        )
    data = _patch(git, about, base, touched, path)
    decoded = data.decode("utf-8", "replace")
    text, replaced = clean(mask(decoded).text)
    lines = lines_of(text)
    return Document(
        ref=SourceRef("diff", f"{commit}/{path}"),
        title=f"{shown(path)} in {commit[:8]}: {about.title}"[:500],
        text=text,
        authority="authority",
        path=shown(path),
        author=about.author,
        at=about.at,
        revision=commit,
        lossy=replaced or "\ufffd" in decoded,
        language="diff",
        facts={"commit": commit, "parents": parents, **({"cut": True, "notes": [CUT]} if "cut" in about.facts else {})},
        passages=tuple(block_passages(lines, 1, len(lines), at=about.at, author=about.author)),
        links=(Link("parent", str(about.ref)),),
    )


def _patch(git: Git, about: Document, base: str, touched: list[str], path: str) -> bytes:
    options = ("-p", "--no-color", "--no-ext-diff", "--no-textconv", "--ignore-submodules=none", "--submodule=short")
    renames = "-M100%" if git.shadow.partial else "-M"
    commit = about.ref.locator
    try:
        return git.run("diff-tree", *options, renames, base, commit, "--", *touched, limit=DIFF_MAX)
    except GitTooMuch as error:
        raise NotShown(
            f"The change of {shown(path)} in {commit[:12]} is larger than {DIFF_MAX >> 20} MB.",
            hint="Open the file at the commit and at its parent instead.",
        ) from error
    except GitFailed as error:
        if not git.shadow.partial:
            raise
        raise NotShown(
            f"A text of {shown(path)} at {commit[:12]} is not on this machine, since the clone is a partial one.",
            hint="Fetch it with git in the workspace, then try again.",
        ) from error


def _touched(tokens: list[str], path: str) -> list[str]:
    """The old and new name under which a commit touched a path, from `--name-status -z`."""
    index = 0
    while index + 1 < len(tokens):
        count = 2 if tokens[index][:1] in "RC" else 1
        names = tokens[index + 1 : index + 1 + count]
        if path in names:
            return list(dict.fromkeys(names))
        index += 1 + count
    return []


def read_branch(workspace: Workspace, ref: SourceRef) -> Document:
    """Where a branch stands, and which of its commits HEAD does not have."""
    git = _git(workspace)
    branches = dict(git.refs("refs/heads", "refs/remotes"))
    commit = branches.get(ref.locator)
    if commit is None:
        near = git.nearest_name(ref.locator)
        raise NoHistory(f"There is no branch {ref.locator!r}.", hint=near)
    head = git.head()
    span = [commit, f"^{head}"] if head else [commit]
    total = int(git.run("rev-list", "--count", *span))
    rows = git.run("log", "-z", f"--max-count={AHEAD_MAX}", "--no-show-signature", "--format=%H%x00%ct%x00%s", *span)
    fields = rows.decode("utf-8", "replace").split("\0")
    ahead = [tuple(fields[index : index + 3]) for index in range(0, len(fields) - 2, 3)]
    tip = _commit(git, commit)
    listed = [f"{sha} {clean(subject)[0]}" for sha, _, subject in ahead]
    more = [f"… and {total - len(listed):,} more"] if total > len(listed) else []
    state = f"{amount(total, 'commit')} that HEAD does not have:" if total else "HEAD has all of its commits."
    text, _ = clean("\n".join([f"Branch {ref.locator} at {commit}", tip.title, "", state, *listed, *more]))
    count = text.count("\n") + 1
    return Document(
        ref=ref.bare,
        title=clean(f"Branch {ref.locator}")[0],
        text=text,
        authority="semi" if total else "authority",
        author=tip.author,
        at=tip.at,
        revision=commit,
        facts={"commit": commit, "ahead": total},
        passages=(Passage(lines_fragment(1, count), text, 1, count, at=tip.at),),
        links=tuple(Link("mentions", f"commit:{sha}") for sha, _, _ in ahead),
    )


def unmerged(workspace: Workspace, commit: str) -> str:
    """A sentence on a commit that HEAD does not have, naming the branches that do; empty for one that it has."""
    git = open_git(workspace)
    head = git.head() if git else ""
    if (
        git is None
        or not head
        or commit == head
        or not git.run("rev-list", "--max-count=1", commit, f"^{head}").strip()
    ):
        return ""
    names = git.run("for-each-ref", "--format=%(refname:short)", "--contains", commit, "refs/heads", "refs/remotes")
    on = [clean(name)[0] for name in names.decode("utf-8", "replace").split("\n") if name][:3]
    where = f"on {', '.join(on)}" if on else "on no branch"
    return f"Not merged: this text stands at a commit {where} that HEAD does not have."


def read_worktree(workspace: Workspace, ref: SourceRef) -> Document:
    """A linked work tree of the repository: where it lies, what it has checked out, whether it is locked or gone.

    With a path behind its name, the text of that file as it lies there now.
    """
    git = _git(workspace)
    name, _, path = ref.locator.partition("/")
    if path:
        return _worktree_file(git, ref, name, path)
    common = git.shadow.repository.common_dir
    about = {key: _about(common, ref.locator, key) for key in ("HEAD", "gitdir", "locked")}
    if about["gitdir"] is None:
        names = sorted(path.name for path in (common / "worktrees").glob("*"))
        raise NoHistory(
            f"There is no linked work tree {ref.locator!r}.",
            hint="Linked work trees: " + ", ".join(shown(name) for name in names[:10]) + "."
            if names
            else "The repository has no linked work trees.",
        )
    place = (about["gitdir"] or "").strip().removesuffix("/.git")
    head = (about["HEAD"] or "").strip()
    branch = head.removeprefix("ref: refs/heads/") if head.startswith("ref:") else ""
    commit = dict(git.refs("refs/heads")).get(branch, "") if branch else head
    gone = not (common.parent / place).is_dir()
    facts = [
        f"Work tree {ref.locator}",
        f"Folder: {place}",
        f"Branch: {branch or 'none, HEAD is detached'}",
        f"Commit: {commit or 'none yet'}",
    ]
    if about["locked"] is not None:
        facts.append(f"Locked: {about['locked'].strip() or 'without a reason'}")
    if gone:
        facts.append("Its folder is gone; `git worktree prune` would forget it.")
    text, _ = clean("\n".join(fact.replace("\n", " ") for fact in facts))
    return Document(
        ref=ref.bare,
        title=clean(f"Work tree {ref.locator}")[0],
        text=text,
        authority="semi",
        revision=commit,
        facts={"branch": branch, "commit": commit, "gone": gone, "locked": about["locked"] is not None},
        passages=(Passage(lines_fragment(1, len(facts)), text, 1, len(facts)),),
        links=(Link("parent", str(SourceRef("branch", branch))),) if branch else (),
    )


def read_linked(git: Git, name: str, path: str) -> Document:
    """A text of a linked work tree as it lies there now. Raises as `read_worktree` does."""
    return _worktree_file(git, SourceRef("worktree", f"{name}/{path}"), name, path)


def _worktree_file(git: Git, ref: SourceRef, name: str, path: str) -> Document:
    """A text of a linked work tree, attributed to it. The tree must point back at this repository."""
    common = git.shadow.repository.common_dir
    folder = Path((_about(common, name, "gitdir") or "").strip().removesuffix("/.git"))
    place = common.parent / folder
    try:
        linked_to = find_repository(place) if folder.name and place.is_dir() else None
        if linked_to is None or linked_to.common_dir != common:
            raise NoHistory(f"There is no linked work tree {name!r} with files here.", hint=f"See worktree:{name}.")
        with open_root(place) as root:
            decoded = decode(read_at(root, path, limit=READ_MAX)[0])
    except Missing as error:
        raise NoHistory(f"The work tree {name} has no file {shown(path)}.", hint=f"See worktree:{name}.") from error
    except (Unopenable, NotText) as error:
        raise NotShown(f"{shown(path)} of the work tree {name} cannot be shown.", hint=error.message) from error
    masked = mask(decoded.text)
    lines = lines_of(masked.text)
    return Document(
        ref=ref.bare,
        title=f"{shown(path)} in the work tree {name}"[:500],
        text=masked.text,
        authority="semi",
        path=shown(path),
        revision="sha256:" + hashlib.sha256(masked.text.encode("utf-8", "surrogatepass")).hexdigest(),
        uncommitted=True,
        lossy=decoded.lossy,
        facts={"worktree": name, **({"masked": masked.counts} if masked.counts else {})},
        passages=tuple(block_passages(lines, 1, len(lines))),
        links=(Link("parent", str(SourceRef("worktree", name))),),
    )


def _about(common: Path, name: str, key: str) -> str | None:
    try:
        data = read_bytes(common, f"worktrees/{name}/{key}", limit=1 << 16)
    except Unopenable:
        return None
    return data.decode("utf-8", "replace")
