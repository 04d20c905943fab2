"""Records with a format of their own are checked before they are proposed, and again before they are written."""

from collections.abc import Callable

from yoimemory.errors import BadInput, DomainError
from yoimemory.products.files import text_now
from yoimemory.products.lint import Lint
from yoimemory.products.marks import NoMarker, read_mark
from yoimemory.products.memory import lint_record, record_at
from yoimemory.products.models import Proposal
from yoimemory.products.skills import lint_skill
from yoimemory.products.visible import visible
from yoimemory.search.models import Document
from yoimemory.sources.models import Workspace


class WrongFormat(BadInput):
    """The content is not of the form that this kind of record has."""


def lint_of(workspace: Workspace, target: str, path: str, content: str, *, proposed: bool = True) -> Lint:
    """What is wrong with this content at this path. `proposed`: open proposals count as if they were written."""
    if target == Proposal.Target.SKILL:
        return lint_skill(path, content)
    if target == Proposal.Target.MARKER:
        return _lint_mark(path, content)
    if target != Proposal.Target.MEMORY:
        return Lint()
    record = record_at(path)
    read = _reader(workspace, proposed=proposed)
    return lint_record(path, content, read=read, slugs=_slugs(workspace, record.kind) if record else ())


def _lint_mark(path: str, content: str) -> Lint:
    try:
        read_mark(path, content)
    except NoMarker as error:
        return Lint(errors=[f"{error.message} {error.hint}".strip()])
    return Lint()


def require_format(workspace: Workspace, target: str, path: str, content: str, *, proposed: bool = True) -> None:
    """Raise WrongFormat, with every error as a sentence, unless the content has the form of its kind."""
    errors = lint_of(workspace, target, path, content, proposed=proposed).errors
    if errors:
        raise WrongFormat(
            f"{visible(path)} does not have the form of a {target} record: {' '.join(errors)}",
            hint="Mend these and send it again; everything else may stay.",
            fields={"content": errors[0]},
        )


def _reader(workspace: Workspace, *, proposed: bool) -> Callable[[str], str | None]:
    def read(path: str) -> str | None:
        try:
            found = text_now(workspace, path)
        except DomainError:
            return None
        if found is not None or not proposed:
            return found.text if found else None
        waiting = Proposal.objects.in_workspace(workspace).open().filter(path=path).order_by("-pk").first()
        return waiting.content if waiting else None

    return read


def _slugs(workspace: Workspace, kind: str) -> list[str]:
    """The slugs of a kind as the index knows them; good enough for a warning."""
    start = f"memory:{kind}/"
    refs = Document.objects.filter(workspace=workspace.public_id, kind="memory", ref__startswith=start)
    return [ref.removeprefix(start) for ref in refs.values_list("ref", flat=True)]
