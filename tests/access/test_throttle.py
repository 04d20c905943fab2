"""Who comes too often is told when to come again, and nobody else notices (S34)."""

import pytest
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

from tests.factories import make_token, make_user, make_workspace
from yoimemory import env
from yoimemory.access import throttle
from yoimemory.access.throttle import CALLERS_MAX, Throttle, TooManyRequests, count_call

PASSWORD = "three quiet herons"


class Clock:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


class TestThrottle:
    def test_lets_a_burst_pass_and_then_one_at_a_time(self) -> None:
        clock = Clock()
        bucket = Throttle(rate=2, burst=3, clock=clock)

        at_once = [bucket.spend("a") for _ in range(4)]
        clock.now += 0.5

        assert at_once == [0, 0, 0, 1]
        assert [bucket.spend("a"), bucket.spend("a")] == [0, 1]

    def test_counts_every_caller_apart(self) -> None:
        bucket = Throttle(rate=1, burst=1, clock=Clock())

        assert [bucket.spend("a"), bucket.spend("a"), bucket.spend("b")] == [0, 1, 0]

    def test_lets_all_pass_without_a_rate(self) -> None:
        bucket = Throttle(rate=0, burst=1, clock=Clock())

        assert {bucket.spend("a") for _ in range(1_000)} == {0}

    def test_keeps_no_more_buckets_than_it_may_and_keeps_the_empty_ones(self) -> None:
        bucket = Throttle(rate=0.001, burst=2, clock=Clock())
        for _ in range(2):
            bucket.spend("greedy")

        for caller in range(2 * CALLERS_MAX):
            bucket.spend(caller)

        assert len(bucket._buckets) <= CALLERS_MAX
        assert bucket.spend("greedy") > 0

    @given(st.lists(st.floats(0, 30), max_size=60), st.floats(0.1, 50), st.integers(1, 20))
    def test_never_lets_more_pass_than_burst_and_rate_allow(self, pauses: list[float], rate: float, burst: int) -> None:
        clock = Clock()
        bucket = Throttle(rate=rate, burst=burst, clock=clock)
        begun, passed = clock.now, 0

        for pause in pauses:
            clock.now += pause
            passed += bucket.spend("a") == 0

        assert passed <= burst + rate * (clock.now - begun) + 1e-6

    @given(st.floats(0.1, 50), st.integers(1, 20))
    def test_tells_a_time_after_which_the_next_call_passes(self, rate: float, burst: int) -> None:
        clock = Clock()
        bucket = Throttle(rate=rate, burst=burst, clock=clock)
        for _ in range(burst):
            bucket.spend("a")

        clock.now += bucket.spend("a")

        assert bucket.spend("a") == 0


class TestCallsOfAToken:
    @pytest.mark.django_db
    def test_are_refused_with_the_time_to_wait_while_another_token_goes_on(
        self, client: Client, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(throttle, "calls", Throttle(rate=0.5, burst=2, clock=Clock()))
        workspace = make_workspace()
        busy, calm = (make_token(workspace, name=name)[1] for name in ("busy", "calm"))

        answers = [client.get("/api/v1/markers", headers={"Authorization": f"Bearer {busy}"}) for _ in range(3)]

        assert [answer.status_code for answer in answers] == [200, 200, 429]
        assert answers[2]["Retry-After"] == "2"
        assert answers[2].json()["code"] == "too_many_requests"
        assert "Try again in 2 s" in answers[2].json()["hint"]
        assert client.get("/api/v1/markers", headers={"Authorization": f"Bearer {calm}"}).status_code == 200

    def test_are_counted_by_the_number_of_the_setting(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("YOIMEMORY_CALLS_A_MINUTE", "90")
        assert env.calls_a_minute() == 90

        monkeypatch.setattr(throttle, "calls", Throttle(rate=1, burst=1, clock=Clock()))
        count_call(1)
        with pytest.raises(TooManyRequests, match="times a minute"):
            count_call(1)

    @pytest.mark.parametrize("text", ["", "-1", "many", "1.5", "9" * 9])
    def test_are_not_counted_by_nonsense(self, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
        monkeypatch.setenv("YOIMEMORY_CALLS_A_MINUTE", text)

        with pytest.raises(SystemExit, match="YOIMEMORY_CALLS_A_MINUTE"):
            env.calls_a_minute()


@pytest.mark.django_db
class TestPasswords:
    @pytest.fixture(autouse=True)
    def member(self) -> None:
        user = make_user("aoi")
        user.set_password(PASSWORD)
        user.save()

    def test_are_not_looked_at_after_ten_wrong_ones(self, client: Client) -> None:
        wrong = [client.post("/login/", {"username": "aoi", "password": f"guess {number}"}) for number in range(20)]

        right = client.post("/login/", {"username": "AOI", "password": PASSWORD})

        assert [answer.status_code for answer in wrong] == [422] * 10 + [429] * 10
        assert right.status_code == 429
        assert int(right["Retry-After"]) <= 30
        assert "Too many passwords were tried for this name." in right.content.decode()
        assert "_auth_user_id" not in client.session

    def test_of_another_name_are_looked_at(self, client: Client) -> None:
        for number in range(11):
            client.post("/login/", {"username": "ren", "password": f"guess {number}"})

        assert client.post("/login/", {"username": "aoi", "password": PASSWORD}).status_code == 302

    def test_that_are_right_begin_the_count_anew(self, client: Client) -> None:
        for _ in range(2):
            for number in range(6):
                client.post("/login/", {"username": "aoi", "password": f"guess {number}"})

            assert client.post("/login/", {"username": "aoi", "password": PASSWORD}).status_code == 302
