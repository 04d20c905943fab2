"""Every page says which methods it takes, and no page is a class."""

import inspect
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.urls import URLPattern, URLResolver, get_resolver

OURS = ("yoimemory.", "shoebox.", "evidence.", "hypotheses.")


def _views(patterns: list[URLPattern | URLResolver], prefix: str = "") -> Iterator[tuple[str, Callable[..., Any]]]:
    for pattern in patterns:
        address = prefix + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from _views(pattern.url_patterns, address)
        elif inspect.unwrap(pattern.callback).__module__.startswith(OURS):
            yield address, pattern.callback


FORMS = {
    "yoimemory.access.views.start": "shows a button, so that a preview cannot use the link up",
    "yoimemory.access.views.login_page": "one address shows the form and takes it",
    "yoimemory.products.views.proposing.proposal_propose": "a long form, shown again with what is wrong",
    "yoimemory.products.views.proposing.proposal_revise": "a long form, shown again with what is wrong",
    "yoimemory.products.views.proposing.memory_propose": "a long form, shown again with what is wrong",
    "yoimemory.products.views.exporting.shoebox_export": "GET shows the plan that POST writes",
    "yoimemory.products.views.importing.artifact_import": "GET shows what would be read that POST takes in",
    "yoimemory.products.views.skilling.skill_install": "GET shows the files that POST writes",
    "hypotheses.views.rows.representation_row": "GET shows the row as a form that POST takes",
}
"""Views that show a form at the address that takes it, each with its reason."""

VIEWS = dict(_views(get_resolver().url_patterns))


def _methods(view: Callable[..., Any]) -> set[str] | None:
    """The methods that `require_safe`, `require_POST` or `require_http_methods` let through, or None without one."""
    step: Any = view
    while step is not None:
        closed = inspect.getclosurevars(step).nonlocals if inspect.isfunction(step) else {}
        if "request_method_list" in closed:
            return set(closed["request_method_list"])
        step = getattr(step, "__wrapped__", None)
    return None


@pytest.mark.parametrize("address", sorted(VIEWS))
class TestView:
    def test_says_which_methods_it_takes(self, address: str) -> None:
        view = inspect.unwrap(VIEWS[address])
        methods = _methods(VIEWS[address])

        if f"{view.__module__}.{view.__name__}" in FORMS:
            assert methods == {"GET", "HEAD", "POST"}
        else:
            assert methods in ({"GET", "HEAD"}, {"POST"})

    def test_is_a_function(self, address: str) -> None:
        assert inspect.isfunction(inspect.unwrap(VIEWS[address]))

    def test_is_short(self, address: str) -> None:
        source, _ = inspect.getsourcelines(inspect.unwrap(VIEWS[address]))

        assert len(source) <= 32  # with decorator and docstring

    def test_says_what_it_does(self, address: str) -> None:
        assert inspect.getdoc(inspect.unwrap(VIEWS[address]))


def test_there_are_views() -> None:
    assert len(VIEWS) > 30
