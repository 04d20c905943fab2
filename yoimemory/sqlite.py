"""Which SQLite serves. Imported before any database backend, so the swap reaches all of them."""

import sys


def swap_in() -> bool:
    """Put the bundled SQLite in the place of the standard module; say whether it was there."""
    try:
        import pysqlite3
        import pysqlite3.dbapi2
    except ImportError:  # no wheel for this platform: the standard SQLite serves
        return False
    sys.modules["sqlite3"], sys.modules["sqlite3.dbapi2"] = pysqlite3, pysqlite3.dbapi2
    return True
