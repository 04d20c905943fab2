"""Verbs of the shoebox. None of them draws a conclusion: there is no field for one."""

from shoebox.services.items import add_items, curate_item, lean_item, move_item, screen_items, undo_screening
from shoebox.services.rules import (
    AlreadyHeld,
    NoSuchStep,
    NothingToUndo,
    NotYourShoebox,
    OverBudget,
    ShoeboxNotOpen,
    StillCited,
    rests_on,
)
from shoebox.services.shoeboxes import (
    Gathered,
    NoSuchTask,
    change_shoebox_state,
    create_shoebox,
    duplicate_shoebox,
    gather_shoebox,
    resize_shoebox,
)

__all__ = [
    "AlreadyHeld",
    "Gathered",
    "NoSuchStep",
    "NoSuchTask",
    "NotYourShoebox",
    "NothingToUndo",
    "OverBudget",
    "ShoeboxNotOpen",
    "StillCited",
    "add_items",
    "change_shoebox_state",
    "create_shoebox",
    "curate_item",
    "duplicate_shoebox",
    "gather_shoebox",
    "lean_item",
    "move_item",
    "resize_shoebox",
    "rests_on",
    "screen_items",
    "undo_screening",
]
