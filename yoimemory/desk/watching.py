"""A look at the index file now and then: what a connection holds in memory hides that the file under it was damaged."""

from contextlib import suppress

from django.db import connections  # noqa: TID251 (the file is opened anew for each look)

from yoimemory.desk.mending import serving
from yoimemory.desk.recurring import Recurring
from yoimemory.desk.troubles import INDEX, Unserved
from yoimemory.search.models import Document

LOOK = 5.0
"""Seconds between two looks: each opens the file and reads a few pages of it."""


def look_at_index() -> None:
    """Open the index anew and read a row; one that is damaged is set aside and read anew."""
    with suppress(Unserved), serving():  # what is not damage is told to whoever asks for a page
        read_a_row()


def read_a_row() -> bool:
    """Read through a connection that holds nothing yet; say whether there is a row."""
    connection = connections[INDEX]
    if not connection.in_atomic_block:
        connection.close()
    return Document.objects.exists()


def index_watch() -> Recurring:
    """Look at the index while the server runs."""
    return Recurring("look at the index", look_at_index, first=LOOK, every=LOOK)
