"""Take the pictures of the README: the demo in a home of its own, in a browser, in light and dark, wide and narrow.

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
from typing import TYPE_CHECKING, Literal
from urllib.request import urlopen

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

ROOT = Path(__file__).resolve().parent.parent
PORT = 8771
WIDE, NARROW = (1280, 800), (390, 844)
SCHEMES: "tuple[Literal['light', 'dark'], ...]" = ("light", "dark")
CLOCK_DOC = "doc:docs/design/clock.md"

PAGES = {
    "inbox": "/",
    "search": "/search/?q=power+cut&stance=disconfirming",
    "reader": "/read/?ref=session:plain/2026-05-23-label-printer%23entry-8",
    "workbench": "/shoeboxes/{shoebox}/",
    "evidence": "/evidence/{evidence}/",
    "hypotheses": "/hypotheses/",
    "hypothesis": "/hypotheses/{hypothesis}/",
    "matrix": "/hypotheses/matrix/{shoebox}/",
    "timeline": "/representations/{representation}/",
    "proposal": "/proposals/{proposal}/",
    "export": "/shoeboxes/{shoebox}/export/",
    "diagnostics": "/diagnostics/",
    "sources": "/sources/",
    "workers": "/workers/",
}
"""Every picture, by name: the address that it shows."""

TOO_WIDE = """() => {
  if (document.documentElement.scrollWidth <= innerWidth) return "";
  const scrolls = (e) => e && e !== document.body &&
    (/auto|scroll|hidden/.test(getComputedStyle(e).overflowX) || scrolls(e.parentElement));
  const wide = [...document.body.querySelectorAll("*")]
    .filter((e) => e.getBoundingClientRect().right > innerWidth + 1 && !scrolls(e.parentElement));
  return wide.map((e) => e.tagName + "." + e.className).slice(-3).join(", ");
}"""

SHOWN = ("inbox", "search", "reader", "evidence", "hypothesis", "proposal")
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
    return subprocess.run(command, cwd=ROOT, env=environment, check=True, stdout=subprocess.PIPE, text=True).stdout


def _addresses(environment: dict[str, str]) -> dict[str, str]:
    """The addresses of PAGES with the ids of this demo."""
    program = f"""
import django; django.setup()
from evidence.models import Evidence
from shoebox.models import Shoebox
box = Shoebox.objects.get(state="open")
print(box.public_id, Evidence.objects.get(shoebox=box, place={CLOCK_DOC!r}).public_id,
      box.hypotheses.get(number=1).public_id, box.representations.order_by("pk").first().public_id,
      box.proposals.get(target="doc", state="proposed").public_id)
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
    door = browser.new_context()
    page = door.new_page()
    page.goto(link)
    page.get_by_role("button").first.click()
    state = door.storage_state()
    for scheme in SCHEMES:
        for width, height in (WIDE, NARROW):
            context = browser.new_context(
                viewport={"width": width, "height": height}, color_scheme=scheme, storage_state=state
            )
            for name in names:
                ending = "-dark" if scheme == "dark" else ""
                _picture(context.new_page(), name, addresses[name], folder / f"{name}-{width}{ending}.png")
            context.close()
    door.close()


def _picture(page: "Page", name: str, address: str, path: Path) -> None:
    answer = page.goto(f"http://127.0.0.1:{PORT}{address}")
    if answer is None or answer.status >= 400:
        raise SystemExit(f"{name} at {address} answered {answer and answer.status}.")
    page.wait_for_load_state("networkidle")
    if name == "reader":
        page.keyboard.press("Shift+J")
        page.keyboard.press("r")
    if wide := page.evaluate(TOO_WIDE):
        print(f"{path.stem} scrolls sideways because of {wide}.", file=sys.stderr)
    page.screenshot(path=path)
    page.close()


if __name__ == "__main__":
    chosen = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent / "img"
    main(chosen, SHOWN if len(sys.argv) == 1 else tuple(PAGES))
