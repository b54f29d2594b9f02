"""Critical values of tied scores: numbers of their specification, symmetries, coverage."""

from __future__ import annotations

import math

import numpy as np
import pytest

import rocbands as rb
from rocbands.likelihood.calibration import choose_calibration
from rocbands.likelihood.levels import build_chain, find_level_values

SHOWN = (0.8, 0.9, 0.95, 0.99)
K = np.arange(100)
A = np.array([10, 8, 6, 4, 2]), np.array([2, 4, 6, 8, 10])
C = np.array([5, 0, 3, 4]), np.array([0, 6, 2, 4])
D = 1 + 7 * K % 11, 1 + (5 * K + 3) % 13
G = np.array([200, 60, 30, 10]), np.array([5, 20, 75, 900])
# From a program that was written from the formulas alone: lift, sum of 1 / thinning, left side of
# (T8) at 3, values at SHOWN, and values for a future set of 40+80 at .90 and .95.
WANTED = {
    "A": (A, 1.0, 2.660578, 0.031870, (1.464953, 2.001590, 2.525209, 3.681823), (2.122035, 2.621730)),
    "B": ((np.array([20, 10]), np.array([8, 22])), 1.0, 0.697517, 0.021909,
          (1.122818, 1.679580, 2.227561, 3.439358), (1.709233, 2.235383)),
    "C": (C, 1.0, 1.737673, 0.029227, (1.422730, 1.924482, 2.386814, 3.314691), (1.924890, 2.368236)),
    "D": (D, 1.000128, 93.035152, 0.534578, (3.830347, 4.555389, 5.251065, 6.819525), (4.485039, 5.073221)),
    "E": ((50 * A[0], 50 * A[1]), 1.0, 6.782455, 0.064448,
          (1.884394, 2.546549, 3.209249, 4.752724), (2.526008, 3.131790)),
    "G": (G, 1.023763, 4.311792, 0.066456, (1.961529, 2.605017, 3.247226, 4.740691), (2.465560, 3.041583)),
}  # fmt: skip


@pytest.mark.parametrize("name", WANTED)
def test_numbers_of_the_specification(name: str) -> None:
    (pos, neg), lift, weights, left, values, later = WANTED[name]
    chain = build_chain(pos, neg)
    found = chain.lift, float((1.0 / chain.thinning).sum()), chain.cross(3.0)
    np.testing.assert_allclose(found, (lift, weights, left), atol=6e-7)
    np.testing.assert_allclose(find_level_values(pos, neg, SHOWN), values, atol=6e-7)
    np.testing.assert_allclose(find_level_values(pos, neg, SHOWN[1:3], (40, 80)), later, atol=6e-7)


def test_steps_of_the_specification() -> None:
    chain = build_chain(*A)
    steps = [0.377511, 0.389834, 0.389834, 0.377511, 0.371908, 0.382070, 0.371908]
    np.testing.assert_allclose(1.0 / chain.thinning, steps, atol=6e-7)
    scaled = [0.0, 0.0, 0.0, 0.0, 1.201388, 1.016844, 1.201388]
    np.testing.assert_allclose(chain.distance * chain.thinning, scaled, atol=6e-7)
    chain = build_chain(*C)
    scaled = [4.400979, 0.731495, 0.037685, 0.089636, 1.581199]
    np.testing.assert_allclose(chain.distance * chain.thinning, scaled, atol=6e-7)


@pytest.mark.parametrize(
    ("times", "wanted"),
    [(1, (1.748338, 2.186505)), (10**6, (2.385679, 3.042281)), (10**9, (2.385681, 3.042284))],
)
def test_large_counts(times: int, wanted: tuple[float, float]) -> None:
    pos = times * np.array([4, 3, 2, 1])
    np.testing.assert_allclose(find_level_values(pos, pos[::-1], (0.9, 0.95)), wanted, atol=6e-7)


