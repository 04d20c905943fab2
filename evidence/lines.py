"""A text line by line as a page shows it: numbered, with tokens of code, what is quoted, and nothing hidden.

The HTML of lines is put together here and not in a template: a file has thousands of them, and a
template would take ten times as long. Every piece of text is escaped on its way.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice, pairwise, takewhile

from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from pygments.lexers import get_lexer_for_filename
from pygments.token import Comment, Generic, Keyword, Literal, Name, _TokenType, is_token_subtype
from pygments.util import ClassNotFound

from evidence.gate import line_starts
from evidence.hidden import code_of, find_hidden, name_of

TOKENS_MAX = 200_000
"""Characters up to which a file is told apart into tokens; longer ones are shown plain."""

LINE_MAX = 20_000
"""Characters of one line that are shown; a longer one says how many more it has."""

_CLASSES: tuple[tuple[_TokenType, str], ...] = (
    (Generic.Heading, "hd"), (Generic.Subheading, "hd"), (Generic.Inserted, "tk-i"), (Generic.Deleted, "tk-d"),
    (Generic.Strong, "tk-k"), (Comment, "tk-c"), (Keyword, "tk-k"), (Literal.String, "tk-s"),
    (Name.Function, "tk-n"), (Name.Class, "tk-n"),
)  # fmt: skip

Run = tuple[int, int, str]
"""A stretch of the text (code points, end exclusive) with one class."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line as it is shown."""

    number: int
    html: SafeString
    blank: bool = False
    cur: bool = False
    target: bool = False
    returns: bool = False

    def __html__(self) -> str:
        return self._element()

    __str__ = __html__

    @property
    def out_of_band(self) -> str:
        """The line as it replaces the one on the page that has its number."""
        return self._element(' hx-swap-oob="true"')

    def _element(self, more: str = "") -> SafeString:
        names = " ".join(name for name, on in (("bl", self.blank), ("cur", self.cur)) if on)
        attributes = f' class="{names}"' if names else ""
        if self.target:
            attributes += ' tabindex="-1" autofocus'
        if self.returns:
            attributes += " data-cr"
        return format_html(
            '<li id="L{0}"{1}><a class="ln" href="#L{0}">{0}</a><p>{2}</p></li>',
            self.number,
            mark_safe(attributes + more),  # constants of ours
            self.html,
        )


@dataclass(slots=True)
class Text:
    """A text with everything that its lines show. Marks are what is quoted; they go over tokens."""

    text: str
    path: str = ""
    marks: Sequence[Run] = ()
    cur: tuple[int, int] = (0, 0)
    starts: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.starts = self.starts or line_starts(self.text)

    @property
    def count(self) -> int:
        """How many lines there are; the empty one after a last line feed is none."""
        return len(self.starts) - (1 if self.starts[-1] == len(self.text) and len(self.starts) > 1 else 0)

    def lines(self, first: int = 1, last: int | None = None) -> Iterator[Line]:
        """These lines, ready to be shown."""
        last = min(last or self.count, self.count)
        tokens = tokens_of(self.text, self.path) if self.path else ()
        for number in range(max(first, 1), last + 1):
            yield self._line(number, tokens)

    def _line(self, number: int, tokens: Sequence[Run]) -> Line:
        start = self.starts[number - 1]
        end = self.starts[number] - 1 if number < len(self.starts) else len(self.text)
        returns = self.text[start:end].endswith("\r")
        end -= returns
        shown = min(end, start + LINE_MAX)
        html = _spans(self.text, start, shown, _within(tokens, start, shown), _marked(self.marks, start, shown))
        if shown < end:
            html += format_html('<span class="more">… {} more characters on this line</span>', f"{end - shown:,}")
        return Line(
            number,
            mark_safe(html),  # escaped piece by piece
            blank=not self.text[start:end].strip(),
            cur=self.cur[0] <= number <= self.cur[1],
            target=number == self.cur[0],
            returns=returns,
        )


@lru_cache(maxsize=16)
def tokens_of(text: str, path: str) -> tuple[Run, ...]:
    """The tokens of code that are shown apart, by the lexer for this file name; nothing where there is none."""
    if len(text) > TOKENS_MAX or max(map(len, text.split("\n")), default=0) > LINE_MAX:
        return ()
    try:
        lexer = get_lexer_for_filename(path.rsplit("/", 1)[-1])
    except ClassNotFound:
        return ()
    runs: list[Run] = []
    prose = lexer.name == "Markdown"
    # The line before the end of a front matter is no heading, though it is underlined.
    front = text.find("\n---", 3) + 4 if prose and text.startswith("---\n") else 0
    for at, kind, value in lexer.get_tokens_unprocessed(text):
        name = _class_of(kind)
        if name and (not prose or (name == "hd" and at >= front)):
            runs.append((at, at + len(value), name))
    return tuple(sorted(runs))


def _class_of(kind: _TokenType) -> str:
    return next((name for family, name in _CLASSES if is_token_subtype(kind, family)), "")


def _within(runs: Sequence[Run], start: int, end: int) -> list[Run]:
    """The tokens that reach into a line. Tokens are in order and apart, so that their ends are in order too."""
    first = bisect_right(runs, start, key=lambda run: run[1])
    return list(takewhile(lambda run: run[0] < end, islice(runs, first, None)))


def _marked(marks: Iterable[Run], start: int, end: int) -> list[Run]:
    """The marks that reach into a line; marks may overlap."""
    return [mark for mark in marks if mark[0] < end and mark[1] > start]


def _spans(text: str, start: int, end: int, tokens: list[Run], marks: list[Run]) -> str:
    """One line cut wherever a token, a mark or a hidden character begins or ends."""
    hidden = {start + at for at in find_hidden(text[start:end])}
    cuts = {start, end} | hidden | {at + 1 for at in hidden}
    for run in (*tokens, *marks):
        cuts |= {at for at in run[:2] if start < at < end}
    points = sorted(cuts)
    pieces = []
    for left, right in pairwise(points):
        names = [name for at, until, name in (*tokens, *marks) if at <= left < until]
        if left in hidden:
            char = text[left]
            pieces.append(
                format_html(
                    '<span class="{}" data-c="{}" title="{}">{}</span>',
                    " ".join(["hid", *names]),
                    f"{ord(char):x}",
                    name_of(char),
                    code_of(char),
                )
            )
        elif names:
            pieces.append(format_html('<span class="{}">{}</span>', " ".join(names), text[left:right]))
        else:
            pieces.append(format_html("{}", text[left:right]))
    return "".join(pieces)
