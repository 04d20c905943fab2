"""Write the published schemas anew: `python docs/snapshots.py`. A test holds them; a change of one is reviewed."""

import json
import os
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def main() -> None:
    """The tools of MCP, and the JSON layer as OpenAPI."""
    sys.path.insert(0, str(ROOT))
    os.environ.setdefault("YOIMEMORY_HOME", tempfile.mkdtemp(prefix="yoimemory-docs-"))
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "yoimemory.settings")
    import django

    django.setup()
    from yoimemory.api import api
    from yoimemory.mcp.snapshot import SNAPSHOT, snapshot

    for path, value in ((SNAPSHOT, snapshot()), ("docs/openapi.json", api.get_openapi_schema(path_prefix="/api/v1/"))):
        value = json.loads(json.dumps(value))  # statuses are numbers there, and names in JSON
        written = json.dumps(value, ensure_ascii=False, indent=1, sort_keys=path.endswith("openapi.json"))
        (ROOT / path).write_text(written + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
