"""What the tests of products start from: a small folder on disk, and a proposal for a file in it."""

from pathlib import Path
from typing import Any

from tests.factories import NOON, make_owner, make_workspace
from yoimemory.access.models import Actor
from yoimemory.products import services
from yoimemory.products.models import Proposal
from yoimemory.products.schemas import ProposalDraft
from yoimemory.sources.models import Workspace

GUIDE = "# Guide\n\nDeclaring a server does not start it.\n\nEnd.\n"
BETTER = GUIDE.replace("does not start it", "does not by itself start it")
TICKET = ".yoi/tickets/00001KX6WVNPD"
THREAD = "<!-- event: create author: hare at: 2026-07-15T20:00:00Z -->\n\n---\n"


def make_folder(root: Path) -> Workspace:
    """A plain folder with a document, a ticket and an objective."""
    files = {
        "docs/guide.md": GUIDE,
        f"{TICKET}/item.md": "---\ntitle: 'Start'\nstate: 'queued'\n---\n\nBody.\n",
        f"{TICKET}/thread.md": THREAD,
        f"{TICKET}/artifacts/.gitkeep": "",
        ".yoi/objectives/00001KVJSMQXZ/item.md": "---\ntitle: 'Memory'\nstate: 'active'\n---\n\nGoal.\n",
    }
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return make_workspace(root)


def draft_of(**kwargs: Any) -> ProposalDraft:
    kwargs.setdefault("target", "doc")
    kwargs.setdefault("path", "docs/guide.md")
    kwargs.setdefault("rationale", "The old line denies what two tickets built.")
    if "patch" not in kwargs:
        kwargs.setdefault("content", BETTER)
    return ProposalDraft(**kwargs)


def propose(workspace: Workspace, actor: Actor, **kwargs: Any) -> Proposal:
    return services.propose_candidate(draft_of(**kwargs), workspace=workspace, actor=actor, now=NOON)


def approve(proposal: Proposal, actor: Actor | None = None) -> Proposal:
    """Approved by an owner of its own, who did not make it."""
    actor = actor or make_owner()
    return services.review_proposal(proposal, verdict="approve", actor=actor, now=NOON, confirmed=True)
