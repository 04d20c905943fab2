"""What every kind of representation declares: its body, how it is built, edited, shown and written down."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from evidence.models import Evidence
from hypotheses.cites import Cites
from hypotheses.models import Representation
from shoebox.models import Shoebox

ROWS_MAX = 2_000
REFS_MAX = 20

Line = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=400)]
Note = Annotated[str, StringConstraints(strip_whitespace=True, max_length=1_000)]
Refs = Annotated[list[str], Field(max_length=REFS_MAX)]

Builder = Callable[[Shoebox, Sequence[Evidence]], BaseModel]


class Body(BaseModel):
    """A typed body: what a kind of representation consists of."""

    model_config = ConfigDict(frozen=True, str_strip_whitespace=True, extra="forbid")


class Row(BaseModel):
    """One row of a body; what it rests on stands in its `refs`."""

    model_config = ConfigDict(frozen=True, str_strip_whitespace=True, extra="forbid")


@dataclass(frozen=True, slots=True)
class Entry:
    """One field of a row as the editor asks for it."""

    name: str
    label: str
    kind: Literal["line", "text", "refs", "choice", "time", "yes"] = "line"
    choices: tuple[str, ...] = ()
    needed: bool = False


@dataclass(slots=True)
class Shown:
    """What the page of a representation shows besides its head."""

    body: Any
    rows: Sequence[Any] = ()
    extra: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Asked:
    """What the page is about: the record, what its rows cite now, the hypothesis to read it toward, and its query."""

    representation: Representation
    cites: Cites
    toward: str = ""
    query: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Kind:
    """One kind of representation."""

    name: str
    says: str
    body: type[Body]
    show: Callable[[Any, Asked], Shown]
    markdown: Callable[[Any], list[str]]
    template: str
    row: type[Row]
    entries: tuple[Entry, ...]
    rows: str = "rows"
    build: Builder | None = None
