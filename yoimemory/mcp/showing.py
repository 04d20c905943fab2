"""How records of ours read in an answer: label by label, authors named, the words of sources fenced."""

from collections.abc import Iterable
from typing import Any

from evidence.applies import applies_to
from evidence.schemas import EvidenceOut
from yoimemory.mcp.quoting import OPENING, fenced, one_line

QUOTE_SHORT = 280


def evidence_block(out: EvidenceOut, *, short: bool, context: Iterable[str] = ()) -> str:
    """One piece of evidence: where it bears, its caveats, then quote, summary and inference apart."""
    bears = ", ".join(f"{one.relation} {one.target}" for one in out.relations) or "no relation yet"
    lines = [f"\n{out.ref} [{out.state}] {bears}"]
    if out.state_reason:
        lines.append(f"   {out.state}: {one_line(out.state_reason, 300)}")
    lines += [f"   caveat: {one_line(caveat, 300)}" for caveat in out.caveats]
    note = f" ({one_line(out.anchor_note, 200)})" if out.anchor_note else ""
    lines.append(f"   anchor: {out.anchor_state}{note}")
    if out.quote:
        said = ", ".join(one_line(word, 80) for word in (out.authority, out.speaker, out.said_by) if word)
        date = f", {out.said_at:%Y-%m-%d}" if out.said_at else ""
        quote = out.quote[:QUOTE_SHORT] + "…" if short and len(out.quote) > QUOTE_SHORT else out.quote
        lines += [f"   {OPENING}, {out.source_ref} ({said}{date}):", *fenced(quote, indent="   ")]
    else:
        lines.append(f"   about {out.source_ref} ({out.kind})")
    lines += [f"   {line}" for line in context]
    for label, words, author in (
        ("summary", out.summary, out.summary_by),
        ("inference", out.inference, out.inference_by),
        ("inference, why", out.why, out.why_by),
    ):
        if words:
            lines.append(f"   {label}, {one_line(author or out.made_by, 80)}: {one_line(words, 300 if short else 0)}")
    applies = applies_to(out.scope)
    if applies:
        lines.append(f"   applies to: {one_line(applies, 300)}")
    lines.append(f"   basis: {out.basis}; source reliability: {out.source_reliability}; in {out.shoebox}")
    lines.append(f"   extracted by {one_line(out.made_by, 80)}, {out.made_at:%Y-%m-%d %H:%M}Z")
    return "\n".join(lines)


def record_line(noun: str, out: Any) -> str:
    """One record of a list, in the few lines that tell whether to open it."""
    return _LINES[noun](out)


def _shoebox(out: Any) -> str:
    task = f", task {one_line(out.task, 120)}" if out.task else ""
    opened = f"opened by {one_line(out.opened_by, 80)}, {out.opened_at:%Y-%m-%d}"
    return (
        f"\n{out.ref} [{out.state}] {one_line(out.question, 300)}\n"
        f"   {out.items_held} items, {out.items_against} likely contradicting{task}; {opened}"
    )


def _representation(out: Any) -> str:
    lines = [f"\n{out.ref} [{out.kind}, {out.state}] {one_line(out.title, 200)}"]
    lines += [f"   caveat: behind, {one_line(reason, 200)}" for reason in out.behind[:5]]
    return "\n".join([*lines, f"   in {out.shoebox}; by {one_line(out.made_by, 80)}, {out.made_at:%Y-%m-%d}"])


def _hypothesis(out: Any) -> str:
    lines = [f"\n{out.ref} [{out.status}] H{out.number}"]
    lines += [f"   caveat: recheck, {one_line(reason, 200)}" for reason in out.recheck[:5]]
    lines.append(f"   inference (claim), {one_line(out.made_by, 80)}: {one_line(out.claim, 400)}")
    lines.append(
        f"   {len(out.contradicting)} against, {len(out.supporting)} for, {len(out.open_questions)} open questions; "
        f"in {out.shoebox}"
    )
    return "\n".join(lines)


def _proposal(out: Any) -> str:
    lines = [f"\n{out.ref} [{out.state}] {out.target} {one_line(out.path, 200)}: {one_line(out.title, 200)}"]
    lines += [f"   caveat: {one_line(caveat, 200)}" for caveat in out.caveats[:5]]
    if out.state_reason:
        lines.append(f"   {out.state}: {one_line(out.state_reason, 300)}")
    lines.append(f"   inference (rationale), {one_line(out.made_by, 80)}: {one_line(out.rationale, 300)}")
    return "\n".join(lines)


def _marker(out: Any) -> str:
    by = f" by {out.by_ref}" if out.by_ref else ""
    return (
        f"\n{out.target} [{out.status}] {out.state}{by}\n   inference (reason), {one_line(out.made_by, 80)}, "
        f"{out.made_at:%Y-%m-%d}: {one_line(out.reason, 300)}"
    )


def _memory(out: Any) -> str:
    date = f", {out.at:%Y-%m-%d}" if out.at else ""
    lines = [f"\n{out.ref} [{out.kind}{', ' + out.state if out.state else ''}{date}] {one_line(out.title, 200)}"]
    return "\n".join([*lines, *(f"   caveat: {one_line(caveat, 300)}" for caveat in out.caveats)])


def _artifact(out: Any) -> str:
    return (
        f"\n{out.shoebox} [{out.state}] {one_line(out.question, 200)}\n   written to {one_line(out.folder, 300)} by "
        f"{one_line(out.by, 80)}, {out.at:%Y-%m-%d}; {', '.join(one_line(path, 200) for path in out.files[:6])}"
    )


def _event(out: Any) -> str:
    asked = one_line(out.detail.get("query") or out.detail.get("operation", ""), 120)
    said = f": {asked}" if asked else ""
    subjects = ", ".join(one_line(subject, 120) for subject in out.subjects[:4])
    more = f" and {len(out.subjects) - 4} more" if len(out.subjects) > 4 else ""
    return f"\n{out.at:%Y-%m-%d %H:%M:%S} {out.kind}{said}, {one_line(out.by, 80) or 'nobody'}\n   {subjects}{more}"


_LINES = {
    "shoeboxes": _shoebox, "evidence": lambda out: evidence_block(out, short=True), "representations": _representation,
    "hypotheses": _hypothesis, "proposals": _proposal, "markers": _marker, "memory": _memory, "artifacts": _artifact,
    "events": _event,
}  # fmt: skip
