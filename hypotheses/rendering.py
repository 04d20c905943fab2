"""Hypotheses and representations as Markdown for people and JSON for machines. Pure, and the same bytes every time.

The three voices keep their labels in Markdown: *source quote*, *summary*, *inference*.
"""

import json
from collections.abc import Callable, Iterable, Sequence

from hypotheses.schemas import CitedEvidence, DecisionOut, HypothesisOut, RepresentationOut, Timeline

Body = Callable[[RepresentationOut], list[str]]


def representation_json(out: RepresentationOut) -> str:
    """Stable JSON: fields in the order of the schema, text as it is, one final newline."""
    return json.dumps(out.model_dump(mode="json"), ensure_ascii=False, indent=2) + "\n"


def hypothesis_json(out: HypothesisOut) -> str:
    """Stable JSON of a hypothesis."""
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
    lines += BODIES[out.kind](out)
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
    lines += _listed("Open questions", out.open_questions)
    lines += _listed("Rejected alternatives", [f"{each.option}: {each.reason}" for each in out.alternatives])
    lines += _worded("Decision threshold", out.threshold)
    lines += [f"- [{'x' if check.met else ' '}] {plain(check.sentence)}" for check in out.checks] + [""]
    lines += _worded("What would change our mind", out.would_change)
    lines += _worded("What happened", out.what_happened)
    lines += _listed("Decisions", [_decision_line(decision) for decision in out.decisions])
    lines += [f"Superseded by {out.superseded_by}.", ""] if out.superseded_by else []
    lines += [f"Supersedes {', '.join(out.supersedes)}.", ""] if out.supersedes else []
    return "\n".join([*lines, f"Ref: {out.ref}, version {out.version}", ""])


def plain(text: str) -> str:
    """Text on one line whose Markdown and HTML characters stand for themselves."""
    line = " ".join(text.split())
    return "".join(f"\\{char}" if char in "\\`*_[]<>|#" else char for char in line)


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """A Markdown table; cells are escaped."""
    body = [f"| {' | '.join(plain(cell) for cell in row)} |" for row in rows]
    return [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}", *body]


def _timeline(out: RepresentationOut) -> list[str]:
    body = Timeline.model_validate(out.body)
    as_of = f"As of {body.as_of:%Y-%m-%d %H:%M:%S} UTC; rows after it are marked later." if body.as_of else ""
    rows = [
        (
            f"{row.at:%Y-%m-%d %H:%M:%S}" + (" later" if row.later else ""),
            row.lane,
            row.label,
            ", ".join(f"{each.relation} {each.name or 'the question'}" for each in row.bears),
            ", ".join(row.refs),
        )
        for row in body.rows
    ]
    lines = ["## Timeline", "", *([as_of, ""] if as_of else [])]
    lines += [*table(("Time, UTC", "Lane", "What", "Bears on", "Cites"), rows), ""]
    return lines + _listed("Without a date", body.undated)


BODIES: dict[str, Body] = {"timeline": _timeline}
"""How the body of each kind is written in Markdown."""


def _cite_row(cite: dict[str, str]) -> tuple[str, str, str]:
    return cite["ref"], cite.get("state", ""), cite.get("anchor_state", "")


def _cited_lines(cited: list[CitedEvidence]) -> list[str]:
    lines = []
    for one in cited:
        lines.append(f"- {one.label} {one.ref}: {one.state}, anchor {one.anchor_state}")
        lines += [f"  - Caveat: {plain(caveat)}" for caveat in one.caveats]
    return lines or ["Nothing."]


def _listed(title: str, entries: Sequence[str]) -> list[str]:
    return [f"## {title}", "", *(f"- {plain(entry)}" for entry in entries), ""] if entries else []


def _worded(title: str, words: str) -> list[str]:
    return [f"## {title}", "", plain(words), ""] if words else []


def _decision_line(decision: DecisionOut) -> str:
    notes = [" against the threshold"] if decision.overridden else []
    notes += [" (one reviewer)"] if decision.one_reviewer else []
    when = f"{decision.at:%Y-%m-%d %H:%M} UTC"
    return f"{when}, {decision.before} to {decision.after}{''.join(notes)} by {decision.by}: {decision.reason}"
