"""Two or more learners on the same folds: against a separate program, and what must hold."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rocbands as rb
from rocbands.comparison.areas import measure_pair
from rocbands.core.pair import Pair
from tests.oracles import fold_difference as oracle

METHODS = ("score-delong", "nadeau-bengio")
close = pytest.approx


def draw(
    n: int, k: int, *, seed: int = 0, step: float = 0.0, far: float = 1.2
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Labels, two models' scores and folds; each fold has scores of its own scale."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) % 3 == 0)
    common = rng.normal(size=n) + far * y
    one, two = common + rng.normal(size=n), 0.4 * common + rng.normal(size=n)
    if step:
        one, two = np.round(one / step), np.round(two / step)
    folds = np.empty(n, dtype=int)
    folds[np.argsort(y, kind="stable")] = np.arange(n) % k
    return y, one, two, folds


def sample(rows: tuple, **design: Any) -> rb.Sample:
    y, one, two, folds = rows
    return rb.Sample(y, {"a": one, "b": two}, folds=folds, **design)


ROWS = draw(120, 5, seed=3)
GROUPS = np.arange(120) // 3
BY_GROUPS = (*ROWS[:3], GROUPS % 5)
WEIGHTS = 1.0 + (7 * np.arange(120)) % 5


@pytest.mark.parametrize("step", [0.0, 1.0])
@pytest.mark.parametrize("size", [(60, 5), (90, 10), (240, 3)])
@pytest.mark.parametrize("level", [0.9, 0.95])
def test_a_separate_program_has_the_same_limits(
    size: tuple[int, int], step: float, level: float
) -> None:
    rows = draw(*size, seed=sum(size), step=step)
    found = rb.compare(sample(rows), level=level)
    seen = (found.difference, found.standard_error, found.df, found.low, found.high, found.pvalue)
    assert seen == close(oracle.compare_folds(*rows, level), abs=1e-9)
    found = rb.compare(sample(rows), level=level, method="nadeau-bengio")
    seen = (found.difference, found.standard_error, found.low, found.high, found.pvalue)
    assert seen == close(oracle.corrected_t(*rows, level), abs=1e-9)


@pytest.mark.parametrize("design", ["weights", "clusters", "both"])
def test_a_separate_program_has_the_same_limits_of_weighted_and_dependent_rows(design: str) -> None:
    given: dict[str, Any] = {}
    rows = ROWS if design == "weights" else BY_GROUPS
    if design != "clusters":
        given["weights"] = WEIGHTS
    if design != "weights":
        given["clusters"] = GROUPS
    found = rb.compare(sample(rows, **given))
    seen = (found.difference, found.standard_error, found.df, found.low, found.high, found.pvalue)
    assert seen == close(oracle.compare_folds(*rows, 0.95, **given), abs=1e-9)


@pytest.mark.parametrize("named", [False, True])
def test_a_separate_program_has_the_same_limits_of_repetitions(named: bool) -> None:
    y, one, two, folds = ROWS
    again = np.roll(folds, 3)
    again[y] = folds[y]  # still stratified
    rows = (
        np.tile(y, 2),
        np.append(one, two + one),
        np.append(two, one),
        np.append(folds, again + 5),
    )
    clusters = np.tile(np.arange(120), 2) if named else None
    given: dict[str, Any] = {"repeats": 2, "clusters": clusters}
    found = rb.compare(sample(rows, **given))
    seen = (found.difference, found.standard_error, found.df, found.low, found.high, found.pvalue)
    assert seen == close(oracle.compare_folds(*rows, 0.95, **given), abs=1e-9)
    found = rb.compare(sample(rows, repeats=2), method="nadeau-bengio")
    seen = (found.difference, found.standard_error, found.low, found.high, found.pvalue)
    assert seen == close(oracle.corrected_t(*rows, 0.95, repeats=2), abs=1e-9)


def test_an_exact_copy_of_a_cross_validation_adds_nothing() -> None:
    rows = [np.tile(column, 2) for column in ROWS[:3]]
    twice = sample((*rows, np.append(ROWS[3], ROWS[3] + 5)), repeats=2)
    one, two = (rb.compare(data) for data in (sample(ROWS), twice))
    assert (two.standard_error, two.low, two.high, two.pvalue) == close(
        (one.standard_error, one.low, one.high, one.pvalue), abs=1e-12
    )
    named = rb.compare(twice.replace(clusters=np.tile(np.arange(120), 2)))
    assert named.standard_error == close(one.standard_error, rel=0.02)


@pytest.mark.parametrize("method", METHODS)
def test_exchanged_learners_change_signs_only(method: str) -> None:
    data = sample(ROWS)
    one, two = (rb.compare(data[[*names]], method=method) for names in ("ab", "ba"))
    assert (two.difference, two.low, two.high) == close((-one.difference, -one.high, -one.low))
    assert (two.statistic, two.pvalue) == close((-one.statistic, one.pvalue))


@pytest.mark.parametrize("method", METHODS)
def test_order_of_rows_names_and_scales_of_folds_change_nothing(method: str) -> None:
    y, one, two, folds = ROWS
    names = np.array(["e", "b", "a", "d", "c"])
    by = np.random.default_rng(1).permutation(y.size)
    moved = np.exp(one / 3) * (1 + folds) + 50 * folds, two**3 - 9 * folds
    other = sample((y[by], moved[0][by], moved[1][by], names[folds][by]))
    first, second = (rb.compare(data, method=method) for data in (sample(ROWS), other))
    assert (second.low, second.high, second.pvalue) == close(
        (first.low, first.high, first.pvalue), abs=1e-12
    )


@pytest.mark.parametrize("method", METHODS)
def test_equal_scores_have_difference_0(method: str) -> None:
    y, one, _, folds = ROWS
    data = sample((y, one, 2.0 * one + 7.0 * folds, folds))  # another scale in each fold
    found = rb.compare(data, method=method)
    assert (found.difference, found.low, found.high, found.pvalue) == (0.0, 0.0, 0.0, 1.0)
    assert "rank all rows equally" in found.notes[0]
    # That does not show that learners differ by less than a margin.
    assert rb.compare(data, method=method, margin=0.001).low < 0.0


def test_folds_that_all_have_one_difference_do_not_make_it_certain() -> None:
    y = np.tile([1, 1, 0, 0], 5)
    perfect, constant = np.tile([4, 3, 2, 1], 5), np.ones(20)
    data = sample((y, perfect, constant, np.arange(20) // 4))
    for method in METHODS:
        found = rb.compare(data, method=method)
        assert found.low < found.difference == 0.5
        assert found.pvalue > 0.0
        assert any("favours the other model" in note for note in found.notes)
    found = rb.compare(data, method="nadeau-bengio")
    # Six folds, one of which has a difference of -1: standard deviation 1.5 / sqrt(6).
    assert found.standard_error == close(1.5 / 6**0.5 * (1 / 5 + 1 / 4) ** 0.5)


def test_each_model_has_the_variance_of_its_own_interval() -> None:
    for design in ({}, {"weights": WEIGHTS}):
        data = sample(ROWS, **design)
        known = measure_pair(Pair.from_sample(data)).covariance.known
        for name, own in zip("ab", known, strict=True):
            alone = rb.fold_auc_interval(data[name])
            unit = own.unit * alone.estimate * (1.0 - alone.estimate)
            assert unit == close((alone.standard_error or 0.0) ** 2, rel=1e-12)


def test_two_models_of_compare_many_have_the_numbers_of_compare() -> None:
    for design in ({}, {"weights": WEIGHTS}):
        data = sample(ROWS, **design)
        one, many = rb.compare(data), rb.compare_many(data)
        assert (many.lower[0], many.upper[0], many.pvalue) == (one.low, one.high, one.pvalue)
        assert many.quantity == one.quantity == "mean AUC (5 folds)"
        assert many.notes == one.notes


def test_many_learners() -> None:
    y, one, two, folds = ROWS
    models = {"a": one, "b": two, "c": one + two, "chance": np.arange(120) * 37 % 120}
    data = rb.Sample(y, models, folds=folds)
    found = rb.compare_many(data, n_resamples=4000)
    for (i, j), gap, error, low, high, alone in zip(
        found.pairs,
        found.differences,
        found.standard_errors,
        found.lower,
        found.upper,
        found.raw_pvalues,
        strict=True,
    ):
        pair = rb.compare(data[[found.names[i], found.names[j]]])
        assert (gap, error) == close((pair.difference, pair.standard_error), abs=1e-12)
        assert low <= pair.low + 1e-3
        assert high >= pair.high - 1e-3
        assert alone >= pair.pvalue - 1e-12
    assert "mean AUC (5 folds)" in found.sentence
    # Another order of rows and models, other names of folds and scales within them.
    by = np.random.default_rng(2).permutation(120)
    names = [*models][::-1]
    moved = rb.Sample(
        y[by],
        {name: (models[name] + 100 * folds)[by] for name in names},
        folds=np.array([4, 2, 0, 1, 3])[folds][by],
    )
    other = rb.compare_many(moved, n_resamples=4000)
    assert other.pvalue == close(found.pvalue, abs=1e-12)
    back = {
        frozenset((names[i], names[j])): p
        for (i, j), p in zip(other.pairs, other.pvalues, strict=True)
    }
    for (i, j), p in zip(found.pairs, found.pvalues, strict=True):
        assert back[frozenset((found.names[i], found.names[j]))] == close(p, abs=1e-12)


def test_folds_make_limits_wider_than_one_test_set() -> None:
    data = sample(ROWS)
    found, pooled = rb.compare(data), rb.compare(data.replace(folds=None))
    assert found.standard_error > 1.3 * pooled.standard_error
    assert any("multiplied by 2.25" in note for note in found.notes)
    assert any("not that of models fitted again to all rows" in note for note in found.notes)


def test_sentence_table_and_picture_say_what_is_compared() -> None:
    found = rb.compare(sample(draw(300, 5, far=2.5)))
    assert found.sentence.startswith("The mean AUC (5 folds) of a is higher than that of b: ")
    assert found.interval.target == "mean AUC (5 folds) of a minus mean AUC (5 folds) of b"
    assert "equal mean AUC (5 folds)" in str(found)
    assert found.plot() is not None
    twice = sample((*[np.tile(c, 2) for c in ROWS[:3]], np.append(ROWS[3], ROWS[3] + 5)), repeats=2)
    assert rb.compare(twice).quantity == "mean AUC (2 times 5 folds)"


def test_what_folds_cannot_be_used_for_is_refused_in_words() -> None:
    y, one, two, _ = ROWS
    with pytest.raises(rb.InputError, match="`folds` must say the fold of each row"):
        rb.compare(y, one, two, method="nadeau-bengio")
    with pytest.raises(rb.InputError, match="use method='score-delong' or"):
        rb.compare(sample(ROWS), method="bootstrap")
    with pytest.raises(rb.InputError, match="into repetitions of two or more"):
        rb.compare(sample((*ROWS[:3], np.arange(120) // 60), repeats=2))
    with pytest.raises(rb.InputError, match="both classes"):
        rb.compare(sample((*ROWS[:3], np.where(y, 1, np.arange(120) % 2))))
    with pytest.raises(rb.InputError, match="all rows of a cluster in one fold"):
        rb.compare(sample(ROWS, clusters=GROUPS))


def test_a_model_below_one_half_is_asked_about_by_its_folds() -> None:
    y, one, two, folds = draw(200, 5, far=2.5)
    # In each fold positives rank below negatives; pooled they do not, for folds with more of them
    # have larger scores.
    later = np.where(y, np.arange(200) % 10 > 0, np.arange(200) % 10 < 1).astype(int)
    data = rb.Sample(y, {"a": 90.0 * later - one, "b": two}, folds=later)
    assert data["a"].roc.auc > 0.5 > np.mean([fold.auc for fold in data["a"].roc.folds])
    assert "larger scores" in rb.compare(data).question
    assert "larger scores" in rb.compare_many(data).question
    assert not rb.compare(sample((y, one, two, folds))).question
