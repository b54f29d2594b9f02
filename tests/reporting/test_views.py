"""Bands of a report in precision-recall and gains coordinates equal the library's views."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rocbands as rb
from rocbands.reporting.curves import GRID
from tests.reporting.conftest import payload_of

EXAMPLE = rb.load_example()


@pytest.mark.parametrize("method", ["likelihood", "fixed-width", "joint-region"])
def test_limits_allow_for_the_estimated_share_as_the_library_does(
    example: dict[str, Any], method: str
) -> None:
    for model in example["models"]:
        bands = [b for b in model["bands"] if b["method"] == method and b["target"] == "true"]
        assert len(bands) == len(example["levels"])
        for band in bands:
            own = rb.roc_band(EXAMPLE[model["name"]], method=method, level=band["level"], rng=1)
            assert (band["views"]["net-benefit"] is None) == (band["level"] != example["level"])
            for name, found in band["views"].items():
                if found is None:
                    continue
                view, at = own.view(name, rng=1), GRID[: len(found["lower"])]
                assert np.abs(found["lower"] - view.lower_at(at)).max() < 2e-6
                assert np.abs(found["upper"] - view.upper_at(at)).max() < 2e-6
                if name == "net-benefit":
                    (better,) = view.better
                    assert found["better"] == pytest.approx([better.low, better.high], rel=1e-5)


def test_views_are_left_to_the_page_where_the_share_is_known() -> None:
    scores = {"a": EXAMPLE["logistic"].values}
    known = payload_of(EXAMPLE.is_positive, scores, prevalence=0.1)["models"][0]["bands"]
    assert all(band["views"] is None for band in known)
    estimated = payload_of(EXAMPLE.is_positive, scores)["models"][0]["bands"]
    future = {band["views"] is None for band in estimated if band["target"] == "future"}
    assert future == {True}
    # Negative control: a known share gives narrower limits, so the two rules differ.
    band = rb.roc_band(EXAMPLE["logistic"])
    known_share = band.view("pr", prevalence=EXAMPLE.n_pos / EXAMPLE.n)
    shown = next(b for b in estimated if b["method"] == "likelihood" and b["level"] == 0.95)
    assert shown["views"]["pr"]["lower"][80] < known_share.lower_at(0.8) - 0.003
