"""Files that a page saves: charts as PNG, SVG and CSV, and the page with its author's comment."""

from __future__ import annotations

import csv
import io
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

from playwright.sync_api import Browser, Page

from tests.reporting.browser import HOSTILE, Heard, Made, Opener, browser, heard, made, opened

__all__ = ["browser", "heard", "made", "opened"]  # fixtures

CHARTS = ("roc-chart", "difference-chart", "cost-chart", "rates-chart", "scores-chart-0")


def save(page: Page, chart: str, kind: str) -> tuple[str, bytes]:
    with page.expect_download() as waiting:
        page.locator(f"#{chart} [data-save={kind}]").click()
    return waiting.value.suggested_filename, Path(waiting.value.path()).read_bytes()


def rows_of(content: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(content.decode("utf-8"), newline="")))


@pytest.mark.parametrize("chart", CHARTS)
def test_every_chart_is_saved_as_a_picture(opened: Opener, heard: Heard, chart: str) -> None:
    page = opened("three", color_scheme="dark")
    name, png = save(page, chart, "PNG")
    assert name.endswith(".png")
    assert png.startswith(b"\x89PNG")
    assert int.from_bytes(png[16:20], "big") > 900, "pixels across"
    name, svg = save(page, chart, "SVG")
    assert name.endswith(".svg")
    root = ET.fromstring(svg)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    parts = list(root.iter())
    assert not any(part.get("class") or part.get("style") for part in parts)
    paper = next(part for part in parts if part.tag.endswith("rect"))
    assert paper.get("fill") == "rgb(255, 255, 255)", "light, whatever the page is"
    words = " ".join(part.text or "" for part in parts if part.tag.endswith("text"))
    assert ("positives, upward" if "scores" in chart else "plain") in words, "a legend"
    assert page.evaluate("document.documentElement.dataset.theme") is None
    assert heard.console == []


def test_names_of_files_are_those_of_the_report_and_the_chart(opened: Opener) -> None:
    page = opened("one")
    assert save(page, "roc-chart", "CSV")[0] == "roc-report-plain-roc-likelihood-true-95.csv"
    assert save(page, "rates-chart", "PNG")[0] == "roc-report-plain-capacity.png"
    page.locator("#roc-view label", has_text="Gains").click()
    page.get_by_label("99%").check()
    assert save(page, "roc-chart", "SVG")[0] == "roc-report-plain-gains-likelihood-true-99.svg"
    button = page.get_by_role("button", name="CSV of the chart Gains curves")
    button.focus()
    with page.expect_download() as waiting:
        page.keyboard.press("Enter")
    assert waiting.value.suggested_filename.endswith("gains-likelihood-true-99.csv")
    hostile = save(opened("three"), "rates-chart", "CSV")[0]
    assert hostile.startswith("title-script-script-alert-1-script-img-src-x-onerror")
    assert not set(hostile) & set('<>"/\\:& ')


def test_a_table_of_curves_has_the_numbers_of_the_payload(
    opened: Opener, made: dict[str, Made]
) -> None:
    payload = made["three"].payload
    rows = rows_of(save(opened("three"), "roc-chart", "CSV")[1])
    assert {row["model"] for row in rows} == {"plain", HOSTILE, payload["models"][2]["name"]}
    for model in payload["models"]:
        own = [row for row in rows if row["model"] == model["name"]]
        band = next(b for b in model["bands"] if (b["level"], b["target"]) == (0.95, "true"))
        assert len(own) == 201
        for row in own:
            i = payload["places"].index(float(row["fpr"]))
            assert float(row["tpr"]) == model["roc"]["tpr_at"][i]
            assert float(row["lower"]) == band["lower_at"][i]
            assert float(row["upper"]) == band["upper_at"][i]
            cut = model["roc"]["threshold_at"][i]
            assert row["threshold"] == "inf" if cut == "inf" else float(row["threshold"]) == cut
            assert row["threshold_text"] == model["roc"]["threshold_at_text"][i]


def test_other_tables_have_the_numbers_of_the_payload(
    opened: Opener, made: dict[str, Made]
) -> None:
    page, payload = opened("three"), made["three"].payload

    def column(
        rows: list[dict[str, str]], name: str, model: int | None = None
    ) -> list[float | None]:
        own = None if model is None else payload["models"][model]["name"]
        return [
            float(row[name]) if row[name] else None
            for row in rows
            if own in (None, row.get("model"))
        ]

    rates: dict[str, Any] = payload["models"][1]["rates"]
    rows = rows_of(save(page, "rates-chart", "CSV")[1])
    names = {"share_acted_on": "rate", "cases": "cases", "found": "tpr", "lower": "lower"}
    for shown, key in (names | {"upper": "upper", "precision": "precision"}).items():
        assert column(rows, shown, 1) == rates[key]
    cost = payload["models"][0]["cost"]
    rows = rows_of(save(page, "cost-chart", "CSV")[1])
    for key in ("w", "cost", "lower", "upper"):
        assert column(rows, key, 0) == cost[key]
    page.get_by_label("Difference", exact=True).select_option("1")
    band = payload["comparison"]["pairs"][1]["band"]
    rows = rows_of(save(page, "difference-chart", "CSV")[1])
    for key in ("fpr", "difference", "lower", "upper"):
        assert column(rows, key) == band[key]
    scores = payload["models"][0]["scores"]
    rows = rows_of(save(page, "scores-chart-0", "CSV")[1])
    assert column(rows, "positives") == scores["positives"]
    assert column(rows, "score_to") == scores["at"][1:]


def test_a_comment_is_printed_and_saved_with_the_page(
    opened: Opener, heard: Heard, made: dict[str, Made], tmp_path: Path, browser: Browser
) -> None:
    page = opened("one")
    page.emulate_media(media="print")
    assert not page.locator("#comment-box").is_visible(), "nothing to print yet"
    page.emulate_media(media="screen")
    page.locator("#comment-box summary").click()
    assert page.locator("#save-page").is_disabled()
    page.get_by_role("textbox", name="Comment").fill("Seen by A & B.\n<b>Use it</b>")
    page.get_by_label("99%").check()
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Save page with comment").click()
    assert waiting.value.suggested_filename == "roc-report-plain.html"
    file = tmp_path / "saved.html"
    waiting.value.save_as(file)
    page.emulate_media(media="print")
    assert page.locator("#comment").is_visible()
    other = browser.new_page()
    other.on("console", lambda message: heard.console.append(message.text))
    other.on("pageerror", lambda error: heard.console.append(str(error)))
    other.goto(file.as_uri())
    assert other.locator("#comment").inner_text() == "Seen by A & B.\n<b>Use it</b>"
    assert other.locator("#comment b").count() == 0
    assert other.get_by_label("95%").is_checked(), "the page starts as it was written"
    assert other.locator("#roc-chart .band").count() == 1
    other.close()
    assert heard.console == []
