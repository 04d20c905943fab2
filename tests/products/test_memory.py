"""Memory records and skills: their exact form, and proposing them."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse
from hypothesis import given
from hypothesis import strategies as st

from tests.factories import NOON, make_owner, make_worker
from tests.products.making import approve, make_folder, propose
from yoimemory.errors import DomainError
from yoimemory.products import services
from yoimemory.products.lint import distance
from yoimemory.products.memory import Record, lint_record, record_at, render_record, rewrite_record, set_value
from yoimemory.products.models import Proposal
from yoimemory.products.schemas import MemoryDraft
from yoimemory.products.skills import lint_skill
from yoimemory.products.standing import proposal_out
from yoimemory.sources.frontmatter import read_front_matter

DECISION = (
    "---\ncreated_at: 2026-04-28T12:00:00Z\nupdated_at: 2026-04-28T12:00:00Z\nsources: []\nstatus: resolved\n---\n"
    "# use-codex-oauth\n\nWe default to it.\n"
)
PATH = ".yoi/memory/decisions/use-codex-oauth.md"
SKILL = "---\nname: reviewer\ndescription: Looks for what speaks against a change.\n---\n\nAsk for contrary evidence.\n"


def errors_of(path: str, text: str, others: dict[str, str] | None = None) -> list[str]:
    known = {f".yoi/memory/decisions/{slug}.md": content for slug, content in (others or {}).items()}
    return lint_record(path, text, read=known.get).errors


class TestLintRecord:
    def test_takes_a_record_as_yoi_writes_it(self) -> None:
        assert errors_of(PATH, DECISION) == []

    @pytest.mark.parametrize(
        ("old", "new", "says"),
        [
            ("status: resolved", "status: done", "status is 'done'"),
            ("status: resolved\n", "", "status is ''"),
            ("sources: []\n", "", "sources is missing"),
            ("sources: []", "sources:\n- session_id: a\n  range: [1, 2]", "session_id is the older form"),
            ("sources: []", "sources:\n- segment_id: a\n  range: [2]", "range of source 1 is two numbers"),
            ("sources: []", "sources:\n- segment_id: a\n  range: [3, 2]", "ends before it begins"),
            ("created_at: 2026-04-28T12:00:00Z\n", "", "created_at is missing"),
            ("updated_at: 2026-04-28T12:00:00Z", "updated_at: yesterday", "updated_at is 'yesterday'"),
            ("updated_at: 2026-04-28T12:00:00Z", "updated_at: 2026-04-28T12:00:00", "has no zone"),
            ("---\ncreated", "created", "no front matter"),
            ("We default to it.", "x" * 8_001, "a decision holds 8,000"),
            ("status: resolved", "status: replaced\nreplaced_by: Not A Slug", "which is no slug"),
            ("status: resolved", "status: replaced\nreplaced_by: gone", "there is no such decision"),
            ("status: resolved", "status: [resolved", "not YAML"),
        ],
    )
    def test_names_what_is_wrong(self, old: str, new: str, says: str) -> None:
        assert any(says in error for error in errors_of(PATH, DECISION.replace(old, new, 1)))

    @pytest.mark.parametrize("path", [".yoi/memory/x.md", ".yoi/memory/notes/a.md", ".yoi/memory/decisions/Big.md"])
    def test_names_a_wrong_place(self, path: str) -> None:
        assert errors_of(path, DECISION)

    def test_follows_replaced_by_and_ends(self) -> None:
        replaced = DECISION.replace("status: resolved", "status: replaced\nreplaced_by: newer")
        newer = DECISION.replace("status: resolved", "status: replaced\nreplaced_by: use-codex-oauth")

        assert errors_of(PATH, replaced, {"newer": DECISION}) == []
        assert any("circle" in error for error in errors_of(PATH, replaced, {"newer": newer}))
        itself = replaced.replace("replaced_by: newer", "replaced_by: use-codex-oauth")
        assert any("circle" in error for error in errors_of(PATH, itself))

    def test_warns_of_names_that_are_nearly_the_same(self) -> None:
        lint = lint_record(PATH, DECISION, read=lambda path: None, slugs=["use-codex-oauth2", "use-codex-auth", "far"])

        assert lint.errors == []
        assert "use-codex-auth, use-codex-oauth2" in lint.warnings[0]

    def test_warns_of_a_long_record_with_one_source(self) -> None:
        text = DECISION.replace("We default to it.", "word " * 400)

        [warning] = lint_record(PATH, text, read=lambda path: None).warnings

        assert "little importance for its size" in warning

    @pytest.mark.parametrize(("size", "fits"), [(19_000, True), (20_100, False)])
    def test_knows_the_summary(self, size: int, fits: bool) -> None:
        text = f"---\nupdated_at: 2026-07-16T08:00:00Z\nlast_rewritten_from_range: [1, 9]\n---\n{'x' * size}\n"

        assert (errors_of(".yoi/memory/summary.md", text) == []) is fits

    @given(st.text(max_size=300))
    def test_never_raises(self, text: str) -> None:
        lint_record(PATH, text, read=lambda path: text)
        lint_record(PATH, f"---\n{text}\n---\n{text}", read=lambda path: text)
        lint_skill(".yoi/skills/a/SKILL.md", f"---\n{text}\n---\n{text}")


class TestRenderRecord:
    @pytest.mark.parametrize("kind", ["summary", "decision", "request"])
    def test_writes_what_the_linter_takes(self, kind: str) -> None:
        record = Record(kind, "" if kind == "summary" else "use-sqlite")

        text = render_record(record, "We use it.\n", now=NOON, sources=[("0197-a", 3, 9)])

        assert errors_of(record.path, text) == []
        assert text.startswith("---\ncreated_at: 2026-07-16T12:00:00Z\nupdated_at: 2026-07-16T12:00:00Z\n")
        assert text.endswith("---\nWe use it.\n")

    def test_edits_only_the_lines_that_change(self) -> None:
        later = datetime(2026, 8, 1, tzinfo=UTC)

        text = rewrite_record(DECISION, now=later, status="replaced", replaced_by="newer")

        assert text == DECISION.replace("updated_at: 2026-04-28T12:00:00Z", "updated_at: 2026-08-01T00:00:00Z").replace(
            "status: resolved\n", "status: replaced\nreplaced_by: newer\n"
        )

    @given(value=st.from_regex(r"[a-z0-9]+(-[a-z0-9]+){0,3}", fullmatch=True))
    def test_sets_a_value_that_reads_back(self, value: str) -> None:
        assert read_front_matter(set_value(DECISION, "replaced_by", value)).text("replaced_by") == value

    def test_knows_which_record_a_path_is(self) -> None:
        assert record_at(".yoi/memory/requests/be-brief.md") == Record("request", "be-brief")
        assert record_at(".yoi/memory/_staging/1.json") is None


class TestDistance:
    @pytest.mark.parametrize(
        ("one", "other", "steps"), [("a", "a", 0), ("use", "uses", 1), ("ab", "ba", 2), ("", "abc", 3)]
    )
    def test_counts_letters(self, one: str, other: str, steps: int) -> None:
        assert distance(one, other) == distance(other, one) == steps


class TestLintSkill:
    def test_takes_a_skill(self) -> None:
        assert lint_skill(".yoi/skills/reviewer/SKILL.md", SKILL).errors == []

    @pytest.mark.parametrize(
        ("old", "new", "says"),
        [
            ("name: reviewer", "name: other", "they must be the same"),
            ("name: reviewer", "name: Reviewer", "name is 'Reviewer'"),
            ("description: Looks for what speaks against a change.", "description: ''", "1 to 1,024"),
            ("description: Looks", f"description: {'x' * 1_025}", "1 to 1,024"),
            ("---\n\nAsk", "extra: 1\n---\n\nAsk", "extra is no key"),
            ("---\n\nAsk", "metadata: 3\n---\n\nAsk", "metadata is a list"),
            ("Ask for contrary evidence.\n", "", "no instructions"),
            ("---\nname", "name", "no front matter"),
        ],
    )
    def test_names_what_is_wrong(self, old: str, new: str, says: str) -> None:
        assert any(
            says in error for error in lint_skill(".yoi/skills/reviewer/SKILL.md", SKILL.replace(old, new, 1)).errors
        )

    def test_lets_other_files_of_a_skill_be(self) -> None:
        assert lint_skill(".yoi/skills/reviewer/notes.md", "anything").errors == []


@pytest.mark.django_db
class TestProposeMemory:
    def draft(self, **kwargs: object) -> MemoryDraft:
        return MemoryDraft.model_validate(
            {"kind": "decision", "slug": "use-sqlite", "body": "We use SQLite.", "rationale": "Asked twice.", **kwargs}
        )

    def test_proposes_the_file_and_writes_it_when_applied(self, tmp_path: Path) -> None:
        workspace = make_folder(tmp_path)

        [proposal] = services.propose_memory(self.draft(), workspace=workspace, actor=make_worker(workspace), now=NOON)
        services.apply_proposal(approve(proposal), actor=make_owner(), now=NOON)

        text = (tmp_path / ".yoi/memory/decisions/use-sqlite.md").read_text()
        assert text.endswith("status: open\n---\nWe use SQLite.\n")

    def test_replaces_an_older_decision_in_two_steps(self, tmp_path: Path) -> None:
        workspace = make_folder(tmp_path)
        (tmp_path / ".yoi/memory/decisions").mkdir(parents=True)
        (tmp_path / PATH).write_text(DECISION)

        new, old = services.propose_memory(
            self.draft(replaces="use-codex-oauth"), workspace=workspace, actor=make_worker(workspace), now=NOON
        )
        with pytest.raises(services.WrongFormat, match="there is no such decision"):
            services.apply_proposal(approve(old), actor=make_owner(), now=NOON)
        services.apply_proposal(approve(new), actor=make_owner(), now=NOON)
        services.apply_proposal(old, actor=make_owner(), now=NOON)

        text = (tmp_path / PATH).read_text()
        assert "status: replaced\nreplaced_by: use-sqlite\n---\n# use-codex-oauth\n" in text

    @pytest.mark.parametrize("replaces", ["gone", "use-sqlite"])
    def test_leaves_nothing_when_the_older_one_cannot_be_replaced(self, tmp_path: Path, replaces: str) -> None:
        workspace = make_folder(tmp_path)

        with pytest.raises(Exception, match="replace"):
            services.propose_memory(
                self.draft(replaces=replaces), workspace=workspace, actor=make_worker(workspace), now=NOON
            )

        assert not Proposal.objects.open().exists()

    def test_changes_a_record_that_is_there(self, tmp_path: Path) -> None:
        workspace = make_folder(tmp_path)
        (tmp_path / ".yoi/memory/decisions").mkdir(parents=True)
        (tmp_path / PATH).write_text(DECISION)

        [proposal] = services.propose_memory(
            self.draft(slug="use-codex-oauth", status="resolved", body="We no longer do."),
            workspace=workspace, actor=make_worker(workspace), now=NOON,
        )  # fmt: skip

        assert proposal.content.startswith("---\ncreated_at: 2026-04-28T12:00:00Z\nupdated_at: 2026-07-16T12:00:00Z\n")
        assert proposal.content.endswith("---\nWe no longer do.\n")

    @pytest.mark.parametrize("slug", ["", "Use SQLite", "a/b", "x" * 65])
    def test_refuses_a_name_that_is_none(self, tmp_path: Path, slug: str) -> None:
        workspace = make_folder(tmp_path)

        with pytest.raises(ValueError, match=r".") if len(slug) > 64 else pytest.raises(DomainError):
            services.propose_memory(self.draft(slug=slug), workspace=workspace, actor=make_worker(workspace), now=NOON)

        assert not Proposal.objects.exists()

    def test_holds_a_workers_own_file_to_the_form(self, tmp_path: Path) -> None:
        workspace = make_folder(tmp_path)

        with pytest.raises(services.WrongFormat, match="created_at is missing"):
            propose(
                workspace, make_worker(workspace), target="memory", path=".yoi/memory/decisions/a.md",
                content="---\nstatus: open\n---\nx\n",
            )  # fmt: skip
        with pytest.raises(services.WrongFormat, match="they must be the same"):
            propose(workspace, make_worker(workspace), target="skill", path=".yoi/skills/other/SKILL.md", content=SKILL)

    def test_tells_the_warnings_beside_the_proposal(self, tmp_path: Path) -> None:
        workspace = make_folder(tmp_path)

        [proposal] = services.propose_memory(
            self.draft(body="word " * 400), workspace=workspace, actor=make_worker(workspace), now=NOON
        )

        assert any("little importance" in caveat for caveat in proposal_out(proposal).caveats)


@pytest.mark.django_db
class TestMemoryPage:
    def test_proposes_what_was_written(self, client: Client, tmp_path: Path) -> None:
        make_folder(tmp_path)
        owner = make_owner()
        assert owner.user is not None
        client.force_login(owner.user)
        sent = {"kind": "request", "slug": "be-brief", "body": "Be brief.\r\n", "rationale": "Asked.", "refs": ""}

        shown = client.get(reverse("products:remember"))
        wrong = client.post(reverse("products:remember"), {**sent, "slug": "Be Brief"})
        done = client.post(reverse("products:remember"), sent, follow=True)

        assert shown.status_code == 200
        assert wrong.status_code == 422
        assert "is no slug" in wrong.text
        assert ".yoi/memory/requests/be-brief.md" in done.text
