"""What must hold of quotes whose sources move on: the numbered cases of the issue, over a real repository."""

import pytest

from evidence.models import Evidence, Placement
from evidence.schemas import EvidenceDraft
from evidence.services import extract_evidence, recheck_anchors
from evidence.standing import Standing, caveats_of, standings
from tests.evidence.conftest import Desk
from tests.evidence.repository import WORK_ITEMS
from tests.factories import NOON
from yoimemory.refs import SourceRef
from yoimemory.search.services import index_workspace

pytestmark = pytest.mark.django_db(databases=["default", "index"])

DOC = "docs/work-items.md"
RULE = "Unresolved `depends_on` and incoming unresolved `blocks` are queue and acceptance blockers."


def quote(desk: Desk, words: str, *, line: int | None = None, path: str = DOC, kind: str = "doc") -> Evidence:
    draft = EvidenceDraft(ref=f"{kind}:{path}", quote=words, line=line, why="It bears on the question.")
    outcome = extract_evidence(desk.shoebox, [draft], actor=desk.reviewer, now=NOON)
    assert not outcome.refused, outcome.refused
    return outcome.stored[0]


def rewrite(desk: Desk, text: str | bytes, *, path: str = DOC, commit: bool = True) -> None:
    desk.repository.write(path, text)
    if commit:
        desk.repository.commit()


def check(desk: Desk) -> list[Placement]:
    return recheck_anchors(desk.workspace, None, now=NOON)


def standing(evidence: Evidence) -> Standing:
    return standings([evidence])[evidence.pk]


class TestCase1LinesInsertedAbove:
    def test_are_followed_without_a_question_and_leave_the_anchor_as_it_was(self, desk: Desk) -> None:
        evidence = quote(desk, RULE)
        anchor = Evidence.objects.filter(pk=evidence.pk).values().get()
        rewrite(desk, "One.\nTwo.\nThree.\n" + WORK_ITEMS)

        [placement] = check(desk)

        assert (placement.state, placement.start_line, placement.method) == ("moved", 10, "line diff")
        assert standing(evidence).state not in Placement.DRIFTED
        assert caveats_of([evidence])[evidence.pk] == []
        assert Evidence.objects.filter(pk=evidence.pk).values().get() == anchor


class TestCase2ADuplicatedLine:
    TEXT = "# Rules\n\nAlpha comes first here.\nNothing starts before it is accepted.\n\nBeta follows after that.\n" + (
        "Nothing starts before it is accepted.\n\nThe end of the rules.\n"
    )
    WORDS = "Nothing starts before it is accepted."

    @pytest.mark.parametrize(
        ("quoted", "taken_out", "now"),
        [(7, 4, ("moved", 6)), (4, 7, ("verified", 4)), (7, 7, ("orphaned", None)), (4, 4, ("orphaned", None))],
    )
    def test_is_followed_where_the_quoted_one_went(
        self, desk: Desk, quoted: int, taken_out: int, now: tuple[str, int | None]
    ) -> None:
        rewrite(desk, self.TEXT)
        evidence = quote(desk, self.WORDS, line=quoted)
        assert (evidence.start_line, evidence.occurrences) == (quoted, 2)
        lines = self.TEXT.split("\n")
        rewrite(desk, "\n".join(lines[: taken_out - 1] + lines[taken_out:]))

        [*placements] = check(desk)

        assert [(each.state, each.start_line) for each in placements] in ([now], [])
        assert (standing(evidence).state, standing(evidence).line if now[1] else None) == now


class TestCase3ADeletedParagraph:
    TEXT = (
        "# Review\n\nA second reviewer has to look at every decision before it is final.\n\nOther text stands here.\n\n"
        "A second reviewer has to look at every proposal before it is applied.\n"
    )
    WORDS = "A second reviewer has to look at every decision before it is final."

    def test_is_orphaned_and_its_lookalike_is_only_a_candidate(self, desk: Desk) -> None:
        rewrite(desk, self.TEXT)
        evidence = quote(desk, self.WORDS)
        rewrite(desk, self.TEXT.replace(self.WORDS + "\n\n", ""))

        [placement] = check(desk)

        assert (placement.state, placement.start, placement.words) == ("orphaned", None, "")
        evidence.refresh_from_db()
        assert evidence.quote == self.WORDS
        assert "no longer stand" in caveats_of([evidence])[evidence.pk][0]


