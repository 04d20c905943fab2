"""The address scheme, as properties over every legal ref and as refusals in sentences."""

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from yoimemory.refs import KINDS, BadRef, SourceRef, lines_fragment, new_id, split_workspace


def _as_read(text: str) -> str:
    """A name as it comes from a file system: surrogates stand only for bytes that are not UTF-8."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "surrogateescape")


NUMBERS = st.integers(1, 10_000_000)
NAMES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=30)
STEPS = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="/\0")
    | st.characters(min_codepoint=0xDC80, max_codepoint=0xDCFF),
    min_size=1,
    max_size=20,
).filter(lambda step: step not in {".", ".."})
LOCATORS = st.lists(STEPS, min_size=1, max_size=4).map("/".join).filter(lambda text: _as_read(text) == text)
REVISIONS = (
    st.just("")
    | st.text("0123456789abcdef", min_size=4, max_size=64)
    | st.text("0123456789abcdef", min_size=64, max_size=64).map("sha256:".__add__)
)
SPANS = st.tuples(NUMBERS, NUMBERS).map(sorted)
FRAGMENTS = (
    st.just("")
    | SPANS.map(lambda span: lines_fragment(*span))
    | NUMBERS.map("event-{}".format)
    | NUMBERS.map("entry-{}".format)
    | SPANS.map(lambda span: "entry-{}-{}".format(*span))
    | NAMES.map("heading=".__add__)
    | NAMES.map("symbol=".__add__)
)


@st.composite
def refs(draw: st.DrawFn) -> SourceRef:
    kind = draw(st.sampled_from(KINDS))
    fragment = draw(NAMES.map("/".__add__) if kind == "record" else FRAGMENTS)
    ref = SourceRef(kind, draw(LOCATORS), draw(REVISIONS), fragment)
    assume(len(str(ref)) <= 2_048)
    return ref


class TestParseAndStr:
    @given(refs())
    @example(SourceRef("doc", "per%2e%2e%2fcent.md"))
    @example(SourceRef("doc", "::x"))
    @example(SourceRef("doc", " a"))
    @example(SourceRef("doc", "a\r\nb"))
    @example(SourceRef("doc", "a@b#c"))
    @example(SourceRef("code", "src/x.py", "", "symbol=a#b"))
    def test_are_inverse_on_every_legal_ref(self, ref: SourceRef) -> None:
        text = str(ref)

        assert SourceRef.parse(text) == ref

    @given(refs())
    def test_write_what_may_be_stored_and_shown_on_one_line(self, ref: SourceRef) -> None:
        text = str(ref)

        text.encode()
        assert text.isprintable()
        assert not any(char.isspace() for char in text)

    @given(refs(), st.from_regex(r"[a-z0-9][a-z0-9-]{0,20}", fullmatch=True))
    def test_leave_a_workspace_in_front_to_be_split_off(self, ref: SourceRef, slug: str) -> None:
        assert split_workspace(f"{slug}::{ref}") == (slug, str(ref))
        assert split_workspace(str(ref)) == ("", str(ref))

    @given(st.text(max_size=200))
    @example("doc:%")
    @example("doc:%zz")
    @example("doc:a%00b")
    @example("doc:a@sha256:" + "g" * 64)
    @example("record:a/b#")
    @example("x::")
    def test_give_a_ref_or_a_sentence_for_any_text(self, text: str) -> None:
        try:
            ref = SourceRef.parse(text)
        except BadRef as error:
            refusal = error
        else:
            assert SourceRef.parse(str(ref)) == ref
            return

        assert refusal.message.endswith(".")
        assert refusal.status == 422


class TestRefusals:
    @pytest.mark.parametrize(
        ("text", "words"),
        [
            ("", "is not a ref"),
            ("guide.md", "is not a ref"),
            ("knowledge:x", "is not a ref"),
            ("Doc:x", "is not a ref"),
            ("doc:", "no usable locator"),
            ("doc:/etc/passwd", "no usable locator"),
            ("doc:%2Fetc/passwd", "no usable locator"),
            ("doc:a%00b", "no usable locator"),
            ("doc:../x", "leaves its workspace"),
            ("doc:a/%2e%2e/b", "leaves its workspace"),
            ("doc:a//b", "leaves its workspace"),
            ("doc:a/", "leaves its workspace"),
            ("doc:a/./b", "leaves its workspace"),
            ("doc:a@", "is no revision"),
            ("doc:a@HEAD", "is no revision"),
            ("doc:a@abc", "is no revision"),
            ("doc:a@ABCDEF", "is no revision"),
            ("doc:a@sha256:12", "is no revision"),
            ("doc:a@1234@5678", "two revisions"),
            ("doc:a#", "is no fragment"),
            ("doc:a#L0", "is no fragment"),
            ("doc:a#L9-L3", "is no fragment"),
            ("doc:a#line 3", "is no fragment"),
            ("ticket:A/thread#event-0", "is no fragment"),
            ("session:plain/a#entry-5-2", "is no fragment"),
            ("doc:a#heading=", "is no fragment"),
            ("record:a/b#status", "is no fragment"),
            ("desk::doc:a", "names the workspace 'desk'"),
            ("doc:" + "x" * 3_000, "at most 2048"),
        ],
    )
    def test_say_which_part_could_not_be_read(self, text: str, words: str) -> None:
        with pytest.raises(BadRef, match=words) as refusal:
            SourceRef.parse(text)

        assert refusal.value.message.endswith(".")


class TestParts:
    @given(refs())
    def test_agree_with_the_fragment(self, ref: SourceRef) -> None:
        named = [ref.lines, ref.entries, ref.event, ref.named]

        assert sum(part is not None for part in named) == (1 if ref.fragment and ref.kind != "record" else 0)

    @given(SPANS)
    def test_name_lines_and_entries_inclusively(self, span: list[int]) -> None:
        first, last = span
        ref = SourceRef("doc", "a")

        assert ref.part(lines_fragment(first, last)).lines == (first, last)
        assert ref.part(f"entry-{first}-{last}").entries == (first, last)

    @pytest.mark.parametrize(
        ("text", "source"),
        [
            ("ticket:A/thread@1234#event-7", "ticket:A"),
            ("ticket:A", "ticket:A"),
            ("ticket:A/artifacts/x/y.md", "ticket:A"),
            ("objective:B/resources/notes.md", "objective:B"),
            ("skill:reviewer/references/a.md", "skill:reviewer"),
            ("diff:85153cf8/docs/a.md#L3", "commit:85153cf8"),
            ("session:plain/a/b#entry-3", "session:plain/a/b"),
            ("memory:decision/x", "memory:decision/x"),
            ("doc:docs/a.md@1234#L3", "doc:docs/a.md"),
        ],
    )
    def test_of_one_whole_have_one_source(self, text: str, source: str) -> None:
        assert str(SourceRef.parse(text).source) == source

    @given(refs())
    def test_keep_the_rest_when_revision_or_fragment_change(self, ref: SourceRef) -> None:
        assert ref.at("1234abcd").at(ref.revision) == ref
        assert ref.bare.at(ref.revision).part(ref.fragment) == ref
        assert ref.source.source == ref.source


class TestPublicIds:
    def test_are_in_order_of_time_and_never_twice(self) -> None:
        ids = [new_id() for _ in range(2_000)]

        assert len(set(ids)) == len(ids)
        assert [identifier[:10] for identifier in ids] == sorted(identifier[:10] for identifier in ids)
