"""Sums of the rows that only one of two models calls, against the engine for one mean."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rocbands.design.effective_number import find_effective
from rocbands.design.paired_sums import (
    ALL,
    NEGATIVES,
    ONLY_NEG,
    ONLY_POS,
    POSITIVES,
    RIGHT,
    RIGHT_NEG,
    RIGHT_POS,
    PairedSums,
)
from rocbands.design.row_design import RowDesign

# Pairs of thresholds in no order, also beyond all scores.
CUTS = (np.array([0.5, 0, 1, 0.3, 9, -9, 0.7]), np.array([0.5, 0.2, 0.1, 1, -9, -9, 1.5]))


def rank(values: Any) -> Any:
    return np.unique(values, return_inverse=True)[1].astype(float)


@pytest.mark.parametrize("given", ["", "w", "g", "wg", "wh", "wgh"])
@pytest.mark.parametrize("n", [40, 90, 300])
def test_sums_of_rows_that_one_model_calls(given: str, n: int) -> None:
    rng = np.random.default_rng(n)
    y = rng.random(n) < 0.4
    common = rng.normal(size=n) + y
    one, two = (np.round(common + 0.5 * rng.normal(size=n), 1) for _ in range(2))
    w, g = np.exp(0.8 * rng.normal(size=n)), rng.integers(0, n // 4, n)
    weights = w if "w" in given else None
    clusters = g if "g" in given else None
    strata = (g if "g" in given else np.arange(n)) % 3 if "h" in given else None
    design = RowDesign.of_rows(y, weights, clusters, strata)
    sums = PairedSums.add_up(design, (one, two), CUTS)
    ahead = rank(one) - rank(two)
    for k, cuts in enumerate(zip(*CUTS, strict=True)):
        c1, c2 = one >= cuts[0], two >= cuts[1]
        gap = np.where(y, 1.0, -1.0) * (c1.astype(float) - c2)
        means = [
            (sums.find_share(RIGHT_POS, POSITIVES), gap * y, design.pos, np.abs(ahead)),
            (sums.find_share(RIGHT_NEG, NEGATIVES), gap * ~y, design.neg, np.abs(ahead)),
            (sums.find_share(RIGHT, ALL), gap, design.all, np.abs(ahead)),
        ]
        for own, only, of, share in (
            (y, ONLY_POS, POSITIVES, design.pos),
            (~y, ONLY_NEG, NEGATIVES, design.neg),
        ):
            for i, (sign, event) in enumerate(((1, c1 & ~c2 & own), (-1, c2 & ~c1 & own))):
                key = sign * ahead
                means.append((sums.find_share(only[i], of), event * 1.0, share, key))
                key = key - 9.0 * n * ~own
                means.append((sums.find_share(only[i], ALL), event * 1.0, design.all, key))
        for found, x, share, key in means:
            number, z = find_effective(design, share, x, key=key)
            assert found.value[k] == pytest.approx(share @ x, abs=1e-14)
            assert found.size[k] == pytest.approx(share @ np.abs(x), abs=1e-14)
            variance = sums.multiply(found.z, found.z)[k]
            assert variance == pytest.approx(design.multiply(z, z), abs=1e-14)
            assert found.number[k] == pytest.approx(number, rel=1e-9)
            other = sums.find_share(ONLY_POS[0], ALL)
            z_other = find_effective(design, design.all, (c1 & ~c2 & y) * 1.0)[1]
            product = sums.multiply(found.z, other.z)[k]
            assert product == pytest.approx(design.multiply(z, z_other), abs=1e-14)
