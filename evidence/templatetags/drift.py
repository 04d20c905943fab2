"""One banner for each commit up to which quotes drifted; it leads to the list of these alone."""

from typing import Any

from django import template
from django.urls import reverse
from django.utils.http import urlencode

from evidence.drift import drifted, moved_on
from evidence.models import Evidence
from shoebox.models import Shoebox
from yoimemory.sources.models import Workspace

register = template.Library()


@register.inclusion_tag("evidence/drift.html")
def drift_banners(workspace: Workspace, shoebox: Shoebox | None = None, shown: str = "") -> dict[str, Any]:
    """The banners of a workspace or of one shoebox; `shown` is the commit that the list is narrowed to."""
    own = Evidence.objects.in_workspace(workspace) if shoebox is None else Evidence.objects.in_shoebox(shoebox)
    banners = []
    for moved in moved_on(drifted(own)):
        query = {"state": "accepted", "moved": moved.name if not moved.committed else moved.name[:12]}
        if shoebox is not None:
            query["shoebox"] = shoebox.public_id
        url = f"{reverse('evidence:list')}?{urlencode(query)}"
        banners.append((moved, url, bool(shown) and moved.name.startswith(shown)))
    return {"banners": banners}
