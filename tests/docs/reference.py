"""The generator of the reference tables, loaded from where it lives beside the documents."""

import importlib.util
from types import ModuleType

from tests.architecture.walk import ROOT

DOCS = ROOT / "docs"


def load(name: str) -> ModuleType:
    """A script of `docs/` as a module."""
    spec = importlib.util.spec_from_file_location(f"docs_{name}", DOCS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
