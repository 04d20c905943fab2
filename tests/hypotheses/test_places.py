"""When quoted passages were written: as their source says, as their lines are old, else as their source is."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from evidence.models import Evidence
from hypotheses import places
from hypotheses.places import dates_of
from shoebox.models import Shoebox
from tests.factories import NOON, make_evidence, make_item, make_shoebox
from tests.sources.repository import Repo
from yoimemory.sources.services import register_workspace

pytestmark = pytest.mark.django_db

STARTED = 1_780_000_000


def minute(number: int) -> datetime:
    """When the commit with this number was made."""
    return datetime.fromtimestamp(STARTED + 60 * number, tz=UTC)


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return Repo(tmp_path / "work")


def shoebox_of(repo: Repo) -> Shoebox:
    return make_shoebox(register_workspace(repo.root, now=NOON)[0])


def quote_of(shoebox: Shoebox, commit: str, first: int, last: int = 0, path: str = "guide.md") -> Evidence:
    return make_evidence(
        shoebox, place=f"doc:{path}", revision=commit, start_line=first, end_line=last or first, quote=f"Lines {first}"
    )


class TestDatesOf:
    def test_dates_a_line_by_the_commit_that_left_it_so_and_not_by_the_last_change_of_its_file(
        self, repo: Repo
    ) -> None:
        repo.commit("Write it", guide_dot_md="The old rule.\nA title.\n")
        repo.commit("Go on")
        commit = repo.commit("Change the title", guide_dot_md="The old rule.\nA new title.\n")
        shoebox = shoebox_of(repo)
        old, new = quote_of(shoebox, commit, 1), quote_of(shoebox, commit, 2)
        make_item(shoebox, f"doc:guide.md@{commit}", at=minute(3))

        assert dates_of(shoebox, [old, new]) == {old.pk: minute(1), new.pk: minute(3)}

    def test_dates_a_quote_of_several_lines_by_its_youngest(self, repo: Repo) -> None:
        repo.commit("Write it", guide_dot_md="One.\nTwo.\nThree.\n")
        commit = repo.commit("Change one", guide_dot_md="One.\nTwo, reworded.\nThree.\n")
        shoebox = shoebox_of(repo)
        both, last = quote_of(shoebox, commit, 1, 2), quote_of(shoebox, commit, 3)

        assert dates_of(shoebox, [both, last]) == {both.pk: minute(2), last.pk: minute(1)}

    def test_follows_a_line_through_a_renamed_file(self, repo: Repo) -> None:
        repo.commit("Write it", old_dot_md="The old rule stands here.\nIt is long enough to be followed.\n")
        repo.git("mv", "old.md", "guide.md")
        commit = repo.commit("Move it")
        shoebox = shoebox_of(repo)
        quote = quote_of(shoebox, commit, 1)

        assert dates_of(shoebox, [quote]) == {quote.pk: minute(1)}

    def test_believes_what_the_source_itself_says(self, repo: Repo) -> None:
        commit = repo.commit("Write it", guide_dot_md="The old rule.\n")
        shoebox = shoebox_of(repo)
        quote = make_evidence(shoebox, place="doc:guide.md", revision=commit, said_at=NOON)

        assert dates_of(shoebox, [quote]) == {quote.pk: NOON}

    @pytest.mark.parametrize("path", ["guide.md", "gone.md"])
    def test_falls_back_to_the_date_of_the_source_where_git_cannot_tell(self, repo: Repo, path: str) -> None:
        repo.commit("Write it", guide_dot_md="The old rule.\n")
        shoebox = shoebox_of(repo)
        quote = quote_of(shoebox, "a" * 40, 1, path=path)
        make_item(shoebox, f"doc:{path}@{'a' * 40}", at=NOON)

        assert dates_of(shoebox, [quote]) == {quote.pk: NOON}

    def test_gives_no_date_to_a_line_that_nobody_committed(self, repo: Repo) -> None:
        commit = repo.commit("Write it", guide_dot_md="The old rule.\n")
        shoebox = shoebox_of(repo)
        quote = make_evidence(shoebox, place="doc:guide.md", revision=commit, uncommitted=True)

        assert dates_of(shoebox, [quote]) == {}

    def test_asks_git_once_for_each_file_and_for_no_more_files_than_its_limit(
        self, repo: Repo, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        commit = repo.commit("Write it", a_dot_md="One.\nTwo.\n", b_dot_md="Three.\n")
        shoebox = shoebox_of(repo)
        quotes = [quote_of(shoebox, commit, line, path="a.md") for line in (1, 2)]
        beyond = quote_of(shoebox, commit, 1, path="b.md")
        monkeypatch.setattr(places, "FILES_DATED_MAX", 1)

        assert dates_of(shoebox, [*quotes, beyond]) == {quote.pk: minute(1) for quote in quotes}
