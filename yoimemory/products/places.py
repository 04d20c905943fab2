"""Where a product may be written: which paths each target allows, which never, and which ask twice.

Pure rules over names. Whether a path leads out of the workspace through a link is the opener's
to say, which looks at the file system; both must agree before anything is written.
"""

import re
import unicodedata
from dataclasses import dataclass
from urllib.parse import unquote

from yoimemory.errors import BadInput
from yoimemory.products.models import Proposal
from yoimemory.products.visible import is_hidden, visible
from yoimemory.refs import SourceRef

PATH_MAX = 1_000
_STEP_BYTES = 255
_SIGNS = re.compile(r'[\\:*?"<>|\n\t]')
_GIT = re.compile(r"\.git|git~[0-9]+")
_TICKET_FOLDER = r"(?P<folder>(?:\.yoi/tickets|work-items)/(?:(?:open|pending|closed)/)?[^/]+)"
_TICKET = re.compile(_TICKET_FOLDER + r"/artifacts/(?P<rest>.+)")
_THREAD = re.compile(_TICKET_FOLDER + r"/thread\.md")
_OBJECTIVE = re.compile(r"(?P<folder>\.yoi/objectives/[^/]+)/(?P<rest>.+)")
_MEMORY = re.compile(r"\.yoi/memory/(?:summary\.md|(?:decisions|requests)/[^/]+\.md)")
_SKILL = re.compile(r"(?:\.yoi|\.agents|\.claude|\.codex)/skills/[^/]+/.+")
_WORKFLOW = re.compile(r"\.yoi/workflow/[^/]+\.md")
_BACKENDS_OWN = frozenset({"relations.json", "orchestration-plan.jsonl", ".gitkeep"})
_INSTRUCTIONS = frozenset(
    {"agents.md", "agents.override.md", "claude.md", "claude.local.md", "gemini.md", "copilot-instructions.md",
     "skill.md", ".cursorrules", ".windsurfrules"}
)  # fmt: skip
_CARRIED_OUT = frozenset(
    {".envrc", ".env", "makefile", "gnumakefile", "justfile", "dockerfile", "containerfile", "vagrantfile",
     "jenkinsfile", "procfile", "rakefile", "package.json", "pyproject.toml", "setup.py", "setup.cfg", "conftest.py",
     "build.rs", "cargo.toml", "tox.ini", "noxfile.py", ".gitattributes", ".gitmodules", ".mcp.json", ".npmrc",
     ".pre-commit-config.yaml", "compose.yaml", "docker-compose.yml", "docker-compose.yaml", ".gitlab-ci.yml",
     "flake.nix", "shell.nix"}
)  # fmt: skip
_CARRIED_OUT_IN = re.compile(
    r"(?:^|/)(?:\.github/(?:workflows|actions)|\.circleci|\.buildkite|\.husky|\.githooks|\.git-hooks|hooks|\.ci"
    r"|\.devcontainer|\.vscode|\.idea|\.claude|\.codex|\.cursor|\.yoi/workflow|bin|scripts)/"
)
_SCRIPTS = (
    ".sh", ".bash", ".zsh", ".fish", ".ps1", ".bat", ".cmd", ".py", ".rb", ".pl", ".php", ".js", ".mjs", ".cjs",
    ".ts", ".lua", ".mk", ".service", ".desktop", ".nix", ".awk", ".tcl",
)  # fmt: skip


class NotAPlace(BadInput):
    """The path is none that a product may be written to."""


@dataclass(frozen=True, slots=True)
class Place:
    """A path that a product may be written to; `record` is the ticket or objective folder it belongs to."""

    path: str
    record: str = ""


def check_place(path: str, target: str) -> Place:
    """Check a path for a target. Raises NotAPlace with a sentence that says what would be right."""
    _check_name(path)
    folded = _fold(path)
    if "/.yoi/" in folded:
        raise _no(path, "belongs to another workspace below this one", "Open that workspace and propose it there.")
    if target in Proposal.TEXT_TARGETS:
        if not _THREAD.fullmatch(folded):
            raise _no(path, "is no ticket's thread", "Name the ticket, for example ticket:00001KX6WVNPD.")
        return Place(path, path.rsplit("/", 1)[0])
    ticket, objective = _TICKET.fullmatch(folded), _OBJECTIVE.fullmatch(folded)
    if folded.startswith(("work-items/", ".yoi/tickets/")) and ticket is None:
        raise _no(
            path,
            "belongs to the ticket backend: a product never changes an item, a thread or a state",
            "Write below the ticket's artifacts/ folder, or propose a comment.",
        )
    if ticket and ticket["rest"] in _BACKENDS_OWN:
        raise _no(path, "is kept by the ticket backend", "Choose another name below artifacts/.")
    if objective and objective["rest"] == "item.md":
        raise _no(path, "holds the objective's state, which a product never changes", "Write below resources/.")
    _check_target(path, folded, target, ticket is not None, objective is not None)
    match = ticket or objective
    steps = match["folder"].count("/") + 1 if match else 0
    return Place(path, "/".join(path.split("/")[:steps]))


