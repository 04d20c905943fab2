"""Why something is marked: from the marker to what caused it, and on to what that is marked by, to the end."""

from dataclasses import dataclass

from yoimemory.markers.models import Contradiction, Marker
from yoimemory.refs import SourceRef

STEPS_MAX = 20
ORIGINS = {"person": "set by", "worker": "proposed by", "derived": "derived by"}


@dataclass(frozen=True, slots=True)
class Step:
    """One step: what is told, of which ref, and why."""

    told: str
    ref: str
    reason: str = ""


def why_marked(marker: Marker) -> list[Step]:
    """The chain behind a marker: who said so, what caused it, what shows it, and what of that is marked itself."""
    steps = [_of(marker)]
    steps += [Step("shown by", ref) for ref in marker.evidence]
    seen, cause = {marker.pk}, marker.by_ref
    while cause and len(steps) < STEPS_MAX:
        steps.append(Step("because of", cause))
        rows = Marker.objects.open().filter(workspace=marker.workspace).on([SourceRef.parse(cause)])
        following = rows.exclude(pk__in=seen).select_related("made_by").order_by("pk").first()
        if following is None:
            break
        seen.add(following.pk)
        steps.append(_of(following))
        cause = following.by_ref
    against = Contradiction.objects.open().filter(workspace=marker.workspace).on([marker.ref])
    steps += [Step("stands against", one.other_than(marker.ref), one.about) for one in against.order_by("pk")]
    return steps[:STEPS_MAX]


def _of(marker: Marker) -> Step:
    told = f"{marker.state}, {ORIGINS[marker.origin]} {marker.made_by} on {marker.made_at:%Y-%m-%d}:"
    return Step(told, marker.target, marker.reason)
