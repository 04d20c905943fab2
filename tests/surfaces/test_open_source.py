"""Opening whatever a ref names: sources within a bound, our own records, nearest names for what is missing."""

from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from tests.factories import (
    NOON,
    make_evidence,
    make_hypothesis,
    make_owner,
    make_person,
    make_relation,
    make_shoebox,
    make_token,
    make_workspace,
)
from tests.surfaces.conftest import git, make_repository
from yoimemory.access.models import Actor
from yoimemory.desk.indexing import index_workspace_and_recheck
from yoimemory.desk.opened import Opened
from yoimemory.desk.resolver import NoSuchPlace, open_source
from yoimemory.errors import BadInput, NotFound
from yoimemory.journal.models import Event
from yoimemory.journal.services import flush_events
from yoimemory.markers.schemas import MarkerDraft
from yoimemory.markers.services import mark_staleness
from yoimemory.refs import BadRef
from yoimemory.sources.models import Workspace
from yoimemory.sources.services import register_workspace

pytestmark = pytest.mark.django_db

RULE = "The later clock wins, until the tablets agree on one."


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    workspace, _ = register_workspace(make_repository(tmp_path / "house"), now=NOON)
    index_workspace_and_recheck(workspace, now=NOON)
    return workspace


@pytest.fixture
def owner() -> Actor:
    return make_owner("hare")


def _open(workspace: Workspace, actor: Actor, ref: str, **options: Any) -> Opened:
    return open_source(ref, workspace=workspace, actor=actor, now=NOON, **options)


