"""What axe finds on a page in a browser."""

from __future__ import annotations

from axe_core_python.sync_playwright import Axe
from playwright.sync_api import Page

# Other results without a list of all their elements, which takes three quarters of the time.
_OPTIONS = {"resultTypes": ["violations"]}


def find_violations(page: Page, least: int = 20) -> list[tuple[str, list[str]]]:
    """Return each broken rule with the elements that break it; more than `least` rules must apply."""
    found = Axe().run(page, options=_OPTIONS)
    assert len(found["passes"]) > least
    return [
        (one["id"], [node["html"][:120] for node in one["nodes"]]) for one in found["violations"]
    ]
