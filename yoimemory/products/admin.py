"""Products for upkeep: read here, judged on their pages."""

from django.contrib import admin

from yoimemory.journal.readonly import ReadOnly
from yoimemory.products.models import Export, Impact, Import, Installation, Proposal, Verdict, Writing


@admin.register(Proposal)
class ProposalAdmin(ReadOnly):
    list_display = ("title", "target", "path", "state", "one_reviewer", "made_by", "made_at")
    list_filter = ("state", "target", "one_reviewer", "workspace")
    list_select_related = ("made_by", "workspace")
    search_fields = ("title", "path", "public_id")


@admin.register(Verdict)
class VerdictAdmin(ReadOnly):
    """Every verdict; the filter finds those that one reviewer gave on an own proposal."""

    list_display = ("proposal", "verdict", "revision", "one_reviewer", "reason", "by", "at")
    list_filter = ("verdict", "one_reviewer", "proposal__workspace")
    list_select_related = ("proposal", "by")


@admin.register(Writing)
class WritingAdmin(ReadOnly):
    """Every file that was written into a workspace, with both digests."""

    list_display = ("path", "state", "workspace", "before_digest", "after_digest", "by", "at", "undone_at")
    list_filter = ("state", "workspace")
    list_select_related = ("workspace", "by")
    search_fields = ("path", "before_digest", "after_digest")
    exclude = ("before",)


@admin.register(Export)
class ExportAdmin(ReadOnly):
    list_display = ("shoebox", "folder", "state", "by", "at", "undone_at")
    list_filter = ("state",)
    list_select_related = ("shoebox", "by")


@admin.register(Impact)
class ImpactAdmin(ReadOnly):
    """Every effect; the filter keeps the three ways of knowing apart."""

    list_display = ("kind", "known", "product", "role", "actor", "at")
    list_filter = ("known", "kind", "workspace")
    list_select_related = ("workspace", "actor")
    search_fields = ("product", "note")


@admin.register(Import)
class ImportAdmin(ReadOnly):
    list_display = ("shoebox", "origin", "origin_workspace", "foreign", "by", "at")
    list_filter = ("foreign",)
    list_select_related = ("shoebox", "by")
    exclude = ("content",)


@admin.register(Installation)
class InstallationAdmin(ReadOnly):
    list_display = ("workspace", "folder", "state", "by", "at", "undone_at")
    list_filter = ("state", "workspace")
    list_select_related = ("workspace", "by")
