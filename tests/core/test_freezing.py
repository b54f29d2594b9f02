"""A user who writes to arrays that were handed in changes no result."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import rocbands as rb
from rocbands.core.checks import freeze, frozen
from rocbands.core.curve import Curve
from rocbands.core.data import as_data

Y = [1, 0, 1, 0, 1]


def test_scores_own_their_values() -> None:
    values = np.array([5.0, 4.0, 3.0, 2.0, 1.0])
    one, pair = rb.Sample(Y, values), rb.Sample(Y, {"a": values, "b": values})
    values[:] = 0.0
    assert one.values.tolist() == pair["a"].values.tolist() == [5.0, 4.0, 3.0, 2.0, 1.0]
    with pytest.raises(ValueError, match="read-only"):
        one.values[0] = 7.0


def test_scores_that_are_lent_are_not_copied_and_not_written_to() -> None:
    values = np.array([5.0, -4.0, 3.0, 2.0, 1.0])
    lent = as_data(Y, values)
    assert lent.values is values
    assert (lent.n_pos, lent.n_neg, lent.frame) == (3, 2, None)
    rb.roc_band(Y, values)
    rb.compare(Y, values, values[::-1])
    rb.difference_band(Y, values, values[::-1], n_resamples=100, rng=1)
    assert values.tolist() == [5.0, -4.0, 3.0, 2.0, 1.0]
    assert values.flags.writeable


def test_a_column_of_a_frame_is_no_window_into_it() -> None:
    frame = pd.DataFrame({"s": np.array([5.0, 4.0, 3.0, 2.0, 1.0])})
    sample = rb.Sample(Y, frame["s"])
    frame.iloc[0, 0] = 0.0
    assert sample.values[0] == 5.0


def test_curves_own_their_vertices() -> None:
    x, y = np.array([0.0, 0.5, 1.0]), np.array([0.0, 1.0, 1.0])
    curve = Curve(x, y)
    x[1] = y[1] = 0.0
    assert (curve.x[1], curve.y[1]) == (0.5, 1.0)


def test_counts_are_owned() -> None:
    fp, tp, cuts = np.array([0, 2, 5]), np.array([3, 4, 4]), np.array([0.9, 0.5, 0.1])
    rocs = [rb.RocCurve.from_counts(cuts, fp, tp, bins=bins) for bins in (False, True)]
    rocs.append(rb.RocCurve(cuts, fp, tp))
    for array in (fp, tp, cuts):
        array[:] = 1
    assert all(roc.auc == 0.95 for roc in rocs)
    assert all(roc.thresholds.tolist() == [0.9, 0.5, 0.1] for roc in rocs)


def test_rows_of_a_curve_are_let_go() -> None:
    values = np.array([5.0, 4.0, 3.0, 2.0, 1.0])
    roc = rb.roc_curve(Y, values)
    auc, values[:] = roc.auc, 0.0
    assert rb.RocCurve(roc.thresholds, roc.fp, roc.tp).auc == auc


def test_what_is_read_only_already_is_not_copied() -> None:
    array = freeze(np.arange(3.0))
    assert frozen(array) is array
    assert frozen(array[::-1]).base is array
    writable = np.arange(3.0)
    window = writable.view()
    window.flags.writeable = False
    assert frozen(window).base is not writable