class TestOpenASource:
    def test_counts_no_line_after_the_last_line_end(self, workspace: Workspace) -> None:
        (Path(workspace.root) / "docs" / "two.md").write_text("One.\nTwo.\n")
        (Path(workspace.root) / "docs" / "none.md").write_text("")
        asker = make_owner()

        opened = open_source("doc:docs/two.md", workspace=workspace, actor=asker, now=NOON)
        empty = open_source("doc:docs/none.md", workspace=workspace, actor=asker, now=NOON, budget=1_000)

        assert (opened.text, opened.lines, opened.last_line) == ("One.\nTwo.", 2, 2)
        assert (empty.text, empty.lines) == ("", 1)
        with pytest.raises(NoSuchPlace, match="2 lines"):
            open_source("doc:docs/two.md#L3", workspace=workspace, actor=asker, now=NOON)

    def test_says_that_a_file_is_shown_as_it_is_now_where_an_instant_is_named(
        self, workspace: Workspace, owner: Actor
    ) -> None:
        now, then = (_open(workspace, owner, "doc:docs/guide.md", as_of=as_of).caveats for as_of in (None, NOON))

        assert then == [
            *now,
            "Shown as it is now: only how a ticket stood is told as of an instant. "
            "Name a commit to read a file as of then.",
        ]

    def test_answers_its_text_at_the_revision_that_was_read(self, workspace: Workspace, owner: Actor) -> None:
        commit = git(workspace.path, "rev-parse", "HEAD")

        opened = _open(workspace, owner, "doc:docs/guide.md")

        assert opened.ref == f"doc:docs/guide.md@{commit}"
        assert opened.text.split("\n")[4] == RULE
        assert (opened.authority, opened.trust, opened.truncated) == ("authority", "untrusted", False)

    @pytest.mark.parametrize(
        ("fragment", "first", "last"),
        [("L5", 5, 5), ("L3-L5", 3, 5), ("L7-L99", 7, 9), ("heading=orders", 3, 6), ("heading=注文", 7, 9)],
    )
    def test_answers_the_part_that_is_named(
        self, workspace: Workspace, owner: Actor, fragment: str, first: int, last: int
    ) -> None:
        opened = _open(workspace, owner, f"doc:docs/guide.md#{fragment}")

        assert (opened.first_line, opened.last_line) == (first, last)
        assert len(opened.text.split("\n")) == last - first + 1

    def test_answers_a_definition_by_its_name(self, workspace: Workspace, owner: Actor) -> None:
        assert _open(workspace, owner, "code:clock.py#symbol=later").text.startswith("def later(")

    def test_compares_the_entries_that_are_named_and_counts_no_further(
        self, workspace: Workspace, owner: Actor
    ) -> None:
        log = workspace.path / ".yoi" / "sessions" / "talk.jsonl"
        log.parent.mkdir(parents=True)
        log.write_text("".join(f'{{"role": "user", "content": "Said {number}."}}\n' for number in (1, 2, 3)))

        opened = _open(workspace, owner, "session:plain/talk#entry-2-999999999999")

        assert "Said 1." not in opened.text
        assert "Said 2." in opened.text
        assert "Said 3." in opened.text

    def test_answers_an_earlier_state(self, workspace: Workspace, owner: Actor) -> None:
        before = git(workspace.path, "rev-parse", "HEAD")
        (workspace.path / "docs" / "guide.md").write_text("# Guide\n\nNobody wins.\n")

        now, then = (
            _open(workspace, owner, "doc:docs/guide.md"),
            _open(workspace, owner, f"doc:docs/guide.md@{before[:8]}"),
        )

        assert (now.uncommitted, then.uncommitted) == (True, False)
        assert now.revision.startswith("sha256:")
        assert "Uncommitted" in now.caveats[0]
        assert then.revision == before
        assert RULE in then.text

    def test_is_noted_as_an_event(self, workspace: Workspace, owner: Actor) -> None:
        flush_events()
        Event.objects.all().delete()

        opened = _open(workspace, owner, "doc:docs/guide.md")

        flush_events()
        assert Event.objects.get(kind="source_opened").subjects == [opened.ref]

    def test_opens_a_commit_by_a_part_of_its_id(self, workspace: Workspace, owner: Actor) -> None:
        commit = git(workspace.path, "rev-parse", "HEAD")

        assert _open(workspace, owner, f"commit:{commit[:8]}").ref.startswith(f"commit:{commit}")
        assert _open(workspace, owner, commit[:10]).kind == "commit"

    def test_carries_the_markers_that_concern_the_lines(self, workspace: Workspace, owner: Actor) -> None:
        draft = MarkerDraft(target="doc:docs/guide.md#L5", state="stale", reason="Withdrawn in July.")
        mark_staleness(draft, workspace=workspace, actor=owner, now=NOON)

        assert "Withdrawn in July." in _open(workspace, owner, "doc:docs/guide.md").caveats[0]
        assert _open(workspace, owner, "doc:docs/guide.md#L7-L9").caveats == []


class TestABudget:
    @pytest.mark.parametrize("budget", [1_000, 2_000, 8_000])
    def test_is_kept_and_cut_at_lines(self, workspace: Workspace, owner: Actor, budget: int) -> None:
        (workspace.path / "long.md").write_text("# Long\n\n" + "".join(f"Line {n} of many.\n" for n in range(3_000)))
        text, ref, rounds = "", "doc:long.md", 0

        while ref and rounds < 400:
            opened = _open(workspace, owner, ref, budget=budget)
            assert len(opened.rendered()) <= budget
            text += opened.text + ("\n" if opened.next_ref else "")
            ref, rounds = opened.next_ref, rounds + 1
            if rounds == 3:
                break

        assert (workspace.path / "long.md").read_text().startswith(text.rstrip("\n"))
        assert opened.truncated

    def test_leads_on_to_the_end(self, workspace: Workspace, owner: Actor) -> None:
        (workspace.path / "long.md").write_text("".join(f"Line {n} of many.\n" for n in range(200)))
        lines: list[str] = []
        ref = "doc:long.md"

        while ref:
            opened = _open(workspace, owner, ref, budget=2_000)
            lines += opened.text.split("\n")
            ref = opened.next_ref

        assert lines == (workspace.path / "long.md").read_text().splitlines()

    def test_cuts_within_a_line_only_when_it_is_alone_too_long(self, workspace: Workspace, owner: Actor) -> None:
        (workspace.path / "wide.md").write_text("x" * 50_000 + "\nnext\n")

        opened = _open(workspace, owner, "doc:wide.md", budget=2_000)

        assert opened.truncated
        assert len(opened.rendered()) <= 2_000
        assert opened.next_ref.endswith("#L2")


