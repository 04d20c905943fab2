"""People, roles and tokens for upkeep. Tokens are made on the Workers page, where the secret is shown once."""

from typing import TYPE_CHECKING, Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone

from yoimemory.access.models import Actor, Membership, Token
from yoimemory.access.services import actor_for_user, revoke_tokens

if TYPE_CHECKING:
    TokenBase = admin.ModelAdmin[Token]
    MembershipBase = admin.ModelAdmin[Membership]
    ActorBase = admin.ModelAdmin[Actor]
else:  # Django's class takes no parameter at run time
    TokenBase = MembershipBase = ActorBase = admin.ModelAdmin


@admin.register(Token)
class TokenAdmin(TokenBase):
    """Tokens are read and revoked here, never edited: a scope does not grow."""

    list_display = ("name", "role", "scope", "hint", "workspace", "used_at", "expires_at", "revoked_at")
    list_filter = ("scope", "workspace", ("revoked_at", admin.EmptyFieldListFilter))
    list_select_related = ("workspace",)
    search_fields = ("name", "role", "public_id")
    ordering = ("-pk",)
    actions = ("revoke",)
    exclude = ("digest",)
    readonly_fields = (
        "public_id", "workspace", "name", "role", "scope", "hint", "created_at", "expires_at", "revoked_at", "used_at",
    )  # fmt: skip

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    @admin.action(description="Revoke at once", permissions=["change"])
    def revoke(self, request: HttpRequest, queryset: QuerySet[Token]) -> None:
        actor = actor_for_user(request.user)  # type: ignore[arg-type]
        count = revoke_tokens(queryset, now=timezone.now(), actor=actor)
        self.message_user(request, f"{count} token{'s' if count != 1 else ''} revoked.", messages.SUCCESS)


@admin.register(Membership)
class MembershipAdmin(MembershipBase):
    """Who has which role where. A superuser is an owner everywhere without one."""

    list_display = ("user", "role", "workspace")
    list_filter = ("role", "workspace")
    list_select_related = ("user", "workspace")
    autocomplete_fields = ("user",)


@admin.register(Actor)
class ActorAdmin(ActorBase):
    """Who acted, as records remember it."""

    list_display = ("name", "kind", "role", "model", "run", "on_behalf_of")
    list_filter = ("kind", "role")
    search_fields = ("name", "run")
    ordering = ("-pk",)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False
