"""Make the pictures of the app in the documentation: ``python -m tools.app_screenshots``.

Needs chromium, which ROCBANDS_CHROMIUM may name, playwright and the extra app.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

PICTURES = Path(__file__).parents[1] / "docs" / "pictures"
NAMES = ("chromium", "chromium-browser", "google-chrome")


@contextmanager
def run_app() -> Iterator[str]:
    """Run the app; its address."""
    command = [sys.executable, "-m", "rocbands", "app", "--no-browser"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as app:
        assert app.stdout is not None
        line = next(line for line in app.stdout if "http://" in line)
        yield line[line.index("http://") :].split()[0]
        app.terminate()


def keep(page: Page, name: str, top: str, bottom: str) -> None:
    """Keep the page from one element to the end of another."""
    page.evaluate("document.activeElement.blur()")
    page.wait_for_timeout(500)  # what the browser still draws
    boxes = [page.locator(place).first.bounding_box() for place in (top, bottom)]
    scrolled = page.evaluate("scrollY")
    start, end = (box["y"] + scrolled for box in boxes if box)
    y = max(0, start - 16)
    height = end + (boxes[1] or {"height": 0.0})["height"] + 8 - y
    clip = {"x": 60, "y": y, "width": 1160, "height": height}
    page.screenshot(path=PICTURES / f"app-{name}.png", full_page=True, clip=clip)


def analyse(page: Page, button: str, prefix: str) -> None:
    """Start an analysis, and wait for its report."""
    page.get_by_role("button", name=button, exact=True).click()
    page.frame_locator(f"#{prefix} iframe").locator("svg").first.wait_for()


def write_mistake(path: Path) -> Path:
    """Write the example with a mistake in row 7."""
    lines = files("rocbands.io").joinpath("example.csv").read_text(encoding="utf-8").splitlines()
    label, fold, _, second = lines[6].split(",")
    lines[6] = f"{label},{fold},0.7o,{second}"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def main() -> None:
    """Go through the app, and keep its states."""
    browser = os.environ.get("ROCBANDS_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)))
    with run_app() as address, sync_playwright() as player, tempfile.TemporaryDirectory() as folder:
        running = player.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        page = running.new_page(viewport={"width": 1280, "height": 900})
        page.goto(address)
        page.get_by_role("button", name="Try the example", exact=True).click()
        page.locator("#analyse-positive option", has_text="rows").first.wait_for(state="attached")
        keep(page, "columns", "#analyse-columns-title", "#analyse button[type=submit]")
        analyse(page, "Analyse", "analyse")
        keep(page, "example", ".top", "#analyse-answer-box .headline")
        keep(page, "answer", "#analyse-answer-box-title", "#analyse-answer-box .halves")
        page.locator("#analyse-file").set_input_files(write_mistake(Path(folder) / "scores.csv"))
        page.locator("#analyse .chosen", has_text="scores.csv").wait_for()
        page.get_by_role("button", name="Analyse", exact=True).click()
        page.locator("#analyse-scores-problem").wait_for()
        keep(page, "problem", "#analyse-columns-title", "#analyse-scores")
        page.get_by_role("tab", name="Plan a study").click()
        page.get_by_label("Show that one model is better than another").check()
        page.get_by_role("button", name="Plan", exact=True).click()
        page.locator("#plan-answer-box img").wait_for()
        keep(page, "plan", "#plan-title", "#plan-answer-box img")
        page.get_by_role("tab", name="Readers").click()
        page.get_by_role("button", name="Try the example of a reader study").click()
        analyse(page, "Analyse the readings", "readers")
        keep(page, "readers", "#readers-answer-box-title", "#readers-answer-box .halves")
        running.close()
    print(f"The pictures are in {PICTURES}")


if __name__ == "__main__":
    main()
