"""The staircase: imports go down only, and only named rooms touch the dangerous doors."""

import subprocess
import sys

from tests.architecture.walk import ROOT, Module, modules

GIT_ALLOWED = {
    "yoimemory/demo/repository.py": "the demo builder writes the repository that it makes itself",
    "yoimemory/jobs/child.py": "the start of the indexer's child process",
    "yoimemory/cli/connect.py": "the entry that a client will start is started once",
}
SQL_ALLOWED = {
    "yoimemory/search/": "the index and its full-text tables",
    "yoimemory/sqlite.py": "the swap to the bundled SQLite",
    "yoimemory/cli/ready.py": "a look into both files at the start",
    "yoimemory/desk/backups.py": "copies of the database of what people made",
    "yoimemory/desk/health.py": "doctor: version and integrity",
}
REPO_ALLOWED = {"yoimemory/demo/repository.py": "a repository that we made ourselves"}


def test_the_contracts_of_import_linter_are_kept() -> None:
    # A process of its own: the linter configures logging and would silence the loggers of later tests.
    command = [sys.executable, "-c", "from importlinter.cli import lint_imports_command as lint; lint()", "--no-cache"]

    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)

    assert done.returncode == 0, done.stdout[-3_000:] + done.stderr[-1_000:]
    assert "0 broken" in done.stdout


def _breaking(allowed: dict[str, str] | tuple[str, ...], *names: str) -> list[str]:
    def breaks(module: Module) -> bool:
        return any(
            imported == name or imported.startswith(f"{name}.") for imported in module.imported() for name in names
        )

    return [module.name for module in modules() if breaks(module) and not module.name.startswith(tuple(allowed))]


def test_only_the_sources_run_git_and_processes() -> None:
    allowed = ("yoimemory/sources/", *GIT_ALLOWED)

    assert _breaking(allowed, "git", "subprocess", "os.system", "os.popen") == []


def test_raw_sql_stays_in_search_backup_and_doctor() -> None:
    assert _breaking(SQL_ALLOWED, "sqlite3", "pysqlite3") == []
    raw = [
        module.name
        for module in modules()
        if not module.name.startswith(tuple(SQL_ALLOWED))
        for needle in (".cursor()", ".raw(", "RawSQL(", ".extra(")
        if needle in module.text
    ]
    assert raw == []


def test_gitpythons_object_model_is_never_opened_on_a_users_workspace() -> None:
    opened = [module.name for module in modules() if "Repo(" in module.text and module.name not in REPO_ALLOWED]

    assert opened == []


def test_verbs_know_no_http() -> None:
    services = [
        module
        for module in modules()
        if module.path.name == "services.py" or "services" in module.path.relative_to(ROOT).parts
    ]

    knowing = [
        module.name for module in services for name in module.imported() if name.startswith(("django.http", "ninja"))
    ]

    assert services
    assert knowing == []


def test_the_exceptions_are_still_needed() -> None:
    names = {module.name for module in modules()}

    named = {name for name in {*GIT_ALLOWED, *REPO_ALLOWED, *SQL_ALLOWED} if name.endswith(".py")}
    assert named - names == set()
