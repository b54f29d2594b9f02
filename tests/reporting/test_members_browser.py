"""Pages on groups and on classes in a real browser."""

from __future__ import annotations

import re

import pytest

import rocbands as rb
from tests.reporting.browser import (  # noqa: F401, the fixtures are found by name
    DESKTOP,
    Heard,
    Made,
    Opener,
    Page,
    browser,
    find_violations,
    heard,
    opened,
)
from tests.reporting.test_members import animals, people

PHONE = {"width": 390, "height": 800}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Made]:
    folder = tmp_path_factory.mktemp("members")
    y, s, by = people()
    asked = {
        "groups": rb.subgroups(y, s, by=by, threshold=0.8),
        "rest": rb.subgroups(y, s, by=by, against="rest"),
        "classes": rb.Sample.of_classes(*animals()),
    }
    found = {}
    for name, data in asked.items():
        path = folder / f"{name}.html"
        found[name] = Made(path, dict(rb.report(data, path=path).payload))
    return found


def check_text(page: Page) -> None:
    said = page.locator("main").inner_text()
    for word in ("NaN", "undefined", "null"):
        assert word not in said, word


@pytest.mark.parametrize(
    ("name", "viewport"), [("groups", PHONE), ("rest", DESKTOP), ("classes", PHONE)]
)
def test_a_page_is_quiet(
    opened: Opener,  # noqa: F811
    heard: Heard,  # noqa: F811
    made: dict[str, Made],
    name: str,
    viewport: dict[str, int],
) -> None:
    page = opened(name, viewport=viewport)
    for view in page.locator("#roc-view label").all():
        view.click()
        check_text(page)
    page.get_by_label("Future curve").check()
    for part in page.locator("details summary").all():
        if part.is_visible():
            part.click()
    check_text(page)
    assert heard.console == []
    assert heard.requests == [made[name].path.as_uri()] + ["data:,"] * (len(heard.requests) - 1)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize(("name", "scheme"), [("groups", "light"), ("classes", "dark")])
def test_axe_finds_nothing(opened: Opener, name: str, scheme: str) -> None:  # noqa: F811
    page = opened(name, color_scheme=scheme)
    assert find_violations(page) == []


def test_differences_of_groups_are_drawn_around_0(
    opened: Opener,  # noqa: F811
    made: dict[str, Made],
) -> None:
    page = opened("groups")
    labels = page.locator("#difference-chart svg text").all_text_contents()
    assert "0" in labels
    band = made["groups"].payload["comparison"]["pairs"][0]["band"]
    ticks = [float(text.replace("−", "-")) for text in labels if re.fullmatch(r"[+−]0\.\d+", text)]
    assert max(ticks) <= max(band["upper"]) + 0.1
    assert min([*ticks, 0.0]) >= min(band["lower"]) - 0.15
    page.locator("#difference-pair").select_option(label="b minus c")
    assert "may be chance here" in page.locator("#difference-chart .reading").inner_text()


@pytest.mark.parametrize("name", ["groups", "classes"])
def test_a_page_prints_on_few_sheets(opened: Opener, name: str) -> None:  # noqa: F811
    page = opened(name)
    sheets = re.findall(rb"/Type\s*/Page[^s]", page.pdf(format="A4"))
    assert len(sheets) <= 8
