"""Migrations say what the models say, and each app has one leaf."""

from io import StringIO

import pytest
from django.apps import apps
from django.core.management import call_command
from django.db.migrations.loader import MigrationLoader

OURS = [
    config.label
    for config in apps.get_app_configs()
    if config.name.split(".")[0] in {"yoimemory", "shoebox", "evidence", "hypotheses"} and list(config.get_models())
]


@pytest.mark.parametrize("label", OURS)
def test_an_app_has_one_leaf(label: str) -> None:
    loader = MigrationLoader(None, ignore_no_migrations=True)

    assert len(loader.graph.leaf_nodes(label)) == 1


@pytest.mark.django_db
def test_no_migration_is_missing() -> None:
    out = StringIO()

    call_command("makemigrations", check=True, dry_run=True, stdout=out, verbosity=1)

    assert "No changes detected" in out.getvalue()