@pytest.mark.parametrize("future", [None, (12, 50)])
def test_separated_classes_have_a_floor(future: tuple[int, int] | None) -> None:
    pos, neg = np.array([9, 1]), np.array([0, 30])
    share = 1.0 if future is None else max(12 / 22, 50 / 80)
    floor = [-share * math.log1p(-level) for level in SHOWN]
    assert find_level_values(pos, neg, SHOWN, future) >= floor
    if future is None:
        np.testing.assert_allclose(find_level_values(pos, neg, SHOWN), floor)
        # Three levels that separate the classes, and one class on both sides of the other.
        found = find_level_values(np.array([4, 3, 0]), np.array([0, 0, 5]), SHOWN)
        assert found >= floor
        assert find_level_values(np.array([4, 0, 3]), np.array([0, 5, 0]), [0.9])[0] < floor[1]


def test_the_class_swapped_curve_has_the_same_value() -> None:
    rng = np.random.default_rng(5)
    for _ in range(30):
        pos, neg = rng.integers(0, 9, (2, rng.integers(2, 20))) + np.eye(1, 1, dtype=int)
        one = find_level_values(pos, neg, SHOWN, (10, 80))
        assert find_level_values(neg[::-1], pos[::-1], SHOWN, (80, 10)) == one
        negated = find_level_values(pos[::-1], neg[::-1], SHOWN, (10, 80))
        np.testing.assert_allclose(negated, one, rtol=1e-9)


def test_values_never_fall_as_the_level_rises() -> None:
    rng, levels = np.random.default_rng(6), [0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.99, 0.999, 0.9999]
    for _ in range(100):
        sizes = rng.integers(1, 400, 2)
        count = int(rng.integers(2, 60))
        pos, neg = (rng.multinomial(size, rng.dirichlet(np.ones(count))) for size in sizes)
        found = find_level_values(pos, neg, levels)
        assert (np.diff(found) >= 0.0).all()
        assert found[-1] <= (sizes.sum() + 6) / 3


def test_bands_of_tied_scores_draw_nothing() -> None:
    rng = np.random.default_rng(2)
    y = rng.random(300) < 0.4
    s = np.round(rng.normal(size=300) + y, 1)
    band = rb.roc_band(y, s)
    assert band.simulation is None
    assert "levels of scores" in " ".join(band.notes)
    again = rb.roc_band(y, s, rng=None)
    assert (band.lower_at(0.3), band.upper_at(0.3)) == (again.lower_at(0.3), again.upper_at(0.3))


@pytest.mark.parametrize(("levels", "wanted"), [(1, "curve"), (2, "levels"), (900, "levels")])
def test_automatic_calibration_counts_levels(levels: int, wanted: str) -> None:
    counts = 2 * np.arange(levels + 1)
    assert choose_calibration(counts, counts) == wanted


def test_bins_that_may_be_levels_take_the_larger_value() -> None:
    """Exact counts lie within bins of the same rows: each level is a bin of its own."""
    rng = np.random.default_rng(3)
    for _ in range(20):
        n = int(rng.integers(20, 400))
        y = np.arange(n) < max(2, n // 3)
        s = np.round(1.0 / (1.0 + np.exp(-rng.normal(size=n) - y)), 2)
        exact, binned = rb.roc_band(y, s), rb.roc_band(rb.ScoreCounts.from_arrays(y, s))
        at = np.linspace(0.0, 1.0, 301)
        assert (np.array(binned.lower_at(at)) <= np.array(exact.lower_at(at)) + 1e-6).all()
        assert (np.array(binned.upper_at(at)) >= np.array(exact.upper_at(at)) - 1e-6).all()
        by_levels = "levels of scores" in exact.notes[0]
        assert any("as long as no bin joins" in note for note in binned.notes) == by_levels
        assert not any("as long as no bin joins" in note for note in exact.notes)


def test_the_old_name_is_answered_with_the_new_one() -> None:
    with pytest.raises(rb.InputError, match="Did you mean 'levels'"):
        rb.bands.Likelihood(calibration="bootstrap")  # type: ignore[arg-type]
