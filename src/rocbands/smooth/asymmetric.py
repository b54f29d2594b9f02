"""Scores of a class with a mode and different scales on its two sides (Bennett 2003).

With the mode m, the scales s below and t above it, and u the distance from m in scales, the
density is proportional to exp(-u^p / p) / (s + t): p = 1 is the asymmetric Laplace distribution,
p = 2 the asymmetric Gaussian. Of n values, let L and R be the sums of |value - m|^p below and above
m, and q = 1 / (p + 1). Given m, the likelihood is largest at

    s = L^q k,    t = R^q k,    k = ((L^q + R^q) / n)^(1/p),

and then decreases with L^q + R^q. With sums over the sorted values, m is found by evaluating this
at every value. For p = 1 the maximum is at a value; for p = 2 it is then searched between values.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple, get_args

import numpy as np
from scipy.special import logit, ndtr, ndtri

from rocbands.core.band import Future
from rocbands.core.checks import FloatArray, IndexArray, check_choice
from rocbands.core.references import BENNETT
from rocbands.core.roc import RocCurve
from rocbands.errors import InputError, Message, arg, call
from rocbands.smooth.method import DrawnMethod, Draws, Fit

Scale = Literal["score", "logit"]

_TAILS: FloatArray = ndtr(np.linspace(-7.0, 7.0, 201))  # points of the curve: rates of a class
_LEAST_CELLS, _MOST_CELLS, _DENSE = 400, 4000, 16.0  # cells of a class, about 16 sqrt(n)
_LEAST_SCORES = 5  # different ones of a class, for its three parameters
_TINY = 1e-300
_FEW_CASES = 50
_FEW = (
    "Fewer than 50 cases of a class: where the model holds, coverage was 0.81 to 0.87 at 0.95.",
)
_NOISE = 1e-6  # relative rounding error of the criterion, a root of small sums
_ZOOMS, _FINE = 2, 201  # searches of the mode between values


class Sides(NamedTuple):
    """The mode and both scales of a class, or of several drawn ones."""

    mode: FloatArray
    below: FloatArray
    above: FloatArray

    def column(self) -> Sides:
        """Arrange several drawn ones to be broadcast along points."""
        return Sides(*(np.asarray(part)[:, None] for part in self))


@dataclass(frozen=True)
class AsymmetricMethod(DrawnMethod, abstract=True):
    """Base class of models with a mode and two scales for each class."""

    guarantee: ClassVar[str] = (
        "near the level from 200 cases a class on if the model holds (measured)"
    )
    references: ClassVar[tuple[str, ...]] = (BENNETT,)

    power: ClassVar[int]
    lost: ClassVar[int] = 3
    held: ClassVar[str]  # measured coverage where the scores are others

    scale: Scale = "score"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice(self.scale, get_args(Scale), "scale")

    def _tail(self, distance: FloatArray) -> FloatArray:
        """Share of one side of a class that is farther from the mode than so many scales."""
        return np.asarray(np.exp(-distance) if self.power == 1 else 2.0 * ndtr(-distance))

    def _far(self, share: FloatArray) -> FloatArray:
        """Distance in scales beyond which this share of a side lies."""
        share = np.maximum(share, _TINY)
        return np.asarray(-np.log(share) if self.power == 1 else -ndtri(share / 2.0))

    def note_doubts(self, roc: RocCurve, future: Future = None) -> tuple[str, ...]:
        assumed = Message(
            "Assumes {} of each class; on others measured coverage was {} at 0.95. {} assumes "
            "nothing.",
            self.assumes,
            self.held,
            call("roc_band"),
        )
        return (Message(assumed), *(_FEW if min(roc.n_neg, roc.n_pos) < _FEW_CASES else ()))

    def fit(self, roc: RocCurve) -> Fit:
        value, notes = self._read_scores(roc)
        counts = [np.diff(side, prepend=0)[::-1].astype(np.float64) for side in (roc.fp, roc.tp)]
        neg, pos = (_take_class(value, side) for side in counts)
        sides = [self._search(*neg), self._search(*pos)]
        at = np.unique(np.concatenate([self._quantile(_TAILS, one) for one in sides]))[::-1]
        x, y = (self._share_above(at, one) for one in sides)
        x[0] = y[0] = 0.0
        x[-1] = y[-1] = 1.0

        def draw(rng: np.random.Generator, size: int) -> Draws:
            drawn = [
                self._draw_class(rng, one, cases, at, size)
                for one, cases in zip(sides, (roc.n_neg, roc.n_pos), strict=True)
            ]
            (xs, off_neg), (ys, off_pos) = drawn
            return Draws(xs, ys, np.maximum(off_neg, off_pos))

        names = ("mode", "below", "above")
        fitted = {
            f"{name}_{side}": float(part)
            for side, one in zip(("neg", "pos"), sides, strict=True)
            for name, part in zip(names, one, strict=True)
        }
        off = max(self._misfit(*values, one) for values, one in zip((neg, pos), sides, strict=True))
        return Fit(x, y, fitted, draw, off, notes)

    def _read_scores(self, roc: RocCurve) -> tuple[FloatArray, tuple[str, ...]]:
        """Return the distinct scores on the chosen scale, ascending."""
        value = np.asarray(roc.thresholds[::-1], dtype=np.float64)
        inside = value[0] >= 0.0 and value[-1] <= 1.0
        notes: tuple[str, ...] = ()
        if self.scale == "logit":
            if not (value[0] > 0.0 and value[-1] < 1.0):
                raise InputError(
                    Message("{} is for scores strictly between 0 and 1", arg("scale", "logit")),
                    f"they lie from {value[0]:.6g} to {value[-1]:.6g}",
                    Message("Use {} or {}.", arg("scale", "score"), arg("method", "kernel")),
                )
            value = np.asarray(logit(value))
        elif inside:
            said = "The scores lie in [0, 1], where the model has no bounds"
            notes = (Message("{}: {} fits their log-odds.", said, arg("scale", "logit")),)
        if not np.isfinite(value[[0, -1]]).all():
            raise InputError(
                f"Method {self.name!r} is for finite scores",
                "some are infinite",
                Message("Use {}, which uses their order only.", arg("method", "kernel")),
            )
        return value, notes

    def _search(self, value: FloatArray, weight: FloatArray) -> Sides:
        """Find the maximum of the likelihood for one class, also between its values."""
        if value.size < _LEAST_SCORES:
            raise InputError(
                f"Method {self.name!r} needs {_LEAST_SCORES} different scores in each class",
                f"a class has {value.size}",
                Message("Use {}.", arg("method", "kernel")),
            )
        # Distances are measured from a value in the middle, so that no digits are lost.
        centre, unit = value[value.size // 2], value[-1] - value[0]
        value = (value - centre) / unit
        sums = self._add_up(value, weight)
        places = np.arange(value.size)
        found = self._find_criterion(value, sums, places)[0]
        best = int(np.argmin(found))
        mode, least = value[best], found[best]
        low, high = value[max(best - 1, 0)], value[min(best + 1, value.size - 1)]
        for _ in range(_ZOOMS if self.power > 1 else 0):
            at = np.linspace(low, high, _FINE)
            found = self._find_criterion(at, sums, np.searchsorted(value, at, side="right") - 1)[0]
            best, step = int(np.argmin(found)), (high - low) / (_FINE - 1)
            if found[best] < least * (1.0 - _NOISE):
                mode, least = at[best], found[best]
            low, high = max(low, mode - step), min(high, mode + step)
        place = np.searchsorted(value, [mode], side="right") - 1
        below, above = self._find_scales(np.array([mode]), sums, place, weight.sum())
        parts = (centre + unit * mode, unit * below[0], unit * above[0])
        return Sides(*map(np.asarray, parts))

    def _add_up(self, value: FloatArray, weight: FloatArray) -> FloatArray:
        """Add up weight times 1, value, ... value^p up to each value, for each row of weights."""
        powers = value ** np.arange(self.power + 1)[:, None]
        if weight.ndim > 1:
            powers = powers[:, None, :]
        return np.asarray(np.cumsum(weight * powers, axis=-1))

    def _find_criterion(
        self, at: FloatArray, sums: FloatArray, place: IndexArray
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return L^q + R^q and both parts for modes `at`, where `place` values are not above."""
        inside, all_ = sums[..., place], sums[..., -1:]
        parts = []
        for part, sign in ((inside, 1.0), (all_ - inside, -1.0)):
            if self.power == 1:
                total = sign * (at * part[0] - part[1])
            else:
                total = at * (at * part[0] - 2.0 * part[1]) + part[2]
            parts.append(np.maximum(total, 0.0) ** (1.0 / (self.power + 1.0)))
        return parts[0] + parts[1], parts[0], parts[1]

    def _find_scales(
        self, at: FloatArray, sums: FloatArray, place: IndexArray, cases: float
    ) -> tuple[FloatArray, FloatArray]:
        """Return the scales on both sides of the mode."""
        both, low, high = self._find_criterion(at, sums, place)
        factor = (both / cases) ** (1.0 / self.power)
        return low * factor, high * factor

    def _share_above(self, at: FloatArray, sides: Sides) -> FloatArray:
        """Share of a class above each point."""
        mode, below, above = sides
        all_ = below + above
        upper = above / all_ * self._tail(np.maximum(at - mode, 0.0) / np.maximum(above, _TINY))
        lower = below / all_ * self._tail(np.maximum(mode - at, 0.0) / np.maximum(below, _TINY))
        return np.asarray(np.where(at >= mode, upper, 1.0 - lower))

    def _quantile(self, share: FloatArray, sides: Sides) -> FloatArray:
        """Points with these shares of a class below them."""
        mode, below, above = sides
        under, over = ((part / (below + above)) for part in (below, above))
        left = self._far(np.minimum(share / np.maximum(under, _TINY), 1.0)) * below
        right = self._far(np.minimum((1.0 - share) / np.maximum(over, _TINY), 1.0)) * above
        return np.asarray(np.where(share < under, mode - left, mode + right))

    def _draw_class(
        self, rng: np.random.Generator, sides: Sides, cases: int, at: FloatArray, size: int
    ) -> tuple[FloatArray, FloatArray]:
        """Draw cases from the model and fit it again: shares above points, and the misfit."""
        # Cells of equal probability, so many that their width is small beside the error of a mode.
        cells = int(np.clip(_DENSE * np.sqrt(cases), _LEAST_CELLS, _MOST_CELLS))
        value = (self._quantile((np.arange(cells) + 0.5) / cells, sides) - sides.mode) / (
            sides.below + sides.above
        )
        weight = rng.multinomial(cases, np.full(cells, 1.0 / cells), size).astype(np.float64)
        sums, places = self._add_up(value, weight), np.arange(cells)
        both, low, high = self._find_criterion(value, sums, places)
        best = np.argmin(both, axis=1)[:, None]
        both, low, high = (np.take_along_axis(part, best, 1)[:, 0] for part in (both, low, high))
        unit = sides.below + sides.above
        factor = unit * (both / cases) ** (1.0 / self.power)
        # Cases that all fell into one cell have no spread; half a cell is the least.
        least = 0.5 * unit / cells
        drawn = Sides(
            sides.mode + unit * value[best[:, 0]],
            np.maximum(low * factor, least),
            np.maximum(high * factor, least),
        ).column()
        edges = self._quantile(np.arange(1, cells) / cells, sides)
        off = np.abs(1.0 - self._share_above(edges, drawn) - sums[0][:, :-1] / cases)
        share = self._share_above(at, drawn)
        share[:, 0], share[:, -1] = 0.0, 1.0
        return share, np.sqrt(cases) * off.max(axis=1)

    def _misfit(self, value: FloatArray, weight: FloatArray, sides: Sides) -> float:
        """Kolmogorov's distance of a class from its model, times the root of its size."""
        cases = weight.sum()
        model, seen = 1.0 - self._share_above(value, sides), np.cumsum(weight) / cases
        off = np.maximum(np.abs(model - seen), np.abs(model - seen + weight / cases))
        return float(np.sqrt(cases) * off.max())


