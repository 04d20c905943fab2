"""What a text points at: ids, paths, shas, our own refs; and what only looks so."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yoimemory.refs import SourceRef
from yoimemory.sources.links import Linker
from yoimemory.sources.reading import Passage

FULL = "85153cf8a00ec6f4d2a90ad68621e769c004e55b"
LINKER = Linker({"00001KXKMX0QB"}, lambda prefix: FULL if FULL.startswith(prefix) else "")


def targets(text: str, path: str = "") -> set[tuple[str, str]]:
    return set(LINKER.targets(text, path=path))


class TestLinker:
    @pytest.mark.parametrize(
        ("text", "target"),
        [
            ("依存は00001KXKMX0QAです。", "ticket:00001KXKMX0QA"),
            ("`00001KXKMX0QB`", "objective:00001KXKMX0QB"),
            (".yoi/tickets/00001KXKMX0QA/thread.md", "ticket:00001KXKMX0QA/thread"),
            ("see crates/ticket/src/lib.rs:120", "code:crates/ticket/src/lib.rs#L120"),
            ("see `src/app.py:12-20`.", "code:src/app.py#L12-L20"),
            ("docs/a.md#L3-L9", "doc:docs/a.md#L3-L9"),
            ("(./docs/guide.md)", "doc:docs/guide.md"),
            ("Read @docs/guide.md first.", "doc:docs/guide.md"),
            ("設計はdocs/guide.mdを参照", "doc:docs/guide.md"),
            ("commit 85153cf8", f"commit:{FULL}"),
            (f"at {FULL}.", f"commit:{FULL}"),
        ],
    )
    def test_finds_what_prose_mentions(self, text: str, target: str) -> None:
        assert ("mentions", target) in targets(text)

    @pytest.mark.parametrize(
        "text",
        [
            "00001KXKMX0Q", "X00001KXKMX0QA", "https://example.invalid/docs/a.md", "/home/dev/docs/a.md",
            "../docs/a.md",
            "and/or", "TCP/IP.v4", "12345678", "deadbeaf", "feedface1", "#85153cf8", "a85153cf8z", "docs/a.mdx2",
            "./a/../b.md", "1/2.5", "doc:x",
        ],
    )  # fmt: skip
    def test_takes_nothing_that_only_looks_so(self, text: str) -> None:
        assert targets(text) == set()

    def test_counts_our_own_refs_as_citations(self) -> None:
        text = (
            "As evidence:01JD0000000000000000000000 says; not evidence:short nor myevidence:01JD0000000000000000000000"
        )

        assert targets(text) == {("cites", "evidence:01JD0000000000000000000000")}

    @pytest.mark.parametrize(
        ("link", "target"),
        [
            ("[x](other.md)", "doc:docs/deep/other.md"), ("[x](../a.md#L3)", "doc:docs/a.md#L3"),
            ("[x](../a.md#words)", "doc:docs/a.md"), ("[x](<b.md>)", "doc:docs/deep/b.md"),
            ('[x](b.md "title")', "doc:docs/deep/b.md"), ("[x](%E6%97%A5.md)", "doc:docs/deep/日.md"),
        ],
    )  # fmt: skip
    def test_resolves_markdown_links_from_where_they_stand(self, link: str, target: str) -> None:
        assert ("links", target) in targets(link, path="docs/deep/guide.md")

    @pytest.mark.parametrize(
        "link",
        ["[x](../../../etc/passwd.md)", "[x](/etc/a.md)", "[x](https://x.invalid/a.md)", "[x](#here)", "[x](guide.md)"],
    )
    def test_follows_no_link_out_or_to_itself(self, link: str) -> None:
        assert not any(kind == "links" for kind, _ in targets(link, path="docs/guide.md"))

    def test_keeps_the_first_place_of_each_target_and_not_itself(self) -> None:
        passages = [Passage("event-1", "00001KXKMX0QA", 1, 1), Passage("event-2", "00001KXKMX0QC 00001KXKMX0QA", 2, 2)]

        links = LINKER.links(passages, SourceRef("ticket", "00001KXKMX0QC/thread"))

        assert [(link.target, link.where) for link in links] == [("ticket:00001KXKMX0QA", "event-1")]

    @given(st.text("ab01/.:#-[]() \n@Lmd", max_size=200))
    def test_gives_only_refs_that_can_be_read_back(self, text: str) -> None:
        for _, target in LINKER.targets(text, path="docs/x.md"):
            assert str(SourceRef.parse(target)) == target
