"""Other forms of English words: people who talk say went for go, and camped for camping.

Only what is spoken is searched by them. In code and tickets a word means what it says, and its
forms bring more that does not fit than they find.
"""

import re
from collections.abc import Iterable, Iterator

from yoimemory.search.backends import engine

SHORTEST = 3
FORMS_MAX = 8
"""The most common forms of one word that are looked for."""

_IRREGULAR = (
    "go goes went gone going|buy bought|bring brought|think thought thoughts|teach taught|catch caught|fight fought|"
    "seek sought|feel felt feeling feelings|leave left|keep kept|sleep slept|meet met meeting|read reading|lead led|"
    "feed fed|hold held|stand stood|understand understood|tell told|sell sold|say said|pay paid|lay laid|make made|"
    "find found|win won|run ran|begin began begun|swim swam swum|sing sang sung song songs|drink drank drunk|"
    "ring rang rung|sit sat|get got gotten|lose lost loss|shoot shot|hear heard|build built|spend spent|send sent|"
    "lend lent|bend bent|write wrote written|ride rode ridden|drive drove driven|rise rose risen|choose chose chosen "
    "choice|break broke broken|speak spoke spoken speech|steal stole stolen|wake woke woken|wear wore worn|"
    "tear tore torn|see saw seen|eat ate eaten|fall fell fallen|give gave given gift|take took taken|"
    "shake shook shaken|know knew known|grow grew grown growth|throw threw thrown|fly flew flown flight flights|"
    "draw drew drawn|show showed shown|come came|become became|forget forgot forgotten|forgive forgave forgiven|"
    "hide hid hidden|bite bit bitten|deal dealt|mean meant|dream dreamt|learn learnt|stick stuck|strike struck|"
    "hang hung|dig dug|spin spun|child children kid kids|man men|woman women|person people|life lives|wife wives|"
    "foot feet|tooth teeth|mouse mice|leaf leaves|shelf shelves|marry married marriage wedding|die died death|"
    "live lived life|visit visited|mom mother mum|dad father|bike bicycle|photo photos photograph picture"
)
_KNOWN: dict[str, frozenset[str]] = {}
for _family in _IRREGULAR.split("|"):
    for _word in _family.split():
        _KNOWN[_word] = _KNOWN.get(_word, frozenset()) | frozenset(_family.split())

_ENDINGS = (
    "ingly", "edly", "ations", "ation", "ings", "ing", "ions", "ion", "iest", "ier", "ies", "ied", "ers", "ors", "est",
    "er", "or", "ed", "es", "ment", "ments", "ness", "ful", "ly", "s", "d", "e", "y",
)  # fmt: skip
_GROWN = ("", "s", "es", "d", "ed", "er", "ers", "ing", "ings", "ion", "ions", "ation", "or", "ment", "ly", "ful")
_VOWEL = re.compile("[aeiouy]")


def forms_of(words: Iterable[str]) -> dict[str, list[str]]:
    """The other forms of each of these words that the index holds, the commonest first."""
    wanted = {word: dict.fromkeys(_forms(word)) for word in words if word.isascii() and word.isalpha()}
    known = engine().frequencies(dict.fromkeys(form for forms in wanted.values() for form in forms))
    return {
        word: sorted((form for form in forms if form in known), key=lambda form: -known[form])[:FORMS_MAX]
        for word, forms in wanted.items()
    }


def _forms(word: str) -> Iterator[str]:
    family = _KNOWN.get(word, frozenset((word,)))
    for own in sorted(family):
        yield from (form for base in _bases(own) for form in _grown(base) if form != word)
        if own != word:
            yield own


def _bases(word: str) -> list[str]:
    """What the word may be a form of: itself, and itself without its ending."""
    bases = [word]
    for ending in _ENDINGS:
        base = word.removesuffix(ending)
        if base != word and len(base) >= SHORTEST and _VOWEL.search(base):
            bases.append(base)
            if ending[0] in "aeiouy" and base[-1] == base[-2] and base[-1] not in "aeiouls":
                bases.append(base[:-1])
    return bases


def _grown(base: str) -> Iterator[str]:
    if len(base) < SHORTEST:
        return
    for ending in _GROWN:
        yield base + ending
    yield base + "e"
    if base[-1] == "e":
        yield from (base[:-1] + ending for ending in ("ing", "ings", "ion", "ation", "or"))
    if base[-1] == "y":
        yield from (base[:-1] + ending for ending in ("ies", "ied", "ier", "ily", "iness"))
    if base[-1] not in "aeiouywxls":
        yield from (base + base[-1] + ending for ending in ("ing", "ed", "er", "ers"))
    else:
        yield from (base + base[-1] + ending for ending in ("ing", "ed")) if base[-1] == "l" else ()
    if base[-1] == "i":
        yield base[:-1] + "y"
    yield base + "y"
