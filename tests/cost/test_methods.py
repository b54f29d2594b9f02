"""Every method for costs keeps every promise; a new one is tested here without writing a line."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given, settings

import rocbands as rb
import rocbands.cost
from rocbands.cost import METHODS, SHARED_FILES, CostMethod
from rocbands.cost.conditions import Sampling, build_conditions
from rocbands.cost.terms import CostLimits, CostTerms
from tests.strategies import labelled_scores

W = np.array([0.0, 0.1, 0.5, 0.9, 1.0])
CUT = np.array([1.0, 1.0, 0.0, -1.0, -1.0])
BINNED = rb.RocCurve.from_counts([3, 2, 1], fp=[1, 2, 5], tp=[3, 3, 4], bins=True)
every_method = pytest.mark.parametrize("name", METHODS)
every_pair = pytest.mark.parametrize(
    "name", [name for name, kind in METHODS.items() if "paired" in kind.handles]
)


def sampled(name: str) -> list[Sampling]:
    return ["stratified", "full"] if "full sampling" in METHODS[name].handles else ["stratified"]


def pair(seed: int = 1, size: int = 90) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = np.arange(size) % 3 == 0
    one, two = rng.normal(size=(2, size)) + rng.normal(size=size) + y
    return y, one, two


@every_method
def test_facts(name: str) -> None:
    kind = METHODS[name]
    assert kind.name == name
    assert kind.question == "cost"
    assert kind.coverage == "pointwise"
    for text in (kind.guarantee, kind.idea):
        assert text
        assert not text.endswith(".")
    assert kind.references
    assert all("(" in source for source in kind.references)
    assert dataclasses.is_dataclass(kind)
    assert kind().record == {"name": name, **kind().parameters}
    file = Path(rocbands.cost.__file__).with_name(f"{name.replace('-', '_')}.py")
    assert file.exists() or name in SHARED_FILES


@every_method
@settings(max_examples=15, deadline=None)
@given(rows=labelled_scores(max_size=12))
def test_limits_are_ordered_and_in_range(name: str, rows: tuple) -> None:
    y, s = rows
    for sampling in sampled(name):
        found = rb.cost_interval(y, s, method=name, thresholds=CUT, w=W, sampling=sampling)
        assert ((found.lower >= 0) & (found.lower <= found.upper) & (found.upper <= 1)).all()
        assert ((found.cost >= 0) & (found.cost <= 1)).all()
        assert found.method == name
        assert found.parameters == METHODS[name]().parameters


@every_pair
@settings(max_examples=30, deadline=None)
@given(rows=labelled_scores(max_size=12))
def test_differences_are_ordered_and_in_range(name: str, rows: tuple) -> None:
    y, s = rows
    for sampling in sampled(name):
        found = rb.cost_difference(
            y, s, -s, method=name, thresholds=(CUT, 0.0), w=W, sampling=sampling
        )
        assert (found.lower <= found.upper).all()
        assert (np.abs([found.lower, found.difference, found.upper]) <= 1).all()
        assert found.difference == pytest.approx(found.cost_1 - found.cost_2, abs=1e-12)
        one = rb.cost_interval(y, s, thresholds=CUT, w=W, sampling=sampling)
        assert found.cost_1 == pytest.approx(one.cost, abs=1e-12)


@every_pair
def test_the_difference_from_a_model_without_errors_has_the_mean_and_variance_of_a_cost(
    name: str,
) -> None:
    # One stack for one model and two: the other model's errors are what subtracts.
    y, one, _ = pair()
    perfect = y.astype(float)
    for sampling in sampled(name):
        asked = {"w": W[1:-1], "sampling": sampling, "level": 0.9}
        alone = rb.cost_interval(y, one, method=name, thresholds=0.5, **asked)
        both = rb.cost_difference(y, one, perfect, method=name, thresholds=(0.5, 0.5), **asked)
        assert both.difference == pytest.approx(alone.cost, abs=1e-12)
        if METHODS[name].needs_many_errors:
            assert both.lower == pytest.approx(alone.lower, abs=1e-9)
            assert both.upper == pytest.approx(alone.upper, abs=1e-9)


@every_method
def test_a_higher_level_is_wider(name: str) -> None:
    y, one, _ = pair()
    narrow, wide = (
        rb.cost_interval(y, one, method=name, thresholds=CUT, w=W, level=level)
        for level in (0.8, 0.99)
    )
    assert (wide.lower <= narrow.lower + 1e-12).all()
    assert (wide.upper >= narrow.upper - 1e-12).all()


@every_method
def test_names_and_instances_give_the_same(name: str) -> None:
    y, one, _ = pair()
    by_name = rb.cost_interval(y, one, method=name, thresholds=CUT, w=W)
    by_instance = rb.cost_interval(y, one, method=METHODS[name](), thresholds=CUT, w=W)
    conditions = build_conditions(W, sizes=(int(y.sum()), int((~y).sum())))
    directly = METHODS[name]()(rb.roc_curve(y, one), CUT, conditions)
    assert by_name.to_json() == by_instance.to_json() == directly.to_json()


@pytest.mark.parametrize(
    "name", [name for name, kind in METHODS.items() if "simultaneous" in kind.handles]
)
def test_the_same_rng_gives_the_same_limits(name: str) -> None:
    y, one, two = pair()
    method = METHODS[name](n_resamples=100)
    asked = {"thresholds": (0.5, 0.5), "w": W, "simultaneous": True}
    found, again, other = (
        rb.cost_difference(y, one, two, method=method, rng=seed, **asked) for seed in (3, 3, 4)
    )
    assert found.to_json() == again.to_json()
    assert found.critical_value != other.critical_value
    assert found.parameters == {"n_resamples": 100}
    short = rb.cost_difference(y, one, two, method=name, n_resamples=100, rng=3, **asked)
    assert short.to_json() == found.to_json()


@every_method
def test_what_is_not_handled_is_refused(name: str) -> None:
    kind = METHODS[name]
    y, one, two = pair()
    asked = {"thresholds": (0.5, 0.5), "w": 0.5}
    attempts = {
        "full sampling": lambda: rb.cost_interval(
            y, one, method=name, thresholds=0.5, w=0.5, sampling="full"
        ),
        "bins": lambda: rb.cost_interval(BINNED, method=name, thresholds=2, w=0.5),
        "paired": lambda: rb.cost_difference(y, one, two, method=name, **asked),
        "simultaneous": lambda: rb.cost_difference(
            y, one, two, method=name, simultaneous=True, rng=1, **asked
        ),
    }
    for extra, attempt in attempts.items():
        if extra in kind.handles:
            attempt()
        else:
            with pytest.raises(rb.InputError, match=f"Method '{name}'"):
                attempt()


@every_method
def test_inside_a_bin_limits_must_rise_with_errors(name: str) -> None:
    kind = METHODS[name]
    for sampling in kind.monotone:
        at = build_conditions([0.3], sampling=sampling, sizes=(9, 12))
        ends = [
            kind().find_limits(CostTerms.of_counts(np.array([fn]), np.array([fp]), at), 0.9, 1.645)
            for fn, fp in [(0, 0), (0, 1), (1, 1), (4, 1), (4, 7), (9, 7), (9, 12)]
        ]
        for end in ("lower", "upper"):
            assert (np.diff([getattr(limits, end)[0] for limits in ends]) >= -1e-12).all()
    if "stratified" not in kind.monotone and "bins" in kind.handles:
        with pytest.raises(rb.InputError, match="must be bin edges"):
            rb.cost_interval(BINNED, method=name, thresholds=1.5, w=0.5)


@dataclasses.dataclass(frozen=True)
class Hopeless(CostMethod):
    """A user's own method, which says nothing; it handles nothing but rows of one model."""

    margin: float = 1.0

    name: ClassVar[str] = "hopeless"

    def find_limits(self, terms: CostTerms, level: float, critical: float) -> CostLimits:
        return CostLimits(terms.mean, terms.mean - self.margin, terms.mean + self.margin)