class TestCase4AChangeThatBearsOnMeaning:
    @pytest.mark.parametrize(
        ("before", "after", "named"),
        [
            ("The supported runtime is Python 3.11 here.", "The supported runtime is Python 3.13 here.",
             {"kind": "number", "before": "3.11", "after": "3.13"}),
            ("A queue click does not permit any start.", "A queue click does permit any start.",
             {"kind": "negation", "before": "not", "after": ""}),
            ("この項目の入力は、すべての利用者にとって必須である。",
             "この項目の入力は、すべての利用者にとって任意である。",
             {"kind": "modal", "before": "必須", "after": "任意"}),
            ("The lookup raises `group_not_found` to callers.", "The lookup raises `group_found` to callers.",
             {"kind": "identifier", "before": "group_not_found", "after": "group_found"}),
            ("Every Worker must read its ticket before.", "Every Worker may read its ticket before.",
             {"kind": "modal", "before": "must", "after": "may"}),
            ("The lease ends after 30 seconds without a beat.", "The lease ends after 30 minutes without a beat.",
             {"kind": "unit", "before": "30 seconds", "after": "30 minutes"}),
            ("The migration was finished on 2026-07-15.", "The migration was finished on 2026-07-18.",
             {"kind": "date", "before": "2026-07-15", "after": "2026-07-18"}),
            ("依存関係が解決するまで開始してはならない、と運用文書にある。",
             "依存関係が解決するまで開始してもよい、と運用文書にある。",
             {"kind": "modal", "before": "てはならない", "after": "てもよい"}),
        ],
    )  # fmt: skip
    def test_is_named_word_for_word(self, desk: Desk, before: str, after: str, named: dict[str, str]) -> None:
        rewrite(desk, f"# Rules\n\nAn opening line.\n{before}\nA closing line.\n")
        evidence = quote(desk, before)
        rewrite(desk, f"# Rules\n\nAn opening line.\n{after}\nA closing line.\n")

        [placement] = check(desk)

        assert placement.state == "reworded-meaning"
        assert placement.changes == [named]
        assert placement.words == after
        said = caveats_of([evidence])[evidence.pk][0]
        assert named["before"] in said
        assert named["after"] in said

    def test_is_told_apart_from_one_of_wording_alone(self, desk: Desk) -> None:
        rewrite(desk, "# Rules\n\nThe panel shows a short summary of the whole queue.\n")
        quote(desk, "The panel shows a short summary of the whole queue.")
        rewrite(desk, "# Rules\n\nThe panel shows a brief summary of the whole queue.\n")

        [placement] = check(desk)

        assert (placement.state, placement.changes) == ("reworded", [])

    def test_asks_where_the_words_stand_and_the_rest_of_their_line_says_no(self, desk: Desk) -> None:
        rewrite(desk, "# Rules\n\nThe build is required to pass before a merge is done.\n")
        quote(desk, "required to pass before a merge")
        rewrite(desk, "# Rules\n\nThe build is not required to pass before a merge is done.\n")

        [placement] = check(desk)

        assert placement.state == "moved-to-confirm"
        assert placement.changes == [{"kind": "negation", "before": "", "after": "not"}]


