"""Who calls a tool: a Worker by its token, asked anew for every call, so that a revoked one ends at once."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.utils import timezone

from yoimemory.access.models import Actor, Token
from yoimemory.access.services import actor_for_token, authenticate_token
from yoimemory.errors import DomainError
from yoimemory.sources.models import Workspace

READ_ONLY = "x-read-only"
"""The header by which a client gives up every tool that writes, whatever its token may do."""


class Unauthorized(DomainError):
    """Nobody we know is asking."""

    status = 401


@dataclass(frozen=True, slots=True)
class Caller:
    """A Worker in one call: who acts, in which workspace, and whether it may offer anything."""

    actor: Actor
    workspace: Workspace
    token: Token
    may_propose: bool


def identify(secret: str, headers: Mapping[str, str]) -> Caller:
    """The Worker with this token. Raises Unauthorized.

    Headers tell of the run, the model and the person it works for, as with JSON.
    """
    token = authenticate_token(secret, now=timezone.now()) if secret else None
    if token is None:
        raise Unauthorized(
            "This token is not known, has expired or was revoked." if secret else "This address needs a token.",
            hint="A person makes one on the Workers page or with `yoimemory token new`; send it as "
            "Authorization: Bearer yoim_…",
        )
    actor = actor_for_token(
        token,
        run=headers.get("x-worker-run", ""),
        model=headers.get("x-worker-model", ""),
        on_behalf_of=headers.get("x-on-behalf-of", ""),
    )
    return Caller(actor, token.workspace, token, token.may_propose and headers.get(READ_ONLY, "") != "1")


def secret_in(header: str) -> str:
    """The token in an Authorization header, or nothing."""
    scheme, _, secret = header.partition(" ")
    return secret.strip() if scheme.lower() == "bearer" else ""
