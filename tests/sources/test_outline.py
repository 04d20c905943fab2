"""Definitions by name, with what is nested in them, in the usual languages."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.sources.conftest import read_all
from tests.sources.repository import Repo
from yoimemory.refs import SourceRef
from yoimemory.sources.models import Workspace
from yoimemory.sources.outline import LEXED_MAX, symbol_lines, symbols_of
from yoimemory.sources.read import fragment_lines, read_document

Register = Callable[[Path], Workspace]

TEXTS = {
    "a.py": '@dec\nclass Store:\n    def put(self):\n        return """\nclass No: pass\n"""\n\n'
    "async def top(): pass\n",
    "a.rs": "/// a { brace\npub struct Store<T> {\n  a: S, // }\n}\n\nimpl<T> Read for Store<T> {\n"
    '    pub async fn put(&self) {\n        let s = "}{";\n    }\n}\npub const X: i32 = 3;\nfn top() { }\n',
    "a.ts": "export class Store<T> extends Base {\n  constructor(private x: string) {\n    super();\n  }\n"
    "  async put(key: string): Promise<void> {\n    if (a) { b }\n    for (const x of y) { z }\n  }\n}\n"
    "export function top(a) {\n  return `}` }\n",
    "a.js": "class Store {\n  put(a) {\n    return { a }\n  }\n}\nfunction top() {\n}\n",
    "a.go": "package main\n\ntype Store struct {\n\ta int\n}\n\nfunc (s *Store) put(k string) error {\n"
    "\treturn nil\n}\n\nfunc top() {\n}\n",
    "A.java": "package x;\npublic class Store {\n    @Override\n    public String put(String k) throws E {\n"
    '        if (x) { return "}"; }\n    }\n}\nclass top { }\n',
    "a.cpp": "class Store {\n public:\n  void put(int x) {\n    y();\n  }\n};\nstruct top {\n};\n",
    "a.rb": "class Store < Base\n  def put(x)\n    if x\n      y\n    end\n  end\nend\ndef top; end\n",
}
SPANS = {
    "a.py": [("Store", 1, 6), ("Store.put", 3, 6), ("top", 8, 8)],
    "a.rs": [("Store", 2, 4), ("Store", 6, 10), ("Store.put", 7, 9), ("top", 12, 12)],
    "a.ts": [("Store", 1, 9), ("Store.constructor", 2, 4), ("Store.put", 5, 8), ("top", 10, 11)],
    "a.js": [("Store", 1, 5), ("Store.put", 2, 4), ("top", 6, 7)],
    "a.go": [("Store", 3, 5), ("Store.put", 7, 9), ("top", 11, 12)],
    "A.java": [("Store", 2, 7), ("Store.put", 4, 6), ("top", 8, 8)],
    "a.cpp": [("Store", 1, 6), ("Store.put", 3, 5), ("top", 7, 8)],
    "a.rb": [("Store", 1, 7), ("Store.put", 2, 6), ("top", 8, 8)],
}


class TestDefinitions:
    @pytest.mark.parametrize("path", TEXTS)
    def test_are_told_with_what_they_lie_in(self, path: str) -> None:
        found = [(symbol.name, symbol.first, symbol.last) for symbol in symbols_of(path, TEXTS[path])]

        assert found == SPANS[path]

    def test_of_a_shell_script_are_its_functions(self) -> None:
        text = '#!/bin/sh\ngo() {\n  echo "}"\n}\nfunction stop {\n  :\n}\n'

        assert [(each.name, each.first, each.last) for each in symbols_of("x.sh", text)] == [
            ("go", 2, 4),
            ("stop", 5, 7),
        ]

    @pytest.mark.parametrize("name", ["put", "Store.put", "Store::put", "Store#put"])
    @pytest.mark.parametrize("path", ["a.rs", "a.rb", "a.py"])
    def test_are_found_by_their_whole_name_or_its_end(self, path: str, name: str) -> None:
        assert symbol_lines(path, TEXTS[path], name) == next(each[1:] for each in SPANS[path] if each[0] == "Store.put")

    @pytest.mark.parametrize(
        ("path", "text"),
        [
            ("a.py", "def broken(:\n"), ("a.py", "(" * 5_000), ("a.py", "x = '\\d'\ndef f(): pass\n"), ("a.py", "\0"),
            ("a.rs", "{" * 50_000), ("a.rs", "}" * 50_000), ("a.ts", "class A {" * 3_000), ("a.rb", "end\n" * 5_000),
            ("a.js", "fn(" * 20_000), ("a.unknown", "class A {}\n"), ("a.go", "func (" * 5_000 + "\n"),
            ("a.rs", "fn x() {}\n" * (LEXED_MAX // 9)),
        ],
    )  # fmt: skip
    def test_of_odd_texts_end_and_raise_nothing(self, path: str, text: str) -> None:
        assert len(symbols_of(path, text)) <= 200_000


@pytest.mark.django_db
class TestACodeRef:
    def test_may_name_a_method_of_a_type(self, repo: Repo, register: Register) -> None:
        repo.write("src/a.rs", TEXTS["a.rs"])
        workspace = register(repo.root)

        found = read_document(workspace, SourceRef.parse("code:src/a.rs#symbol=Store.put"))

        assert fragment_lines(found, "symbol=Store.put") == (7, 9)
        assert fragment_lines(found, "symbol=nothing") is None

    def test_of_python_has_passages_by_its_own_parser(self, repo: Repo, register: Register) -> None:
        body = "".join(f"    x{n} = {n}\n" for n in range(70))
        text = f'# About one.\ndef one():\n{body}    return """\nclass No:\n"""\n\n\ndef two():\n{body}'
        repo.write("a.py", text)

        passages = read_all(register(repo.root))[0]["code:a.py"].passages

        assert [(passage.heading, passage.start_line) for passage in passages] == [("one", 1), ("two", 78)]
