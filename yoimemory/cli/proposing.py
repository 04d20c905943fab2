"""Proposals and markers from the terminal."""

import argparse

from yoimemory.cli.run import DONE, at_a_terminal, caller, now, read_text, say, show_json, workspace_of
from yoimemory.cli.shoebox import find_shoebox


def propose(arguments: argparse.Namespace) -> int:
    """Propose the new text of a file; nothing is written before a reviewer approves and applies it."""
    from yoimemory.products.schemas import ProposalDraft
    from yoimemory.products.services import propose_candidate

    shoebox = str(find_shoebox(arguments.shoebox, arguments).ref) if arguments.shoebox else ""
    draft = ProposalDraft(
        target=arguments.target, path=arguments.path, title=arguments.title, content=read_text(arguments.content),
        rationale=arguments.rationale, evidence=arguments.evidence, shoebox=shoebox,
    )  # fmt: skip
    proposal = propose_candidate(draft, workspace=workspace_of(arguments), actor=caller(), now=now())
    if arguments.json:
        show_json({"id": proposal.public_id, "ref": str(proposal.ref), "state": proposal.state, "path": proposal.path})
    else:
        say(f"{proposal.ref}  {proposal.state}: {proposal.path}. A reviewer decides on its page.")
    return DONE


def mark(arguments: argparse.Namespace) -> int:
    """Put a staleness marker on a ref; nothing is hidden or deleted by it. A script's waits for a person."""
    from yoimemory.markers.schemas import MarkerDraft, MarkerOut
    from yoimemory.markers.services import mark_staleness

    draft = MarkerDraft(
        target=arguments.ref, state=arguments.state, reason=arguments.reason, by_ref=arguments.by,
        evidence=arguments.evidence,
    )  # fmt: skip
    marker = mark_staleness(
        draft, workspace=workspace_of(arguments), actor=caller(), now=now(), to_review=not at_a_terminal()
    )
    if arguments.json:
        show_json(MarkerOut.of(marker))
    else:
        say(f"{marker.target} is marked {marker.state}, {marker.status}.")
    return DONE
