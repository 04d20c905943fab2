"""Telling an agent's client of us, in the file of the workspace where that client looks, after a person saw it."""

from collections.abc import Mapping
from datetime import datetime

from yoimemory.access.models import Actor
from yoimemory.access.services import require_reviewer
from yoimemory.products.clients import CLIENTS, WRITTEN_BY_US, Entry, UnknownClient, configuration
from yoimemory.products.files import text_now, writing_lock
from yoimemory.products.models import Installation, Proposal
from yoimemory.products.schemas import PlannedFile
from yoimemory.products.services.batches import files_to_write, planned_file, write_batch
from yoimemory.sources.models import Workspace


def plan_connection(workspace: Workspace, *, client: str, entry: Entry) -> list[PlannedFile]:
    """Say exactly what the client's file would hold. Nothing else in it changes.

    Raises UnknownClient for a client whose file we do not write, NotTheirForm, or what the opener raises.
    """
    if client not in WRITTEN_BY_US:
        raise UnknownClient(
            f"The file of {client[:40]!r} is not written by us.", hint="Copy what `yoimemory connect` prints."
        )
    path = CLIENTS[client]
    there = text_now(workspace, path)
    content = configuration(client, entry, there.text if there else "")
    return [planned_file(workspace, path, content, target=Proposal.Target.DOC)]


def connect_client(
    workspace: Workspace, *, client: str, entry: Entry, seen: Mapping[str, str], actor: Actor, now: datetime
) -> Installation:
    """Write our entry into the client's file, as it was seen; it can be undone on the skills page.

    The client will start what it names, so a reviewer does this. Raises NotAReviewer, PlanChanged,
    NothingToChange, and what `plan_connection` raises.
    """
    require_reviewer(actor, workspace, to="connect a client")
    with writing_lock(workspace):
        files = files_to_write(plan_connection(workspace, client=client, entry=entry), seen)
        installation = Installation(workspace=workspace, folder=CLIENTS[client], by=actor, at=now)
        write_batch(installation, files, workspace=workspace)
    return installation
