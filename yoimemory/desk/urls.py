"""The addresses of the pages that show several floors. Each page module lists its own."""

from yoimemory.desk import (
    catalog,
    diagnostics,
    download,
    health,
    inbox,
    memory,
    reader,
    revealing,
    reviewing,
    search,
    switch,
    workbench,
    worker,
)

app_name = "desk"

urlpatterns = [
    *inbox.urlpatterns,
    *reviewing.urlpatterns,
    *search.urlpatterns,
    *catalog.urlpatterns,
    *memory.urlpatterns,
    *reader.urlpatterns,
    *download.urlpatterns,
    *revealing.urlpatterns,
    *workbench.urlpatterns,
    *diagnostics.urlpatterns,
    *switch.urlpatterns,
    *health.urlpatterns,
    *worker.urlpatterns,
]
