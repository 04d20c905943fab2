"""The addresses of markers, contradictions and reliability."""

from django.urls import path

from yoimemory.markers import views

app_name = "markers"

urlpatterns = [
    path("markers/", views.marker_list, name="list"),
    path("markers/new/", views.marker_new, name="new"),
    path("markers/mark/", views.marker_mark, name="mark"),
    path("markers/<slug:public_id>/close/", views.marker_close, name="close"),
    path("contradictions/", views.contradiction_list, name="contradictions"),
    path("contradictions/new/", views.contradiction_new, name="contradict"),
    path("contradictions/note/", views.contradiction_note, name="note"),
    path("contradictions/<slug:public_id>/", views.contradiction_detail, name="contradiction"),
    path("contradictions/<slug:public_id>/resolve/", views.contradiction_resolve, name="resolve"),
    path("reliability/", views.reliability_page, name="reliability"),
    path("reliability/set/", views.reliability_set, name="set_reliability"),
]
