"""The page's table of calls, its net benefit, and costs that are given."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

from playwright.sync_api import Browser, Page

import rocbands as rb
from tests.reporting.browser import browser, paths

__all__ = ["browser"]  # a fixture
EXAMPLE = rb.load_example()


@pytest.fixture(scope="module")
def shown(
    tmp_path_factory: pytest.TempPathFactory, browser: Browser
) -> tuple[Page, dict[str, Any], list[str]]:
    path = tmp_path_factory.mktemp("parts") / "report.html"
    report = rb.report(EXAMPLE, path=path, future=(5, 5), costs=(5, 1), rng=1)
    page, said = browser.new_page(), list[str]()
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto(Path(path).as_uri())
    return page, dict(report.payload), said


def test_calls_follow_the_rule(shown: tuple[Page, dict[str, Any], list[str]]) -> None:
    page, payload, said = shown
    visible = page.locator("#confusion [data-rule]:visible")
    for k, part in enumerate(payload["confusion"]):
        page.locator("#confusion-rule").select_option(index=k)
        assert visible.count() == 1
        rows = visible.locator("tbody tr").all_inner_texts()
        for text, model in zip(rows, part["models"], strict=True):
            counts = [f"{model[key]:,}" for key in ("tp", "fn", "fp", "tn")]
            assert set(counts) <= set(text.split())
    assert said == []


def test_net_benefit_is_drawn_and_read(shown: tuple[Page, dict[str, Any], list[str]]) -> None:
    page, payload, _ = shown
    chart = "benefit-chart"
    models = payload["models"]
    proven = sum(len(model["net_benefit"]["better"]) for model in models)
    assert len(paths(page, "proven", chart)) == proven
    assert len(paths(page, "curve", chart)) == len(models) + proven
    picture = page.locator(f"#{chart} .picture")
    picture.press("Home")
    picture.press("ArrowRight")
    caption = page.locator(f"#{chart} .reading caption").inner_text()
    at = models[0]["net_benefit"]["threshold"].index(float(caption.split()[-1].rstrip("%")) / 100)
    cells = page.locator(f"#{chart} .reading td").all_inner_texts()
    assert cells[0] == f"{models[0]['net_benefit']['net_benefit'][at]:.3f}"
    for model in models:
        assert model["net_benefit"]["sentence"] in page.locator("#benefit").inner_text()


def test_given_costs_are_shown_at_once(shown: tuple[Page, dict[str, Any], list[str]]) -> None:
    page, payload, _ = shown
    assert page.locator("#cost-found").is_visible()
    assert page.locator("#cost-ask").is_hidden()
    found = payload["recommendation"]
    answer = page.locator("#cost-answer").inner_text()
    assert answer.startswith(f"{found['model']} at threshold ")
    assert f"costs {found['cost']:.3g} per 1,000 cases" in answer


def test_drawings_stay_inside(shown: tuple[Page, dict[str, Any], list[str]]) -> None:
    page, _, _ = shown
    frame = page.locator("#benefit-chart rect.frame")
    left, top, width, height = (
        float(frame.get_attribute(k) or 0) for k in ("x", "y", "width", "height")
    )
    for path in paths(page, "curve", "benefit-chart") + paths(page, "band", "benefit-chart"):
        points = [point.split() for point in path[1:].rstrip("Z").split("L")]
        x, y = np.array(points, dtype=float).T
        assert left - 0.1 <= x.min() <= x.max() <= left + width + 0.1
        assert top - 0.1 <= y.min() <= y.max() <= top + height + 0.1
