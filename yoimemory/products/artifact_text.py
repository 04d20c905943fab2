"""An artifact as Markdown for people: contrary evidence first, three voices told apart, hidden characters shown."""

import json
import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from evidence.applies import applies_to
from evidence.schemas import EvidenceOut
from hypotheses.rendering import BODIES
from hypotheses.schemas import CitedEvidence, DecisionOut, HypothesisOut, RepresentationOut
from shoebox.schemas import ItemOut
from yoimemory.products.schemas import ArtifactOut
from yoimemory.products.visible import visible

_BLOCK_START = re.compile(r"^(\s*)([#>+*=|~-]|\d+[.)])")
_RELATIONS = (
    ("refutes", "Against"),
    ("supports", "For"),
    ("contextualizes", "Context"),
    ("", "Without a relation"),
)  # contrary first, as everywhere


def as_markdown(artifact: ArtifactOut, *, machine: str) -> str:
    """The artifact for people. `machine` is the name of the JSON beside it."""
    shoebox = artifact.shoebox
    lines = [
        f"<!-- {artifact.format} {shoebox.ref} {artifact.digest} -->",
        "",
        f"# {_inline(shoebox.question)}",
        "",
        *_head(artifact, machine),
        *(_hypotheses(artifact) if artifact.holds in {"dossier", "hypotheses", "representations"} else []),
        *(_evidence(artifact) if artifact.holds != "shoebox" else []),
        *_representations(artifact.representations),
        *_items(artifact.items),
        *(_sought(shoebox.sought) if artifact.holds in {"dossier", "shoebox"} else []),
    ]
    return "\n".join(lines).rstrip("\n") + f"\n\n---\n\n`{shoebox.ref}` · `{artifact.digest}`\n"


def _head(artifact: ArtifactOut, machine: str) -> list[str]:
    shoebox = artifact.shoebox
    opened = f"opened by {_inline(shoebox.opened_by)}, {_day(shoebox.opened_at)}"
    lines = [f"- Gathered in `{shoebox.ref}` ({shoebox.state}), {opened}"]
    if shoebox.task:
        lines.append(f"- Task: `{shoebox.task}`")
    if shoebox.task_title:
        lines.append(f"- Task: {_inline(shoebox.task_title)} ({shoebox.task_kind})")
    if shoebox.purpose:
        lines.append(f"- Purpose: {_inline(shoebox.purpose)}")
    if shoebox.as_of:
        lines.append(f"- As of {_instant(shoebox.as_of)}: what is later is marked as later")
    accepted = sum(one.state == "accepted" for one in artifact.evidence)
    lines += [
        f"- Hypotheses: {len(artifact.hypotheses)}, evidence: {len(artifact.evidence)} ({accepted} accepted), "
        f"items: {len(artifact.items)}",
        f"- For machines: `{machine}`",
        "",
        "This file points to its sources and argues from them; it is no authority itself. A *source quote* is",
        "verbatim, a *summary* is in the words of who extracted it, an *inference* is what somebody concluded.",
        "",
    ]
    return lines


def _hypotheses(artifact: ArtifactOut) -> list[str]:
    lines = ["## Hypotheses", ""]
    if not artifact.hypotheses:
        return [*lines, "None was proposed.", ""]
    for one in artifact.hypotheses:
        lines += [f"### H{one.number} {_inline(one.claim)}", "", *_standing(one)]
        lines += _cited("Against", one.contradicting, "nothing was found or linked")
        lines += _cited("For", one.supporting, "nothing was found or linked")
        lines += _cited("Context", one.contextual, "")
        lines += [f"- Open question: {_inline(question)}" for question in one.open_questions]
        lines += [f"- Turned down: {_inline(other.option)} ({_inline(other.reason)})" for other in one.alternatives]
        lines += _labelled("Threshold", one.threshold) + _labelled("Would change it", one.would_change)
        lines += _labelled("What happened", one.what_happened)
        lines += [_decision(decision) for decision in one.decisions] + [""]
    return lines


def _standing(one: HypothesisOut) -> list[str]:
    superseded = f", superseded by `{one.superseded_by}`" if one.superseded_by else ""
    lines = [f"- **{one.status}**{superseded} · `{one.ref}` · claimed by {_inline(one.made_by)}, {_day(one.made_at)}"]
    return lines + [f"- **Recheck:** {_inline(reason)}" for reason in one.recheck]


def _decision(decision: DecisionOut) -> str:
    notes = ["one reviewer"] * decision.one_reviewer + ["against the threshold"] * decision.overridden
    return (
        f"- Decided {_day(decision.at)} by {_inline(decision.by)}: {decision.before} → {decision.after}"
        + (f" ({', '.join(notes)})" if notes else "")
        + f". Reason: {_inline(decision.reason)}"
    )


def _cited(label: str, cited: Sequence[CitedEvidence], nothing: str) -> list[str]:
    if not cited:
        return [f"- {label}: {nothing}"] if nothing else []
    return [f"- {label}: " + ", ".join(f"{one.label} ({one.state}, {one.anchor_state})" for one in cited)]


def _evidence(artifact: ArtifactOut) -> list[str]:
    lines = ["## Evidence", ""]
    if not artifact.evidence:
        return [*lines, "Nothing was quoted.", ""]
    numbered = [(f"e{number}", one) for number, one in enumerate(artifact.evidence, start=1)]
    for relation, title in _RELATIONS:
        group = [(label, one) for label, one in numbered if _leading(one) == relation]
        if group:
            lines += [f"### {title}", ""]
            for label, one in group:
                lines += _one_evidence(label, one)
    return lines


