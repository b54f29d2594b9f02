"""Reports opened in a browser, for tests; modules that import this are skipped without one."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rocbands as rb
from tests.reporting.conftest import DESIGN

CHROMIUM = os.environ.get("ROCBANDS_CHROMIUM") or next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
if CHROMIUM is None:
    pytest.skip(
        "no browser: install chromium, or set ROCBANDS_CHROMIUM to one", allow_module_level=True
    )
pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

from playwright.sync_api import Browser, Page, expect, sync_playwright  # noqa: E402

from tests.accessibility import find_violations  # noqa: E402, F401, after the browser was found

QUIET = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
WAIT = 30_000  # ms: a busy machine is slow
DESKTOP = {"width": 1280, "height": 900}
HOSTILE = "</script><script>alert(1)</script>\"&'<img src=x onerror=alert(2)> 🦀"
LONG = "long name " * 20
READING = "#roc-chart .reading"


@dataclass
class Made:
    """A report as a file, and what it should say."""

    path: Path
    payload: dict[str, Any]


@dataclass
class Heard:
    """All that a page said or asked for."""

    console: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)


def rows_of_one() -> tuple[np.ndarray, np.ndarray]:
    """The rows of the report 'one'."""
    rng = np.random.default_rng(7)
    y = rng.random(150) < 0.4
    return y, rng.normal(size=150) + 1.2 * y


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Made]:
    folder = tmp_path_factory.mktemp("reports")
    rng = np.random.default_rng(7)
    y = rng.random(150) < 0.4
    base = rng.normal(size=150)
    three = {
        "plain": base + 1.2 * y,
        HOSTILE: base + rng.normal(size=150) + y,
        LONG: np.round(y + base),
    }
    asked: dict[str, tuple[Any, dict[str, Any], dict[str, Any]]] = {
        "three": (y, three, {"title": f"Title {HOSTILE}"}),
        "one": (y, {"plain": three["plain"]}, {}),
        "perfect": ([1] * 6 + [0] * 6, {"perfect": range(12, 0, -1)}, {}),
        "one positive": ([1] + [0] * 30, {"plain": three["plain"][:31]}, {}),
        "folds": (y, {"plain": three["plain"]}, {"folds": np.arange(150) % 3}),
        "infinite": (y, {"constant": 0 * base, "infinite": np.where(base > 1, np.inf, base)}, {}),
    }
    found = {}
    for name, (labels, scores, options) in asked.items():
        path = folder / f"{name}.html"
        design = {name: options.pop(name) for name in DESIGN if name in options}
        report = rb.report(rb.Sample(labels, scores, **design), path=path, rng=1, **options)
        found[name] = Made(path, dict(report.payload))
    return found


# Of the module and not of the session: a running browser keeps an event loop in this thread.
@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as player:
        running = player.chromium.launch(executable_path=CHROMIUM, args=list(QUIET))
        expect.set_options(timeout=WAIT)
        yield running
        running.close()


Opener = Callable[..., Page]


@pytest.fixture
def heard() -> Heard:
    return Heard()


@pytest.fixture
def opened(browser: Browser, made: dict[str, Made], heard: Heard) -> Iterator[Opener]:
    contexts = []

    def open_(name: str, **options: Any) -> Page:
        context = browser.new_context(**{"viewport": DESKTOP, **options})
        context.set_default_timeout(WAIT)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: heard.console.append(message.text))
        page.on("pageerror", lambda error: heard.console.append(str(error)))
        page.on("dialog", lambda dialog: heard.console.append(dialog.message))
        page.on("request", lambda request: heard.requests.append(request.url))
        page.goto(made[name].path.as_uri())
        return page

    yield open_
    for context in contexts:
        context.close()


def paths(page: Page, what: str, chart: str = "roc-chart") -> list[str]:
    return [str(path.get_attribute("d")) for path in page.locator(f"#{chart} path.{what}").all()]
