"""Contradictions and the reliability of sources from the terminal."""

import argparse
from typing import Any

from yoimemory.cli.asking import show_page
from yoimemory.cli.confirming import require_person
from yoimemory.cli.run import DONE, caller, instant, now, say, show_json, workspace_of


def list_contradictions(arguments: argparse.Namespace) -> int:
    """List contradictions; `--ref` asks for those with a side in it, from whichever side."""
    from yoimemory.http import page_of
    from yoimemory.markers.models import Contradiction
    from yoimemory.markers.schemas import ContradictionOut
    from yoimemory.refs import SourceRef

    rows = Contradiction.objects.filter(workspace=workspace_of(arguments)).with_people()
    if arguments.ref:
        rows = rows.on([SourceRef.parse(arguments.ref)])
    if arguments.status:
        rows = rows.filter(status=arguments.status)
    page = page_of(rows, arguments.limit, arguments.cursor, ContradictionOut.of)
    return show_page(page, _contradiction, arguments, "No contradiction is noted.")


def note(arguments: argparse.Namespace) -> int:
    """Let two refs stand against each other; a Worker's is proposed until a person takes it over."""
    from yoimemory.markers.schemas import ContradictionDraft, ContradictionOut
    from yoimemory.markers.services import note_contradiction

    draft = ContradictionDraft(
        left=arguments.left, right=arguments.right, about=arguments.about, left_at=instant(arguments.left_at or ""),
        right_at=instant(arguments.right_at or ""), left_scope=arguments.left_scope, right_scope=arguments.right_scope,
    )  # fmt: skip
    out = ContradictionOut.of(note_contradiction(draft, workspace=workspace_of(arguments), actor=caller(), now=now()))
    if arguments.json:
        show_json(out)
    else:
        say(_contradiction(out))
    return DONE


def list_reliability(arguments: argparse.Namespace) -> int:
    """List how far sources are trusted; one that is not listed cannot be judged."""
    from yoimemory.http import page_of
    from yoimemory.markers.models import Reliability
    from yoimemory.markers.schemas import ReliabilityOut
    from yoimemory.refs import SourceRef

    rows = Reliability.objects.filter(workspace=workspace_of(arguments)).select_related("set_by")
    if arguments.source:
        rows = rows.filter(source=str(SourceRef.parse(arguments.source).source))
    page = page_of(rows, arguments.limit, arguments.cursor, ReliabilityOut.of)
    return show_page(page, _grade, arguments, "No source was graded: none can be judged.")


def set_grade(arguments: argparse.Namespace) -> int:
    """Say how far a source is trusted, as a reviewer at a terminal."""
    from yoimemory.markers.schemas import ReliabilityDraft, ReliabilityOut
    from yoimemory.markers.services import set_reliability
    from yoimemory.refs import SourceRef

    require_person("how far a source is trusted")
    draft = ReliabilityDraft(source=arguments.source, grade=arguments.grade, reason=arguments.reason)
    row = set_reliability(
        SourceRef.parse(draft.source), grade=draft.grade, reason=draft.reason, workspace=workspace_of(arguments),
        actor=caller(), now=now(),
    )  # fmt: skip
    out = ReliabilityOut.of(row)
    if arguments.json:
        show_json(out)
    else:
        say(_grade(out))
    return DONE


def _contradiction(out: Any) -> str:
    return f"{out.ref}  {out.status}  {out.left.ref} against {out.right.ref}\n  {' '.join(out.about.split())}"


def _grade(out: Any) -> str:
    return f"{out.source}  {out.grade}  {' '.join(out.reason.split())}"
