"""A marker as a product: the few lines in which it is proposed, read back as what the marker's own verb takes."""

import re

from pydantic import ValidationError

from yoimemory.errors import BadInput
from yoimemory.markers.schemas import MarkerDraft
from yoimemory.products.places import Place
from yoimemory.refs import SourceRef

BEGIN = "state: stale\nreason: \n"
KEYS = {"state": "state", "by": "by_ref", "reason": "reason", "review": "review_at"}
_LINE = re.compile(r"(?P<key>[a-z]+):[ \t]*(?P<value>.*)")


class NoMarker(BadInput):
    """The text does not say what a marker says."""


def mark_place(text: str) -> Place:
    """The ref that a marker is proposed for, where a file's path stands otherwise. Raises BadRef."""
    return Place(str(SourceRef.parse(text.strip())))


def read_mark(target: str, content: str) -> MarkerDraft:
    """Read `state: …`, `by: …`, `reason: …` and `review: …`, one a line; a reason may go on over the next lines.

    Raises NoMarker with the line that is wrong.
    """
    read: dict[str, str] = {}
    last = ""
    for line in content.strip().split("\n"):
        match = _LINE.fullmatch(line)
        if match and match["key"] in KEYS and KEYS[match["key"]] not in read:
            last = KEYS[match["key"]]
            read[last] = match["value"].strip()
        elif last == "reason":
            read[last] = f"{read[last]}\n{line}".strip()
        else:
            raise NoMarker(
                f"A marker has no line {line[:80]!r}.",
                hint="Write state (stale, superseded, contradicted or needs-review), by, reason, review, one a line.",
                fields={"content": "not a marker"},
            )
    try:
        return MarkerDraft.model_validate({"target": target, **{key: value for key, value in read.items() if value}})
    except ValidationError as error:
        first = error.errors()[0]
        name = next((key for key, field in KEYS.items() if field == first["loc"][0]), str(first["loc"][0]))
        raise NoMarker(f"{name}: {first['msg']}.", fields={"content": f"{name} is wrong or missing"}) from error
