"""The JSON file of a representation goes out and comes back: as a new one, or as the next version."""

import json
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from hypotheses.kinds import KINDS
from hypotheses.models import Representation
from hypotheses.rendering import representation_json
from hypotheses.schemas import RepresentationDraft
from hypotheses.services import (
    FILE_MAX,
    NoRepresentationFile,
    OfAnother,
    create_representation,
    import_representation,
    read_representation_file,
    replace_representation,
)
from hypotheses.standing import representation_out
from shoebox.models import Shoebox
from tests.factories import NOON, make_evidence, make_hypothesis, make_owner, make_person, make_relation, make_shoebox
from yoimemory.errors import NotFound
from yoimemory.journal.stale import StaleVersion

pytestmark = pytest.mark.django_db


def make_representation(shoebox: Shoebox, kind: str = "timeline") -> Representation:
    """One of this kind, over evidence for and against a claim, made by a person."""
    claim = make_hypothesis(shoebox)
    for number, relation in enumerate(("supports", "refutes")):
        evidence = make_evidence(shoebox, quote=f"Line number {number} of the thread.", said_at=NOON)
        make_relation(evidence, claim.ref, relation)
    body: dict[str, Any] | None = None if KINDS[kind].build else {}
    draft = RepresentationDraft(kind=Representation.Kind(kind).value, shoebox=shoebox.public_id, body=body)  # type: ignore[arg-type]
    return create_representation(draft, workspace=shoebox.workspace, actor=make_person(shoebox.workspace), now=NOON)


def written(representation: Representation, **changed: Any) -> bytes:
    """Its JSON file, with some fields changed."""
    return json.dumps(json.loads(representation_json(representation_out(representation))) | changed).encode()


class TestReadRepresentationFile:
    @pytest.mark.parametrize("data", [b"", b"{", b"[]", b"null", b'{"kind": "timeline"}', b"\xff\xfe\x00"])
    def test_refuses_what_is_no_export_and_says_where(self, data: bytes) -> None:
        with pytest.raises(NoRepresentationFile, match="not the JSON of a representation") as refused:
            read_representation_file(data)

        assert refused.value.fields
        assert "JSON button" in refused.value.hint

    def test_refuses_a_file_that_is_too_long(self) -> None:
        with pytest.raises(NoRepresentationFile, match="1,000,001 bytes"):
            read_representation_file(b" " * (FILE_MAX + 1))


class TestImportRepresentation:
    @pytest.mark.parametrize("kind", list(KINDS))
    def test_gives_the_same_rows_for_every_kind(self, kind: str) -> None:
        shoebox = make_shoebox()
        first = make_representation(shoebox, kind)

        second = import_representation(
            read_representation_file(written(first)), workspace=shoebox.workspace, actor=first.made_by, now=NOON
        )

        assert second.pk != first.pk
        assert (second.kind, second.title, second.body) == (first.kind, first.title, first.body)
        assert second.cites == first.cites
        assert not second.built

    def test_goes_into_another_shoebox_when_asked_to(self) -> None:
        first = make_representation(make_shoebox())
        other = make_shoebox(first.workspace)

        said = read_representation_file(written(first))
        second = import_representation(
            said, shoebox=other.public_id, workspace=first.workspace, actor=first.made_by, now=NOON
        )

        assert second.shoebox == other

    def test_names_a_ref_that_leads_nowhere_and_makes_nothing(self) -> None:
        first = make_representation(make_shoebox())
        text = written(first).replace(str(first.cites[0]["ref"]).encode(), b"evidence:01M000000000000000000000ZZ")

        with pytest.raises(NotFound, match="01M000000000000000000000ZZ"):
            import_representation(
                read_representation_file(text), workspace=first.workspace, actor=first.made_by, now=NOON
            )

        assert Representation.objects.count() == 1


class TestReplaceRepresentation:
    def test_makes_the_changed_file_the_next_version(self) -> None:
        made = make_representation(make_shoebox())
        said = read_representation_file(written(made, title="What happened when"))

        made = replace_representation(made, said, actor=made.made_by, now=NOON)

        assert (made.title, made.version, made.edited) == ("What happened when", 2, True)

    def test_refuses_a_file_older_than_somebodys_edit(self) -> None:
        made = make_representation(make_shoebox())
        said = read_representation_file(written(made))
        edit = read_representation_file(written(made, title="By somebody else"))
        made = replace_representation(made, edit, actor=made.made_by, now=NOON)

        with pytest.raises(StaleVersion):
            replace_representation(made, said, actor=made.made_by, now=NOON)

        assert Representation.objects.get().title == "By somebody else"

    def test_refuses_the_file_of_another_one(self) -> None:
        made, other = make_representation(make_shoebox()), make_representation(make_shoebox())

        with pytest.raises(OfAnother, match=other.public_id):
            replace_representation(made, read_representation_file(written(other)), actor=made.made_by, now=NOON)


class TestOnThePages:
    @pytest.fixture(autouse=True)
    def logged_in(self, client: Client) -> None:
        actor = make_owner()
        assert actor.user is not None
        client.force_login(actor.user)

    def test_a_file_that_was_downloaded_is_taken_in(self, client: Client) -> None:
        made = make_representation(make_shoebox())
        file = client.get(reverse("hypotheses:download", args=[made.public_id, "timeline.json"])).content

        answer = client.post(
            reverse("hypotheses:import"),
            {"shoebox": made.shoebox.public_id, "file": SimpleUploadedFile("timeline.json", file)},
        )

        new = Representation.objects.latest("pk")
        assert answer["Location"] == reverse("hypotheses:representation", args=[new.public_id])
        assert new.body == made.body

    def test_a_file_that_cannot_be_read_is_refused_beside_its_field(self, client: Client) -> None:
        shoebox = make_shoebox()

        answer = client.post(
            reverse("hypotheses:import"), {"shoebox": shoebox.public_id, "file": SimpleUploadedFile("a.json", b"{}")}
        )

        assert answer.status_code == 422
        assert "not the JSON of a representation" in answer.content.decode()
        assert '<details class="sec" open>' in answer.content.decode()

    def test_a_changed_file_is_taken_back(self, client: Client) -> None:
        made = make_representation(make_shoebox())
        file = SimpleUploadedFile("timeline.json", written(made, title="Reworded"))

        answer = client.post(reverse("hypotheses:replace", args=[made.public_id]), {"file": file})

        assert answer.status_code == 302
        assert Representation.objects.get().title == "Reworded"

    @pytest.mark.parametrize(
        ("file", "status", "says"),
        [
            ({}, 422, "Choose the changed JSON file first."),
            ({"file": SimpleUploadedFile("a.json", b"")}, 422, "empty"),
            ({"file": SimpleUploadedFile("a.json", b"[1]")}, 422, "not the JSON of a representation"),
        ],
    )
    def test_what_cannot_be_taken_back_says_why(
        self, client: Client, file: dict[str, Any], status: int, says: str
    ) -> None:
        made = make_representation(make_shoebox())

        answer = client.post(reverse("hypotheses:replace", args=[made.public_id]), file)

        assert (answer.status_code, says in answer.content.decode()) == (status, True)
        assert Representation.objects.get().version == 1
