"""Markdown as a page shows it: no HTML of its own, nothing loaded from outside, done within two seconds.

The parser takes no raw HTML, the sanitiser lets through a short list of tags, and both are needed:
a workspace's documents are written by anyone. What takes too long or is too large is shown as
plain text, with a sentence that says so.
"""

import posixpath
import re
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache, wraps
from typing import Any
from urllib.parse import unquote, urlsplit

import nh3
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt
from markdown_it.ruler import Ruler
from markdown_it.token import Token
from mdit_py_plugins.footnote import footnote_plugin
from mdit_py_plugins.tasklists import tasklists_plugin

from evidence.hidden import make_visible

INPUT_MAX = 512 * 1024
SECONDS = 2.0

TAGS = {
    "p", "br", "hr", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "li", "blockquote", "pre", "code", "em",
    "strong", "s", "del", "a", "table", "thead", "tbody", "tr", "th", "td", "sup", "sub", "section",
}  # fmt: skip
ATTRIBUTES = {
    "a": {"href", "title"}, "code": {"class"}, "th": {"align"}, "td": {"align"}, "ol": {"start"},
}  # fmt: skip
_LANGUAGE = re.compile(r"language-[\w+#.-]{1,40}")
_ALIGN = re.compile(r"text-align:(left|center|right)")

Link = Callable[[str], str]
"""Turns a link of a document into an address; an empty answer leaves the text without a link."""


class TooSlow(Exception):
    """Rendering took longer than a page may wait."""


@dataclass(frozen=True, slots=True)
class Rendered:
    """HTML that may stand in a page, and a sentence where it is less than was asked for."""

    html: SafeString
    note: str = ""


def render_markdown(text: str, *, link: Link = lambda href: href, seconds: float | None = None) -> Rendered:
    """Render Markdown. Never raises for what a document holds."""
    seconds = SECONDS if seconds is None else seconds
    if seconds <= 0:
        return _plain(text, "Rendering what stands above took two seconds; this is shown as it stands.")
    if len(text.encode("utf-8", "replace")) > INPUT_MAX:
        return _plain(text, "This text is larger than 512 KB and is shown as it stands.")
    text = make_visible(text.replace("\r\n", "\n"))
    try:
        html = _parser(time.monotonic() + seconds).render(text, {"link": link})
    except (TooSlow, RecursionError):
        return _plain(text, "Rendering this text took longer than two seconds; it is shown as it stands.")
    return Rendered(mark_safe(_sanitise(html)))  # the one place that lets HTML through: nh3 has been over it


@lru_cache(maxsize=64)
def render_document(text: str, base: str, address: Callable[[str, str], str]) -> Rendered:
    """Render a document of the workspace, its relative links taken from the folder `base`; kept by its content."""
    return render_markdown(text, link=lambda href: address(href, base))


def render_cards(texts: Sequence[str], base: str, address: Callable[[str, str], str]) -> list[Rendered]:
    """Render the parts of one page, which have the time of one document together."""
    deadline = time.monotonic() + SECONDS
    return [
        render_markdown(text, link=lambda href: address(href, base), seconds=deadline - time.monotonic())
        for text in texts
    ]


def path_of(href: str, base: str) -> str:
    """The path in the workspace that a relative link means; empty for anything else, also for one that leads out."""
    parts = urlsplit(href)
    if parts.scheme or parts.netloc or not parts.path or parts.path.startswith("/"):
        return ""
    path = posixpath.normpath(posixpath.join(base, unquote(parts.path)))
    return "" if path.startswith("..") or "\0" in path else path


_kept = threading.local()


def _parser(deadline: float) -> MarkdownIt:
    """The parser of this thread, which ends at the deadline: to build one takes longer than to render a short text."""
    if not hasattr(_kept, "parser"):
        _kept.parser = _build()
    _kept.deadline = deadline
    parser: MarkdownIt = _kept.parser
    return parser


def _build() -> MarkdownIt:
    options = {"html": False, "linkify": False, "maxNesting": 100}
    parser = MarkdownIt("commonmark", options).enable(["table", "strikethrough"])
    parser.use(footnote_plugin).use(tasklists_plugin)
    for ruler in (parser.core.ruler, parser.block.ruler, parser.inline.ruler, parser.inline.ruler2):
        _limit(ruler)
    parser.core.ruler.push("quiet", _quieten)
    parser.add_render_rule("image", _image)
    return parser


def _limit(ruler: "Ruler[Any]") -> None:
    """Let every rule look at the clock: a text that makes rules run for ever then ends at the deadline."""
    for rule in ruler.__rules__:
        rule.fn = _timed(rule.fn)


def _timed(rule: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(rule)
    def limited(*args: Any, **kwargs: Any) -> Any:
        if time.monotonic() > _kept.deadline:
            raise TooSlow
        return rule(*args, **kwargs)

    return limited


def _quieten(state: Any) -> None:
    """Turn what the plugins write as HTML, and links, into what passes the sanitiser."""
    for token in state.tokens:
        align = _ALIGN.search(str(token.attrs.pop("style", "")))
        if align:
            token.attrs["align"] = align[1]
        for child in token.children or ():
            if child.type == "html_inline" and "task-list-item-checkbox" in child.content:
                child.type, child.content = "text", "☑" if "checked=" in child.content else "☐"
            if child.type == "link_open":
                child.attrs["href"] = state.env["link"](str(child.attrs.get("href", "")))


def _image(renderer: Any, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    """A picture is not loaded: its text links to where it is."""
    token = tokens[index]
    label = token.content or str(token.attrs.get("src", ""))
    href = env["link"](str(token.attrs.get("src", "")))
    return format_html('<a href="{}">[picture: {}]</a>', href, label) if href else format_html("[picture: {}]", label)


def _sanitise(html: str) -> str:
    return nh3.clean(
        html,
        tags=TAGS,
        attributes=ATTRIBUTES,
        attribute_filter=_attribute,
        url_schemes={"http", "https", "mailto"},
        link_rel="noopener noreferrer nofollow",
    )


def _attribute(tag: str, name: str, value: str) -> str | None:
    if name == "class":
        return value if _LANGUAGE.fullmatch(value) else None
    if name == "href" and (not value or value.startswith("#")):
        return None  # anchors inside a rendered text have no target: ids do not pass
    return value


def _plain(text: str, note: str) -> Rendered:
    return Rendered(format_html("<pre>{}</pre>", text), note)
