"""What a terminal shows: colour for people, nothing that a source could command it."""

import pytest

from yoimemory.cli.colours import harmless, lit, wanted
from yoimemory.cli.run import complain, say
from yoimemory.errors import BadInput


class TestLit:
    @pytest.mark.parametrize(
        ("line", "shown"),
        [
            ("evidence:01M8  accepted", "\033[36mevidence:01M8\033[0m  accepted"),
            ("  | The later clock wins.", "\033[2m  | The later clock wins.\033[0m"),
            ("  caveat: It was lost.", "\033[33m  caveat: It was lost.\033[0m"),
            ("See doc:docs/a.md#L3, please.", "See \033[36mdoc:docs/a.md#L3\033[0m, please."),
            ("Nothing of ours.", "Nothing of ours."),
        ],
    )
    def test_tells_refs_quotes_and_caveats_apart(self, line: str, shown: str) -> None:
        assert lit(line) == shown


class TestHarmless:
    def test_writes_out_what_a_terminal_would_obey(self) -> None:
        assert harmless("\033]0;owned\a 潮\tend\x9b2J") == "\\x1b]0;owned\\x07 潮\tend\\x9b2J"

    def test_is_asked_of_every_line(self, capsys: pytest.CaptureFixture[str]) -> None:
        say("\033[2Jgone\nnext \udcff")

        assert capsys.readouterr().out == "\\x1b[2Jgone\nnext \\udcff\n"


class TestWanted:
    @pytest.fixture(autouse=True)
    def terminal(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
        monkeypatch.delenv("NO_COLOR", raising=False)
        monkeypatch.setenv("TERM", "xterm")

    def test_at_a_terminal(self) -> None:
        assert wanted()

    @pytest.mark.parametrize(("name", "value"), [("NO_COLOR", ""), ("NO_COLOR", "1"), ("TERM", "dumb")])
    def test_not_where_somebody_asked_for_none(self, monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
        monkeypatch.setenv(name, value)

        assert not wanted()

    def test_not_in_a_pipe(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("sys.stdout.isatty", lambda: False, raising=False)

        assert not wanted()


def test_errors_write_out_what_a_terminal_would_obey(capsys: pytest.CaptureFixture[str]) -> None:
    complain(BadInput("No \033[31mred\033[0m here.", hint="Say\nmore.", fields={"ref": "\a"}))

    assert capsys.readouterr().err == "No \\x1b[31mred\\x1b[0m here.\nSay\nmore.\n  ref: \\x07\n"
