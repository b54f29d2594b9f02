"""What the base class does for every band method, and for a user's own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

import rocbands as rb
from rocbands.core.curve import Curve
from rocbands.core.method import Extra, Request
from rocbands.core.region import BetweenRegion, DisplacedRegion

Y = np.array([1, 1, 0, 1, 0, 1, 0, 0, 1, 0, 0, 0])
S = np.arange(12.0)[::-1]
FPR = np.linspace(0.0, 1.0, 31)


@dataclass(frozen=True)
class Generous(rb.bands.BandMethod):
    """One width for everything; the rng moves it, to see which stream was used."""

    name: ClassVar[str] = "generous"
    coverage = "simultaneous"
    guarantee: ClassVar[str] = "none; this is an example"

    width: float = 0.2

    def build_band(self, roc: rb.RocCurve, request: Request) -> rb.results.Band:
        width = self.width * request.level + 0.01 * request.rng.random()
        return rb.results.Band(roc, DisplacedRegion(roc.curve, width, 1.0), request.level, self)


@dataclass(frozen=True)
class Monotone(Generous):
    handles: ClassVar[tuple[Extra, ...]] = ("bins",)
    monotone: ClassVar[bool] = True


def test_a_users_own_method_makes_a_band() -> None:
    band = rb.roc_band(Y, S, method=Generous(0.3), level=0.5, rng=1)
    assert band.method == Generous(0.3)
    assert band.facts()["method"] == {"name": "generous", "width": 0.3}
    assert "50% simultaneous confidence band (generous)" in str(band)


@pytest.mark.parametrize(
    ("extra", "words"),
    [
        ({"future": (5, 5)}, "Method 'generous' is for the true curve only; `future` was given"),
        ({"clusters": np.arange(12) // 2}, "for rows that are independent of each other"),
        ({"folds": [0, 1, 0, 0, 0, 1, 1, 1, 1, 0, 1, 0]}, "for one test set scored by one model"),
    ],
)
def test_it_is_refused_what_it_does_not_handle(extra: dict, words: str) -> None:
    with pytest.raises(rb.InputError, match=words):
        rb.roc_band(
            rb.Sample(Y, S, clusters=extra.get("clusters"), folds=extra.get("folds")),
            method=Generous(),
            future=extra.get("future"),
        )


def test_it_is_refused_bins() -> None:
    bins = rb.RocCurve.from_counts([2, 1], fp=[1, 4], tp=[3, 4], bins=True)
    with pytest.raises(rb.InputError, match="for counts of single scores; the curve has bins"):
        rb.roc_band(bins, method=Generous())


def plain(
    roc: rb.RocCurve, *, level: float = 0.9, future: object = None, rng: object = None
) -> object:
    return rb.bands.JointRegion()(roc, level=level)


@pytest.mark.parametrize(
    "thing", [plain, rb.bands.JointRegion, 7], ids=["function", "class", "number"]
)
def test_what_is_no_band_method_is_refused_in_a_sentence(thing: object) -> None:
    with pytest.raises(rb.InputError, match=r"or an instance of such a method; got .*BandMethod"):
        rb.roc_band(Y, S, method=thing)  # type: ignore[arg-type]


def test_a_method_without_a_function_cannot_be_defined() -> None:
    with pytest.raises(TypeError, match="Empty must define build_band or build_bands"):

        class Empty(rb.bands.BandMethod):
            pass


def test_several_levels_by_default_are_those_of_single_calls() -> None:
    roc, levels = rb.roc_curve(Y, S), (0.5, 0.9, 0.7)
    together = Generous().at_levels(roc, levels, rng=4)
    for band, level in zip(together, levels, strict=True):
        assert band.region.dx == Generous()(roc, level=level, rng=4).region.dx
    rng = np.random.default_rng(4)
    first, second = (Generous().at_levels(roc, levels, rng=rng) for _ in range(2))
    assert first[0].region.dx != second[0].region.dx
    assert Generous().at_levels(roc, ()) == []


def test_bins_are_spanned_by_the_base_class_where_a_method_is_monotone() -> None:
    bins = rb.RocCurve.from_counts([2, 1], fp=[1, 4], tp=[3, 4], bins=True)
    band = rb.roc_band(bins, method=Monotone(), rng=1)
    low, high = (Monotone()(extreme, rng=1) for extreme in bins.extremes)
    np.testing.assert_array_equal(band.lower_at(FPR), low.lower_at(FPR))
    assert band.method == Monotone()
    assert band.roc is bins
    assert band.misses(np.ones_like) == (high.misses(np.ones_like)[0], False)
    assert any("Counts in bins" in note for note in band.notes)


def test_shorthand_for_the_number_of_resamples() -> None:
    short = rb.roc_band(Y, S, method="fixed-width", n_resamples=60, rng=1)
    assert short.method == rb.bands.FixedWidth(n_resamples=60)
    with pytest.raises(rb.InputError, match="Method 'joint-region' has no parameter 'n_resamples'"):
        rb.roc_band(Y, S, method="joint-region", n_resamples=60)


def edges(lower: Callable, upper: Callable) -> BetweenRegion:
    x = np.linspace(0.0, 1.0, 11)
    return BetweenRegion(Curve(x, lower(x)), Curve(x, upper(x)))


@pytest.mark.parametrize(
    ("region", "words"),
    [
        (
            BetweenRegion(*(Curve([0.0, 1.0], y) for y in ([0.4, 1.0], [0.2, 1.0]))),
            "must not lie above",
        ),
        # A lower edge that jumps above the upper one between 0.3 and 0.31 only.
        (
            BetweenRegion(
                Curve([0.0, 0.3, 0.3, 1.0], [0.0, 0.0, 0.6, 0.6]),
                Curve([0.0, 0.31, 0.31, 1.0], [0.5, 0.5, 0.9, 1.0]),
            ),
            "must not lie above",
        ),
        (edges(lambda x: x, lambda x: 1.2 * np.ones_like(x)), "inside the unit square"),
        (edges(lambda x: x - 0.1, np.ones_like), "inside the unit square"),
        (edges(lambda x: x + np.nan, np.ones_like), "inside the unit square"),
    ],
    ids=["crossed", "crossed between two places", "too high", "too low", "not a number"],
)
def test_a_band_that_breaks_its_promise_cannot_be_made(region: BetweenRegion, words: str) -> None:
    with pytest.raises(rb.ResultError, match=words):
        rb.results.Band(rb.roc_curve(Y, S), region, 0.9, Generous())
