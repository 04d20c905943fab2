"""Take the pictures of the README: the demo in a home of its own, in a real browser, in light and dark, wide and narrow.

python docs/screenshots.py [FOLDER]        default: docs/img
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.request import urlopen

if TYPE_CHECKING:
    from playwright.sync_api import Browser

ROOT = Path(__file__).resolve().parent.parent
PORT = 8771
WIDE, NARROW = (1280, 800), (390, 844)
CLOCK_DOC = "doc:docs/design/clock.md"

PAGES = {
    "inbox": "/",
    "search": "/search/?q=power+cut&stance=disconfirming",
    "reader": "/read/?ref=session:plain/2026-05-23-label-printer%23entry-8",
    "workbench": "/shoeboxes/{shoebox}/",
    "evidence": "/evidence/{evidence}/",
    "hypotheses": "/hypotheses/",
    "hypothesis": "/hypotheses/{hypothesis}/",
    "timeline": "/representations/{representation}/",
    "proposal": "/proposals/{proposal}/",
    "export": "/shoeboxes/{shoebox}/export/",
    "diagnostics": "/diagnostics/",
    "sources": "/sources/",
    "workers": "/workers/",
}
"""Every picture, by name: the address that it shows."""

SHOWN = ("inbox", "search", "reader", "workbench", "evidence", "hypothesis", "timeline", "proposal")
"""The pictures that are kept; the rest are looked at and thrown away."""


def main(folder: Path, names: tuple[str, ...]) -> None:
    """Build the demo, serve it, take every picture, take the home away."""
    from playwright.sync_api import sync_playwright

    folder.mkdir(parents=True, exist_ok=True)
    home = Path(tempfile.mkdtemp(prefix="yoimemory-pictures-"))
    environment = {**os.environ, "YOIMEMORY_HOME": str(home), "YOIMEMORY_PORT": str(PORT), "LOGNAME": "mika"}
    try:
        _run(environment, "demo", "--no-serve")
        addresses = _addresses(environment)
        with _served(environment), sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=os.environ.get("CHROMIUM", "/usr/bin/chromium"), args=["--no-sandbox"]
            )
            _take(browser, environment, addresses, folder, names)
            browser.close()
    finally:
        shutil.rmtree(home, ignore_errors=True)


def _run(environment: dict[str, str], *words: str) -> str:
    command = [sys.executable, "-m", "yoimemory.cli", *words]
    return subprocess.run(command, cwd=ROOT, env=environment, check=True, capture_output=True, text=True).stdout


def _addresses(environment: dict[str, str]) -> dict[str, str]:
    """The addresses of PAGES with the ids of this demo."""
    program = f"""
import django; django.setup()
from evidence.models import Evidence
from shoebox.models import Shoebox
box = Shoebox.objects.get(state="open")
print(box.public_id, Evidence.objects.get(shoebox=box, place={CLOCK_DOC!r}).public_id,
      box.hypotheses.get(number=1).public_id, box.representations.get().public_id,
      box.proposals.get(target="doc").public_id)
"""
    found = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, check=True, capture_output=True, text=True,
        env={**environment, "DJANGO_SETTINGS_MODULE": "yoimemory.settings"},
    ).stdout.split()  # fmt: skip
    ids = dict(zip(("shoebox", "evidence", "hypothesis", "representation", "proposal"), found[-5:], strict=True))
    return {name: address.format(**ids) for name, address in PAGES.items()}


@contextmanager
def _served(environment: dict[str, str]) -> Iterator[None]:
    command = [sys.executable, "-m", "yoimemory.cli", "serve", "--no-open"]
    server = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL)
    try:
        for _ in range(100):
            time.sleep(0.2)
            try:
                with urlopen(f"http://127.0.0.1:{PORT}/livez", timeout=2):
                    break
            except OSError:
                continue
        yield
    finally:
        server.terminate()
        server.wait(timeout=20)


def _take(
    browser: "Browser", environment: dict[str, str], addresses: dict[str, str], folder: Path, names: tuple[str, ...]
) -> None:
    link = next(word for word in _run(environment, "link").split() if "/start/" in word)
    for scheme in ("light", "dark"):
        for (width, height), size in ((WIDE, "1280"), (NARROW, "390")):
            context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
            page = context.new_page()
            if scheme == "light" and size == "1280":
                page.goto(link)
                page.get_by_role("button").first.click()
                state = context.storage_state()
            context.add_cookies(state["cookies"])
            for name in names:
                answer = page.goto(f"http://127.0.0.1:{PORT}{addresses[name]}")
                if answer is None or answer.status >= 400:
                    raise SystemExit(f"{name} at {addresses[name]} answered {answer and answer.status}.")
                page.wait_for_load_state("networkidle")
                wide = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
                if wide > 0:
                    print(f"{name} at {size} scrolls sideways by {wide} px.", file=sys.stderr)
                page.screenshot(path=folder / f"{name}-{size}{'-dark' if scheme == 'dark' else ''}.png")
            context.close()


if __name__ == "__main__":
    chosen = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent / "img"
    main(chosen, SHOWN if len(sys.argv) == 1 else tuple(PAGES))
