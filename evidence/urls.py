"""Addresses of the evidence."""

from django.urls import path

import shoebox.converters  # noqa: F401 - registers the converter of public ids
from evidence.views import anchoring, capture, queueing, reading, verdicts

app_name = "evidence"

urlpatterns = [
    path("evidence/", reading.evidence_list, name="list"),
    path("evidence/batch/", queueing.evidence_accept_batch, name="accept_batch"),
    path("evidence/batch/undo/", queueing.evidence_undo_batch, name="undo_batch"),
    path("evidence/confirm/", anchoring.evidence_confirm_several, name="confirm_several"),
    path("evidence/<shoebox_id:public_id>/", reading.evidence_detail, name="detail"),
    path("evidence/<shoebox_id:public_id>/review/", verdicts.evidence_review, name="review"),
    path("evidence/<shoebox_id:public_id>/fix/", verdicts.evidence_fix, name="fix"),
    path("evidence/<shoebox_id:public_id>/settle/", verdicts.evidence_settle, name="settle"),
    path("evidence/<shoebox_id:public_id>/undo/", verdicts.evidence_undo, name="undo"),
    path("evidence/<shoebox_id:public_id>/confirm/", anchoring.evidence_confirm, name="confirm"),
    path("evidence/<shoebox_id:public_id>/reattach/", anchoring.evidence_reattach, name="reattach"),
    path("evidence/<shoebox_id:public_id>/unplace/", anchoring.evidence_unplace, name="unplace"),
    path("evidence/<shoebox_id:public_id>/withdraw/", capture.evidence_withdraw, name="withdraw"),
    path("evidence/<shoebox_id:public_id>/relate/", verdicts.evidence_relate, name="relate"),
    path("evidence/<shoebox_id:public_id>/explain/", verdicts.evidence_explain, name="explain"),
    path("evidence/<shoebox_id:public_id>/supersede/", verdicts.evidence_supersede, name="supersede"),
    path("shoeboxes/<shoebox_id:shoebox_id>/evidence/", capture.evidence_extract, name="extract"),
    path("shoeboxes/<shoebox_id:shoebox_id>/evidence/suggest/", queueing.evidence_suggest, name="suggest"),
    path("shoeboxes/<shoebox_id:shoebox_id>/evidence/annotations/", queueing.evidence_annotations, name="annotations"),
    path("shoeboxes/<shoebox_id:shoebox_id>/evidence/import/", queueing.evidence_import, name="import"),
]
