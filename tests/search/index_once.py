"""A process that indexes one folder: the one that the crash test kills. `python -m tests.search.index_once FOLDER`."""

import os
import sys
from pathlib import Path

import django


def main() -> None:
    """Set up the databases of `$YOIMEMORY_HOME`, say so, then index."""
    os.environ["DJANGO_SETTINGS_MODULE"] = "yoimemory.settings"
    django.setup()
    from django.core.management import call_command
    from django.utils import timezone

    from yoimemory.search.services import index_workspace
    from yoimemory.sources.services import register_workspace

    for database in ("default", "index"):
        call_command("migrate", database=database, verbosity=0)
    workspace, _ = register_workspace(Path(sys.argv[1]), now=timezone.now())
    print("ready", flush=True)  # noqa: T201 - the test waits for this line
    index_workspace(workspace, now=timezone.now())
    print("done", flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
