"""The eleven kinds of representation, one module each: body, builder, view, Markdown and the fields of its editor."""

from hypotheses.kinds.alternatives import ALTERNATIVES
from hypotheses.kinds.authority_map import AUTHORITY_MAP
from hypotheses.kinds.contradiction_report import CONTRADICTION_REPORT
from hypotheses.kinds.decision_table import DECISION_TABLE
from hypotheses.kinds.dependency_graph import DEPENDENCY_GRAPH
from hypotheses.kinds.hypothesis_table import HYPOTHESIS_TABLE
from hypotheses.kinds.invariants import INVARIANTS
from hypotheses.kinds.kind import Kind
from hypotheses.kinds.review_checklist import REVIEW_CHECKLIST
from hypotheses.kinds.risks import RISKS
from hypotheses.kinds.subsystem_map import SUBSYSTEM_MAP
from hypotheses.kinds.timeline import TIMELINE

KINDS: dict[str, Kind] = {
    kind.name: kind
    for kind in (
        TIMELINE, DEPENDENCY_GRAPH, CONTRADICTION_REPORT, HYPOTHESIS_TABLE, ALTERNATIVES, DECISION_TABLE,
        AUTHORITY_MAP, SUBSYSTEM_MAP, INVARIANTS, RISKS, REVIEW_CHECKLIST,
    )
}  # fmt: skip
"""By name, in the order in which they are offered."""
