"""Linearised errors of designs beside a bootstrap of whole clusters."""

from __future__ import annotations

import numpy as np
import pytest

from rocbands_studies.coverage.design_worlds import PART, THRESHOLD
from rocbands_studies.coverage.designs import BOOTSTRAP, draw_weights, estimate
from tests.oracles.design_areas import part_area, whole_area
from tests.oracles.design_recipe import few
from tests.oracles.designs import Rows, precision


@pytest.mark.simulation
@pytest.mark.parametrize("place", range(len(BOOTSTRAP)))
def test_linearised_errors_are_near_those_of_a_bootstrap_of_clusters(place):
    """Errors of the oracle beside Rao and Wu's bootstrap of whole clusters within strata."""
    rng = np.random.default_rng(place)
    columns = BOOTSTRAP[place].draw(rng)
    one, two = columns.scores
    rows = Rows(columns.y, columns.weights, columns.groups, columns.strata)
    parts = {
        "AUC": whole_area(rows, one)[1],
        "AUC diff": [a - b for a, b in zip(whole_area(rows, one)[1], whole_area(rows, two)[1], strict=True)],
        "pAUC": [z * PART[1] for z in part_area(rows, one, PART)[1]],
        "AP": precision(rows, one)[2],
        "AP diff": [a - b for a, b in zip(precision(rows, one)[2], precision(rows, two)[2], strict=True)],
    }  # fmt: skip
    errors = {name: rows.variance(own) ** 0.5 for name, own in parts.items()}
    called = one >= THRESHOLD
    odds = THRESHOLD / (1 - THRESHOLD)
    for name, share, values in (
        ("NB", rows.all, called * (rows.y - odds * ~rows.y)),
        ("PPV", rows.w * called / (rows.w * called).sum(), rows.y * 1.0),
    ):
        z = rows.add(share * (values - share @ values))
        errors[name] = (few(rows.kish(share)[0]) * rows.product(z, z)) ** 0.5
    drawn = [estimate(columns, draw_weights(columns, rng)) for _ in range(300)]
    for name, error in errors.items():
        spread = np.std([found[name] for found in drawn], ddof=1)
        # The error of 300 draws' standard deviation is 4%, and the bootstrap has a bias of its own.
        assert 0.85 < error / spread < 1.2, name
