"""What this app will not become, kept by tests: each of them would fail on the first step in that direction."""

import hashlib
import json
import tomllib
from pathlib import Path

import pytest
from django.apps import apps
from django.test import Client

from tests.architecture.walk import ROOT, modules
from tests.factories import make_evidence, make_owner, make_shoebox, make_token, make_worker
from tests.products.making import NOON, TICKET, approve, make_argued_shoebox, make_folder, propose
from yoimemory.api import api
from yoimemory.cli import parser
from yoimemory.desk.indexing import index_workspace_and_recheck
from yoimemory.errors import DomainError
from yoimemory.products import services
from yoimemory.products.models import Proposal
from yoimemory.products.schemas import ImpactDraft, MemoryDraft
from yoimemory.products.thread import EVENTS
from yoimemory.refs import KINDS
from yoimemory.search.schemas import SearchQuery
from yoimemory.search.services import search_sources

ITEM = f"{TICKET}/item.md"
MEMORY_RECORD = (
    "---\ncreated_at: '2026-07-15T00:00:00Z'\nupdated_at: '2026-07-15T00:00:00Z'\nsources: []\nstatus: 'open'\n---\n\n"
    "Declaring a server does not start it.\n"
)


def tree(root: Path) -> dict[str, str]:
    files = sorted(path for path in root.rglob("*") if path.is_file())
    return {path.relative_to(root).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


@pytest.mark.django_db
class TestNoProductChangesATicketsState:
    @pytest.mark.parametrize("target", sorted(set(Proposal.Target.values) - {"marker"}))
    @pytest.mark.parametrize(
        "path", [ITEM, f"{TICKET}/./item.md", f"{TICKET}/ITEM.md", f"{TICKET}/artifacts/../item.md"]
    )
    def test_by_a_proposal_of_any_target(self, tmp_path: Path, target: str, path: str) -> None:
        workspace = make_folder(tmp_path)
        content = "---\ntitle: 'Start'\nstate: 'closed'\n---\n"

        with pytest.raises(DomainError):
            propose(workspace, make_owner(), target=target, path=path, content=content)

        assert "state: 'queued'" in (tmp_path / ITEM).read_text()

    def test_by_an_event_of_the_thread(self) -> None:
        assert set(EVENTS) == Proposal.TEXT_TARGETS
        assert {kind for kind, _ in EVENTS.values()} <= {"comment", "decision", "implementation_report", "review"}

    @pytest.mark.parametrize("target", sorted(Proposal.TEXT_TARGETS))
    def test_by_appending_a_text(self, tmp_path: Path, target: str) -> None:
        workspace, owner = make_folder(tmp_path), make_owner()
        before = (tmp_path / ITEM).read_bytes()
        proposal = approve(propose(workspace, owner, target=target, path="ticket:00001KX6WVNPD", content="Said.\n"))

        services.apply_proposal(proposal, actor=owner, now=NOON, way="appended to the thread", review="approve")

        assert (tmp_path / ITEM).read_bytes() == before
        assert "state_changed" not in (tmp_path / TICKET / "thread.md").read_text()

    def test_by_a_text_that_forges_such_an_event(self, tmp_path: Path) -> None:
        workspace, owner = make_folder(tmp_path), make_owner()
        forged = "Said.\n<!-- event: state_changed author: a at: 2026-07-16T12:00:00Z from: queued to: closed -->\n"
        proposal = approve(
            propose(workspace, owner, target="ticket_comment", path="ticket:00001KX6WVNPD", content=forged)
        )

        with pytest.raises(DomainError):
            services.apply_proposal(proposal, actor=owner, now=NOON, way="appended to the thread")


@pytest.mark.django_db
class TestMemoryIsNoAuthority:
    def test_it_stands_behind_the_authority_that_says_the_same(self, tmp_path: Path) -> None:
        workspace = make_folder(tmp_path)
        record = tmp_path / ".yoi/memory/decisions/servers.md"
        record.parent.mkdir(parents=True)
        record.write_text(MEMORY_RECORD)
        index_workspace_and_recheck(workspace, now=NOON)

        query = SearchQuery(query="declaring a server does not start it")
        hits = search_sources(query, workspace=workspace, now=NOON, actor=make_owner()).items

        kinds = [(hit.authority, hit.ref.partition(":")[0]) for hit in hits]
        assert ("memory", "memory") in kinds
        assert kinds.index(("authority", "doc")) < kinds.index(("memory", "memory"))

    def test_every_answer_says_that_it_is_memory(self, client: Client, tmp_path: Path) -> None:
        workspace = make_folder(tmp_path)
        record = tmp_path / ".yoi/memory/decisions/servers.md"
        record.parent.mkdir(parents=True)
        record.write_text(MEMORY_RECORD)
        index_workspace_and_recheck(workspace, now=NOON)
        headers = {"Authorization": f"Bearer {make_token(workspace, 'read')[1]}"}

        found = client.get("/api/v1/search?q=server&kinds=memory", headers=headers).json()["items"]
        opened = client.get("/api/v1/open?ref=memory:decision/servers", headers=headers).json()

        assert [hit["authority"] for hit in found] == ["memory"]
        assert opened["authority"] == "memory"


@pytest.mark.django_db
class TestNothingIsWrittenUnasked:
    def test_by_any_verb_but_apply_and_export(self, tmp_path: Path) -> None:
        workspace, owner = make_folder(tmp_path), make_owner()
        worker = make_worker(workspace)
        before = tree(tmp_path)

        index_workspace_and_recheck(workspace, now=NOON)
        shoebox = make_argued_shoebox(workspace)
        plan = services.plan_export(shoebox, folder="docs/evidence")
        services.plan_skills(workspace)
        proposal = propose(workspace, worker)
        services.propose_memory(
            MemoryDraft(kind="decision", slug="use-it", body="Use it.\n", rationale="It holds."),
            workspace=workspace, actor=worker, now=NOON,
        )  # fmt: skip
        approve(proposal, owner)
        evidence = make_evidence(make_shoebox(workspace))
        impact = ImpactDraft(subjects=[str(evidence.ref)], product="ticket:00001KX6WVNPD", kind="changed_plan")
        services.record_impact(impact, workspace=workspace, actor=worker, now=NOON)
        services.observe_impact(workspace, now=NOON)
        services.recover_writings(NOON)

        assert plan
        assert tree(tmp_path) == before

    def test_by_any_get_of_the_json_layer(self, client: Client, tmp_path: Path) -> None:
        workspace = make_folder(tmp_path)
        index_workspace_and_recheck(workspace, now=NOON)
        before = tree(tmp_path)
        headers = {"Authorization": f"Bearer {make_token(workspace, 'propose')[1]}"}

        for path, methods in api.get_openapi_schema(path_prefix="/api/v1")["paths"].items():
            if "get" in methods and "{" not in path:
                client.get(path, headers=headers)

        assert tree(tmp_path) == before


class TestNothingIsInjected:
    def test_no_operation_and_no_command_puts_text_into_a_context(self) -> None:
        named = json.dumps(api.get_openapi_schema()["paths"]).lower() + parser().format_help().lower()

        assert [
            word for word in ("inject", "/hook", "systemprompt", "system_prompt", "/prompts") if word in named
        ] == []

    def test_connecting_writes_no_hook_and_no_instruction(self) -> None:
        from yoimemory.products.clients import CLIENTS, Entry, configuration

        written = {CLIENTS[client]: configuration(client, Entry("/bin/x")) for client in CLIENTS}

        assert not {"AGENTS.md", "CLAUDE.md", ".claude/settings.json", ".codex/hooks.json"} & set(written)
        assert not any("hook" in text.lower() for text in written.values())

    def test_the_skills_are_read_by_who_asks(self) -> None:
        for text in services.skills().values():
            head = text.split("---")[1]
            assert "hook" not in head
            assert "always" not in head.lower()


class TestNoKnowledgeKind:
    def test_among_refs_models_and_calls(self) -> None:
        paths = api.get_openapi_schema()["paths"]

        assert not {kind for kind in KINDS if "knowledge" in kind}
        assert not {model.__name__ for model in apps.get_models() if "knowledge" in model.__name__.lower()}
        assert not [path for path in paths if "knowledge" in path.lower()]

    def test_among_the_records_that_may_be_proposed(self) -> None:
        with pytest.raises(ValueError, match="kind"):
            MemoryDraft.model_validate({"kind": "knowledge", "slug": "x", "body": "x", "rationale": "x"})


class TestNoVectorStore:
    NAMES = ("faiss", "chroma", "hnsw", "annoy", "pgvector", "sqlite-vec", "sentence-transformers", "torch", "numpy",
             "qdrant", "milvus", "lancedb", "weaviate", "openai", "transformers")  # fmt: skip

    def test_among_what_is_installed(self) -> None:
        project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        extras = [name for names in project.get("optional-dependencies", {}).values() for name in names]
        wanted = " ".join([*project["dependencies"], *extras]).lower()

        assert [name for name in self.NAMES if name in wanted] == []

    def test_among_the_columns_and_modules(self) -> None:
        fields = {f"{model.__name__}.{field.name}" for model in apps.get_models() for field in model._meta.get_fields()}

        assert [name for name in fields if "embedding" in name.lower() or "vector" in name.lower()] == []
        imported = {name.partition(".")[0] for module in modules() for name in module.imported()}
        assert imported & {name.replace("-", "_") for name in self.NAMES} == set()
