"""The page in a real browser: it is quiet, it obeys, and everybody can use it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rocbands as rb
from rocbands.core.thresholds import write_threshold
from tests.reporting.browser import (  # noqa: F401, the fixtures are found by name
    DESKTOP,
    HOSTILE,
    LONG,
    READING,
    Browser,
    Heard,
    Made,
    Opener,
    browser,
    expect,
    find_violations,
    heard,
    made,
    opened,
    paths,
    rows_of_one,
)


def band_at(model: dict[str, Any], place: int, **wish: Any) -> str:
    band = next(b for b in model["bands"] if all(b[key] == wish[key] for key in wish))
    return f"{band['lower_at'][place]:.3f} to {band['upper_at'][place]:.3f}"


@pytest.mark.parametrize("name", ["three", "one", "perfect", "one positive", "folds", "infinite"])
def test_a_report_is_quiet(opened: Opener, heard: Heard, made: dict[str, Made], name: str) -> None:
    page = opened(name)
    page.mouse.wheel(0, 20_000)
    page.emulate_media(color_scheme="dark")
    for part in page.locator("details summary").all():
        part.click()
    assert heard.console == []
    assert heard.requests == [made[name].path.as_uri()] + ["data:,"] * (len(heard.requests) - 1)
    assert len(paths(page, "curve")) == len(made[name].payload["models"])
    assert "NaN" not in page.content().replace(page.locator("script").last.inner_html(), "")
    assert "undefined" not in page.locator("main").inner_text()


def test_the_page_may_not_reach_outside(opened: Opener, heard: Heard) -> None:
    page = opened("one")
    refused = page.evaluate(
        "() => fetch('http://127.0.0.1:9/').then(() => 'went out', () => 'refused')"
    )
    assert refused == "refused"
    assert any("Content Security Policy" in line for line in heard.console)
    page.evaluate(
        "document.body.append(Object.assign(document.createElement('script'), {text: 'window.planted = 1'}))"
    )
    assert page.evaluate("window.planted") is None


@pytest.mark.parametrize(
    ("name", "scheme"), [("three", "light"), ("three", "dark"), ("folds", "dark")]
)
def test_axe_finds_nothing(opened: Opener, name: str, scheme: str) -> None:
    page = opened(name, color_scheme=scheme)
    page.locator("#scores-chart-0 .numbers summary").click()
    for part in page.locator("details:not(.numbers) > summary").all():
        if part.is_visible():
            part.click()
    page.locator("#roc-view label", has_text="Net benefit").click()
    assert find_violations(page) == []


def test_the_page_tells_what_the_band_is(opened: Opener, made: dict[str, Made]) -> None:
    page = opened("one")
    title = page.locator("#roc-chart svg .title")
    assert title.inner_html() == "95% simultaneous band for the true curve"
    page.get_by_label("Future curve").check()
    assert re.fullmatch(
        r"95% simultaneous band for a future curve \(\d+ \+ \d+ cases\)", title.inner_html()
    )
    assert "future test set" in page.locator("#roc-caption").inner_text()
    page.get_by_label("Band").select_option("joint-region")
    payload = made["one"].payload
    page.get_by_text("How this band was made").click()
    band = next(b for b in payload["models"][0]["bands"] if b["method"] == "joint-region")
    assert f"Guarantee: {band['guarantee']}." in page.locator("#roc-notes li").all_inner_texts()


def test_switches_show_other_bands(opened: Opener, made: dict[str, Made]) -> None:
    page = opened("three")
    picture = page.locator("#roc-chart .picture")
    picture.press("Shift+ArrowRight")
    assert page.locator(f"{READING} caption").inner_text() == "At a false positive rate of 0.150"
    model = made["three"].payload["models"][0]
    place = made["three"].payload["places"].index(0.15)
    wish = {"method": "likelihood", "target": "true", "level": 0.95}
    seen = [paths(page, "band")]
    changes: list[tuple[dict[str, Any], Callable[[], Any]]] = [
        ({"level": 0.8}, lambda: page.get_by_label("80%").check()),
        ({"target": "future"}, lambda: page.get_by_label("Future curve").check()),
        ({"method": "fixed-width"}, lambda: page.get_by_label("Band").select_option("fixed-width")),
        ({"level": 0.99}, lambda: page.get_by_label("99%").check()),
    ]
    assert band_at(model, place, **wish) in page.locator(READING).inner_text()
    for change, act in changes:
        wish |= change
        act()
        assert band_at(model, place, **wish) in page.locator(READING).inner_text()
        assert paths(page, "band") not in seen
        seen.append(paths(page, "band"))
    page.get_by_label("Band").select_option("joint-region")
    assert page.get_by_label("Future curve").is_checked()
    assert page.get_by_label("99%").is_checked()


def test_the_band_in_other_coordinates_is_that_of_the_library(
    opened: Opener, made: dict[str, Made]
) -> None:
    y, scores = rows_of_one()
    band = rb.roc_band(y, scores)
    page = opened("one")
    capacity = made["one"].payload["preset"]["capacity"]
    for words, view, x in (("Precision-recall", "pr", 0.8), ("Gains", "gains", capacity)):
        page.locator("#roc-view label", has_text=words).click()
        expect(page.locator("#roc-axis-pick")).to_be_hidden()
        ours = band.view(view)  # the share of positives is estimated, not known
        reading = page.locator("#roc-chart .reading")
        expect(reading).to_contain_text("At a ")
        shown = re.search(r"(0\.\d\d) to (\d\.\d\d)", reading.inner_text())
        assert shown is not None
        limits = [float(side(x)) for side in (ours.lower_at, ours.upper_at)]
        assert shown.groups() == tuple(f"{limit:.2f}" for limit in limits)
        assert "allows for the error of that share" in page.locator("#roc-chart").inner_html()
        assert len(paths(page, "band")) == 1
    page.locator("#roc-view label", has_text="ROC").click()
    expect(page.locator("#roc-axis-pick")).to_be_visible()


def test_a_logarithmic_axis_shows_low_rates(opened: Opener) -> None:
    page = opened("one")
    before = paths(page, "curve")
    page.get_by_label("Log, for low rates").check()
    assert paths(page, "curve") != before
    assert "logarithmic" in page.locator("#roc-chart .axis-name").first.inner_html()
    words = [text.inner_html() for text in page.locator("#roc-chart svg text").all()]
    assert {"0.01", "0.1", "1"} <= set(words)
    picture = page.locator("#roc-chart .picture")
    picture.press("Home")
    assert page.locator(f"{READING} caption").inner_text() == "At a false positive rate of 0.01"
    places = set()
    for _ in range(5):
        picture.press("ArrowRight")
        places.add(page.locator(f"{READING} caption").inner_text())
    assert len(places) == 5


def test_models_can_be_hidden_everywhere(opened: Opener, heard: Heard) -> None:
    page = opened("three")
    page.get_by_label("Cost of a missed positive, as a number").fill("2")
    charts = ("roc-chart", "cost-chart", "rates-chart")
    before = [len(paths(page, "curve", chart)) for chart in charts]
    button = page.locator("#roc .legend button").nth(1)
    button.focus()
    page.keyboard.press("Enter")
    assert button.get_attribute("aria-pressed") == "false"
    after = [len(paths(page, "curve", chart)) for chart in charts]
    assert [a - b for a, b in zip(after, before, strict=True)] == [-1, -2, -1]
    for other in (0, 2):
        page.locator("#rates .legend button").nth(other).click()
    assert [len(paths(page, "curve", chart)) for chart in charts] == [0, 0, 0]
    assert page.locator("#cost-answer").inner_text() == "No model is shown."
    for k in range(3):
        page.locator("#cost .legend button").nth(k).click()
    assert [len(paths(page, "curve", chart)) for chart in charts] == before
    assert heard.console == []


def test_a_mouse_reads_the_curve(opened: Opener, made: dict[str, Made]) -> None:
    page = opened("one")
    picture = page.locator("#roc-chart .picture")
    picture.scroll_into_view_if_needed()
    box, frame = picture.bounding_box(), page.locator("#roc-chart rect.frame").bounding_box()
    assert box is not None
    assert frame is not None
    page.mouse.move(frame["x"] + 0.4 * frame["width"], box["y"] + 200)
    assert page.locator(f"{READING} caption").inner_text() == "At a false positive rate of 0.400"
    y, score = rows_of_one()
    band = rb.roc_band(y, score, rng=1)
    best, roc = rb.operating_points(y, score, fpr=[0.4]), rb.roc_curve(y, score)
    limits = f"{band.lower_at(0.4):.3f} to {band.upper_at(0.4):.3f}"
    seen = page.locator(f"{READING} td").all_inner_texts()
    assert seen == [f"{best.tpr[0]:.3f}", limits, write_threshold(roc, best.threshold[0])]
    page.get_by_label("Log, for low rates").check()
    page.mouse.move(frame["x"] + 0.5 * frame["width"], box["y"] + 200)
    caption = page.locator(f"{READING} caption").inner_text()
    place = float(caption.removeprefix("At a false positive rate of "))
    assert place in made["one"].payload["places"]
    assert 0.05 < place < 0.2
    limits = f"{band.lower_at(place):.3f} to {band.upper_at(place):.3f}"
    assert page.locator(f"{READING} td").nth(1).inner_text() == limits


def test_the_keyboard_alone_is_enough(opened: Opener) -> None:
    page = opened("one")
    reached = []
    for _ in range(40):
        page.keyboard.press("Tab")
        reached.append(
            page.evaluate("document.activeElement.id || document.activeElement.className")
        )
        if reached[-1] == "picture":
            break
    assert reached[:4] == ["skip", "theme", "download", "print"]
    page.keyboard.press("ArrowRight")
    chart = page.locator("#roc-chart .picture")
    assert chart.get_attribute("role") == "slider"
    assert chart.get_attribute("aria-valuetext") == "At a false positive rate of 0.105"
    spoken = page.locator("#roc-chart [aria-live]")
    expect(spoken).to_have_text(
        re.compile(r"^At .* of 0\.105\. plain: true positive rate 0\.\d+, band")
    )


def judged_at(model: dict[str, Any], w: float) -> tuple[float, float, float]:
    """Cost of a model and its limits, on the rows that did not choose the threshold."""
    cost = model["cost"]
    middle, low, high = (
        float(np.interp(w, cost["w"], cost[k])) for k in ("cost", "lower", "upper")
    )
    return middle, low, high


@pytest.mark.parametrize("name", ["three", "perfect", "one positive", "folds", "infinite"])
def test_drawings_stay_inside_their_frames(opened: Opener, name: str) -> None:
    page = opened(name)
    page.get_by_label("Log, for low rates").check()
    for chart in ("roc-chart", "difference-chart", "cost-chart", "rates-chart"):
        if page.locator(f"#{chart}").count() == 0:
            continue
        frame = page.locator(f"#{chart} rect.frame")
        left, top, width, height = (
            float(frame.get_attribute(part) or "") for part in ("x", "y", "width", "height")
        )
        for path in paths(page, "curve", chart) + paths(page, "band", chart):
            x, y = np.array(
                [[float(v) for v in point.split()] for point in path[1:].rstrip("Z").split("L")]
            ).T
            assert left - 0.1 <= x.min() < x.max() <= left + width + 0.1
            assert top - 0.1 <= y.min() <= y.max() <= top + height + 0.1


def test_costs_follow_the_reader(opened: Opener, made: dict[str, Made]) -> None:
    page = opened("three")
    answer = page.locator("#cost-answer")
    before = answer.inner_text()
    # Nothing is said about costs that nobody has entered.
    assert page.locator("#cost-found").is_hidden()
    assert page.locator("#cost-miss-number").input_value() == ""
    assert paths(page, "here", "cost-chart") == []
    page.get_by_label("Cost of a missed positive, as a number").fill("7")
    page.get_by_label("Share of positives, as a number").fill("0.2")
    w = 7 * 0.2 / (7 * 0.2 + 0.8)
    models = made["three"].payload["models"]
    (cost, low, high), name = min((judged_at(model, w), model["name"]) for model in models)
    said = answer.inner_text()
    assert said != before
    assert said.startswith(f"{name} at threshold ")
    assert page.locator("#cost-ask").is_hidden()
    assert page.locator("#cost-alarm-number").input_value() == "1"
    # The number and its interval are of the same quantity.
    interval = f"95% interval {2200 * low:.3g} to {2200 * high:.3g}"
    assert f"costs {2200 * cost:.3g} per 1,000 cases ({interval})" in said
    assert "of the difference on the same rows" in said
    assert "overlap" not in said
    assert (
        "as much as 7 false alarms, and 20% of cases" in page.locator("#cost-weight").inner_text()
    )
    slider = page.get_by_label("Cost of a false alarm", exact=True)
    line = paths(page, "here", "cost-chart")
    slider.press("ArrowRight")
    assert page.locator("#cost-alarm-number").input_value() == "1.17"
    assert paths(page, "here", "cost-chart") != line
    field_ = page.get_by_label("Share of positives, as a number")
    said = answer.inner_text()
    field_.fill("7")
    assert field_.get_attribute("aria-invalid") == "true"
    assert answer.inner_text() == said


def test_costs_have_their_interval(opened: Opener, made: dict[str, Made]) -> None:
    page = opened("one")
    page.get_by_label("Cost of a missed positive, as a number").fill("1")
    page.get_by_label("Share of positives, as a number").fill("0.25")
    cost = made["one"].payload["models"][0]["cost"]
    low, high = (1000 * cost[edge][cost["w"].index(0.25)] for edge in ("lower", "upper"))
    assert f"{low:.3g} to {high:.3g}" in page.locator("#cost-table").inner_text()
    page.get_by_label("Share of positives, as a number").fill("0.0001")
    assert page.locator("#cost-table td").last.inner_text() == "–", "such a w was not judged"


def test_pairs_can_be_chosen(opened: Opener, made: dict[str, Made]) -> None:
    page = opened("three")
    first = paths(page, "curve", "difference-chart")
    page.get_by_label("Difference", exact=True).select_option("2")
    assert paths(page, "curve", "difference-chart") != first
    pair = made["three"].payload["comparison"]["pairs"][2]
    heading = page.locator("#difference-chart .reading tbody th").inner_text()
    assert heading == f"{pair['first']} minus {pair['second']}".strip()


def test_numbers_stand_behind_each_chart(opened: Opener, made: dict[str, Made]) -> None:
    page = opened("three")
    for chart in ("roc", "difference", "cost", "rates", "scores"):
        figure = page.locator(f"[id^={chart}-chart]").first
        figure.get_by_text("Show numbers").click()
        expect(figure.locator(".numbers tbody tr").nth(20)).to_be_attached()
    rates = made["three"].payload["models"][0]["rates"]
    cells = page.locator("#rates-chart .numbers tbody tr").nth(50).locator("td").all_inner_texts()
    shown = ("rate", "tpr", "lower", "upper", "precision")
    expected = [f"{rates[key][50]:.3f}" for key in shown]
    assert [*cells[:1], *cells[2:6]] == expected
    assert cells[1] == str(rates["cases"][50])
    assert cells[6] == rates["threshold_text"][50]


def test_a_difference_at_low_rates_has_a_logarithmic_axis(tmp_path: Path, browser: Browser) -> None:
    rng = np.random.default_rng(4)
    y = np.repeat([1, 0], [60, 9000])
    scores = {name: rng.normal(size=y.size) + shift * y for name, shift in (("a", 2), ("b", 1))}
    file = tmp_path / "rare.html"
    rb.report(rb.Sample(y, scores), path=file, rng=1)
    page = browser.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda said: errors.append(said.text) if said.type == "error" else None)
    page.goto(file.as_uri())
    chart = page.locator("#difference-chart svg").first
    expect(chart.get_by_text("False positive rate (logarithmic)")).to_be_attached()
    assert "NaN" not in chart.inner_html()
    assert errors == []
    page.close()


def test_light_and_dark(opened: Opener) -> None:
    page = opened("one", color_scheme="dark")
    paper = "getComputedStyle(document.body).backgroundColor"
    dark = page.evaluate(paper)
    button = page.locator("#theme")
    assert button.inner_text() == "Light page"
    button.click()
    assert button.inner_text() == "Dark page"
    assert page.evaluate(paper) == "rgb(255, 255, 255)" != dark
    button.click()
    assert page.evaluate(paper) == dark


@pytest.mark.parametrize("width", [320, 390])
@pytest.mark.parametrize("name", ["three", "perfect"])
def test_a_phone_scrolls_one_way(opened: Opener, name: str, width: int) -> None:
    page = opened(name, viewport={"width": width, "height": 700})
    assert page.evaluate("document.documentElement.scrollWidth") == width
    beyond = page.evaluate(
        """() => [...document.querySelectorAll('.picture svg text')]
            .map((text) => [text.textContent, text.getBoundingClientRect()])
            .filter(([, box]) => box.left < 0 || box.right > innerWidth).map(([words]) => words)"""
    )
    assert beyond == []


def test_it_prints(opened: Opener) -> None:
    page = opened("three", color_scheme="dark")
    printed = page.pdf(format="A4")
    assert printed.startswith(b"%PDF")
    assert 2 <= len(re.findall(rb"/Type\s*/Page\b", printed)) <= 6
    page.emulate_media(media="print")
    for folded in ("#methods", "#comment-box", ".saves", "#better details"):
        assert not page.locator(folded).first.is_visible()
    assert not page.locator("nav").is_visible()
    assert page.locator("#roc-chart .picture svg").is_visible()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"


def test_the_download_is_the_payload(opened: Opener, made: dict[str, Made]) -> None:
    page = opened("three")
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Download JSON").click()
    assert waiting.value.suggested_filename.endswith("-alert-2.json")
    assert json.loads(waiting.value.path().read_text(encoding="utf-8")) == made["three"].payload


def test_without_scripts(opened: Opener, made: dict[str, Made]) -> None:
    page = opened("three", java_script_enabled=False)
    assert page.locator(".headline > p").all_inner_texts() == [
        " ".join(words.split()) for words in made["three"].payload["headline"]
    ]
    assert page.get_by_text("Scripts are switched off").is_visible()
    assert page.locator("#roc-chart svg .band").count() == 3
    assert page.locator("#roc-chart svg").get_attribute("role") == "img"
    assert page.locator("#auc tbody tr").first.is_visible()
    assert page.locator("#better tbody tr").count() == 3
    for unusable in ("select", "#theme", "input", ".legend"):
        assert not page.locator(unusable).first.is_visible()


def test_names_are_shown_as_they_are(opened: Opener, heard: Heard) -> None:
    page = opened("three")
    assert page.title() == f"Title {HOSTILE}"
    assert page.locator("h1").inner_text() == f"Title {HOSTILE}"
    names = page.locator("#roc .legend button").all_inner_texts()
    assert [name.strip() for name in names] == ["plain", HOSTILE, LONG.strip()]
    assert page.locator("main img").count() == 0
    assert heard.console == []


@pytest.mark.parametrize("level", [0.8, 0.9, 0.95, 0.99])
def test_the_coverage_of_the_chosen_level_is_quoted_once(
    opened: Opener, made: dict[str, Made], level: float
) -> None:
    page = opened("one")
    page.get_by_label("Band").select_option("joint-region")
    page.get_by_label(f"{100 * level:g}%").check()
    said = page.locator("#trust-coverage").inner_text()
    near = max(level, 0.9)  # nothing was measured at 80%
    row = next(
        row
        for row in made["one"].payload["trust"]["measured"]
        if (row["method"], row["level"]) == ("joint-region", near)
    )
    ends = [f"{float(f'{100 * row[end]:.2g}'):g}" for end in ("coverage_low", "coverage_high")]
    if min(row["coverage_low"], row["coverage_high"]) <= 0.98:
        assert f"{ends[0]}% to " in said
    assert f"closest measured: {row['n_pos']} + {row['n_neg']} cases" in said
    assert row["where"] in said
    assert (" and 90% bands" in said) == (level == 0.8)
    assert "easured" not in page.locator("#roc-chart").inner_text(), "one line, in Trust"


def test_a_view_has_its_own_words(opened: Opener) -> None:
    page = opened("three")
    title, lead = page.locator("#roc-title"), page.locator("#roc-lead")
    before = title.inner_text(), lead.inner_text(), page.locator("#roc-hint").inner_text()
    assert before[0] == "ROC curves"
    seen = {before[1]}
    for words, heading in (
        ("Precision-recall", "Precision-recall curves"),
        ("Gains", "Gains curves"),
        ("DET", "DET curves"),
        ("Net benefit", "Net benefit of the best threshold"),
    ):
        page.locator("#roc-view label", has_text=words).click()
        assert title.inner_text() == heading
        assert lead.inner_text() not in seen
        seen.add(lead.inner_text())
        assert "false positive rate" not in page.locator("#roc-hint").inner_text()
        assert "NaN" not in page.locator("#roc-chart .picture").inner_html()
        assert len(paths(page, "curve")) == 3
    page.locator("#roc-view label", has_text="ROC").click()
    assert (title.inner_text(), lead.inner_text()) == before[:2]
    assert page.locator("#roc-hint").inner_text() == before[2]


def test_det_reads_what_roc_reads(opened: Opener, made: dict[str, Made]) -> None:
    page = opened("one")
    page.locator("#roc-view label", has_text="DET").click()
    payload = made["one"].payload
    place = payload["places"].index(0.1)
    model = payload["models"][0]
    band = next(b for b in model["bands"] if (b["level"], b["target"]) == (0.95, "true"))
    missed, low, high = (
        f"{1 - column[place]:.3f}"
        for column in (model["roc"]["tpr_at"], band["upper_at"], band["lower_at"])
    )
    cells = page.locator(f"{READING} td").all_inner_texts()
    assert cells[:2] == [missed, f"{low} to {high}"]


def test_net_benefit_is_that_of_the_best_threshold(opened: Opener, made: dict[str, Made]) -> None:
    y, scores = rows_of_one()
    page = opened("one")
    page.locator("#roc-view label", has_text="Net benefit").click()
    caption = page.locator(f"{READING} caption").inner_text()
    t = float(re.findall(r"(\d+)%", caption)[0]) / 100
    called = [scores >= cut for cut in np.append(scores, np.inf)]
    best = max((y & c).mean() - (~y & c).mean() * t / (1 - t) for c in called)
    shown = float(page.locator(f"{READING} td").first.inner_text())
    assert shown == pytest.approx(best, abs=0.0015)
    assert len(paths(page, "guess")) == 2, "treating all, and treating none"
    view = rb.roc_band(y, scores).view("net-benefit")
    limits = page.locator(f"{READING} td").nth(1).inner_text()
    assert limits == f"{float(view.lower_at(t)):.3f} to {float(view.upper_at(t)):.3f}"
    assert page.locator("#roc-chart rect.better").count() == len(view.better)
    page.get_by_label("99%").check()
    assert paths(page, "band") == []
    assert "limits are for 95% confidence only" in page.locator("#roc-chart .picture").inner_html()
