"""yoimemory: sources gathered round a question, quoted with proof, argued over, brought back into the work."""

from yoimemory import sqlite as _sqlite

BUNDLED_SQLITE = _sqlite.swap_in()
"""Whether our own SQLite serves instead of the standard library's."""
