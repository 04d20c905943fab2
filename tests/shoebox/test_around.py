"""Gathering goes round a ticket that the question names: what led to it, what came after it."""

from pathlib import Path

import pytest

from shoebox.models import Shoebox
from shoebox.schemas import ShoeboxDraft
from shoebox.services import create_shoebox
from tests.factories import NOON, make_person
from tests.shoebox.folder import event, item
from yoimemory.search.services import index_workspace
from yoimemory.sources.services import register_workspace

pytestmark = pytest.mark.django_db

FIRST, SECOND, NAMED, LATER, OTHER = (
    "00001KSKBPXFG", "00001KSTXNF6G", "00001KSVB1FFR", "00001KWZ5KERY", "00001KVHR3WSD"
)  # fmt: skip


def ticket(title: str, body: str, day: str) -> str:
    text = item(title, body, state="closed", updated=f"{day}T12:00:00Z")
    return text.replace("2026-07-15T19:00:00Z", f"{day}T09:00:00Z")


@pytest.fixture
def box(tmp_path: Path) -> Shoebox:
    """A ticket named by the question follows one by its former name, which follows another by a folder's name."""
    tickets = {
        FIRST: ticket("Nix entrypoints", "Portable manifests.", "2026-05-27"),
        SECOND: ticket("Semantic Nix", "See `work-items/closed/20260527-000022-manifest-profiles`.", "2026-05-29"),
        NAMED: ticket("Lua authoring", "The `semantic-nix-profiles` direction is paused.", "2026-05-30"),
        LATER: ticket("Decodal archives", "Lua authoring leaves the usual path of profiles.", "2026-07-07"),
        OTHER: ticket("Colours", "The panel is green.", "2026-06-15"),
    }
    for name, text in tickets.items():
        folder = tmp_path / ".yoi" / "tickets" / name
        folder.mkdir(parents=True)
        (folder / "item.md").write_text(text, encoding="utf-8")
    for name, slug in ((FIRST, "manifest-profiles"), (SECOND, "semantic-nix-profiles")):
        folder = tmp_path / ".yoi" / "tickets" / name
        (folder / "resolution.md").write_text(f"---\nslug: {slug}\n---\n\nClosed.\n", encoding="utf-8")
    (tmp_path / ".yoi" / "tickets" / SECOND / "thread.md").write_text(
        event("decision", "2026-05-30T01:39:47Z", "Paused."), encoding="utf-8"
    )
    workspace, _ = register_workspace(tmp_path, now=NOON)
    index_workspace(workspace, now=NOON)
    draft = ShoeboxDraft(question=f"Which authoring does {NAMED} leave binding today?")
    return create_shoebox(draft, workspace=workspace, actor=make_person(workspace), now=NOON)


def why(box: Shoebox, ref: str) -> str:
    return next((row.rationale for row in box.items.all() if row.document == ref), "")


class TestAroundNamed:
    def test_follows_a_name_that_a_ticket_had_before(self, box: Shoebox) -> None:
        assert why(box, f"ticket:{SECOND}").startswith(f"Followed by {NAMED}, which names it as semantic-nix-profiles")
        assert "decision" in why(box, f"ticket:{SECOND}/thread")

    def test_follows_it_once_more(self, box: Shoebox) -> None:
        assert why(box, f"ticket:{FIRST}").startswith(f"Followed by {SECOND}, which names it as manifest-profiles")

    def test_brings_in_later_work_that_is_much_like_it(self, box: Shoebox) -> None:
        assert why(box, f"ticket:{LATER}").startswith(f"Later than {NAMED} and much like it: Decodal archives")

    def test_says_that_it_looked_for_later_work(self, box: Shoebox) -> None:
        assert f"later work on what ticket:{NAMED} is about" in [query["text"] for query in box.sought["queries"]]
