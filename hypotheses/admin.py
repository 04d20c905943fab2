"""Hypotheses and representations for upkeep: read here, decided on their pages."""

from django.contrib import admin

from hypotheses.models import Decision, Hypothesis, Representation
from yoimemory.journal.readonly import ReadOnly


@admin.register(Hypothesis)
class HypothesisAdmin(ReadOnly):
    list_display = ("name", "claim", "status", "question", "made_by", "made_at")
    list_filter = ("status", "workspace")
    list_select_related = ("shoebox", "made_by")
    search_fields = ("claim", "public_id")

    @admin.display(ordering="number")
    def name(self, hypothesis: Hypothesis) -> str:
        return f"H{hypothesis.number}"

    @admin.display(ordering="shoebox__question")
    def question(self, hypothesis: Hypothesis) -> str:
        return hypothesis.shoebox.question


@admin.register(Decision)
class DecisionAdmin(ReadOnly):
    """Every decision; the filters find those taken against a threshold or by one reviewer alone."""

    list_display = ("hypothesis", "before", "after", "overridden", "one_reviewer", "reason", "by", "at")
    list_filter = ("after", "overridden", "one_reviewer", "hypothesis__workspace")
    list_select_related = ("hypothesis", "by")


@admin.register(Representation)
class RepresentationAdmin(ReadOnly):
    list_display = ("title", "kind", "built", "made_by", "made_at")
    list_filter = ("kind", "built", "workspace")
    list_select_related = ("made_by",)
    search_fields = ("title", "public_id")
