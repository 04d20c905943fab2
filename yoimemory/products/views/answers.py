"""How the pages of this floor find their record and answer a refusal."""

from typing import Any

from django.http import Http404
from django.shortcuts import get_object_or_404

from shoebox.models import Shoebox
from yoimemory.access.services import role_in
from yoimemory.errors import DomainError
from yoimemory.http import HttpRequest
from yoimemory.products.diffs import compare
from yoimemory.products.files import text_now
from yoimemory.products.models import Proposal
from yoimemory.products.schemas import PlannedFile
from yoimemory.products.visible import visible
from yoimemory.sources.models import Workspace


def proposal_named(request: HttpRequest, public_id: str) -> Proposal:
    """The proposal, if this person has a role in its workspace; else it does not exist for them."""
    return get_object_or_404(Proposal.objects.readable_by(request.actor).with_people(), public_id=public_id)


def shoebox_named(request: HttpRequest, public_id: str) -> Shoebox:
    shoebox = get_object_or_404(Shoebox.objects.select_related("workspace", "opened_by"), public_id=public_id)
    if not role_in(request.actor, shoebox.workspace):
        raise Http404("There is no such shoebox in your workspaces.")
    return shoebox


def shown_file(workspace: Workspace, file: PlannedFile) -> dict[str, Any]:
    """One planned file as a page shows it: its text, and the change where something stands there already."""
    diff = None
    if file.exists and not file.same:
        try:
            there = text_now(workspace, file.path)
        except DomainError:
            there = None
        diff = compare(there.text, file.content) if there else None
    return {"file": file, "text": visible(file.content), "lines": file.content.count("\n"), "diff": diff}
