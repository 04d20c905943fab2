"""Capturing a quote in the reader: three keys, no page load, focus and scroll where they were."""

from typing import Any
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Page, expect

from evidence.models import Evidence
from hypotheses.models import Hypothesis
from shoebox.models import Shoebox
from tests.browser.conftest import OnDisk, Person, collisions, flaws, looks
from tests.factories import make_hypothesis, make_shoebox

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

DOC = "doc:docs/work-items.md"
THREAD = "ticket:00001KXKMX0QM/thread"
RULE = "Unresolved `depends_on` and incoming unresolved `blocks` are queue and acceptance blockers."
JAPANESE = "依存関係が解決するまで開始してはならない、と運用文書にある。"


@pytest.fixture
def box(workspace_on_disk: OnDisk) -> Shoebox:
    shoebox = make_shoebox(workspace_on_disk.workspace)
    make_hypothesis(shoebox, claim="Start now.")
    make_hypothesis(shoebox, claim="Hold until both are closed.")
    return shoebox


def open_reader(person: Person, box: Shoebox, ref: str = DOC, **query: str) -> Page:
    page = person.open("/read/?" + urlencode({"ref": ref, "shoebox": box.public_id, **query}))
    expect(page.locator("#reader")).to_be_visible()
    return page


def lines(count: int) -> str:
    return "".join(f"This is line number {number}.\n" for number in range(1, count))


def state_of(page: Page) -> Any:
    return page.evaluate("() => [scrollX, scrollY, document.activeElement.id]")


def select_by_mouse(page: Page, line: int) -> None:
    """Drag over the text of one line, as a hand does."""
    words = page.locator(f"#L{line} p")
    words.scroll_into_view_if_needed()
    place = words.bounding_box()
    assert place is not None
    middle = place["y"] + 10
    page.mouse.move(place["x"] + 7, middle)
    page.mouse.down()
    page.mouse.move(place["x"] + place["width"] - 5, place["y"] + place["height"] - 10, steps=8)
    page.mouse.up()