@dataclass(frozen=True)
class AsymmetricLaplace(AsymmetricMethod):
    """The density of each class is exponential on both sides of its mode, with different scales.

    It is fitted by maximum likelihood to the scores themselves, not to their ranks: their scale is
    part of the model. A test warns if the scores do not follow it: its p-value is the share of the
    drawn test sets in which a class is farther from its own fit, in Kolmogorov's distance.

    Parameters
    ----------
    n_resamples : int, default 1000
        Number of test sets drawn from the fitted model, each fitted anew.
    scale : {'score', 'logit'}, default 'score'
        Fit the scores as they are, or their log-odds, for scores that are probabilities.

    Examples
    --------
    >>> import rocbands as rb
    >>> score = [1, 2, 3, 3.5, 4, 6, 3, 5, 6, 6.5, 7, 7.5]
    >>> curve = rb.smooth_curve([0] * 6 + [1] * 6, score, method="asymmetric-laplace")
    >>> round(curve.fitted["mode_neg"], 2), round(curve.auc, 2)
    (1.0, 0.84)
    """

    name: ClassVar[str] = "asymmetric-laplace"
    assumes: ClassVar[str] = "asymmetric Laplace scores"
    held: ClassVar[str] = "0 to 0.93"
    idea: ClassVar[str] = "each class exponential on both sides of a mode, with different scales"
    power: ClassVar[int] = 1


