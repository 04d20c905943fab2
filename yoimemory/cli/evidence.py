"""Evidence from the terminal."""

import argparse
import sys
from dataclasses import asdict

from yoimemory.cli.run import DONE, NOTHING, at_a_terminal, caller, now, say, say_within, show_json, workspace_of
from yoimemory.cli.shoebox import find_shoebox


def add(arguments: argparse.Namespace) -> int:
    """Quote a source into the evidence file; exit 1 when the gate refuses the words, with the nearest text.

    At a terminal a person quotes; what a script sends waits for review, whoever started it.
    """
    from evidence.schemas import EvidenceDraft
    from evidence.services import extract_evidence
    from evidence.standing import evidence_outs

    shoebox = find_shoebox(arguments.shoebox, arguments)
    quote = sys.stdin.read().strip("\n") if arguments.quote == "-" else arguments.quote
    draft = EvidenceDraft(
        ref=arguments.ref, quote=quote, relation=arguments.relation, target=arguments.target, why=arguments.why
    )
    extraction = extract_evidence(shoebox, [draft], actor=caller(), now=now(), to_review=not at_a_terminal())
    stored = evidence_outs(extraction.stored)
    if arguments.json:
        show_json({"stored": stored, "refused": [asdict(refusal) for refusal in extraction.refused]})
    for out in [] if arguments.json else stored:
        say(f"{out.ref}  {out.state}, quoted from {out.source_ref}")
    for refusal in [] if arguments.json else extraction.refused:
        sys.stderr.write(f"{refusal.code}: {refusal.message}\n")
        if refusal.nearest:
            sys.stderr.write(f"  nearest, {refusal.nearest_ref}: {refusal.nearest}\n")
    return DONE if stored else NOTHING


def list_evidence(arguments: argparse.Namespace) -> int:
    """List evidence, newest first."""
    from evidence.models import Evidence
    from evidence.standing import evidence_outs
    from yoimemory.http import page_of

    rows = Evidence.objects.filter(workspace=workspace_of(arguments))
    if arguments.shoebox:
        rows = rows.filter(shoebox=find_shoebox(arguments.shoebox, arguments))
    if arguments.state:
        rows = rows.filter(state=arguments.state)
    rows = rows.select_related("shoebox", "made_by", "state_by", "superseded_by").prefetch_related("relations")
    page = page_of(rows, arguments.limit, "", outs=evidence_outs)
    if arguments.json:
        show_json(page)
        return DONE
    blocks = [
        "\n".join(
            [
                f"{out.ref}  {out.state}, {out.anchor_state}  {', '.join(one.relation for one in out.relations)}",
                *(f"  | {line}" for line in (out.quote or out.summary).split("\n")),
                *(f"  caveat: {caveat}" for caveat in out.caveats),
            ]
        )
        for out in page.items
    ]
    say_within(None, blocks, total=page.total)
    if not page.items:
        say("There is no evidence yet. Quote some: yoimemory evidence add --help")
    return DONE


def show(arguments: argparse.Namespace) -> int:
    """Show one piece of evidence with its provenance."""
    from yoimemory.desk.resolver import open_source
    from yoimemory.refs import SourceRef

    ref = SourceRef("evidence", arguments.evidence.removeprefix("evidence:"))
    opened = open_source(ref, workspace=workspace_of(arguments), actor=caller(), now=now())
    if arguments.json:
        show_json(opened.record)
    else:
        say(opened.rendered())
    return DONE
