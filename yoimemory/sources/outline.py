"""What a program defines, with what is nested in it: names for addresses, lines for reading. Nothing is run.

Python is taken apart by its own parser. In other languages a lexer tells strings and comments from
code, and braces (or indentation, where there are none) tell what belongs to what.
"""

import ast
import re
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pygments.lexer import Lexer
from pygments.lexers import get_lexer_for_filename
from pygments.util import ClassNotFound

from yoimemory.sources.blocks import Heading, definitions_of
from yoimemory.sources.decoding import lines_of
from yoimemory.sources.definitions import definitions_in
from yoimemory.sources.places import ending_of

LEXED_MAX = 512 << 10
"""Characters of a text that is given to a lexer; of a longer one only top-level definitions are told."""

SYMBOLS_MAX = 5_000

_BY_END = frozenset({"rb", "lua", "ex", "exs", "jl", "vim"})
_WORDS = re.compile(
    r"(?:export |default |declare |pub(?:\([a-z:]+\))? |public |private |protected |internal |static |final |abstract |"
    r"override |virtual |async |unsafe |extern(?: \"C\")? |const |inline |local |readonly |suspend |open |data |"
    r"sealed )*"
    r"(?P<word>def|class|fn|func|function\*?|struct|enum|trait|impl(?:<[^>]*>)?|interface|type|module|mod|namespace|"
    r"object|record|macro_rules!|defmodule|union|fun|protocol|extension)\b[ \t]*(?P<rest>[^;]*)"
)
_GO_METHOD = re.compile(r"\([^)]*?\*?(\w+)(?:\[[^\]]*\])?\)[ \t]*(\w+)")
_IMPL_FOR = re.compile(r"(?:<[^>]*>)?[ \t]*(?:[\w:<>, ]+?[ \t]+for[ \t]+)?([A-Za-z_]\w*)")
_NAME = re.compile(r"(?:self\.)?([A-Za-z_$][\w$]*[?!]?)")
_METHOD = re.compile(
    r"(?:[\w<>\[\]*&:,.$@?]+[ \t]+)*~?(#?[A-Za-z_$][\w$]*)[ \t]*(?:<[^>()]*>)?"
    r"\([^;{}]*\)[^;{}()=]*\{[^}]*$"
)
_NO_METHOD = frozenset({"if", "for", "while", "switch", "catch", "return", "else", "do", "with", "match", "loop"})
_SHELL = re.compile(r"(?:function[ \t]+)?([\w-]+)[ \t]*\(\)[ \t]*\{?")
_SILENT = ("Token.Comment", "Token.Literal.String")
_CONTAINERS = frozenset({
    "class", "struct", "enum", "trait", "impl", "interface", "module", "mod", "namespace", "object", "record", "union",
    "defmodule", "protocol", "extension",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Symbol:
    """A definition: its name with those around it (`Store.put`), and its lines from 1, inclusive."""

    name: str
    first: int
    last: int

    def is_called(self, wanted: str) -> bool:
        """Whether a name means it: whole, or its end from some step on (`put`, `Store::put`)."""
        steps = re.split(r"::|[.#/]", wanted)
        return self.name.split(".")[-len(steps) :] == steps


def symbols_of(path: str, text: str) -> list[Symbol]:
    """The definitions of a text, each behind what it lies in."""
    if ending_of(path) in {"py", "pyi"}:
        found = _of_python(text)
        if found is not None:
            return found[:SYMBOLS_MAX]
    lines = lines_of(text)
    lexer = _lexer(path)
    if lexer is None or len(text) > LEXED_MAX:
        return list(_of_top_level(lines))
    code = _code_only(lexer, text)
    nested = _by_indent(code) if ending_of(path) in _BY_END else _by_braces(code)
    return nested[:SYMBOLS_MAX] or list(_of_top_level(lines))


def top_level(path: str, text: str) -> list[Heading]:
    """The definitions at which a text is cut, with the comments above them."""
    found = _of_python(text) if ending_of(path) in {"py", "pyi"} else None
    lines = lines_of(text)
    if found is None:
        return definitions_in(path, lines)
    borders: list[Heading] = []
    for symbol in found:
        start = symbol.first
        while start > 1 and lines[start - 2].startswith("#") and (not borders or start - 1 > borders[-1].line):
            start -= 1
        if "." not in symbol.name and (not borders or start > borders[-1].line):
            borders.append(Heading(start, 1, symbol.name))
    return borders


def symbol_lines(path: str, text: str, name: str) -> tuple[int, int] | None:
    """The lines of a definition by its name; the whole name counts before the end of one."""
    symbols = symbols_of(path, text)
    exact = [symbol for symbol in symbols if symbol.name == ".".join(re.split(r"::|[.#/]", name))]
    found = next(iter(exact or [symbol for symbol in symbols if symbol.is_called(name)]), None)
    return (found.first, found.last) if found else None


def _of_python(text: str) -> list[Symbol] | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # odd escapes in somebody's strings are no matter of ours
            tree = ast.parse(text.removeprefix("\ufeff"))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return list(_of_body(tree.body, ""))


def _of_body(body: Sequence[ast.stmt], above: str) -> Iterator[Symbol]:
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
            yield Symbol(f"{above}{node.name}", first, node.end_lineno or node.lineno)
            if above.count(".") < 10:
                yield from _of_body(node.body, f"{above}{node.name}.")


def _of_top_level(lines: Sequence[str]) -> Iterator[Symbol]:
    borders = definitions_of(lines)
    for index, border in enumerate(borders):
        last = borders[index + 1].line - 1 if index + 1 < len(borders) else len(lines)
        name = re.split(r"[(<:\s]", re.sub(r"^(?:<[^>]*>)?\s*", "", border.text), maxsplit=1)[0] or border.text
        yield Symbol(name.strip("&"), border.line, last)


def _lexer(path: str) -> Lexer | None:
    try:
        return get_lexer_for_filename(path.rsplit("/", 1)[-1], stripnl=False, ensurenl=False)
    except (ClassNotFound, ValueError):
        return None


def _code_only(lexer: Lexer, text: str) -> list[str]:
    """The lines of a text with strings and comments as blanks, so that what stands in them is nothing."""
    parts: list[str] = []
    for _, kind, value in lexer.get_tokens_unprocessed(text):
        silent = str(kind).startswith(_SILENT)
        parts.append(re.sub(r"[^\n]", " ", value) if silent else value)
    return "".join(parts).split("\n")


def _defined(line: str, inside: str) -> tuple[str, str, str]:
    """(word, name, type it belongs to) of a definition that begins on a line, or nothing."""
    bare = line.strip()
    if match := _WORDS.match(bare):
        word, rest = match["word"].split("<", 1)[0].rstrip("*!"), match["rest"]
        if word == "func" and (method := _GO_METHOD.match(rest)):
            return word, method[2], method[1]
        name = _IMPL_FOR.match(rest) if word == "impl" else _NAME.match(rest)
        return (word, name[1], "") if name else ("", "", "")
    if match := _SHELL.fullmatch(bare):
        return "function", match[1], ""
    if inside in _CONTAINERS and (match := _METHOD.match(bare)) and match[1] not in _NO_METHOD:
        return "method", match[1], ""
    return "", "", ""


def _by_braces(code: Sequence[str]) -> list[Symbol]:
    found: list[Symbol] = []
    open_: list[tuple[str, str, int, int]] = []  # (word, name, depth, place in `found`)
    depth = 0
    waiting: tuple[str, str, int] | None = None
    for number, line in enumerate(code, start=1):
        inside = open_[-1][0] if open_ else ""
        word, name, owner = _defined(line, inside) if len(line) < 500 else ("", "", "")
        if word and (not open_ or depth == open_[-1][2] + 1 or waiting is None):
            above = f"{owner}." if owner else "".join(f"{each[1]}." for each in open_)
            found.append(Symbol(f"{above}{name}", number, number))
            waiting = (word, name, len(found) - 1)
        for sign in line:
            if sign == "{":
                if waiting:
                    open_.append((waiting[0], waiting[1], depth, waiting[2]))
                    waiting = None
                depth += 1
            elif sign == "}":
                depth = max(0, depth - 1)
                while open_ and open_[-1][2] >= depth:
                    place = open_.pop()[3]
                    found[place] = Symbol(found[place].name, found[place].first, number)
            elif sign == ";" and waiting:
                found[waiting[2]] = Symbol(found[waiting[2]].name, found[waiting[2]].first, number)
                waiting = None
    for _, _, _, place in open_:  # never closed
        found[place] = Symbol(found[place].name, found[place].first, len(code))
    return found


def _by_indent(code: Sequence[str]) -> list[Symbol]:
    """Where a word ends a definition, it stands as deep as the definition begins."""
    found: list[Symbol] = []
    open_: list[tuple[int, str, int]] = []
    for number, line in enumerate(code, start=1):
        depth = len(line) - len(line.lstrip())
        if re.match(r"\s*end\w*\b", line):
            while open_ and open_[-1][0] >= depth:
                place = open_.pop()[2]
                found[place] = Symbol(found[place].name, found[place].first, number)
            continue
        word, name, _ = _defined(line, "") if len(line) < 500 else ("", "", "")
        if word:
            found.append(Symbol("".join(f"{each[1]}." for each in open_) + name, number, number))
            if not re.search(r"\bend\b", line):
                open_.append((depth, name, len(found) - 1))
    return found
