"""The bands that only the papers make, each against a plain loop."""

from __future__ import annotations

import numpy as np
import pytest

import rocbands as rb
from rocbands_studies.coverage.judge import count_held, may_lie_in
from rocbands_studies.coverage.worlds import BINORMAL
from rocbands_studies.papers.methods import AucHull, DirectedFixedWidth, TableJointRegion
from tests.oracles.resamples import all_resamples


def sample(n_pos: int, n_neg: int, seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    scores = np.concatenate([rng.normal(1, 1, n_pos), rng.normal(0, 1, n_neg)])
    return np.repeat([1, 0], [n_pos, n_neg]), scores


class TestAucHull:
    def test_it_is_the_hull_of_the_middle_curves(self) -> None:
        """The share of fresh resamples inside, among those with middling AUC, is nearly all."""
        labels, scores = sample(25, 25)
        roc = rb.roc_curve(labels, scores)
        band = AucHull(n_resamples=2000)(roc, level=0.8, rng=1)
        rng, areas, inside = np.random.default_rng(2), [], []
        while len(areas) < 300:
            took = rng.integers(0, 50, 50)
            if len(set(labels[took])) == 2:
                fresh = rb.roc_curve(labels[took], scores[took])
                areas.append(fresh.auc)
                inside.append(band.contains(fresh))
        middle = (np.quantile(areas, 0.15) < areas) & (areas < np.quantile(areas, 0.85))
        assert np.mean(np.array(inside)[middle]) > 0.5
        far = np.abs(areas - np.median(areas)) > 2.5 * np.std(areas)
        assert np.mean(np.array(inside)[middle]) > np.mean(np.array(inside)[far])

    def test_all_resamples_kept_give_their_hull(self) -> None:
        labels, scores = np.array([1, 0, 1, 0]), np.array([4.0, 3, 2, 1])
        roc = rb.roc_curve(labels, scores)
        band = AucHull(n_resamples=4000)(roc, level=0.9999, rng=1)
        # Every resample has probability 1/256 or more, so all of them are in the hull.
        for y, s, _ in all_resamples(labels, scores, stratified=False):
            assert band.contains(rb.roc_curve(y, s))


@pytest.mark.simulation
def test_the_auc_hull_does_not_hold() -> None:
    """Its documentation says so; should it ever begin to hold, that must be rewritten."""

    def band(y: np.ndarray, s: np.ndarray) -> rb.results.Band:
        return rb.roc_band(y, s, method=AucHull(n_resamples=199), level=0.9, rng=1)

    held = count_held(BINORMAL[3.0], band, n_pos=60, n_neg=60, reps=300, seed=1)
    assert may_lie_in(held, 300, 0.0, 0.5, 0.9999)


class TestDirectedFixedWidth:
    @pytest.mark.parametrize("direction", ["rate", "errors", "printed", 0.3])
    def test_any_slope(self, direction: str | float) -> None:
        roc = rb.roc_curve(*sample(20, 80))
        band = DirectedFixedWidth(direction=direction)(roc, level=0.9, rng=1)
        slope = {"rate": 4.0, "errors": 2.0, "printed": 0.5}.get(direction, 0.3)
        assert band.region.slope == pytest.approx(slope)
        if direction == "errors":
            assert band.area == pytest.approx(rb.bands.FixedWidth()(roc, level=0.9, rng=1).area)
        if direction == "rate":  # pushed points have the rate of the points they come from
            x, y = roc.curve.x, roc.curve.y
            moved = 20 * (y + band.region.dy) + 80 * (x - band.region.dx)
            np.testing.assert_allclose(moved, 20 * y + 80 * x)

    def test_several_test_sets_give_the_width(self) -> None:
        labels, scores = sample(400, 600)
        sets = np.random.default_rng(1).permutation(np.repeat(np.arange(20), 50))
        band = rb.roc_band(
            rb.Sample(labels, scores, folds=sets),
            method=DirectedFixedWidth(direction=1.0),
            level=0.9,
        )
        whole, at = rb.roc_curve(labels, scores).curve, np.linspace(0, 2, 40_001)
        far = []
        for k in range(20):
            one = rb.roc_curve(labels[sets == k], scores[sets == k]).curve
            x = [np.interp(at, c.y + c.x, c.x) for c in (one, whole)]
            far.append(np.abs(x[0] - x[1]).max())
        assert band.region.dx == pytest.approx(sorted(far)[17], abs=1e-4)
        inside = [
            band.contains(rb.roc_curve(labels[sets == k], scores[sets == k])) for k in range(20)
        ]
        assert sum(inside) == 18
        with pytest.raises(rb.InputError, match="needs at least 100 test sets; `folds` has 20"):
            rb.roc_band(
                rb.Sample(labels, scores, folds=sets), method=DirectedFixedWidth(), level=0.99
            )

    @pytest.mark.parametrize("direction", ["up", 0.0, -1.0])
    def test_wrong_directions_are_refused(self, direction: str | float) -> None:
        with pytest.raises(rb.InputError, match="`direction` must be"):
            DirectedFixedWidth(direction=direction)


class TestTableJointRegion:
    def test_boxes_as_printed(self) -> None:
        """2005, Table 1 and section 2.1: d from the positives, used as fp +- d."""
        band = TableJointRegion()(rb.roc_curve(*sample(100, 400)), level=0.95)
        assert band.region.dx == pytest.approx(1.36 / 10)
        assert band.region.dy == pytest.approx(1.36 / 20)

    @pytest.mark.parametrize(("sizes", "level"), [((35, 100), 0.95), ((100, 100), 0.94)])
    def test_what_the_table_does_not_have(self, sizes: tuple[int, int], level: float) -> None:
        with pytest.raises(
            rb.InputError, match=r"Table 1 has the levels 0.8, 0.85, 0.9, 0.95, 0.99"
        ):
            TableJointRegion()(rb.roc_curve(*sample(*sizes)), level=level)
