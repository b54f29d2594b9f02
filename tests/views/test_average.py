"""Averages of curves over folds or runs."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import t as student

import rocbands as rb
from rocbands.views.coordinates import COORDINATES
from tests.oracles.average_curves import ordinate

VIEWS = tuple(COORDINATES)
WITH_SHARE = ("pr", "gains", "lift", "net-benefit")
# Scores of four runs, and ROCR's averages of "tpr" at "rpp" and of "ecost" (R 4.2, ROCR 1.0-11,
# approxfun at these abscissae as plot(avg = "vertical") has it). Its averages of the others join
# the points of a run after ties of the abscissa were averaged, and differ.
Y = (
    "01011010001110000000110110000001101010101001000011001000101100111111001100000000000010001000"
    "0011010101100000101000111100100100"
)
S = """
-1.53 0.722 -0.979 0.391 2.261 -0.808 1.167 0.884 -0.584 -0.112 1.31 1.264 -0.025 0.076
1.359 -1.547 0.859 0.119 -0.641 2 1.962 0.001 0.075 1.777 1.011 0.683 -0.067 0.667 1.439
-0.676 0.668 0.86 2.252 -0.005 1.783 -1.291 1.547 -1.688 -0.835 -0.304 0.3 0.164 2.245 0.368
-0.624 0.205 0.493 -0.176 0.994 1.902 0.52 -1.034 1.121 0.035 -1.054 0.26 0.342 0.972 1.393
1.289 -0.591 1.457 0.825 0.9 -0.179 0.393 2.854 0.529 -1.054 0.337 2.607 -0.254 -0.209
-0.632 -1.761 0.735 -0.023 0.071 -0.752 0.455 -0.539 -0.143 -1.108 -1.216 2.536 -0.507 0.292
-0.034 0.759 -0.508 0.63 -0.302 -0.151 -0.861 -0.313 1.033 -0.972 -0.443 0.506 1.139 0.407
0.211 0.542 -0.999 -0.887 0.195 -0.783 0.356 1.54 2.025 -0.193 0.888 -0.089 -0.014 -0.25
0.74 1.943 1.118 0.081 -0.291 2.355 -0.021 -2.2 0.508 -1.969 -3.251
"""
SIZES = [30, 31, 32, 33]
AT = [0.013, 0.111, 0.237, 0.501, 0.731]
ROCR = {
    "gains": [0.0346743506493506, 0.2224504245754246, 0.4726096403596404, 0.7635906593406594,
              0.9651085164835165],
    "cost": [0.0112474025974026, 0.0934404290154290, 0.1586596755583598, 0.2151257561152299,
             0.1437490134134871],
}  # fmt: skip


def make_runs() -> rb.Sample:
    folds = np.repeat(np.arange(4), SIZES)
    return rb.Sample([int(one) for one in Y], [float(one) for one in S.split()], folds=folds)


def make_example(folds: int = 5) -> rb.Sample:
    sample = rb.load_example()["logistic"]
    return sample.replace(folds=np.arange(sample.n) % folds)


@pytest.mark.parametrize("view", ROCR)
def test_means_are_those_of_rocr(view: str) -> None:
    found = rb.average_curve(make_runs(), view=view, at=AT)
    np.testing.assert_allclose(found.mean, ROCR[view], rtol=1e-12)


@pytest.mark.parametrize("rounded", [False, True])
@pytest.mark.parametrize("view", VIEWS)
def test_folds_are_those_of_a_separate_program(view: str, rounded: bool) -> None:
    """Threshold by threshold; at and between points, with ties and without."""
    sample = make_runs()
    score = np.round(sample.values) if rounded else sample.values
    sample, at = rb.Sample(sample.is_positive, score, folds=sample.folds), [*AT, 0.25, 0.5]
    found = rb.average_curve(sample, view=view, at=at)
    folds = np.repeat(np.arange(4), SIZES)
    for k, curve in enumerate(found.fold_curves):
        y, s = sample.is_positive[folds == k].astype(int).tolist(), score[folds == k].tolist()
        np.testing.assert_allclose(curve, [ordinate(view, y, s, x) for x in at], atol=1e-9)
    np.testing.assert_allclose(found.mean, np.mean(found.fold_curves, axis=0))


@pytest.mark.parametrize(("independent", "factor"), [(True, 1 / 5), (False, 1 / 5 + 1 / 4)])
def test_limits_follow_students_formula(independent: bool, factor: float) -> None:
    found = rb.average_curve(make_example(), at=[0.1, 0.2], level=0.9, independent=independent)
    spread = np.std(found.fold_curves, axis=0, ddof=1)
    half = student.isf(0.05, 4) * np.sqrt(factor * spread**2 + 1 / 212**2)
    np.testing.assert_allclose(found.upper - found.mean, half)
    np.testing.assert_allclose(found.mean - found.lower, half)


def test_repetitions_are_not_counted_as_new_rows() -> None:
    sample = make_example()
    twice = rb.Sample(
        np.tile(sample.is_positive, 2),
        np.tile(sample.values, 2),
        folds=np.concatenate((np.arange(sample.n) % 5, 5 + np.arange(sample.n) % 5)),
        repeats=2,
    )
    once, found = (rb.average_curve(one, at=0.2) for one in (sample, twice))
    np.testing.assert_allclose(once.mean, found.mean)
    spread = float(np.std(found.fold_curves, ddof=1))
    error = math.hypot(spread * math.sqrt(1 / 10 + 1 / 4), 1 / 212)
    np.testing.assert_allclose(found.upper - found.mean, student.isf(0.025, 9) * error)
    with pytest.raises(rb.InputError, match="same rows and are not independent"):
        rb.average_curve(twice, independent=True)


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("perfect", [True, False])
def test_limits_stay_in_range_and_never_vanish(view: str, perfect: bool) -> None:
    y = np.tile([0, 0, 0, 1, 1], 4)
    s = y if perfect else np.zeros(20)
    found = rb.average_curve(rb.Sample(y, s, folds=np.repeat(np.arange(4), 5)), view=view)
    assert np.isfinite([found.mean, found.lower, found.upper]).all()
    largest = 2.5 if view == "lift" else 1.0
    assert found.lower.min() >= 0.0
    assert found.upper.max() <= largest + 1e-12
    assert (found.upper > found.lower)[10:70].all()  # though all folds agree
    assert any("as wide as one case" in note for note in found.notes)


def test_the_average_of_roc_curves_has_the_mean_of_the_areas() -> None:
    sample = make_example()
    at = (np.arange(20_000) + 0.5) / 20_000
    found, auc = rb.average_curve(sample, at=at), rb.fold_auc_interval(sample)
    np.testing.assert_allclose(found.mean.mean(), auc.estimate, atol=1e-4)


def test_a_given_prevalence_replaces_that_of_the_folds() -> None:
    sample = make_example()
    own, given = (rb.average_curve(sample, view="pr", prevalence=p) for p in (None, 0.01))
    assert (given.mean[20:] < own.mean[20:]).all()
    assert "own share of positives" in str(own)
    assert "own share of positives" not in str(given)
    with pytest.raises(rb.InputError, match="does not depend on the prevalence"):
        rb.average_curve(sample, view="cost", prevalence=0.1)


def test_what_it_says() -> None:
    found = rb.average_curve(make_example(), view="pr")
    assert found.sentence.startswith("On average over 5 folds, if it is to find 80 of 100")
    assert "pointwise" in str(found)
    assert "expected precision-recall curve of models" in found.target
    cost = rb.average_curve(make_example(), view="cost")
    assert "each fold at its best threshold" in cost.sentence
    assert any(note.startswith("Optimistic") for note in cost.notes)
    assert found.describe()[1]["recall"].tolist() == [k / 10 for k in range(1, 11)]
    assert len(found.to_dict()["fold_curves"]) == found.n_folds == 5


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"view": "prr"}, "Did you mean 'pr'"),
        ({"view": "pr", "at": 0.0}, "no precision at recall 0"),
        ({"view": "net-benefit", "at": 1.0}, "must lie below 1"),
        ({"at": [[0.1]]}, "one dimension"),
        ({"at": []}, "at least one"),
        ({"independent": "no"}, "True or False"),
    ],
)
def test_refusals(how: dict, said: str) -> None:
    with pytest.raises(rb.InputError, match=said):
        rb.average_curve(make_example(), **how)


def test_two_folds_are_too_few() -> None:
    with pytest.raises(rb.InputError, match="at least 3 folds; there are 2"):
        rb.average_curve(make_example(2))
    with pytest.raises(rb.InputError, match=r"fold of each row.*there are none"):
        rb.average_curve(rb.load_example()["logistic"])


@pytest.mark.parametrize("view", VIEWS)
def test_the_picture_has_every_fold(view: str) -> None:
    axes = rb.average_curve(make_example(), view=view).plot(label="logistic")
    drawn = [line for line in axes.lines if line.get_linewidth() == 0.6]
    assert len(drawn) == 5
    texts = [text.get_text() for text in axes.get_legend().get_texts()]
    assert texts == ["logistic, mean of 5 folds", "95% limits of the mean, for each point alone"]
