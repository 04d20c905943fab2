"""The artifact's bytes, the plan, the writing and the undoing of it."""

import json
import os
import re
import signal
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest
from django.db import connection

from evidence.models import Evidence
from shoebox.models import Item
from tests.factories import NOON, make_owner, make_person, make_shoebox, make_worker
from tests.products.making import TICKET, make_argued_shoebox, make_folder
from yoimemory.access.services import NotAReviewer
from yoimemory.journal.models import Change
from yoimemory.products import files, services
from yoimemory.products.artifact import artifact_of, as_json, digest_of_records
from yoimemory.products.artifact_text import as_markdown
from yoimemory.products.models import Export, Writing
from yoimemory.products.places import NotAPlace
from yoimemory.products.schemas import ArtifactOut, PlannedFile
from yoimemory.products.services import batches
from yoimemory.sources.opener import Unopenable

pytestmark = pytest.mark.django_db


def seen(plan: list[PlannedFile]) -> dict[str, str]:
    return {file.path: file.digest for file in plan}


class TestArtifact:
    def test_is_the_same_bytes_for_the_same_records(self, tmp_path: Path) -> None:
        shoebox = make_argued_shoebox(make_folder(tmp_path))

        first, second = artifact_of(shoebox), artifact_of(shoebox)

        assert as_json(first) == as_json(second)
        assert as_markdown(first, machine="a.json") == as_markdown(second, machine="a.json")

    def test_reads_back_as_the_record_that_it_says(self, tmp_path: Path) -> None:
        artifact = artifact_of(make_argued_shoebox(make_folder(tmp_path)))

        again = ArtifactOut.model_validate_json(as_json(artifact))

        assert again == artifact
        assert digest_of_records(again) == artifact.digest

    def test_notices_an_altered_word(self, tmp_path: Path) -> None:
        artifact = artifact_of(make_argued_shoebox(make_folder(tmp_path)))
        altered = as_json(artifact).replace("does not spawn", "does spawn")

        assert digest_of_records(ArtifactOut.model_validate_json(altered)) != artifact.digest

    def test_has_sorted_keys_and_no_hidden_character(self, tmp_path: Path) -> None:
        text = as_json(artifact_of(make_argued_shoebox(make_folder(tmp_path))))

        parsed = json.loads(text)
        assert list(parsed) == sorted(parsed)
        assert parsed["schema"] == "yoimemory-artifact/1"
        assert "\u202e" not in text
        assert parsed["evidence"][1]["quote"] == "At start ```each\u202e server``` is\nspawned."

    def test_publishes_its_schema(self) -> None:
        schema = ArtifactOut.model_json_schema(mode="serialization")

        assert schema["properties"]["schema"]["const"] == "yoimemory-artifact/1"
        assert {"shoebox", "items", "evidence", "hypotheses", "representations", "digest"} <= set(schema["properties"])


class TestMarkdown:
    def test_puts_what_speaks_against_first(self, tmp_path: Path) -> None:
        text = as_markdown(artifact_of(make_argued_shoebox(make_folder(tmp_path))), machine="a.json")

        assert text.index("### Against") < text.index("### For")
        assert text.index("- Against: e2") < text.index("- For: e1")

    def test_tells_the_three_voices_apart(self, tmp_path: Path) -> None:
        text = as_markdown(artifact_of(make_argued_shoebox(make_folder(tmp_path))), machine="a.json")

        assert "Source quote, line 1:\n\n```text\nConfig alone does not spawn a process.\n```" in text
        assert "Summary, extractor Worker: Says config is passive." in text
        assert "Inference, extractor Worker: So declaring is safe." in text

    def test_keeps_a_quote_within_its_fence(self, tmp_path: Path) -> None:
        text = as_markdown(artifact_of(make_argued_shoebox(make_folder(tmp_path))), machine="a.json")

        assert "````text\nAt start ```each⟨U+202E right-to-left override⟩ server``` is\nspawned.\n````" in text

    def test_lets_no_words_become_markup(self, tmp_path: Path) -> None:
        shoebox = make_argued_shoebox(make_folder(tmp_path))
        Evidence.objects.filter(shoebox=shoebox).update(
            why="# not a head\n<script>x</script> [a](b) &lt;\n\n- nor a list"
        )

        text = as_markdown(artifact_of(shoebox), machine="a.json")

        assert "It starts \\<nothing> by itself." in text
        assert "\\# not a head\n\\<script>x\\</script> \\[a\\](b) &amp;lt;\n\n\\- nor a list" in text
        assert "| Guide \\| first |" in text

    def test_says_what_was_decided_set_aside_and_turned_down(self, tmp_path: Path) -> None:
        text = as_markdown(artifact_of(make_argued_shoebox(make_folder(tmp_path))), machine="a.json")

        assert "proposed → accepted (one reviewer). Reason: Both say so." in text
        assert "Turned down: It starts all (e2 denies it)" in text
        assert "set aside: Said twice." in text

    def test_names_itself_first_and_last(self, tmp_path: Path) -> None:
        artifact = artifact_of(make_argued_shoebox(make_folder(tmp_path)))

        lines = as_markdown(artifact, machine="a.json").splitlines()

        assert lines[0] == f"<!-- yoimemory-artifact/1 {artifact.shoebox.ref} {artifact.digest} -->"
        assert lines[-1] == f"`{artifact.shoebox.ref}` · `{artifact.digest}`"

    def test_of_an_empty_shoebox_says_so(self, tmp_path: Path) -> None:
        text = as_markdown(artifact_of(make_shoebox(make_folder(tmp_path))), machine="a.json")

        assert "None was proposed." in text
        assert "Nothing was quoted." in text


