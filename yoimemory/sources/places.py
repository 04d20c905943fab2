"""Which address a path of a workspace has, and which path an address means. Names only, nothing is opened."""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from yoimemory.refs import SourceRef

SKILL_FOLDERS = (".yoi/skills", ".agents/skills", ".claude/skills")
"""Where skills are looked for; of two skills with one name the first folder's is the skill."""

TICKET_FOLDERS = (".yoi/tickets", "work-items")
FILED_TICKETS = "tickets"
"""Earliest, a ticket was a file of this folder, with a second one for its review; done, both were deleted."""

TRACKER_FILES = (".beads/issues.jsonl", ".beads/beads.jsonl")
"""Where a tracker of another kind leaves an export of its tickets."""

TICKET_STATES = ("open", "pending", "closed")
"""Earlier, tickets lay in folders named after their state; such a folder may still come from history."""

MEMORY_FOLDERS = {".serena/memories": "serena", ".codex/memories": "codex"}
"""Where other agents keep notes of their own in a workspace, and what stands before their names in an address."""

SESSION_FOLDERS = (".yoi/sessions", "sessions")
AIDER_LOG = ".aider.chat.history.md"
PROCEDURES = frozenset({
    "agents.md", "agents.override.md", "claude.md", "claude.local.md", "gemini.md", "skill.md",
    "copilot-instructions.md", ".cursorrules", ".windsurfrules", ".clinerules",
})  # fmt: skip
PROCEDURE_FOLDERS = (
    ".yoi/workflow/", ".cursor/rules/", ".github/instructions/", ".claude/commands/", ".claude/agents/",
)  # fmt: skip

DOC_ENDINGS = frozenset({
    "md", "markdown", "mdx", "rst", "txt", "adoc", "asciidoc", "org", "tex", "html", "htm",
    "ipynb", "mdc",
})  # fmt: skip
CODE_ENDINGS = frozenset({
    "py", "rs", "go", "js", "jsx", "ts", "tsx", "mjs", "cjs", "java", "kt", "kts", "scala", "c", "h", "cc", "cpp",
    "hpp", "cs", "rb", "php", "pl", "sh", "bash", "zsh", "fish", "ps1", "sql", "toml", "yaml", "yml", "json",
    "jsonl", "ini", "cfg", "conf", "css", "scss", "less", "vue", "svelte", "lua", "ex", "exs", "erl", "hs", "ml",
    "clj", "el", "vim", "nix", "tf", "proto", "graphql", "xml", "svg", "swift", "m", "dart", "r", "jl", "zig",
    "dcdl", "csv", "tsv", "lock",
})  # fmt: skip
BINARY_ENDINGS = frozenset({
    "png", "jpg", "jpeg", "gif", "webp", "bmp", "ico", "tif", "tiff", "avif", "pdf", "zip", "gz", "bz2", "xz",
    "zst", "7z", "tar", "tgz", "jar", "war", "whl", "so", "dll", "dylib", "exe", "o", "a", "class", "pyc", "pyo",
    "wasm", "woff", "woff2", "ttf", "otf", "eot", "mp3", "mp4", "wav", "ogg", "webm", "mov", "avi", "sqlite",
    "sqlite3", "db", "bin", "dat", "pack", "idx", "parquet", "npy", "npz", "pkl", "docx", "xlsx", "pptx", "odt",
    "rlib", "rmeta",
})  # fmt: skip
"""Endings of files that hold no text; they are not sources and are passed by without a word."""

_OLDER_TICKET = re.compile(r"(?:\.yoi/tickets|work-items)/(?:open|pending|closed)/([^/]+)/(.+)")
_FILED_TICKET = re.compile(r"tickets/([^/]{1,200}?)(\.review)?\.md")
_NOT_FILED = frozenset({"readme", "template", "index", "todo", "changelog"})
_PART = re.compile(r"(.+)/part-[1-9][0-9]{0,5}")
_DATED = re.compile(r"(?<![0-9])(?:19|20)[0-9]{2}-?(?:0[1-9]|1[0-2])-?(?:0[1-9]|[12][0-9]|3[01])(?![0-9])")


