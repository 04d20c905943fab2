"""Hypotheses and representations as Markdown for people and JSON for machines. Pure, and the same bytes every time.

The three voices keep their labels in Markdown: *source quote*, *summary*, *inference*.
"""

import json
from collections.abc import Callable

from hypotheses.kinds import KINDS
from hypotheses.markdown import listed, plain, table, worded
from hypotheses.schemas import CitedEvidence, DecisionOut, HypothesisOut, RepresentationOut


def representation_json(out: RepresentationOut) -> str:
    """Stable JSON: fields in the order of the schema, text as it is, one final newline."""
    return json.dumps(out.model_dump(mode="json"), ensure_ascii=False, indent=2) + "\n"


def representation_markdown(out: RepresentationOut) -> str:
    """A representation with its rows, what each cites, and what has moved since."""
    lines = [
        f"# {plain(out.title)}",
        "",
        f"{out.kind.replace('_', ' ').capitalize()} of {out.shoebox}, "
        f"{'built' if out.built else 'written'} by {plain(out.made_by)} on {out.made_at:%Y-%m-%d %H:%M} UTC. "
        f"It is {out.state}.",
        "",
    ]
    lines += [f"- Behind: {plain(reason)}" for reason in out.behind] + ([""] if out.behind else [])
    lines += body_markdown(out)
    lines += ["## Cites", "", *table(("Ref", "State", "Anchor"), map(_cite_row, out.cites)), ""]
    return "\n".join([*lines, f"Ref: {out.ref}, version {out.version}", ""])


def hypothesis_markdown(out: HypothesisOut) -> str:
    """A hypothesis with what speaks against it and for it, its threshold and its history."""
    lines = [
        f"# H{out.number} {plain(out.claim)}",
        "",
        f"Status: {out.status}. *Inference* by {plain(out.made_by)}.",
        "",
    ]
    lines += [f"- Recheck: {plain(reason)}" for reason in out.recheck] + ([""] if out.recheck else [])
    if out.override:
        lines += [f"- Accepted against its threshold: {plain(out.override)}", ""]
    for title, cited in (
        ("Against", out.contradicting), ("For", out.supporting), ("Context", out.contextual),
    ):  # fmt: skip
        lines += [f"## {title}", "", *_cited_lines(cited), ""]
    lines += listed("Open questions", out.open_questions)
    lines += listed("Rejected alternatives", [f"{each.option}: {each.reason}" for each in out.alternatives])
    lines += worded("Decision threshold", out.threshold)
    lines += [f"- [{'x' if check.met else ' '}] {plain(check.sentence)}" for check in out.checks] + [""]
    lines += worded("What would change our mind", out.would_change)
    lines += listed(f"Confidence: at most {out.confidence.at_most}", out.confidence.reasons)
    lines += worded("What happened", out.what_happened)
    lines += listed("Decisions", [_decision_line(decision) for decision in out.decisions])
    lines += [f"Superseded by {out.superseded_by}.", ""] if out.superseded_by else []
    lines += [f"Supersedes {', '.join(out.supersedes)}.", ""] if out.supersedes else []
    return "\n".join([*lines, f"Ref: {out.ref}, version {out.version}", ""])


def body_markdown(out: RepresentationOut) -> list[str]:
    """The body of a representation, as its kind writes it."""
    kind = KINDS[out.kind]
    return kind.markdown(kind.body.model_validate(out.body))


BODIES: dict[str, Callable[[RepresentationOut], list[str]]] = dict.fromkeys(KINDS, body_markdown)
"""How the body of each kind is written in Markdown."""


def _cite_row(cite: dict[str, str]) -> tuple[str, str, str]:
    return cite["ref"], cite.get("state", ""), cite.get("anchor_state", "")


def _cited_lines(cited: list[CitedEvidence]) -> list[str]:
    lines = []
    for one in cited:
        lines.append(f"- {one.label} {one.ref}: {one.state}, anchor {one.anchor_state}")
        lines += [f"  - Caveat: {plain(caveat)}" for caveat in one.caveats]
    return lines or ["Nothing."]


def _decision_line(decision: DecisionOut) -> str:
    notes = [" against the threshold"] if decision.overridden else []
    notes += [" (one reviewer)"] if decision.one_reviewer else []
    when = f"{decision.at:%Y-%m-%d %H:%M} UTC"
    return f"{when}, {decision.before} to {decision.after}{''.join(notes)} by {decision.by}: {decision.reason}"
