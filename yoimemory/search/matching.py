"""From what is asked to what the engine is asked: terms chosen by rarity, phrases, and a match of quoted words."""

import math
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from yoimemory.asking.meanings import Others
from yoimemory.search.analysis import (
    STOP_WORDS,
    Terms,
    bare,
    cjk_runs,
    cjk_tokens,
    fold,
    name_forms,
    query_terms,
    words_of,
)
from yoimemory.search.backends import engine
from yoimemory.search.query import Typed
from yoimemory.search.wordforms import forms_of

LATIN_TERMS, LATIN_OF_RECORDS = 55, 80
CJK_TERMS = 20
LATIN_MARKS, CJK_MARKS = 24, 12
"""Of a long text only the rarest words choose and mark the lines that a hit shows."""
TITLE_WEIGHT = 3

FINDERS, ENOUGH = 2_500, 300
"""Where the rarer words of a query stand in so many sources, the commoner ones need not find more.

A word that alone stands in so many need not find where the rarer ones bring enough.
"""

_WORDS_IN = re.compile(r'[^\s"()]+(?=[^"()]*")')
_PARTED = re.compile(r"[A-Za-z0-9_]+(?:-[A-Za-z0-9_]+)*")


@dataclass(slots=True)
class Match:
    """A query for the engine. `expression` is empty where only a literal scan can answer.

    `ordering` holds words so common beside the others that they only order what `expression` finds; where that is
    little, `wide` finds by all of them.
    """

    expression: str = ""
    ordering: str = ""
    wide: str = ""
    strict: str = ""
    terms: list[str] = field(default_factory=list)
    literals: list[str] = field(default_factory=list)
    marks: list[str] = field(default_factory=list)
    is_text: bool = False
    is_cjk: bool = False
    refuses: bool = False
    """Whether it leaves out what holds some words."""
    whole: "Match | None" = None
    """What sources as a whole are matched by, where that is more than what passages are."""
    common: list[str] = field(default_factory=list)
    """The words that only order."""

    def look_for(self, forms: Counter[str]) -> None:
        """Any of these forms is enough; of many words the rarest find, as many as bring enough sources.

        Who asks for a rare word and for one that stands everywhere wants the rare one; to look at every place of
        the other would take most of the time of a search.
        """
        common = _frequencies(forms)
        finding: set[str] = set()
        reach = 0
        for form in sorted(forms, key=lambda form: common[form]):
            if reach >= FINDERS or (reach >= ENOUGH and common[form] >= FINDERS):
                break
            finding.add(form)
            reach += common[form]
        self.wide = _any(forms.elements())
        self.expression = _any(form for form in forms.elements() if form in finding)
        others = [form for form in forms.elements() if form not in finding]
        self.ordering = f"({' OR '.join(others)})" if others else ""
        self.common = list(dict.fromkeys(form.strip('"') for form in others))

    def widen(self) -> None:
        """Find by the common words too."""
        self.expression, self.ordering, self.common = self.wide, "", []


def match_typed(typed: Typed, *, spoken: bool = False) -> Match:
    """What a person typed: each word as it stands (parts in a row), any of them is enough, all are better.

    Of what is `spoken` other forms of the words count too.
    """
    match = Match()
    needed: list[str] = []
    any_of: Counter[str] = Counter()
    single = len(typed.words) + len(typed.phrases) == 1
    for text in typed.phrases:
        forms = phrases_of(text)
        match.marks.append(text)
        if forms:
            needed.append(_any([_all(forms), *_others(typed.also.for_word(text), match)]))
            any_of[_all(forms)] += 2
    words = _telling(typed.words)
    forms_said = forms_of(bare(part) for word in words for part in words_of(word)) if spoken else {}
    for word in words:
        forms = phrases_of(word)
        match.marks.append(word)
        if not forms:
            continue
        if _is_symbolic(word):
            match.literals.append(fold(word))
        alternatives = [
            _all(forms),
            *(quoted(form) for form in _joined(word)),
            *_others(typed.also.for_word(word), match),
        ]
        needed.append(_any(alternatives))
        any_of.update(alternatives if single else map(_form, _parts(word)))
        said = [form for part in words_of(word) for form in forms_said.get(part, ())]
        any_of.update({quoted(form): 1 for form in said})
        match.marks += said
    any_of.update(_others([other.word for other in typed.also], match))
    if not needed:
        match.literals = [fold(word) for word in (*typed.phrases, *words)]
    match.strict = " AND ".join(needed)
    match.is_cjk = bool(needed) and not any(words_of(text) for text in (*words, *typed.phrases))
    match.look_for(any_of)
    match.terms = words + typed.phrases
    refuse = [_all(forms) for text in typed.without if (forms := phrases_of(text))]
    match.refuses = bool(refuse)
    if refuse and match.expression:
        match.expression = f"({match.expression}) NOT {_any(refuse)}"
        match.wide = f"({match.wide}) NOT {_any(refuse)}"
        match.strict = f"({match.strict}) NOT {_any(refuse)}"
    return match


def _telling(words: list[str]) -> list[str]:
    """The words that say something: stop words and lone signs only where nothing else was typed."""
    telling = [word for word in words if bare(fold(word)) not in STOP_WORDS and re.search(r"\w", word)]
    return telling or [word for word in words if re.search(r"\w", word)] or words


