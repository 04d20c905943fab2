"""How modules, functions and models are shaped."""

import ast
import re

from tests.architecture.walk import ROOT, Module, modules, named

REFUSED_NAMES = {"utils", "helpers", "common", "core", "base", "manager", "misc", "extras"}
LINES_MAX = 400
FUNCTION_MAX = 50


def test_no_module_is_named_for_nothing() -> None:
    refused = [m.name for m in modules() if m.path.stem in REFUSED_NAMES or m.path.parent.name in REFUSED_NAMES]

    assert refused == []


def test_the_top_level_holds_the_named_packages_only() -> None:
    packages = {path.parent.name for path in ROOT.glob("*/__init__.py")}

    assert packages == {"yoimemory", "shoebox", "evidence", "hypotheses", "templates", "tests"}


def test_every_module_says_what_it_is() -> None:
    silent = [
        m.name for m in modules() if m.text.strip() and not ast.get_docstring(m.tree) and m.path.name != "apps.py"
    ]

    assert silent == []


def test_no_file_is_too_long() -> None:
    long = {m.name: m.text.count("\n") for m in modules() if m.text.count("\n") > LINES_MAX}

    assert long == {}


def _length(function: ast.FunctionDef) -> int:
    """Lines of a function without its docstring: saying what it does must not make it too long."""
    first = function.body[0]
    told = (first.end_lineno or first.lineno) - first.lineno + 1 if ast.get_docstring(function) else 0
    return (function.end_lineno or function.lineno) - function.lineno + 1 - told


def test_no_function_is_too_long() -> None:
    long = [f"{m.name}:{f.lineno} {f.name}" for m in modules() for f in m.functions() if _length(f) > FUNCTION_MAX]

    assert long == []


def test_nothing_is_left_for_later() -> None:
    word = re.compile(r"""(?:#|\"{3}).*\b(TODO|FIXME|XXX|HACK)\b""")

    assert [f"{m.name}: {found[1]}" for m in modules() if (found := word.search(m.text))] == []


def test_no_hidden_control_flow() -> None:
    found = []
    for module in modules():
        for node in ast.walk(module.tree):
            if isinstance(node, ast.FunctionDef):
                found += [f"{module.name}: @receiver" for d in node.decorator_list if named(d).endswith("receiver")]
            if isinstance(node, ast.Call) and named(node.func).endswith((".as_view", "_save.connect")):
                found.append(f"{module.name}: {named(node.func)}")

    assert found == []


def test_no_verb_catches_everything() -> None:
    found = []
    for module in modules():
        for node in ast.walk(module.tree):
            if isinstance(node, ast.ExceptHandler) and (
                node.type is None or named(node.type) in {"Exception", "BaseException"}
            ):
                reraises = any(isinstance(inner, ast.Raise) for inner in ast.walk(node))
                reason = "#" in "".join(module.text.splitlines()[node.lineno - 1 : node.lineno + 1])
                if not reraises and not reason:
                    found.append(f"{module.name}:{node.lineno}")

    assert found == [], "A bug must look like a bug; a last line of defence says why on its line."


def test_models_keep_to_plain_tables() -> None:
    found = []
    for module in modules():
        if module.path.name != "models.py" and module.path.parent.name != "models":
            continue
        for cls in module.classes():
            if cls.name == "Meta":
                names = {named(t) for s in cls.body if isinstance(s, ast.Assign) for t in s.targets}
                found += [f"{module.name}: Meta.ordering"] if "ordering" in names else []
            for node in cls.body:
                if isinstance(node, ast.FunctionDef) and node.name in {"save", "delete", "clean"}:
                    found.append(f"{module.name}: {cls.name}.{node.name}")
        found += [f"{module.name}: GenericForeignKey"] if "GenericForeignKey" in module.text else []

    assert found == []


def _is_of_the_verbs(module: Module) -> bool:
    return module.path.name == "services.py" or module.path.parent.name == "services"


def test_verbs_say_what_they_do() -> None:
    silent = [
        f"{module.name}: {node.name}"
        for module in modules()
        if _is_of_the_verbs(module)
        for node in module.tree.body
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")
        if "now" in {argument.arg for argument in node.args.kwonlyargs} and not ast.get_docstring(node)
    ]

    assert silent == []


def test_verbs_are_given_the_time() -> None:
    asking = [
        f"{module.name}:{node.lineno}"
        for module in modules()
        if _is_of_the_verbs(module)
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Call) and named(node.func) in {"timezone.now", "datetime.now", "datetime.utcnow"}
    ]

    assert asking == []
