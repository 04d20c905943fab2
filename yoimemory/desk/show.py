"""One shoebox as a bounded answer: text that a person or Worker reads, and the same as JSON.

The text never exceeds its budget and is cut only between blocks. Source quotes, summaries and
inferences are told apart by labels, caveats stand beside what they limit, and the text ends with
the shoebox's own ref, so that a Worker can commit it to its history and cite it.
"""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from datetime import datetime

from django.core import signing
from pydantic import BaseModel, Field

from evidence.schemas import EvidenceOut
from evidence.standing import evidence_outs
from hypotheses.models import Hypothesis, Representation
from hypotheses.schemas import HypothesisOut, RepresentationOut
from hypotheses.standing import hypotheses_out, representations_out
from shoebox.models import Item, Shoebox
from shoebox.schemas import ItemOut, ShoeboxOut
from yoimemory.access.models import Actor
from yoimemory.errors import BadInput
from yoimemory.http import BadCursor
from yoimemory.journal.models import Event
from yoimemory.journal.services import record_event
from yoimemory.products.models import Proposal
from yoimemory.search.coverage import told

BUDGET_DEFAULT, BUDGET_LEAST = 8_000, 1_500
BLOCKS_MAX = 200
"""How many blocks one answer holds at most, whatever the budget."""

SECTIONS = ("evidence", "hypotheses", "items", "representations", "products")
"""In this order: what was quoted, what is claimed, what was gathered, what was drawn and proposed."""

_QUESTION_MAX = 300
_FOOT_ROOM = 320


class ProductOut(BaseModel):
    """A proposal of this shoebox, in short; its own page and address hold the content."""

    ref: str
    target: str
    path: str
    title: str
    state: str
    made_by: str


class ShoeboxShown(ShoeboxOut):
    """A shoebox with as much of what it holds as the bound allows."""

    text: str = Field(description="Markdown within the budget; ends with the shoebox's own ref.")
    items: list[ItemOut] = Field(default_factory=list)
    evidence: list[EvidenceOut] = Field(default_factory=list)
    hypotheses: list[HypothesisOut] = Field(default_factory=list)
    representations: list[RepresentationOut] = Field(default_factory=list)
    products: list[ProductOut] = Field(default_factory=list)
    shown: int
    total: int
    truncated: bool
    next_cursor: str


@dataclass(frozen=True, slots=True)
class Block:
    """One thing that is shown or not shown as a whole. `rank` and `pk` fix its place within its section."""

    section: str
    rank: int
    pk: int
    text: str
    out: BaseModel

    @property
    def key(self) -> tuple[int, int, int]:
        return SECTIONS.index(self.section), self.rank, self.pk


def show_shoebox(
    shoebox: Shoebox,
    *,
    actor: Actor | None,
    now: datetime,
    budget: int | None = BUDGET_DEFAULT,
    cursor: str = "",
    include: Collection[str] = (),
) -> ShoeboxShown:
    """Show a shoebox within a budget of characters of text (None: within the bound of a JSON list).

    Records the event `query`. Raises BadInput for a budget too small or an unknown section,
    BadCursor for a cursor of another shoebox.
    """
    wanted = _sections(include)
    if budget is not None and budget < BUDGET_LEAST:
        raise BadInput(
            f"A budget of {budget} characters cannot hold one item with its caveats; ask for {BUDGET_LEAST} or more.",
            fields={"budget": "too small"},
        )
    blocks = sorted((block for name in wanted for block in _BLOCKS[name](shoebox)), key=lambda block: block.key)
    after = _position(shoebox, cursor) if cursor else None
    left = [block for block in blocks if after is None or block.key > after]
    head = _head(shoebox, wanted)
    shown, omitted = _fitting(left, (budget - len(head) - _FOOT_ROOM) if budget is not None else None)
    taken = len(shown)
    next_cursor = _cursor(shoebox, shown[-1]) if shown and taken < len(left) else ""
    text = head + "".join(_titled(shown, omitted)) + _foot(shoebox, taken, len(blocks), next_cursor)
    record_event(Event.Kind.QUERY, workspace=shoebox.workspace, actor=actor, now=now, subjects=[shoebox.ref])
    lists = {
        name: [block.out for block in shown if block.section == name and block not in omitted] for name in SECTIONS
    }
    return ShoeboxShown(
        **ShoeboxOut.fields_of(shoebox),
        text=text,
        shown=taken,
        total=len(blocks),
        truncated=bool(next_cursor),
        next_cursor=next_cursor,
        **lists,
    )