@dataclass(frozen=True, slots=True)
class Place:
    """What a path is: the reader that reads it, the unit it belongs to, its address."""

    reader: str
    unit: str
    ref: SourceRef


@lru_cache(maxsize=1 << 17)
def place_of(path: str) -> Place:
    """The place of a path, by its name alone. Sessions have an address only once they are read."""
    steps = path.split("/")
    older = _OLDER_TICKET.fullmatch(path)
    if older:
        return _ticket_place(older[1], older[2])
    filed = _FILED_TICKET.fullmatch(path)
    if filed and filed[1].lower() not in _NOT_FILED:
        return Place("tickets", f"ticket:{filed[1]}", SourceRef("ticket", filed[1] + ("/review" if filed[2] else "")))
    if steps[0] == ".yoi" and len(steps) > 2:
        place = _yoi_place(steps)
        if place:
            return place
    if path in TRACKER_FILES:
        return Place("beads", path, SourceRef("code", path))
    for folder in SKILL_FOLDERS:
        if path.startswith(folder + "/"):
            rest = path[len(folder) + 1 :].split("/")
            if len(rest) > 1:
                ref = SourceRef("skill", rest[0] if _is_skill_file(rest[1:]) else "/".join(rest))
                return Place("skills", f"{folder}/{rest[0]}", ref)
    if steps[0] in {".serena", ".codex"}:
        for folder, system in MEMORY_FOLDERS.items():
            if path.startswith(folder + "/") and path.endswith(".md"):
                return Place("memory", path, SourceRef("memory", f"{system}/{path[len(folder) + 1 : -len('.md')]}"))
    name = session_name(path)
    if name:
        system = "aider" if path.endswith(AIDER_LOG) else "plain"
        return Place("sessions", path, SourceRef("session", f"{system}/{name}"))
    kind = "doc" if is_doc(path) else "code"
    return Place("docs" if kind == "doc" else "code", path, SourceRef(kind, path))


def is_filed_ticket(path: str) -> bool:
    """Whether a ticket lies in a file of its own, as in the earliest layout."""
    return path.startswith(f"{FILED_TICKETS}/")


def _yoi_place(steps: list[str]) -> Place | None:
    folder, name, rest = steps[1], steps[2], "/".join(steps[3:])
    if folder == "tickets" and rest:
        return _ticket_place(name, rest)
    if folder == "objectives" and rest:
        return Place(
            "objectives", f"objective:{name}", SourceRef("objective", name if rest == "item.md" else f"{name}/{rest}")
        )
    if folder == "memory":
        locator = _memory_locator("/".join(steps[2:]))
        return Place("memory", "/".join(steps), SourceRef("memory", locator)) if locator else None
    return None


def _ticket_place(name: str, rest: str) -> Place:
    part = {"item.md": "", "thread.md": "/thread", "resolution.md": "/resolution"}.get(rest, f"/{rest}")
    return Place("tickets", f"ticket:{name}", SourceRef("ticket", name + part))


def _memory_locator(rest: str) -> str:
    if rest == "summary.md":
        return "summary"
    for folder, word, ending in (
        ("decisions/", "decision/", ".md"),
        ("requests/", "request/", ".md"),
        ("_staging/", "candidate/", ".json"),
        ("_usage/", "usage/", ".jsonl"),
        ("_logs/", "audit/", ".log"),
    ):
        slug = rest[len(folder) : -len(ending)]
        if rest.startswith(folder) and rest.endswith(ending) and slug and "/" not in slug:
            return word + slug
    return ""


def _is_skill_file(rest: list[str]) -> bool:
    return len(rest) == 1 and rest[0].lower() == "skill.md"


