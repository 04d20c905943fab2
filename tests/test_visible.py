"""Hidden characters: one rule for pages, evidence and products."""

import sys
import unicodedata

import pytest
from django.template import engines

from yoimemory import visible as rule


class TestTheRule:
    @pytest.mark.parametrize("char", ["\u202e", "\u2066", "\u200b", "\ufeff", "\u00ad", "\x1b", "\u061c", "\U000e0041"])
    def test_spells_out_what_nobody_sees(self, char: str) -> None:
        shown = rule.visible(f"a{char}b")

        assert char not in shown
        assert f"U+{ord(char):04X}" in shown

    @pytest.mark.parametrize(
        "text", ["tab\there", "line\r\nnext\r\n", "👩\u200d💻", "नमस्\u200dते", "日本　語", "warn ⚠\ufe0f", "naïve – “x”"]
    )
    def test_leaves_words_signs_and_line_ends_alone(self, text: str) -> None:
        assert rule.visible(text) == text

    def test_is_stricter_where_words_are_approved(self) -> None:
        assert rule.find_hidden("a\u00a0b\r\n") == []
        assert rule.find_hidden("a\u00a0b\r\n", strict=True) == [1, 3]

    def test_looks_at_every_character_that_it_would_hide(self) -> None:
        for code in range(sys.maxunicode + 1):
            char = chr(code)
            hidden = rule.is_hidden(char, "a", "b", strict=True)

            assert rule.find_hidden(f"a{char}b", strict=True) == ([1] if hidden else []), unicodedata.name(char, char)


class TestTheFilter:
    def test_is_at_hand_in_every_template_and_escapes(self) -> None:
        template = engines["django"].from_string("{{ title|visible }}")

        assert template.render({"title": "<b>\u202etxt.exe"}) == "&lt;b&gt;⟨U+202E right-to-left override⟩txt.exe"
