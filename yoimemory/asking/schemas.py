"""Aliases and saved searches as they are asked for and as every machine reads them."""

from datetime import date, datetime
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from yoimemory.asking.models import Alias, SavedSearch

ASKED_MAX = 4_000


class AliasDraft(BaseModel):
    """A word and what it meant, with the days between which that held."""

    model_config = ConfigDict(frozen=True, str_strip_whitespace=True, extra="forbid")

    word: str = Field(min_length=1, max_length=Alias.WORD_MAX)
    meaning: str = Field(min_length=1, max_length=Alias.WORD_MAX)
    since: date | None = Field(None, description="The first day on which it meant that; null for always.")
    until: date | None = Field(None, description="The first day on which it no longer did; null where it still does.")
    note: str = Field("", max_length=Alias.NOTE_MAX)

    @model_validator(mode="after")
    def _makes_sense(self) -> Self:
        if self.word.casefold() == self.meaning.casefold():
            raise ValueError("A word that means itself changes nothing.")
        if self.since and self.until and self.since >= self.until:
            raise ValueError("The first day must lie before the last one.")
        return self


class AliasOut(BaseModel):
    """One alias as every machine reads it."""

    id: str
    word: str
    meaning: str
    since: date | None
    until: date | None
    note: str
    told: str
    made_by: str
    made_at: datetime

    @classmethod
    def of(cls, alias: Alias) -> "AliasOut":
        return cls(
            id=alias.public_id,
            word=alias.word,
            meaning=alias.meaning,
            since=alias.since,
            until=alias.until,
            note=alias.note,
            told=f"{alias.told}.",
            made_by=str(alias.made_by),
            made_at=alias.made_at,
        )


class Asked(BaseModel):
    """Words and filters of a search, under the names that the address has. What is empty says nothing."""

    model_config = ConfigDict(frozen=True, str_strip_whitespace=True, extra="forbid")

    q: str = Field(min_length=1, max_length=ASKED_MAX)
    kinds: list[str] = Field(default_factory=list, max_length=40)
    path: str = Field("", max_length=2_048)
    authority: list[str] = Field(default_factory=list, max_length=10)
    author: str = Field("", max_length=200)
    speaker: str = Field("", max_length=20)
    languages: list[str] = Field(default_factory=list, max_length=20)
    states: list[str] = Field(default_factory=list, max_length=40)
    since: str = Field("", max_length=40)
    until: str = Field("", max_length=40)
    as_of: str = Field("", max_length=40)
    revision: str = Field("", max_length=80)
    stance: Literal["", "any", "supporting", "disconfirming"] = ""
    order: Literal["", "relevance", "newest", "oldest"] = ""
    shoebox: str = Field("", max_length=60)

    def told(self) -> dict[str, Any]:
        """What was said, without what was left empty."""
        return {name: value for name, value in self.model_dump().items() if value and value not in ("any", "relevance")}


class SavedSearchDraft(BaseModel):
    """A search to keep under a name."""

    model_config = ConfigDict(frozen=True, str_strip_whitespace=True, extra="forbid")

    name: str = Field(min_length=1, max_length=SavedSearch.NAME_MAX)
    asked: Asked
    shared: bool = Field(False, description="Whether everyone in the workspace sees it.")


class SavedSearchChange(BaseModel):
    """Another name for a saved search, or who sees it. What is left out stays."""

    model_config = ConfigDict(frozen=True, str_strip_whitespace=True, extra="forbid")

    name: str | None = Field(None, min_length=1, max_length=SavedSearch.NAME_MAX)
    shared: bool | None = None


class SavedSearchOut(BaseModel):
    """One saved search as every machine reads it."""

    id: str
    name: str
    asked: dict[str, Any]
    shared: bool
    made_by: str
    made_at: datetime
    removed: bool

    @classmethod
    def of(cls, saved: SavedSearch) -> "SavedSearchOut":
        return cls(
            id=saved.public_id,
            name=saved.name,
            asked=saved.asked,
            shared=saved.shared,
            made_by=str(saved.made_by),
            made_at=saved.made_at,
            removed=saved.removed_at is not None,
        )


class RecentSearch(BaseModel):
    """A search that the caller asked lately, and how much it found then."""

    asked: dict[str, Any]
    at: datetime
    total: int
    nothing: str
