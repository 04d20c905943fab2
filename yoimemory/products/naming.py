"""What refs are called, for a list that people read: a title, a question, a claim or the quoted words."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import chain

from evidence.models import Evidence
from hypotheses.cites import label_of, short
from hypotheses.models import Hypothesis
from shoebox.models import Shoebox
from yoimemory.products.models import Impact, Proposal
from yoimemory.products.reports import HarmOut
from yoimemory.refs import BadRef, SourceRef
from yoimemory.search.models import Document
from yoimemory.sources.models import Workspace

SUBJECTS_NAMED = 3
"""Records of one effect that a list names; the rest is counted."""


def name_impacts(impacts: Iterable[Impact], workspace: Workspace) -> list[dict[str, object]]:
    """Each effect with its product and its first records as ref and name."""
    impacts = list(impacts)
    shown = {impact.pk: impact.subjects[:SUBJECTS_NAMED] for impact in impacts}
    names = names_of([*(impact.product for impact in impacts), *chain.from_iterable(shown.values())], workspace)
    return [
        {
            "impact": impact,
            "name": names[impact.product],
            "subjects": [(ref, names[ref]) for ref in shown[impact.pk]],
            "more": len(impact.subjects) - len(shown[impact.pk]),
        }
        for impact in impacts
    ]


def name_harm(harm: Sequence[HarmOut], workspace: Workspace) -> list[dict[str, object]]:
    """Each kind of harm with what it befell as ref and name."""
    names = names_of(chain.from_iterable(row.refs for row in harm), workspace)
    return [{"kind": row.kind, "count": row.count, "befell": [(ref, names[ref]) for ref in row.refs]} for row in harm]


def names_of(refs: Iterable[str], workspace: Workspace) -> dict[str, str]:
    """What each ref is called in this workspace; the end of the ref itself where nothing is known of it."""
    names = {ref: _end(ref) for ref in refs}
    bare = {ref: str(SourceRef.parse(ref).bare) for ref in names if _is_ref(ref)}
    ids: dict[str, set[str]] = defaultdict(set)
    for ref in bare.values():
        kind, _, locator = ref.partition(":")
        ids[kind].add(locator)
    own = _own_names(ids, workspace)
    sources = {str(SourceRef.parse(ref).source) for ref in bare.values()}
    rows = Document.objects.filter(workspace=workspace.public_id, ref__in=sources).exclude(title="")
    titles = dict(rows.values_list("ref", "title"))
    for ref, plain in bare.items():
        names[ref] = own.get(plain) or titles.get(str(SourceRef.parse(plain).source)) or names[ref]
    return names


def _own_names(ids: dict[str, set[str]], workspace: Workspace) -> dict[str, str]:
    """Records of ours, by ref."""
    held = Evidence.objects.filter(workspace=workspace, public_id__in=ids["evidence"])
    names = {str(one.ref): label_of(one) for one in held}
    boxes = Shoebox.objects.in_workspace(workspace).filter(public_id__in=ids["shoebox"])
    names |= {str(one.ref): one.question for one in boxes}
    claims = Hypothesis.objects.in_workspace(workspace).filter(public_id__in=ids["hypothesis"])
    names |= {str(one.ref): one.claim for one in claims}
    proposals = Proposal.objects.in_workspace(workspace).filter(public_id__in=ids["proposal"])
    return names | {str(one.ref): one.title for one in proposals}


def _end(ref: str) -> str:
    return short(ref) if _is_ref(ref) else ref


def _is_ref(text: str) -> bool:
    try:
        SourceRef.parse(text)
    except BadRef:
        return False
    return True