def thread_path(text: str) -> str:
    """The thread that a text is meant for: a path as it is, a ticket ref as the path of its thread."""
    if not text.startswith("ticket:"):
        return text
    return f".yoi/tickets/{SourceRef.parse(text).source.locator}/thread.md"


def risk_of(path: str, content: str) -> str:
    """Why this file asks for a second confirmation, as a sentence; empty where it does not."""
    folded = _fold(path)
    name = folded.rsplit("/", 1)[-1]
    if name in _INSTRUCTIONS or _SKILL.fullmatch(folded) or _WORKFLOW.fullmatch(folded):
        return f"Agents read {visible(path)} as instructions and may act on every word of it."
    if name in _CARRIED_OUT or name.startswith((".env.", "dockerfile.")) or _CARRIED_OUT_IN.search(folded):
        return f"Programs read {visible(path)} and carry out what it says, often without asking."
    if name.endswith(_SCRIPTS) or content.startswith("#!"):
        return f"{visible(path)} is a script: whoever runs it carries out every line."
    return ""


def _check_target(path: str, folded: str, target: str, in_ticket: bool, in_objective: bool) -> None:
    kinds = Proposal.Target
    inside_yoi = folded.startswith(".yoi/")
    memory, skill = bool(_MEMORY.fullmatch(folded)), bool(_SKILL.fullmatch(folded))
    right = {
        kinds.TICKET_ARTIFACT: (in_ticket, "An artifact lies below .yoi/tickets/<id>/artifacts/."),
        kinds.OBJECTIVE_RESOURCE: (in_objective, "A resource lies below .yoi/objectives/<id>/resources/."),
        kinds.MEMORY: (
            memory,
            "A memory record is .yoi/memory/summary.md, decisions/<slug>.md or requests/<slug>.md.",
        ),
        kinds.SKILL: (skill, "A skill is .yoi/skills/<name>/SKILL.md, or the same below .agents/ or .claude/."),
        kinds.DECISION_RECORD: (
            folded.endswith(".md") and not inside_yoi,
            "A decision record is a Markdown file, for example docs/adr/0001-title.md.",
        ),
        kinds.VALIDATION: (
            in_ticket or in_objective or not inside_yoi,
            "Validation evidence lies below a ticket's artifacts/, an objective's resources/, or docs/.",
        ),
    }.get(
        kinds(target),
        (
            not inside_yoi or bool(_WORKFLOW.fullmatch(folded)),
            "A document lies outside .yoi/; artifacts, resources, skills and memory have targets of their own.",
        ),
    )
    if not right[0]:
        raise _no(path, f"is no place for a {target.replace('_', ' ')}", right[1])


def _check_name(path: str) -> None:
    if len(path) > PATH_MAX or any(len(step.encode("utf-8", "replace")) > _STEP_BYTES for step in path.split("/")):
        raise NotAPlace(
            f"This path is too long: at most {PATH_MAX} characters, {_STEP_BYTES} bytes a step.",
            fields={"path": "too long"},
        )
    for step in path.split("/"):
        folded = _fold(unquote(step))
        if not step or "/" in folded or folded in {"", ".", ".."} or step != step.strip() or step.endswith("."):
            raise _no(path, "is no path inside the workspace", "Write it as folder/name.md, without . or .. steps.")
        if _SIGNS.search(step) or step.startswith(("-", "~")) or any(is_hidden(char) for char in step):
            raise _no(path, "holds a sign that a name of ours may not hold", "Use letters, digits, '-', '_' and '.'.")
        if _GIT.fullmatch(folded):
            raise _no(path, "leads into git's own folder", "Products are working files; git stays yours.")
        if step.startswith(".yoimemory-tmp-"):
            raise _no(path, "is a name that we use while writing", "Choose another name.")


def _fold(path: str) -> str:
    """The path as the least strict file system would compare it."""
    steps = unicodedata.normalize("NFKC", path).casefold().split("/")
    return "/".join("".join(char for char in step if not is_hidden(char)).rstrip(". ") or step for step in steps)


def _no(path: str, what: str, hint: str) -> NotAPlace:
    return NotAPlace(f"{visible(path)[:200]} {what}.", hint=hint, fields={"path": "not allowed"})
