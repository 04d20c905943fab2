"""Where a product may be written, and where never."""

import pytest

from yoimemory.products.places import NotAPlace, check_place, risk_of, thread_path

TICKET = ".yoi/tickets/00001KX6WVNPD"
REFUSED = [
    "../../etc/passwd", "/etc/passwd", "docs/../../x", "..", ".", "", "docs/%2e%2e/%2e%2e/x", "..%2f..%2fetc%2fpasswd",
    "%252e%252e/", "..\\..\\x", "docs\\..\\..\\x", "C:\\x", "\\\\host\\share", "file:///etc/passwd",
    "~root/.ssh/id_rsa", "docs/x\x00.md", "docs//..//..//x", "./../x", "docs/guide.md/..", "\u2025/x", "．．/x",
    "x" * 5000, ".git/config", ".git", ".GIT/config", "docs/.git/config", ".git\u200c/config", "-rf", "--output=x",
    ":(top)x", ":!docs", "*", "/proc/self/environ", "git~1/config", ".git./config", ".git /config", "docs/a\nb.md",
    "docs/a\u202e.md", "docs/.yoimemory-tmp-1", "docs/a.md/", "docs/\udc80.md",
]  # fmt: skip


class TestCheckPlace:
    @pytest.mark.parametrize("path", REFUSED)
    @pytest.mark.parametrize("target", ["doc", "validation"])
    def test_refuses_a_path_that_leads_away(self, path: str, target: str) -> None:
        with pytest.raises(NotAPlace):
            check_place(path, target)

    @pytest.mark.parametrize(
        "path",
        [
            f"{TICKET}/item.md", f"{TICKET}/thread.md", f"{TICKET}/resolution.md", f"{TICKET}/artifacts",
            f"{TICKET}/artifacts/relations.json", f"{TICKET}/artifacts/orchestration-plan.jsonl",
            ".YOI/Tickets/00001KX6WVNPD/Item.MD", ".yoi/tickets/open/00001KX6WVNPD/item.md",
            "work-items/open/20260527-000001-x/thread.md", ".yoi/objectives/00001KVJSMQXZ/item.md",
            "crates/a/.yoi/tickets/00001KX6WVNPD/artifacts/x.md", ".yoi/workspace.toml", ".yoi/sessions/a.jsonl",
        ],
    )  # fmt: skip
    @pytest.mark.parametrize("target", ["doc", "ticket_artifact", "objective_resource", "validation", "skill"])
    def test_never_touches_what_the_ticket_backend_keeps(self, path: str, target: str) -> None:
        with pytest.raises(NotAPlace):
            check_place(path, target)

    @pytest.mark.parametrize(
        ("target", "path", "record"),
        [
            ("doc", "docs/design/overview.md", ""),
            ("doc", ".yoi/workflow/routing.md", ""),
            ("ticket_artifact", f"{TICKET}/artifacts/shoebox.md", TICKET),
            ("ticket_artifact", ".yoi/tickets/open/X1/artifacts/a/b.md", ".yoi/tickets/open/X1"),
            ("objective_resource", ".yoi/objectives/O1/resources/a.md", ".yoi/objectives/O1"),
            ("objective_resource", ".yoi/objectives/O1/overview.md", ".yoi/objectives/O1"),
            ("skill", ".yoi/skills/reviewer/SKILL.md", ""),
            ("skill", ".claude/skills/reviewer/SKILL.md", ""),
            ("memory", ".yoi/memory/decisions/use-sqlite.md", ""),
            ("decision_record", "docs/adr/0001-x.md", ""),
            ("validation", f"{TICKET}/artifacts/run.txt", TICKET),
            ("ticket_comment", f"{TICKET}/thread.md", TICKET),
        ],
    )
    def test_takes_each_target_in_its_place(self, target: str, path: str, record: str) -> None:
        place = check_place(path, target)

        assert (place.path, place.record) == (path, record)

    @pytest.mark.parametrize(
        ("target", "path", "says"),
        [
            ("skill", "docs/skill.md", "no place for a skill"),
            ("memory", ".yoi/memory/_staging/1.json", "no place for a memory"),
            ("memory", "docs/memory.md", "no place for a memory"),
            ("doc", ".yoi/skills/reviewer/SKILL.md", "no place for a doc"),
            ("ticket_artifact", "docs/a.md", "no place for a ticket artifact"),
            ("decision_record", "docs/adr/1.txt", "no place for a decision record"),
            ("ticket_review", "docs/a.md", "no ticket's thread"),
        ],
    )
    def test_names_the_right_place_otherwise(self, target: str, path: str, says: str) -> None:
        with pytest.raises(NotAPlace, match=says) as refusal:
            check_place(path, target)

        assert refusal.value.hint


class TestThreadPath:
    @pytest.mark.parametrize("text", ["ticket:X1", "ticket:X1/thread", "ticket:X1/thread@" + "a" * 40 + "#event-3"])
    def test_is_the_thread_of_the_ticket(self, text: str) -> None:
        assert thread_path(text) == ".yoi/tickets/X1/thread.md"


class TestRiskOf:
    @pytest.mark.parametrize(
        "path",
        [
            "AGENTS.md", "sub/CLAUDE.md", ".yoi/skills/reviewer/SKILL.md", ".envrc", ".github/workflows/ci.yml",
            "tools/run.sh", "Makefile", ".yoi/workflow/routing.md", "agents.MD", ".claude/settings.json",
        ],
    )  # fmt: skip
    def test_names_what_would_act_on_the_file(self, path: str) -> None:
        assert risk_of(path, "text")

    def test_knows_a_script_by_its_first_line(self) -> None:
        assert "script" in risk_of("docs/tool", "#!/bin/sh\n")

    @pytest.mark.parametrize("path", ["docs/design/overview.md", ".yoi/tickets/X/artifacts/a.md", "docs/agents.txt"])
    def test_lets_prose_pass(self, path: str) -> None:
        assert risk_of(path, "text") == ""
