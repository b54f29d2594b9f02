"""The page of a reader study in a real browser."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import rocbands as rb
from tests.reporting.browser import (  # noqa: F401, the fixtures are found by name
    DESKTOP,
    HOSTILE,
    Heard,
    Made,
    Opener,
    browser,
    find_violations,
    heard,
    opened,
)
from tests.reporting.test_readers import read, table

OPEN = "for (const part of document.querySelectorAll('details')) part.open = true"
PHONE = {"width": 390, "height": 800}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Made]:
    folder = tmp_path_factory.mktemp("readers")
    hostile = table(readers=3, tests=(HOSTILE, "MR"), names=(HOSTILE, "long name " * 20, "c"))
    asked = {
        "two": rb.compare_readers(read(hostile)),
        "many": rb.compare_readers(read(table(readers=25))),
        "algorithm": rb.compare_readers(
            read(table(tests=("CT",), algorithm=True)), algorithm="AI", margin=0.05
        ),
        "three": rb.compare_readers(read(table(tests=("CT", "MR", "US")))),
    }
    found = {}
    for name, data in asked.items():
        path = folder / f"{name}.html"
        found[name] = Made(path, dict(rb.report(data, path=path).payload))
    return found


@pytest.mark.parametrize("name", ["two", "many", "algorithm", "three"])
@pytest.mark.parametrize("viewport", [DESKTOP, PHONE])
def test_a_page_is_quiet(
    opened: Opener,  # noqa: F811
    heard: Heard,  # noqa: F811
    made: dict[str, Made],
    name: str,
    viewport: dict[str, int],
) -> None:
    page = opened(name, viewport=viewport)
    page.evaluate(OPEN)
    said = page.locator("main").inner_text()
    assert not [word for word in ("NaN", "undefined", "None") if word in said]
    assert heard.console == []
    assert heard.requests == [made[name].path.as_uri()] + ["data:,"] * (len(heard.requests) - 1)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("name", ["two", "algorithm", "three"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(opened: Opener, name: str, scheme: str) -> None:  # noqa: F811
    page = opened(name, color_scheme=scheme)
    page.evaluate(OPEN)
    assert find_violations(page) == []


@pytest.mark.parametrize("name", ["two", "many"])
def test_a_page_prints_on_few_sheets(opened: Opener, name: str) -> None:  # noqa: F811
    page = opened(name)
    sheets = re.findall(rb"/Type\s*/Page[^s]", page.pdf(format="A4"))
    assert len(sheets) <= 5
    page.emulate_media(media="print")
    assert page.locator("#methods").is_visible()


def test_the_numbers_can_be_saved(
    opened: Opener,  # noqa: F811
    made: dict[str, Made],
) -> None:
    page = opened("three")
    with page.expect_download() as download:
        page.get_by_role("button", name="Download JSON").click()
    path = Path(download.value.path())
    assert json.loads(path.read_text(encoding="utf-8")) == made["three"].payload
    assert download.value.suggested_filename == "reader-study-ct-mr-us.json"


def test_without_scripts_all_pictures_are_there(opened: Opener) -> None:  # noqa: F811
    page = opened("three", java_script_enabled=False)
    assert page.locator("main svg[role=img]").count() == 5
    assert page.get_by_text("Scripts are switched off").is_visible()
