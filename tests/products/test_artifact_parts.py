"""Each kind of artifact: the shoebox, its evidence file, hypotheses or representations alone, or the whole dossier."""

import json
from pathlib import Path
from typing import get_args

import pytest
from django.test import Client
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hypotheses.kinds import KINDS
from tests.factories import NOON, make_owner, make_token
from tests.hypotheses.test_import_representation import make_representation
from tests.products.making import make_argued_shoebox, make_folder
from yoimemory.products import services
from yoimemory.products.artifact import HOLDS, NoSuchRepresentation, artifact_of, artifact_schema, as_json
from yoimemory.products.artifact_text import as_markdown
from yoimemory.products.schemas import Part
from yoimemory.products.services.exporting import NAMES, PARTS

pytestmark = pytest.mark.django_db
SECTIONS = ("items", "evidence", "hypotheses", "representations")
WORDS = st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]), min_size=3, max_size=60).filter(
    lambda text: len(text.strip()) >= 3
)


def test_every_part_has_its_sections_and_name() -> None:
    assert set(get_args(Part)) == set(PARTS) == set(HOLDS) == set(NAMES)
    assert len(set(NAMES.values())) == len(NAMES)


@pytest.mark.parametrize("part", PARTS)
class TestPart:
    def test_holds_its_sections_and_no_other(self, tmp_path: Path, part: Part) -> None:
        artifact = artifact_of(make_argued_shoebox(make_folder(tmp_path)), part)

        assert {name for name in SECTIONS if getattr(artifact, name)} == set(HOLDS[part])
        assert artifact.holds == part

    def test_is_the_same_bytes_for_the_same_records(self, tmp_path: Path, part: Part) -> None:
        shoebox = make_argued_shoebox(make_folder(tmp_path))

        one, other = artifact_of(shoebox, part), artifact_of(shoebox, part)

        assert as_json(one) == as_json(other)
        assert as_markdown(one, machine="x.json") == as_markdown(other, machine="x.json")

    def test_reads_back_and_notices_a_changed_word(self, tmp_path: Path, part: Part) -> None:
        text = as_json(artifact_of(make_argued_shoebox(make_folder(tmp_path)), part))

        assert as_json(services.read_artifact(text)) == text
        with pytest.raises(services.Tampered):
            services.read_artifact(text.replace("Does declaring", "Does not declaring"))

    def test_fits_the_published_schema(self, tmp_path: Path, part: Part) -> None:
        raw = json.loads(as_json(artifact_of(make_argued_shoebox(make_folder(tmp_path)), part)))

        schema = artifact_schema()

        assert schema["$id"] == raw["schema"] == "yoimemory-artifact/1"
        assert set(raw) == set(schema["properties"])

    def test_imports_as_foreign_and_waits_for_review(self, tmp_path: Path, part: Part) -> None:
        for name in ("there", "here"):
            (tmp_path / name).mkdir()
        text = as_json(artifact_of(make_argued_shoebox(make_folder(tmp_path / "there")), part))
        here = make_folder(tmp_path / "here")

        taken = services.import_artifact(text, workspace=here, actor=make_owner(), now=NOON)

        assert taken.foreign
        assert not taken.shoebox.evidence.filter(state="accepted").exists()
        assert not taken.shoebox.hypotheses.exclude(status="proposed").exists()

    def test_is_written_under_its_own_name_and_undone(self, tmp_path: Path, part: Part) -> None:
        workspace, owner = make_folder(tmp_path), make_owner()
        shoebox = make_argued_shoebox(workspace, task="ticket:00001KX6WVNPD")
        seen = {file.path: file.digest for file in services.plan_export(shoebox, part=part)}

        export = services.export_artifact(shoebox, part=part, seen=seen, actor=owner, now=NOON)
        written = sorted(path.name for path in tmp_path.rglob(f"*{shoebox.public_id}*"))
        services.undo_export(export, actor=owner, now=NOON)

        assert written == [f"{NAMES[part]}-{shoebox.public_id}{end}" for end in (".json", ".md")]
        assert not list(tmp_path.rglob(f"*{shoebox.public_id}*"))


