"""JSON as a tree that folds without a script. Each value leads to its lines, where it is quoted.

The HTML is put together here and not in a template, as for lines: a record has thousands of values.
"""

from dataclasses import dataclass
from urllib.parse import quote

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from evidence.hidden import make_visible
from yoimemory.desk.rendering import INPUT_MAX
from yoimemory.refs import SourceRef, lines_fragment
from yoimemory.sources.pointers import Node, NotJson, read_nodes
from yoimemory.sources.reading import Document

NODES_MAX = 4_000
OPEN_DEPTH = 2
VALUE_MAX = 300


@dataclass(frozen=True, slots=True)
class Tree:
    """A JSON text as nested lists, and how many of its values are not shown."""

    html: SafeString
    left_out: int


def is_json(document: Document) -> bool:
    """Whether a text can be shown as a tree."""
    named = document.ref.kind == "record" or document.path.lower().endswith(".json")
    return named and document.ref.kind not in {"diff", "session"} and len(document.text) <= INPUT_MAX


def tree_of(document: Document, query: str) -> Tree | None:
    """The tree of a text, or None where it is no JSON; `query` is the address of its page without the ref."""
    try:
        root = read_nodes(document.text)
    except NotJson:
        return None
    writer = _Writer(document, query)
    html = writer.node(root, 0, "")
    return Tree(format_html('<ul class="tree">{}</ul>', html), max(0, sum(1 for _ in root.walk()) - NODES_MAX))


class _Writer:
    """Writes values until so many were written; the rest is counted by who asked."""

    def __init__(self, document: Document, query: str) -> None:
        self._document, self._query, self._done = document, query, 0

    def node(self, node: Node, depth: int, step: str) -> SafeString:
        self._done += 1
        if self._done > NODES_MAX:
            return SafeString("")
        name = format_html("<b>{}</b> ", make_visible(step)) if step else SafeString("")
        head = format_html("{}{}{}", name, self._value(node), self._address(node))
        if not node.children:
            return format_html("<li>{}</li>", head)
        inner = format_html_join("", "{}", ((self.node(child, depth + 1, _step(child)),) for child in node.children))
        opened = SafeString(" open") if depth < OPEN_DEPTH else SafeString("")
        return format_html("<li><details{}><summary>{}</summary><ul>{}</ul></details></li>", opened, head, inner)

    def _value(self, node: Node) -> SafeString:
        if node.kind in {"object", "array"}:
            braces = "{}" if node.kind == "object" else "[]"
            return format_html('<span class="q">{} {}</span>', braces, f"{len(node.children):,}")
        text = self._document.text[node.start : node.end]
        more = "…" if len(text) > VALUE_MAX else ""
        return format_html('<span class="v">{}{}</span>', make_visible(text[:VALUE_MAX]), more)

    def _address(self, node: Node) -> SafeString:
        """The link to the lines of a value; a file is cited by its lines, a record by the pointer."""
        if not node.pointer:
            return SafeString("")
        pointer = self._document.ref.kind == "record"
        fragment = node.pointer if pointer else lines_fragment(node.first, node.last)
        ref = self._document.ref.at(self._document.revision).part(fragment)
        return format_html(
            ' <a class="ref" href="{}#L{}" title="{}">{}</a>',
            _url(ref, self._query),
            node.first,
            make_visible(str(ref.at(""))),
            "quote",
        )


def _step(node: Node) -> str:
    return node.pointer.rsplit("/", 1)[-1].replace("~1", "/").replace("~0", "~")


def _url(ref: SourceRef, query: str) -> str:
    return f"?ref={quote(str(ref), safe='')}{query}"
