"""What a person types, read without ever failing: words, "phrases", -not, and a few fields.

Whatever is not understood is words. A query of more than 32 words or 400 characters is a text,
of which the rarest terms are chosen, and in which nothing is special.
"""

import re
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from yoimemory.asking.meanings import Others
from yoimemory.refs import SOURCE_KINDS
from yoimemory.search.analysis import fold

WORDS_MAX = 32
CHARACTERS_MAX = 400

_TOKEN = re.compile(r'(-?)(?:(kind|path|author|before|after|id):)?(?:"([^"]*)"|(\S+))', re.IGNORECASE)
_FIELD = re.compile(r"(-?)(kind|path|author|before|after|id):(.+)", re.IGNORECASE | re.DOTALL)
_DAY = re.compile(r"(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?")


@dataclass(slots=True)
class Typed:
    """A query as it was understood. `words` and `phrases` are verbatim; `text` is set where it is long."""

    words: list[str] = field(default_factory=list)
    phrases: list[str] = field(default_factory=list)
    without: list[str] = field(default_factory=list)
    kinds: list[str] = field(default_factory=list)
    without_kinds: list[str] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    authors: list[str] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)
    since: datetime | None = None
    until: datetime | None = None
    text: str = ""
    also: Others = field(default_factory=Others)
    """Other words for what was typed, from the table of words with a date."""

    @property
    def asks_words(self) -> bool:
        return bool(self.words or self.phrases or self.text)

    @property
    def wanted(self) -> str:
        """The words that are looked for, without fields and what is refused."""
        return self.text or " ".join([*self.words, *self.phrases])

    @property
    def is_empty(self) -> bool:
        """Nothing to look for: not a word, not a field."""
        return not (self.asks_words or self.kinds or self.paths or self.authors or self.ids or self.since or self.until)


def read_query(query: str) -> Typed:
    """Read what was typed. Never raises."""
    query = query.encode("utf-8", "replace").decode("utf-8").replace("\0", " ").strip()
    typed = Typed()
    if len(query) > CHARACTERS_MAX or len(query.split()) > WORDS_MAX:
        typed.text = query
        return typed
    for token in _TOKEN.finditer(query):
        minus, name, quoted, plain = token.groups()
        value = quoted if quoted is not None else plain
        if name and value.strip('"') and _take_field(typed, name.lower(), value.strip('"'), negated=bool(minus)):
            continue
        whole = token[0] if name else value
        if minus and not name and value.strip('"- '):
            typed.without.append(value.strip('"'))
        elif quoted is not None and not name:
            if quoted.strip():
                typed.phrases.append(quoted.strip())
        elif whole.strip('"'):
            typed.words.append((minus if name else "") + whole.strip('"') if name else minus + whole.strip('"'))
    if typed.without_kinds:
        left = [kind for kind in typed.kinds or SOURCE_KINDS if kind not in typed.without_kinds]
        typed.kinds = left or typed.kinds
    if typed.without and not typed.asks_words:
        # Only exclusions: nobody asks for everything but a word, so the words are what is meant.
        typed.words, typed.without = typed.without, []
    return typed


def _take_field(typed: Typed, name: str, value: str, *, negated: bool) -> bool:
    """Understand `name:value`; False where it says nothing that can be filtered by."""
    if name == "kind":
        kinds = [kind for kind in value.lower().split(",") if kind in SOURCE_KINDS]
        (typed.without_kinds if negated else typed.kinds).extend(kinds)
        return bool(kinds)
    if negated:
        return False
    if name == "path":
        typed.paths.append(value if re.search(r"[*?\[]", value) else f"*{value}*")
    elif name == "author":
        typed.authors.append(fold(value))
    elif name == "id":
        typed.ids.append(value)
    else:
        span = day_span(value)
        if span is None:
            return False
        if name == "before":
            typed.until = span[0]
        else:
            typed.since = span[0]
    return True


def day_span(text: str) -> tuple[datetime, datetime] | None:
    """The first instant of a year, month, day or instant, and the first one after it; None if it is none."""
    match = _DAY.fullmatch(text)
    try:
        if match is None:
            at = datetime.fromisoformat(text)
            at = at if at.tzinfo else at.replace(tzinfo=UTC)
            return at, at + timedelta(seconds=1)
        year, month, day = int(match[1]), int(match[2] or 1), int(match[3] or 1)
        first = datetime(year, month, day, tzinfo=UTC)
        if match[3]:
            return first, first + timedelta(days=1)
        if match[2]:
            return first, datetime(year + month // 12, month % 12 + 1, 1, tzinfo=UTC)
        return first, datetime(year + 1, 1, 1, tzinfo=UTC)
    except (ValueError, OverflowError):
        return None
