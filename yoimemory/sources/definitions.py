"""Where the definitions of a program begin, by rules for families of languages, for cutting it into passages.

A lexer would tell a string from code more surely, but takes longer than all else that is done with a file
when it is indexed; it is asked where one definition is looked for (`outline`). Python has its own parser.
"""

import re
from collections.abc import Sequence

from yoimemory.sources.blocks import LINES_MAX, Heading, definitions_of
from yoimemory.sources.places import ending_of

_C = frozenset({"c", "h", "cc", "cpp", "cxx", "hpp", "hh", "hxx", "m", "mm", "cu", "ino"})
_SCRIPT = frozenset({"js", "jsx", "ts", "tsx", "mjs", "cjs", "mts", "cts", "vue", "svelte"})
_SHELL = frozenset({"sh", "bash", "zsh", "ksh", "fish"})
_OTHERS = frozenset({"kt", "kts", "swift", "proto", "graphql", "gql", "tf", "hcl", "scala", "groovy", "dart", "zig"})
_NESTING = frozenset({"java", "cs", "kt", "scala", "groovy", "rb", "php", "swift", "dart"})
"""Languages in which a file is one type with everything in it: a long one is cut at its members."""

_AHEAD = 12
"""Lines in which the brace of a function must come, before any `;`."""

_LINE_MAX = 500

_FUNCTION = re.compile(r"(?:[A-Za-z_][\w:<>*&,~\[\] \t]*?[\s*&:~])?([A-Za-z_~][\w~]*)[ \t]*\(")
_TYPE_ONLY = re.compile(r"[A-Za-z_][\w:<>*& \t]*")
_NO_FUNCTION = re.compile(r"(?:if|for|while|switch|return|else|do|case|typedef|using|goto|static_assert|extern)\b")
_BOUND = re.compile(
    r"(?:export (?:default )?)?(?:const|let|var)[ \t]+([\w$]+)[ \t]*(?::[^=]{0,200})?=[ \t]*"
    r"(?:async[ \t]*)?(?:function\b|class\b|\(|<|[\w$]+[ \t]*=>)"
)
_SHELL_FUNCTION = re.compile(r"(?:function[ \t]+([\w:.-]+)|([\w:.-]+)[ \t]*\(\))")
_WORD = re.compile(
    r"(?:(?:public|private|internal|open|override|final|suspend|inline|abstract|sealed|data|export|pub)[ \t]+)*"
    r"(?:fun|func|actor|protocol|extension|message|service|input|scalar|query|mutation|resource|variable|output|provider|"
    r"locals|trait|class|case class|enum class|interface|object)\b[ \t\"]*([\w.<>$-]*)"
)
_MEMBER = re.compile(
    r"[ \t]+(?:(?:public|private|protected|internal|static|final|abstract|override|virtual|async|suspend|open|sealed|"
    r"partial|synchronized)\b[ \t]*)*"
    r"(?:(?:def|fun|func|function|class|interface|enum|struct|record)[ \t]+([\w.?!]+)|"
    r"(?<=\w[ \t])[^=;(]*?([\w.?!]+)[ \t]*\()"
)
_GO_METHOD = re.compile(r"func \((?:\w+ )?\*?(\w+)(?:\[[^\]]*\])?\) (\w+)")
_LEADING = re.compile(r"(?:@|template\b|\[|//|/\*|\*|#(?!\[|include|define|if|end|else)|--)")


def definitions_in(path: str, lines: Sequence[str]) -> list[Heading]:
    """The definitions of a text by their first line, comments and decorators above included, in order."""
    ending = ending_of(path)
    found = {heading.line: heading for heading in definitions_of(lines)}
    if ending == "go":
        found = {line: _of_type(heading, lines) for line, heading in found.items()}
    if ending in _C:
        found |= {line: Heading(line, 1, name) for line, name in _functions(lines) if line not in found}
    patterns = ((_SHELL, _SHELL_FUNCTION), (_SCRIPT, _BOUND), (_OTHERS, _WORD))
    if pattern := next((each for endings, each in patterns if ending in endings), None):
        found |= {line: Heading(line, 1, name) for line, name in _matches(pattern, lines, found)}
    borders = [found[line] for line in sorted(found)]
    return list(_with_members(borders, lines)) if ending in _NESTING else borders


def _of_type(heading: Heading, lines: Sequence[str]) -> Heading:
    """A method of Go under the name of its type."""
    head = next((line for line in lines[heading.line - 1 :] if not _LEADING.match(line)), "")
    found = _GO_METHOD.match(head)
    return Heading(heading.line, 1, f"{found[1]}.{found[2]}") if found else heading


def _matches(pattern: re.Pattern[str], lines: Sequence[str], known: dict[int, Heading]) -> list[tuple[int, str]]:
    found = []
    for number, line in enumerate(lines, start=1):
        if line and line[0] not in " \t}" and len(line) <= _LINE_MAX and (match := pattern.match(line)):
            start = _with_leading(lines, number)
            if start not in known and number not in known:
                found.append((start, next((name for name in match.groups() if name), line[:80].strip())))
    return found


def _functions(lines: Sequence[str]) -> list[tuple[int, str]]:
    """Functions in the manner of C: a name with parentheses at the beginning of a line, and a body."""
    found = []
    for number, line in enumerate(lines, start=1):
        if not line or not (line[0].isalpha() or line[0] == "_") or len(line) > _LINE_MAX or _NO_FUNCTION.match(line):
            continue
        match = _FUNCTION.match(line)
        if match and _has_body(lines, number):
            above = lines[number - 2] if number > 1 else ""
            first = number - 1 if match.start(1) == 0 and _TYPE_ONLY.fullmatch(above) else number
            found.append((_with_leading(lines, first), match[1]))
    return found


def _has_body(lines: Sequence[str], number: int) -> bool:
    for line in lines[number - 1 : number - 1 + _AHEAD]:
        brace, end = line.find("{"), line.find(";")
        if brace >= 0 and (end < 0 or brace < end):
            return True
        if end >= 0:
            return False
    return False


def _with_leading(lines: Sequence[str], number: int) -> int:
    """The first line of the comments and decorators right above a line."""
    while number > 1 and _LEADING.match(lines[number - 2].lstrip()):
        number -= 1
    return number


def _with_members(borders: Sequence[Heading], lines: Sequence[str]) -> list[Heading]:
    """The same, with the members of each definition that is too long for one passage."""
    found: list[Heading] = []
    for index, border in enumerate(borders):
        found.append(border)
        last = borders[index + 1].line - 1 if index + 1 < len(borders) else len(lines)
        if last - border.line >= LINES_MAX:
            found += _members(lines, border, last)
    return found


def _members(lines: Sequence[str], border: Heading, last: int) -> list[Heading]:
    """The outermost members between two lines: those that stand least deep."""
    matches = []
    for number in range(border.line + 1, last + 1):
        line = lines[number - 1]
        if line[:1] in " \t" and len(line) <= _LINE_MAX and (match := _MEMBER.match(line)):
            matches.append((len(line) - len(line.lstrip()), number, match[1] or match[2]))
    least = min((depth for depth, _, _ in matches), default=0)
    outermost = [(number, name) for depth, number, name in matches if depth == least]
    return [
        Heading(max(_with_leading(lines, number), border.line + 1), 2, f"{border.text}.{name}")
        for number, name in outermost
    ]
