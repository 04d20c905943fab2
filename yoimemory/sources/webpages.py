"""The text of a web page: what a reader of it would see, on the very lines of the file, and its headings.

One pass over the characters, each looked at once: no page can make it slow. Scripts, styles and
navigation are left out, and nothing that a page points at is fetched.
"""

import re
from dataclasses import dataclass, field
from html import unescape

from yoimemory.sources.blocks import Heading

LINE_MAX = 2_000
"""Characters of a line in the file above which lines are broken where blocks begin."""

_NAME = re.compile(r"</?([A-Za-z][A-Za-z0-9:-]{0,40})")
_QUOTE = re.compile(r"[\"'>]")
_SPACES = re.compile(r"[ \t\r\f\xa0]+")
_SILENT = frozenset({"script", "style", "template", "noscript", "svg", "math", "iframe", "object", "textarea", "nav"})
_RAW = frozenset({"script", "style", "textarea", "title", "iframe"})
_BLOCKS = frozenset({
    "address", "article", "aside", "blockquote", "body", "br", "caption", "dd", "details", "div", "dl", "dt",
    "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "li", "main", "ol",
    "p", "pre", "section", "summary", "table", "tbody", "td", "th", "thead", "tr", "ul",
})  # fmt: skip


@dataclass(slots=True)
class Page:
    """What was read of a page."""

    lines: list[str] = field(default_factory=lambda: [""])
    headings: list[Heading] = field(default_factory=list)
    title: str = ""
    keeps_lines: bool = True

    @property
    def text(self) -> str:
        return "\n".join(_SPACES.sub(" ", line).strip() for line in self.lines)


def read_page(source: str) -> Page:
    """The visible text of a page. Its lines are those of the file, unless these are too long to be read."""
    page = Page(keeps_lines=all(len(line) <= LINE_MAX for line in source.split("\n")))
    _Scan(source, page).run()
    return page


class _Scan:
    """Goes over a page once."""

    def __init__(self, source: str, page: Page) -> None:
        self.source, self.lower, self.page, self.at = source, source.lower(), page, 0
        self.silent: list[str] = []
        self.open: list[str] = []  # of the last line: added to at once, a long one would be copied over and over
        self.heading: tuple[int, int, list[str]] | None = None

    def run(self) -> None:
        size = len(self.source)
        while self.at < size:
            opening = self.source.find("<", self.at)
            if opening < 0:
                opening = size
            self._say(self.source[self.at : opening])
            self.at = opening
            if opening < size:
                self._mark()
        self.page.lines[-1] = "".join(self.open)

    def _next_line(self) -> None:
        self.page.lines[-1] = "".join(self.open)
        self.page.lines.append("")
        self.open = []

    def _mark(self) -> None:
        if self.source.startswith("<!--", self.at):
            self._skip_to("-->", 3)
        elif self.source.startswith(("<!", "<?"), self.at):
            self._skip_to(">", 1)
        elif match := _NAME.match(self.source, self.at):
            self._tag(match[1].lower(), is_end=self.source[self.at + 1] == "/")
        else:
            self._say("<")
            self.at += 1

    def _skip_to(self, end: str, length: int) -> None:
        stop = self.source.find(end, self.at)
        self._move(len(self.source) if stop < 0 else stop + length)

    def _move(self, to: int) -> None:
        """Pass over characters; the lines they end stay."""
        self._break(self.source.count("\n", self.at, to))
        self.at = to

    def _break(self, count: int) -> None:
        if self.page.keeps_lines and count:
            self._next_line()
            self.page.lines += [""] * (count - 1)

    def _tag(self, name: str, *, is_end: bool) -> None:
        self._move(self._end_of_tag())
        if name in _SILENT:
            if is_end and name in self.silent:
                while self.silent.pop() != name:
                    pass
            elif not is_end and len(self.silent) < 100:
                self.silent.append(name)
        if name in _RAW and not is_end:
            stop = self.lower.find(f"</{name}", self.at)
            stop = len(self.source) if stop < 0 else stop
            if name == "title" and not self.page.title:
                self.page.title = " ".join(unescape(self.source[self.at : stop]).split())[:300]
            self._move(stop)
        if name in _BLOCKS:
            self._block()
        if len(name) == 2 and name[0] == "h" and name[1] in "123456":
            self._heading(int(name[1]), is_end=is_end)

    def _end_of_tag(self) -> int:
        at = self.at
        while match := _QUOTE.search(self.source, at):
            if match[0] == ">":
                return match.end()
            closing = self.source.find(match[0], match.end())
            if closing < 0:
                return len(self.source)
            at = closing + 1
        return len(self.source)

    def _block(self) -> None:
        if not self.open:
            return
        if self.page.keeps_lines:
            self.open.append(" ")
        else:
            self._next_line()

    def _heading(self, level: int, *, is_end: bool) -> None:
        if not is_end:
            self.heading = (len(self.page.lines), level, [])
        elif self.heading:
            line, depth, words = self.heading
            text = " ".join("".join(words).split())[:300]
            if text:
                self.page.headings.append(Heading(line, depth, text))
            self.heading = None

    def _say(self, words: str) -> None:
        if self.silent:
            self._break(words.count("\n"))
            return
        first, *rest = words.split("\n")
        self._put(first)
        for line in rest:
            if self.page.keeps_lines:
                self._next_line()
            self._put(line if self.page.keeps_lines else " " + line)

    def _put(self, words: str) -> None:
        if not words:
            return
        text = unescape(words).replace("\n", " ") if "&" in words else words
        self.open.append(text)
        if self.heading:
            self.heading[2].append(text + " ")