class TestCase5ALayoutThatChangedAlone:
    BEFORE = '# Rules\n\nA queue click permits "routing" of the ticket;\nit does not permit a start of the work.\n'
    WORDS = 'A queue click permits "routing" of the ticket;\nit does not permit a start of the work.'

    @pytest.mark.parametrize(
        "after",
        [
            BEFORE.replace("\nA queue", "\n    A queue").replace("\nit does", "\n    it does"),
            BEFORE.replace("\n", "\r\n"),
            "# Rules\n\nA queue click\npermits \"routing\" of the ticket; it does\nnot permit a start of the work.\n",
            BEFORE.replace('"routing"', "“routing”"),
            "A line.\n" + BEFORE.replace("ticket;\nit", "ticket; it"),
        ],
        ids=["re-indented", "CRLF", "reflowed", "curly quotes", "reflowed and moved"],
    )  # fmt: skip
    def test_is_verified_and_says_so(self, desk: Desk, after: str) -> None:
        rewrite(desk, self.BEFORE)
        evidence = quote(desk, self.WORDS)
        rewrite(desk, after)

        [placement] = check(desk)

        assert (placement.state, placement.label) == ("verified", "verified (layout)")
        assert standing(evidence).told == "verified (layout)"
        assert caveats_of([evidence])[evidence.pk] == []

    def test_is_verified_where_japanese_was_wrapped_without_a_space(self, desk: Desk) -> None:
        words = "依存関係が解決するまで、どの作業も開始してはならない、と運用文書に書かれている。"
        rewrite(desk, f"# 運用\n\n{words}\n")
        quote(desk, words)
        rewrite(desk, f"# 運用\n\n{words[:14]}\n{words[14:]}\n")

        [placement] = check(desk)

        assert placement.label == "verified (layout)"


class TestCase6ARename:
    def test_with_equal_bytes_is_followed(self, desk: Desk) -> None:
        evidence = quote(desk, RULE)
        desk.repository.rename(DOC, "docs/rules/items.md")
        desk.repository.commit()
        index_workspace(desk.workspace, now=NOON)

        [placement] = check(desk)

        assert (placement.state, placement.place) == ("moved", "doc:docs/rules/items.md")
        assert "docs/rules/items.md" in standing(evidence).note

    def test_with_an_edit_is_followed_to_the_new_line(self, desk: Desk) -> None:
        quote(desk, RULE)
        desk.repository.rename(DOC, "docs/rules/items.md")
        rewrite(desk, "A new first line.\n" + WORK_ITEMS, path="docs/rules/items.md")
        index_workspace(desk.workspace, now=NOON)

        [placement] = check(desk)

        assert (placement.state, placement.place, placement.start_line) == ("moved", "doc:docs/rules/items.md", 8)
        assert placement.method.startswith("rename")

    def test_with_an_edit_that_is_not_committed_yet_is_followed(self, desk: Desk) -> None:
        quote(desk, RULE)
        desk.repository.rename(DOC, "docs/rules/items.md")
        rewrite(desk, "A new first line.\n" + WORK_ITEMS, path="docs/rules/items.md", commit=False)
        index_workspace(desk.workspace, now=NOON)

        [placement] = check(desk)

        assert (placement.state, placement.place) == ("moved", "doc:docs/rules/items.md")

    def test_is_followed_on_after_a_further_change_under_the_new_name(self, desk: Desk) -> None:
        evidence = quote(desk, RULE)
        desk.repository.rename(DOC, "docs/rules/items.md")
        desk.repository.commit()
        index_workspace(desk.workspace, now=NOON)
        check(desk)
        rewrite(desk, "One.\nTwo.\n" + WORK_ITEMS, path="docs/rules/items.md")

        [placement] = recheck_anchors(desk.workspace, [SourceRef.parse("doc:docs/rules/items.md")], now=NOON)

        assert (placement.evidence_id, placement.state, placement.start_line) == (evidence.pk, "moved", 9)


