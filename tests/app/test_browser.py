"""A person's whole way through the app, in a real browser."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import pytest
from click.testing import CliRunner

import rocbands as rb
from rocbands.cli import main

CHROMIUM = os.environ.get("ROCBANDS_CHROMIUM") or next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
if CHROMIUM is None:
    pytest.skip(
        "no browser: install chromium, or set ROCBANDS_CHROMIUM to one", allow_module_level=True
    )
pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytest.importorskip("uvicorn", reason="the extra app is not installed")

import openpyxl  # noqa: E402
from playwright.sync_api import Browser, Locator, Page, Route, expect, sync_playwright  # noqa: E402

from tests.accessibility import find_violations  # noqa: E402

QUIET = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
DESKTOP = {"width": 1280, "height": 900}
PHONE = {"width": 360, "height": 740}
WAIT = 30_000  # ms: a busy machine is slow
HOSTILE = "<img src=x onerror=alert(1)>\"&'"


@dataclass
class Heard:
    """All that the pages said and asked for."""

    console: list[str] = field(default_factory=list)
    requests: list[tuple[str, str]] = field(default_factory=list)

    def posts(self, path: str) -> int:
        """Count the requests that were sent to an address."""
        return sum(urlsplit(url).path == path for method, url in self.requests if method == "POST")


@contextmanager
def run_app() -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """Run the app; its address and its process."""
    command = [sys.executable, "-m", "rocbands", "app", "--no-browser"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as app:
        assert app.stdout is not None
        line = next(line for line in app.stdout if "http://" in line)
        yield line[line.index("http://") :].split()[0], app
        app.terminate()


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with run_app() as (found, _):
        yield found


# Of the module and not of the session: a running browser keeps an event loop in this thread.
@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as player:
        running = player.chromium.launch(executable_path=CHROMIUM, args=list(QUIET))
        yield running
        running.close()


@pytest.fixture
def heard() -> Heard:
    return Heard()


Opener = Callable[..., Page]


@pytest.fixture
def opened(browser: Browser, address: str, heard: Heard) -> Iterator[Opener]:
    """Open the app; at the end no page has said anything, or asked another host."""
    contexts = []

    def open_(**options: Any) -> Page:
        context = browser.new_context(**{"viewport": DESKTOP, **options})
        context.set_default_timeout(WAIT)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: heard.console.append(message.text))
        page.on("pageerror", lambda error: heard.console.append(str(error)))
        page.on("dialog", lambda dialog: heard.console.append(dialog.message))
        page.on("request", lambda request: heard.requests.append((request.method, request.url)))
        page.goto(address)
        return page

    expect.set_options(timeout=WAIT)
    yield open_
    for context in contexts:
        context.close()
    assert heard.console == []
    places = {urlsplit(url)[:2] for _, url in heard.requests}
    assert places <= {urlsplit(address)[:2], ("data", ""), ("blob", "")}


def chosen(page: Page, words: str) -> Locator:
    """A field of Analyse, by its label."""
    return page.locator("#analyse").get_by_label(words, exact=True)


def take_example(page: Page) -> None:
    page.get_by_role("button", name="Try the example", exact=True).click()
    expect(chosen(page, "Positive label")).to_have_value("malignant")


def bring(page: Page, path: Path, prefix: str = "analyse") -> None:
    page.locator(f"#{prefix}-file").set_input_files(path)
    start = page.locator(f"#{prefix} button.main")
    expect(start).not_to_have_attribute("aria-disabled", "true")
    expect(page.locator(f"#{prefix} .chosen")).to_contain_text(path.name)


def analyse(page: Page) -> None:
    page.get_by_role("button", name="Analyse", exact=True).click()
    expect(page.locator("#analyse-answer-box-title")).to_be_focused()


def headline(page: Page, prefix: str = "analyse") -> list[str]:
    return page.locator(f"#{prefix}-answer-box .headline p").all_inner_texts()


def drawn(page: Page, prefix: str) -> bool:
    """Wait for the picture of an answer; tell whether it is there."""
    picture = page.locator(f"#{prefix}-answer-box img")
    return bool(picture.evaluate("(one) => one.decode().then(() => one.naturalWidth > 300)"))


def download(page: Page, name: str) -> bytes:
    with page.expect_download() as waiting:
        page.locator(f"button[data-file='{name}']").click()
    assert waiting.value.suggested_filename == name
    return waiting.value.path().read_bytes()


def printed(*arguments: str) -> str:
    """Run a command, and return its standard output."""
    done = CliRunner().invoke(main, arguments)
    assert done.exit_code == 0, done.output
    return done.stdout


def write_patients(
    path: Path, rows: int = 60, *, names: tuple[str, ...] = ("new test",), mistake: bool = False
) -> Path:
    """Write two rows for each patient; with a mistake in row 7 of the file."""
    rng = np.random.default_rng(3)
    ill = np.arange(rows) % 3 == 0
    scores = [np.round(rng.normal(size=rows) + shift * ill, 3) for shift in (1.5, 0.5)]
    cells = [
        [f"P{i // 2:02}", "yes" if ill[i] else "no", *(str(one[i]) for one in scores[: len(names)])]
        for i in range(rows)
    ]
    if mistake:
        cells[5][2] = "0.7x"
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([["patient", "disease", *names], *cells])
    return path


def tick(page: Page, *names: str) -> None:
    for name in names:
        page.locator("#analyse-scores").get_by_label(name).check()


PATIENTS = ["--label", "disease", "--positive", "yes", "--score", "new test"]


def read_patients(path: Path, **design: str) -> rb.Sample:
    return rb.Sample.from_file(path, label="disease", positive="yes", score="new test", **design)


def test_the_example_from_click_to_report(opened: Opener) -> None:
    page = opened()
    take_example(page)
    expect(chosen(page, "Outcome")).to_have_value("diagnosis")
    expect(chosen(page, "Positive label").locator("option:checked")).to_have_text(
        "malignant (212 rows)"
    )
    assert page.locator("#analyse-scores input:checked").count() == 2
    expect(page.locator("table.preview tbody tr")).to_have_count(8)
    analyse(page)
    own = rb.report(rb.load_example(), path=None)
    assert headline(page) == list(own.headline)
    report = page.frame_locator("iframe.report")
    expect(report.locator("#roc-chart path.band")).to_have_count(2)
    expect(report.locator("#findings")).to_be_hidden()  # stands above the report
    report.locator("nav a", has_text="Methods").click()
    page.wait_for_function("scrollY > 3000")
    heights = "[...document.querySelectorAll('iframe')].map((one) => [one.offsetHeight, one.contentDocument.documentElement.scrollHeight])"
    page.wait_for_function(f"{heights}.every(([outer, inner]) => inner > 2000 && outer >= inner)")
    printed_whole = """(frame) => (frame.contentWindow.print = () =>
      (window.whole = !frame.contentDocument.querySelector("#findings").hidden))"""
    page.locator("iframe.report").evaluate(f"(frame) => void ({printed_whole})(frame)")
    page.get_by_role("button", name="Print the report").click()
    assert page.evaluate("window.whole")


def test_the_page_says_what_it_guessed(opened: Opener, tmp_path: Path) -> None:
    path = tmp_path / "clinic.csv"
    rows = [
        f"{'ja' if k % 3 else 'nein'},{50 + k % 40},{150 + k},{k % 7 / 7:.2f}" for k in range(60)
    ]
    path.write_text("\n".join(["Krank,Age,Groesse,Modell", *rows]) + "\n", encoding="utf-8")
    page = opened()
    bring(page, path)
    ticked = page.locator("#analyse-scores input:checked")
    assert ticked.evaluate_all("(all) => all.map((one) => one.value)") == ["Modell"]
    said = page.locator("#analyse .note", has_text="Guessed")
    expect(said).to_have_text(
        "Guessed from names and values, please check: outcome “Krank”; positive label “ja”; "
        "scores “Modell”."
    )
    page.locator("#analyse-scores").get_by_label("Age").check()
    expect(said).not_to_contain_text("scores")
    chosen(page, "Positive label").select_option("nein")
    expect(said).to_contain_text("please check: outcome “Krank”.")
    chosen(page, "Outcome").select_option("")
    expect(said).to_be_hidden()


def test_a_mistake_in_row_7(opened: Opener, tmp_path: Path) -> None:
    page = opened()
    bring(page, write_patients(tmp_path / "scores.csv", mistake=True))
    chosen(page, "Clusters").select_option("patient")
    page.get_by_role("button", name="Analyse", exact=True).click()
    said = page.locator("#analyse-scores-problem")
    expect(said).to_have_text(
        re.compile(r"line 7: column 'new test' must be a number; found '0.7x'")
    )
    assert page.evaluate("document.activeElement.closest('#analyse-scores') !== null")
    described = page.locator("#analyse-scores").get_attribute("aria-describedby")
    assert "analyse-scores-problem" in str(described).split()
    bring(page, write_patients(tmp_path / "scores.csv"))
    expect(said).to_be_hidden()
    expect(chosen(page, "Clusters")).to_have_value("patient")  # choices stay
    analyse(page)
    assert "60 rows" in " ".join(headline(page))


def test_an_outcome_must_be_chosen(opened: Opener, tmp_path: Path) -> None:
    page = opened()
    bring(page, write_patients(tmp_path / "scores.csv"))
    chosen(page, "Outcome").select_option("")
    page.get_by_role("button", name="Analyse", exact=True).click()
    expect(chosen(page, "Outcome")).to_be_focused()
    assert chosen(page, "Outcome").get_attribute("aria-invalid") == "true"
    chosen(page, "Outcome").select_option("disease")
    expect(chosen(page, "Positive label")).to_contain_text("rows)")  # the labels are counted
    chosen(page, "Positive label").select_option("")
    page.get_by_role("button", name="Analyse", exact=True).click()
    expect(chosen(page, "Positive label")).to_be_focused()


def test_a_wrong_outcome_unticks_no_score_for_good(opened: Opener, tmp_path: Path) -> None:
    page = opened()
    names = ("new test", "old test")
    bring(page, write_patients(tmp_path / "scores.csv", names=names))
    ticked = page.locator("#analyse-scores input:checked")
    expect(ticked).to_have_count(0)  # neither is likely
    tick(page, *names)
    page.locator("#analyse-scores").get_by_label("old test").uncheck()
    for outcome, expected in (("new test", []), ("patient", ["new test"])):
        chosen(page, "Outcome").select_option(outcome)
        assert ticked.evaluate_all("(all) => all.map((one) => one.value)") == expected
    chosen(page, "Outcome").select_option("disease")
    assert ticked.evaluate_all("(all) => all.map((one) => one.value)") == ["new test"]


def test_small_values_can_count(opened: Opener, tmp_path: Path) -> None:
    path = write_patients(tmp_path / "scores.csv", 200, names=("new test", "old test"))
    with path.open(newline="", encoding="utf-8") as file:
        head, *rows = csv.reader(file)
    cells = [[*row[:2], f"{-float(row[2])}", row[3]] for row in rows]
    cells[3][3] = ""
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([head, *cells])
    page = opened()
    bring(page, path)
    tick(page, "new test", "old test")
    chosen(page, "Leave out rows with missing values").check()  # is not folded
    chosen(page, "Clusters").select_option("")
    analyse(page)
    said = page.locator("#analyse-answer-box .note", has_text="below 0.5")
    expect(said).to_contain_text("small values of new test go with the positive label")
    with page.expect_request(
        lambda one: one.url.endswith("/api/jobs") and one.method == "POST"
    ) as sent:
        page.get_by_role("button", name="Let small values of new test count").click()
    assert sent.value.post_data_json["reversed"] == ["new test"]
    expect(said).to_have_count(0)
    design = {"label": "disease", "positive": "yes", "score": ["new test", "old test"]}
    sample = rb.Sample.from_file(path, missing="drop", **design).reverse("new test")
    page.locator("#analyse summary", has_text="More").click()
    box = page.get_by_label("Small values of new test mean more like the positive label")
    expect(box).to_be_checked()
    page.get_by_role("tab", name="Compare").click()
    page.get_by_role("button", name="Compare", exact=True).click()
    expect(page.locator("#compare-answer-box-title")).to_be_focused()
    assert headline(page, "compare")[0] == rb.compare(sample).sentence
    page.go_back()
    page.locator("#analyse-scores").get_by_label("new test").uncheck()
    expect(box).to_have_count(0)


def test_excel_with_two_sheets(opened: Opener, tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    book.active.title = "Notes"
    book.active.append(["text"])
    book.active.append(["nothing here"])
    sheet = book.create_sheet("Scores")
    with write_patients(tmp_path / "scores.csv").open(newline="", encoding="utf-8") as file:
        head, *rows = csv.reader(file)
    sheet.append(head)
    for patient, ill, score in rows:
        sheet.append([patient, ill, float(score)])
    book.save(tmp_path / "two sheets.xlsx")
    page = opened()
    bring(page, tmp_path / "two sheets.xlsx")
    chosen(page, "Sheet").select_option("Scores")
    expect(chosen(page, "Positive label")).to_have_value("yes")
    chosen(page, "Clusters").select_option("")
    analyse(page)
    own = rb.report(read_patients(tmp_path / "scores.csv"), path=None)
    assert headline(page) == list(own.headline)


def test_a_large_file_has_progress_and_can_be_cancelled(opened: Opener, tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    y = rng.random(200_000) < 0.1
    table = np.column_stack([y, *(rng.normal(size=y.size) + shift * y for shift in (1, 0.8))])
    np.savetxt(tmp_path / "large.csv", table, "%.6g", ",", header="label,a,b", comments="")
    page = opened()
    bring(page, tmp_path / "large.csv")
    expect(chosen(page, "Positive label")).to_have_value("1")
    expect(page.locator("caption")).to_contain_text("The first 8 of 200,000 rows")
    tick(page, "a", "b")
    page.get_by_role("button", name="Analyse", exact=True).click()
    expect(page.locator("#analyse .working progress")).to_be_visible()
    with page.expect_response(lambda answer: answer.request.method == "DELETE") as waiting:
        page.get_by_role("button", name="Cancel").click()
    assert waiting.value.json()["state"] == "cancelled"
    expect(page.locator("#live")).to_have_text("Cancelled.")
    expect(page.locator("#analyse form > div", has_text="Cancelled.")).to_be_visible()
    expect(page.get_by_role("button", name="Analyse", exact=True)).to_be_focused()
    expect(page.locator("#analyse .working")).to_have_count(0)
    expect(page.locator("#analyse-answer-box")).to_have_count(0)
    page.locator("#analyse-scores").get_by_label("b").uncheck()

    # A fast machine is done before the page asks how far it is: the answer waits for the test.
    def answer_under_way(route: Route) -> None:
        progress = {"done": 3, "total": 10, "title": "Reading rows"}
        route.fulfill(json={"state": "running", "progress": progress})

    page.route("**/api/jobs/*", answer_under_way)
    page.get_by_role("button", name="Analyse", exact=True).click()
    bar = page.locator("#analyse .working progress")
    expect(bar).to_have_js_property("value", 3)
    expect(bar).to_have_js_property("max", 10)
    expect(page.locator("#analyse .working .doing")).to_have_text("Reading rows")
    page.unroute("**/api/jobs/*", answer_under_way)
    expect(page.locator("#analyse-answer-box-title")).to_be_focused()


def test_two_models_are_compared_without_a_new_upload(opened: Opener, heard: Heard) -> None:
    page = opened()
    page.get_by_role("tab", name="Compare").click()
    expect(page.locator("#compare-why")).to_contain_text("Bring a table in Analyse first")
    page.get_by_role("button", name="Go to Analyse").click()
    take_example(page)
    page.get_by_role("tab", name="Compare").click()
    page.get_by_role("button", name="Compare", exact=True).click()
    expect(page.locator("#compare-answer-box-title")).to_be_focused()
    sample = rb.load_example()
    said = headline(page, "compare")
    assert said == [rb.compare(sample).sentence, rb.difference_band(sample).sentence]
    assert drawn(page, "compare")
    assert heard.posts("/api/uploads/example") == 1
    own = printed("compare", "--example", "--format", "csv")
    assert download(page, "comparison.csv").decode() == own


def test_settings_change_the_answer_without_a_new_upload(
    opened: Opener, heard: Heard, tmp_path: Path
) -> None:
    path = write_patients(tmp_path / "scores.csv")
    page = opened()
    bring(page, path)
    chosen(page, "Clusters").select_option("")
    analyse(page)
    settings = page.locator("form.settings")
    settings.get_by_label("Confidence level").fill("90")
    settings.get_by_label("missed positive").fill("20")
    settings.get_by_role("button", name="Update").click()
    expect(page.locator("#analyse-costs-problem")).to_have_text("Fill both fields, or none.")
    settings.get_by_label("false alarm").fill("1")
    settings.get_by_label("Prevalence").fill("5,0")
    expect(page.locator("#analyse-answer-box-stale")).to_be_visible()
    settings.get_by_label("Capacity").fill("12")
    settings.get_by_role("button", name="Update").click()
    asked = {"level": 0.9, "costs": (20, 1), "prevalence": 0.05, "capacity": 0.12}
    own = rb.report(read_patients(path), path=None, **asked)
    expect(page.locator("#analyse-answer-box .headline p").first).to_have_text(own.headline[0])
    assert headline(page) == list(own.headline)
    assert heard.posts("/api/uploads") == 1
    settings.get_by_label("Confidence level").fill("150")
    settings.get_by_role("button", name="Update").click()
    expect(settings.get_by_label("Confidence level")).to_be_focused()
    expect(page.locator("#analyse-level-problem")).to_contain_text("Confidence level")
    bring(page, path)
    expect(settings.get_by_label("Prevalence")).to_have_value("")
    leave = "dispatchEvent(new Event('beforeunload', { cancelable: true }))"
    assert not page.evaluate(leave)  # the browser asks first


def test_downloads_with_clusters_are_what_the_command_line_writes(
    opened: Opener, tmp_path: Path
) -> None:
    path = write_patients(tmp_path / "scores.csv")
    page = opened()
    bring(page, path)
    expect(chosen(page, "Clusters")).to_have_value("patient")  # suggested
    analyse(page)
    data = [str(path), *PATIENTS, "--clusters", "patient"]
    summary = printed("summary", *data, "--format", "csv")
    assert download(page, "summary.csv").decode() == summary
    assert download(page, "bands.csv").decode() == printed("band", *data, "--format", "csv")
    assert download(page, "summary.tex").decode() == printed("summary", *data, "--format", "latex")
    book = openpyxl.load_workbook(io.BytesIO(download(page, "summary.xlsx")))
    rows = [[*row] for row in book.worksheets[0].iter_rows(values_only=True)]
    assert [str(cell) for cell in rows[0]] == summary.splitlines()[0].split(",")
    assert len(rows) == len(summary.splitlines())
    for name, start in (("bands.png", b"\x89PNG"), ("bands.svg", b"<?xml"), ("bands.pdf", b"%PDF")):
        assert download(page, name).startswith(start)
    place = payload_of(download(page, "report.html").decode())
    page.locator("#analyse summary", has_text="Repeat this").click()
    command = page.get_by_role("region", name="Command line").inner_text()
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path)
        for line in command.splitlines():
            printed(*shlex.split(line)[1:])
    repeated = payload_of((tmp_path / "report.html").read_text(encoding="utf-8"))
    assert {key for key in place if place[key] != repeated[key]} <= {"made"}
    chosen(page, "Clusters").select_option("")
    expect(page.locator("#analyse-answer-box-stale")).to_be_visible()
    analyse(page)
    assert download(page, "summary.csv").decode() != summary


def payload_of(page: str) -> dict[str, Any]:
    found = re.search(r'<script[^>]*id="payload"[^>]*>(.*?)</script>', page, re.DOTALL)
    assert found is not None
    made: dict[str, Any] = json.loads(found[1])
    return made


def test_names_are_shown_as_text(opened: Opener, tmp_path: Path) -> None:
    page = opened()
    bring(page, write_patients(tmp_path / "scores.csv", names=(HOSTILE,)))
    expect(page.locator("table.preview th").nth(2)).to_have_text(HOSTILE)
    expect(page.locator("#analyse-scores label").first).to_have_text(HOSTILE)
    analyse(page)
    assert HOSTILE in " ".join(headline(page))
    assert page.locator("main img").count() == 0  # heard.console has no alert, either


def test_sixty_columns_with_long_names(opened: Opener, tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    names = ["label", *(f"a long name of a column, number {i} " * 3 for i in range(60))]
    table = np.column_stack([np.arange(40) % 2, rng.normal(size=(40, 60))])
    head = ",".join(f'"{name}"' for name in names)
    np.savetxt(tmp_path / "wide.csv", table, "%.4g", ",", header=head, comments="")
    for viewport in (DESKTOP, PHONE):
        page = opened(viewport=viewport)
        bring(page, tmp_path / "wide.csv")
        expect(page.locator("#analyse-scores input")).to_have_count(60)
        assert page.evaluate("document.documentElement.scrollWidth") == viewport["width"]
        ticked = page.locator("#analyse-scores input:checked")
        for name, number in (("All", 60), ("None", 0)):
            page.get_by_role("button", name=name, exact=True).click()
            expect(ticked).to_have_count(number)
        page.get_by_role("button", name="Analyse", exact=True).click()
        expect(page.locator("#analyse-scores-problem")).to_contain_text("at least one column")


def test_two_tabs_at_once(opened: Opener, tmp_path: Path) -> None:
    first, second = opened(), opened()
    bring(first, write_patients(tmp_path / "one.csv", 80))
    bring(second, write_patients(tmp_path / "two.csv", 60))
    for page in (first, second):
        page.get_by_role("button", name="Analyse", exact=True).click()
    for page, words in ((first, "80 rows"), (second, "60 rows")):
        expect(page.locator("#analyse-answer-box .headline")).to_contain_text(words)


def press_until(page: Page, wanted: str, key: str = "Tab") -> None:
    """Press a key until an element has the focus."""
    for _ in range(60):
        if page.evaluate(f"document.activeElement.matches({wanted!r})"):
            return
        page.keyboard.press(key)
    raise AssertionError(f"{wanted} was not reached")


def test_the_keyboard_alone_is_enough(opened: Opener) -> None:
    page = opened()
    press_until(page, "#tab-analyse")
    page.keyboard.press("ArrowLeft")
    expect(page.get_by_role("tab", name="Help")).to_be_focused()
    expect(page.get_by_role("heading", name="What to bring")).to_be_visible()
    page.keyboard.press("Home")
    expect(page.get_by_role("tab", name="Analyse")).to_have_attribute("aria-selected", "true")
    press_until(page, "#analyse-file")  # the file itself is chosen in a window of the system
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(chosen(page, "Positive label")).to_have_value("malignant")
    press_until(page, "#analyse button[type=submit]")
    page.keyboard.press("Enter")
    expect(page.locator("#analyse-answer-box-title")).to_be_focused()
    press_until(page, "form.settings button")
    press_until(page, "button[data-file='report.html']")
    with page.expect_download():
        page.keyboard.press("Enter")


def test_a_study_is_planned(opened: Opener) -> None:
    page = opened()
    page.get_by_role("tab", name="Plan a study").click()
    page.get_by_label("Expected AUC").fill("")
    page.get_by_role("button", name="Plan", exact=True).click()
    expect(page.get_by_label("Expected AUC")).to_be_focused()
    for name, text, words in (
        ("auc", "0.8.5", "Write a number, such as 2.5."),
        ("auc", "0,8x", "Write a number, such as 2.5."),
        ("auc", "1,850", "Write 1850 or 1.850: the comma can mean either."),
        ("level", "0.95", "Write it in percent, such as 95."),
    ):
        before = page.locator(f"#plan-{name}").input_value()
        page.locator(f"#plan-{name}").fill(text)
        if name == "level":
            page.get_by_label("Expected AUC").fill("0,85")
        page.get_by_role("button", name="Plan", exact=True).click()
        expect(page.locator(f"#plan-{name}-problem")).to_have_text(words)
        expect(page.locator(f"#plan-{name}")).to_be_focused()
        page.locator(f"#plan-{name}").fill(before)
    page.get_by_label("Expected AUC").fill("0,85")
    page.get_by_label("Show that one model is better than another").check()
    page.get_by_label("AUC of the other model").fill("0.8")
    page.get_by_label("Prevalence").fill("20,0 %")
    page.get_by_role("button", name="Plan", exact=True).click()
    expect(page.locator("#plan-answer-box-title")).to_be_focused()
    own = rb.sample_size(auc=0.85, other=0.8, prevalence=0.2)
    assert headline(page, "plan")[0] == own.sentence
    assert drawn(page, "plan")


def test_a_wide_table_in_readers_is_explained(opened: Opener, tmp_path: Path) -> None:
    path = tmp_path / "wide.csv"
    rows = [f"c{k},{k % 2},{k * 5 % 7},{k * 3 % 7}" for k in range(30)]
    path.write_text("\n".join(["case,truth,ai_r1,ai_r2", *rows]), encoding="utf-8")
    page = opened()
    page.get_by_role("tab", name="Readers").click()
    page.locator("#readers-file").set_input_files(path)
    page.get_by_role("button", name="Analyse the readings").click()
    expect(page.locator("#readers-reader-problem")).to_have_text(
        'Choose the column for "Reader". There must be a row for each reading: if each reader has '
        "a column, rearrange the table first."
    )


def test_a_reader_study(opened: Opener) -> None:
    page = opened()
    page.get_by_role("tab", name="Readers").click()
    page.get_by_role("button", name="Try the example of a reader study").click()
    expect(page.locator("#readers-score")).to_have_value("rating")
    page.get_by_role("button", name="Analyse the readings").click()
    expect(page.locator("#readers-answer-box-title")).to_be_focused()
    assert headline(page, "readers")[0] == rb.compare_readers(rb.load_example("readers")).sentence
    expect(page.frame_locator("#readers iframe").locator("svg").first).to_be_visible()


def test_a_dropped_file_is_opened(opened: Opener, tmp_path: Path) -> None:
    page = opened()
    text = write_patients(tmp_path / "scores.csv").read_text(encoding="utf-8")
    page.evaluate(
        """(text) => {
          const held = new DataTransfer();
          held.items.add(new File([text], "dropped.csv"));
          for (const type of ["dragover", "drop"]) document.body.dispatchEvent(
            new DragEvent(type, { dataTransfer: held, bubbles: true, cancelable: true }));
        }""",
        text,
    )
    expect(page.locator("#analyse .chosen")).to_contain_text("dropped.csv")
    expect(chosen(page, "Outcome")).to_have_value("disease")


def test_a_button_stops_the_program(browser: Browser) -> None:
    with run_app() as (own, app):
        page = browser.new_page()
        page.goto(own)
        page.get_by_role("button", name="Stop").click()
        page.get_by_role("button", name="Keep it running").click()
        assert app.poll() is None
        page.get_by_role("button", name="Stop").click()
        page.get_by_role("dialog").get_by_role("button", name="Stop").click()
        expect(page.get_by_role("heading", name="rocbands has stopped")).to_be_focused()
        assert app.wait(WAIT / 1000) == 0
        page.close()


LOOKS = ((DESKTOP, "light"), (PHONE, "dark"))


def violations(page: Page) -> list[tuple[str, list[str]]]:
    """Ask axe, with light and dark colours, on a wide and on a narrow page."""
    broken = []
    for viewport, scheme in LOOKS:
        page.set_viewport_size(viewport)
        page.emulate_media(color_scheme=scheme)
        broken += find_violations(page, least=10)
        if page.evaluate("document.documentElement.scrollWidth") != viewport["width"]:
            broken.append(("too wide", []))
    return broken


def test_axe_finds_nothing_in_any_state(opened: Opener, tmp_path: Path) -> None:
    page = opened()
    names = ("new test", "old test")
    broken = {"start": violations(page)}
    bring(page, write_patients(tmp_path / "scores.csv", names=names, mistake=True))
    page.locator("#analyse summary", has_text="More").click()
    expect(chosen(page, "Positive label")).to_have_value("yes")
    tick(page, *names)
    broken["preview"] = violations(page)
    page.get_by_role("button", name="Analyse", exact=True).click()
    expect(page.locator("#analyse-scores-problem")).to_be_visible()
    broken["problem"] = violations(page)
    bring(page, write_patients(tmp_path / "scores.csv", names=names))
    analyse(page)
    for words in ("Repeat this", "Statistics behind this"):
        page.locator("#analyse summary", has_text=words).click()
    broken["answer"] = violations(page)
    page.get_by_role("tab", name="Compare").click()
    page.get_by_role("button", name="Compare", exact=True).click()
    expect(page.locator("#compare-answer-box")).to_be_visible()
    broken["compare"] = violations(page)
    page.get_by_role("tab", name="Plan a study").click()
    page.get_by_role("button", name="Plan", exact=True).click()
    expect(page.locator("#plan-answer-box")).to_be_visible()
    broken["plan"] = violations(page)
    page.get_by_role("tab", name="Readers").click()
    broken["readers"] = violations(page)
    page.get_by_role("tab", name="Help").click()
    broken["help"] = violations(page)
    page.get_by_role("button", name="Stop").click()
    broken["stop"] = violations(page)
    assert {state: found for state, found in broken.items() if found} == {}
