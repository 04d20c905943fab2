"""A shoebox as it is asked for and as every machine reads it."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

from shoebox.models import Item, Shoebox
from yoimemory.instants import day_end


def _utc(value: datetime) -> datetime:
    value = value if value.tzinfo else value.replace(tzinfo=UTC)
    try:
        return value.astimezone(UTC)
    except OverflowError as error:
        raise ValueError("This moment lies outside the calendar, told in UTC.") from error


Instant = Annotated[datetime, BeforeValidator(day_end), AfterValidator(_utc)]
"""A moment; without a zone it is read as UTC, and a day alone is meant with all that happened on it."""


class Budget(BaseModel):
    """How much one shoebox may hold."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    items: int = Field(Shoebox.ITEMS_DEFAULT, ge=1, le=500)
    characters: int = Field(Shoebox.CHARACTERS_DEFAULT, ge=1_000, le=5_000_000)


class ShoeboxDraft(BaseModel):
    """What a caller says when opening a shoebox."""

    model_config = ConfigDict(frozen=True, str_strip_whitespace=True, extra="forbid")

    question: str = Field(min_length=3, max_length=Shoebox.QUESTION_MAX)
    task: str = Field("", max_length=2_100, description="A ref of the ticket or objective it serves.")
    task_kind: Literal["", "review", "design", "other"] = ""
    task_title: str = Field("", max_length=300)
    purpose: str = Field("", max_length=Shoebox.PURPOSE_MAX)
    refs: list[str] = Field(default_factory=list, max_length=100)
    queries: list[str] = Field(default_factory=list, max_length=20)
    kinds: list[str] = Field(default_factory=list, max_length=20)
    budget: Budget = Budget()
    as_of: Instant | None = None
    gather: bool = True


class ItemDraft(BaseModel):
    """A ref to add to a shoebox."""

    model_config = ConfigDict(frozen=True, str_strip_whitespace=True, extra="forbid")

    ref: str = Field(min_length=3, max_length=2_100)
    rationale: str = Field(min_length=1, max_length=Item.RATIONALE_MAX)
    leaning: Literal["likely supports", "likely contradicts", "unclear"] = "unclear"


class ItemOut(BaseModel):
    """One item as every machine reads it."""

    model_config = ConfigDict(from_attributes=True)

    id: str = Field(validation_alias="public_id")
    ref: str
    kind: str
    title: str
    authority: str
    at: datetime | None
    characters: int
    rationale: str
    caveats: list[str]
    came: str
    leaning: str
    screening: str
    screening_reason: str
    position: int
    version: int


REMEMBERED = ("left_out_marks", "upto_document")
"""What a gathering keeps for the next one and nobody reads."""


class ShoeboxOut(BaseModel):
    """A shoebox as every machine reads it; the bounded rendering is `desk.show.ShoeboxShown`."""

    id: str
    ref: str
    question: str
    task: str
    task_kind: str
    task_title: str
    purpose: str
    state: str
    as_of: datetime | None
    budget: Budget
    items_held: int
    items_set_aside: int
    items_against: int
    characters_held: int
    sought: dict[str, object]
    gathered_at: datetime | None
    opened_by: str
    opened_at: datetime
    version: int

    @classmethod
    def of(cls, shoebox: Shoebox) -> "ShoeboxOut":
        return cls(**cls.fields_of(shoebox))

    @staticmethod
    def fields_of(shoebox: Shoebox) -> dict[str, Any]:
        """The fields of one shoebox, for this Out and for those that add to it."""
        holdings = shoebox.holdings
        return dict(  # noqa: C408 - reads as the list of fields it is
            id=shoebox.public_id,
            ref=str(shoebox.ref),
            question=shoebox.question,
            task=shoebox.task,
            task_kind=shoebox.task_kind,
            task_title=shoebox.task_title,
            purpose=shoebox.purpose,
            state=shoebox.state,
            as_of=shoebox.as_of,
            budget=Budget(items=shoebox.budget_items, characters=shoebox.budget_characters),
            items_held=holdings.items,
            items_set_aside=holdings.aside,
            items_against=holdings.against,
            characters_held=holdings.characters,
            sought={name: told for name, told in shoebox.sought.items() if name not in REMEMBERED},
            gathered_at=shoebox.gathered_at,
            opened_by=str(shoebox.opened_by),
            opened_at=shoebox.opened_at,
            version=shoebox.version,
        )


class ShoeboxOpened(ShoeboxOut):
    """A shoebox with everything that was gathered into it; bounded by its own budget of items."""

    items: list[ItemOut]

    @classmethod
    def of(cls, shoebox: Shoebox) -> "ShoeboxOpened":
        items = [ItemOut.model_validate(item) for item in shoebox.items.in_order()]
        return cls(**cls.fields_of(shoebox), items=items)


class ShoeboxGathered(ShoeboxOpened):
    """A shoebox after gathering again: what came in, and which of what it held has moved on since it was read."""

    new: list[ItemOut]
    changed: list[ItemOut] = Field(description="Each says in its caveats what became of its source.")

    @classmethod
    def after(cls, shoebox: Shoebox, *, new: Sequence[Item], changed: Sequence[Item]) -> "ShoeboxGathered":
        opened = ShoeboxOpened.of(shoebox)
        came, moved = {item.public_id for item in new}, {item.public_id for item in changed}
        return cls(
            **dict(opened),
            new=[item for item in opened.items if item.id in came],
            changed=[item for item in opened.items if item.id in moved],
        )
