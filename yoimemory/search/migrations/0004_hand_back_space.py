"""A file that gives back the room of what was removed. SQLite takes this up only while it writes the file anew."""

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps


def write_anew(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    if schema_editor.connection.vendor == "sqlite":
        schema_editor.execute("PRAGMA auto_vacuum=INCREMENTAL")
        schema_editor.execute("VACUUM")


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("search", "0003_smaller_tables")]
    operations = [migrations.RunPython(write_anew, migrations.RunPython.noop)]