class TestARecordOfOurs:
    def test_opens_with_its_labels_and_its_ref(self, workspace: Workspace, owner: Actor) -> None:
        shoebox = make_shoebox(workspace)
        evidence = make_evidence(shoebox, quote=RULE, inference="It is still in force.")
        hypothesis = make_hypothesis(shoebox, claim="The rule holds.")
        make_relation(evidence, hypothesis.ref, "refutes")

        texts = {
            str(record.ref): _open(workspace, owner, str(record.ref)).rendered()
            for record in (shoebox, evidence, hypothesis)
        }

        for ref, text in texts.items():
            assert text.rstrip().endswith(ref)
        assert "source quote" in texts[str(evidence.ref)]
        assert "inference, test:" in texts[str(evidence.ref)]
        assert f"refutes {hypothesis.ref}" in texts[str(evidence.ref)]
        assert f"against: {evidence.ref}" in texts[str(hypothesis.ref)]
        assert "for: nothing yet" in texts[str(hypothesis.ref)]

    def test_is_of_the_own_workspace(self, workspace: Workspace, owner: Actor) -> None:
        elsewhere = make_evidence(make_shoebox(make_workspace()))

        with pytest.raises(NotFound):
            _open(workspace, owner, str(elsewhere.ref))


class TestWhatIsMissing:
    @pytest.mark.parametrize(
        ("ref", "error", "near"),
        [
            ("doc:docs/guid.md", NotFound, "doc:docs/guide.md"),
            ("doc:docs/guide.md#L99", NoSuchPlace, "doc:docs/guide.md#L9"),
            ("doc:docs/guide.md#event-3", NoSuchPlace, ""),
            ("guide of the house", BadRef, "doc:docs/guide.md"),
            ("evidence:01JZZZZZZZZZZZZZZZZZZZZZZZ", NotFound, ""),
            ("commit:ffffffffff", NotFound, ""),
            ("doc:docs/guide.md@ffffffff", NotFound, ""),
            ("nowhere::doc:docs/guide.md", NotFound, ""),
            ("branch:nope", (NotFound, BadInput), ""),
            ("record:runtime/worker-7", NotFound, ""),
            ("message:01J", NotFound, ""),
        ],
    )
    def test_is_told_with_what_is_near(
        self, workspace: Workspace, owner: Actor, ref: str, error: Any, near: str
    ) -> None:
        with pytest.raises(error) as refused:
            _open(workspace, owner, ref)

        assert near in refused.value.hint
        assert refused.value.message.endswith((".", "!"))

    def test_may_be_in_another_workspace_of_the_same_person(
        self, workspace: Workspace, owner: Actor, tmp_path: Path
    ) -> None:
        other, _ = register_workspace(make_repository(tmp_path / "barn"), now=NOON)

        assert _open(other, owner, f"{workspace.slug}::doc:docs/guide.md").text
        with pytest.raises(NotFound, match="no workspace"):
            _open(other, make_person(other), f"{workspace.slug}::doc:docs/guide.md")


class TestOverJson:
    def test_answers_the_same(self, client: Client, workspace: Workspace) -> None:
        headers = {"Authorization": f"Bearer {make_token(workspace, 'read')[1]}"}

        fine = client.get("/api/v1/open", {"ref": "doc:docs/guide.md#L5"}, headers=headers)
        missing = client.get("/api/v1/open", {"ref": "doc:docs/guid.md"}, headers=headers)
        odd = client.get("/api/v1/open", {"ref": "what?"}, headers=headers)
        none = client.get("/api/v1/open", headers=headers)

        assert (fine.status_code, fine.json()["text"]) == (200, RULE)
        assert (missing.status_code, odd.status_code, none.status_code) == (404, 422, 422)
        assert "doc:docs/guide.md" in missing.json()["hint"]
