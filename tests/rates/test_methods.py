"""What every rate method promises, whoever wrote it: the same tests for all of them."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rocbands as rb
from rocbands import rates
from rocbands.rates import METHODS, SHARED_FILES, Limits, RateMethod
from tests.strategies import labelled_scores

ALL = pytest.mark.parametrize("name", METHODS)


def make(name: str) -> RateMethod:
    """A method that draws few resamples, if it draws any."""
    few = {"n_resamples": 200} if "n_resamples" in METHODS[name].__dataclass_fields__ else {}
    return METHODS[name](**few)


def sample_for(name: str, y: np.ndarray, s: np.ndarray) -> rb.Sample:
    """Rows in two folds, one after the other, for methods that need folds."""
    folds = np.arange(2).repeat(y.size // 2) if METHODS[name].least_folds > 1 else None
    return rb.Sample(y, s, folds=folds)


@ALL
def test_has_facts_and_a_file(name: str) -> None:
    kind = METHODS[name]
    assert kind.name == name
    assert kind.question == "rates"
    assert kind.coverage == "pointwise"
    assert kind.guarantee
    assert kind.idea
    assert all("(" in source for source in kind.references)
    assert all(part.default is not None for part in fields(kind))
    own_file = Path(rates.__file__).with_name(f"{name.replace('-', '_')}.py")
    assert own_file.exists() != (name in SHARED_FILES)


@ALL
@settings(max_examples=10, deadline=None)
@given(data=labelled_scores(max_size=12), level=st.sampled_from([0.5, 0.9]), new=st.booleans())
def test_limits_are_ordered_and_in_range(name: str, data: tuple, level: float, new: bool) -> None:
    y, s = (np.tile(column, 2) for column in data)
    new = new and "future" in METHODS[name].handles
    future = (int(y.sum()), int(y.size - y.sum())) if new else None
    found = rb.rate_bounds(
        sample_for(name, y, s), method=make(name), level=level, future=future, rng=1
    )
    # What the rate allows depends on the share of positives; without it, anything from 0 to 1.
    low, high = found.feasible if METHODS[name].sampling == "stratified" else (0.0, 1.0)
    assert (low - 1e-12 <= found.tpr_lower).all()
    assert (found.tpr_lower <= found.tpr_upper).all()
    assert (found.tpr_upper <= high + 1e-12).all()
    assert found.sampling == METHODS[name].sampling
    assert (found.fpr_lower <= found.fpr_upper + 1e-12).all()
    assert found.method == name
    assert found.future == future
    assert found.to_dict()["parameters"] == make(name).parameters


@ALL
def test_same_rng_same_numbers(name: str) -> None:
    sample = rb.load_example()["logistic"]
    if METHODS[name].least_folds > 1:
        sample = sample.replace(folds=np.arange(sample.n) % 5)
    asked = {"method": make(name), "rate": [0.05, 0.3], "rng": 3}
    one, two = (rb.rate_bounds(sample, **asked) for _ in range(2))
    assert one.tpr_lower.tolist() == two.tpr_lower.tolist()
    assert one.tpr_upper.tolist() == two.tpr_upper.tolist()


@ALL
def test_what_it_does_not_handle_is_refused(name: str) -> None:
    roc = rb.RocCurve.from_counts([3, 2, 1], fp=[1, 2, 5], tp=[3, 3, 4], bins=True)
    if "bins" in METHODS[name].handles:
        assert rb.rate_bounds(roc, method=name).notes[0].startswith("Counts in bins")
    else:
        with pytest.raises(rb.InputError, match=f"Method {name!r} is for counts of single scores"):
            rb.rate_bounds(roc, method=name)
    y, s = [1, 0, 1, 0], [4, 3, 2, 1]
    for design in ({"clusters": [0, 0, 1, 1]}, {"weights": [1, 2, 3, 4]}):
        if name == "score":
            continue
        for data in (rb.Sample(y, s, **design), rb.Sample(y, s, **design).roc):
            with pytest.raises(rb.InputError, match=f"the sample has {next(iter(design))}"):
                rb.rate_bounds(data, method=name)


@ALL
def test_future_sizes_are_served_or_refused(name: str) -> None:
    y, s = np.tile([1, 0, 1, 0, 0], 4), np.arange(20.0) % 7
    rows = sample_for(name, y, s)
    asked = {"method": make(name), "rng": 1, "rate": [0.2, 0.5]}
    if "future" not in METHODS[name].handles:
        with pytest.raises(rb.InputError, match="`future` was given"):
            rb.rate_bounds(rows, future=(8, 12), **asked)
        return
    same = rb.rate_bounds(rows, future=(8, 12), **asked)
    plain = rb.rate_bounds(rows, **asked)
    assert (same.tpr_upper - same.tpr_lower).sum() >= (plain.tpr_upper - plain.tpr_lower).sum()
    if METHODS[name].any_future:
        assert rb.rate_bounds(rows, future=(80, 30), **asked).future == (80, 30)
    else:
        with pytest.raises(rb.InputError, match=r"must be \(8, 12\); got \(80, 30\)"):
            rb.rate_bounds(rows, future=(80, 30), **asked)


@ALL
def test_resamples_are_a_parameter_where_tables_are_drawn(name: str) -> None:
    y, s = [1, 0, 1, 0, 1, 0, 1, 0], [8, 7, 6, 5, 4, 3, 2, 1]
    rows = rb.Sample(y, s, folds=[0, 0, 0, 0, 1, 1, 1, 1])
    asked = {"method": name, "n_resamples": 100, "rng": 1}
    if "n_resamples" in METHODS[name].__dataclass_fields__:
        assert rb.rate_bounds(rows, **asked).parameters["n_resamples"] == 100
        return
    with pytest.raises(rb.InputError, match="has no parameter 'n_resamples'"):
        rb.rate_bounds(rows, **asked)


@dataclass(frozen=True)
class Everything(RateMethod):
    """What the rate allows, widened by nothing: a method of a user."""

    name: ClassVar[str] = "everything"

    share: float = 1.0

    def find_limits(self, consensus, request) -> Limits:
        half = self.share * request.level
        return Limits(consensus.tpr - half, consensus.tpr + half)


def test_a_users_own_method_passes_through_the_same_checks() -> None:
    y, s = [1, 0, 1, 0, 1, 0], [6, 5, 4, 3, 2, 1]
    found = rb.rate_bounds(y, s, method=Everything(0.5), level=0.8)
    assert found.method == "everything"
    assert found.parameters == {"share": 0.5}
    assert (found.tpr_lower >= found.feasible[0] - 1e-12).all()  # confined by the base class
    with pytest.raises(rb.InputError, match="`level` must lie strictly between 0 and 1"):
        rb.rate_bounds(y, s, method=Everything(), level=95)
    with pytest.raises(rb.InputError, match="'everything' is for the true curve only"):
        rb.rate_bounds(y, s, method=Everything(), future=(3, 3))
    with pytest.raises(rb.InputError, match="'everything' is for one test set"):
        rb.rate_bounds(rb.Sample(y, s, folds=[0, 0, 0, 0, 1, 1]), method=Everything())
    with pytest.raises(rb.InputError, match="A method of your own derives from"):
        rb.rate_bounds(y, s, method=lambda consensus: consensus)
