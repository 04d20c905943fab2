"""A small workspace in git for tests, built with a clean environment and fixed dates."""

import subprocess
from pathlib import Path

CLEAN = {
    "PATH": "/usr/local/bin:/usr/bin:/bin",
    "HOME": "/nonexistent",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_AUTHOR_NAME": "Hana",
    "GIT_AUTHOR_EMAIL": "hana@example.invalid",
    "GIT_COMMITTER_NAME": "Hana",
    "GIT_COMMITTER_EMAIL": "hana@example.invalid",
}


class Repo:
    """A repository in a folder: write files, commit them, ask plain git for the truth."""

    def __init__(self, root: Path) -> None:
        self.root, self._minute = root, 0
        root.mkdir(parents=True, exist_ok=True)
        self.git("init", "-q", "-b", "main", "--template=")

    def git(self, *args: str, stdin: bytes = b"", ok: bool = True) -> str:
        when = f"{1_780_000_000 + 60 * self._minute} +0900"
        env = CLEAN | {"GIT_AUTHOR_DATE": when, "GIT_COMMITTER_DATE": when}
        done = subprocess.run(["git", *args], cwd=self.root, env=env, input=stdin, capture_output=True, check=False)
        assert done.returncode == 0 or not ok, done.stderr.decode()
        return done.stdout.decode("utf-8", "surrogateescape").strip()

    def write(self, path: str, data: str | bytes) -> Path:
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data.encode() if isinstance(data, str) else data)
        return place

    def commit(self, message: str = "change", **files: str | bytes) -> str:
        """Commit everything that lies there; `files` are written first, `__` in a name for a slash."""
        for path, data in files.items():
            self.write(path.replace("__", "/").replace("_dot_", "."), data)
        self._minute += 1
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "--no-verify", "-F", "-", stdin=message.encode())
        return self.git("rev-parse", "HEAD")

    def ticket(
        self, ident: str, *, title: str = "A ticket", state: str = "ready", thread: str = "", body: str = "Body.\n"
    ) -> None:
        self.write(
            f".yoi/tickets/{ident}/item.md",
            f"---\ntitle: '{title}'\nstate: '{state}'\ncreated_at: '2026-07-01T10:00:00Z'\n"
            f"updated_at: '2026-07-02T10:00:00Z'\n---\n\n{body}",
        )
        if thread:
            self.write(f".yoi/tickets/{ident}/thread.md", thread)
