"""Evidence from the terminal."""

import argparse
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING

from yoimemory.cli.run import (
    DONE,
    NOTHING,
    at_a_terminal,
    caller,
    now,
    read_text,
    say,
    say_within,
    show_json,
    warn,
    workspace_of,
)  # fmt: skip
from yoimemory.cli.shoebox import find_shoebox

if TYPE_CHECKING:
    from evidence.schemas import ObservedDraft


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
        ref=arguments.ref, kind=arguments.kind, quote=quote, relation=arguments.relation, target=arguments.target,
        why=arguments.why, summary=arguments.summary, inference=arguments.inference, basis=arguments.basis,
        observed=_observed(arguments),
    )  # fmt: skip
    extraction = extract_evidence(shoebox, [draft], actor=caller(), now=now(), to_review=not at_a_terminal())
    stored = evidence_outs(extraction.stored)
    if arguments.json:
        show_json({"stored": stored, "refused": [asdict(refusal) for refusal in extraction.refused]})
    for out in [] if arguments.json else stored:
        say(f"{out.ref}  {out.state}, quoted from {out.source_ref}")
    for refusal in [] if arguments.json else extraction.refused:
        warn(f"{refusal.code}: {refusal.message}")
        if refusal.nearest:
            warn(f"  nearest, {refusal.nearest_ref}: {refusal.nearest}")
    return DONE if stored else NOTHING


def _observed(arguments: argparse.Namespace) -> "ObservedDraft | None":
    """How an observation was made: words that are absent, a command and what it put out, or a state that was read."""
    from evidence.schemas import ObservedDraft

    if arguments.kind != "observation":
        return None
    if arguments.absent:
        return ObservedDraft(form="absence", pattern=arguments.absent, command=arguments.command)
    if arguments.output:
        return ObservedDraft(form="output", command=arguments.command, output=read_text(arguments.output))
    return ObservedDraft(form="state", command=arguments.command)


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


def suggest(arguments: argparse.Namespace) -> int:
    """Propose passages of a shoebox's items, without a model; a person judges them."""
    from evidence.services import suggest_evidence
    from evidence.standing import evidence_outs

    shoebox = find_shoebox(arguments.shoebox, arguments)
    outs = evidence_outs(suggest_evidence(shoebox, limit=arguments.limit, actor=caller(), now=now()).stored)
    if arguments.json:
        show_json({"stored": outs})
        return DONE if outs else NOTHING
    for out in outs:
        say(f"{out.ref}  {out.source_ref}")
        say("\n".join(f"  | {line}" for line in out.quote.split("\n")))
    if not outs:
        say("No further passage shares enough words with the question or a hypothesis.")
    return DONE if outs else NOTHING


def give_out(arguments: argparse.Namespace) -> int:
    """Print the evidence of a shoebox as a page of W3C Web Annotations."""
    from evidence.annotations import page_of_annotations
    from evidence.models import Evidence
    from evidence.standing import evidence_outs

    rows = Evidence.objects.in_shoebox(find_shoebox(arguments.shoebox, arguments)).with_people().order_by("pk")
    outs = evidence_outs(rows)
    show_json(page_of_annotations(outs, total=len(outs), next_cursor=""))
    return DONE


def take_in(arguments: argparse.Namespace) -> int:
    """Take Web Annotations in through the gate, as suggestions; exit 1 when some were refused."""
    from pathlib import Path

    from evidence.services import take_in_annotations
    from evidence.standing import evidence_outs

    shoebox = find_shoebox(arguments.shoebox, arguments)
    text = sys.stdin.read() if arguments.file == "-" else Path(arguments.file).read_text(encoding="utf-8")
    extraction = take_in_annotations(shoebox, text, actor=caller(), now=now())
    if arguments.json:
        refused = [asdict(refusal) for refusal in extraction.refused]
        show_json({"stored": evidence_outs(extraction.stored), "refused": refused})
    else:
        say(f"{len(extraction.stored)} taken in as suggested, {len(extraction.refused)} refused.")
        for refusal in extraction.refused:
            warn(f"{refusal.code}: {refusal.message}")
    return DONE if extraction.stored and not extraction.refused else NOTHING
