"""Which changes of wording bear on meaning, in English and Japanese, and which word it was.

Told are numbers, versions, dates, units, negations, modals, quantities and opposites, and names of
things in code. A change that shows none of these is reworded only; nothing here says that it means
the same.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from difflib import SequenceMatcher
from itertools import zip_longest

from evidence.normal import plain

_UNITS = (
    r"%|‰|°C|[kKMGT]i?B(?:/s)?|bytes?|bits?|[munµ]s|secs?|seconds?|minutes?|mins?|hours?|hrs?|days?|weeks?|months?|"
    r"years?|times|px|rem|em|[ckm]?m|[km]?g|[kMG]?Hz|s|h|d|USD|EUR|JPY|ミリ秒|秒|分間?|時間?|日間?|週間?|[かヶケ]?月間?|"
    r"年間?|円|ドル|件|個|回|人|名|台|本|行|文字|倍|割|度|点|種類?|バイト|ビット"
)
_MONTHS = (
    r"Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?"
    r"|Nov(?:ember)?|Dec(?:ember)?"
)
_JA_NEGATION = (
    "ではありません|じゃありません|ではない|じゃない|でない|ありません|ませんでした|ません|なかった|不可能|不可|不要|"
    "未完了|無効|禁止|禁じ|以外|除外|除いて|除く|せずに|せず|ずに|ない|なく|なし|無し|無い|[未非無不](?=[一-龥])"
)
_JA_MODAL = (
    "べきではない|べきでない|べきではありません|べき|なければならない|なければなりません|ねばならない|ねばなりません|"
    "なくてはならない|てはならない|てはなりません|ではならない|てはいけない|てはいけません|なくてもよい|なくても良い|"
    "てもよい|ても良い|かもしれない|かもしれません|場合がある|場合があります|ことがある|ことがあります|できません|"
    "できない|できます|できる|必須|任意|必要|推奨|許可|許容|可能|必ず|義務|望ましい|はず"
)
_JA_DEGREE = (
    "以上|以下|未満|超える|以内|以前|以後|以降|のみ|だけ|すべて|全て|全部|一部|少なくとも|最大|最小|最低|最高|常に|"
    "時々|有効|承認|却下|拒否|成功|失敗|完了|開始|停止|増加|減少|含む|含み"
)
_KINDS = (
    ("code", r"`[^`\n]+`"),
    (
        "date",
        r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}(?:[T ]\d{1,2}:\d{2}(?::\d{2})?Z?)?|\d{4}年(?:\d{1,2}月(?:\d{1,2}日)?)?"
        rf"|\d{{1,2}}月\d{{1,2}}日|\d{{1,2}}:\d{{2}}(?::\d{{2}})?|\b(?:{_MONTHS})\b|\b(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day\b",
    ),
    ("version", r"\bv\d+(?:\.\d+)*[-+\w.]*\b|\b\d+(?:\.\d+){2,}(?:[-+.]?[A-Za-z]\w*)?"),
    (
        "identifier",
        r"(?:--?[A-Za-z][\w-]+)|[A-Za-z_][\w]*(?:(?:::|->|/)[\w.*-]+)+|(?:\./|\.\./|/)[\w./-]+|[A-Za-z]\w*(?:\.\w+)+(?:\(\))?"
        r"|\b[A-Za-z]\w*_\w+|\b_\w+|\b[a-z]+[A-Z]\w*|\b[A-Z][a-z]+[A-Z]\w*|\b[A-Z][A-Z0-9]+\b|\b[A-Za-z]+\d\w*"
        r"|\b\d*[a-f]+\d+[0-9a-f]{4,}\b|\b[A-Za-z]\w*\(\)|[#@]\w+",
    ),
    ("number", rf"(?:(?<![\w.])[-+])?\d[\d,_]*(?:\.\d+)?(?: ?(?:{_UNITS})(?![A-Za-z]))?"),
    ("number", rf"[〇一二三四五六七八九十百千万億]+(?:{_UNITS}|つ|番目)|第[〇一二三四五六七八九十百]+"),
    (
        "negation",
        r"\b(?:not|no|never|none|nor|neither|without|cannot|nothing|nobody|nowhere|unless|except|[A-Za-z]+n't)\b",
    ),
    (
        "modal",
        r"\b(?:must|shall|should|may|might|can|could|will|would|ought|needs?|has to|have to|required?|requires"
        r"|optional(?:ly)?|mandatory|recommended|discouraged|forbidden|prohibited|allowed|permitted|always|sometimes|usually|likely|unlikely)\b",
    ),
    (
        "quantity",
        r"\b(?:all|any|every|each|some|only|most|few|many|both|either|least|more|less|fewer|greater|larger|smaller|minimum"
        r"|maximum|before|after|until|since|above|below|over|under|first|last|one|two|three|four|five|six|seven|eight|nine|ten"
        r"|once|twice)\b|[<>]=?|[=!]=|[≤≥≠]",
    ),
    (
        "opposite",
        r"\b(?:true|false|enabled?|enables|disabled?|disables|allows?|den(?:y|ies|ied)|accept(?:s|ed)?|reject(?:s|ed)?"
        r"|includes?|included|excludes?|excluded|open(?:ed)?|closed?|pass(?:es|ed)?|fail(?:s|ed)?|succe(?:eds?|eded|ss)"
        r"|adds?|added|removes?|removed|increases?|decreases?|starts?|started|stops?|stopped|blocks?|blocked|approved?|refused?)\b",
    ),
    ("modal", _JA_MODAL),
    ("negation", _JA_NEGATION),
    ("quantity", _JA_DEGREE),
    ("logic", r"\b(?:and|or)\b|または|かつ|および|及び|もしくは"),
    ("word", r"[A-Za-z]+(?:-[A-Za-z]+)*"),
    ("", r"\S"),
)  # fmt: skip
_FLAGS = {"negation", "modal", "quantity", "opposite", "logic", "date"}
_TOKEN = re.compile(
    "|".join(
        f"(?P<k{index}>{f'(?i:{pattern})' if kind in _FLAGS else pattern})"
        for index, (kind, pattern) in enumerate(_KINDS)
    )
)
_QUANTITY = re.compile(r"([-+]?[\d,_.]+)(.*)")
_OPPOSING = ("un", "in", "im", "ir", "il", "dis", "non", "non-", "mis", "de")

SEARCHED_MAX = 6_000
"""Characters of either text that are compared; a quote and what may stand for it are shorter."""


@dataclass(frozen=True, slots=True)
class Change:
    """One word that bears on meaning: what it was, and what stands there now; either may be empty."""

    kind: str
    before: str
    after: str

    def __str__(self) -> str:
        if self.before and self.after:
            return f"{self.kind} “{self.before}” became “{self.after}”"
        return f"{self.kind} “{self.before}” is gone" if self.before else f"{self.kind} “{self.after}” was added"

    def as_json(self) -> dict[str, str]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str
    key: str


def changes_of_meaning(before: str, after: str, *, code: bool = False) -> list[Change]:
    """What differs between two wordings that bears on meaning, in order; with `code` every name and sign does."""
    old, new = _tokens(before, code=code), _tokens(after, code=code)
    matcher = SequenceMatcher(None, [each.key for each in old], [each.key for each in new], autojunk=False)
    found: list[Change] = []
    for tag, a1, a2, b1, b2 in matcher.get_opcodes():
        if tag != "equal":
            found += _compared(old[a1:a2], new[b1:b2])
    return found


def told(changes: Sequence[Change], most: int = 3) -> str:
    """The changes as a part of a sentence."""
    said = ", ".join(str(change) for change in changes[:most])
    return said + (f", and {len(changes) - most} more" if len(changes) > most else "")


def _tokens(text: str, *, code: bool) -> list[_Token]:
    text = unicodedata.normalize("NFKC", plain(text[:SEARCHED_MAX]))
    tokens = []
    for match in _TOKEN.finditer(text):
        kind, word = _KINDS[int((match.lastgroup or "k0")[1:])][0], match[0]
        if kind == "code":
            kind = "identifier" if not match[0].strip("`").replace(" ", "").isdigit() else "number"
            word = match[0].strip("`")
        if code and kind in {"word", "logic", "opposite", ""} and not match[0].isspace():
            kind = "identifier" if kind else "sign"
        tokens.append(_Token(kind, word, word if kind in {"identifier", "version", "sign"} else word.casefold()))
    return tokens


def _compared(old: Sequence[_Token], new: Sequence[_Token]) -> list[Change]:
    """The changes between two stretches that differ."""
    found = list(_opposed(old, new))
    before = [token for token in old if token.kind not in {"", "word", "logic"}]
    after = [token for token in new if token.kind not in {"", "word", "logic"}]
    kept = SequenceMatcher(None, [each.key for each in before], [each.key for each in after], autojunk=False)
    for tag, a1, a2, b1, b2 in kept.get_opcodes():
        if tag != "equal":
            found += [_change(one, other) for one, other in zip_longest(before[a1:a2], after[b1:b2])]
    joined = (
        [token.key for token in old if token.kind == "logic"],
        [token.key for token in new if token.kind == "logic"],
    )
    if all(joined) and joined[0] != joined[1]:
        found.append(Change("logic", " ".join(joined[0]), " ".join(joined[1])))
    return found


def _opposed(old: Sequence[_Token], new: Sequence[_Token]) -> list[Change]:
    """Words that became their opposite by what stands before them: available, unavailable."""
    words, others = ([token.key for token in side if token.kind == "word"] for side in (old, new))
    found = []
    for word in words:
        for other in others:
            if any(word == first + other or other == first + word for first in _OPPOSING):
                found.append(Change("negation", word, other))
    return found


def _change(one: _Token | None, other: _Token | None) -> Change:
    before, after = one.text if one else "", other.text if other else ""
    kind = (one or other or _Token("", "", "")).kind
    if one and other and one.kind == other.kind == "number":
        first, second = _QUANTITY.fullmatch(before), _QUANTITY.fullmatch(after)
        if first and second and first[1].strip() == second[1].strip():
            kind = "unit"
    elif one and other and one.kind != other.kind and "negation" in {one.kind, other.kind}:
        kind = "negation"
    return Change(kind, before, after)
