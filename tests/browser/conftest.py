"""A real Chromium on a real workspace. Skipped with a sentence where there is none, a failure where CI is true.

`workspace_on_disk` is a small git workspace, registered and indexed, that a test may change.
"""

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

import pytest
from django.contrib.auth.models import User
from django.test import Client
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from tests.evidence.repository import Repository, make_repository
from yoimemory.search.services import index_workspace
from yoimemory.settings import SESSION_COOKIE_NAME
from yoimemory.sources.models import Workspace

CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or "/usr/bin/chromium"
QUIET = ("Failed to load resource: the server responded with a status of 422", "status of 409")
"""What Chromium logs for a refusal that htmx shows in its place; nothing else may stand in the console."""

TIMEOUT = 10_000
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")


@pytest.fixture(scope="package")
def chromium(django_db_setup: None) -> Iterator[Browser]:
    """The browser, open for this folder only: while it is, an event loop runs in the main thread."""
    if not Path(CHROMIUM).exists():
        sentence = "There is no Chromium; install it with `apt-get install chromium`, or name it in CHROMIUM."
        if os.environ.get("CI") == "true":
            pytest.fail(sentence)
        pytest.skip(sentence)
    patch = pytest.MonkeyPatch()
    patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "1")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()
    patch.undo()


@dataclass
class OnDisk:
    """A workspace on disk, what changes it, and its record."""

    repository: Repository
    workspace: Workspace

    @property
    def root(self) -> Path:
        return self.repository.root


@pytest.fixture
def workspace_on_disk(tmp_path: Path, transactional_db: None) -> OnDisk:
    """A small git workspace (a doc, a ticket with its thread), registered and indexed."""
    from tests.factories import NOON

    repository = make_repository(tmp_path / "ws")
    workspace = repository.register()
    index_workspace(workspace, now=NOON)
    return OnDisk(repository, workspace)


class Person:
    """Somebody at a browser: a logged-in context whose console is listened to."""

    def __init__(self, context: BrowserContext, base: str) -> None:
        self.context, self.base = context, base
        self.console: list[str] = []
        self.loads: list[str] = []

    def open(self, path: str) -> Page:
        """A page of the app, its console and its navigations noted."""
        page = self.context.new_page()
        page.set_default_timeout(TIMEOUT)
        page.on("console", lambda message: self._hear(message.type, message.text))
        page.on("pageerror", lambda error: self.console.append(str(error)))
        page.goto(self.base + path)
        page.on("framenavigated", lambda frame: self.loads.append(frame.url))
        return page

    def _hear(self, kind: str, text: str) -> None:
        if kind in {"error", "warning"} and not any(quiet in text for quiet in QUIET):
            self.console.append(text)


@pytest.fixture
def owner(transactional_db: None) -> User:
    return User.objects.create_superuser("hare", password="correct horse battery staple")


@pytest.fixture
def person(chromium: Browser, live_server: Any, owner: User) -> Iterator[Person]:
    """The owner at a browser of 1280 by 800, logged in."""
    client = Client()
    client.force_login(owner)
    context = chromium.new_context(viewport={"width": 1280, "height": 800}, reduced_motion="reduce")
    context.add_cookies(
        [{"name": SESSION_COOKIE_NAME, "value": client.cookies[SESSION_COOKIE_NAME].value, "url": live_server.url}]
    )
    yield Person(context, live_server.url)
    context.close()


def looks(page: Page, *widths: int) -> Iterator[str]:
    """One loaded page, light and dark, at each of the widths: the name of the look that it has now."""
    for width in widths:
        page.set_viewport_size({"width": width, "height": 800})
        for scheme in SCHEMES:
            page.emulate_media(color_scheme=scheme)
            yield f"{width} {scheme}"


def flaws(page: Page) -> list[str]:
    """What is wrong with a page as it looks now: for axe, by keys that collide, or by its width."""
    fits = page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    return [*violations(page), *collisions(page), *([] if fits else ["wider than the window"])]


def violations(page: Page) -> list[str]:
    """What axe-core finds against WCAG 2.2 AA, as `rule: target`."""
    if not page.evaluate("() => 'axe' in window"):
        source = files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")
        page.evaluate(source + "; undefined")
    found = page.evaluate(
        "() => axe.run(document, {resultTypes: ['violations'], "
        "runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']})"
    )
    return [
        f"{rule['id']}: {node['target']} {node.get('failureSummary', '')[:300]}"
        for rule in found["violations"]
        for node in rule["nodes"]
    ]


def collisions(page: Page) -> list[str]:
    """Keys that two visible controls of the page share."""
    found: list[str] = page.evaluate("() => window.yoimKeys.collisions()")
    return found