class TestRoundTrip:
    @settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(part=st.sampled_from(PARTS), question=WORDS, claim=WORDS, option=WORDS, why=WORDS)
    def test_keeps_every_word_of_every_part(
        self, tmp_path_factory: pytest.TempPathFactory, part: Part, question: str, claim: str, option: str, why: str
    ) -> None:
        shoebox = make_argued_shoebox(make_folder(tmp_path_factory.mktemp("there")))
        type(shoebox).objects.filter(pk=shoebox.pk).update(question=question)
        shoebox.hypotheses.update(claim=claim, alternatives=[{"option": option, "reason": why}])
        shoebox.evidence.update(why=why)
        shoebox.items.update(rationale=why)
        shoebox.refresh_from_db()

        text = as_json(artifact_of(shoebox, part))
        read = services.read_artifact(text)

        assert as_json(read) == text
        assert read == artifact_of(shoebox, part)
        assert [one.claim for one in read.hypotheses] == ([claim] if "hypotheses" in HOLDS[part] else [])


class TestOneRepresentation:
    @settings(max_examples=22, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(kind=st.sampled_from(sorted(KINDS)), title=WORDS, why=WORDS)
    def test_of_every_kind_reads_back_and_becomes_the_same_elsewhere(
        self, tmp_path_factory: pytest.TempPathFactory, kind: str, title: str, why: str
    ) -> None:
        there, here = (make_folder(tmp_path_factory.mktemp(name)) for name in ("there", "here"))
        shoebox = make_argued_shoebox(there)
        wanted = make_representation(shoebox, kind)
        type(wanted).objects.filter(pk=wanted.pk).update(title=title.strip())
        shoebox.evidence.update(why=why)

        text = as_json(artifact_of(shoebox, only=str(wanted.ref)))
        read = services.read_artifact(text)
        taken = services.import_artifact(text, workspace=here, actor=make_owner(), now=NOON)

        [held] = read.representations
        assert (held.ref, held.kind, held.title) == (str(wanted.ref), kind, title.strip())
        assert as_json(read) == text == as_json(artifact_of(shoebox, "representations", only=wanted.public_id))
        assert taken.foreign
        with pytest.raises(services.Tampered):
            services.read_artifact(text.replace(f'"kind": "{kind}"', '"kind": "other"'))

    def test_is_written_under_its_own_name(self, tmp_path: Path) -> None:
        shoebox = make_argued_shoebox(make_folder(tmp_path))
        [drawn] = shoebox.representations.all()

        plan = services.plan_export(shoebox, folder="docs/evidence", only=drawn.public_id)

        assert [file.path for file in plan] == [
            f"docs/evidence/{drawn.kind}-{drawn.public_id}{end}" for end in (".md", ".json")
        ]
        with pytest.raises(NoSuchRepresentation, match="has no representation"):
            services.plan_export(shoebox, folder="docs/evidence", only="01ARZ3NDEKTSV4RRFFQ69G5FAV")


class TestOverJson:
    def test_gives_one_part_and_publishes_the_schema(self, client: Client, tmp_path: Path) -> None:
        workspace = make_folder(tmp_path)
        shoebox = make_argued_shoebox(workspace)
        headers = {"Authorization": f"Bearer {make_token(workspace, 'read')[1]}"}

        told = client.get(f"/api/v1/shoeboxes/{shoebox.public_id}/artifact?part=evidence", headers=headers).json()
        wrong = client.get(f"/api/v1/shoeboxes/{shoebox.public_id}/artifact?part=all", headers=headers)
        schema = client.get("/api/v1/artifacts/schema", headers=headers).json()

        assert (told["holds"], told["items"]) == ("evidence", [])
        assert wrong.status_code == 422
        assert schema["$id"] == told["schema"]

    def test_shows_one_part_on_the_page(self, client: Client, tmp_path: Path) -> None:
        workspace, owner = make_folder(tmp_path), make_owner()
        assert owner.user is not None
        client.force_login(owner.user)
        shoebox = make_argued_shoebox(workspace, task="ticket:00001KX6WVNPD")

        page = client.get(f"/shoeboxes/{shoebox.public_id}/export/?part=hypotheses").text

        assert f"hypotheses-{shoebox.public_id}.md" in page
        assert "What was gathered" not in page