def _leading(one: EvidenceOut) -> str:
    """The relation under which a piece is listed: what refutes anything comes first."""
    kinds = {relation.relation for relation in one.relations}
    return next((kind for kind, _ in _RELATIONS if kind in kinds), "")


def _one_evidence(label: str, one: EvidenceOut) -> list[str]:
    judged = f" by {_inline(one.state_by)}, {_day(one.state_at)}" if one.state_by else ""
    lines = [
        f"#### {label} · {_inline(one.title or one.source_ref)}",
        "",
        f"- `{visible(one.source_ref)}` ({one.authority or 'no authority class'})" + _said(one),
        f"- **{one.state}**{judged} · quote {one.anchor_state} · `{one.ref}` · extracted by {_inline(one.made_by)}, "
        f"{_day(one.made_at)}",
        f"- Basis: {one.basis}; source reliability: {one.source_reliability}",
        *_labelled("Applies to", applies_to(one.scope)),
    ]
    if one.state_reason:
        lines.append(f"- Reason: {_inline(one.state_reason)}")
    lines += [f"- {relation.relation} `{relation.target}`" for relation in one.relations]
    lines += [f"- **Caveat:** {_inline(caveat)}" for caveat in [one.anchor_note, *one.caveats] if caveat]
    lines += ["", *_quote(one)]
    lines += _words("Summary", one.summary, one.summary_by or one.made_by)
    lines += _words("Inference", one.inference, one.inference_by or one.made_by)
    return lines + _words("Why it matters (inference)", one.why, one.why_by or one.made_by)


def _said(one: EvidenceOut) -> str:
    parts = [part for part in (_inline(one.said_by), _instant(one.said_at) if one.said_at else "") if part]
    return f" · {', '.join(parts)}" if parts else ""


def _quote(one: EvidenceOut) -> list[str]:
    if not one.quote:
        return []
    fence = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", one.quote)), default=0))
    start, end = one.anchor.start_line, one.anchor.end_line
    where = f", line {start}" if start and start == end else f", lines {start} to {end}" if start else ""
    return [f"Source quote{where}:", "", f"{fence}text", *visible(one.quote).split("\n"), fence, ""]


def _words(label: str, text: str, author: str) -> list[str]:
    return [f"{label}, {_inline(author)}: {_block(text)}", ""] if text else []


def _labelled(label: str, text: str) -> list[str]:
    return [f"- {label}: {_inline(text)}"] if text else []


def _representations(representations: Sequence[RepresentationOut]) -> list[str]:
    lines: list[str] = []
    for one in representations:
        made = f"{_inline(one.made_by)}, {_day(one.made_at)}"
        lines += [f"## {_inline(one.title)}", "", f"- {one.kind}, **{one.state}** · `{one.ref}` · {made}"]
        lines += [f"- **Behind:** {_inline(reason)}" for reason in one.behind] + [""]
        body = BODIES[one.kind](one) if one.kind in BODIES else _as_code(one.body)
        lines += [f"#{visible(line)}" if line.startswith("## ") else visible(line) for line in body]
    return lines


def _as_code(body: dict[str, Any]) -> list[str]:
    return ["```json", *json.dumps(body, indent=2, sort_keys=True, ensure_ascii=False).split("\n"), "```", ""]


def _items(items: Sequence[ItemOut]) -> list[str]:
    rows = [
        [
            f"`{visible(item.ref)}`", item.title, item.rationale, item.leaning,
            item.screening + (f": {item.screening_reason}" if item.screening_reason else ""), "; ".join(item.caveats),
        ]
        for item in items
    ]  # fmt: skip
    if not rows:
        return []
    heads = ("Ref", "Title", "Why it is here", "Leaning", "Screening", "Caveats")
    return ["## What was gathered", "", *_table(heads, rows)]


def _sought(sought: dict[str, Any]) -> list[str]:
    return ["## What was looked for", "", *_tree(sought), ""] if sought else []


def _tree(value: object, depth: int = 0) -> Iterator[str]:
    """Nested values as nested lists; what is empty is left out."""
    entries: list[tuple[str, object]] = []
    if isinstance(value, dict):
        entries = sorted((str(key).replace("_", " "), entry) for key, entry in value.items())
    elif isinstance(value, list):
        entries = [("", entry) for entry in value]
    for key, entry in entries:
        if entry in ("", None, [], {}):
            continue
        label = _inline(key)
        if isinstance(entry, dict | list):
            yield f"{'  ' * depth}- {label or 'entry'}"
            yield from _tree(entry, depth + 1)
        else:
            yield f"{'  ' * depth}- {label + ': ' if label else ''}{_inline(str(entry))}"


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    lines = ["| " + " | ".join(heads) + " |", "|" + " --- |" * len(heads)]
    for row in rows:
        cells = [cell if cell.startswith("`") else _inline(cell) for cell in row]
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return [*lines, ""]


def _inline(text: str) -> str:
    """Words on one line: nothing in them begins a block, a tag, a link or an image, nothing is hidden."""
    line = visible(" ".join(text.split()))
    line = re.sub(r"&(?=#?\w+;)", "&amp;", re.sub(r"([\\<\[\]`])", r"\\\1", line))
    return _BLOCK_START.sub(r"\1\\\2", line)


def _block(text: str) -> str:
    """Words that may fill several lines of one paragraph; a blank line stays a new paragraph."""
    return "\n".join(_inline(line) for line in text.strip().split("\n"))


def _day(at: datetime) -> str:
    return f"{at:%Y-%m-%d}"


def _instant(at: datetime) -> str:
    return f"{at:%Y-%m-%d %H:%M:%S} UTC"
