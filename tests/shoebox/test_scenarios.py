"""What gathering finds on the real sample: the questions that its people had to answer."""

from pathlib import Path

import pytest

from shoebox.models import Shoebox
from shoebox.schemas import ShoeboxDraft
from shoebox.services import create_shoebox, gather_shoebox
from tests.factories import NOON, make_person
from tests.scenarios import Scenario
from yoimemory.search.models import Document
from yoimemory.search.services import index_workspace
from yoimemory.sources.models import Workspace
from yoimemory.sources.services import register_workspace

pytestmark = pytest.mark.django_db


class TestGatheringOnTheSample:
    def test_finds_every_source_that_each_question_needs(
        self, sample: Path, scenarios: dict[str, Scenario], subtests: pytest.Subtests
    ) -> None:
        workspace, _ = register_workspace(sample, now=NOON)
        index_workspace(workspace, now=NOON)
        person = make_person(workspace)
        tasks = {"S1": "ticket:00001KXKMX0QM", "S2": "", "S3": ""}

        for name, task in tasks.items():
            # Of the repository the sample holds part of the history: one commit each of S2 and S3 is not in it.
            must = held(workspace, scenarios[name].must)
            with subtests.test(name):
                assert len(must) >= 5
                draft = ShoeboxDraft.model_validate(
                    {"question": scenarios[name].question, "task": task, "as_of": scenarios[name].as_of}
                )

                box = create_shoebox(draft, workspace=workspace, actor=person, now=NOON)
                again = gather_shoebox(box, actor=person, now=NOON)

                assert [place for place in must if place not in documents(box)] == []
                assert all(item.rationale for item in box.items.all())
                assert box.holdings.items <= box.budget_items
                assert box.holdings.characters <= box.budget_characters
                assert again.new == []


def held(workspace: Workspace, places: list[str]) -> list[str]:
    """Those of these places that the index of the sample holds."""
    known = set(Document.objects.filter(workspace=workspace.public_id, ref__in=places).values_list("ref", flat=True))
    return [place for place in places if place in known]


def documents(box: Shoebox) -> set[str]:
    return {item.document for item in box.items.all()}
