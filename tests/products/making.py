"""What the tests of products start from: a small folder on disk, and a proposal for a file in it."""

from pathlib import Path
from typing import Any

from hypotheses.models import Decision
from hypotheses.schemas import RepresentationDraft
from hypotheses.services import create_representation
from shoebox.models import Shoebox
from tests.factories import (
    NOON,
    make_evidence,
    make_hypothesis,
    make_item,
    make_owner,
    make_relation,
    make_shoebox,
    make_worker,
    make_workspace,
)
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


def make_argued_shoebox(workspace: Workspace, **kwargs: Any) -> Shoebox:
    """A shoebox in which something speaks for a hypothesis and something against it, and a timeline was drawn."""
    worker = make_worker(workspace, name="extractor")
    shoebox = make_shoebox(workspace, question="Does declaring a server start it?", **kwargs)
    make_item(shoebox, title="Guide | first")
    make_item(
        shoebox, ref=f"ticket:00001KX6WVNPD/thread@{'b' * 40}#event-1", leaning="likely contradicts",
        screening="set aside", screening_reason="Said twice.",
    )  # fmt: skip
    hypothesis = make_hypothesis(
        shoebox, claim="It starts <nothing> by itself.", status="accepted", open_questions=["Since when?"],
        alternatives=[{"option": "It starts all", "reason": "e2 denies it"}], threshold="Two pieces.",
    )  # fmt: skip
    Decision.objects.create(
        hypothesis=hypothesis, before="proposed", after="accepted", reason="Both say so.", one_reviewer=True,
        by=make_owner(), at=NOON,
    )  # fmt: skip
    for_it = make_evidence(
        shoebox, quote="Config alone does not spawn a process.", made_by=worker, summary="Says config is passive.",
        inference="So declaring is safe.", said_by="hare", said_at=NOON, authority="authority", title="Guide",
    )  # fmt: skip
    against = make_evidence(
        shoebox, quote="At start ```each\u202e server``` is\nspawned.", made_by=worker, start=80, end=100,
    )  # fmt: skip
    make_relation(for_it, hypothesis.ref)
    make_relation(against, hypothesis.ref, "refutes")
    make_relation(against, shoebox.ref, "contextualizes")
    create_representation(
        RepresentationDraft(kind="timeline", shoebox=str(shoebox.ref), title="What was said when"),
        workspace=workspace, actor=worker, now=NOON,
    )  # fmt: skip
    return shoebox
