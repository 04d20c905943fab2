"""What is shown for an address that has no text of its own: another part of the source, or its last state."""

from yoimemory.refs import SourceRef
from yoimemory.sources.gone import Gone, Remembers
from yoimemory.sources.readers.tickets import NO_ITEM, read_gone
from yoimemory.sources.reading import Document, Tree
from yoimemory.sources.texts import noted


def stand_in(tree: Tree, ref: SourceRef, parts: list[Document]) -> Document | None:
    """What a ref of a ticket leads to where no text has just this address. `parts` are its texts that are there.

    A ticket without an item opens with its thread, or with whatever else it has; one that was taken
    away opens as the last commit had it, unless a revision is asked for: that one does not have it.
    """
    if ref.kind != "ticket":
        return None
    if parts:
        return _first_part(ref, parts)
    gone = None if ref.revision else gone_ticket(tree, ref)
    if gone is None or not isinstance(tree, Remembers):
        return None
    found = [each for each in read_gone(tree, gone) if isinstance(each, Document)]
    return next((each for each in found if each.ref == ref.bare), None) or _first_part(ref, found)


def gone_ticket(tree: Tree, ref: SourceRef) -> Gone | None:
    """The ticket of a ref as history has it."""
    name = ref.source.locator
    return tree.gone(name).get(name) if ref.kind == "ticket" and isinstance(tree, Remembers) else None


def _first_part(ref: SourceRef, parts: list[Document]) -> Document | None:
    if ref.bare != ref.source or not parts:
        return None
    first = min(parts, key=lambda each: (not each.ref.locator.endswith("/thread"), str(each.ref)))
    return noted(first, NO_ITEM.format(ref.locator) + " This is what there is.")
