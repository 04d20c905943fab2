"""Records that only verbs change are looked at in the admin, never written there."""

import pytest
from django.contrib import admin
from django.test import RequestFactory

from tests.factories import make_owner
from yoimemory.journal.readonly import ReadOnly

pytestmark = pytest.mark.django_db


class TestReadOnly:
    @pytest.mark.parametrize("label", ["hypotheses", "products"])
    def test_lets_even_an_owner_only_look(self, label: str) -> None:
        request = RequestFactory().get("/admin/")
        request.user = make_owner().user
        pages = [page for model, page in admin.site._registry.items() if model._meta.app_label == label]

        assert len(pages) >= 3
        for page in pages:
            assert isinstance(page, ReadOnly)
            assert page.has_view_permission(request)
            assert not page.has_add_permission(request)
            assert not page.has_change_permission(request)
            assert not page.has_delete_permission(request)
