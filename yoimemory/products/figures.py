"""The figures of the impact page as tables: one a figure, for a spreadsheet or a machine."""

from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel

from yoimemory.products.reports import (
    EffectOut,
    FirstEvidenceOut,
    HarmOut,
    IdleOut,
    ImpactReport,
    RoleOut,
    StageOut,
    UnusedOut,
    WeekOut,
)

FIGURES: dict[str, tuple[str, type[BaseModel]]] = {
    "funnel": ("funnel", StageOut),
    "effects": ("effects", EffectOut),
    "harm": ("harm", HarmOut),
    "weeks": ("by_week", WeekOut),
    "roles": ("by_role", RoleOut),
    "shoeboxes": ("first_evidence", FirstEvidenceOut),
    "unused": ("unused", UnusedOut),
    "without-product": ("idle", IdleOut),
}
"""Each figure by the name that it has in addresses: where the report holds it, and what a row of it is."""
EXPOSURE = "exposure"
NAMES = (*FIGURES, EXPOSURE)


def figure_of(report: ImpactReport, name: str) -> tuple[list[str], list[dict[str, Any]]]:
    """The columns and the rows of one figure, as plain values."""
    if name == EXPOSURE:
        counted = {**report.exposure, **report.activity}
        return ["kind", "count"], [{"kind": kind, "count": count} for kind, count in counted.items()]
    held, model = FIGURES[name]
    rows: Sequence[BaseModel] = getattr(report, held)
    return list(model.model_fields), [row.model_dump(mode="json") for row in rows]
