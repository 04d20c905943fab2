"""What a draft's refs name: records of the same workspace, or a sentence that says which ref leads nowhere."""

from collections.abc import Sequence

from evidence.models import Evidence
from hypotheses.models import Hypothesis
from shoebox.models import Shoebox
from yoimemory.errors import BadInput, NotFound, Refused
from yoimemory.refs import SourceRef
from yoimemory.sources.models import Workspace


class ShoeboxEnded(Refused):
    """Nothing is argued in a shoebox that was archived or discarded."""


def public_id(text: str, kind: str) -> str:
    """The id in `kind:id`, or the bare id that a form field holds. Raises BadInput for a ref of another kind."""
    if ":" not in text:
        return text.strip()
    ref = SourceRef.parse(text)
    if ref.kind != kind:
        raise BadInput(f"{text[:80]!r} is not a {kind}.", hint=f"Here a {kind} is named, as {kind}:01…")
    return ref.locator


def shoebox_named(text: str, workspace: Workspace) -> Shoebox:
    found = Shoebox.objects.in_workspace(workspace).filter(public_id=public_id(text, "shoebox")).first()
    if found is None:
        raise NotFound(
            f"There is no shoebox {text[:80]!r} in {workspace}.", hint="The list of shoeboxes names them all."
        )
    return found


def require_arguable(shoebox: Shoebox) -> None:
    """Raise ShoeboxEnded. Call it in the transaction that writes: the state is read anew.

    A closed shoebox takes no more material, and is argued over all the same.
    """
    shoebox.refresh_from_db(fields=["state"])
    if shoebox.state in {Shoebox.State.ARCHIVED, Shoebox.State.DISCARDED}:
        raise ShoeboxEnded(f"This shoebox is {shoebox.state}.", hint="Reopen it first, or open a new one.")


def evidence_named(text: str, workspace: Workspace) -> Evidence:
    found = Evidence.objects.in_workspace(workspace).filter(public_id=public_id(text, "evidence")).first()
    if found is None:
        raise NotFound(f"There is no evidence {text[:80]!r} in {workspace}.", hint="The list of evidence names it all.")
    return found


def evidences_named(texts: Sequence[str], workspace: Workspace) -> list[Evidence]:
    """Several pieces of evidence, in one query and in the order named. Raises NotFound for one that is missing."""
    ids = [public_id(text, "evidence") for text in texts]
    found = {one.public_id: one for one in Evidence.objects.in_workspace(workspace).filter(public_id__in=ids)}
    return [found.get(key) or evidence_named(text, workspace) for key, text in zip(ids, texts, strict=True)]


def hypothesis_named(text: str, workspace: Workspace) -> Hypothesis:
    found = Hypothesis.objects.in_workspace(workspace).filter(public_id=public_id(text, "hypothesis")).first()
    if found is None:
        raise NotFound(
            f"There is no hypothesis {text[:80]!r} in {workspace}.", hint="The list of hypotheses names them all."
        )
    return found
