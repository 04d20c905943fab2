"""Passages under numbers that stand nearer to each other.

What the index held is let go, since it is read anew from the sources; nothing that people made stands in it.
"""

import sys

from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

from yoimemory.search.backends import sqlite

EMPTIED = ("Link", "Passage", "Unreadable", "Document", "Unit", "Position")


def let_go(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    alias = schema_editor.connection.alias
    if apps.get_model("search", "Document").objects.using(alias).exists():
        sys.stderr.write("The index takes a new form and is read anew from the sources; a server does so by itself.\n")
    for name in EMPTIED:
        models.QuerySet(apps.get_model("search", name), using=alias)._raw_delete(alias)
    if schema_editor.connection.vendor == "sqlite":
        for statement in (*sqlite.drop_statements(), *sqlite.create_statements()):
            schema_editor.execute(statement)


class Migration(migrations.Migration):
    dependencies = [("search", "0004_hand_back_space")]
    operations = [migrations.RunPython(let_go, let_go)]
