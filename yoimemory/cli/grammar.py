"""What a verb of the command line is made of, and the grammar of asking again and of disagreeing."""

import argparse
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    Verbs: TypeAlias = argparse._SubParsersAction[argparse.ArgumentParser]


def add_verb(
    verbs: "Verbs", name: str, verb: str, text: str, *, scope: str = "people", json: bool = True
) -> argparse.ArgumentParser:
    """One verb. `scope` is what a Worker's token needs for it: read, propose, people (never), or nothing at all."""
    made = verbs.add_parser(name, help=text, description=text)
    made.set_defaults(verb=verb, needs=scope, bare=False)
    made.add_argument("--workspace", metavar="SLUG", default="", help="default: that of this folder, or the only one")
    if json:
        made.add_argument("--json", action="store_true", help="one JSON value on standard output, for machines")
    return made


def add_group(verbs: "Verbs", name: str, text: str) -> "Verbs":
    group = verbs.add_parser(name, help=text, description=text)
    return group.add_subparsers(title="verbs", required=True, metavar="VERB")


def _paged(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("--limit", type=int, default=None, metavar="N")
    verb.add_argument("--cursor", default="", metavar="C", help="go on after an earlier answer")


def add_asking(verbs: "Verbs") -> None:
    """Searches that were kept, and words that meant something else."""
    group = add_group(verbs, "searches", "searches that were kept under a name")
    _paged(add_verb(group, "list", "asking:list_searches", "list them, newest first", scope="read"))
    add_verb(group, "recent", "asking:recent", "list what you asked lately", scope="read")
    save = add_verb(group, "save", "asking:save", "keep a search; the same name takes the new words", scope="propose")
    save.add_argument("name", metavar="NAME")
    save.add_argument("query", metavar="QUERY", nargs="+")
    save.add_argument("--where", action="append", default=[], metavar="NAME=VALUE", help="such as kinds=ticket")
    save.add_argument("--shared", action="store_true", help="for everyone in the workspace")
    run = add_verb(group, "run", "asking:run", "ask one again", scope="read")
    run.add_argument("search", metavar="NAME|ID")
    run.add_argument("--limit", type=int, default=10, metavar="N")
    run.add_argument("--cursor", default="", metavar="C", help="go on after an earlier answer")
    run.add_argument("--budget", type=int, metavar="CHARS", help="characters of text (default: 8000)")
    rename = add_verb(group, "rename", "asking:rename", "give one another name", scope="propose")
    rename.add_argument("search", metavar="NAME|ID")
    rename.add_argument("name", metavar="NEW")
    for name, text in (("remove", "take one off the list"), ("restore", "put one back that was taken off")):
        add_verb(group, name, f"asking:{name}", text, scope="propose").add_argument("search", metavar="NAME|ID")
    words = add_group(verbs, "aliases", "what words meant until when; searches use each both ways")
    _paged(add_verb(words, "list", "asking:list_aliases", "list them, newest first", scope="read"))
    add = add_verb(words, "add", "asking:add_alias", "write one down; a reviewer, at a terminal")
    add.add_argument("word", metavar="WORD")
    add.add_argument("meaning", metavar="MEANING")
    add.add_argument("--since", default=None, metavar="DAY", help="the first day on which it meant that")
    add.add_argument("--until", default=None, metavar="DAY", help="the first day on which it no longer did")
    add.add_argument("--note", default="", metavar="WORDS")
    off = add_verb(words, "remove", "asking:remove_alias", "stop applying one; a reviewer, at a terminal")
    off.add_argument("alias", metavar="ID")


def add_disagreeing(verbs: "Verbs") -> None:
    """Refs that cannot both hold, and how far sources are trusted."""
    group = add_group(verbs, "contradictions", "refs that cannot both hold")
    listed = add_verb(group, "list", "disagreeing:list_contradictions", "list them, newest first", scope="read")
    listed.add_argument("--ref", default="", metavar="REF", help="those with a side in it")
    listed.add_argument("--status", choices=["proposed", "open", "resolved", "declined"], default="")
    _paged(listed)
    note = add_verb(group, "note", "disagreeing:note", "let two refs stand against each other", scope="propose")
    for side in ("left", "right"):
        note.add_argument(side, metavar="REF")
        note.add_argument(f"--{side}-at", default=None, metavar="T", help=f"when the {side} side was said")
        note.add_argument(f"--{side}-scope", default="", metavar="WORDS", help="where it applies")
    note.add_argument("--about", required=True, metavar="WORDS", help="what they disagree on")
    trust = add_group(verbs, "reliability", "how far people trust the sources")
    graded = add_verb(trust, "list", "disagreeing:list_reliability", "list the grades", scope="read")
    graded.add_argument("--source", default="", metavar="REF")
    _paged(graded)
    grade = add_verb(trust, "set", "disagreeing:set_grade", "grade a source; a reviewer, at a terminal")
    grade.add_argument("source", metavar="REF")
    grades = ["normative here", "usually right", "mixed", "unreliable", "cannot be judged"]
    grade.add_argument("--grade", required=True, choices=grades)
    grade.add_argument("--reason", required=True, metavar="WORDS")