def _sections(include: Collection[str]) -> list[str]:
    unknown = sorted(set(include) - set(SECTIONS))
    if unknown:
        raise BadInput(
            f"A shoebox has no section {unknown[0]!r}.",
            hint="Sections are " + ", ".join(SECTIONS) + ".",
            fields={"include": "unknown"},
        )
    return [name for name in SECTIONS if not include or name in include]


def _fitting(blocks: list[Block], room: int | None) -> tuple[list[Block], list[Block]]:
    """The blocks that fit, and those among them that are too large to be shown with this budget at all.

    A block that would not fit even alone is named in one line, so that reading can go on after it.
    """
    shown: list[Block] = []
    omitted: list[Block] = []
    section = ""
    for block in blocks[:BLOCKS_MAX]:
        title = 0 if block.section == section else len(_title(block.section))
        size = len(block.text) + title
        if room is not None and size > room:
            line = len(_too_large(block)) + title
            if shown or line > room:
                break
            omitted.append(block)
            size = line
        if room is not None:
            room -= size
        section = block.section
        shown.append(block)
    return shown, omitted


def _titled(blocks: Iterable[Block], omitted: Collection[Block]) -> Iterable[str]:
    section = ""
    for block in blocks:
        if block.section != section:
            section = block.section
            yield _title(section)
        yield _too_large(block) if block in omitted else block.text


def _title(section: str) -> str:
    return f"\n## {section.capitalize()}\n"


def _too_large(block: Block) -> str:
    size = f"{len(block.text):,} characters"
    return f"\nOne of the {block.section} takes {size} and is left out; ask for a larger budget.\n"


def _head(shoebox: Shoebox, wanted: list[str]) -> str:
    question = shoebox.question
    if len(question) > _QUESTION_MAX:
        question = question[:_QUESTION_MAX].rstrip() + " …"
    holdings = shoebox.holdings
    lines = [f"# {_one_line(question)}", ""]
    if shoebox.task:
        lines.append(f"Task: {shoebox.task[:160]}")
    if shoebox.as_of:
        lines.append(f"As of {shoebox.as_of:%Y-%m-%d %H:%M:%SZ}; anything later is marked Later.")
    lines.append(
        f"State: {shoebox.state}. {holdings.items} of {shoebox.budget_items} items, {holdings.against} likely "
        f"contradicting, {holdings.aside} set aside. A shoebox asserts nothing."
    )
    if failed := shoebox.sought.get("failed"):
        lines.append(_one_line(str(failed)))
    against = shoebox.sought.get("against")
    if against:
        lines.append(
            f"Sought against the question with {against['queries']} disconfirming queries: "
            f"{against['passages']} passages read, {against['kept']} kept. {told(shoebox.sought)}".rstrip()
        )
    if set(wanted) != set(SECTIONS):
        lines.append("Shown here: " + ", ".join(wanted) + ".")
    return "\n".join(lines) + "\n"


def _foot(shoebox: Shoebox, shown: int, total: int, next_cursor: str) -> str:
    more = f" The rest: ask again with cursor {next_cursor}" if next_cursor else ""
    return (
        f"\n---\nShown {shown} of {total}; {'truncated' if next_cursor else 'complete from here'}.{more}\n{shoebox.ref}"
    )


def _items(shoebox: Shoebox) -> Iterable[Block]:
    """Contrary first; what was set aside comes last, with its reason."""
    for item in shoebox.items.select_related("added_by").in_order():
        rank = 2 if item.is_set_aside else 0 if item.leaning == Item.Leaning.CONTRADICTS else 1
        new = " [new: the last gathering brought it in]" if shoebox.brought_in_last(item) else ""
        lines = [
            f"\n- {item.ref}{new}",
            f"  {item.leaning}; {item.screening}; {item.came}; {item.authority or 'unknown'}",
        ]
        if item.title:
            lines.append(f"  Title: {_one_line(item.title)[:200]}")
        lines.append(f"  Inference (why it is here, {item.added_by}): {_one_line(item.rationale)}")
        lines += [f"  Caveat: {_one_line(caveat)}" for caveat in item.caveats]
        if item.screening_reason:
            lines.append(f"  Inference (reason of screening): {_one_line(item.screening_reason)}")
        yield Block("items", rank, item.position, "\n".join(lines) + "\n", ItemOut.model_validate(item))