def session_name(path: str) -> str:
    """The name of a session log within its folder, without ending; empty for what is none."""
    for folder in SESSION_FOLDERS:
        if path.startswith(folder + "/") and path.endswith(".jsonl") and not path.endswith(".trace.jsonl"):
            return path[len(folder) + 1 : -len(".jsonl")]
    return path.removesuffix(".md") if path.rsplit("/", 1)[-1] == AIDER_LOG else ""


def whole_name(address: str) -> str:
    """The address of the log that a part of it belongs to."""
    match = _PART.fullmatch(address)
    return match[1] if match else address


def has_entry(facts: dict[str, Any], number: int) -> bool:
    """Whether a document of a log with these facts holds an entry; one without parts holds them all."""
    first, last = facts.get("entries") or (0, number)
    return bool(first <= number <= last)


def ending_of(path: str) -> str:
    """The lower-case ending of a file name without its dot, or nothing."""
    name = path.rsplit("/", 1)[-1]
    return name.rsplit(".", 1)[-1].lower() if "." in name.lstrip(".") else ""


def is_doc(path: str) -> bool:
    """Whether a path is prose for people; everything else that is text counts as code."""
    name = path.rsplit("/", 1)[-1].lower()
    return ending_of(path) in DOC_ENDINGS or name in {"readme", "license", "licence", "changelog", "notice", "authors"}


def is_binary_name(path: str) -> bool:
    return ending_of(path) in BINARY_ENDINGS


def authority_of(path: str) -> str:
    """The class of authority that a document has by where it lies: *procedure*, *semi* or *authority*."""
    steps = path.lower().split("/")
    if steps[-1] in PROCEDURES or path.startswith(PROCEDURE_FOLDERS):
        return "procedure"
    if is_historical(path):
        return "semi"
    if any(step in {"report", "reports"} for step in steps[:-1]) or _DATED.search(steps[-1]):
        return "semi"
    return "authority"


def is_historical(path: str) -> bool:
    """Whether a file lies in a folder of Knowledge notes, a kind of record that was given up."""
    return path.startswith((".yoi/knowledge/", ".insomnia/knowledge/", ".yoi/memory/knowledge/"))


def date_in(path: str) -> str:
    """The date that a file name carries, as YYYY-MM-DD, or nothing."""
    match = _DATED.search(path.rsplit("/", 1)[-1])
    if not match:
        return ""
    digits = match[0].replace("-", "")
    return f"{digits[:4]}-{digits[4:6]}-{digits[6:]}"


def paths_of(ref: SourceRef) -> tuple[str, ...]:
    """The files or folders (without a last slash) in which a source of this address can lie, likeliest first."""
    head, _, rest = ref.locator.partition("/")
    if ref.kind == "ticket":
        older = (f"{folder}/{state}/{head}" for folder in TICKET_FOLDERS for state in TICKET_STATES)
        filed = (f"{FILED_TICKETS}/{head}.md", f"{FILED_TICKETS}/{head}.review.md")
        return (f".yoi/tickets/{head}", *older, *filed)
    if ref.kind == "objective":
        return (f".yoi/objectives/{head}",)
    if ref.kind == "skill":
        return tuple(f"{folder}/{head}" for folder in SKILL_FOLDERS)
    if ref.kind == "memory":
        names = {
            "summary": "summary.md",
            "decision": f"decisions/{rest}.md",
            "request": f"requests/{rest}.md",
            "candidate": f"_staging/{rest}.json",
            "usage": f"_usage/{rest}.jsonl",
            "audit": f"_logs/{rest}.log",
        }
        others = (f"{folder}/{rest}.md" for folder, system in MEMORY_FOLDERS.items() if system == head and rest)
        return (f".yoi/memory/{names[head]}",) if head in names else tuple(others)
    if ref.kind == "session":
        if head == "aider":
            return (f"{rest}.md", f"{whole_name(rest)}.md")
        logs = dict.fromkeys((rest, whole_name(rest))) if rest else {}
        return tuple(f"{folder}/{log}.jsonl" for folder in SESSION_FOLDERS for log in logs)
    return (ref.locator,) if ref.kind in {"doc", "code"} else ()
