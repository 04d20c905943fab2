"""The command line: what may be typed. Nothing heavy is imported before a verb is known."""

import argparse
import os
import sys
from importlib import import_module
from typing import TYPE_CHECKING

from yoimemory.cli.grammar import add_asking, add_disagreeing
from yoimemory.cli.grammar import add_group as _group
from yoimemory.cli.grammar import add_verb as _verb

if TYPE_CHECKING:
    from yoimemory.cli.grammar import Verbs

EXIT_CODES = """\
exit codes: 0 done, 1 nothing found or partly refused, 2 input not understood,
            3 refused by a rule, 4 no such thing; doctor: 0 healthy, 1 findings, 2 could not check
"""


def main(argv: list[str] | None = None) -> int:
    """Run one verb; every error that a person can act on is a sentence."""
    if sys.version_info < (3, 11):  # noqa: UP036 (an old interpreter gets a sentence, not a SyntaxError)
        sys.stderr.write("yoimemory needs Python 3.11 or newer.\n")
        return 2
    given = sys.argv[1:] if argv is None else argv
    grammar = parser(server_only=given[:1] == ["mcp"] and "_ARGCOMPLETE" not in os.environ)
    if "_ARGCOMPLETE" in os.environ:  # a shell asks what may come next
        import argcomplete

        argcomplete.autocomplete(grammar)
    arguments = grammar.parse_args(given)
    module, _, function = arguments.verb.partition(":")
    verb = getattr(import_module(f"yoimemory.cli.{module}"), function)
    if arguments.bare:
        return int(verb(arguments))
    from yoimemory.cli.run import run_verb

    return run_verb(verb, arguments)


