"""Everything that the page of one proposal shows, worked out before the template: what is, and what would happen."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from django.utils import timezone

from yoimemory.access.models import Actor
from yoimemory.access.services import may_review, reviewers_of, role_in
from yoimemory.errors import DomainError
from yoimemory.products.diffs import Diff, compare
from yoimemory.products.merge import ThreeWay, merge, places
from yoimemory.products.models import Proposal, Revision, Verdict, Writing
from yoimemory.products.places import risk_of
from yoimemory.products.services.applying import artifact_path, thread_entry
from yoimemory.products.standing import Base, Ground, base_of, grounds_of, warnings_of
from yoimemory.products.visible import visible
from yoimemory.products.wording import comment_of, commit_message_of
from yoimemory.sources.places import authority_of

State = Proposal.State
VERDICTS = {
    Verdict.Kind.APPROVE: "approved",
    Verdict.Kind.NEEDS_CHANGE: "needs change",
    Verdict.Kind.REJECT: "rejected",
}


@dataclass(frozen=True, slots=True)
class Step:
    """One line of a proposal's history: a revision, or a verdict on one."""

    number: int
    by: str
    at: object
    said: str
    is_verdict: bool = False
    one_reviewer: bool = False


@dataclass(frozen=True, slots=True)
class Rights:
    """What this person may do with this proposal now, and what it would ask of them."""

    reviews: bool
    revises: bool
    own: bool = False
    other_reviewers: bool = False

    @property
    def confirms(self) -> bool:
        """Whether approving asks for one more confirmation, since nobody else could be asked."""
        return self.own and not self.other_reviewers


@dataclass(slots=True)
class Case:
    """One proposal as a person judges it."""

    proposal: Proposal
    rights: Rights
    diff: Diff
    base: Base
    ground: Ground
    authority: str
    risk: str
    steps: list[Step]
    writing: Writing | None
    since: Diff | None = None
    places: list[ThreeWay] = field(default_factory=list)
    can_rebase: bool = False
    outlook: list[str] = field(default_factory=list)
    comment: str = ""
    commit_message: str = ""
    artifact_path: str = ""
    warnings: list[str] = field(default_factory=list)
    entry: str = ""
    entry_problem: str = ""


def case_of(proposal: Proposal, actor: Actor) -> Case:
    """Work out the page of a proposal for this person."""
    base = base_of(proposal)
    ground = grounds_of([proposal])[proposal.pk]
    revisions = list(proposal.revisions.select_related("by").order_by("number"))
    verdicts = list(proposal.verdicts.select_related("by").order_by("pk"))
    writing = proposal.writings.filter(state=Writing.State.WRITTEN).order_by("-pk").first()
    moved = base.state == "moved" and base.text is not None
    now = base.text.text if base.text is not None else ""
    path = artifact_path(proposal) if proposal.is_text else proposal.path if proposal.is_file else ""
    return Case(
        proposal=proposal,
        rights=_rights(proposal, actor, revisions),
        diff=compare(proposal.base_content, proposal.content),
        base=base,
        ground=ground,
        authority=authority_of(proposal.path) if proposal.is_file else "",
        risk=risk_of(path, proposal.content) if proposal.is_open else "",
        steps=_steps(revisions, verdicts),
        writing=writing,
        since=compare(proposal.base_content, now) if moved else None,
        places=places(proposal.base_content, proposal.content, now) if moved else [],
        can_rebase=moved and not merge(proposal.base_content, proposal.content, now).conflicts,
        outlook=_outlook(proposal, base),
        comment=comment_of(proposal, ground),
        commit_message=commit_message_of(proposal) if proposal.state == State.APPLIED and writing else "",
        artifact_path=artifact_path(proposal) if proposal.is_text else "",
        warnings=warnings_of(proposal),
        **_entry(proposal, actor),
    )


def _entry(proposal: Proposal, actor: Actor) -> dict[str, str]:
    """What would be added to the thread, as it would stand there now; or why it cannot be."""
    if not proposal.is_text or not proposal.is_open:
        return {}
    try:
        entry = thread_entry(proposal, author=actor.name, now=timezone.now(), review="approve")
    except DomainError as error:
        return {"entry_problem": f"{error.message} {error.hint}".strip()}
    return {"entry": visible(entry.strip("\n"))}


def _rights(proposal: Proposal, actor: Actor, revisions: Sequence[Revision]) -> Rights:
    reviews = may_review(actor, proposal.workspace)
    makers = {proposal.made_by.user_id} | {one.by.user_id for one in revisions if not one.mechanical}
    person = actor.user
    own = person is not None and person.pk in makers
    others = person is not None and own and reviewers_of(proposal.workspace).exclude(pk=person.pk).exists()
    is_maker = actor.user_id is not None and actor.user_id == proposal.made_by.user_id
    member = bool(role_in(actor, proposal.workspace))
    return Rights(reviews=reviews, revises=member and (reviews or is_maker), own=own, other_reviewers=others)


def _steps(revisions: Sequence[Revision], verdicts: Sequence[Verdict]) -> list[Step]:
    steps = [
        (revision.at, 0, Step(revision.number, str(revision.by), revision.at, revision.note or _first_words(revision)))
        for revision in revisions
    ]
    steps += [
        (
            verdict.at, 1,
            Step(
                verdict.revision, str(verdict.by), verdict.at,
                VERDICTS[Verdict.Kind(verdict.verdict)] + (f": {verdict.reason}" if verdict.reason else ""),
                is_verdict=True, one_reviewer=verdict.one_reviewer,
            ),
        )
        for verdict in verdicts
    ]  # fmt: skip
    return [step for _, _, step in sorted(steps, key=lambda entry: (entry[0], entry[1]), reverse=True)]


def _first_words(revision: Revision) -> str:
    return "proposed" if revision.number == 1 else "revised"


def _outlook(proposal: Proposal, base: Base) -> list[str]:
    """What happens when it is approved and applied, in sentences, before any button is pressed."""
    if not proposal.is_open:
        return []
    if proposal.is_text:
        return [
            "The ticket's thread has another writer, so nothing is appended to it unless you ask for that by name.",
            f"You copy the text into the ticket yourself, or have it written as {artifact_path(proposal)}.",
            "If you ask for it, it is appended as an event under the ticket backend's own lock; item and state stay.",
        ]
    path = visible(proposal.path)
    if proposal.is_mark:
        return [f"A marker is set on {path}. No file is written and nothing is hidden by it. Undo resolves it."]
    if base.state == "unreadable":
        return [f"{base.sentence} Approving is possible; applying would stop and write nothing."]
    if base.state == "moved":
        return [
            f"{base.sentence} Approving is possible; applying would stop as a conflict and write nothing until the "
            "proposal is rebased.",
            f"After a rebase: one file in the working tree is written, {path}. No commit is made. Undo restores the "
            "bytes from before.",
        ]
    first = f"One new file is written: {path}." if proposal.is_new_file else f"One file is rewritten: {path}."
    undo = "Undo takes it away again." if proposal.is_new_file else "Undo restores the bytes from before."
    return [f"{first} It is written in one step, whole or not at all. No commit is made. {undo}"]
