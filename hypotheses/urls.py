"""The addresses of this floor."""

from django.urls import path

from hypotheses.views import hypotheses, matrix, representations, rows, seeking

app_name = "hypotheses"

urlpatterns = [
    path("hypotheses/", hypotheses.hypothesis_list, name="list"),
    path("hypotheses/propose/", hypotheses.hypothesis_propose, name="propose"),
    path("hypotheses/matrix/<str:shoebox_id>/", matrix.matrix_show, name="matrix"),
    path("hypotheses/matrix/<str:shoebox_id>/sensitivity/", matrix.matrix_sensitivity, name="sensitivity"),
    path("hypotheses/matrix/<str:shoebox_id>/rate/", matrix.card_show, name="card"),
    path("hypotheses/matrix/<str:shoebox_id>/rate/<str:evidence_id>/", matrix.card_rate, name="rate"),
    path("hypotheses/<str:public_id>/", hypotheses.hypothesis_detail, name="detail"),
    path("hypotheses/<str:public_id>/words/", hypotheses.hypothesis_edit, name="edit"),
    path("hypotheses/<str:public_id>/questions/", hypotheses.hypothesis_questions, name="questions"),
    path("hypotheses/<str:public_id>/alternatives/", hypotheses.hypothesis_alternatives, name="alternatives"),
    path("hypotheses/<str:public_id>/evidence/", hypotheses.hypothesis_relate, name="relate"),
    path("hypotheses/<str:public_id>/decide/", hypotheses.hypothesis_decide, name="decide"),
    path("hypotheses/<str:public_id>/decide/settle/", hypotheses.hypothesis_settle, name="settle"),
    path("hypotheses/<str:public_id>/decide/withdraw/", hypotheses.hypothesis_withdraw, name="withdraw"),
    path("hypotheses/<str:public_id>/seek/", seeking.hypothesis_seek, name="seek"),
    path("hypotheses/<str:public_id>/suggest/", seeking.hypothesis_suggest, name="suggest"),
    path("representations/", representations.representation_list, name="representations"),
    path("representations/new/", representations.representation_represent, name="represent"),
    path("representations/import/", representations.representation_import, name="import"),
    path("representations/<str:public_id>/", representations.representation_detail, name="representation"),
    path("representations/<str:public_id>/row/", rows.representation_row, name="row"),
    path("representations/<str:public_id>/replace/", representations.representation_replace, name="replace"),
    path("representations/<str:public_id>/rebuild/", representations.representation_rebuild, name="rebuild"),
    path(
        "representations/<str:public_id>/<str:filename>",
        representations.representation_download,
        name="download",
    ),
]
