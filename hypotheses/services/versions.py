"""What a writer is told whose page was older than the record."""

from hypotheses.models import Hypothesis, Representation
from yoimemory.errors import StaleVersion
from yoimemory.journal.models import Change


def stale_version(record: Hypothesis | Representation, version: int) -> StaleVersion:
    """The refusal of a write against an old version, naming who changed what since."""
    latest = Change.objects.of(record.ref, record.workspace).first()
    what = f" by {latest.actor} on {latest.at:%Y-%m-%d %H:%M} UTC" if latest else ""
    names = f" ({', '.join(latest.after)})" if latest and latest.after else ""
    return StaleVersion(
        f"{record.ref} was changed{what}{names} since you read version {version}.",
        hint="Read it again, then make your change on what stands there now.",
        fields={"version": "stale"},
    )