class TestPlanExport:
    @pytest.mark.parametrize(
        ("task", "folder"),
        [
            ("ticket:00001KX6WVNPD", f"{TICKET}/artifacts"),
            ("ticket:00001KX6WVNPD/thread", f"{TICKET}/artifacts"),
            ("objective:00001KVJSMQXZ", ".yoi/objectives/00001KVJSMQXZ/resources"),
        ],
    )
    def test_goes_where_the_task_lives(self, tmp_path: Path, task: str, folder: str) -> None:
        shoebox = make_argued_shoebox(make_folder(tmp_path), task=task)

        plan = services.plan_export(shoebox)

        name = f"{folder}/shoebox-{shoebox.public_id}"
        assert [file.path for file in plan] == [f"{name}.md", f"{name}.json"]
        assert not any(file.exists or file.same for file in plan)
        assert not list(tmp_path.rglob("shoebox-*"))

    def test_asks_for_a_folder_without_a_task(self, tmp_path: Path) -> None:
        shoebox = make_argued_shoebox(make_folder(tmp_path))

        with pytest.raises(services.FolderNeeded) as refusal:
            services.plan_export(shoebox)

        assert "docs/evidence" in refusal.value.hint
        assert services.plan_export(shoebox, folder="docs/evidence/")[0].path.startswith("docs/evidence/shoebox-")

    @pytest.mark.parametrize("folder", ["../out", "/etc", ".git", ".yoi", f"{TICKET}", "docs/../.."])
    def test_refuses_a_folder_that_is_no_place(self, tmp_path: Path, folder: str) -> None:
        shoebox = make_argued_shoebox(make_folder(tmp_path))

        with pytest.raises(NotAPlace):
            services.plan_export(shoebox, folder=folder)

    def test_makes_no_ticket_of_its_own(self, tmp_path: Path) -> None:
        shoebox = make_argued_shoebox(make_folder(tmp_path), task="ticket:00001ZZZZZZZZ")

        with pytest.raises(services.NoSuchRecord):
            services.plan_export(shoebox)

    def test_looks_through_no_link(self, tmp_path: Path) -> None:
        shoebox = make_argued_shoebox(make_folder(tmp_path / "ws"))
        (tmp_path / "outside").mkdir()
        (tmp_path / "ws/docs/evidence").symlink_to(tmp_path / "outside")

        with pytest.raises(Unopenable, match="link"):
            services.plan_export(shoebox, folder="docs/evidence")


