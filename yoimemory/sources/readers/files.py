"""Code: every text of the workspace that is no prose, a file a document."""

from collections.abc import Iterator
from functools import lru_cache

from pygments.lexers import get_lexer_for_filename
from pygments.util import ClassNotFound

from yoimemory.refs import SourceRef
from yoimemory.sources.blocks import code_passages
from yoimemory.sources.decoding import lines_of
from yoimemory.sources.opener import shown
from yoimemory.sources.outline import top_level
from yoimemory.sources.places import authority_of, ending_of, is_binary_name
from yoimemory.sources.reading import Document, Tree, Unit, Unreadable
from yoimemory.sources.texts import document, fetch_named
from yoimemory.sources.units import units_of


class CodeReader:
    """Everything else that is text, by blocks that keep definitions together."""

    name = "code"

    def units(self, tree: Tree) -> Iterator[Unit]:
        return (unit for unit in units_of(tree, self.name) if not is_binary_name(unit.paths[0]))

    def read(self, tree: Tree, unit: Unit) -> Iterator[Document | Unreadable]:
        for path in unit.paths:
            yield from _code(tree, path)


def _code(tree: Tree, path: str) -> Iterator[Document | Unreadable]:
    ref = SourceRef("code", path)
    decoded = fetch_named(tree, path, ref)
    if isinstance(decoded, Unreadable):
        yield decoded
        return
    passages = code_passages(lines_of(decoded.text), top_level(path, decoded.text))
    yield document(
        tree,
        path,
        decoded,
        ref=ref,
        title=shown(path),
        authority="procedure" if authority_of(path) == "procedure" else "authority",
        language=language_by_name(path),
        passages=passages,
        links=tree.linker.links(passages, ref),
    )


def language_by_name(path: str) -> str:
    """The short name of a file's language, by its name; empty where none is known."""
    return _language(ending_of(path), "" if ending_of(path) else path.rsplit("/", 1)[-1])


@lru_cache(maxsize=512)
def _language(ending: str, name: str) -> str:
    try:
        lexer = get_lexer_for_filename(f"x.{ending}" if ending else name)
    except (ClassNotFound, ValueError):
        return ""
    return str(lexer.aliases[0])[:10] if lexer.aliases else ""
