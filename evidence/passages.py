"""Sentences of a text that bear on a question, found without a model: by the words they share, rare words first.

Pure and deterministic: the same texts and the same question give the same passages.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from evidence.models import Evidence
from yoimemory.search.analysis import STOP_WORDS
from yoimemory.search.contrary import WORDS as CONTRARY

SENTENCE_MIN, SENTENCE_MAX = 24, 600
TEXT_MAX = 200_000
"""Characters of one text that are read for sentences."""
SAME = 0.75
"""Two sentences that share so much of their terms say the same."""

_END = re.compile(r"""[.!?]["'”’)\]]*(?=\s)|[。！？]["'”’」』）]*""")
_ABBREVIATED = re.compile(r"(?:\b(?:e\.g|i\.e|cf|vs|etc|no|fig|approx)|\b[A-Z]|\d)\.$", re.IGNORECASE)
_FENCE = re.compile(r"^\s*(?:```|~~~)")
_NO_PROSE = re.compile(r"^\s*(?:#{1,6}\s|<!--|---+\s*$|===+\s*$|\||>\s*$|\[[^\]]+\]:\s)")
_ITEM = re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)])\s+")
_QUOTED = re.compile(r"\s*>\s?")
_LATIN = re.compile(r"[A-Za-z][A-Za-z0-9_\-]{2,}")
_CJK = re.compile(r"[\u3400-\u9fff\u30a0-\u30ff々]+")
_STOP = STOP_WORDS | frozenset(["again", "between", "both", "may", "might", "must", "now", "shall"])
"""Also what says how something holds, and not what: two sentences that share it alone share nothing."""
_CONTRARY_LATIN = frozenset(word for word in CONTRARY if word.isascii())
_CONTRARY_OTHER = tuple(word for word in CONTRARY if not word.isascii())


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence and where it stands, in code points of its text."""

    start: int
    end: int
    text: str
    terms: frozenset[str]
    contrary: bool


@dataclass(frozen=True, slots=True)
class Chosen:
    """A sentence proposed for one or more targets, with the words that it shares with them."""

    place: int
    sentence: Sentence
    targets: tuple[str, ...]
    shared: tuple[str, ...]


def sentences_of(text: str) -> Iterator[Sentence]:
    """The sentences of prose, list items and quoted lines; no headings, tables, comments or code."""
    for start, end in _blocks(text[:TEXT_MAX]):
        at = start
        for found in _END.finditer(text, start, end):
            if _ABBREVIATED.search(text, max(start, found.start() - 8), found.start() + 1):
                continue
            yield from _sentence(text, at, found.end())
            at = found.end()
        yield from _sentence(text, at, end)


def terms_of(text: str) -> frozenset[str]:
    """What a text is about: its words without endings, and pairs of kanji and katakana."""
    latin = {_stem(word.lower()) for word in _LATIN.findall(text) if word.lower() not in _STOP}
    pairs = {run[at : at + 2] for run in _CJK.findall(text) for at in range(max(1, len(run) - 1))}
    return frozenset(latin | {pair for pair in pairs if len(pair) == 2})


def is_contrary(text: str) -> bool:
    """Whether it holds a word that often stands where something is refused, undone or doubted."""
    words = {word.lower() for word in re.findall(r"[A-Za-z_]+", text)}
    return bool(words & _CONTRARY_LATIN) or any(word in text for word in _CONTRARY_OTHER) or "n't" in text


def choose(texts: Sequence[Iterable[Sentence]], targets: Sequence[tuple[str, str]], *, limit: int) -> list[Chosen]:
    """The sentences that bear most on each target, taken in turn so that no target fills the list.

    Every second one of a target is one with words of refusal or doubt, as long as there are any.
    """
    pool = [(place, sentence) for place, text in enumerate(texts) for sentence in text]
    rarity = Counter(term for _, sentence in pool for term in sentence.terms)
    weights = {term: math.log((len(pool) + 1) / (count + 1)) + 1 for term, count in rarity.items()}
    queues = [(name, _alternating(pool, terms_of(words), weights)) for name, words in targets]
    chosen: list[Chosen] = []
    while queues and len(chosen) < limit:
        for name, queue in list(queues):
            if len(chosen) >= limit:
                break
            picked = next((one for one in queue if _take(chosen, name, *one)), None)
            if picked is None:
                queues.remove((name, queue))
    return chosen


def _take(chosen: list[Chosen], name: str, place: int, sentence: Sentence, shared: tuple[str, ...]) -> bool:
    """Add it, or note that one which says the same bears on this target too; True if the list grew."""
    for index, other in enumerate(chosen):
        if _likeness(other.sentence.terms, sentence.terms) >= SAME:
            if name not in other.targets:
                both = tuple(dict.fromkeys((*other.shared, *shared)))
                chosen[index] = Chosen(other.place, other.sentence, (*other.targets, name), both)
            return False
    chosen.append(Chosen(place, sentence, (name,), shared))
    return True


def _alternating(
    pool: Sequence[tuple[int, Sentence]], wanted: frozenset[str], weights: dict[str, float]
) -> Iterator[tuple[int, Sentence, tuple[str, ...]]]:
    """What bears on the wanted words, best first, every second one contrary while there are any."""
    enough = min(2, len(wanted))
    scored = []
    for place, sentence in pool:
        shared = sentence.terms & wanted
        if len(shared) >= enough > 0:
            weight = sum(weights[term] for term in shared) / (1 + len(sentence.terms) / 40)
            scored.append((-weight, place, sentence.start, sentence, tuple(sorted(shared))))
    scored.sort(key=lambda one: one[:3])
    sides = [[one for one in scored if one[3].contrary == side] for side in (True, False)]
    for at in range(max(map(len, sides), default=0)):
        for side in sides:
            if at < len(side):
                _, place, _, sentence, words = side[at]
                yield place, sentence, words


def _likeness(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / max(1, len(one | other))


def _sentence(text: str, start: int, end: int) -> Iterator[Sentence]:
    """The sentence between two offsets without the white space and list marks round it, if it says enough."""
    while start < end and (text[start].isspace()):
        start += 1
    marked = _ITEM.match(text, start, end) or _QUOTED.match(text, start, end)
    start = marked.end() if marked else start
    while end > start and text[end - 1].isspace():
        end -= 1
    words = text[start:end]
    wide = sum(char > "\u2e7f" for char in words)
    if len(words) + wide < SENTENCE_MIN or len(words) > min(SENTENCE_MAX, Evidence.QUOTE_MAX):
        return
    if len(words) >= Evidence.QUOTE_MIN:
        yield Sentence(start, end, words, terms_of(words), is_contrary(words))


def _blocks(text: str) -> Iterator[tuple[int, int]]:
    """Spans of running prose: paragraphs, and each list item by itself."""
    begin, at, fenced = -1, 0, False
    front = text.startswith("---\n")
    for line in text.splitlines(keepends=True):
        start, at = at, at + len(line)
        if front:
            front = start == 0 or line.strip() not in {"---", "..."}
            continue
        fence = bool(_FENCE.match(line))
        prose = not (fence or fenced or not line.strip() or _NO_PROSE.match(line))
        if begin >= 0 and (not prose or _ITEM.match(line)):
            yield begin, start
            begin = -1
        if prose and begin < 0:
            begin = start
        fenced ^= fence
    if begin >= 0:
        yield begin, at


def _stem(word: str) -> str:
    """Without the commonest endings: enough that "blocks" and "blocked" are one."""
    for ending in ("ing", "ed", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            return word[: -len(ending)]
    return word
