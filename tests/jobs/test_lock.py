"""Locks on a file: one alone, or many together that keep out who wants it alone."""

from pathlib import Path

import pytest

from yoimemory.jobs import lock
from yoimemory.jobs.lock import held, is_free


class TestHeld:
    def test_is_had_by_one_alone(self, tmp_path: Path) -> None:
        with held(tmp_path / "a") as first, held(tmp_path / "a") as second:
            assert (first, second) == (True, False)

        assert is_free(tmp_path / "a")

    def test_is_had_by_many_together_who_keep_out_the_one(self, tmp_path: Path) -> None:
        place = tmp_path / "a"

        with held(place, together=True) as first, held(place, together=True) as second, held(place) as alone:
            assert (first, second, alone) == (True, True, False)

    def test_keeps_out_the_many_while_one_has_it(self, tmp_path: Path) -> None:
        with held(tmp_path / "a") as alone, held(tmp_path / "a", together=True) as other:
            assert (alone, other) == (True, False)

    def test_stands_in_nobodys_way_where_it_cannot_be_shared(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(lock, "fcntl", None)

        with held(tmp_path / "a", together=True) as first, held(tmp_path / "a", together=True) as second:
            assert (first, second) == (True, True)
