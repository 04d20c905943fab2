"""Take the JSON file of a representation back: as a new one, or as the next version of the one it was written from."""

from datetime import datetime

from pydantic import ValidationError

from hypotheses.models import Representation
from hypotheses.schemas import RepresentationDraft, RepresentationEdit, RepresentationOut
from hypotheses.services.representing import create_representation, edit_representation
from yoimemory.access.models import Actor
from yoimemory.errors import BadInput, Refused
from yoimemory.sources.models import Workspace

FILE_MAX = 1_000_000
"""Bytes of a file that is taken back; the largest body that the schemas allow stays below it in practice."""


class NoRepresentationFile(BadInput):
    """The file is not the JSON export of a representation."""


class OfAnother(Refused):
    """The file was written from another representation than the one it is to replace."""


def read_representation_file(data: bytes) -> RepresentationOut:
    """The representation that a file holds.

    Raises NoRepresentationFile, which says what is wrong with it and where.
    """
    if len(data) > FILE_MAX:
        raise NoRepresentationFile(
            f"The file has {len(data):,} bytes; at most {FILE_MAX:,} are read.", hint="Take in fewer rows."
        )
    try:
        return RepresentationOut.model_validate_json(data)
    except ValidationError as error:
        wrong = {".".join(map(str, one["loc"])) or "file": one["msg"] for one in error.errors()[:5]}
        said = "; ".join(f"{place}: {words}" for place, words in wrong.items())
        raise NoRepresentationFile(
            f"This is not the JSON of a representation ({said}).",
            hint="Take the file that the JSON button of a representation gives.",
            fields=wrong,
        ) from error


def import_representation(
    said: RepresentationOut, *, workspace: Workspace, actor: Actor, now: datetime, shoebox: str = ""
) -> Representation:
    """Make a new representation from an exported one, in `shoebox` or in the one it was exported from.

    Its rows are taken as written, and what they cite is noted as it stands now. Raises what `create_representation`
    raises: a ref that leads nowhere here is named.
    """
    draft = RepresentationDraft.model_validate(
        {"kind": said.kind, "shoebox": shoebox or said.shoebox, "title": said.title, "body": said.body}
    )
    return create_representation(draft, workspace=workspace, actor=actor, now=now)


def replace_representation(
    representation: Representation, said: RepresentationOut, *, actor: Actor, now: datetime
) -> Representation:
    """Make a changed export the next version of the representation it was written from.

    Raises OfAnother for the file of another one, and StaleVersion when it was edited since the export.
    """
    if said.ref != str(representation.ref) or said.kind != representation.kind:
        raise OfAnother(
            f"The file was written from {said.ref}, not from {representation.ref}.",
            hint="Take it in as a new representation on the list of representations.",
        )
    edit = RepresentationEdit(title=said.title, body=said.body)
    return edit_representation(representation, edit, version=said.version, actor=actor, now=now)
