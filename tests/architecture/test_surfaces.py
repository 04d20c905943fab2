"""One verb, one name: which surface offers which operation."""

import argparse
import inspect
from dataclasses import dataclass
from functools import cache

import pytest

from yoimemory.api import PEOPLE_ONLY, api
from yoimemory.cli import parser
from yoimemory.mcp.catalog import TOOLS

NO_COMMAND = {
    "represent": "made in the workbench or over JSON",
}
"""Commands of the design that do not exist yet, each with its reason."""


TOOL_OF = {
    "search_sources": "search_sources", "open_source": "open_source", "list_records": "list_records",
    "create_shoebox": "create_shoebox", "add_items": "create_shoebox", "show_shoebox": "show_shoebox",
    "extract_evidence": "extract_evidence", "show_evidence": "show_evidence",
    "create_representation": "create_representation", "propose_hypothesis": "propose_hypothesis",
    "propose_candidate": "propose_candidate", "record_impact": "record_impact", "mark_staleness": "mark_staleness",
}  # fmt: skip
"""Operations that the table gives to MCP, each with its tool: its own name, but for adding to a shoebox."""


LISTED = (
    "shoeboxes", "evidence", "representations", "hypotheses", "proposals", "markers", "memory", "artifacts", "events",
)  # fmt: skip
"""Nouns whose records are listed, each by a call of its own."""


@dataclass(frozen=True)
class Offer:
    """What the table says of one operation: its calls in JSON, its commands, the scope a Worker needs."""

    json: tuple[tuple[str, str], ...]
    commands: tuple[str, ...] = ()
    scope: str = ""


TABLE: dict[str, Offer] = {
    "search_sources": Offer((("GET", "/search"), ("POST", "/search")), ("search",), "read"),
    "open_source": Offer((("GET", "/open"),), ("open",), "read"),
    "list_records": Offer(
        tuple(("GET", f"/{noun}") for noun in LISTED),
        ("shoebox list", "evidence list"),
        "read",
    ),
    "create_shoebox": Offer((("POST", "/shoeboxes"),), ("shoebox new",), "propose"),
    "add_items": Offer((("POST", "/shoeboxes/{id}/items"),), ("shoebox add",), "propose"),
    "show_shoebox": Offer((("GET", "/shoeboxes/{id}"),), ("shoebox show",), "read"),
    "extract_evidence": Offer((("POST", "/evidence"),), ("evidence add",), "propose"),
    "show_evidence": Offer((("GET", "/evidence/{id}"),), ("evidence show",), "read"),
    "create_representation": Offer(
        (("POST", "/representations"), ("GET", "/representations/{id}")), ("represent new",), "propose"
    ),
    "propose_hypothesis": Offer((("POST", "/hypotheses"), ("GET", "/hypotheses/{id}")), (), "propose"),
    "propose_candidate": Offer((("POST", "/proposals"), ("GET", "/proposals/{id}")), ("propose",), "propose"),
    "mark_staleness": Offer((("POST", "/markers"), ("GET", "/markers/{id}")), ("mark",), "propose"),
    "screen_items": Offer((("PATCH", "/shoeboxes/{id}/items/{item_id}"),), (), "propose"),
    "change_shoebox_state": Offer((("PATCH", "/shoeboxes/{id}"),), (), "propose"),
    "export_artifact": Offer((("GET", "/shoeboxes/{id}/artifact"),), ("shoebox export",), "read"),
    "record_impact": Offer(
        (("POST", "/impact"), ("GET", "/impact")), ("impact record", "impact show", "impact list"), "propose"
    ),
    "rate_evidence": Offer((("POST", "/hypotheses/ratings"),), (), "propose"),
    "import_artifact": Offer((("POST", "/artifacts"),), ("shoebox import",), "propose"),
    "capture_message": Offer((("POST", "/messages"), ("GET", "/messages/{id}")), ("sources message",), "propose"),
    "record_workspace_record": Offer((("POST", "/records"), ("GET", "/records/{id}")), ("sources record",), "propose"),
    "add_source": Offer((("POST", "/sources"),), ("sources add",)),
    "remove_source": Offer((("DELETE", "/sources"),), ("sources remove",)),
    "index_workspace": Offer((("POST", "/index"),), ("index",)),
    "index_status": Offer((("GET", "/index"),), ("status",), "read"),
    "diagnose": Offer((("GET", "/diagnostics"),), ("doctor",), "read"),
    "review_evidence": Offer((("POST", "/evidence/{id}/review"),)),
    "decide_hypothesis": Offer((("POST", "/hypotheses/{id}/decision"), ("DELETE", "/hypotheses/{id}/decision"))),
    "settle_decision": Offer((("POST", "/hypotheses/{id}/settlement"),)),
    "review_proposal": Offer((("POST", "/proposals/{id}/review"),)),
    "apply_proposal": Offer((("POST", "/proposals/{id}/apply"),)),
    "revert_proposal": Offer((("POST", "/proposals/{id}/revert"),)),
    "resolve_marker": Offer((("POST", "/markers/{id}/resolve"),)),
    "set_reliability": Offer((("POST", "/reliability"),)),
    "reattach_anchor": Offer((("POST", "/evidence/{id}/placements"),)),
}


