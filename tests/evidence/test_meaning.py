"""Which changes of wording bear on meaning, word for word, in English, Japanese and code."""

import pytest

from evidence.meaning import Change, changes_of_meaning, told


class TestChangesOfMeaning:
    @pytest.mark.parametrize(
        ("before", "after", "kind"),
        [
            ("It is available here.", "It is unavailable here.", "negation"),
            ("You cannot start it.", "You can start it.", "negation"),
            ("They don't retry.", "They retry.", "negation"),
            ("It should run.", "It must run.", "modal"),
            ("Use v1.2.3 of it.", "Use v1.2.4 of it.", "version"),
            ("Wait 5 minutes.", "Wait 15 minutes.", "number"),
            ("Wait 5 minutes.", "Wait 5 hours.", "unit"),
            ("At most 10 items.", "At least 10 items.", "quantity"),
            ("The flag is true.", "The flag is false.", "opposite"),
            ("Both a and b.", "Both a or b.", "logic"),
            ("Call `open_tree` first.", "Call `open_file` first.", "identifier"),
            ("See src/lib.rs there.", "See src/main.rs there.", "identifier"),
            ("必ず確認する。", "なるべく確認する。", "modal"),
            ("この値は有効です。", "この値は無効です。", "negation"),
            ("３日以内に行う。", "３日以降に行う。", "quantity"),
            ("再試行できる。", "再試行できない。", "modal"),
            ("７月１５日に開く。", "７月１８日に開く。", "date"),
            ("未承認の提案", "承認の提案", "negation"),
        ],
    )
    def test_are_named_by_their_kind(self, before: str, after: str, kind: str) -> None:
        assert [change.kind for change in changes_of_meaning(before, after)][:1] == [kind]

    @pytest.mark.parametrize(
        ("before", "after"),
        [
            ("The quick summary.", "The brief summary."),
            ("A Queue click.", "a queue click."),
            ("It “may” start – soon.", 'It "may" start - soon.'),
            ("運用の文書に書く。", "運用の書類に書く。"),
        ],
    )
    def test_are_none_where_only_the_wording_differs(self, before: str, after: str) -> None:
        assert changes_of_meaning(before, after) == []

    def test_are_every_name_and_sign_in_code(self) -> None:
        assert changes_of_meaning("if a < limit:", "if a <= limit:", code=True)
        assert changes_of_meaning("total = inner", "total = outer", code=True) == [
            Change("identifier", "inner", "outer")
        ]


class TestTold:
    def test_says_what_became_what_went_and_what_came(self) -> None:
        changes = [Change("number", "1", "2"), Change("negation", "not", ""), Change("modal", "", "must")]

        assert told(changes, most=2) == "number “1” became “2”, negation “not” is gone, and 1 more"
        assert str(changes[2]) == "modal “must” was added"
