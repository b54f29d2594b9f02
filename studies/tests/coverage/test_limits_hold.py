"""Short simulations with negative controls: limits hold, and those of a plain method do not."""

from __future__ import annotations

import numpy as np
import pytest

from rocbands_studies.coverage import (
    average_curves,
    class_designs,
    corners,
    group_gaps,
    largest,
    rate_metrics,
    reader_curves,
    set_designs,
    share_law,
    two_sided,
)
from rocbands_studies.coverage.judge import may_lie_in

pytestmark = pytest.mark.simulation


def test_averages_over_runs_and_folds() -> None:
    """Student's limits of runs; of a cross-validation only with the correction."""
    cells = average_curves.CELLS
    (runs,) = (cell for cell in cells if cell.name == "10 runs of 50 + 50, AUC .76")
    held = average_curves.measure(runs, 100, 1, ("roc", "pr"), 1000)
    assert min(shares[1] for shares in held.values()) >= 0.9
    (nothing,) = (cell for cell in cells if cell.name.endswith("nothing to learn"))
    shares = average_curves.measure(nothing, 120, 2, ("roc",), 1000)["roc"]
    assert shares[1] >= 0.89
    assert shares[4] < 0.9  # as if folds shared no training rows


def test_averages_of_classes_with_clusters() -> None:
    """Rows that are taken as independent miss far more."""
    cell = class_designs.CELLS["50 clusters of one class"]
    macro, hand_till, *_, independent = class_designs.measure(cell, 60, 1)
    assert min(macro, hand_till) >= 0.88
    assert independent < 0.75


def test_bands_at_a_corner_and_without_what_corners_add() -> None:
    """A yes/no feature that 10% of the negatives and 90% of the positives have."""
    cell = corners.draw_cell(corners.pieces((0.1, 0.9)), 35, 35, 2000)
    found, plain = (cell.coverages(values) for values in (cell.values(), cell.plain_values()))
    assert (found >= np.array(corners.SHOWN) - 0.03).all()
    assert (plain <= np.array(corners.SHOWN) - 0.03).all()


def test_gaps_of_groups_with_clusters_in_one_group_each() -> None:
    """Rows that are taken as independent miss far more."""
    cell = group_gaps.CLUSTERS["50 clusters in one each"]
    found = group_gaps.measure_clusters(cell, 60, 0.95, 1, ("design", "independent"))
    assert found["design"][0].min() >= 0.88
    assert found["independent"][0].max() < 0.88


def test_clusters_in_both_groups_make_limits_narrower() -> None:
    cell = group_gaps.ClusterCell(40)
    found = group_gaps.measure_clusters(cell, 60, 0.95, 2, ("design", "apart"))
    assert found["design"][0].min() >= 0.88
    assert (found["design"][1] < 0.85 * found["apart"][1]).all()


def test_largest_auc_of_equal_models() -> None:
    """Ten models of the same AUC; the interval of the largest as if it were the only one fails."""
    found = largest.measure(10, 0.0, (40, 120), sets=120, rates=False)
    assert may_lie_in(round(120 * found["AUC"]), 120, 0.95, 1.0, 0.999)
    assert not may_lie_in(round(120 * found["AUC, alone"]), 120, 0.95, 1.0, 0.999)


@pytest.mark.parametrize("sampling", ["full", "stratified"])
def test_metrics_when_a_share_is_acted_on(sampling: str) -> None:
    found = rate_metrics.measure(rate_metrics.WORLDS[0], sampling, sets=120)
    for name in ("accuracy", "worth", "cost", "range"):
        assert found[name][1] > 0.83, name
    assert found["one rate"][1] < 0.6  # the control


def test_the_average_of_readers_and_unshared_cases() -> None:
    """Ten readers who see nearly the same in a case; drawn apart, they would seem independent."""
    cell = reader_curves.Cell(0.85, 10, 25, 25, shared=0.95)
    found = reader_curves.measure(cell, 60, 5, n_resamples=200)
    assert found[1] >= 0.87  # 0.95 less three standard errors
    assert found[3] < 0.8


def test_two_sets_of_clusters_raise_few_false_alarms() -> None:
    cell = next(cell for cell in set_designs.CELLS if cell.one_label)
    found = set_designs.measure(cell, 25, 1)
    assert found[0, 0] <= 0.15
    assert found[1, 0] >= 0.2  # rows taken as independent


@pytest.mark.parametrize("kind", ["test set", "population"])
def test_costs_where_the_share_of_positives_varies(kind: str) -> None:
    found = share_law.measure(share_law.WORLDS[0], kind, two=False, sets=150)
    assert found["mover"][1] > 0.84
    assert found["gaussian"][1] > 0.84
    assert found["mover, ignored"][1] < 0.8  # the control
    assert found["gaussian, ignored"][1] < 0.8


def test_two_sided_areas_and_plain_percentiles() -> None:
    peaks, chance = two_sided.POPULATIONS[1], two_sided.POPULATIONS[-1]
    held, bias, rejected, plain = two_sided.measure(peaks, (50, 50), 60, 1)
    assert held[1] >= 0.9
    assert rejected[1] >= 0.9
    assert bias > 0.02
    assert plain < 0.8  # the negative control: the empirical area is optimistic
    held, _, rejected, _ = two_sided.measure(chance, (50, 50), 60, 2)
    assert held[1] >= 0.9
    assert rejected[1] <= 0.1
