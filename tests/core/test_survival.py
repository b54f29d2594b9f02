"""Weights for survival times, against a plain Kaplan-Meier estimate and scikit-survival."""

from __future__ import annotations

import numpy as np
import pytest

import rocbands as rb

ROW = np.arange(60)
SCORE = (37 * ROW % 60) / 10.0
TIME = 4.0 + (23 * ROW % 61) / 4.0 - SCORE / 2.0
EVENT = (7 * ROW) % 10 < 6
TIMES = (4.5, 7.5, 10.5, 13.5)
# sksurv.metrics.cumulative_dynamic_auc(y, y, SCORE, TIMES)[0], scikit-survival 0.28.0, with
# y = sksurv.util.Surv.from_arrays(EVENT, TIME).
SKSURV = (0.6726419267258472, 0.6635331839525607, 0.6148122181524356, 0.5028282478860557)


def stay_observed(times, events, t):
    """Kaplan and Meier's probability that censoring comes at t or later; events come first."""
    out = 1.0
    for u in sorted(set(times)):
        if u < t:
            at_risk = sum(
                1 for x, e in zip(times, events, strict=True) if x > u or (x == u and not e)
            )
            lost = sum(1 for x, e in zip(times, events, strict=True) if x == u and not e)
            out *= 1.0 - lost / at_risk if at_risk else 1.0
    return out


@pytest.mark.parametrize("times", [TIME, np.ceil(TIME)])
@pytest.mark.parametrize("at", [*TIMES, 8.0])
def test_weights_are_inverse_probabilities_of_staying(times, at):
    y, weights, rows = rb.ipcw(times, EVENT, at=at)
    for i, (t, e) in enumerate(zip(times, EVENT, strict=True)):
        known = t > at or (t == at and not e) or (t <= at and e)
        assert rows[i] == known
        assert y[i] == (t <= at and e)
        expected = 1.0 / stay_observed(times, EVENT, min(t, at)) if known else 0.0
        assert weights[i] == pytest.approx(expected, rel=1e-12)
    # Positives and negatives together stand for all rows, but for those nobody can speak for.
    assert weights.sum() == pytest.approx(60, rel=0.02)


def test_area_is_scikit_survivals():
    assert len(set(TIME)) == 60 - sum(np.unique(TIME, return_counts=True)[1] - 1)
    for at, expected in zip(TIMES, SKSURV, strict=True):
        y, weights, _ = rb.ipcw(TIME, EVENT, at=at)
        assert rb.auc_interval(rb.Sample(y, SCORE, weights=weights)).estimate == pytest.approx(
            expected, abs=1e-12
        )


def test_everyone_followed_to_the_same_day():
    """Rows whose follow-up ends at that very time are known to have had no event."""
    times, events = np.minimum(TIME, 9.0), EVENT & (TIME < 9.0)
    y, weights, rows = rb.ipcw(times, events, at=9.0)
    assert (y[rows] == 0).sum() == (TIME >= 9.0).sum()
    assert (weights[rows] >= 1.0).all()


def test_without_censoring_all_weigh_the_same():
    y, weights, rows = rb.ipcw(TIME, np.ones(60), at=9.0)
    assert rows.all()
    assert (weights == 1.0).all()
    assert (y == (TIME <= 9.0)).all()


@pytest.mark.parametrize(
    ("time", "event", "at", "said"),
    [
        ([1, 2], [1], 1, "one value for each row"),
        ([1, -2], [1, 0], 1, "time\\[1\\] = -2"),
        ([1, np.inf], [1, 0], 1, "time\\[1\\] = inf"),
        ([1, 2], [1, 2], 1, "it has 2"),
        ([1, 2], ["yes", "no"], 1, "must be booleans"),
        (["a", "b"], [1, 0], 1, "must be numbers"),
        ([1, 2], [1, 0], 0.5, "no row with an event until then"),
        ([1, 2], [1, 1], 2.5, "followed until then"),
        ([1, 2], [1, 0], -1, "`at`"),
    ],
)
def test_what_is_refused(time, event, at, said):
    with pytest.raises(rb.InputError, match=said):
        rb.ipcw(time, event, at=at)


def test_weights_are_a_result() -> None:
    found = rb.ipcw([1, 2, 3, 4, 5], [True, False, True, False, True], at=3.5)
    assert found.sentence == (
        "Until 3.5: 2 rows with the event, 2 followed to it without, 1 censored earlier."
    )
    y, weights, rows = found
    assert (y is found.y_true, weights is found.weights, rows is found.rows) == (True, True, True)
    assert found.to_dict()["columns"]["y_true"] == [1, 0, 1, 0, 0]
    many = rb.ipcw(np.arange(1, 41), np.arange(40) % 2, at=20.5)
    text, shown = many.describe()
    assert "10 of 40 rows" in text
    assert len(shown["rows"]) == 10
