"""What the format asks of a skill stands beside its text, on its page and in every other answer."""

from pathlib import Path

import pytest
from django.test import Client

from tests.factories import make_person, make_workspace

pytestmark = pytest.mark.django_db(databases=["default", "index"])


@pytest.fixture
def page(tmp_path: Path) -> Client:
    for name, front in {"good": "name: good\ndescription: Good.", "Bad": "name: Other\nweird: x"}.items():
        folder = tmp_path / ".agents" / "skills" / name
        folder.mkdir(parents=True)
        (folder / "SKILL.md").write_text(f"---\n{front}\n---\n\nBody.\n")
    client, user = Client(), make_person(make_workspace(tmp_path)).user
    assert user is not None
    client.force_login(user)
    return client


class TestTheLintOfASkill:
    def test_is_listed_on_its_page(self, page: Client) -> None:
        bad, good = (page.get("/read/", {"ref": f"skill:{name}"}).text for name in ("Bad", "good"))

        assert 'Lint <span class="n">4</span>' in bad
        assert "It has keys that the format does not know: weird." in bad
        assert "It has no description, so nobody knows when to use it." in bad
        assert "banner" not in bad
        assert "Lint" not in good

    def test_is_among_the_caveats_of_an_answer(self, page: Client) -> None:
        told = page.get("/api/v1/open", {"ref": "skill:Bad"}).json()["caveats"]

        assert "Lint: Its name 'Other' differs from its folder 'Bad'." in told
        assert len(told) == 4