def match_text(text: str, title: str = "", *, records: bool = False) -> Match:
    """A long text: its rarest terms, those of its title said three times.

    Where only `records` are asked for, more of its words count: their people write as people ask, code does not.
    """
    terms = query_terms(text)
    told = query_terms(title)
    for kind, more in ((terms.latin, told.latin), (terms.cjk, told.cjk)):
        for word, count in more.items():
            kind[word] += count * (TITLE_WEIGHT - 1)
    latin, cjk = choose_terms(terms)
    marks = [*latin[:LATIN_MARKS], *cjk[:CJK_MARKS]]
    match = Match(terms=[*latin, *cjk], marks=marks, is_text=True, is_cjk=bool(cjk) and not latin)
    match.look_for(_said(latin, cjk, told))
    if records:
        match.whole = Match(is_text=True)
        match.whole.look_for(_said(*choose_terms(terms, latin=LATIN_OF_RECORDS), told))
    return match


def _said(latin: list[str], cjk: list[str], title: Terms) -> Counter[str]:
    """Each word as the engine reads it, those of the title twice."""
    words = Counter([*latin, *cjk])
    words.update([word for word in words if word in title.latin or word in title.cjk])
    return Counter({quoted(word): count for word, count in words.items()})


def _frequencies(forms: Iterable[str]) -> dict[str, int]:
    """In how many sources each form stands at most; one that is only a beginning of words counts as rare."""
    words = {form: [] if "*" in form else _WORDS_IN.findall(form) for form in forms}
    known = engine().frequencies(dict.fromkeys(word for own in words.values() for word in own))
    return {form: min((known.get(word, 0) for word in own), default=0) for form, own in words.items()}


def add_others(match: Match, others: Others) -> None:
    """Look for other words beside those of a long text too."""
    if forms := _others([other.word for other in others], match):
        for each in filter(None, (match, match.whole)):
            each.expression = _any(filter(None, [each.expression, *forms]))
            each.wide = _any(filter(None, [each.wide, *forms]))


def choose_terms(terms: Terms, latin: int = LATIN_TERMS, cjk: int = CJK_TERMS) -> tuple[list[str], list[str]]:
    """The terms that tell most: (1 + log of how often said) x rarity, those that stand nowhere left out."""
    store = engine()
    wanted = Counter({word: count for word, count in terms.latin.items() if word not in STOP_WORDS})
    known = store.frequencies([*wanted, *terms.cjk])
    total = max(store.count_wholes(), max(known.values(), default=0))

    def best(counts: Counter[str], size: int) -> list[str]:
        worth = {
            word: (1 + math.log(count)) * math.log(1 + (total - known[word] + 0.5) / (known[word] + 0.5))
            for word, count in counts.items()
            if word in known
        }
        return sorted(worth, key=lambda word: (-worth[word], word))[:size]

    return best(wanted, latin), best(terms.cjk, cjk)


def quoted(text: str) -> str:
    phrase: str = engine().phrase(text)
    return phrase


def phrases_of(text: str) -> list[str]:
    """The phrases that all stand where the text stands: its Latin words in a row, its CJK runs as they are."""
    latin = words_of(text)
    found = [quoted(" ".join(latin))] if latin else []
    for run in cjk_runs(text):
        prefix = "*" if len(run) == 1 or _is_katakana(run) else ""
        found.append(quoted(" ".join(cjk_tokens(run))) + prefix)
    return found


def _parts(word: str) -> Iterable[str]:
    parts = [part for part in words_of(word) if part not in STOP_WORDS]
    for name in _PARTED.findall(fold(word)):
        parts += name_forms(name)
    for run in cjk_runs(word):
        parts += cjk_tokens(run)
    return dict.fromkeys(part for part in parts if len(part) > 1 or not part.isascii())


def _form(part: str) -> str:
    """A part as the engine reads it; one character alone begins the pairs that the index holds."""
    return quoted(part) + ("*" if len(part) == 1 and not part.isascii() else "")


def _joined(word: str) -> list[str]:
    """Other spellings of an identifier: its parts in a row, or itself joined."""
    forms = name_forms(word) if _PARTED.fullmatch(word) else ()
    if not forms:
        return []
    if "_" in word or "-" in word:
        return [forms[-1]]
    return [" ".join(forms)]


def _others(words: Iterable[str], match: Match) -> list[str]:
    """Other words for one that was typed: each as a whole, and marked where it stands."""
    match.marks += [word for word in words if word not in match.marks]
    return [_all(forms) for word in words if (forms := phrases_of(word))]


def _is_katakana(run: str) -> bool:
    return "\u30a1" <= run[0] <= "\u30fe"


def _is_symbolic(word: str) -> bool:
    """Whether a sign in the word matters that the engine does not keep, as in `C++`."""
    return bool(re.fullmatch(r"[^\W_]{1,2}[+#]+|[@#$]\w+|\d+%", word))


def _all(forms: list[str]) -> str:
    return forms[0] if len(forms) == 1 else "(" + " AND ".join(forms) + ")"


def _any(forms: Iterable[str]) -> str:
    forms = list(forms)
    return forms[0] if len(forms) == 1 else "(" + " OR ".join(forms) + ")" if forms else ""