@dataclass(frozen=True)
class AsymmetricGaussian(AsymmetricMethod):
    """The density of each class is normal on both sides of its mode, with different scales.

    It is fitted by maximum likelihood to the scores themselves, not to their ranks: their scale is
    part of the model. A test warns if the scores do not follow it: its p-value is the share of the
    drawn test sets in which a class is farther from its own fit, in Kolmogorov's distance.

    Parameters
    ----------
    n_resamples : int, default 1000
        Number of test sets drawn from the fitted model, each fitted anew.
    scale : {'score', 'logit'}, default 'score'
        Fit the scores as they are, or their log-odds, for scores that are probabilities.

    Examples
    --------
    >>> import rocbands as rb
    >>> score = [1, 2, 3, 3.5, 4, 6, 3, 5, 6, 6.5, 7, 7.5]
    >>> curve = rb.smooth_curve([0] * 6 + [1] * 6, score, method="asymmetric-gaussian")
    >>> round(curve.fitted["mode_neg"], 2), round(curve.auc, 2)
    (1.0, 0.87)
    """

    name: ClassVar[str] = "asymmetric-gaussian"
    assumes: ClassVar[str] = "asymmetric Gaussian scores"
    held: ClassVar[str] = "0 to 0.72"
    idea: ClassVar[str] = "each class normal on both sides of a mode, with different scales"
    power: ClassVar[int] = 2


def _take_class(value: FloatArray, weight: FloatArray) -> tuple[FloatArray, FloatArray]:
    seen = weight > 0.0
    return value[seen], weight[seen]
