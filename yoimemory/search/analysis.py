"""The analyser: how text becomes the words of the index, the same for sources and for queries.

Text is folded (NFKC) and cut where Latin and CJK scripts meet. Latin words are left to the
engine's own tokenizer (letters and digits, without case and diacritics); beside them stand the
names: `WorkerRuntime` by part, `worker_runtime` and `worker-runtime` joined, so that each of
them finds the others. Kanji and Hangul become bigrams, katakana words stay whole, hiragana is
dropped: as an ending it says nothing, and it is still found as it was typed (`literal`).
"""

import re
import unicodedata
from collections import Counter
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

KANJI = "\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
KATAKANA = "\u30a1-\u30fa\u30fc-\u30fe"
HIRAGANA = "\u3041-\u309f"
HANGUL = "\uac00-\ud7a3\u1100-\u11ff\u3131-\u318e"

_CJK = re.compile(f"[{HIRAGANA}\u30a0-\u30ff{KANJI}{HANGUL}]+")
_RUNS = re.compile(f"[{KANJI}]+|[{KATAKANA}]+|[{HANGUL}]+")
_KATAKANA = re.compile(f"[{KATAKANA}]+")
_NAME = re.compile(r"[A-Za-z0-9_]+(?:-[A-Za-z0-9_]+)*")
_WORD = re.compile(r"[^\W_]+")
_CAPITAL_WITHIN = re.compile(r"[A-Z](?:(?<=[A-Za-z0-9].)|[0-9])")
"""What a text without `_` and `-` must have in it for any word to be a name with parts: most prose has none."""
_CAMEL = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z][a-z0-9]*|[A-Z0-9]+")

_STOP = (
    "a about after all also am an and any are as at be because been before being but by can could did do does "
    "doing done down each for from further had has have having he her here hers him his how i if in into is it "
    "its itself just me more most my no nor not of off on once only or other our ours out over own same she "
    "should so some such than that the their theirs them then there these they this those through to too under "
    "until up us very was we were what when where which while who whom why will with would you your yours "
)
STOP_WORDS = frozenset(_STOP.split())
"""Words that stand everywhere and tell nothing."""


class Analysed(NamedTuple):
    """What is written into the full-text columns for one text."""

    latin: str
    names: str
    cjk: str


@dataclass(slots=True)
class Terms:
    """The words of a query with how often each was said; each kind has a budget of its own."""

    latin: Counter[str] = field(default_factory=Counter)
    cjk: Counter[str] = field(default_factory=Counter)


def fold(text: str) -> str:
    """Full-width letters, half-width katakana and ligatures as their plain forms."""
    return text if text.isascii() else unicodedata.normalize("NFKC", text)


def analyse(text: str) -> Analysed:
    """Turn text of a source into the columns of the index."""
    return _analyse_short(text) if len(text) <= SHORT else _analyse(text)


SHORT = 200
"""Characters up to which a text is likely to come again: titles, headings, the paths of a commit."""


def _analyse(text: str) -> Analysed:
    text = fold(text)
    if text.isascii():
        return Analysed(text, _names(text), "")
    cjk = " ".join(token for run in _RUNS.findall(text) for token in cjk_tokens(run))
    latin = _CJK.sub(" ", text)
    return Analysed(latin, _names(latin), cjk)


def query_terms(text: str) -> Terms:
    """The words that a text asks for: Latin ones with their joined and part forms, and CJK ones."""
    text = fold(text)
    latin = _CJK.sub(" ", text)
    terms = Terms(Counter(word for raw in _WORD.findall(latin) if (word := bare(raw))))
    terms.latin.update([form for name in _NAME.findall(latin) for form in name_forms(name)])
    terms.cjk.update(token for run in _RUNS.findall(text) for token in cjk_tokens(run))
    return terms


def words_of(text: str) -> list[str]:
    """The Latin words of a text in order, as the engine's tokenizer makes them."""
    return [word for raw in _WORD.findall(_CJK.sub(" ", fold(text))) if (word := bare(raw))]


def cjk_tokens(run: str) -> list[str]:
    """The tokens of a run of one CJK script: bigrams, or the whole word where it is katakana."""
    if len(run) < 3 or _KATAKANA.fullmatch(run):
        return [run]
    return [run[i : i + 2] for i in range(len(run) - 1)]


def cjk_runs(text: str) -> list[str]:
    """The runs of kanji, katakana and Hangul in a text."""
    return _RUNS.findall(fold(text))


def bare(word: str) -> str:
    """A word without case and diacritics, as the engine's tokenizer stores it."""
    word = word.lower()
    if word.isascii():
        return word
    return "".join(c for c in unicodedata.normalize("NFD", word) if unicodedata.category(c) != "Mn")


@lru_cache(maxsize=100_000)
def name_forms(name: str) -> tuple[str, ...]:
    """The further words of an identifier: its parts where capitals part it, itself joined where marks do."""
    if name.islower() and "_" not in name and "-" not in name:
        return ()
    pieces = [piece for piece in re.split(r"[_-]+", name) if piece]
    forms: list[str] = []
    for piece in pieces:
        parts = _CAMEL.findall(piece)
        if len(parts) > 1:
            forms.extend(part.lower() for part in parts)
    if 1 < len(pieces) <= 6:
        forms.append("".join(pieces).lower())
    return tuple(forms)


def latin_of(text: str) -> str:
    """The text without its CJK runs, as the engine's tokenizer gets it."""
    text = fold(text)
    return text if text.isascii() else _CJK.sub(" ", text)


_analyse_short = lru_cache(maxsize=4_096)(_analyse)


def _names(latin: str) -> str:
    if "_" not in latin and "-" not in latin and not _CAPITAL_WITHIN.search(latin):
        return ""
    return " ".join(filter(None, map(_names_in, latin.split())))


@lru_cache(maxsize=50_000)
def _names_in(piece: str) -> str:
    """The further words of what stands between two spaces; most pieces come again and again."""
    if piece.islower() and "_" not in piece and "-" not in piece:
        return ""
    return " ".join(form for name in _NAME.findall(piece) for form in name_forms(name))
