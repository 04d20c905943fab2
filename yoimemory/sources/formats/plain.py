"""Lines of role, content and timestamp, as many tools export them."""

from typing import Any

from yoimemory.sources.formats.entries import SPEAKERS, Said, first_line, word, words


def is_plain(record: dict[str, Any]) -> bool:
    """Whether a record is such a line."""
    return "role" in record and ("content" in record or "text" in record)


class Plain:
    """Every line stands for itself."""

    def __init__(self) -> None:
        self.title, self.parent = "", ""

    def survey(self, number: int, record: dict[str, Any]) -> None:
        if not self.title and SPEAKERS.get(word(record.get("role"))) == "human":
            self.title = first_line(words(record.get("content", record.get("text"))))

    def said(self, number: int, record: dict[str, Any]) -> Said:
        return Said(
            word(record.get("role")), words(record.get("content", record.get("text"))), word(record.get("name"))
        )

    def facts(self) -> dict[str, Any]:
        return {}
