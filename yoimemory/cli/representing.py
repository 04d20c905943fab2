"""Representations from the terminal."""

import argparse
import json

from yoimemory.cli.run import DONE, caller, now, read_text, say, show_json, workspace_of
from yoimemory.cli.shoebox import find_shoebox


def represent(arguments: argparse.Namespace) -> int:
    """Build a representation from a shoebox's evidence, or take its rows from a JSON file."""
    from hypotheses.schemas import RepresentationDraft
    from hypotheses.services import create_representation
    from yoimemory.errors import BadInput

    body = None
    if arguments.body:
        try:
            body = json.loads(read_text(arguments.body))
        except (ValueError, RecursionError) as error:
            raise BadInput(f"{arguments.body} is no JSON: {error}.", fields={"body": "not JSON"}) from error
    shoebox = find_shoebox(arguments.shoebox, arguments)
    draft = RepresentationDraft.model_validate(
        {
            "kind": arguments.kind, "shoebox": str(shoebox.ref), "title": arguments.title,
            "evidence": arguments.evidence, "body": body,
        }
    )  # fmt: skip
    made = create_representation(draft, workspace=workspace_of(arguments), actor=caller(), now=now())
    return _tell(made, arguments)


def take_in(arguments: argparse.Namespace) -> int:
    """Make a new representation from the JSON file of an exported one."""
    from hypotheses.services import import_representation, read_representation_file

    said = read_representation_file(read_text(arguments.file).encode())
    shoebox = str(find_shoebox(arguments.shoebox, arguments).ref) if arguments.shoebox else ""
    made = import_representation(said, shoebox=shoebox, workspace=workspace_of(arguments), actor=caller(), now=now())
    return _tell(made, arguments)


def show(arguments: argparse.Namespace) -> int:
    """Show a representation as Markdown, or as the JSON that can be taken in again."""
    from hypotheses.models import Representation
    from hypotheses.rendering import representation_markdown
    from hypotheses.standing import representation_out
    from yoimemory.errors import NotFound

    rows = Representation.objects.in_workspace(workspace_of(arguments)).select_related("shoebox", "made_by")
    made = rows.filter(public_id=arguments.representation.removeprefix("representation:")).first()
    if made is None:
        raise NotFound(
            f"There is no representation {arguments.representation[:80]!r}.", hint="See `yoimemory represent list`."
        )
    out = representation_out(made)
    if arguments.json:
        show_json(out)
    else:
        say(representation_markdown(out).rstrip("\n"))
    return DONE


def _tell(made: object, arguments: argparse.Namespace) -> int:
    from hypotheses.standing import representation_out

    out = representation_out(made)  # type: ignore[arg-type]  # a Representation; its model is imported with Django only
    if arguments.json:
        show_json(out)
    else:
        say(f"{out.ref}  {out.title}, citing {len(out.cites)} ref{'' if len(out.cites) == 1 else 's'}")
    return DONE