class TestThreeKeys:
    def test_save_a_quote_without_a_page_load(self, person: Person, box: Shoebox, workspace_on_disk: OnDisk) -> None:
        page = open_reader(person, box)
        select_by_mouse(page, 7)
        expect(page.locator("#strip .count")).to_contain_text("unique here")
        before = state_of(page)
        page.evaluate("() => { window.pressed = []; addEventListener('keydown', e => pressed.push(e.key), true) }")

        page.keyboard.press("r")
        page.keyboard.press("2")
        page.keyboard.press("Enter")

        expect(page.locator("#quoted .n")).to_have_text("1")
        assert page.evaluate("() => window.pressed") == ["r", "2", "Enter"]
        assert person.loads == []
        assert state_of(page) == before
        evidence = Evidence.objects.get()
        assert RULE.startswith(evidence.quote[:40])
        second = Hypothesis.objects.get(number=2)
        assert [(r.target, r.relation) for r in evidence.relations.all()] == [(str(second.ref), "refutes")]
        assert evidence.state == "draft"
        expect(page.locator("#L7 .hl.h-r").first).to_be_visible()
        expect(page.locator("#strip-said")).to_contain_text("Captured as a draft")
        assert person.console == []

    def test_save_from_the_line_that_an_address_pointed_at(self, person: Person, box: Shoebox) -> None:
        page = open_reader(person, box, f"{DOC}#L7")
        select_by_mouse(page, 7)
        assert state_of(page)[2] == "L7"

        page.keyboard.press("r")
        page.keyboard.press("Enter")

        expect(page.locator("#quoted .n")).to_have_text("1")
        assert person.console == []

    def test_begin_at_the_line_cursor(self, person: Person, box: Shoebox) -> None:
        page = open_reader(person, box)
        page.locator("#reader").focus()

        for key in ("j", "j", "Shift+J", "s", "1", "Enter"):
            page.keyboard.press(key)

        expect(page.locator("#quoted .n")).to_have_text("1")
        assert Evidence.objects.get().quote == "A queue click permits routing. It does not permit a start."
        assert page.evaluate("() => document.activeElement.id") == "reader"

    def test_take_the_line_in_hand_where_nothing_is_selected(self, person: Person, box: Shoebox) -> None:
        page = open_reader(person, box)
        page.locator("#reader").focus()

        for key in ("j", "j", "r", "1", "Enter"):
            page.keyboard.press(key)

        expect(page.locator("#quoted .n")).to_have_text("1")
        assert Evidence.objects.get().quote == "A queue click permits routing. It does not permit a start."

    def test_begin_at_the_line_of_the_address(self, person: Person, box: Shoebox) -> None:
        page = person.open("/read/?" + urlencode({"ref": DOC, "shoebox": box.public_id}) + "#L7")
        expect(page.locator("#L7.cur")).to_be_visible()

        page.locator("#reader").focus()
        page.keyboard.press("Shift+J")

        expect(page.locator("#strip .sel b")).to_have_text("L7")

    def test_quote_japanese_and_lines_together(self, person: Person, box: Shoebox) -> None:
        page = open_reader(person, box, ref=f"{DOC}#L7")

        page.locator("#reader").focus()
        for key in ("Shift+J", "Shift+J", "x", "Enter"):
            page.keyboard.press(key)

        expect(page.locator("#quoted .n")).to_have_text("1")
        evidence = Evidence.objects.get()
        assert evidence.quote == f"{RULE}\n{JAPANESE}"
        assert (evidence.match, evidence.start_line, evidence.end_line) == ("exact", 7, 8)
        assert evidence.relations.count() == 0

    def test_take_a_reason_on_the_way_and_give_the_focus_back(self, person: Person, box: Shoebox) -> None:
        page = open_reader(person, box, ref=f"{DOC}#L8")

        page.locator("#reader").focus()
        for key in ("Shift+J", "s", "1", "w"):
            page.keyboard.press(key)
        page.keyboard.type("It is the maintained rule.")
        page.keyboard.press("Enter")

        expect(page.locator("#strip-said")).to_contain_text("Captured and accepted by hare")
        evidence = Evidence.objects.get()
        assert (evidence.state, evidence.why, evidence.quote) == ("accepted", "It is the maintained rule.", JAPANESE)
        assert page.evaluate("() => document.activeElement.id") == "reader"

    def test_repeat_and_undo(self, person: Person, box: Shoebox) -> None:
        page = open_reader(person, box, ref=f"{DOC}#L7")
        page.locator("#reader").focus()
        for key in ("Shift+J", "r", "2", "Enter"):
            page.keyboard.press(key)
        expect(page.locator("#quoted .n")).to_have_text("1")

        for key in ("j", "Shift+J", "."):
            page.keyboard.press(key)
        expect(page.locator("#quoted .n")).to_have_text("2")
        page.keyboard.press("u")

        expect(page.locator("#quoted .n")).to_have_text("1")
        expect(page.locator("#L8 .hl")).to_have_count(0)
        expect(page.locator("#L7 .hl").first).to_be_visible()
        first, second = Evidence.objects.order_by("pk")
        assert [r.relation for r in second.relations.all()] == ["refutes"]
        assert (first.state, second.state) == ("draft", "retired")
        assert person.loads == []

    def test_add_a_second_relation_to_the_same_words(self, person: Person, box: Shoebox) -> None:
        page = open_reader(person, box, ref=f"{DOC}#L7")
        page.locator("#reader").focus()

        for key in ("Shift+J", "r", "1", "Enter"):
            page.keyboard.press(key)
        expect(page.locator("#quoted .rel")).to_have_count(1)
        for key in ("Shift+J", "s", "2", "Enter"):
            page.keyboard.press(key)

        expect(page.locator("#quoted .rel")).to_have_count(2)
        assert Evidence.objects.get().relations.count() == 2

    def test_tell_a_refusal_and_keep_the_selection(self, person: Person, box: Shoebox) -> None:
        page = open_reader(person, box, ref=f"{DOC}#L7")
        page.locator("#reader").focus()
        for key in ("Shift+J", "r", "1", "Enter"):
            page.keyboard.press(key)
        expect(page.locator("#quoted .n")).to_have_text("1")

        for key in ("Shift+J", "r", "1", "Enter"):
            page.keyboard.press(key)

        expect(page.locator("#strip-said")).to_contain_text("already quoted")
        expect(page.locator("#capture")).to_be_visible()
        assert page.evaluate("() => document.getSelection().toString()").strip() == RULE
        assert person.console == []

    def test_hold_still_while_nothing_is_selected_or_somebody_types(self, person: Person, box: Shoebox) -> None:
        page = open_reader(person, box)

        page.keyboard.press("s")
        page.keyboard.press("Enter")
        expect(page.locator("#strip")).to_be_hidden()
        page.keyboard.press("/")
        page.keyboard.type("src")

        expect(page.locator("#q")).to_have_value("src")
        assert Evidence.objects.count() == 0

    def test_let_go_by_escape(self, person: Person, box: Shoebox) -> None:
        page = open_reader(person, box, ref=f"{DOC}#L7")
        page.locator("#reader").focus()
        page.keyboard.press("Shift+J")
        expect(page.locator("#strip")).to_be_visible()

        page.keyboard.press("Escape")

        expect(page.locator("#strip")).to_be_hidden()
        assert page.evaluate("() => document.getSelection().toString()") == ""