class TestExportArtifact:
    def test_writes_what_was_seen(self, tmp_path: Path) -> None:
        shoebox = make_argued_shoebox(make_folder(tmp_path), task="ticket:00001KX6WVNPD")
        plan, owner = services.plan_export(shoebox), make_owner()

        export = services.export_artifact(shoebox, seen=seen(plan), actor=owner, now=NOON)

        assert [(tmp_path / file.path).read_text() for file in plan] == [file.content for file in plan]
        assert (export.state, export.folder) == ("written", f"{TICKET}/artifacts")
        assert all(file.same for file in services.plan_export(shoebox))

    def test_refuses_a_plan_that_changed(self, tmp_path: Path) -> None:
        shoebox = make_argued_shoebox(make_folder(tmp_path), task="ticket:00001KX6WVNPD")
        plan = services.plan_export(shoebox)
        Item.objects.filter(shoebox=shoebox).update(rationale="Another reason.")

        with pytest.raises(services.PlanChanged):
            services.export_artifact(shoebox, seen=seen(plan), actor=make_owner(), now=NOON)

        assert not list(tmp_path.rglob("shoebox-*"))

    def test_refuses_when_the_file_there_changed(self, tmp_path: Path) -> None:
        shoebox = make_argued_shoebox(make_folder(tmp_path), task="ticket:00001KX6WVNPD")
        plan = services.plan_export(shoebox)
        (tmp_path / plan[0].path).write_text("Somebody was faster.\n")

        with pytest.raises(services.PlanChanged):
            services.export_artifact(shoebox, seen=seen(plan), actor=make_owner(), now=NOON)

        again = services.plan_export(shoebox)
        assert (again[0].exists, again[0].ours) == (True, False)

    def test_has_nothing_to_write_twice(self, tmp_path: Path) -> None:
        shoebox = make_argued_shoebox(make_folder(tmp_path), task="ticket:00001KX6WVNPD")
        services.export_artifact(shoebox, seen=seen(services.plan_export(shoebox)), actor=make_owner(), now=NOON)

        with pytest.raises(services.NothingToChange):
            services.export_artifact(shoebox, seen=seen(services.plan_export(shoebox)), actor=make_owner(), now=NOON)

    @pytest.mark.parametrize("role", ["worker", "member"])
    def test_is_a_reviewers_alone(self, tmp_path: Path, role: str) -> None:
        workspace = make_folder(tmp_path)
        shoebox = make_argued_shoebox(workspace, task="ticket:00001KX6WVNPD")
        actor = make_worker(workspace) if role == "worker" else make_person(workspace, role="member")

        with pytest.raises(NotAReviewer):
            services.export_artifact(shoebox, seen=seen(services.plan_export(shoebox)), actor=actor, now=NOON)

    def test_leaves_nothing_when_one_file_fails(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        shoebox = make_argued_shoebox(make_folder(tmp_path), task="ticket:00001KX6WVNPD")
        plan = services.plan_export(shoebox)

        def fail_on_json(workspace: object, path: str, *args: object, **kwargs: object) -> None:
            if path.endswith(".json"):
                raise Unopenable(path, "no space left on device")
            files.put(workspace, path, *args, **kwargs)  # type: ignore[arg-type]

        monkeypatch.setattr(batches, "put", fail_on_json)
        with pytest.raises(Unopenable, match="no space left"):
            services.export_artifact(shoebox, seen=seen(plan), actor=make_owner(), now=NOON)

        assert not list(tmp_path.rglob("shoebox-*"))
        assert Export.objects.get().state == "abandoned"
        assert set(Writing.objects.values_list("state", flat=True)) == {"abandoned"}


class TestUndoExport:
    def test_puts_back_what_was_there(self, tmp_path: Path) -> None:
        shoebox = make_argued_shoebox(make_folder(tmp_path), task="ticket:00001KX6WVNPD")
        plan, owner = services.plan_export(shoebox), make_owner()
        (tmp_path / plan[0].path).write_text("Older words.\n")
        plan = services.plan_export(shoebox)
        export = services.export_artifact(shoebox, seen=seen(plan), actor=owner, now=NOON)

        services.undo_export(export, actor=owner, now=NOON + timedelta(minutes=1))

        assert (tmp_path / plan[0].path).read_text() == "Older words.\n"
        assert not (tmp_path / plan[1].path).exists()
        assert export.state == "undone"

    def test_touches_nothing_when_one_was_edited(self, tmp_path: Path) -> None:
        shoebox = make_argued_shoebox(make_folder(tmp_path), task="ticket:00001KX6WVNPD")
        plan, owner = services.plan_export(shoebox), make_owner()
        export = services.export_artifact(shoebox, seen=seen(plan), actor=owner, now=NOON)
        (tmp_path / plan[0].path).write_text(plan[0].content + "My note.\n")

        with pytest.raises(services.ChangedSince):
            services.undo_export(export, actor=owner, now=NOON)

        assert (tmp_path / plan[1].path).read_text() == plan[1].content

    def test_happens_once(self, tmp_path: Path) -> None:
        shoebox = make_argued_shoebox(make_folder(tmp_path), task="ticket:00001KX6WVNPD")
        plan, owner = services.plan_export(shoebox), make_owner()
        export = services.export_artifact(shoebox, seen=seen(plan), actor=owner, now=NOON)
        services.undo_export(export, actor=owner, now=NOON)

        with pytest.raises(services.AlreadyUndone):
            services.undo_export(export, actor=owner, now=NOON)


CHILD = """
import os, signal, sys
from django.conf import settings
settings.DATABASES["default"]["NAME"] = sys.argv[1]
settings.DATABASES["index"]["NAME"] = sys.argv[2]
import django
django.setup()
from django.utils import timezone
from shoebox.models import Shoebox
from yoimemory.access.models import Actor
from yoimemory.products import services
from yoimemory.products.services import batches

put, left = batches.put, int(sys.argv[5])

def put_then_die(*args, **kwargs):
    global left
    put(*args, **kwargs)
    left -= 1
    if not left:
        os.kill(os.getpid(), signal.SIGKILL)

batches.put = put_then_die
shoebox = Shoebox.objects.get(pk=sys.argv[3])
seen = {file.path: file.digest for file in services.plan_export(shoebox)}
services.export_artifact(shoebox, seen=seen, actor=Actor.objects.get(pk=sys.argv[4]), now=timezone.now())
"""


class Crash(BaseException):
    """The server ends here: nothing after it runs, what was committed stays."""


def crash(*args: object, **kwargs: object) -> None:
    raise Crash


@pytest.mark.django_db(transaction=True)
class TestRecoverExports:
    @pytest.mark.parametrize(("files_in_place", "state", "left"), [(1, "abandoned", 0), (2, "written", 2)])
    def test_leaves_all_files_or_none(self, tmp_path: Path, files_in_place: int, state: str, left: int) -> None:
        shoebox = make_argued_shoebox(make_folder(tmp_path), task="ticket:00001KX6WVNPD")
        argv = [
            connection.settings_dict["NAME"],
            re.sub("default", "index", str(connection.settings_dict["NAME"])),
            shoebox.pk,
            make_owner().pk,
            files_in_place,
        ]
        done = subprocess.run(
            [sys.executable, "-c", CHILD, *map(str, argv)],
            env={**os.environ, "DJANGO_SETTINGS_MODULE": "yoimemory.settings"},
            capture_output=True,
            timeout=60,
        )
        assert done.returncode == -signal.SIGKILL, done.stderr.decode()

        services.recover_writings(NOON)

        told = Change.objects.of(shoebox.ref, shoebox.workspace).filter(verb="artifact-exported")
        assert Export.objects.get().state == state
        assert len(list(tmp_path.rglob("shoebox-*"))) == left
        assert told.count() == (1 if left else 0)
        assert not Writing.objects.unsettled().exists()

    def test_says_in_history_what_was_undone_when_the_server_ended(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        shoebox = make_argued_shoebox(make_folder(tmp_path), task="ticket:00001KX6WVNPD")
        owner, other = make_owner(), make_person(shoebox.workspace, role="reviewer")
        plan = services.plan_export(shoebox)
        export = services.export_artifact(shoebox, seen=seen(plan), actor=owner, now=NOON)
        with monkeypatch.context() as patched:
            patched.setattr(batches, "record_change", crash)
            with pytest.raises(Crash):
                services.undo_export(export, actor=other, now=NOON)
        between = Export.objects.get().state

        services.recover_writings(NOON)

        told = Change.objects.of(shoebox.ref, shoebox.workspace).filter(verb="export-undone").get()
        assert (between, Export.objects.get().state) == ("written", "undone")
        assert told.actor == other
        assert not list(tmp_path.rglob("shoebox-*"))
        assert services.recover_writings(NOON) == 0

    def test_says_in_history_what_was_written_when_the_server_ended(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        shoebox = make_argued_shoebox(make_folder(tmp_path), task="ticket:00001KX6WVNPD")
        owner, plan = make_owner(), services.plan_export(shoebox)
        with monkeypatch.context() as patched:
            patched.setattr(batches, "record_change", crash)
            with pytest.raises(Crash):
                services.export_artifact(shoebox, seen=seen(plan), actor=owner, now=NOON)

        services.recover_writings(NOON)

        told = Change.objects.of(shoebox.ref, shoebox.workspace).filter(verb="artifact-exported").get()
        assert Export.objects.get().state == "written"
        assert (told.actor, sorted(told.after["files"])) == (owner, sorted(file.path for file in plan))
