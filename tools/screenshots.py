"""Make the picture of a report in the documentation: ``python tools/screenshots.py``.

Needs chromium, which ROCBANDS_CHROMIUM may name, and playwright.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

import rocbands as rb

PICTURE = Path(__file__).parents[1] / "docs" / "pictures" / "report.png"
NAMES = ("chromium", "chromium-browser", "google-chrome")


def main() -> None:
    """Report on the example, open the page, and keep its first screens."""
    sample = rb.load_example()
    browser = os.environ.get("ROCBANDS_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)))
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as player:
        page_file = Path(folder) / "report.html"
        title = "Two models on 569 biopsies"
        rb.report(sample, path=page_file, title=title, rng=1)
        running = player.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        page = running.new_page(viewport={"width": 1200, "height": 1400})
        page.goto(page_file.as_uri())
        page.screenshot(path=PICTURE)
        running.close()
    print(f"The picture is in {PICTURE}")


if __name__ == "__main__":
    main()
