"""An observation says how it was made: an absence is checked, an output has its digest, and no command is run."""

import hashlib

import pytest

from evidence.models import Evidence
from evidence.schemas import EvidenceDraft, ObservedDraft
from evidence.services import Refusal, extract_evidence
from tests.evidence.conftest import Desk
from tests.factories import NOON

pytestmark = pytest.mark.django_db

DOC = "doc:docs/work-items.md"


def offer(desk: Desk, **observed: str) -> Evidence | Refusal:
    draft = EvidenceDraft(
        ref=DOC, kind="observation", summary="It says nothing of locks.", why="So no lock is promised.",
        observed=ObservedDraft.model_validate(observed),
    )  # fmt: skip
    outcome = extract_evidence(desk.shoebox, [draft], actor=desk.worker, now=NOON)
    return outcome.stored[0] if outcome.stored else outcome.refused[0]


class TestObservations:
    def test_keep_an_absence_with_revision_and_command(self, desk: Desk) -> None:
        stored = offer(desk, form="absence", pattern="advisory lock", command="git grep -n 'advisory lock'")

        assert isinstance(stored, Evidence)
        assert stored.observed["checked"] is True
        assert stored.observed["revision"] == stored.revision
        assert stored.observed["command"] == "git grep -n 'advisory lock'"

    def test_refuse_an_absence_that_is_none(self, desk: Desk) -> None:
        refused = offer(desk, form="absence", pattern="never blocks")

        assert isinstance(refused, Refusal)
        assert refused.code == "not_absent"
        assert "#L" in refused.nearest_ref

    def test_make_the_digest_of_an_output(self, desk: Desk) -> None:
        stored = offer(desk, form="output", command="make test", output="3 failed\n")

        assert isinstance(stored, Evidence)
        assert stored.observed["output_digest"] == hashlib.sha256(b"3 failed").hexdigest()
        assert stored.observed["checked"] is True

    def test_say_when_a_digest_was_only_told(self, desk: Desk) -> None:
        stored = offer(desk, form="output", command="make test", output_digest="a" * 64)

        assert isinstance(stored, Evidence)
        assert stored.observed["checked"] is False

    @pytest.mark.parametrize(
        "observed",
        [
            {"form": "absence"},
            {"form": "output", "command": "make test"},
            {"form": "output", "command": "make test", "output": "x", "output_digest": "a" * 64},
        ],
    )
    def test_refuse_what_lacks_what_shows_it(self, desk: Desk, observed: dict[str, str]) -> None:
        refused = offer(desk, **observed)

        assert isinstance(refused, Refusal)
        assert refused.code == "bad_input"
