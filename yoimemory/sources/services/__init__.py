"""Verbs of sources: workspaces and what they read, records and messages that are kept for them."""

from yoimemory.sources.preview import Preview
from yoimemory.sources.services.keeping import (
    BadRecord,
    Recorded,
    capture_message,
    import_records,
    record_workspace_record,
)
from yoimemory.sources.services.workspaces import add_source, preview_source, register_workspace, remove_source
from yoimemory.sources.shadow import NotAWorkspace

__all__ = [
    "BadRecord", "NotAWorkspace", "Preview", "Recorded", "add_source", "capture_message",
    "import_records", "preview_source", "record_workspace_record", "register_workspace", "remove_source",
]  # fmt: skip
