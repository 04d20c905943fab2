"""Searches that people keep, and their own of late."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from tests.factories import NOON, make_owner, make_person, make_token, make_worker, make_workspace
from yoimemory.access.models import Actor
from yoimemory.asking.models import SavedSearch
from yoimemory.asking.schemas import Asked, SavedSearchChange, SavedSearchDraft
from yoimemory.asking.services import (
    NameTaken,
    NotYours,
    change_search,
    recent_searches,
    remove_search,
    restore_search,
    save_search,
)
from yoimemory.journal.models import Change, Event
from yoimemory.sources.models import Workspace

pytestmark = pytest.mark.django_db


@pytest.fixture
def workspace() -> Workspace:
    return make_workspace()


@pytest.fixture
def rin(workspace: Workspace) -> Actor:
    return make_person(workspace, name="rin")


@pytest.fixture
def mika(workspace: Workspace) -> Actor:
    return make_person(workspace, "member", name="mika")


def save(workspace: Workspace, actor: Actor, name: str = "locks", **kwargs: Any) -> SavedSearch:
    draft = SavedSearchDraft(name=name, asked=Asked(q="lock", kinds=["ticket"]), **kwargs)
    return save_search(draft, workspace=workspace, actor=actor, now=NOON)


def page(actor: Actor) -> Client:
    client = Client()
    assert actor.user is not None
    client.force_login(actor.user)
    return client


class TestSaving:
    def test_is_private_until_it_is_shared(self, workspace: Workspace, rin: Actor, mika: Actor) -> None:
        save(workspace, rin, "mine")
        save(workspace, rin, "ours", shared=True)

        seen = SavedSearch.objects.seen_by(mika, workspace).live()

        assert [saved.name for saved in seen] == ["ours"]

    def test_takes_new_words_under_the_same_name(self, workspace: Workspace, rin: Actor) -> None:
        save(workspace, rin)
        save(workspace, rin, shared=True)

        assert [saved.shared for saved in SavedSearch.objects.live()] == [True]

    def test_is_removed_with_a_way_back(self, workspace: Workspace, rin: Actor) -> None:
        saved = save(workspace, rin)

        remove_search(saved, actor=rin, now=NOON)
        gone = SavedSearch.objects.live().count()
        restore_search(saved, actor=rin, now=NOON)

        assert (gone, SavedSearch.objects.live().count()) == (0, 1)

    def test_refuses_to_remove_what_somebody_else_saved(self, workspace: Workspace, rin: Actor, mika: Actor) -> None:
        with pytest.raises(NotYours, match="rin saved this search"):
            remove_search(save(workspace, rin, shared=True), actor=mika, now=NOON)

    def test_takes_another_name_and_is_shared(self, workspace: Workspace, rin: Actor, mika: Actor) -> None:
        saved = save(workspace, rin)

        change_search(SavedSearchChange(name=" Stale locks ", shared=True), saved, actor=rin, now=NOON)

        [seen] = SavedSearch.objects.seen_by(mika, workspace).live()
        assert (seen.name, seen.asked) == ("Stale locks", {"q": "lock", "kinds": ["ticket"]})
        change = Change.objects.filter(subject=saved.ref).order_by("-pk").first()
        assert change is not None
        assert (change.verb, change.before) == ("search-changed", {"name": "locks", "shared": False})

    def test_refuses_a_name_that_another_of_ones_own_has(self, workspace: Workspace, rin: Actor, mika: Actor) -> None:
        save(workspace, rin, "locks")
        save(workspace, mika, "keys")
        other = save(workspace, rin, "other")

        with pytest.raises(NameTaken, match="“locks” is kept already"):
            change_search(SavedSearchChange(name="locks"), other, actor=rin, now=NOON)
        assert change_search(SavedSearchChange(name="keys"), other, actor=rin, now=NOON).name == "keys"

    def test_refuses_to_rename_what_somebody_else_saved(self, workspace: Workspace, rin: Actor, mika: Actor) -> None:
        with pytest.raises(NotYours):
            change_search(SavedSearchChange(name="x"), save(workspace, rin, shared=True), actor=mika, now=NOON)


class TestRecent:
    def test_are_the_callers_own_each_once_and_bounded(self, workspace: Workspace, rin: Actor, mika: Actor) -> None:
        def searched(actor: Actor, query: str) -> None:
            detail = {"asked": {"q": query}, "total": 3}
            Event.objects.create(workspace=workspace, actor=actor, kind="query", at=NOON, detail=detail)

        for number in range(30):
            searched(rin, f"lock {number}")
        searched(rin, "lock 29")
        searched(mika, "secret of mika")
        Event.objects.create(workspace=workspace, actor=rin, kind="query", at=NOON, detail={"query": "gathered"})

        recent = [search.asked["q"] for search in recent_searches(workspace, actor=rin)]

        assert len(recent) == 20
        assert recent[0] == "lock 29"
        assert len(set(recent)) == 20
        assert "secret of mika" not in recent


class TestPages:
    def test_save_from_the_address_and_list(self, workspace: Workspace, rin: Actor) -> None:
        client = page(rin)

        client.post(reverse("asking:save"), {"name": "Locks", "asked": "q=lock&kinds=ticket&kinds=doc&cursor=x&stay=1"})
        text = client.get(reverse("asking:searches")).content.decode()

        assert SavedSearch.objects.get().asked == {"q": "lock", "kinds": ["ticket", "doc"]}
        assert "?q=lock&amp;kinds=ticket&amp;kinds=doc" in text

    def test_offer_an_undo_after_removing(self, workspace: Workspace, rin: Actor) -> None:
        saved = save(workspace, rin)
        client = page(rin)

        text = client.post(reverse("asking:remove", args=[saved.public_id]), follow=True).content.decode()
        assert "was removed" in text
        client.post(reverse("asking:restore", args=[saved.public_id]))

        assert SavedSearch.objects.live().count() == 1

    def test_rename_and_say_who_sees_it(self, workspace: Workspace, rin: Actor) -> None:
        saved = save(workspace, rin)
        url = reverse("asking:change", args=[saved.public_id])

        shared = page(rin).post(url, {"name": "Stale locks", "shared": "on"}, follow=True).content.decode()
        empty = page(rin).post(url, {"name": " "}, follow=True).content.decode()

        assert "It is called “Stale locks” now; everyone here sees it." in shared
        assert "Name: " in empty
        assert SavedSearch.objects.get().name == "Stale locks"

    def test_offer_members_no_form_for_words(self, workspace: Workspace, mika: Actor, rin: Actor) -> None:
        assert "Add a word" not in page(mika).get(reverse("asking:aliases")).content.decode()
        assert "Add a word" in page(rin).get(reverse("asking:aliases")).content.decode()

    def test_add_a_word_or_say_what_is_wrong(self, workspace: Workspace, rin: Actor) -> None:
        client = page(rin)
        wrong = {"word": "Pod", "meaning": "Worker", "since": "2026-05-01", "until": "2026-05-01"}

        refused = client.post(reverse("asking:add-alias"), wrong)
        taken = client.post(reverse("asking:add-alias"), wrong | {"since": ""}, follow=True)
        twice = client.post(reverse("asking:add-alias"), wrong | {"since": ""})

        assert refused.status_code == 422
        assert "must lie before" in refused.content.decode()
        assert "“Pod” meant “Worker” until 2026-05-01" in taken.content.decode()
        assert twice.status_code == 409


class TestAdmin:
    def test_adds_and_changes_through_the_verbs(self, workspace: Workspace) -> None:
        client = page(make_owner("hare"))
        fields = {"workspace": workspace.pk, "word": "Pod", "meaning": "Worker", "since": "", "until": "", "note": ""}

        added = client.post("/admin/asking/alias/add/", fields)
        alias = workspace.aliases.get()
        client.post(f"/admin/asking/alias/{alias.pk}/change/", fields | {"until": "2026-05-01"})
        alias.refresh_from_db()

        assert added.status_code == 302
        assert str(alias.until) == "2026-05-01"


class TestJson:
    def test_offers_the_same(self, workspace: Workspace) -> None:
        _, secret = make_token(workspace)
        client = Client(headers={"authorization": f"Bearer {secret}"})

        made = client.post(
            "/api/v1/searches", {"name": "n", "asked": {"q": "lock"}}, content_type="application/json"
        ).json()
        listed = client.get("/api/v1/searches").json()
        renamed = client.patch(
            f"/api/v1/searches/{made['id']}", {"name": "locks"}, content_type="application/json"
        ).json()
        removed = client.post(f"/api/v1/searches/{made['id']}/remove").json()
        back = client.post(f"/api/v1/searches/{made['id']}/remove?restore=true").json()

        assert listed["items"][0]["asked"] == {"q": "lock"}
        assert (renamed["name"], renamed["shared"], renamed["asked"]) == ("locks", False, {"q": "lock"})
        assert (removed["removed"], back["removed"]) == (True, False)
        assert client.get("/api/v1/searches/recent").json() == {"items": []}
        assert client.get("/api/v1/aliases").json()["items"] == []

    def test_lets_no_token_change_words(self, workspace: Workspace) -> None:
        _, secret = make_token(workspace)
        client = Client(headers={"authorization": f"Bearer {secret}"})

        answer = client.post("/api/v1/aliases", {"word": "a", "meaning": "b"}, content_type="application/json")

        assert answer.status_code == 403

    def test_shows_a_worker_nothing_private(self, workspace: Workspace, rin: Actor) -> None:
        save(workspace, rin)

        assert not SavedSearch.objects.seen_by(make_worker(workspace), workspace).exists()
