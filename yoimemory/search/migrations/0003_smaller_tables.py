"""Passages packed, links without what stands in them twice, and fewer columns of words.

What the index held is let go, since it is read anew from the sources; nothing that people made stands in it.
"""

import sys

import django.db.models.functions.text
import django.db.models.lookups
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

import yoimemory.search.packing
from yoimemory.search.backends import sqlite

EMPTIED = ("Link", "Passage", "Unreadable", "Document", "Unit", "Position")


def let_go(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    alias = schema_editor.connection.alias
    held = apps.get_model("search", "Document").objects.using(alias).exists()
    for name in EMPTIED:
        models.QuerySet(apps.get_model("search", name), using=alias)._raw_delete(alias)
    if held:
        sys.stderr.write("The index takes a new form and is read anew from the sources; a server does so by itself.\n")


def make_words_anew(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    if schema_editor.connection.vendor == "sqlite":
        for statement in (*sqlite.drop_statements(), *sqlite.create_statements()):
            schema_editor.execute(statement)


class Migration(migrations.Migration):
    dependencies = [("search", "0002_fulltext")]

    operations = [
        migrations.RunPython(let_go, let_go),
        migrations.RemoveIndex(model_name="document", name="document_source"),
        migrations.RemoveIndex(model_name="document", name="document_path"),
        migrations.RemoveIndex(model_name="document", name="document_kind_at"),
        migrations.RemoveIndex(model_name="link", name="link_target"),
        migrations.RemoveField(model_name="link", name="target"),
        migrations.RemoveField(model_name="link", name="workspace"),
        migrations.AddField(
            model_name="link",
            name="rest",
            field=models.CharField(
                blank=True, default="", help_text="What follows the source in the target.", max_length=2100
            ),
            preserve_default=False,
        ),
        migrations.AlterField(
            model_name="link",
            name="at",
            field=models.DateTimeField(help_text="Empty in a commit, whose links all have its date.", null=True),
        ),
        migrations.AddField(
            model_name="link",
            name="target",
            field=models.GeneratedField(
                db_persist=False,
                expression=models.Case(
                    models.When(
                        django.db.models.lookups.Exact(
                            django.db.models.functions.text.Left("rest", 1), models.Value("")
                        ),
                        then="target_source",
                    ),
                    models.When(
                        django.db.models.lookups.In(django.db.models.functions.text.Left("rest", 1), ["/", "#"]),
                        then=django.db.models.functions.text.Concat("target_source", "rest"),
                    ),
                    default="rest",
                ),
                output_field=models.CharField(help_text="A ref without revision.", max_length=2100),
            ),
        ),
        migrations.AlterField(
            model_name="passage",
            name="id",
            field=models.BigAutoField(primary_key=True, serialize=False),
        ),
        migrations.AlterField(model_name="passage", name="text", field=yoimemory.search.packing.PackedTextField()),
        migrations.AlterField(
            model_name="document",
            name="facts",
            field=models.JSONField(default=dict, encoder=yoimemory.search.packing.BriefJSON),
        ),
        migrations.AddIndex(model_name="document", index=models.Index(fields=["kind", "at"], name="document_kind_at")),
        migrations.AddIndex(
            model_name="document", index=models.Index(fields=["source"], name="document_source")
        ),
        migrations.AddIndex(model_name="document", index=models.Index(fields=["path"], name="document_path")),
        migrations.AddIndex(model_name="link", index=models.Index(fields=["target_source"], name="link_target")),
        migrations.RunPython(make_words_anew, make_words_anew),
    ]