@cache
def _calls() -> dict[tuple[str, str], str]:
    """Every call of the JSON layer, with its operation id."""
    paths = api.get_openapi_schema(path_prefix="")["paths"]
    return {
        (method.upper(), path.replace("/api/v1", "")): operation["operationId"]
        for path, methods in paths.items()
        for method, operation in methods.items()
    }


@cache
def _commands() -> set[str]:
    def walk(made: argparse.ArgumentParser, prefix: str) -> set[str]:
        groups = [action for action in made._actions if isinstance(action, argparse._SubParsersAction)]
        if not groups:
            return {prefix}
        return {
            name
            for group in groups
            for word, sub in group.choices.items()
            for name in walk(sub, f"{prefix} {word}".strip())
        }

    return walk(parser(), "")


@pytest.mark.parametrize("operation", sorted(TABLE))
class TestOperation:
    def test_is_offered_over_json(self, operation: str) -> None:
        missing = [call for call in TABLE[operation].json if call not in _calls()]

        assert missing == []

    def test_is_offered_as_a_command(self, operation: str) -> None:
        assert set(TABLE[operation].commands) - _commands() == set()

    def test_is_offered_as_a_tool_where_the_table_says_so(self, operation: str) -> None:
        tool = TOOLS.get(TOOL_OF.get(operation, ""))

        assert (tool is not None) is (operation in TOOL_OF)
        assert tool is None or tool.scope == TABLE[operation].scope

    def test_is_kept_from_tokens_where_only_people_may(self, operation: str) -> None:
        offer = TABLE[operation]
        ids = {_calls()[call] for call in offer.json if call in _calls()}

        assert bool(ids & PEOPLE_ONLY) is (offer.scope == "")


def test_a_call_carries_the_name_of_the_verb() -> None:
    other = {
        "list_records": "one call for each noun",
        "screen_items": "JSON screens one item at a time",
    }
    nameless = [
        name
        for name, offer in TABLE.items()
        if name not in other and name not in {_calls().get(call) for call in offer.json}
    ]

    assert nameless == []


def test_a_view_of_the_json_layer_is_called_as_its_operation() -> None:
    by_two_addresses = {"search_sources", "search_sources_by_body"}
    called_otherwise = [
        f"{operation.view_func.__name__}: {operation.operation_id}"
        for router in [api.default_router, *(router for _, router in api._routers)]
        for view in router.path_operations.values()
        for operation in view.operations
        if operation.view_func.__name__ != operation.operation_id and operation.operation_id not in by_two_addresses
    ]

    assert called_otherwise == []


def test_no_tool_is_offered_beside_the_table() -> None:
    assert set(TOOLS) == set(TOOL_OF.values())


def test_a_command_that_is_not_there_yet_is_nowhere() -> None:
    assert set(NO_COMMAND) & _commands() == set()


def test_every_people_only_operation_exists() -> None:
    assert PEOPLE_ONLY - set(_calls().values()) == set()


def test_every_answer_that_something_was_created_names_its_address() -> None:
    silent = [
        operation.operation_id
        for router in [api.default_router, *(router for _, router in api._routers)]
        for view in router.path_operations.values()
        for operation in view.operations
        if 201 in operation.response_models and '["Location"]' not in inspect.getsource(operation.view_func)
    ]

    assert silent == []
