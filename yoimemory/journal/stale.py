"""What a writer is told whose page was older than the record: one sentence for every floor."""

from typing import TYPE_CHECKING

from yoimemory.errors import StaleVersion
from yoimemory.journal.models import Change

if TYPE_CHECKING:
    from yoimemory.sources.models import Workspace

NAMES_SHOWN = 5


def stale_version(subject: object, *, workspace: "Workspace", version: int, told_of: object = None) -> StaleVersion:
    """The refusal of a write against an old version, naming who changed what since.

    `told_of` is the record whose history tells of the change, where that is not the subject itself.
    """
    last = Change.objects.of(told_of or subject, workspace).first()
    what = f" by {last.actor} on {last.at:%Y-%m-%d %H:%M} UTC ({_change(last)})" if last else ""
    return StaleVersion(
        f"{subject} was changed{what} since you read version {version}.",
        hint="Read it again, then make your change on what stands there now.",
        fields={"version": "stale"},
    )


def _change(last: Change) -> str:
    names = [f"{name} {value}" if name in {"state", "status"} else name for name, value in last.after.items()]
    more = ", …" if len(names) > NAMES_SHOWN else ""
    told = f": {', '.join(names[:NAMES_SHOWN])}{more}" if names else ""
    return last.verb.replace("-", " ") + told