class TestCase8AQuoteFromTheWorkingTree:
    WORDS = "An uncommitted sentence that nobody else has read so far."

    def _quote(self, desk: Desk) -> Evidence:
        rewrite(desk, WORK_ITEMS + f"\n{self.WORDS}\n", commit=False)
        evidence = quote(desk, self.WORDS)
        assert evidence.uncommitted
        return evidence

    def test_is_verified_at_the_commit_that_takes_it_in(self, desk: Desk) -> None:
        evidence = self._quote(desk)
        index_workspace(desk.workspace, now=NOON)
        commit = desk.repository.commit()
        index_workspace(desk.workspace, now=NOON)

        [placement] = recheck_anchors(desk.workspace, [], now=NOON)

        assert (placement.state, placement.revision) == ("verified", commit)
        assert commit[:8] in placement.note
        assert not any("was not committed" in caveat for caveat in caveats_of([evidence])[evidence.pk])

    def test_is_orphaned_when_it_is_discarded_and_not_matched_to_what_stands_there(self, desk: Desk) -> None:
        alike = "A committed sentence that nobody else has read so far."
        rewrite(desk, WORK_ITEMS + f"\n{alike}\n")
        rewrite(desk, WORK_ITEMS + f"\n{self.WORDS}\n", commit=False)
        evidence = quote(desk, self.WORDS)
        rewrite(desk, WORK_ITEMS + f"\n{alike}\n", commit=False)

        [placement] = check(desk)

        assert (placement.state, placement.start) == ("orphaned", None)
        assert "discarded" in standing(evidence).note


class TestCase9JapaneseAndShortQuotes:
    MANY = "".join(chr(0x4E00 + step) for step in range(900))

    def test_are_found_among_more_than_256_distinct_characters(self, desk: Desk) -> None:
        before = "承認 🎉 された提案は、利用者の確認のあとで初めて適用される。"
        after = "承認 🎉 された提案は、利用者の確認のあとで直ちに適用される。"
        rewrite(desk, f"# 記録\n\n{self.MANY}\n{before}\n{self.MANY[::-1]}\n")
        quote(desk, before)
        rewrite(desk, f"# 記録\n\n{self.MANY[1:]}\n{after}\n{self.MANY[-2::-1]}\n")  # all is looked through

        [placement] = check(desk)

        assert (placement.state, placement.start_line, placement.words) == ("reworded", 4, after)

    def test_of_more_than_256_distinct_characters_are_found_too(self, desk: Desk) -> None:
        rewrite(desk, f"# 記録\n\n{self.MANY[:600]}\n\n終わり。\n")
        quote(desk, self.MANY[:600])
        rewrite(desk, f"# 記録\n\n{self.MANY[:300]}新{self.MANY[301:600]}\n\n終わり。\n")

        [placement] = check(desk)

        assert (placement.state, placement.start_line) == ("reworded", 3)

    def test_of_one_word_are_found_exactly_or_not_at_all(self, desk: Desk) -> None:
        rewrite(desk, "# Names\n\nThe reader is `workspace_panel_reader` today.\n")
        evidence = quote(desk, "workspace_panel_reader")
        rewrite(desk, "One.\n# Names\n\nThe reader is `workspace_panel_reader` today.\n")
        [moved] = check(desk)
        rewrite(desk, "One.\n# Names\n\nThe reader is `workspace_panel_writer` today.\n")

        [lost] = check(desk)

        assert (moved.state, moved.start_line) == ("moved", 4)
        assert (lost.state, lost.start) == ("orphaned", None)
        assert standing(evidence).state == "orphaned"


class TestProofOutlivesTheSource:
    def test_when_the_file_is_gone_for_good(self, desk: Desk) -> None:
        evidence = quote(desk, RULE)
        desk.repository.remove(DOC)
        desk.repository.commit()
        index_workspace(desk.workspace, now=NOON)

        check(desk)

        evidence.refresh_from_db()
        assert evidence.quote == RULE
        assert "source is gone" in caveats_of([evidence])[evidence.pk][0]

    def test_when_its_commit_was_rebased_away(self, desk: Desk) -> None:
        rewrite(desk, WORK_ITEMS + "\nA line of its own stands here, in a commit of its own.\n")
        evidence = quote(desk, "A line of its own stands here, in a commit of its own.")
        desk.repository.amend("Say it in other words")
        index_workspace(desk.workspace, now=NOON)

        [placement] = recheck_anchors(desk.workspace, [], now=NOON)

        assert (placement.state, placement.rebased) == ("verified", True)
        [said] = caveats_of([evidence])[evidence.pk]
        assert evidence.revision[:8] in said
        assert "no longer part of the history" in said
        assert recheck_anchors(desk.workspace, [], now=NOON) == []
