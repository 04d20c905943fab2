"""A private data folder for every test run, set before Django reads its settings (`-p tests.home`)."""

import os
import shutil
import tempfile

if "PYTEST_XDIST_WORKER" not in os.environ:  # workers share the controller's; Django names their files apart
    os.environ["YOIMEMORY_HOME"] = tempfile.mkdtemp(prefix="yoimemory-test-")
for name in [name for name in os.environ if name.startswith("GIT_")]:
    del os.environ[name]


def pytest_unconfigure(config: object) -> None:
    """Take the folder away with the run that made it."""
    if "PYTEST_XDIST_WORKER" not in os.environ:
        shutil.rmtree(os.environ["YOIMEMORY_HOME"], ignore_errors=True)
