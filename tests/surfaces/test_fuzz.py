"""Schemathesis asks every operation of the published schema for what nobody would ask (S33).

Each operation is asked with a token of either scope and without one, with what fits its schema and what does not.
Whatever comes, the answer is no failure of ours, and has a status and a shape that the schema tells.
The seed is fixed; what it finds stays found.
"""

from collections.abc import Iterator

import pytest
import schemathesis
from django.core.signals import request_finished, request_started
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections
from hypothesis import HealthCheck, Phase, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tests.factories import NOON, make_evidence, make_hypothesis, make_item, make_relation, make_shoebox, make_token
from yoimemory.access import throttle
from yoimemory.access.throttle import Throttle
from yoimemory.sources.models import Workspace

pytestmark = pytest.mark.django_db

EXAMPLES, MANY = 1, 40
CHECKS = [
    not_a_server_error, status_code_conformance, content_type_conformance, response_headers_conformance,
    response_schema_conformance,
]  # fmt: skip

schema = schemathesis.openapi.from_wsgi("/api/v1/openapi.json", get_wsgi_application())


@pytest.fixture(autouse=True)
def _one_connection() -> Iterator[None]:
    """Keep the connection of the test's transaction open from one request to the next, as Django's own client does."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


@pytest.fixture
def secrets(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """A token of each scope for a workspace that holds one of everything."""
    monkeypatch.setattr(throttle, "calls", Throttle(rate=0, burst=1))
    shoebox = make_shoebox(as_of=NOON)
    make_item(shoebox)
    make_relation(make_evidence(shoebox), make_hypothesis(shoebox).ref)
    workspace: Workspace = shoebox.workspace
    return {scope: make_token(workspace, scope)[1] for scope in ("read", "propose")}


def asked(examples: int) -> settings:
    """So many times, the same ones each time."""
    return settings(
        max_examples=examples, deadline=None, derandomize=True, database=None,
        phases=[Phase.explicit, Phase.generate], suppress_health_check=list(HealthCheck),
    )  # fmt: skip


def answer(case: schemathesis.Case, secrets: dict[str, str]) -> None:
    given = [{"Authorization": f"Bearer {secret}"} for secret in secrets.values()]
    for headers in [*given, {}]:
        case.call_and_validate(headers={**headers, "Accept-Encoding": "identity"}, checks=CHECKS)


@schema.parametrize()
@asked(EXAMPLES)
def test_every_operation_answers_whatever_it_is_asked(case: schemathesis.Case, secrets: dict[str, str]) -> None:
    answer(case, secrets)


@pytest.mark.slow
@schema.parametrize()
@asked(MANY)
def test_every_operation_answers_however_often_it_is_asked(case: schemathesis.Case, secrets: dict[str, str]) -> None:
    answer(case, secrets)
