"""Who acts in the demo's story, and the short ways in which its acts are told."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from evidence.models import Evidence
from evidence.schemas import EvidenceDraft, RelationDraft
from evidence.services import extract_evidence
from hypotheses.models import Hypothesis
from shoebox.models import Shoebox
from shoebox.services import screen_items
from yoimemory.access.models import Actor, Token
from yoimemory.access.services import actor_for_token, actor_for_user, ensure_owner, issue_token
from yoimemory.errors import DomainError
from yoimemory.sources.models import Workspace


class DemoBroken(DomainError):
    """The story could not be played as it is written: a verb refused a step."""

    status = 500


@dataclass(frozen=True)
class Cast:
    """The workspace, the one person who decides in it, and two Workers."""

    workspace: Workspace
    owner: Actor
    orchestrator: Actor
    reviewer: Actor

    @classmethod
    def of(cls, workspace: Workspace, *, now: datetime) -> "Cast":
        """Everybody in the demo. The Workers have tokens whose secrets nobody keeps."""
        return cls(
            workspace,
            actor_for_user(ensure_owner()),
            _worker(workspace, "orchestrator", run="run-0630", now=now),
            _worker(workspace, "reviewer", run="run-0702", now=now),
        )


def _worker(workspace: Workspace, name: str, *, run: str, now: datetime) -> Actor:
    token = Token.objects.filter(workspace=workspace, name=name).first()
    if token is None:
        token, _ = issue_token(workspace=workspace, name=name, scope=Token.Scope.PROPOSE, now=now, role=name)
    return actor_for_token(token, run=run)


def at(text: str) -> datetime:
    """An instant of the story, in UTC: `04-24T08:20` is in 2026."""
    return datetime.fromisoformat(f"2026-{text}").replace(tzinfo=UTC)


@dataclass(frozen=True)
class Line:
    """One quote of the story: where, the words, how it bears on which hypothesis, and why it matters."""

    ref: str
    quote: str
    bears: Sequence[tuple[str, Hypothesis]]
    why: str
    summary: str = ""
    inference: str = ""
    basis: str = "told"

    def draft(self) -> EvidenceDraft:
        return EvidenceDraft.model_validate(
            {
                "ref": self.ref,
                "kind": "quote" if self.quote else "summary",
                "quote": self.quote,
                "relations": [RelationDraft(target=str(h.ref), relation=r) for r, h in self.bears],
                "why": self.why,
                "summary": self.summary,
                "inference": self.inference,
                "basis": self.basis,
            }
        )


def quote(shoebox: Shoebox, lines: Sequence[Line], *, actor: Actor, now: datetime) -> list[Evidence]:
    """Offer lines as evidence; every one must pass the gate, or the story is wrong. Raises DemoBroken."""
    extraction = extract_evidence(shoebox, [line.draft() for line in lines], actor=actor, now=now)
    if extraction.refused:
        refusal = extraction.refused[0]
        raise DemoBroken(f"The demo quotes a line that the gate refuses: {refusal.message}")
    return extraction.stored


def keep(shoebox: Shoebox, sources: Sequence[str], *, actor: Actor, now: datetime) -> None:
    """Keep what the story reads closely."""
    screen_items(shoebox.items.filter(source__in=sources), screening="kept", actor=actor, now=now)


def set_aside(shoebox: Shoebox, source: str, reason: str, *, actor: Actor, now: datetime) -> None:
    """Set aside what the gathering brought and the question does not need, with the reason."""
    screen_items(shoebox.items.filter(source=source), screening="set aside", reason=reason, actor=actor, now=now)
