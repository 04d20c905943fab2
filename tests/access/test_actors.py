"""Actors: one of each description, however many requests come first at once."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from django.db import connections

from tests.factories import make_token, make_user, make_workspace
from yoimemory.access.models import Actor, Token
from yoimemory.access.services import TooManyRuns, actor_for_token, actor_for_user

pytestmark = pytest.mark.django_db(transaction=True)

AT_ONCE = 8


class TestAnActor:
    @pytest.mark.parametrize("kind", ["worker", "person"])
    def test_is_made_once_by_many_first_requests(self, kind: str) -> None:
        token, user, gate = make_token(make_workspace())[0], make_user(), Barrier(AT_ONCE)

        def ask(_: int) -> int:
            gate.wait(timeout=20)
            try:
                return (actor_for_token(token, run="first") if kind == "worker" else actor_for_user(user)).pk
            finally:
                connections.close_all()

        with ThreadPoolExecutor(AT_ONCE) as pool:
            found = set(pool.map(ask, range(AT_ONCE)))

        assert len(found) == 1
        assert Actor.objects.count() == 1

    def test_is_the_first_where_two_were_made(self) -> None:
        user = make_user("hare")
        first, _ = (Actor.objects.create(kind=Actor.Kind.PERSON, name="hare", user=user) for _ in range(2))

        assert actor_for_user(user) == first

    def test_is_refused_once_a_token_has_named_too_many_runs(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(Token, "RUNS_MAX", 2)
        token, _ = make_token(make_workspace())
        known = [actor_for_token(token, run=f"run-{number}") for number in range(2)]

        with pytest.raises(TooManyRuns, match="may name no more"):
            actor_for_token(token, run="run-2")

        assert actor_for_token(token, run="run-0") == known[0]
        assert Actor.objects.count() == 2
