"""What lies in no file of the demo: how a tablet stood at two instants, and what was said on the telephone."""

from yoimemory.demo.cast import Cast, at
from yoimemory.sources.models import Message, Snapshot
from yoimemory.sources.schemas import MessageDraft, RecordDraft
from yoimemory.sources.services import capture_message, record_workspace_record

_TABLET = "kitchen-tablet"
_LOOKS = (
    ("07-09T05:40", {"status": "offline", "clock": {"offset_seconds": -214, "checked": False}, "waiting_edits": 7}),
    ("07-09T06:10", {"status": "online", "clock": {"offset_seconds": 0, "checked": True}, "waiting_edits": 0}),
)
_WORDS = """Leave the kitchen tablet as it is until the clock check has run for a week.
If an order gets lost again, call me before you change the rule."""


def keep_what_lies_in_no_file(cast: Cast) -> None:
    """Two snapshots of one record and one message. What is there already is not kept again."""
    workspace = cast.workspace
    if not Snapshot.objects.of(workspace).exists():
        for when, body in _LOOKS:
            draft = RecordDraft(
                system="tablets", id=_TABLET, body=body, taken_at=at(when), origin="the sync service's status page"
            )
            record_workspace_record(draft, workspace=workspace, actor=cast.orchestrator, now=at(when))
    if not Message.objects.filter(workspace=workspace).exists():
        said = MessageDraft(text=_WORDS, said_by="Hana", said_at=at("07-10T02:15"), origin="the telephone")
        capture_message(said, workspace=workspace, actor=cast.owner, now=at("07-10T02:20"))
