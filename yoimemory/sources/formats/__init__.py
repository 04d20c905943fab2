"""The logs of agents, a format a module: which log a record comes from, and what a whole log says of itself.

A log is gone through twice. The first time each format looks at what can only be known of the whole:
its title, which turns were set aside, what is written twice. The second time each record becomes an
entry. Neither keeps more than a few words of a record.
"""

from dataclasses import dataclass, field
from typing import Any, Protocol

from yoimemory.sources.formats.claude import Claude, is_claude
from yoimemory.sources.formats.codex import Codex, is_codex
from yoimemory.sources.formats.entries import Entry, Said, entry_of, word
from yoimemory.sources.formats.gemini import Gemini, is_gemini
from yoimemory.sources.formats.plain import Plain, is_plain
from yoimemory.sources.formats.yoi import Yoi, is_yoi

NAMES = ("claude", "codex", "yoi", "gemini", "aider", "plain")


class Format(Protocol):
    """How the records of one agent are read."""

    title: str
    parent: str

    def survey(self, number: int, record: dict[str, Any]) -> None:
        """Look at a record in the first reading."""

    def said(self, number: int, record: dict[str, Any]) -> Said:
        """What a record says, in the second reading; never raises."""

    def facts(self) -> dict[str, Any]:
        """What a page shows beside the log, after the first reading."""


def format_of(record: dict[str, Any]) -> str:
    """Which agent's log this record comes from; `plain` for role and content, empty where it does not tell."""
    if is_plain(record):
        return "plain"
    if is_gemini(record):  # before the next: the head of a newer one has a kind, too
        return "gemini"
    if is_yoi(record):
        return "yoi"
    if is_claude(record):
        return "claude"
    return "codex" if is_codex(record) else ""


@dataclass(slots=True)
class Reading:
    """One log as it is gone through. `system` is the agent it comes from: what was chosen, or its first record's."""

    name: str
    system: str = ""
    records: int = 0
    said: str = ""
    formats: dict[str, Format] = field(default_factory=dict)

    def survey(self, number: int, record: dict[str, Any]) -> None:
        """Look at a record for the first time."""
        self.records += 1
        found = format_of(record)
        self.system = self.system or found
        if found or self.system:
            form = self._format(found or self.system)
            form.survey(number, record)

    def entry(self, number: int, record: dict[str, Any]) -> Entry:
        """A record as an entry, whatever shape it has; never raises."""
        found = format_of(record) or self.system
        said = self._format(found).said(number, record) if found else Said(word(record.get("type")))
        return entry_of(record, number, said)

    def _format(self, name: str) -> Format:
        if name not in self.formats:
            self.formats[name] = _new(name, self.name)
        return self.formats[name]

    @property
    def title(self) -> str:
        return next((form.title for form in self.formats.values() if form.title), "")

    @property
    def parent(self) -> str:
        """The name of the log that this one belongs to or goes on from."""
        return next((form.parent for form in self.formats.values() if form.parent), "")

    def facts(self) -> dict[str, Any]:
        return {key: value for form in self.formats.values() for key, value in form.facts().items() if value}


def _new(name: str, log: str) -> Format:
    if name == "claude":
        return Claude(log)
    if name == "codex":
        return Codex()
    if name == "yoi":
        return Yoi(log)  # Aider's Markdown comes as plain records
    return Gemini() if name == "gemini" else Plain()
