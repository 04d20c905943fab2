"""Addresses of the way out."""

from django.urls import path

import shoebox.converters  # noqa: F401 - registers the converter of public ids
from yoimemory.products.views import evaluation, exporting, impact, importing, judging, proposing, skilling

app_name = "products"

urlpatterns = [
    path("proposals/", proposing.proposal_list, name="list"),
    path("proposals/new/", proposing.proposal_propose, name="propose"),
    path("proposals/memory/", proposing.memory_propose, name="remember"),
    path("proposals/<shoebox_id:public_id>/", judging.proposal_detail, name="detail"),
    path("proposals/<shoebox_id:public_id>/revise/", proposing.proposal_revise, name="revise"),
    path("proposals/<shoebox_id:public_id>/patch/", judging.proposal_patch, name="patch"),
    path("proposals/<shoebox_id:public_id>/review/", judging.proposal_review, name="review"),
    path("proposals/<shoebox_id:public_id>/apply/", judging.proposal_apply, name="apply"),
    path("proposals/<shoebox_id:public_id>/revert/", judging.proposal_revert, name="revert"),
    path("proposals/<shoebox_id:public_id>/rebase/", judging.proposal_rebase, name="rebase"),
    path("proposals/<shoebox_id:public_id>/withdraw/", judging.proposal_withdraw, name="withdraw"),
    path("shoeboxes/<shoebox_id:public_id>/export/", exporting.shoebox_export, name="export"),
    path("artifacts/import/", importing.artifact_import, name="import"),
    path("artifacts/<shoebox_id:public_id>/", importing.artifact_imported, name="imported"),
    path("proposals/<shoebox_id:public_id>/impact/", impact.impact_record, name="record_impact"),
    path("impact/", impact.impact_page, name="impact"),
    path("impact/events.<str:form>", impact.impact_download, name="impact_download"),
    path("impact/figures/<str:name>.<str:form>", impact.figure_download, name="figure_download"),
    path("impact/evaluation/", evaluation.evaluation_page, name="evaluation"),
    path("impact/evaluation/begin/", evaluation.trial_begin, name="begin_trial"),
    path("impact/evaluation/<shoebox_id:public_id>/end/", evaluation.trial_end, name="end_trial"),
    path("skills/", skilling.skill_install, name="skills"),
    path("skills/<shoebox_id:public_id>/undo/", skilling.installation_undo, name="undo_installation"),
    path("exports/<shoebox_id:public_id>/undo/", exporting.export_undo, name="undo_export"),
]
