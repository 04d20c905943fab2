"""Tokens and start links from the terminal."""

import argparse

from yoimemory.cli.run import DONE, caller, now, say, show_json, workspace_of


def link(arguments: argparse.Namespace) -> int:
    """Print a new one-time link for the owner; earlier unused ones end."""
    from django.conf import settings

    from yoimemory.access.services import ensure_owner, issue_start_link

    user = ensure_owner()
    address = f"http://127.0.0.1:{settings.PORT}/start/{issue_start_link(user=user, now=now())}/"
    if arguments.json:
        show_json({"link": address, "user": user.get_username()})
    else:
        say(f"Log in as {user}, once, within an hour: {address}")
    return DONE


def token_new(arguments: argparse.Namespace) -> int:
    """Make a Worker's token; it stands in this output and nowhere else."""
    from yoimemory.access.services import issue_token

    workspace = workspace_of(arguments)
    token, secret = issue_token(
        workspace=workspace, name=arguments.name, scope=arguments.scope, role=arguments.role, days=arguments.days,
        now=now(), actor=caller(),
    )  # fmt: skip
    if arguments.json:
        show_json(
            {
                "token": secret, "id": token.public_id, "name": token.name, "scope": token.scope,
                "workspace": workspace.slug, "expires_at": token.expires_at.isoformat(),
            }
        )  # fmt: skip
    else:
        say(secret)
        say(f"Shown once: {token.name} may {token.scope} in {workspace.slug} until {token.expires_at:%Y-%m-%d}.")
    return DONE


def token_list(arguments: argparse.Namespace) -> int:
    """List the tokens of the workspace, newest first."""
    from yoimemory.access.models import Token

    tokens = list(Token.objects.filter(workspace=workspace_of(arguments)).order_by("-pk"))
    if arguments.json:
        fields = ("public_id", "name", "role", "scope", "hint", "created_at", "expires_at", "revoked_at", "used_at")
        show_json([{name: getattr(token, name) for name in fields} for token in tokens])
        return DONE
    for token in tokens:
        used = f"used {token.used_at:%Y-%m-%d %H:%M}" if token.used_at else "never used"
        ends = f"revoked {token.revoked_at:%Y-%m-%d}" if token.revoked_at else f"until {token.expires_at:%Y-%m-%d}"
        say(f"{token.public_id}  {token.hint}…  {token.scope:8} {token.name}, {used}, {ends}")
    if not tokens:
        say("There is no token. Make one: yoimemory token new NAME --scope propose")
    return DONE


def token_revoke(arguments: argparse.Namespace) -> int:
    """End the tokens of this name or id at once."""
    from django.db.models import Q

    from yoimemory.access.models import Token
    from yoimemory.access.services import revoke_tokens
    from yoimemory.errors import NotFound

    workspace = workspace_of(arguments)
    named = Q(public_id=arguments.token) | Q(name=arguments.token)
    count = revoke_tokens(Token.objects.filter(named, workspace=workspace), now=now(), actor=caller())
    if not count:
        raise NotFound(
            f"No token {arguments.token!r} is in use in {workspace.slug}.", hint="yoimemory token list shows them."
        )
    if arguments.json:
        show_json({"revoked": count})
    else:
        say(f"{count} token{'s' if count > 1 else ''} revoked; a call with it is refused from now on.")
    return DONE
