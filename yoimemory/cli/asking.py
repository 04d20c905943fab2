"""Kept searches and words with a date from the terminal."""

import argparse
from typing import TYPE_CHECKING, Any

from yoimemory.cli.confirming import require_person
from yoimemory.cli.run import DONE, NOTHING, caller, now, say, say_within, show_json, workspace_of

if TYPE_CHECKING:
    from yoimemory.asking.models import SavedSearch
    from yoimemory.http import Envelope


def list_searches(arguments: argparse.Namespace) -> int:
    """List the searches that all share, and the caller's own."""
    from yoimemory.asking.models import SavedSearch
    from yoimemory.asking.schemas import SavedSearchOut
    from yoimemory.http import page_of

    rows = SavedSearch.objects.seen_by(caller(), workspace_of(arguments)).live().select_related("made_by")
    page = page_of(rows, arguments.limit, arguments.cursor, SavedSearchOut.of)
    return show_page(page, lambda out: f"{out.name}  {_asked(out.asked)}  {out.id}", arguments, "No search was kept.")


def recent(arguments: argparse.Namespace) -> int:
    """List what the caller asked lately, each once; nobody else's."""
    from yoimemory.asking.services import recent_searches

    found = recent_searches(workspace_of(arguments), actor=caller())
    if arguments.json:
        show_json({"items": found})
    else:
        say(*[f"{one.at:%Y-%m-%d %H:%M}  {_asked(one.asked)}" for one in found] or ["You asked nothing here lately."])
    return DONE if found else NOTHING


def save(arguments: argparse.Namespace) -> int:
    """Keep a search under a name."""
    from yoimemory.asking.schemas import Asked, SavedSearchDraft, SavedSearchOut
    from yoimemory.asking.services import save_search
    from yoimemory.cli.listing import narrowed

    asked: dict[str, Any] = {"q": " ".join(arguments.query)}
    for name, value in map(narrowed, arguments.where):
        several = (
            isinstance(Asked.model_fields[name].get_default(call_default_factory=True), list)
            if (name in Asked.model_fields)
            else False
        )
        asked[name] = [*asked.get(name, []), value] if several else value
    draft = SavedSearchDraft(name=arguments.name, asked=Asked(**asked), shared=arguments.shared)
    saved = save_search(draft, workspace=workspace_of(arguments), actor=caller(), now=now())
    if arguments.json:
        show_json(SavedSearchOut.of(saved))
    else:
        say(f"kept  {saved.name}")
    return DONE


def run(arguments: argparse.Namespace) -> int:
    """Ask a kept search again, as `yoimemory search` would. Raises NotFound."""
    from yoimemory.asking.schemas import Asked
    from yoimemory.cli.reading import search

    asked = Asked(**_kept(arguments).asked).model_dump()
    words = {
        "query": [asked.pop("q")],
        "stance": asked.pop("stance") or "any",
        "order": asked.pop("order") or "relevance",
    }
    return search(argparse.Namespace(**{**vars(arguments), **asked, **words, "per_source": 1}))


def rename(arguments: argparse.Namespace) -> int:
    """Give a kept search another name. Raises NotFound, NameTaken, or NotYours for somebody else's."""
    from yoimemory.asking.schemas import SavedSearchChange
    from yoimemory.asking.services import change_search

    change = SavedSearchChange(name=arguments.name)
    return _told(change_search(change, _kept(arguments), actor=caller(), now=now()), "is now", arguments)


def remove(arguments: argparse.Namespace) -> int:
    """Take a kept search off the list. Raises NotFound, or NotYours for somebody else's."""
    from yoimemory.asking.services import remove_search

    return _told(remove_search(_kept(arguments), actor=caller(), now=now()), "taken off", arguments)


def restore(arguments: argparse.Namespace) -> int:
    """Put back the search of this name that was taken off last. Raises NotFound, NotYours."""
    from yoimemory.asking.services import restore_search

    kept = _kept(arguments, removed=True)
    return _told(restore_search(kept, actor=caller(), now=now()), "put back", arguments)


