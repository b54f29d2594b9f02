"""The page as text: what it holds, what it escapes, what it forbids itself."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import tomllib
from html import unescape
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rocbands as rb
from rocbands.reporting.render import SCRIPTS, render
from rocbands.reporting.words import COMPONENTS, HEADINGS, MENU, QUANTITIES

HOSTILE = "</script><script>alert(1)</script>\"&' \u2028 ünï 🦀 <!-- {{ 7 * 7 }}"


@pytest.fixture(scope="module")
def payload() -> dict[str, Any]:
    rng = np.random.default_rng(5)
    y = rng.random(90) < 0.4
    base = rng.normal(size=90)
    models = {HOSTILE: base + y, "n" * 200: rng.normal(size=90) + 0.5 * y}
    found = rb.report(rb.Sample(y, models), path=None, title=f"Title {HOSTILE}", rng=1)
    return dict(found.payload)


def element(page: str, start: str) -> str:
    return page.split(start, 1)[1].split("</", 1)[0]


def test_the_numbers_inside_are_the_payload(payload: dict[str, Any]) -> None:
    text = element(render(payload), '<script type="application/json" id="payload">')
    assert json.loads(text) == payload
    assert not set("<>&\u2028\u2029") & set(text)


def test_names_are_text_and_nothing_else(payload: dict[str, Any]) -> None:
    page = render(payload)
    assert "<script>alert" not in page
    assert page.count("<script") == 2
    assert page.count("</script>") == 2
    assert f"<h1>{unescape(element(page, '<h1>'))}" == f"<h1>Title {HOSTILE}"
    assert "49" not in element(page, "<h1>")


def test_the_policy_names_the_style_and_the_script_and_nothing_from_outside(
    payload: dict[str, Any],
) -> None:
    page = render(payload)
    policy = unescape(re.findall(r'Content-Security-Policy" content="([^"]+)"', page)[0])
    for start, end, kind in (("<style>", "</style>", "style"), ("<script>", "</script>", "script")):
        text = page.split(start, 1)[1].split(end, 1)[0]
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in policy
    assert "default-src 'none'" in policy
    assert "http" not in policy


def test_nothing_is_fetched(payload: dict[str, Any]) -> None:
    markup = re.sub(r"<script.*?</script>", "", render(payload), flags=re.DOTALL)
    assert set(re.findall(r'(?:src|href)="([^"#]*)', markup)) <= {"", "data:,"}
    assert "@import" not in markup
    assert "url(" not in element(markup, "<style>")


def test_the_same_payload_gives_the_same_page(payload: dict[str, Any]) -> None:
    assert render(payload) == render(json.loads(json.dumps(payload)))


def test_all_scripts_are_joined() -> None:
    page = files("rocbands.reporting") / "page"
    found = {path.name[:-3] for path in page.iterdir() if path.name.endswith(".js")}
    assert found == set(SCRIPTS)


def test_without_scripts_the_findings_and_a_picture_are_there(payload: dict[str, Any]) -> None:
    page = re.sub(r' data-label="[^"]*"', "", unescape(render(payload)))
    for sentence in payload["headline"]:
        assert f"<p>{sentence}</p>" in page
    for model in payload["models"]:
        auc = model["auc"]
        assert (
            f"<td>{auc['estimate']:.3f}</td><td>{auc['low']:.3f} to {auc['high']:.3f}</td>" in page
        )
    drawn = page.split('<div class="picture"><svg', 1)[1].split("</svg>", 1)[0]
    assert drawn.count('class="band') == drawn.count('class="curve') == 2
    assert "95% simultaneous band for the true curve" in page


def test_the_still_picture_draws_the_first_band(payload: dict[str, Any]) -> None:
    page = render(payload)
    band = next(band for band in payload["models"][0]["bands"] if band["level"] == 0.95)
    path = re.findall(r'class="band look-0 dash-0" d="M([^"Z]+)Z"', page)[0]
    points = np.array([[float(v) for v in point.split()] for point in path.split("L")])
    half = len(band["fpr"])
    fpr, upper = (points[:half, 0] - 66) / 520, 1 - (points[:half, 1] - 12) / 520
    np.testing.assert_allclose(fpr, band["fpr"], atol=2e-4)
    np.testing.assert_allclose(upper, band["upper"], atol=2e-4)
    np.testing.assert_allclose(1 - (points[half:, 1] - 12) / 520, band["lower"][::-1], atol=2e-4)


def test_notes_reach_the_reader(payload: dict[str, Any]) -> None:
    """Warnings of the library are on the page, not only in the JSON."""
    page = render(payload)
    visible = unescape(page[: page.index('<script type="application/json"')])
    notes = [note for model in payload["models"] for p in model["points"] for note in p["notes"]]
    assert any("Chosen on these rows" in note for note in notes)
    assert all(note in visible for note in notes)
    best = payload["models"][0]["points"][-1]
    limits = f"{best['fpr_low']:.3f} to {best['fpr_high']:.3f}"
    assert f"at FPR {best['fpr']:.3f}" in visible
    assert f"({limits})" in visible


def test_what_is_missing_is_said(payload: dict[str, Any]) -> None:
    lean = json.loads(json.dumps(payload))
    lean["comparison"] = None
    lean["omitted"] = [{"section": "cost", "why": "No <costs>.", "models": [HOSTILE]}]
    for model in lean["models"]:
        model.update(cost=None, rates=None, points=None, bands=[])
        model["auc"].update(low=None, high=None, method=None)
        model["roc"]["threshold"] = None
    page = render(lean)
    assert "No &lt;costs&gt;." in page
    # The reason stands where the section would be; a part without a reason is not there.
    section = page[page.index('<section id="cost"') :].partition("</section>")[0]
    assert "No &lt;costs&gt;." in section
    assert "cost-chart" not in section
    assert 'href="#cost"' in page
    assert 'id="better"' not in page
    assert "there is no band for these data" in page


def test_a_notebook_gets_a_link_and_the_findings(payload: dict[str, Any]) -> None:
    found = rb.results.Report(payload, Path('my "report".html'))
    shown = found._repr_html_()
    assert 'href="my%20%22report%22.html"' in shown
    assert "<script" not in shown
    words = " ".join(unescape(re.sub(r"<[^>]*>", " ", shown)).split())
    for line in (*found.headline, *found.statistics):
        assert " ".join(line.split()) in words
    assert repr(found) == f"<Report: 2 models, 90 rows, written to {found.path}>"
    assert f"Written to {found.path}." in str(found).splitlines()
    assert "href" not in rb.results.Report(payload)._repr_html_()


PAGE = files("rocbands.reporting") / "page"
HEADING = re.compile(r"<(h[23]|summary)[^>]*>(.*?)</\1>", re.DOTALL)


def headings_of(page: str) -> set[str]:
    return {unescape(found[2]) for found in HEADING.finditer(page)}


def quoted_in(payload: dict[str, Any]) -> set[str]:
    """Words in quotation marks in the sentences of a report."""
    costs = [model["cost"]["how"] for model in payload["models"] if model["cost"]]
    sentences = [
        *payload["headline"],
        *payload["statistics"],
        *payload["trust"]["sentences"],
        *costs,
    ]
    return {words for sentence in sentences for words in re.findall(r'"([^"]+)"', sentence)}


@pytest.mark.parametrize("design", ["clusters", "folds", "weights", "few"])
def test_a_heading_that_a_sentence_quotes_is_on_the_page(design: str) -> None:
    rng = np.random.default_rng(3)
    y = np.arange(60) % 4 == 0
    own = {
        "clusters": np.arange(60) // 2,
        "folds": np.arange(60) % 3,
        "weights": 1 + rng.random(60),
    }
    models = {"a": rng.normal(size=60) + y, "b": rng.normal(size=60)}
    extra = {design: own[design]} if design in own else {}
    found = rb.report(rb.Sample(y, models, **extra), path=None, rng=1)
    quoted = quoted_in(dict(found.payload))
    assert quoted, "this report quotes a heading"
    assert quoted <= headings_of(found.to_html())


def test_headings_are_written_in_one_place() -> None:
    package = files("rocbands.reporting")
    for path in [*package.iterdir(), *PAGE.iterdir()]:
        if path.name.endswith((".py", ".js", ".j2")):
            text = path.read_text(encoding="utf-8")
            written = headings_of(text) if path.name.endswith("j2") else set()
            written |= set(re.findall(r'"([^"]+)"', text)) if path.name.endswith(".py") else set()
            twice = written & set(HEADINGS.values())
            assert not twice, f"{path.name} must take {twice} from words.toml"


def test_every_section_has_a_heading_and_a_line_in_the_documentation() -> None:
    assert set(MENU) <= set(HEADINGS)
    page = (Path(__file__).parents[2] / "docs/report.md").read_text(encoding="utf-8")
    assert [word for word in MENU.values() if f"| {word} |" not in page] == []


def test_words_are_used_and_quote_headings_that_exist() -> None:
    package = files("rocbands.reporting")
    words = tomllib.loads((package / "words.toml").read_text(encoding="utf-8"))
    code = "".join(p.read_text(encoding="utf-8") for p in package.iterdir() if p.name[-3:] == ".py")
    pages = "".join(p.read_text(encoding="utf-8") for p in PAGE.iterdir() if p.name[-3:] == ".j2")
    for part in set(words) - {"headings", "menu"}:
        for key, sentence in words[part].items():
            if isinstance(sentence, dict):  # headings of clusters or classes
                for own in sentence:
                    headed = f"headings.{own} " in pages or f'head("{own}")' in pages
                    assert headed or own in {*HEADINGS, *QUANTITIES, *COMPONENTS}
                continue
            assert f'"{key.replace("_", " ")}"' in code or f'"{key}"' in code, f"{part}.{key}"
            quoted = re.findall(r"\{headings\[(\w+)\]\}", sentence)
            assert set(quoted) <= set(HEADINGS), f"{part}.{key} quotes no heading of the page"
    for key in HEADINGS:
        shown = rf'headings\.{key}\b|head\("{key}"\)'
        assert re.search(shown, pages), f"no page shows {key}"
