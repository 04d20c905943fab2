"""One registry of keys: no key has two meanings at one place, and no page hints at a key that does nothing."""

import re
from collections import Counter

from tests.architecture.walk import ROOT

SCRIPT = (ROOT / "yoimemory" / "static" / "yoimemory" / "site.js").read_text(encoding="utf-8")
TEMPLATES = {
    path.relative_to(ROOT / "templates").as_posix(): path.read_text(encoding="utf-8")
    for path in (ROOT / "templates").rglob("*.html")
}
REGISTRY = re.findall(r'\["(\w+)", "([^"]+)", "([^"]+)"\]', SCRIPT.split("const KEYS = [", 1)[1].split("];", 1)[0])
EVERYWHERE = {key for place, key, _ in REGISTRY if place == "everywhere"}
NAMED = {"Space": " ", "Shift": "Shift", "Esc": "Escape"}
"""Keys that a hint writes by name; Shift only ever stands before another key."""


def _keys_of_elements() -> set[str]:
    values = {value for text in TEMPLATES.values() for value in re.findall(r'data-key="([^"]+)"', text)}
    return {value for value in values if "{{" not in value} | {str(number) for number in range(10)}


def test_the_registry_is_read() -> None:
    assert len(REGISTRY) > 10
    assert {"/", "?", "Escape"} == EVERYWHERE


def test_no_key_means_two_things_at_one_place() -> None:
    twice = [place_key for place_key, count in Counter((p, k) for p, k, _ in REGISTRY).items() if count > 1]

    assert twice == []


def test_no_key_of_a_selection_moves_the_cursor() -> None:
    at = {place: {key for where, key, _ in REGISTRY if where == place} for place in ("text", "selection")}

    assert at["text"] & at["selection"] == set()


def test_no_element_takes_a_key_that_acts_everywhere() -> None:
    assert _keys_of_elements() & EVERYWHERE == set()


def test_no_page_hints_at_a_key_that_does_nothing() -> None:
    known = {key for _, key, _ in REGISTRY} | _keys_of_elements() | set(NAMED.values())
    hints = {
        (name, hint)
        for name, text in TEMPLATES.items()
        if 'data-key="{{ key }}"' not in text  # its keys are computed with its choices
        for hint in re.findall(r"<kbd>([^<{]+)</kbd>", text)
        if NAMED.get(hint, hint) not in known
    }

    assert hints == set()


def test_a_key_does_one_thing_wherever_evidence_is_judged() -> None:
    """Judging is done in several places, often one after the other: the same letter must give the same verdict."""
    verdicts: dict[str, set[str]] = {}
    for text in TEMPLATES.values():
        for tag in re.findall(r'<button[^>]*name="verdict"[^>]*>', text):
            value, key = re.search(r'value="(\w+)"', tag), re.search(r'data-key="(\w)"', tag)
            if value and key:
                verdicts.setdefault(value[1], set()).add(key[1])

    assert {value: keys for value, keys in verdicts.items() if len(keys) > 1} == {}