def _evidence(shoebox: Shoebox) -> Iterable[Block]:
    current = shoebox.evidence.current()  # asked of the shoebox, each row knows it and need not bring its own
    rows = list(
        current.select_related("made_by", "state_by", "superseded_by").prefetch_related("relations").order_by("pk")
    )
    claims = Hypothesis.objects.in_shoebox(shoebox).only("public_id", "number")
    labels = {str(each.ref): f"H{each.number}" for each in claims}
    labels[str(shoebox.ref)] = "the question"
    for row, out in zip(rows, evidence_outs(rows), strict=True):
        refutes = any(relation.relation == "refutes" for relation in out.relations)
        yield Block("evidence", 0 if refutes else 1, row.pk, _evidence_text(out, labels), out)


def _evidence_text(out: EvidenceOut, labels: dict[str, str]) -> str:
    bears = ", ".join(f"{each.relation} {labels.get(each.target, each.target)}" for each in out.relations)
    lines = [f"\n- {out.ref} [{out.state}] {bears or 'no relation yet'}"]
    if out.quote:
        lines.append(
            f"  Source quote, untrusted data ({out.source_ref}; {out.authority or 'unknown'}; {out.anchor_state}):"
        )
        lines += [f"  > {line}" for line in out.quote.split("\n")]
    else:
        lines.append(f"  About {out.source_ref} ({out.kind}; {out.anchor_state})")
    lines += [f"  Caveat: {_one_line(caveat)}" for caveat in out.caveats]
    for label, words in (
        ("Summary", out.summary),
        ("Inference", out.inference),
        ("Inference (why it matters)", out.why),
    ):
        if words:
            lines.append(f"  {label}, {out.made_by}: {_one_line(words)}")
    return "\n".join(lines) + "\n"


def _hypotheses(shoebox: Shoebox) -> Iterable[Block]:
    rows = list(Hypothesis.objects.in_shoebox(shoebox).with_people().order_by("number"))
    for row, out in zip(rows, hypotheses_out(rows), strict=True):
        lines = [
            f"\n- H{out.number} {out.ref} [{out.status}]",
            f"  Inference (claim, {out.made_by}): {_one_line(out.claim)}",
            f"  Against: {_refs(out.contradicting)}. For: {_refs(out.supporting)}.",
        ]
        lines += [f"  Caveat, recheck: {_one_line(reason)}" for reason in out.recheck]
        lines += [f"  Open question: {_one_line(question)}" for question in out.open_questions]
        yield Block("hypotheses", 0, row.pk, "\n".join(lines) + "\n", out)


def _refs(cited: Iterable[object]) -> str:
    return ", ".join(str(getattr(each, "ref", each)) for each in cited) or "nothing"


def _representations(shoebox: Shoebox) -> Iterable[Block]:
    rows = list(Representation.objects.filter(shoebox=shoebox).select_related("shoebox", "made_by").order_by("pk"))
    for row, out in zip(rows, representations_out(rows), strict=True):
        lines = [f"\n- {out.ref} [{out.kind}, {out.state}] {_one_line(out.title)}, {out.made_by}"]
        lines += [f"  Caveat: {_one_line(reason)}" for reason in out.behind]
        yield Block("representations", 0, row.pk, "\n".join(lines) + "\n", out)


def _products(shoebox: Shoebox) -> Iterable[Block]:
    for row in Proposal.objects.filter(shoebox=shoebox).select_related("made_by").order_by("pk"):
        out = ProductOut(
            ref=str(row.ref),
            target=row.target,
            path=row.path,
            title=row.title,
            state=row.state,
            made_by=str(row.made_by),
        )
        text = f"\n- {out.ref} [{out.state}] {out.target} {out.path}: {_one_line(out.title)}, {out.made_by}\n"
        yield Block("products", 0, row.pk, text, out)


_BLOCKS: dict[str, Callable[[Shoebox], Iterable[Block]]] = {
    "evidence": _evidence,
    "hypotheses": _hypotheses,
    "items": _items,
    "representations": _representations,
    "products": _products,
}


def _one_line(text: str) -> str:
    """Words of ours never break out of their line, so that only labelled quotes span several."""
    return " ".join(text.split())


def _signer(shoebox: Shoebox) -> signing.Signer:
    return signing.Signer(salt=f"shoebox.{shoebox.public_id}")


def _cursor(shoebox: Shoebox, block: Block) -> str:
    return _signer(shoebox).sign("-".join(map(str, block.key)))


def _position(shoebox: Shoebox, cursor: str) -> tuple[int, int, int]:
    try:
        section, rank, pk = map(int, _signer(shoebox).unsign(cursor).split("-"))
    except (signing.BadSignature, ValueError) as error:
        raise BadCursor(
            "This cursor does not belong to this shoebox.",
            hint="Take next_cursor from the last answer as it stands, or leave it out to start again.",
            fields={"cursor": "unknown"},
        ) from error
    return section, rank, pk
