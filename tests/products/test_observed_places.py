"""Where impact is observed: a commit's message, a thread's event, a doc, a review, an artifact that somebody wrote."""

from pathlib import Path

import pytest

from tests.factories import make_evidence, make_shoebox, make_worker
from tests.products.making import TICKET
from tests.products.test_impact import LATER, commit, make_repository
from yoimemory.desk.indexing import index_workspace_and_recheck
from yoimemory.products import services
from yoimemory.products.impact import impact_report
from yoimemory.products.models import Impact

pytestmark = pytest.mark.django_db

PLACES = {
    "a doc": ("docs/design.md", "# Design\n\nIt rests on {ref}.\n", "doc:docs/design.md"),
    "an artifact of a ticket": (f"{TICKET}/artifacts/r.md", "See {ref}.\n", "ticket:00001KX6WVNPD/artifacts/r.md"),
    "a resource of an objective": (
        ".yoi/objectives/00001KVJSMQXZ/resources/n.md", "See {ref}.\n", "objective:00001KVJSMQXZ/resources"
    ),
    "a review in a thread": (
        f"{TICKET}/thread.md",
        "<!-- event: review author: r at: 2026-07-17T12:00:00Z status: approve -->\n\nBecause of {ref}.\n\n---\n",
        "ticket:00001KX6WVNPD/thread#event-1",
    ),
}  # fmt: skip


class TestObserved:
    @pytest.mark.parametrize("place", sorted(PLACES))
    def test_in(self, tmp_path: Path, place: str) -> None:
        workspace = make_repository(tmp_path)
        evidence = make_evidence(make_shoebox(workspace), made_by=make_worker(workspace))
        path, words, product = PLACES[place]
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(words.format(ref=evidence.ref))
        commit(tmp_path, "Write it down")

        index_workspace_and_recheck(workspace, now=LATER)

        impact = Impact.objects.get()
        assert (impact.kind, impact.known, impact.subjects) == ("cited", "observed", [str(evidence.ref)])
        assert impact.product.startswith(product)

    def test_in_the_words_of_a_commit_message(self, tmp_path: Path) -> None:
        workspace = make_repository(tmp_path)
        evidence = make_evidence(make_shoebox(workspace))
        commit(tmp_path, f"Keep both edits, see {evidence.ref}")

        index_workspace_and_recheck(workspace, now=LATER)

        assert Impact.objects.get().product.startswith("commit:")

    def test_never_adds_a_retrieval(self, tmp_path: Path) -> None:
        workspace = make_repository(tmp_path)
        index_workspace_and_recheck(workspace, now=LATER)

        report = impact_report(workspace, now=LATER)

        assert set(report.exposure) | set(report.activity) == {
            "resident_exposure", "query", "shoebox_created", "evidence_extracted", "representation_created",
            "source_opened", "stale_marked",
        }  # fmt: skip
        assert [row.kind for row in report.effects] == list(Impact.EFFECTS)
        assert len(report.effects) == 8
        assert services.observe_impact(workspace, now=LATER) == 0
