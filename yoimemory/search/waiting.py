"""How a ticket stood at an instant: its state by its events, and whether something that it waits for had not ended."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from django.db.models import Q
from pydantic import BaseModel, Field

from yoimemory.refs import SourceRef
from yoimemory.search.lookup import find_documents
from yoimemory.search.models import Document, Link
from yoimemory.sources.readers.tickets import ticket_state
from yoimemory.sources.reading import Document as Read

if TYPE_CHECKING:
    from yoimemory.sources.models import Workspace

WAITING = ("depends_on", "blocks")
ENDED = frozenset({"closed", "done", "resolved", "cancelled", "rejected", "superseded", "completed", "tombstone"})
"""States in which a ticket holds nobody up."""

EDGES_MAX = 200


class Waited(BaseModel):
    """Another ticket at the other end of a wait. Of an unknown state nothing is claimed, so it holds nobody up."""

    ref: str
    title: str = ""
    state: str = ""
    holds: bool = Field(description="Whether the wait was still open then.")
    note: str = ""
    where: str = Field("", description="Where the link is written.")


class Standing(BaseModel):
    """A ticket at an instant, derived from its events and links; now, where no instant is named."""

    as_of: datetime | None = None
    state: str = ""
    blocked: bool = Field(description="It has not ended, and something that it waits for has not either.")
    waits_for: list[Waited] = Field(default_factory=list)
    holds_up: list[Waited] = Field(default_factory=list, description="Tickets that wait for this one.")

    @property
    def told(self) -> str:
        """As one sentence."""
        when = f" as of {self.as_of:%Y-%m-%d %H:%M:%S}Z" if self.as_of else ""
        holding = [f"{each.ref} ({each.state})" for each in self.waits_for if each.holds]
        waits = f"; blocked by {', '.join(holding[:5])}" if self.blocked else ""
        return f"Derived state{when}: {self.state or 'not known'}{waits}."


def standing_of(workspace: "Workspace", ref: SourceRef, *, as_of: datetime | None = None) -> Standing | None:
    """How a ticket stood at an instant; None for a source that is no ticket of the index."""
    if ref.kind != "ticket":
        return None
    own = str(ref.source)
    links = _links(workspace, own, as_of)
    waits = {_pair(link)[1]: link for link in reversed(links) if _pair(link)[0] == own}
    held = {_pair(link)[0]: link for link in reversed(links) if _pair(link)[1] == own}
    documents = find_documents(workspace, [own, *waits, *held])
    if not any(document.source == own for document in documents):
        return None
    states, titles = _states(documents, as_of)
    state = states.get(own, "")
    ended = state in ENDED
    waits_for = [_waited(link, name, states, titles, open_=not ended) for name, link in waits.items() if name != own]
    holds_up = [
        _waited(link, name, states, titles, open_=not ended and states.get(name, "") not in ENDED, own=state)
        for name, link in held.items() if name != own
    ]  # fmt: skip
    return Standing(
        as_of=as_of, state=state, blocked=any(each.holds for each in waits_for), waits_for=waits_for, holds_up=holds_up
    )


def _links(workspace: "Workspace", own: str, as_of: datetime | None) -> list[Link]:
    """What is written of waiting, by the ticket or by others; a link without a date has always been there."""
    concerned = Q(document__source=own) | Q(target_source=own)
    rows = Link.objects.filter(concerned, document__workspace=workspace.public_id, kind__in=WAITING)
    found = rows.select_related("document").order_by("pk")[:EDGES_MAX]
    return [link for link in found if not (as_of and link.at and link.at > as_of)]


def _pair(link: Link) -> tuple[str, str]:
    """Who waits, and for whom, whichever way the link is written."""
    pair = link.document.source, link.target_source
    return pair if link.kind == "depends_on" else pair[::-1]


def _waited(
    link: Link, name: str, states: dict[str, str], titles: dict[str, str], *, open_: bool, own: str | None = None
) -> Waited:
    state = states.get(name, "")
    waited_for = state if own is None else own
    place = SourceRef.parse(link.document.ref)
    return Waited(
        ref=name,
        title=titles.get(name, ""),
        state=state,
        holds=open_ and bool(waited_for) and waited_for not in ENDED,
        note=link.note[:500],
        where=str(place.part(link.where) if link.where else place),
    )


def _states(documents: Sequence[Document], as_of: datetime | None) -> tuple[dict[str, str], dict[str, str]]:
    """State and title of each source. As of an instant only events tell; an item says how things ended."""
    titles = {row.source: row.title for row in documents if row.ref == row.source}
    states = {} if as_of else {row.source: row.state for row in documents if row.ref == row.source and row.state}
    for row in _threads(documents):
        if state := ticket_state(_read(row), as_of):
            states[row.source] = state
    return states, titles


def _threads(documents: Iterable[Document]) -> Iterable[Document]:
    return (row for row in documents if row.kind == "ticket" and row.ref == f"{row.source}/thread")


def _read(row: Document) -> Read:
    """The row as the reader's function takes it: its events are among the facts."""
    ref = SourceRef.parse(row.ref)
    return Read(ref=ref, title=row.title, text="", authority=row.authority, facts=row.facts)
