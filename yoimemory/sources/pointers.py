"""JSON with its places kept: which lines a JSON pointer means, and a layout in which every value has its own line.

Values stand as they were written: a number is never read into a float and written again.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from json import JSONDecoder

from yoimemory.errors import BadInput
from yoimemory.sources.reading import Passage

DEPTH_MAX = 100
NODES_MAX = 100_000
PASSAGE_LINES = 12
PASSAGES_MAX = 2_000
POINTER_MAX = 250

_SPACE = re.compile(r"[ \t\r\n]*")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_DECODER = JSONDecoder()
_WORDS = ("true", "false", "null")


class NotJson(BadInput):
    """The text is no JSON, or more of it than is read; `line` says where, from 1."""

    def __init__(self, reason: str, line: int) -> None:
        super().__init__(
            f"Line {line}: {reason}.", hint="Send one JSON value, such as an object.", fields={"body": "not JSON"}
        )
        self.reason, self.line = reason, line


@dataclass(slots=True)
class Node:
    """One value of a JSON text: its pointer, its lines (from 1, inclusive), where it begins and ends."""

    pointer: str
    key: str
    kind: str
    start: int
    end: int
    first: int
    last: int
    children: "list[Node]" = field(default_factory=list)

    def walk(self) -> "Iterator[Node]":
        """This node and all below it, in order."""
        yield self
        for child in self.children:
            yield from child.walk()


def read_nodes(text: str) -> Node:
    """The values of a JSON text. Raises NotJson with the line: no JSON, a key twice, too deep or too much."""
    scanner = _Scanner(text)
    node = scanner.value(scanner.space(0), "", "", 0)
    rest = scanner.space(node.end)
    if rest != len(text):
        raise scanner.fault("something stands behind the value", rest)
    return node


def node_at(root: Node, pointer: str) -> Node | None:
    """The value that a pointer names, or None."""
    node: Node | None = root
    for step in pointer.split("/")[1:]:
        if node is None:
            return None
        wanted = f"{node.pointer}/{step}"
        node = next((child for child in node.children if child.pointer == wanted), None)
    return node


def lay_out(text: str, change: Callable[[str], str] = lambda inner: inner) -> str:
    """The same values, each on a line of its own, keys in their order; `change` is applied within strings and keys.

    Raises NotJson also where two keys are the same once they are changed.
    """
    lines: list[str] = []
    _write(read_nodes(text), text, change, 0, "", "", lines)
    laid = "\n".join(lines)
    read_nodes(laid)
    return laid


def passages_of_json(root: Node, text: str, **about: object) -> tuple[Passage, ...]:
    """Parts that can be found and cited by pointer, together covering every line.

    A value of few lines is one part; a longer one is told apart into its members, whose first also has the
    line that opens it and whose last the line that closes it.
    """
    lines = text.split("\n")
    found: list[Passage] = []
    for node, first, last in _parts(root, 1, len(lines)):
        if len(found) < PASSAGES_MAX and node.pointer:
            words = "\n".join(lines[first - 1 : last])
            found.append(Passage(node.pointer, words, first, last, **about))  # type: ignore[arg-type]
    return tuple(found)


def _parts(node: Node, first: int, last: int) -> Iterator[tuple[Node, int, int]]:
    deep = any(len(child.pointer) > POINTER_MAX for child in node.children)
    apart = all(one.last < other.first for one, other in zip(node.children, node.children[1:], strict=False))
    short = node.pointer and last - first < PASSAGE_LINES
    if not node.children or short or deep or not apart:
        yield node, first, last
        return
    for index, child in enumerate(node.children):
        opens = first if index == 0 else child.first
        closes = last if index == len(node.children) - 1 else node.children[index + 1].first - 1
        yield from _parts(child, opens, closes)


def _write(
    node: Node, text: str, change: Callable[[str], str], depth: int, head: str, tail: str, lines: list[str]
) -> None:
    pad = "  " * depth
    if not node.children:
        raw = {"object": "{}", "array": "[]"}.get(node.kind, text[node.start : node.end])
        if node.kind == "string":
            raw = f'"{change(raw[1:-1])}"'
        lines.append(f"{pad}{head}{raw}{tail}")
        return
    opening, closing = ("{", "}") if node.kind == "object" else ("[", "]")
    lines.append(f"{pad}{head}{opening}")
    for index, child in enumerate(node.children):
        name = f'"{change(child.key[1:-1])}": ' if node.kind == "object" else ""
        comma = "," if index < len(node.children) - 1 else ""
        _write(child, text, change, depth + 1, name, comma, lines)
    lines.append(f"{pad}{closing}{tail}")


class _Scanner:
    """Reads values with their offsets. The standard parser tells none, and takes what is no JSON (NaN, keys twice)."""

    def __init__(self, text: str) -> None:
        self.text, self.count = text, 0
        self.starts = [0, *(match.end() for match in re.finditer("\n", text))]

    def space(self, at: int) -> int:
        match = _SPACE.match(self.text, at)
        return match.end() if match else at

    def line(self, at: int) -> int:
        return bisect_right(self.starts, at)

    def fault(self, reason: str, at: int) -> NotJson:
        return NotJson(reason, self.line(min(at, len(self.text))))

    def value(self, at: int, pointer: str, key: str, depth: int) -> Node:
        self.count += 1
        if depth > DEPTH_MAX or self.count > NODES_MAX:
            raise self.fault(f"more than {DEPTH_MAX} levels or {NODES_MAX:,} values are not read", at)
        sign = self.text[at : at + 1]
        if sign in {"{", "["}:
            return self._container(at, pointer, key, depth, sign)
        if sign == '"':
            return self._node(pointer, key, "string", at, self._string(at)[1])
        for word in _WORDS:
            if self.text.startswith(word, at):
                return self._node(pointer, key, "word", at, at + len(word))
        number = _NUMBER.match(self.text, at)
        if number is None:
            raise self.fault("this is no JSON value", at)
        return self._node(pointer, key, "number", at, number.end())

    def _node(self, pointer: str, key: str, kind: str, start: int, end: int) -> Node:
        return Node(pointer, key, kind, start, end, self.line(start), self.line(end - 1))

    def _string(self, at: int) -> tuple[str, int]:
        try:
            text, end = _DECODER.raw_decode(self.text, at)
        except ValueError:
            raise self.fault("this text does not end, or holds what no JSON text may", at) from None
        return str(text), end

    def _container(self, at: int, pointer: str, key: str, depth: int, sign: str) -> Node:
        closing = "}" if sign == "{" else "]"
        children: list[Node] = []
        taken: set[str] = set()
        place = self.space(at + 1)
        while self.text[place : place + 1] != closing:
            if children:
                if self.text[place : place + 1] != ",":
                    raise self.fault(f"a comma or {closing} is missing", place)
                place = self.space(place + 1)
            raw, step = "", str(len(children))
            if sign == "{":
                raw, step, place = self._key(place, taken)
            child = self.value(place, f"{pointer}/{step}", raw, depth + 1)
            children.append(child)
            place = self.space(child.end)
        node = self._node(pointer, key, "object" if sign == "{" else "array", at, place + 1)
        node.children = children
        return node

    def _key(self, at: int, taken: set[str]) -> tuple[str, str, int]:
        """The key as it is written, its step of a pointer, and where its value begins."""
        if self.text[at : at + 1] != '"':
            raise self.fault("a key in double quotes is missing", at)
        name, end = self._string(at)
        if name in taken:
            raise self.fault(f"the key {name[:40]!r} stands here a second time", at)
        taken.add(name)
        colon = self.space(end)
        if self.text[colon : colon + 1] != ":":
            raise self.fault("a colon is missing", colon)
        return self.text[at:end], name.replace("~", "~0").replace("/", "~1"), self.space(colon + 1)