class TestStrip:
    def test_counts_code_points_and_places(self, person: Person, box: Shoebox, workspace_on_disk: OnDisk) -> None:
        workspace_on_disk.repository.write("docs/twice.md", "🙂 The same words here.\n\n🙂 The same words here.\n")
        workspace_on_disk.repository.commit()
        page = open_reader(person, box, ref="doc:docs/twice.md#L3")
        page.locator("#reader").focus()

        page.keyboard.press("Shift+J")
        expect(page.locator("#strip .count")).to_have_text("22 characters, 2 of 2 here")
        for key in ("x", "Enter"):
            page.keyboard.press(key)

        expect(page.locator("#quoted .n")).to_have_text("1")
        evidence = Evidence.objects.get()
        assert (evidence.start_line, evidence.occurrence, evidence.start_column) == (3, 2, 1)

    def test_quotes_hidden_characters_and_windows_line_ends_as_they_are(
        self, person: Person, box: Shoebox, workspace_on_disk: OnDisk
    ) -> None:
        workspace_on_disk.repository.write("docs/odd.md", "first line of \u202eodd text\r\nsecond line of it\r\n")
        workspace_on_disk.repository.commit()
        page = open_reader(person, box, ref="doc:docs/odd.md#L1")
        expect(page.locator("#L1 .hid")).to_have_text("U+202E")
        page.locator("#reader").focus()

        for key in ("Shift+J", "Shift+J", "x", "Enter"):
            page.keyboard.press(key)

        expect(page.locator("#quoted .n")).to_have_text("1")
        evidence = Evidence.objects.get()
        assert evidence.quote == "first line of \u202eodd text\r\nsecond line of it"
        assert evidence.match == "exact"

    def test_names_shoeboxes_when_none_is_chosen(self, person: Person, workspace_on_disk: OnDisk) -> None:
        for number in range(2):
            make_shoebox(workspace_on_disk.workspace, question=f"Question number {number}?")
        page = person.open("/read/?" + urlencode({"ref": f"{DOC}#L7"}))
        page.locator("#reader").focus()

        page.keyboard.press("Shift+J")

        expect(page.locator("#strip")).to_contain_text("need a shoebox")
        page.locator("#strip a", has_text="Question number 1?").click()
        expect(page.locator("#quoted .r")).to_contain_text("Question number 1?")

    def test_does_not_cover_the_line_in_hand(self, person: Person, box: Shoebox, workspace_on_disk: OnDisk) -> None:
        workspace_on_disk.repository.write("docs/long.md", lines(200))
        workspace_on_disk.repository.commit()
        page = open_reader(person, box, ref="doc:docs/long.md")
        page.locator("#reader").focus()

        for _ in range(40):
            page.keyboard.press("j")
        page.keyboard.press("Shift+J")

        expect(page.locator("#strip")).to_be_visible()
        line = page.locator("#reader li.cur").bounding_box()
        strip = page.locator("#strip").bounding_box()
        assert line is not None
        assert strip is not None
        assert line["y"] + line["height"] <= strip["y"] + 1

    def test_holds_the_page_still_while_a_reason_is_typed(
        self, person: Person, box: Shoebox, workspace_on_disk: OnDisk
    ) -> None:
        workspace_on_disk.repository.write("docs/long.md", lines(200))
        workspace_on_disk.repository.commit()
        page = open_reader(person, box, ref="doc:docs/long.md#L60")
        page.locator("#reader").focus()
        page.keyboard.press("Shift+J")
        page.keyboard.press("s")
        page.keyboard.press("w")
        before = page.evaluate("() => scrollY")

        page.keyboard.type("It moved a little with every letter.")

        assert page.evaluate("() => scrollY") == before


