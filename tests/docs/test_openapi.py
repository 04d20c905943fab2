"""The published OpenAPI of the JSON layer is what the code offers."""

import json
from pathlib import Path

from yoimemory.api import api

DOCS = Path(__file__).resolve().parents[2] / "docs"


def test_the_snapshot_stands_as_the_routes_are() -> None:
    published = json.loads((DOCS / "openapi.json").read_text(encoding="utf-8"))

    now = json.loads(json.dumps(api.get_openapi_schema(path_prefix="/api/v1/")))

    assert published["openapi"].startswith("3.1")
    assert published == now, "A route changed. If that is meant, run `python docs/snapshots.py`."
