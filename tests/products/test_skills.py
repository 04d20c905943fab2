"""Our skills: by the rules, about operations that exist, installed only as they were seen."""

import re
from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse

from tests.factories import NOON, make_owner, make_person, make_worker
from tests.products.making import make_folder
from yoimemory.access.services import NotAReviewer
from yoimemory.api import api
from yoimemory.errors import BadInput
from yoimemory.products import services
from yoimemory.products.models import Installation
from yoimemory.products.schemas import PlannedFile
from yoimemory.products.services.skilling import FOLDERS
from yoimemory.products.skills import lint_skill

NAMES = ["yoimemory", "yoimemory-coder", "yoimemory-orchestrator", "yoimemory-reviewer"]
LATER = {"list_records"}  # one name for the lists of every noun
VERBS = "search|open|create|show|extract|propose|mark|list|record"


def seen(plan: list[PlannedFile]) -> dict[str, str]:
    return {file.path: file.digest for file in plan}


class TestPack:
    def test_holds_the_roles_and_how_to_use_it(self) -> None:
        assert list(services.skills()) == NAMES

    @pytest.mark.parametrize("name", NAMES)
    def test_keeps_the_rules_of_skills(self, name: str) -> None:
        lint = lint_skill(f".yoi/skills/{name}/SKILL.md", services.skills()[name])

        assert (lint.errors, lint.warnings) == ([], [])

    @pytest.mark.parametrize("name", NAMES)
    def test_asks_for_what_speaks_against(self, name: str) -> None:
        text = services.skills()[name]

        assert "`stance: disconfirming`" in text
        assert "create_shoebox" in text

    @pytest.mark.parametrize("name", NAMES)
    def test_names_only_operations_that_exist(self, name: str) -> None:
        named = set(re.findall(rf"`((?:{VERBS})_[a-z]+)`", services.skills()[name]))
        known = {
            operation["operationId"]
            for path in api.get_openapi_schema()["paths"].values()
            for operation in path.values()
        }

        assert named
        assert named - known - LATER == set()

    def test_tells_the_addresses_that_exist(self) -> None:
        text = services.skills()["yoimemory"]
        known = {
            f"{method.upper()} {path.removeprefix('/api/v1')}"
            for path, methods in api.get_openapi_schema()["paths"].items()
            for method in methods
        }

        named = {f"{method} {path}" for method, path in re.findall(r"`(GET|POST) (/[a-z{}/]+)[^`]*`", text)}
        assert len(named) >= 8
        assert named - known == set()


@pytest.mark.django_db
class TestInstallSkills:
    @pytest.mark.parametrize("folder", FOLDERS)
    def test_writes_what_was_seen_and_takes_it_away_again(self, tmp_path: Path, folder: str) -> None:
        workspace, owner = make_folder(tmp_path), make_owner()
        plan = services.plan_skills(workspace, folder=folder)

        done = services.install_skills(workspace, folder=folder, seen=seen(plan), actor=owner, now=NOON)
        there = sorted(path.parent.name for path in (tmp_path / folder).rglob("SKILL.md"))
        services.undo_installation(done, actor=owner, now=NOON)

        assert there == NAMES
        assert not list(tmp_path.rglob("SKILL.md"))
        assert done.state == "undone"

    def test_refuses_another_folder(self, tmp_path: Path) -> None:
        with pytest.raises(BadInput, match="do not look for skills"):
            services.plan_skills(make_folder(tmp_path), folder="docs")

    def test_refuses_what_was_not_seen(self, tmp_path: Path) -> None:
        workspace = make_folder(tmp_path)

        with pytest.raises(services.PlanChanged):
            services.install_skills(workspace, seen={}, actor=make_owner(), now=NOON)

    @pytest.mark.parametrize("role", ["worker", "member"])
    def test_is_a_reviewers_alone(self, tmp_path: Path, role: str) -> None:
        workspace = make_folder(tmp_path)
        actor = make_worker(workspace) if role == "worker" else make_person(workspace, role="member")

        with pytest.raises(NotAReviewer):
            services.install_skills(workspace, seen=seen(services.plan_skills(workspace)), actor=actor, now=NOON)

    def test_leaves_alone_what_somebody_changed(self, tmp_path: Path) -> None:
        workspace, owner = make_folder(tmp_path), make_owner()
        done = services.install_skills(workspace, seen=seen(services.plan_skills(workspace)), actor=owner, now=NOON)
        mine = tmp_path / ".yoi/skills/yoimemory/SKILL.md"
        mine.write_text("Mine.\n")

        with pytest.raises(services.ChangedSince):
            services.undo_installation(done, actor=owner, now=NOON)

        assert mine.read_text() == "Mine.\n"
        assert not next(
            file for file in services.plan_skills(workspace) if file.path.endswith("yoimemory/SKILL.md")
        ).ours


@pytest.mark.django_db
class TestSkillsPage:
    def test_shows_every_byte_then_writes_and_undoes(self, client: Client, tmp_path: Path) -> None:
        workspace, owner = make_folder(tmp_path), make_owner()
        assert owner.user is not None
        client.force_login(owner.user)
        plan = services.plan_skills(workspace, folder=".claude/skills")
        sent = {
            "folder": ".claude/skills", "path": [file.path for file in plan], "digest": [file.digest for file in plan],
        }  # fmt: skip

        page = client.get(reverse("products:skills"), {"folder": ".claude/skills"}).text
        done = client.post(reverse("products:skills"), sent, follow=True).text
        undone = client.post(
            reverse("products:undo_installation", args=[Installation.objects.get().public_id]), follow=True
        ).text

        assert "4 skills would be written" in page
        assert "# Reviewing with evidence" in page
        assert "4 skills written to .claude/skills" in done
        assert "the files are as they were before" in undone
        assert not list(tmp_path.rglob("SKILL.md"))

    def test_says_which_folders_there_are(self, client: Client, tmp_path: Path) -> None:
        make_folder(tmp_path)
        owner = make_owner()
        assert owner.user is not None
        client.force_login(owner.user)

        response = client.get(reverse("products:skills"), {"folder": "../x"})

        assert response.status_code == 422
        assert ".claude/skills" in response.text
