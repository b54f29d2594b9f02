"""Pages are for readers: no files of the repository, no names of methods where words belong."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import numpy as np
import pytest

import rocbands as rb
from rocbands.reporting.words import SECTIONS


def read_page(found: rb.results.Report) -> str:
    """Return what the page shows, without its script and its style."""
    page = re.sub(r"<(script|style)\b.*?</\1>", "", found.to_html(), flags=re.DOTALL)
    return unescape(re.sub(r"<[^>]+>", " ", page))


def ask_models() -> Any:
    rng = np.random.default_rng(1)
    y = np.arange(150) % 3 == 0
    return rb.Sample(y, {"a": rng.normal(size=150) + 1.5 * y, "b": rng.normal(size=150) + y})


@pytest.mark.parametrize("make", [ask_models, lambda: rb.load_example("readers")])
def test_pages_point_to_no_files_of_the_repository(make: Any) -> None:
    found = rb.report(make(), path=None)
    text = read_page(found)
    for word in ("docs/", ".md ", "nobody remembers"):
        assert word not in text
    before, methods, _ = text.partition("Show methods and references")
    assert methods
    assert not re.search(r"\bmover\b", before, re.IGNORECASE)
    for part in found.payload["omitted"]:
        name = SECTIONS[part["section"].partition(": ")[0]]
        assert name[0].isupper()
        assert re.search(
            rf"{re.escape(name)}[^.]*?\s*(\([ab]\))?: {re.escape(part['why'][:20])}", text
        )
        assert f" {part['section']} : " not in text


def test_what_is_missing_has_a_name() -> None:
    sections = [part["section"] for part in rb.report(ask_models(), path=None).payload["omitted"]]
    assert {"points", "net benefit"} <= {section.partition(": ")[0] for section in sections}


def test_one_sided_limits_have_no_other_end() -> None:
    study = rb.compare_readers(rb.load_example("readers"), margin=0.05)
    text = read_page(rb.report(study, path=None))
    gap = study.differences[0]
    assert "1.000" not in text
    assert f"{gap.difference:.3f} (95% interval at least {gap.low:.3f}, p" in text
    assert text.count("at least −0.0") > 3  # in the tables
    low, high = study.means[0].low, study.means[0].high
    assert f"({low:.3f} to {high:.3f})" in text  # a margin is for differences only
