"""What an observation rests on: checked where the text can tell, else kept as it was said, and never run."""

import hashlib
from typing import Any

from evidence import gate
from evidence.gate import Refusal
from evidence.normal import plain
from evidence.schemas import EvidenceDraft, ObservedDraft
from yoimemory.refs import lines_fragment
from yoimemory.sources.masking import mask
from yoimemory.sources.reading import Document

OUTPUT_KEPT = 4_000
PLAIN_SEARCH = "a search of the cited text for these words"


def observe(draft: EvidenceDraft, document: Document) -> dict[str, Any] | Refusal:
    """What is kept of how the observation was made; a refusal where it lacks what shows it, or is not so."""
    observed = draft.observed
    if observed is None:
        return {}
    if draft.kind != "observation":
        return Refusal("bad_input", "Only an observation says how it was observed.", hint="Leave `observed` out.")
    if observed.form == "absence":
        return _absence(observed, document)
    if observed.form == "output":
        return _output(observed)
    return {"form": "state", "command": mask(observed.command).text} if observed.command else {"form": "state"}


def _absence(observed: ObservedDraft, document: Document) -> dict[str, Any] | Refusal:
    """The words must really not stand in the cited text, as it was read."""
    if not observed.pattern:
        return Refusal("bad_input", "An absence names the words that are absent, in the field pattern.")
    found = gate.every(document.text, observed.pattern)
    at = found[0].start if found else -1
    if at < 0 and plain(observed.pattern) in plain(document.text):
        at = 0
    if at >= 0:
        line = gate.place_of(gate.line_starts(document.text), at)[0]
        return Refusal(
            "not_absent",
            f"These words do stand in {document.ref}.",
            hint="Look there; an absence is only kept where it is true.",
            nearest=observed.pattern,
            nearest_ref=str(document.ref.at(document.revision).part(lines_fragment(line, line))),
        )
    return {
        "form": "absence", "pattern": observed.pattern, "command": mask(observed.command).text or PLAIN_SEARCH,
        "revision": document.revision, "checked": True,
    }  # fmt: skip


def _output(observed: ObservedDraft) -> dict[str, Any] | Refusal:
    if not observed.command or not (observed.output or observed.output_digest):
        return Refusal(
            "bad_input",
            "The output of a command is kept with the command and with what it put out, or its digest.",
            hint="Send command and output; the digest is made here.",
        )
    digest = hashlib.sha256(observed.output.encode()).hexdigest() if observed.output else observed.output_digest
    if observed.output_digest and observed.output_digest != digest:
        return Refusal("bad_input", "The output does not have the digest that was sent with it.")
    return {
        "form": "output", "command": mask(observed.command).text, "output": mask(observed.output).text[:OUTPUT_KEPT],
        "output_digest": digest, "checked": bool(observed.output),
    }  # fmt: skip
