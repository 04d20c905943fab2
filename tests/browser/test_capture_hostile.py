"""Hostile documents in a real browser (S25): nothing in them runs or loads, and all of them can be quoted."""

from urllib.parse import urlencode

import pytest
from playwright.sync_api import expect

from evidence.models import Evidence
from tests.browser.conftest import OnDisk, Person
from tests.factories import make_shoebox

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

HOSTILE = """# Hostile <script>window.__xss = 1</script>

<img src="x" onerror="window.__xss = 2">
<svg/onload="window.__xss = 3"></svg>
<iframe srcdoc="<script>parent.__xss = 4</script>"></iframe>
<div hx-get="/logout/" hx-trigger="load" hx-swap="outerHTML">swap</div>
<form action="https://evil.test/"><button formaction="javascript:window.__xss=5">go</button></form>
[link](javascript:window.__xss=6) ![pixel](https://evil.test/pixel.png)
<a href="https://evil.test/" onmouseover="window.__xss = 7">hover</a> <style>body{display:none}</style>
</p></li></ol><script>window.__xss = 8</script>
{{ request.session }} {% load static %} <!-- --> ]]> \u202e \u200b \U000e0041

An honest line of words that somebody wants to quote.
"""


@pytest.mark.parametrize("view", ["source", "rendered"])
@pytest.mark.parametrize("path", ["docs/hostile.md", "docs/hostile.html", "docs/hostile.svg", "docs/hostile.xml"])
def test_nothing_in_a_document_runs_or_loads(person: Person, workspace_on_disk: OnDisk, path: str, view: str) -> None:
    workspace_on_disk.repository.write(path, HOSTILE)
    make_shoebox(workspace_on_disk.workspace)
    kind = "code" if path.endswith((".svg", ".xml")) else "doc"
    asked: list[str] = []
    person.context.on("request", lambda request: asked.append(request.url))

    page = person.open("/read/?" + urlencode({"ref": f"{kind}:{path}", "view": view}))
    page.wait_for_timeout(300)

    expect(page.locator("h1").first).to_be_visible()
    expect(page.locator("main")).to_contain_text("An honest line of words")
    assert page.evaluate("() => window.__xss") is None
    assert [url for url in asked if not url.startswith((person.base, "data:"))] == []
    assert person.console == []
    assert page.locator("main :is(script, iframe, svg[onload], [onerror], [onmouseover])").count() == 0


def test_every_line_of_it_can_be_quoted(person: Person, workspace_on_disk: OnDisk) -> None:
    workspace_on_disk.repository.write("docs/hostile.md", HOSTILE)
    make_shoebox(workspace_on_disk.workspace)
    page = person.open("/read/?" + urlencode({"ref": "doc:docs/hostile.md#L1"}))
    page.locator("#reader").focus()

    for key in ("Shift+J", *["Shift+J"] * 8, "x", "Enter"):
        page.keyboard.press(key)

    expect(page.locator("#quoted .n")).to_have_text("1")
    evidence = Evidence.objects.get()
    lines = HOSTILE.split("\n")
    assert evidence.quote == "\n".join(lines[:10]).strip()
    assert evidence.match == "exact"
    assert page.evaluate("() => window.__xss") is None
    assert person.console == []
