"""Markdown and lines as a page shows them: nothing runs, nothing is loaded, nothing is hidden."""

import re
import time

import pytest

from evidence.hidden import code_of, find_hidden, make_visible
from evidence.lines import LINE_MAX, Text, tokens_of
from yoimemory.desk.reader import link_address
from yoimemory.desk.rendering import INPUT_MAX, path_of, render_markdown

SLOW = [
    "[" * 20_000,
    "![" * 10_000,
    "*a_ " * 20_000,
    "> " * 5_000 + "x",
    "`" * 1 + "a`b``" * 20_000,
    "[x](" * 10_000,
    "a" * 50_000 + "\n" + "=" * 50_000,
    "- " * 10_000,
    "|" * 40_000,
]


PROSE = """# Head

- [x] done
- [ ] open

| a |
|:-:|
| ~~1~~ |

3. three

```rust
fn main() {}
```

n[^1]

[^1]: note
"""


class TestRenderMarkdown:
    @pytest.mark.parametrize(
        "text",
        [
            "<script>alert(1)</script>",
            "<img src=x onerror=alert(1)>",
            "[x](javascript:alert(1))",
            "[x](data:text/html,<script>alert(1)</script>)",
            "![x](javascript:alert(1))",
            '[x](https://a.test "onmouseover=alert(1)")',
            "<a href='javascript:alert(1)'>x</a>",
            "<div hx-get='/logout/' hx-trigger='load'>x</div>",
            "<iframe srcdoc='<script>alert(1)</script>'></iframe>",
            "<svg/onload=alert(1)>",
            "```html\n<script>alert(1)</script>\n```",
            '<form action="/x"><button>go</button></form>',
            "[a]: javascript:alert(1)\n\n[a]",
        ],
    )
    def test_lets_nothing_run(self, text: str) -> None:
        html = render_markdown(text).html

        assert not re.search(r"<(script|img|svg|iframe|div|form|button|input|style)\b", html)
        assert not re.search(r"<[^>]*\s(on\w+|hx-\w+|style|id|src)\s*=", html)
        assert not re.search(r'href="(?!https?:|mailto:|/read/)', html)

    def test_keeps_what_prose_needs(self) -> None:
        html = render_markdown(PROSE).html

        assert "<h1>Head</h1>" in html
        assert "☑ done" in html
        assert "☐ open" in html
        assert '<th align="center">' in html
        assert "<s>1</s>" in html
        assert '<ol start="3">' in html
        assert 'class="language-rust"' in html
        assert "<sup>" in html

    def test_loads_no_picture_and_says_where_it_is(self) -> None:
        html = render_markdown("![diagram](https://tracker.test/p.png)").html

        assert "<img" not in html
        assert 'href="https://tracker.test/p.png"' in html
        assert "[picture: diagram]" in html

    def test_gives_links_to_elsewhere_no_power(self) -> None:
        assert 'rel="noopener noreferrer nofollow"' in render_markdown("[x](https://a.test/)").html

    def test_writes_hidden_characters_out(self) -> None:
        assert "⟨U+202E⟩" in render_markdown("safe \u202etxt.exe").html

    @pytest.mark.parametrize("text", SLOW)
    def test_ends_within_its_time(self, text: str) -> None:
        began = time.process_time()

        rendered = render_markdown(text, seconds=0.5)

        assert time.process_time() - began < 5
        assert rendered.html or rendered.note

    def test_shows_plain_text_with_a_note_when_it_is_too_large(self) -> None:
        rendered = render_markdown("<b>word</b> " * (INPUT_MAX // 10))

        assert "larger than 512 KB" in rendered.note
        assert rendered.html.startswith("<pre>&lt;b&gt;word")


class TestLinks:
    @pytest.mark.parametrize(
        ("href", "base", "path"),
        [
            ("other.md", "docs", "docs/other.md"),
            ("../code/a.py#L3", "docs", "code/a.py"),
            ("a%20b.md", "", "a b.md"),
            ("../../etc/passwd", "docs", ""),
            ("/etc/passwd", "docs", ""),
            ("https://a.test/x.md", "docs", ""),
            ("//a.test/x.md", "docs", ""),
            ("#part", "docs", ""),
        ],
    )
    def test_stay_in_the_workspace(self, href: str, base: str, path: str) -> None:
        assert path_of(href, base) == path

    def test_that_are_too_long_leave_their_words(self) -> None:
        text = f"Before [the words]({'a/' * 1_500}b.md) after."

        html = render_markdown(text, link=lambda href: link_address(href, "docs")).html

        assert re.sub(r"<[^>]+>", "", html).strip() == "Before the words after."
        assert "href" not in html

    def test_lead_to_the_reader(self) -> None:
        assert link_address("../tickets.md", "docs/guide") == "/read/?ref=doc%3Adocs%2Ftickets.md"
        assert link_address("../../.yoi/tickets/00001KXKMX0QM/thread.md", "docs/guide") == (
            "/read/?ref=ticket%3A00001KXKMX0QM%2Fthread"
        )
        assert link_address("javascript:alert(1)", "docs") == ""


class TestHidden:
    @pytest.mark.parametrize(
        "char", ["\u202e", "\u200b", "\u2066", "\ufeff", "\u00ad", "\x1b", "\x07", "\U000e0041", "\u2028", "\udcff"]
    )
    def test_is_found_and_named(self, char: str) -> None:
        assert find_hidden(f"ab{char}cd") == [2]
        assert code_of(char).startswith(("U+", "0x"))
        assert char not in make_visible(f"ab{char}cd")

    @pytest.mark.parametrize(
        "text", ["plain", "tab\there", "👩\u200d💻 works", "line\r\nnext\r\n", "नमस्\u200dते", "日本語"]
    )
    def test_leaves_letters_signs_and_line_ends_alone(self, text: str) -> None:
        assert find_hidden(text) == []

    def test_finds_a_lone_carriage_return(self) -> None:
        assert find_hidden("over\rwritten") == [4]


class TestLines:
    def test_are_numbered_as_the_file_is(self) -> None:
        lines = list(Text("one\ntwo\n\nfour").lines())

        assert [(line.number, line.blank) for line in lines] == [(1, False), (2, False), (3, True), (4, False)]
        assert str(lines[0]) == '<li id="L1"><a class="ln" href="#L1">1</a><p>one</p></li>'

    def test_escape_every_piece(self) -> None:
        [line] = Text("<script>alert('x')</script> & more", marks=[(3, 9, "hl h-r")]).lines()

        assert "<script>" not in line.html
        assert "&amp; more" in line.html

    def test_mark_what_is_quoted_across_lines(self) -> None:
        first, second = Text("one two\nthree four", marks=[(4, 13, "hl h-s")]).lines()

        assert first.html == 'one <span class="hl h-s">two</span>'
        assert second.html == '<span class="hl h-s">three</span> four'

    def test_lay_marks_over_each_other_and_over_tokens(self) -> None:
        [line] = Text("def start(): pass", path="a.py", marks=[(0, 9, "hl h-s"), (4, 9, "hl h-r")]).lines()

        assert '<span class="tk-k hl h-s">def</span>' in line.html
        assert '<span class="tk-n hl h-s hl h-r">start</span>' in line.html

    def test_write_hidden_characters_out(self) -> None:
        [line] = Text("a\u202eb").lines()

        assert '<span class="hid" data-c="202e" title="right-to-left override">U+202E</span>' in line.html

    def test_say_how_much_of_a_line_is_not_shown(self) -> None:
        [line] = Text("x" * (LINE_MAX + 1_500)).lines()

        assert "1,500 more characters" in line.html

    def test_mark_the_lines_of_the_ref(self) -> None:
        _, second, third = Text("a\nb\nc", cur=(2, 3)).lines()

        assert 'class="cur" tabindex="-1" autofocus' in str(second)
        assert str(third).startswith('<li id="L3" class="cur"><a')

    def test_remember_windows_line_ends_without_showing_them(self) -> None:
        first, second = Text("a\r\nb").lines()

        assert " data-cr>" in str(first)
        assert "data-cr" not in str(second)
        assert "U+000D" not in first.html

    def test_leave_very_long_files_plain(self) -> None:
        assert tokens_of("def f(): pass\n" * 20_000, "a.py") == ()
        assert tokens_of("words", "no-such-kind.qqq") == ()

    def test_are_quick_for_a_large_file(self) -> None:
        text = Text("fn main() { let x = 1; } // words\n" * 5_000, path="a.rs")
        began = time.process_time()

        assert len(list(text.lines(1, 1_500))) == 1_500
        assert time.process_time() - began < 5


class TestTheHeadingsOfAMarkdownSource:
    def test_are_set_off_and_the_end_of_a_front_matter_is_none(self) -> None:
        text = "---\nname: reviewer\nowner: mika\n---\n\n# Reviewer\n\nWords\n---\n"

        headings = [text[start:end].strip() for start, end, name in tokens_of(text, "SKILL.md") if name == "hd"]

        assert "# Reviewer" in " ".join(headings)
        assert not any("mika" in heading for heading in headings)