def test_a_method_of_ones_own() -> None:
    y, one, two = pair()
    found = rb.cost_interval(y, one, method=Hopeless(), thresholds=CUT, w=W)
    assert (found.method, found.parameters) == ("hopeless", {"margin": 1.0})
    assert set(found.lower) == {0.0}
    assert set(found.upper) == {1.0}
    assert "unreliable" in found.reliable
    assert "held" not in " ".join(found.notes)  # what was measured of other methods
    for refused in (
        lambda: rb.cost_interval(y, one, method=Hopeless(), thresholds=0, w=0.5, sampling="full"),
        lambda: rb.cost_interval(BINNED, method=Hopeless(), thresholds=2, w=0.5),
        lambda: rb.cost_difference(y, one, two, method=Hopeless(), thresholds=(0, 0), w=0.5),
    ):
        with pytest.raises(rb.InputError, match="Method 'hopeless'"):
            refused()
    with pytest.raises(
        rb.InputError, match=r"`method` must be one of .* instance of such a method"
    ):
        rb.cost_interval(y, one, method=Hopeless, thresholds=0, w=0.5)  # type: ignore[arg-type]


def test_own_methods_may_handle_pairs() -> None:
    class Paired(Hopeless):
        handles: ClassVar = ("paired", "simultaneous")
        needs_many_errors: ClassVar[bool] = True

    y, one, two = pair(size=60)
    found = rb.cost_difference(
        y, one, two, method=Paired(margin=0.01), thresholds=(9.0, 9.0), w=0.5,
        simultaneous=True, rng=1,
    )  # fmt: skip
    assert (found.lower[0], found.upper[0]) == (-1, 1)  # no row is discordant: nothing is claimed
    assert "nothing is claimed" in found.notes[-2]  # the last one tells the seed


def test_a_result_refuses_to_break_its_promise() -> None:
    y, one, two = pair()
    alone = rb.cost_interval(y, one, thresholds=CUT, w=W)
    with pytest.raises(rb.ResultError, match="must not exceed"):
        dataclasses.replace(alone, lower=alone.upper, upper=alone.lower)
    with pytest.raises(rb.ResultError, match="must lie between 0 and 1"):
        dataclasses.replace(alone, upper=alone.upper + 1)
    with pytest.raises(rb.ResultError, match="one row for each w"):
        dataclasses.replace(alone, fn=alone.fn[:1])
    both = rb.cost_difference(y, one, two, thresholds=(CUT, CUT), w=W)
    with pytest.raises(rb.ResultError, match="must not exceed"):
        dataclasses.replace(both, lower=both.upper, upper=both.lower)
    curve = rb.cost_curve(y, one)
    with pytest.raises(rb.ResultError, match="calling all rows alike"):
        dataclasses.replace(curve, cost=curve.cost + 1)


def test_a_cheaper_model_has_the_negative_difference() -> None:
    y = pair(size=300)[0]
    worse = np.random.default_rng(2).normal(size=y.size)
    for scores, cheaper in (((y + 0.0, worse), 1), ((worse, y + 0.0), 2)):
        found = rb.cost_difference(y, *scores, thresholds=(0.5, 0.5), w=0.5)
        (part,) = found.better
        assert part.model == cheaper
        assert (found.cost_1 < found.cost_2).all() == (cheaper == 1)
        assert (found.difference < 0).all() == (cheaper == 1)
        assert f"points {'less' if cheaper == 1 else 'more'} (" in found.sentence
