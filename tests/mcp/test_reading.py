"""The tools that read, through the SDK's own client."""

from collections.abc import Callable

import pytest

from tests.factories import make_hypothesis, make_item, make_shoebox, make_workspace
from tests.mcp.conftest import MODES, Worker

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("mode", MODES)
class TestShowShoebox:
    def test_ends_with_the_shoeboxs_own_ref(self, worker_of: Callable[..., Worker], mode: str) -> None:
        shoebox = make_shoebox(make_workspace())
        make_item(shoebox)
        make_hypothesis(shoebox)

        text = worker_of(shoebox.workspace, mode=mode).text("show_shoebox", shoebox=str(shoebox.ref))

        assert text.endswith(str(shoebox.ref))

    def test_names_what_is_shown_for_programs(self, worker_of: Callable[..., Worker], mode: str) -> None:
        shoebox = make_shoebox(make_workspace())
        item = make_item(shoebox)

        result = worker_of(shoebox.workspace, mode=mode).call("show_shoebox", shoebox=shoebox.public_id)

        assert result.structured_content["items"] == [item.ref]

    def test_of_another_workspace_is_not_there(self, worker_of: Callable[..., Worker], mode: str) -> None:
        theirs = make_shoebox(make_workspace())

        told = worker_of(make_workspace(), mode=mode).refused("show_shoebox", shoebox=str(theirs.ref))

        assert told["code"] == "not_found"


class TestArguments:
    def test_of_an_unknown_name_are_refused_by_it(self, worker_of: Callable[..., Worker]) -> None:
        told = worker_of(make_workspace()).refused("search_sources", q="clock")

        assert told["fields"] == {"q": "unknown"}
        assert "Did you mean 'query'" in told["hint"]

    def test_out_of_bounds_are_refused_with_the_bound(self, worker_of: Callable[..., Worker]) -> None:
        told = worker_of(make_workspace()).refused("search_sources", query="clock", limit=1_000)

        assert "50" in told["fields"]["limit"]