def parser(*, server_only: bool = False) -> argparse.ArgumentParser:
    """The whole grammar of the command line; or its first part, since clients start the bridge for every call."""
    top = argparse.ArgumentParser(
        prog="yoimemory",
        description="Gather what a workspace holds round one question, quote it with proof, argue, close the loop.",
        epilog=EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    verbs = top.add_subparsers(title="verbs", required=True, metavar="VERB")
    _add_server(verbs)
    if server_only:
        return top
    _add_completing(verbs)
    _add_reading(verbs)
    _add_sources(verbs)
    _add_shoebox(verbs)
    _add_evidence(verbs)
    _add_representing(verbs)
    _add_proposing(verbs)
    add_asking(verbs)
    add_disagreeing(verbs)
    _add_upkeep(verbs)
    _add_keeping(verbs)
    _add_closing(verbs)
    return top


def _port(text: str) -> int:
    if not text.isdecimal() or len(text) > 5 or not 0 < int(text) < 65_536:
        raise argparse.ArgumentTypeError(f"{text!r} is no port; give a number from 1 to 65535")
    return int(text)


def _add_server(verbs: "Verbs") -> None:
    serve = _verb(verbs, "serve", "serve:serve", "serve the app at http://127.0.0.1:8765/", scope="", json=False)
    serve.add_argument("path", nargs="?", metavar="PATH", help="a workspace to register and read, in the background")
    serve.add_argument("--host", default="127.0.0.1", help="the address to listen at (default: this machine only)")
    serve.add_argument("--port", type=_port, help="default: YOIMEMORY_PORT, or 8765")
    serve.add_argument("--no-open", action="store_true", help="do not open a browser")
    serve.set_defaults(thorough=True)
    demo = _verb(
        verbs, "demo", "serve:demo", "build a small workspace with every stage filled, and serve it", scope="",
        json=False,
    )  # fmt: skip
    demo.add_argument("folder", nargs="?", metavar="FOLDER", help="where to build it (default: in the data folder)")
    demo.add_argument("--host", default="127.0.0.1", help=argparse.SUPPRESS)
    demo.add_argument("--port", type=_port, help="default: YOIMEMORY_PORT, or 8765")
    demo.add_argument("--no-open", action="store_true", help="do not open a browser")
    demo.add_argument("--no-serve", action="store_true", help="build it only")
    mcp = _verb(
        verbs, "mcp", "mcp:mcp", "serve MCP on standard input and output, for a client that starts it", scope="read",
        json=False,
    )  # fmt: skip
    mcp.set_defaults(bare=True)  # a bridge of the standard library: clients start one for every call
    mcp.add_argument("--read-only", action="store_true", help="offer no tool that writes")
    mcp.add_argument("--in-process", action="store_true", help="need no running server; starts slower")
    link = _verb(verbs, "link", "access:link", "print a new one-time link that logs the owner in")
    link.add_argument("--port", type=_port, help="the port of the running server")
    doctor = _verb(verbs, "doctor", "doctor:doctor", "say what is wrong and how to mend it", scope="")
    doctor.set_defaults(prepare=False)


def _add_completing(verbs: "Verbs") -> None:
    completion = _verb(
        verbs,
        "completion",
        "completing:script",
        "print what a shell needs to complete these verbs",
        scope="",
        json=False,
    )
    completion.add_argument("shell", choices=["bash", "zsh", "fish"])
    completion.set_defaults(bare=True)
    completion.epilog = 'for bash and zsh: eval "$(yoimemory completion bash)"; for fish: … completion fish | source'


def _add_reading(verbs: "Verbs") -> None:
    index = _verb(verbs, "index", "index:index", "read the sources of a workspace, now")
    index.add_argument("path", nargs="?", metavar="PATH", help="registered if it is not yet")
    index.add_argument("--revision", default="", metavar="REV", help="a commit instead of the working tree")
    index.add_argument("--full", action="store_true", help="read everything again, not only what changed")
    index.add_argument("--stop", action="store_true", help="stop the reading that waits or runs; what was read stays")
    _verb(verbs, "status", "index:status", "say where the index stands", scope="read")
    search = _verb(verbs, "search", "reading:search", "find passages", scope="read")
    search.add_argument("query", metavar="QUERY", nargs="+")
    search.add_argument("--kind", action="append", default=[], dest="kinds", metavar="K", help="may be given again")
    search.add_argument("--limit", type=int, default=10, metavar="N")
    search.add_argument("--as-of", default="", metavar="T", help="what is later than this stays and is marked")
    search.add_argument("--stance", choices=["any", "supporting", "disconfirming"], default="any")
    _narrowing(search)
    _budget(search)
    opened = _verb(verbs, "open", "reading:open_ref", "show what a ref names", scope="read")
    opened.add_argument("ref", metavar="REF", help="doc:docs/guide.md#L3-L9, ticket:…/thread, evidence:…")
    opened.add_argument("--as-of", default="", metavar="T", help="how a ticket stood at this instant")
    _budget(opened)


def _narrowing(search: argparse.ArgumentParser) -> None:
    """The filters of a search, under the names that JSON has."""
    search.add_argument("--path", default="", metavar="GLOB", help="path or locator; * crosses /")
    search.add_argument("--authority", action="append", default=[], metavar="A", help="may be given again")
    search.add_argument("--author", default="", metavar="NAME")
    search.add_argument("--speaker", default="", metavar="S", help="human, agent, tool, memory or harness")
    search.add_argument("--language", action="append", default=[], dest="languages", metavar="L")
    search.add_argument("--state", action="append", default=[], dest="states", metavar="S", help="of tickets and such")
    search.add_argument("--since", default="", metavar="T")
    search.add_argument("--until", default="", metavar="T")
    search.add_argument("--revision", default="", metavar="REV", help="only if the index stands there")
    search.add_argument("--order", choices=["relevance", "newest", "oldest"], default="relevance")
    search.add_argument("--shoebox", default="", metavar="REF", help="search inside this shoebox only")
    search.add_argument("--per-source", type=int, default=1, metavar="N", help="hits shown of one source")
    search.add_argument("--cursor", default="", metavar="C", help="go on after an earlier answer")


def _budget(made: argparse.ArgumentParser) -> None:
    made.add_argument("--budget", type=int, metavar="CHARS", help="characters of text (default: 8000)")


def _add_sources(verbs: "Verbs") -> None:
    group = _group(verbs, "sources", "workspaces, and further folders that they read")
    add = _verb(group, "add", "sources:add", "read a file or folder outside the repository, too")
    add.add_argument("path", metavar="PATH")
    add.add_argument("--kind", required=True, choices=["session", "record", "memory", "skill", "ticket"])
    add.add_argument("--format", default="", metavar="F", help="auto, or one of the kind: codex, beads, github …")
    add.add_argument("--preview", action="store_true", help="show what would be read, and add nothing")
    _verb(group, "list", "sources:list_sources", "list workspaces and added sources", scope="read")
    remove = _verb(group, "remove", "sources:remove", "stop reading an added source; its file stays")
    remove.add_argument("path", metavar="PATH")
    record = _verb(group, "record", "sources:record", "keep how a record stands now", scope="propose")
    record.add_argument("record", metavar="SYSTEM/ID", help="such as runtime/worker-7")
    record.add_argument("file", metavar="FILE", help="one JSON value; - is standard input")
    record.add_argument("--at", default="", metavar="T", help="when it stood so (default: now)")
    record.add_argument("--origin", default="", metavar="WORDS", help="where it comes from")
    message = _verb(group, "message", "sources:message", "keep an instruction of a user verbatim", scope="propose")
    message.add_argument("text", metavar="WORDS", help="the words; - reads standard input")
    message.add_argument("--by", default="", dest="said_by", metavar="NAME", help="whose words they are")
    message.add_argument("--at", default="", metavar="T", help="when they were said (default: now)")
    message.add_argument("--origin", default="", metavar="WORDS", help="where they were said")


def _add_shoebox(verbs: "Verbs") -> None:
    group = _group(verbs, "shoebox", "what was gathered round a question")
    new = _verb(group, "new", "shoebox:new", "open a shoebox for a question and gather", scope="propose")
    new.add_argument("--question", required=True, metavar="Q")
    new.add_argument("--task", default="", metavar="REF", help="the ticket or objective that it serves")
    new.add_argument("--task-kind", choices=["review", "design", "other"], default="", help="a task without a record")
    new.add_argument("--task-title", default="", metavar="WORDS", help="what such a task is called")
    new.add_argument("--purpose", default="")
    new.add_argument("--as-of", default="", metavar="T")
    new.add_argument("--ref", action="append", default=[], dest="refs", metavar="REF", help="may be given again")
    new.add_argument("--query", action="append", default=[], dest="queries", metavar="Q", help="may be given again")
    new.add_argument("--kind", action="append", default=[], dest="kinds", metavar="K", help="may be given again")
    new.add_argument("--no-gather", action="store_true", help="leave it empty")
    _budget(new)
    listed = _verb(group, "list", "shoebox:list_shoeboxes", "list shoeboxes, newest first", scope="read")
    listed.add_argument("--limit", type=int, default=20, metavar="N")
    show = _verb(group, "show", "shoebox:show", "show a shoebox within a budget", scope="read")
    show.add_argument("shoebox", metavar="ID")
    _budget(show)
    again = _verb(group, "gather", "shoebox:gather", "gather again: what is new, what has changed", scope="propose")
    again.add_argument("shoebox", metavar="ID")
    again.add_argument("--query", action="append", default=[], dest="queries", metavar="Q", help="may be given again")
    _budget(again)
    twin = _verb(group, "duplicate", "shoebox:duplicate", "ask another question of the same material", scope="propose")
    twin.add_argument("shoebox", metavar="ID")
    twin.add_argument("--question", required=True, metavar="Q")
    twin.add_argument("--gather", action="store_true", help="search for the new question, too")
    _budget(twin)
    add = _verb(group, "add", "shoebox:add", "add a ref by hand", scope="propose")
    add.add_argument("shoebox", metavar="ID")
    add.add_argument("ref", metavar="REF")
    add.add_argument("--why", required=True, metavar="LINE", help="one line: why it is here")
    add.add_argument("--leaning", choices=["likely supports", "likely contradicts", "unclear"], default="unclear")
    taken = _verb(
        group, "import", "shoebox:import_file", "take an exported artifact in, to be reviewed", scope="propose"
    )
    taken.add_argument("file", metavar="FILE", help="the JSON of an export; - is standard input")
    export = _verb(group, "export", "shoebox:export", "write it into the workspace, after a person saw what")
    export.add_argument("shoebox", metavar="ID")
    export.add_argument("--folder", default="", help="relative to the workspace (default: beside its task)")
    parts = ["dossier", "shoebox", "evidence", "hypotheses", "representations"]
    export.add_argument("--part", choices=parts, default="dossier", help="one part alone (default: everything)")
    export.add_argument("--only", default="", metavar="ID", help="one representation alone")


def _add_evidence(verbs: "Verbs") -> None:
    group = _group(verbs, "evidence", "what the world says, quoted with proof")
    add = _verb(group, "add", "evidence:add", "quote a source; the words must stand there", scope="propose")
    add.add_argument("--shoebox", required=True, metavar="ID")
    add.add_argument("--ref", required=True, metavar="REF", help="where the words stand")
    add.add_argument("--quote", default="", metavar="WORDS", help="the exact words; - reads standard input")
    add.add_argument("--kind", choices=["quote", "summary", "observation"], default="quote")
    add.add_argument("--summary", default="", metavar="WORDS", help="what stands there, in your words")
    add.add_argument("--inference", default="", metavar="WORDS", help="what you conclude")
    bases = ["witnessed", "deduced", "induced", "told", "recalled", "cannot be judged"]
    add.add_argument("--basis", choices=bases, default="cannot be judged", help="how the source knows")
    add.add_argument("--absent", default="", metavar="WORDS", help="observation: these words do not stand there")
    add.add_argument("--command", default="", metavar="LINE", help="observation: what showed it; never run here")
    add.add_argument("--output", default="", metavar="FILE", help="observation: what the command put out")
    add.add_argument("--relation", choices=["supports", "refutes", "contextualizes"])
    add.add_argument("--target", default="", metavar="REF", help="a hypothesis (default: the shoebox)")
    add.add_argument("--why", default="", metavar="LINE", help="why it matters")
    suggest = _verb(group, "suggest", "evidence:suggest", "propose passages, without a model", scope="propose")
    suggest.add_argument("--shoebox", required=True, metavar="ID")
    suggest.add_argument("--limit", type=int, default=10, metavar="N", help="at most 30 (default: 10)")
    given = _verb(group, "export", "evidence:give_out", "print it as Web Annotations", scope="read")
    given.add_argument("--shoebox", required=True, metavar="ID")
    taken = _verb(group, "import", "evidence:take_in", "take Web Annotations in, through the gate", scope="propose")
    taken.add_argument("--shoebox", required=True, metavar="ID")
    taken.add_argument("file", metavar="FILE", help="- reads standard input")
    listed = _verb(group, "list", "evidence:list_evidence", "list evidence, newest first", scope="read")
    listed.add_argument("--shoebox", default="", metavar="ID")
    listed.add_argument("--state", default="")
    listed.add_argument("--limit", type=int, default=20, metavar="N")
    show = _verb(group, "show", "evidence:show", "show one piece with its provenance", scope="read")
    show.add_argument("evidence", metavar="ID")


def _add_representing(verbs: "Verbs") -> None:
    group = _group(verbs, "represent", "timelines, tables, maps, graphs and checklists over the evidence")
    new = _verb(group, "new", "representing:represent", "build one from a shoebox's evidence", scope="propose")
    new.add_argument("--shoebox", required=True, metavar="ID")
    new.add_argument("--kind", required=True, metavar="K", help="timeline, decision_table, dependency_graph, …")
    new.add_argument("--title", default="")
    new.add_argument("--evidence", action="append", default=[], metavar="REF", help="of this only; may be given again")
    new.add_argument(
        "--body", default="", metavar="FILE", help="its rows as JSON, instead of building; - is standard input"
    )
    taken = _verb(group, "import", "representing:take_in", "make one from an exported JSON file", scope="propose")
    taken.add_argument("file", metavar="FILE", help="- is standard input")
    taken.add_argument("--shoebox", default="", metavar="ID", help="default: the one it was exported from")
    listed = _verb(group, "list", "listing:records", "list representations, newest first", scope="read")
    _listed(listed)
    listed.set_defaults(noun="representations")
    show = _verb(
        group, "show", "representing:show", "show one as Markdown, or as JSON that can be imported", scope="read"
    )
    show.add_argument("representation", metavar="REF")
    anything = _verb(verbs, "list", "listing:records", "list records of any kind, newest first", scope="read")
    anything.add_argument("noun", metavar="NOUN", help="hypotheses, proposals, markers, memory, artifacts, events, …")
    _listed(anything)


def _listed(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("--where", action="append", default=[], metavar="NAME=VALUE", help="such as state=accepted")
    verb.add_argument("--limit", type=int, default=None, metavar="N")
    verb.add_argument("--cursor", default="", metavar="C", help="go on after an earlier answer")


def _add_proposing(verbs: "Verbs") -> None:
    propose = _verb(
        verbs, "propose", "proposing:propose", "propose the new text of a file; a reviewer decides", scope="propose"
    )
    propose.add_argument("--target", required=True, help="doc, ticket_comment, ticket_artifact, objective_resource, …")
    propose.add_argument("--path", required=True, help="relative to the workspace")
    propose.add_argument("--content", required=True, metavar="FILE", help="the whole new text; - is standard input")
    propose.add_argument("--rationale", required=True, metavar="WORDS")
    propose.add_argument("--title", default="")
    propose.add_argument("--evidence", action="append", default=[], metavar="REF", help="may be given again")
    propose.add_argument("--shoebox", default="", metavar="ID")
    mark = _verb(verbs, "mark", "proposing:mark", "put a staleness marker on a ref", scope="propose")
    mark.add_argument("ref", metavar="REF")
    mark.add_argument("--state", required=True, choices=["stale", "superseded", "contradicted", "needs-review"])
    mark.add_argument("--reason", required=True, metavar="WORDS")
    mark.add_argument("--by", default="", metavar="REF", help="what supersedes or contradicts it")
    mark.add_argument("--evidence", action="append", default=[], metavar="REF", help="may be given again")


def _add_upkeep(verbs: "Verbs") -> None:
    group = _group(verbs, "token", "Workers' keys to one workspace")
    new = _verb(group, "new", "access:token_new", "make a token and print it, this once")
    new.add_argument("name", metavar="NAME")
    new.add_argument("--scope", required=True, choices=["read", "propose"])
    new.add_argument("--role", default="", help="orchestrator, coder, reviewer …")
    new.add_argument("--days", type=int, default=90, help="how long it lasts (at most 90)")
    _verb(group, "list", "access:token_list", "list tokens and their last use")
    revoke = _verb(group, "revoke", "access:token_revoke", "end a token at once")
    revoke.add_argument("token", metavar="NAME|ID")


def _add_keeping(verbs: "Verbs") -> None:
    backup = _verb(verbs, "backup", "keeping:backup", "copy what people and Workers made, also while a server runs")
    backup.add_argument("--to", default="", metavar="FILE", help="default: the folder backups beside the data")
    restore = _verb(verbs, "restore", "keeping:restore", "put a copy in the place of the data, after it was verified")
    restore.add_argument("file", metavar="FILE", help="what `yoimemory backup` made")
    restore.add_argument("--yes", action="store_true", help="do not ask")
    restore.add_argument(
        "--root", action="append", default=[], metavar="SLUG=PATH", help="where a workspace stands now"
    )
    restore.set_defaults(prepare=False)


def _add_closing(verbs: "Verbs") -> None:
    group = _group(verbs, "impact", "what memory did to the work")
    record = _verb(group, "record", "impact:record", "tell of an effect on the work", scope="propose")
    record.add_argument("kind", metavar="KIND", help="cited, changed_plan, changed_review, caused_update, …")
    record.add_argument("--product", required=True, metavar="REF", help="where it shows, such as commit:85153cf8")
    record.add_argument("--subject", action="append", required=True, dest="subjects", metavar="REF", help="our record")
    record.add_argument("--note", default="", metavar="WORDS")
    figures = _verb(group, "show", "impact:show", "the figures of a span of weeks", scope="read")
    figures.add_argument("--weeks", type=int, default=12, metavar="N")
    figures.add_argument("--role", default="", metavar="ROLE")
    listed = _verb(group, "list", "impact:list_events", "list the effects, newest first", scope="read")
    listed.add_argument("--known", choices=["observed", "recorded", "claimed"], default="")
    listed.add_argument("--limit", type=int, default=20, metavar="N")
    skills = _group(verbs, "skills", "our skills for the agents of a workspace")
    _verb(skills, "list", "skills:list_skills", "list our skills and where they stand", scope="read")
    install = _verb(skills, "install", "skills:install", "write our skills, after a person saw what")
    install.add_argument("--folder", choices=[".yoi/skills", ".agents/skills", ".claude/skills"], default=".yoi/skills")
    undo = _verb(skills, "undo", "skills:undo", "take away what was installed")
    undo.add_argument("installation", nargs="?", default="", metavar="ID", help="default: the latest that stands")
    connect = _verb(verbs, "connect", "connect:connect", "tell an agent's client of us, and try it out")
    connect.add_argument("client", choices=["claude", "codex", "yoi"])
    connect.add_argument("--write", action="store_true", help="write it into the workspace, after a person saw what")


if __name__ == "__main__":
    sys.exit(main())
