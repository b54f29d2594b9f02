"""Values of other types: numbers as objects are numbers, and what is no number is refused."""

from __future__ import annotations

import inspect
import warnings
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import rocbands as rb

RNG = np.random.default_rng(7)
N = 24
Y = np.arange(N) % 2
S, T = (RNG.normal(size=N) + Y for _ in range(2))
P = 1.0 / (1.0 + np.exp(-S))
ONE, TWO = rb.Sample(Y, S), rb.Sample(Y, {"a": S, "b": T})
CLASSES = rb.Sample.of_classes(np.array(list("abc"))[np.arange(N) % 3], RNG.normal(size=(N, 3)))

# Functions that answer a question, with data and what they need besides.
ASK: dict[str, tuple[Any, dict[str, Any]]] = {
    "auc_interval": (ONE, {}),
    "average_precision_difference": (TWO, {"n_resamples": 50}),
    "average_precision_interval": (ONE, {}),
    "compare": (TWO, {}),
    "compare_many": (TWO, {}),
    "compare_tpr": (TWO, {"fpr": 0.1}),
    "cost_curve": (ONE, {}),
    "cost_difference": (TWO, {"thresholds": (0.5, 0.5)}),
    "cost_interval": (ONE, {"thresholds": 0.5}),
    "cost_thresholds": (ONE, {}),
    "difference_band": (TWO, {"n_resamples": 50}),
    "fold_auc_interval": (ONE.replace(folds=np.arange(N) // 6), {}),
    "mcnemar": (TWO, {"thresholds": (0.5, 0.5)}),
    "net_benefit": (rb.Sample(Y, P), {}),
    "net_benefit_difference": (rb.Sample(Y, {"a": P, "b": 1 - P}), {}),
    "operating_points": (ONE, {}),
    "partial_auc_interval": (ONE, {"fpr": (0, 0.2)}),
    "pr_band": (ONE, {}),
    "rate_bounds": (ONE, {}),
    "rate_difference": (TWO, {}),
    "roc_band": (ONE, {}),
    "class_bands": (CLASSES, {}),
    "subgroups": (ONE, {"by": np.arange(N) // 12}),
}
ODD = {
    "complex": 1j,
    "complex array": np.array([1 + 1j]),
    "beyond floats": 10**400,
    "list beyond floats": [-(10**400)],
    "text": "x",
    "bytes": b"x",
    "text as objects": np.array(["0.1"], dtype=object),
    "ragged": [[0.1, 0.2], [0.3]],
    "table": np.array([[0.1, 0.2]]),
    "nothing": [],
    "None": [None],
    "NaN": [np.nan],
    "mapping": {"a": 1},
    "date": np.datetime64("2020-01-01"),
    "duration": np.timedelta64(1),
    "masked": np.ma.array([0.1], mask=[True]),
    "series": pd.Series([0.1], index=[7]),
    "frame": pd.DataFrame({"a": [0.1]}),
    "object": object(),
    "function": len,
    "range": range(3),
    "truth": True,
    "decimal": Decimal("0.3"),
    "fraction": Fraction(1, 3),
}


@pytest.mark.parametrize("function", ASK)
def test_odd_values_are_used_or_refused(function: str) -> None:
    data, needed = ASK[function]
    ask = getattr(rb, function)
    for name in inspect.signature(ask).parameters:
        if name.startswith(("y_", "sample", "positive")):
            continue
        for kind, value in ODD.items():
            rest = {
                key: one for key, one in needed.items() if (key, name) != ("fpr", "specificity")
            }
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                warnings.simplefilter("ignore", rb.RocBandsWarning)
                try:
                    ask(data, **{**rest, name: value})
                except rb.InputError:
                    pass
                except Exception as problem:
                    problem.add_note(f"{function}({name}={kind})")
                    raise


def test_costs_may_be_arrays() -> None:
    fn, fp = np.array([1.0, 2.0]), np.array([1.0, 1.0])
    found = rb.cost_interval(ONE, thresholds=[0.5, 0.5], costs=(fn, fp))
    for place, costs in enumerate(((1, 1), (2, 1))):
        one = rb.cost_interval(ONE, thresholds=0.5, costs=costs)
        assert found.cost[place] == pytest.approx(one.cost[0])


AS_OBJECTS = {
    "NumPy numbers": lambda column: np.array(list(column), dtype=object),
    "series": lambda column: pd.Series(list(column), dtype=object),
    "decimals": lambda column: np.array([Decimal(str(one)) for one in column], dtype=object),
    "Python numbers": lambda column: np.array(column.tolist(), dtype=object),
}


@pytest.mark.parametrize("turn", AS_OBJECTS.values(), ids=AS_OBJECTS)
def test_numbers_in_a_column_of_objects_are_numbers(turn: Any) -> None:
    weights = np.arange(1.0, N + 1)
    plain = rb.Sample(Y, S, weights=weights)
    found = rb.Sample(turn(Y), turn(S), weights=turn(weights))
    assert found.positive == 1
    assert np.array_equal(found.weights, weights)
    assert rb.auc_interval(found).to_dict() == rb.auc_interval(plain).to_dict()
    clustered = rb.Sample(turn(Y), turn(S), clusters=turn(np.arange(N) // 2), keep={"g": turn(Y)})
    assert np.array_equal(clustered.clusters, np.arange(N) // 2)
    assert not any(isinstance(label, np.generic) for label in clustered.code_by("g")[0])
    counts = rb.ScoreCounts.from_arrays(turn(Y), turn(S), weights=turn(weights))
    assert counts.positive == "1"


def test_truths_in_a_column_of_objects() -> None:
    found = rb.Sample(np.array(list(Y == 1), dtype=object), S)
    assert found.positive is True
    assert found.roc.auc == ONE.roc.auc
    with pytest.raises(rb.InputError, match="`weights` must be numbers"):
        rb.Sample(Y, S, weights=np.array(["1"] * N, dtype=object))


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
def test_names_that_utf8_cannot_encode_are_escaped(kind: str, tmp_path: Path) -> None:
    odd, shown = "m\udcff", "m\\udcff"  # as Python reads a file name of other bytes
    sample = rb.Sample(Y, {odd: S, "b": T})
    assert sample.models == (shown, "b")
    assert sample[odd] is sample[shown]
    table = sample.each(rb.auc_interval)
    for found in (table, rb.compare(sample), rb.compare_many(sample)):
        assert shown in str(found.to_frame(kind))
        found.plot().figure.canvas.draw()
    labels = np.where(Y == 1, odd, "a")
    assert shown in str(rb.class_bands(labels, np.c_[S, T], classes=[odd, "a"]).to_frame(kind))
    counts = rb.ScoreCounts.from_arrays(labels, {odd: S}, positive=odd)
    counts.save(tmp_path / "counts.parquet")
    assert rb.ScoreCounts.load(tmp_path / "counts.parquet").models == (shown,)


def test_an_array_is_no_label() -> None:
    with pytest.raises(rb.InputError, match="must be one of the labels"):
        rb.Sample([0.0, 1.0, 1.0, 0.0], [1, 2, 3, 4], positive=np.array([[1.0]]))


def test_the_name_of_a_cross_validation_is_text() -> None:
    with pytest.raises(rb.InputError, match="must be text"):
        rb.Sample.from_cv_results({}, [[1.0]], [1], name=[])
