"""Finding a quote again where likeness or layout alone would lead astray."""

from evidence.again import Outcome, Sought, find_again
from evidence.shift import Shift

BEFORE = 'run("--profile".to_string(), "p.lua".to_string(), verbose)'


def again(old: str, new: str, words: str) -> tuple[Outcome, str]:
    start = old.index(words)
    sought = Sought(
        words, old[max(0, start - 64) : start], old[start + len(words) : start + len(words) + 64], old.count(words)
    )
    found = find_again(sought, Shift(old, new), start, start + len(words))
    return found.outcome, new[found.found.start : found.found.end] if found.found else ""


class TestWhatWasCommonInItsOwnText:
    OLD = (
        "# Profiles\n\nprofiles are read first\n" + BEFORE + "\nand then kept for the session\n\n"
        '# Themes\n\nthemes are read next\nrun("--palette".to_string(), "q.lua".to_string(), verbose)\nthen dropped\n'
    )

    def test_is_not_attached_to_more_of_its_kind(self) -> None:
        new = (
            "# Themes\n\nthemes are read next\n"
            'run("--palette".to_string(), "q.lua".to_string(), verbose)\nthen dropped\n\n'
            '# Workers\n\nworkers come last of all here\nrun("--worker".to_string(), "agent".to_string(), verbose)\n'
        )

        assert again(self.OLD, new, BEFORE) == (Outcome.LOST, "")

    def test_is_followed_where_what_stands_round_it_agrees(self) -> None:
        moved = BEFORE.replace("p.lua", "p2.lua")
        new = (
            "# Themes\n\nthemes are read next\n"
            'run("--palette".to_string(), "q.lua".to_string(), verbose)\nthen dropped\n\n'
            "# Profiles\n\nprofiles are read first\n" + moved + "\nand then kept for the session\n"
        )

        outcome, words = again(self.OLD, new, BEFORE)

        assert outcome in {Outcome.REWORDED, Outcome.MEANING}
        assert words == moved


class TestWordsThatStandElsewhereToTheLetter:
    def test_are_asked_about_where_their_own_lines_changed_their_layout(self) -> None:
        words = '"license": "ODbL",\n  "source": "somewhere"'
        old = f"Metadata\n\n  {words}\n\nThe end of it.\n"
        new = f'Metadata\n\n      "license": "ODbL",\n      "source": "somewhere"\n\nThe end of it.\n\n  {words}\n'

        outcome, found = again(old, new, words)

        assert (outcome, found) == (Outcome.TO_CONFIRM, words)


class TestACommonLine:
    """The same words stand in several places, and the line diff is free to carry either one."""

    OLD = "fn first() {\n    start();\n    render(area);\n}\n\nfn second() {\n    stop();\n    render(area);\n}\n"
    NEW = (
        "fn zero() {\n    open();\n    render(area);\n}\n\nfn moved() {\n    go();\n    render(area);\n}\n\n"
        "fn second() {\n    stop();\n    render(area);\n}\n"
    )

    def test_is_asked_about_where_other_lines_have_its_surroundings(self) -> None:
        start = self.OLD.rindex("render(area);\n}")
        words = "render(area);\n}"
        sought = Sought(words, self.OLD[max(0, start - 64) : start], "\n", 2)
        shift = Shift(self.OLD, self.NEW)
        shift.forward[6:9] = [6, 7, 8]  # as a diff may say that has carried the line beside it

        found = find_again(sought, shift, start, start + len(words))

        assert found.found is not None
        assert (found.outcome, found.found.start) == (Outcome.TO_CONFIRM, self.NEW.rindex(words))
