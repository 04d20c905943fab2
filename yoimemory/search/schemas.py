"""A search as it is asked for and as every machine reads its answer."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, computed_field, model_validator

from yoimemory.instants import End, Instant

Nothing = Literal["", "empty", "filtered", "out_of_scope", "unreadable", "index_behind"]
Stance = Literal["any", "supporting", "disconfirming"]
Order = Literal["relevance", "newest", "oldest"]


def _mended(value: object) -> object:
    """Half a character, as JSON and shells can carry it, is a mark of damage and no error."""
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else value


PER_SOURCE_MAX = 200
"""More passages of one source than this are not paged through; a search within it finds the others."""

Words = Annotated[str, BeforeValidator(_mended)]
"""What somebody typed, always text that can be written down."""


class SearchQuery(BaseModel):
    """What a caller asks. Names are those of the JSON API (only JSON and the page call `query` `q`).

    Either `query` (what a person types) or `text` (long text such as a whole ticket, of which
    terms are chosen by rarity) is required. `path` is a glob over path or locator in which `*`
    crosses `/`. `exclude` leaves out the whole source of each ref;
    `shoebox` (a ref or an id) searches inside that shoebox only.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    query: Words = ""
    text: Words = ""
    kinds: list[str] = Field(default_factory=list)
    path: Words = ""
    authority: list[str] = Field(default_factory=list)
    author: Words = ""
    speaker: Words = ""
    languages: list[Words] = Field(default_factory=list)
    states: list[Words] = Field(default_factory=list)
    since: Instant | None = None
    until: End | None = None
    as_of: End | None = None
    revision: Words = ""
    stance: Stance = "any"
    order: Order = "relevance"
    shoebox: Words = ""
    exclude: list[Words] = Field(default_factory=list, max_length=500)
    per_source: int = Field(1, ge=1, le=PER_SOURCE_MAX)
    limit: int = Field(50, ge=1, le=200)
    cursor: Words = ""
    budget: int | None = Field(None, ge=200, le=1_000_000)

    @model_validator(mode="after")
    def _has_words(self) -> "SearchQuery":
        if not self.query.strip() and not self.text.strip():
            raise ValueError("Either query or text is required.")
        return self


class Hit(BaseModel):
    """One passage that matched: where, its verbatim snippet with its span, and why it matched.

    `ref` carries revision and fragment. `snippet` is verbatim text of lines `first_line` to
    `last_line`; `marks` are (start, end) code-point spans of matched words within it.
    """

    ref: str
    source: str
    title: str
    heading: str
    kind: str
    authority: str
    snippet: str
    first_line: int
    last_line: int
    marks: list[tuple[int, int]]
    score: float
    why: list[str]
    caveats: list[str]
    speaker: str
    author: str
    date: datetime | None
    more: int = Field(0, description="Further passages of the same source that matched.")
    signals: list[str] = Field(default_factory=list, description="What the passage does to earlier statements.")
    language: str = ""
    state: str = Field("", description="State of the ticket, objective or record that it belongs to.")


class IndexPosition(BaseModel):
    """Where the index stands. `behind` is the number of commits it lacks, None when unknown."""

    commit: str
    branch: str
    indexed_at: datetime | None
    behind: int | None
    dirty: bool
    running: bool
    revision: str = Field("", description="The commit that was asked for, when not the work tree was indexed.")
    percent: int | None = Field(None, description="How far a run that is under way has come.")
    waiting: bool = Field(False, description="A change was noticed and is not in the index yet.")
    problem: str = Field("", description="Why changes come in late or not at all, as a sentence.")

    @computed_field(description="Commits, changes or a whole reading may be missing here.")  # type: ignore[prop-decorator]
    @property
    def index_behind(self) -> bool:
        """Whether what is not found here may be there all the same."""
        return not self.indexed_at or self.running or self.waiting or bool(self.behind or self.problem)


class SearchAnswer(BaseModel):
    """Hits, what was not shown and why, and where the index stands."""

    items: list[Hit]
    shown: int
    total: int
    truncated: bool
    next_cursor: str
    nothing: Nothing
    advice: str = Field("", description="Where nothing was found: what that means and what to do next, as a sentence.")
    filtered: int = Field(0, description="Sources that matched but were filtered out.")
    unreadable: int = Field(0, description="Records of this workspace that could not be read whole.")
    index: IndexPosition
    direct: str = Field("", description="The ref that the query itself names, when it is a ref, id, sha or path.")
    facets: dict[str, dict[str, int]] = Field(default_factory=dict)
    passages: int = Field(0, description="Passages that matched in all; `total` counts what can be paged through.")
    all_words: int | None = Field(None, description="Sources that hold every word, where several were asked for.")
    notes: list[str] = Field(default_factory=list, description="What to know about this answer, in sentences.")
    did_you_mean: list[str] = Field(
        default_factory=list, description="The query with each word that stands nowhere replaced by the nearest one."
    )
