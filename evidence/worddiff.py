"""Two wordings side by side in one line of text: what stayed, what went, what came."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher

_WORDS = re.compile(r"[^\W\u3040-\u30ff\u3400-\u9fff]+|\s+|.", re.DOTALL)
COMPARED_MAX = 4_000


@dataclass(frozen=True, slots=True)
class Part:
    """A run of words: `same`, `gone` from the quote, or `new` in the source."""

    kind: str
    text: str


def parts_of(before: str, after: str) -> Iterator[Part]:
    """The word diff of two texts; Japanese is compared character by character."""
    old, new = _WORDS.findall(before[:COMPARED_MAX]), _WORDS.findall(after[:COMPARED_MAX])
    for tag, a1, a2, b1, b2 in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            yield Part("same", "".join(old[a1:a2]))
            continue
        if a2 > a1:
            yield Part("gone", "".join(old[a1:a2]))
        if b2 > b1:
            yield Part("new", "".join(new[b1:b2]))
