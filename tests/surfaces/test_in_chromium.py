"""The real server in a real Chromium: rebound names (S27), a silent console under the policy (S29), the start link.

The browser is opened and closed within each test: while it is open, an event loop runs in this thread.
"""

import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.surfaces.conftest import Server, run
from tests.surfaces.test_street_door import ROUTES

pytestmark = pytest.mark.browser

CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or "/usr/bin/chromium"
PAGES = [
    "/", "/search/?q=clock", "/sources/", "/shoeboxes/", "/shoeboxes/new/", "/evidence/", "/hypotheses/",
    "/representations/", "/proposals/", "/read/?ref=doc:docs/guide.md", "/diagnostics/", "/workers/", "/login/",
    "/api/v1/docs", "/admin/", "/admin/markers/marker/", "/admin/auth/user/", "/admin/auth/user/add/",
    "/admin/access/membership/add/",
]  # fmt: skip
QUIET = ("Autofocus processing was blocked because a document already has a focused element.",)
"""What Chromium remarks on a form of Django's admin; nothing else may stand in the console."""


@contextmanager
def _browser(*arguments: str) -> Iterator[Browser]:
    if not Path(CHROMIUM).exists():
        sentence = "There is no Chromium; install it with `apt-get install chromium`, or name it in CHROMIUM."
        if os.environ.get("CI") == "true":
            pytest.fail(sentence)
        pytest.skip(sentence)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", *arguments])
        yield browser
        browser.close()


class TestInChromium:
    def test_a_rebound_name_shows_nothing(self, server: Server) -> None:
        with _browser("--host-resolver-rules=MAP evil.test 127.0.0.1") as browser:
            page = browser.new_page()
            for route in [route for route in ROUTES if "/api/" not in route][::3]:
                answer = page.goto(f"http://evil.test:{server.port}{route}")
                assert answer is not None
                assert answer.status == 400, route
                text = page.content()
                assert "YOIMEMORY_ALLOWED_HOSTS" in text
                assert "house" not in text

    def test_the_link_opens_the_app_and_every_page_is_silent(self, server: Server) -> None:
        said: list[str] = []
        asked: set[str] = set()
        with _browser() as browser:
            page = browser.new_page()
            page.on("console", lambda message: message.text in QUIET or said.append(f"{page.url}: {message.text}"))
            page.on("pageerror", lambda error: said.append(f"{page.url}: {error}"))
            page.on("request", lambda request: asked.add(re.sub(r"^(\w+://[^/]+).*", r"\1", request.url)))

            # A plain form under our referrer policy: the browser names no origin, and is let in all the same.
            page.goto(f"http://127.0.0.1:{server.port}{server.link}")
            page.get_by_role("button", name="Start").click()
            page.wait_for_url(f"http://127.0.0.1:{server.port}/")
            for path in PAGES:
                answer = page.goto(f"http://127.0.0.1:{server.port}{path}")
                assert answer is not None
                assert answer.status == 200, path
            page.goto(f"http://127.0.0.1:{server.port}/diagnostics/")
            done = page.locator("#index-state .st", has_text="done")
            before = done.count()
            page.get_by_role("button", name="Read the sources again").click()
            done.nth(before).wait_for()
            page.wait_for_load_state("networkidle")  # what is asked for anew at its end is answered to who is logged in
            page.get_by_role("button", name="Log out").click()
            page.wait_for_url("**/login/")

        assert said == []
        assert {origin for origin in asked if not origin.startswith("data:")} == {f"http://127.0.0.1:{server.port}"}

    def test_no_page_is_wider_than_a_small_phone(self, server: Server) -> None:
        with _browser() as browser:
            page = browser.new_context(viewport={"width": 360, "height": 740}).new_page()
            # The printed link is used up by then; one from the command line is as good.
            page.goto(f"http://127.0.0.1:{server.port}{_fresh_link(server)}")
            page.get_by_role("button", name="Start").click()
            page.wait_for_url(f"http://127.0.0.1:{server.port}/")
            for path in ("/diagnostics/", "/workers/", "/api/v1/docs", "/nowhere/", "/login/"):
                page.goto(f"http://127.0.0.1:{server.port}{path}")
                assert page.evaluate("document.documentElement.scrollWidth") <= 360, path


def _fresh_link(server: Server) -> str:
    found = re.search(r"/start/\S+/", run(server.home, "link").stdout)
    assert found
    return found[0]
