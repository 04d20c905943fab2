"""The rendered view of a thread or a log: as much of it as the source view shows, in the time of one document."""

import json
import re
from pathlib import Path

import pytest
from django.test import Client

from tests.factories import make_person, make_workspace
from yoimemory.desk import rendering, textpage
from yoimemory.desk.rendering import render_cards, render_markdown
from yoimemory.sources.models import Workspace

TURNS = 60


@pytest.mark.django_db(databases=["default", "index"])
class TestALongLogRendered:
    @pytest.fixture
    def home(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
        monkeypatch.setattr(textpage, "LINES_MAX", 40)
        (tmp_path / "sessions").mkdir()
        turns = [{"role": "user", "content": f"**Turn {number}**"} for number in range(1, TURNS + 1)]
        (tmp_path / "sessions" / "one.jsonl").write_text("".join(json.dumps(turn) + "\n" for turn in turns))
        return make_workspace(tmp_path)

    @pytest.fixture
    def page(self, home: Workspace) -> Client:
        client, user = Client(), make_person(home).user
        assert user is not None
        client.force_login(user)
        return client

    def test_comes_in_parts_that_hold_every_turn_once(self, page: Client) -> None:
        shown: list[int] = []
        query = {"ref": "session:plain/one", "view": "rendered"}
        pages = 0
        while query:
            text = page.get("/read/", query).text
            shown += [int(number) for number in re.findall(r"<strong>Turn (\d+)</strong>", text)]
            later = re.search(r'from=(\d+)&amp;view=rendered">Later lines', text)
            query = {**query, "from": later[1]} if later else {}
            pages += 1

        assert sorted(set(shown)) == list(range(1, TURNS + 1))
        assert pages > 2
        assert len(shown) <= TURNS + 10 * pages

    def test_tells_how_many_turns_there_are_in_all(self, page: Client) -> None:
        assert f"{TURNS} turns" in page.get("/read/", {"ref": "session:plain/one"}).text


class TestTheCardsOfAPage:
    def test_have_the_time_of_one_document_together(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(rendering, "SECONDS", 0.0)

        parts = render_cards(["**a**", "**b**"], "", lambda href, base: href)

        assert [part.html for part in parts] == ["<pre>**a**</pre>", "<pre>**b**</pre>"]
        assert all("shown as it stands" in part.note for part in parts)

    def test_leave_nothing_of_one_in_the_next(self) -> None:
        """They are rendered by one parser."""
        texts = ["a[^1]\n\n[^1]: note", "b[^1]", "[x]: https://a.test", "[x]"]

        parts = render_cards(texts, "", lambda href, base: href)

        assert [part.html for part in parts] == [render_markdown(text).html for text in texts]
        assert "note" not in parts[1].html
        assert "href" not in parts[3].html

    def test_are_rendered_after_one_that_took_too_long(self) -> None:
        slow = render_markdown("*a_ " * 20_000, seconds=0.01)

        after = render_markdown("**b**")

        assert "longer than two seconds" in slow.note
        assert after.html == "<p><strong>b</strong></p>\n"