class TestKeys:
    def test_no_two_share_a_meaning(self, person: Person, box: Shoebox) -> None:
        page = open_reader(person, box)

        registry = page.evaluate("() => window.yoimKeys.list")

        places: dict[str, set[str]] = {}
        for place, key, _ in registry:
            assert key not in places.setdefault(place, set()), f"{key} twice in {place}"
            places[place].add(key)
        assert not places["everywhere"] & (places["rows"] | places["text"] | places["selection"])
        assert not places["text"] & places["selection"]
        assert collisions(page) == []

    def test_are_listed_and_can_be_switched_off(self, person: Person, box: Shoebox) -> None:
        page = open_reader(person, box)

        page.keyboard.press("?")
        expect(page.locator("#key-list")).to_contain_text("refutes")
        page.locator("#key-list input").uncheck()
        page.keyboard.press("Escape")
        page.locator("#reader").focus()
        page.keyboard.press("j")

        expect(page.locator("#reader li.cur")).to_have_count(0)


class TestReaderPage:
    def test_is_clean_under_axe(self, person: Person, box: Shoebox) -> None:
        for ref in (DOC, THREAD):
            page = open_reader(person, box, ref=ref)
            page.locator("#reader").focus()
            for key in ("j", "j", "Shift+J", "r", "1"):
                page.keyboard.press(key)
            expect(page.locator("#strip")).to_be_visible()

            for look in looks(page, 1280, 390):
                expect(page.locator("#strip")).to_be_visible()
                assert flaws(page) == [], f"{ref}, {look}"
            page.close()
        assert person.console == []

    def test_jumps_to_the_lines_of_the_ref(self, person: Person, box: Shoebox, workspace_on_disk: OnDisk) -> None:
        workspace_on_disk.repository.write("docs/long.md", lines(4000))
        workspace_on_disk.repository.commit()

        page = open_reader(person, box, ref="doc:docs/long.md#L3500")

        expect(page.locator("#L3500")).to_be_in_viewport()
        expect(page.locator("#L3500")).to_have_class("cur")
        expect(page.locator("#L3500 p")).to_have_text("This is line number 3500.")

    def test_reads_without_javascript(self, person: Person, box: Shoebox) -> None:
        context = person.context.browser.new_context(java_script_enabled=False)  # type: ignore[union-attr]
        context.add_cookies(person.context.cookies())  # type: ignore[arg-type]
        page = context.new_page()

        page.goto(f"{person.base}/read/?" + urlencode({"ref": THREAD, "shoebox": box.public_id}))

        expect(page.locator("article.event")).to_have_count(3)
        expect(page.locator("#reader")).to_contain_text("queued にしました")
        expect(page.locator("#strip")).to_be_hidden()
        context.close()
