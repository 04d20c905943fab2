"""Texts that a person copies out of a proposal: a comment for the ticket, a commit message with its trailer."""

import textwrap

from yoimemory.products.models import Proposal
from yoimemory.products.standing import Ground, Proof, diff_of

PROPOSAL_TRAILER = "Yoimemory-Proposal"
EVIDENCE_TRAILER = "Yoimemory-Evidence"
_WIDTH = 72


def comment_of(proposal: Proposal, ground: Ground) -> str:
    """The proposal as a ticket comment: what is meant, why, the change, and the refs that carry it.

    A text for a thread is its own comment; its refs follow, so that the ticket cites them.
    """
    lines = [proposal.content.rstrip("\n")] if proposal.is_text else _change(proposal)
    lines += ["", *_refs("Rests on", ground.rests_on), *(f"- Rests on `{ref}`" for ref in ground.other)]
    lines += _refs("Speaks against it:", ground.against)
    return "\n".join([*lines, f"- `{proposal.ref}`, {proposal.state_label}", ""])


def commit_message_of(proposal: Proposal) -> str:
    """A commit message that cites the proposal and its evidence, so that the commit can be traced back."""
    body = textwrap.fill(" ".join(proposal.rationale.split()), _WIDTH, break_long_words=False)
    trailers = [f"{PROPOSAL_TRAILER}: {proposal.ref}"]
    trailers += [f"{EVIDENCE_TRAILER}: {ref}" for ref in proposal.evidence]
    return "\n".join([textwrap.shorten(proposal.title, _WIDTH, placeholder="…"), "", body, "", *trailers, ""])


def _change(proposal: Proposal) -> list[str]:
    patch = diff_of(proposal).rstrip("\n")
    fence = "`" * max(3, 1 + max((len(run) for run in _runs(patch)), default=0))
    return [f"**{proposal.title}** (`{proposal.path}`)", "", proposal.rationale, "", f"{fence}diff", patch, fence]


def _runs(text: str) -> list[str]:
    return [run for run in "".join(char if char == "`" else " " for char in text).split() if run]


def _refs(label: str, proofs: list[Proof]) -> list[str]:
    return [
        f"- {label} `{proof.evidence.ref}`: `{proof.evidence.address}` ({proof.evidence.state}, {proof.standing.state})"
        for proof in proofs
    ]
