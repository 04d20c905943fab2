"""The one way a row of evidence changes: against the version that was read, so that two writers never overwrite."""

from typing import Any

from evidence.models import Evidence
from yoimemory.journal.stale import stale_version

ANCHOR = frozenset(
    {
        "place", "source", "revision", "quote", "quote_digest", "prefix", "suffix", "start", "end", "start_line",
        "start_column", "end_line", "end_column", "byte_start", "byte_end", "occurrence", "occurrences", "hint",
        "text_digest", "uncommitted", "match",
    }
)  # fmt: skip
"""What is never rewritten once it is stored."""


def change_evidence(evidence: Evidence, *, version: int | None = None, **fields: Any) -> dict[str, Any]:
    """Change these fields and move the version on; return what the fields held before.

    `version` is the one the caller read; without it the loaded row's counts. Raises StaleVersion.
    """
    assert not ANCHOR & set(fields), "the anchor is never rewritten"  # noqa: S101
    read = evidence.version if version is None else version
    before = {name: getattr(evidence, name) for name in fields}
    if not Evidence.objects.filter(pk=evidence.pk, version=read).update(**fields, version=read + 1):
        raise stale_version(evidence.ref, workspace=evidence.workspace, version=read)
    for name, value in fields.items():
        setattr(evidence, name, value)
    evidence.version = read + 1
    return before
