"""The items of a shoebox as the workbench lays them out: by kind, in their order, the set aside apart."""

from collections.abc import Iterable
from dataclasses import dataclass

from shoebox.models import Item, Shoebox

LABELS = {
    "ticket": "Tickets",
    "objective": "Objectives",
    "doc": "Docs and procedures",
    "skill": "Docs and procedures",
    "code": "Code",
    "diff": "Code",
    "commit": "Commits",
    "branch": "Commits",
    "worktree": "Commits",
    "session": "Sessions and messages",
    "message": "Sessions and messages",
    "record": "Records",
    "memory": "Memory",
}


@dataclass(slots=True)
class Row:
    """One item in its group, with the positions that "earlier" and "later" would give it."""

    item: Item
    is_new: bool = False
    """Whether the last gathering brought it in beside what was there."""
    earlier: int | None = None
    later: int | None = None


@dataclass(slots=True)
class Group:
    label: str
    rows: list[Row]


@dataclass(slots=True)
class Layout:
    """All items of one shoebox: shown ones in groups, set aside ones apart."""

    groups: list[Group]
    aside: list[Row]

    @property
    def shown(self) -> int:
        return sum(len(group.rows) for group in self.groups)

    @property
    def news(self) -> list[Row]:
        """What gathering again brought in, then what has moved on since it was read."""
        rows = [*(row for group in self.groups for row in group.rows), *self.aside]
        return [row for row in rows if row.is_new] + [row for row in rows if row.item.changed and not row.is_new]

    def row_of(self, item: Item) -> Row:
        rows = [row for group in self.groups for row in group.rows] + self.aside
        return next(row for row in rows if row.item.pk == item.pk)


def lay_out(shoebox: Shoebox, items: Iterable[Item]) -> Layout:
    """Group items (given in their order) by kind; groups come in the order of `LABELS`."""
    shown: dict[str, list[Row]] = {label: [] for label in LABELS.values()}
    aside: list[Row] = []
    for item in items:
        if item.is_set_aside:
            aside.append(Row(item, shoebox.brought_in_last(item)))
        else:
            shown[LABELS.get(item.kind, "Records")].append(Row(item, shoebox.brought_in_last(item)))
    groups = [Group(label, rows) for label, rows in shown.items() if rows]
    for group in groups:
        for before, after in zip(group.rows, group.rows[1:], strict=False):
            before.later, after.earlier = after.item.position, before.item.position
    return Layout(groups, aside)
