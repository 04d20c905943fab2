"""Programs in the usual languages are cut where their definitions begin."""

import pytest

from yoimemory.sources.blocks import LINES_MAX, code_passages
from yoimemory.sources.definitions import definitions_in

JAVA = "".join(f"    @Override\n    public String put{n}(String k) {{\n        go();\n    }}\n\n" for n in range(30))
RUBY = "".join(f"  def put{n}(x)\n    y\n  end\n\n" for n in range(30))
TEXTS = {
    "a.c": (
        "#include <x.h>\n\n/* Doc */\nstatic int\nparse(char *p,\n      int n)\n{\n}\n\nint decl(int);\n"
        "void *run(void) {\n}\nstruct a {\n};\nint x = f(1);\nif (x) {\n",
        [(3, "parse"), (11, "run"), (13, "a")],
    ),
    "a.cpp": ("template <class T>\nfoo::Bar::baz(int x) const {\n}\n", [(1, "baz")]),
    "a.rs": ("/// Doc\npub struct A {\n}\nimpl A {\n    fn b() {}\n}\nfn top() {}\n", [(1, "A"), (4, "A"), (7, "top")]),
    "a.ts": (
        "export const go = async (x: number): Promise<void> => {\n};\nconst X = 3;\nexport function f() {}\n"
        "let a = b => c;\n",
        [(1, "go"), (4, "f"), (5, "a")],
    ),
    "a.go": ("// A does.\nfunc (s *S) A() {\n}\ntype T struct {\n}\n", [(1, "S.A"), (4, "T struct")]),
    "a.sh": ("#!/bin/sh\nset -e\n# say\ngo() {\n}\nfunction stop {\n}\ncase x in\n", [(3, "go"), (6, "stop")]),
    "A.java": (f"public class Store {{\n{JAVA}}}\n", [(1, "Store"), (2, "Store.put0"), (7, "Store.put1")]),
    "a.rb": (f"class Store\n{RUBY}end\n", [(1, "Store"), (2, "Store.put0"), (6, "Store.put1")]),
    "a.kt": ("data class A(val x: Int)\nfun Route.top() {\n}\n", [(1, "A"), (2, "Route.top")]),
    "a.swift": ("protocol P {\n}\nextension A: P {\n}\n", [(1, "P"), (3, "A")]),
    "m.proto": ("message Foo {\n}\n", [(1, "Foo")]),
}


class TestDefinitions:
    @pytest.mark.parametrize("path", TEXTS)
    def test_begin_at_the_comments_above_them(self, path: str) -> None:
        text, wanted = TEXTS[path]

        found = [(heading.line, heading.text) for heading in definitions_in(path, text.split("\n"))]

        assert found[: len(wanted)] == wanted
        assert path in {"A.java", "a.rb"} or len(found) == len(wanted)

    def test_of_a_long_type_give_passages_that_begin_at_members(self) -> None:
        lines = TEXTS["A.java"][0].split("\n")

        passages = code_passages(lines, definitions_in("A.java", lines))

        assert all(passage.end_line - passage.start_line < LINES_MAX for passage in passages)
        assert {lines[passage.start_line - 1].strip() for passage in passages[1:]} == {"@Override"}

    @pytest.mark.parametrize("path", ["a.c", "a.java", "a.ts", "a.sh", "a.kt"])
    @pytest.mark.parametrize("line", ["a " * 240 + "(", "(" * 490, "class " * 80, "  public " + "a " * 240, "}" * 400])
    def test_of_odd_texts_end_and_raise_nothing(self, path: str, line: str) -> None:
        assert len(definitions_in(path, [line] * 300)) <= 300
