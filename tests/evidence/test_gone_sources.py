"""Proof outlives its source: the words stay readable, and page, JSON and export say what became of the source."""

import json
import re
from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from evidence.models import Evidence
from evidence.schemas import EvidenceDraft
from evidence.services import extract_evidence, recheck_anchors
from tests.evidence.conftest import Desk
from tests.evidence.repository import WORK_ITEMS
from tests.factories import NOON
from yoimemory.search.services import index_workspace

pytestmark = pytest.mark.django_db(databases=["default", "index"])

LOG = ".yoi/sessions/day.jsonl"
SAID = "May the queued ticket start before its dependency is merged?"
OWN = "A line of its own stands here, in a commit of its own."


def delete_the_transcript(desk: Desk) -> tuple[str, str]:
    desk.repository.write(LOG, json.dumps({"role": "user", "content": SAID}) + "\n")
    return "session:plain/day", SAID


def take_the_file_away(desk: Desk) -> tuple[str, str]:
    return "doc:docs/work-items.md", WORK_ITEMS.split("\n")[2][:200]


def quote(desk: Desk, ref: str, words: str) -> Evidence:
    draft = EvidenceDraft(ref=ref, quote=words, why="It bears on the question.")
    outcome = extract_evidence(desk.shoebox, [draft], actor=desk.reviewer, now=NOON)
    assert not outcome.refused, outcome.refused
    return outcome.stored[0]


def look(desk: Desk, evidence: Evidence) -> dict[str, str]:
    """What each surface says of it, as text."""
    client = Client()
    assert desk.reviewer.user is not None
    client.force_login(desk.reviewer.user)
    page = client.get(reverse("evidence:detail", args=[evidence.public_id])).content.decode()
    sent = client.get(f"/api/v1/evidence/{evidence.public_id}").json()
    export = client.get(reverse("evidence:annotations", args=[desk.shoebox.public_id])).getvalue().decode()
    return {"page": page, "json": json.dumps(sent, ensure_ascii=False), "export": json.dumps(json.loads(export))}


class TestASourceThatIsGone:
    @pytest.mark.parametrize(
        ("make", "path"), [(delete_the_transcript, LOG), (take_the_file_away, "docs/work-items.md")]
    )
    def test_leaves_the_words_readable_and_says_so_everywhere(
        self, desk: Desk, make: Callable[[Desk], tuple[str, str]], path: str
    ) -> None:
        ref, words = make(desk)
        index_workspace(desk.workspace, now=NOON)
        evidence = quote(desk, ref, words)
        desk.repository.remove(path)
        desk.repository.commit()
        index_workspace(desk.workspace, now=NOON)
        recheck_anchors(desk.workspace, None, now=NOON)

        told = look(desk, evidence)

        assert all(words in text for text in told.values())
        for text in told.values():
            assert re.search(r"is gone[;.] (its|The) words and their (surroundings|proof) are kept", text)
        assert '"yoimemory:anchorState": "orphaned"' in told["export"]


class TestARenamedSource:
    def test_is_followed_and_says_where_the_words_are_now(self, desk: Desk) -> None:
        ref, words = take_the_file_away(desk)
        evidence = quote(desk, ref, words)
        desk.repository.rename("docs/work-items.md", "docs/items.md")
        desk.repository.commit()
        index_workspace(desk.workspace, now=NOON)
        recheck_anchors(desk.workspace, None, now=NOON)

        told = look(desk, evidence)

        assert "docs/items.md" in told["page"]
        assert "docs/items.md" in told["json"]
        assert '"yoimemory:anchorState": "moved"' in told["export"]


class TestACommitThatWasRebasedAway:
    def test_is_told_and_the_words_stay(self, desk: Desk) -> None:
        desk.repository.write("docs/work-items.md", f"{WORK_ITEMS}\n{OWN}\n")
        desk.repository.commit()
        evidence = quote(desk, "doc:docs/work-items.md", OWN)
        desk.repository.amend("Say it in other words")
        index_workspace(desk.workspace, now=NOON)
        recheck_anchors(desk.workspace, [], now=NOON)

        told = look(desk, evidence)

        assert all(OWN in text for text in told.values())
        assert "no longer part of the history" in told["page"]
        assert "no longer part of the history" in told["json"]
        assert "no longer part of the history" in told["export"]
