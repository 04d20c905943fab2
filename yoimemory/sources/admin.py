"""Where a person looks after workspaces and the further folders they read. Registering is a command, not a form."""

from typing import TYPE_CHECKING

from django.contrib import admin
from django.http import HttpRequest

from yoimemory.sources.models import AddedSource, Message, Snapshot, Workspace

if TYPE_CHECKING:
    Inline = admin.TabularInline[AddedSource, Workspace]
    WorkspaceBase = admin.ModelAdmin[Workspace]
    AddedSourceBase = admin.ModelAdmin[AddedSource]
    SnapshotBase = admin.ModelAdmin[Snapshot]
    MessageBase = admin.ModelAdmin[Message]
else:  # Django's classes take no parameters at run time
    Inline = admin.TabularInline
    WorkspaceBase = AddedSourceBase = SnapshotBase = MessageBase = admin.ModelAdmin


class AddedSourceInline(Inline):
    """The further folders of a workspace, to be seen beside it."""

    model = AddedSource
    extra = 0
    can_delete = False
    fields = readonly_fields = ("path", "kind", "format", "created_at")

    def has_add_permission(self, request: HttpRequest, obj: Workspace | None = None) -> bool:
        return False


@admin.register(Workspace)
class WorkspaceAdmin(WorkspaceBase):
    """A workspace may be renamed here. Its folder and identity come from the repository and stay as they are."""

    list_display = ("slug", "name", "root", "git", "created_at")
    search_fields = ("slug", "name", "root")
    fields = ("slug", "name", "root", "common_dir", "workspace_id", "public_id", "created_at")
    readonly_fields = ("root", "common_dir", "workspace_id", "public_id", "created_at")
    inlines = (AddedSourceInline,)

    @admin.display(boolean=True, description="git")
    def git(self, workspace: Workspace) -> bool:
        return workspace.has_git

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Workspace | None = None) -> bool:
        return False


@admin.register(AddedSource)
class AddedSourceAdmin(AddedSourceBase):
    """Further folders. Removing one ends its reading; what was quoted from it keeps its words."""

    list_display = ("path", "kind", "format", "workspace", "created_at")
    list_filter = ("kind", "workspace")
    list_select_related = ("workspace",)
    fields = readonly_fields = ("workspace", "path", "kind", "format", "created_at")

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False


@admin.register(Snapshot)
class SnapshotAdmin(SnapshotBase):
    """Records as they stood, to be seen. Nothing of them can be changed or taken away."""

    list_display = ("locator", "taken_at", "origin", "recorded_by", "workspace")
    list_filter = ("workspace",)
    list_select_related = ("workspace", "recorded_by")
    search_fields = ("locator", "origin")
    ordering = ("-pk",)
    fields = readonly_fields = (
        "workspace", "locator", "taken_at", "origin", "body", "masked", "recorded_by", "recorded_at", "public_id",
    )  # fmt: skip

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Snapshot | None = None) -> bool:
        return False


@admin.register(Message)
class MessageAdmin(MessageBase):
    """Messages of users, to be seen. Nothing of them can be changed or taken away."""

    list_display = ("public_id", "said_by", "said_at", "relayed", "captured_by", "workspace")
    list_filter = ("workspace", "relayed")
    list_select_related = ("workspace", "captured_by")
    search_fields = ("text", "said_by", "public_id")
    ordering = ("-pk",)
    fields = readonly_fields = (
        "workspace", "text", "said_by", "said_at", "origin", "relayed", "masked", "captured_by", "captured_at",
        "public_id",
    )  # fmt: skip

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Message | None = None) -> bool:
        return False