def _kept(arguments: argparse.Namespace, *, removed: bool = False) -> "SavedSearch":
    """The search of this name or id that is on the list, or was taken off it. Raises NotFound."""
    from django.db.models import Q

    from yoimemory.asking.models import SavedSearch
    from yoimemory.errors import NotFound

    rows = SavedSearch.objects.seen_by(caller(), workspace_of(arguments)).select_related("workspace", "made_by")
    rows = rows.filter(removed_at__isnull=not removed)
    found = rows.filter(Q(name=arguments.search) | Q(public_id=arguments.search)).order_by("removed_at", "pk").last()
    if found is None:
        state = "was taken off" if removed else "is kept"
        raise NotFound(f"No search {arguments.search[:80]!r} {state}.", hint="yoimemory searches list names them.")
    return found


def _told(saved: "SavedSearch", done: str, arguments: argparse.Namespace) -> int:
    from yoimemory.asking.schemas import SavedSearchOut

    if arguments.json:
        show_json(SavedSearchOut.of(saved))
    else:
        say(f"{done}  {saved.name}")
    return DONE


def list_aliases(arguments: argparse.Namespace) -> int:
    """List what words meant until when."""
    from yoimemory.asking.models import Alias
    from yoimemory.asking.schemas import AliasOut
    from yoimemory.http import page_of

    rows = Alias.objects.in_workspace(workspace_of(arguments)).live().select_related("made_by")
    page = page_of(rows, arguments.limit, arguments.cursor, AliasOut.of)
    return show_page(page, _alias, arguments, "No word has another meaning here.")


def add_alias(arguments: argparse.Namespace) -> int:
    """Write down what a word meant until when, as a reviewer at a terminal."""
    from yoimemory.asking import services
    from yoimemory.asking.schemas import AliasDraft, AliasOut

    require_person("what words mean")
    values = {name: getattr(arguments, name) for name in ("word", "meaning", "since", "until", "note")}
    alias = services.add_alias(AliasDraft(**values), workspace=workspace_of(arguments), actor=caller(), now=now())
    out = AliasOut.of(alias)
    if arguments.json:
        show_json(out)
    else:
        say(_alias(out))
    return DONE


def remove_alias(arguments: argparse.Namespace) -> int:
    """Stop applying an alias, as a reviewer at a terminal; it stays with its history."""
    from yoimemory.asking import services
    from yoimemory.asking.models import Alias
    from yoimemory.asking.schemas import AliasOut
    from yoimemory.errors import NotFound

    require_person("what words mean")
    rows = Alias.objects.in_workspace(workspace_of(arguments)).select_related("workspace", "made_by")
    found = rows.filter(public_id=arguments.alias).first()
    if found is None:
        raise NotFound(f"There is no alias {arguments.alias[:80]!r}.", hint="yoimemory aliases list names them.")
    out = AliasOut.of(services.remove_alias(found, actor=caller(), now=now()))
    if arguments.json:
        show_json(out)
    else:
        say(f"no longer applied  {out.word}")
    return DONE


def show_page(page: "Envelope[Any]", line: Any, arguments: argparse.Namespace, nothing: str) -> int:
    """One page of a list: as JSON, or a line for each and how to go on; exit 1 where there is nothing."""
    if arguments.json:
        show_json(page)
        return DONE if page.items else NOTHING
    say_within(None, [line(out) for out in page.items], total=page.total)
    if page.next_cursor:
        say(f"More: --cursor {page.next_cursor}")
    if not page.items:
        say(nothing)
    return DONE if page.items else NOTHING


def _asked(asked: dict[str, Any]) -> str:
    more = [f"{name}={value}" for name, value in asked.items() if name != "q"]
    return "  ".join([str(asked.get("q", "")), *more])


def _alias(out: Any) -> str:
    span = " ".join(part for part in (out.since and f"from {out.since}", out.until and f"until {out.until}") if part)
    return "  ".join(part for part in (f"{out.word} = {out.meaning}", span, out.note, out.id) if part)
