"""A simultaneous band for the difference of two ROC curves."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from rocbands.core.checks import FloatArray, check_unit_interval, frozen
from rocbands.core.columns import score_column
from rocbands.core.result import Result
from rocbands.errors import InputError

__all__ = ["UNNAMED", "BetterRange", "DifferenceBand", "DifferenceLike"]

DifferenceLike: TypeAlias = tuple[Any, Any] | Callable[[FloatArray], Any]

UNNAMED = ("model 1", "model 2")
TOUCH = 1e-12
_SCREEN = np.array([0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9])
BETWEEN = 8  # points at which a function is followed, for each step of the grid


class BetterRange(NamedTuple):
    """A range of false positive rates in which one model finds more positives."""

    model: int
    low: float
    high: float


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class DifferenceBand(Result):
    """Limits for TPR of model 1 minus TPR of model 2 at equal FPR, all at once over a range of FPR.

    Between the points of the grid the limits are straight lines.

    Attributes
    ----------
    fpr : ndarray of shape (k,)
        The grid, from one end of the stated range to the other.
    difference : ndarray of shape (k,)
        TPR of model 1 minus TPR of model 2, of the empirical curves.
    lower, upper : ndarray of shape (k,)
        The limits, between -1 and 1.
    level : float
        Nominal confidence that the whole difference lies between the limits.
    critical_value : float
        Half the width of the band in standard errors.
    n_pos, n_neg : int
        Class sizes.
    names : (str, str)
        The models.
    notes : tuple of str
        What the reader should know about this very band.

    Examples
    --------
    >>> import rocbands as rb
    >>> y, models = rb.load_example()
    >>> band = rb.difference_band(y, *models.values(), positive="malignant", rng=1)
    >>> band.contains(lambda fpr: 0 * fpr)  # could the models have the same curve?
    False
    """

    schema: ClassVar[str] = "rocbands.difference-band/1"

    fpr: FloatArray
    difference: FloatArray
    lower: FloatArray
    upper: FloatArray
    level: float
    critical_value: float
    n_pos: int
    n_neg: int
    names: tuple[str, str] = UNNAMED
    notes: tuple[str, ...] = ()
    frame: str | None = None

    def __post_init__(self) -> None:
        for name in ("fpr", "difference", "lower", "upper"):
            object.__setattr__(self, name, frozen(getattr(self, name)))
        assert (self.lower <= self.difference).all(), "a band must hold its estimate"
        assert (self.difference <= self.upper).all(), "a band must hold its estimate"
        assert min(self.lower.min(), -self.upper.max()) >= -1.0, "differences lie between -1 and 1"

    @property
    def fpr_range(self) -> tuple[float, float]:
        """The range of FPR that the band is stated for."""
        return float(self.fpr[0]), float(self.fpr[-1])

    @property
    def mean_width(self) -> float:
        """Mean distance between the limits over the range."""
        low, high = self.fpr_range
        return float(np.trapezoid(self.upper - self.lower, self.fpr)) / (high - low)

    def lower_at(self, fpr: npt.ArrayLike) -> FloatArray:
        """Lower limit at any fpr of the stated range."""
        return np.asarray(np.interp(self._inside(fpr), self.fpr, self.lower))

    def upper_at(self, fpr: npt.ArrayLike) -> FloatArray:
        """Upper limit at any fpr of the stated range."""
        return np.asarray(np.interp(self._inside(fpr), self.fpr, self.upper))

    def contains(self, difference: DifferenceLike) -> bool:
        """Tell whether a whole difference of curves lies inside, over the stated range.

        Parameters
        ----------
        difference : callable or (fpr, difference)
            A function maps an array of fpr to differences. Arrays are joined by straight lines and
            must reach over the whole range.
        """
        x, d = self._values(difference)
        return bool((d >= self.lower_at(x) - TOUCH).all() and (d <= self.upper_at(x) + TOUCH).all())

    @property
    def better(self) -> tuple[BetterRange, ...]:
        """Where one model finds more positives: the limits have the same sign.

        All ranges hold together with the confidence of the band.
        """
        found = [BetterRange(1, *ends) for ends in _above_zero(self.fpr, self.lower)]
        found += [BetterRange(2, *ends) for ends in _above_zero(self.fpr, -self.upper)]
        return tuple(sorted(found, key=lambda part: part.low))

    def _inside(self, fpr: npt.ArrayLike) -> FloatArray:
        x = check_unit_interval(fpr, "fpr")
        low, high = self.fpr_range
        outside = (x < low - TOUCH) | (x > high + TOUCH)
        if outside.any():
            raise InputError(
                f"The band is stated for fpr from {low:g} to {high:g}; got {x[outside].flat[0]:g}. "
                "Ask inside that range, or make the band with another `fpr`."
            )
        return x

    def _values(self, difference: DifferenceLike) -> tuple[FloatArray, FloatArray]:
        if callable(difference):
            place = np.linspace(0.0, self.fpr.size - 1.0, BETWEEN * (self.fpr.size - 1) + 1)
            x = np.interp(place, np.arange(self.fpr.size), self.fpr)
            d = np.asarray(difference(x), dtype=np.float64)
            if d.shape != x.shape or np.isnan(d).any():
                raise InputError(
                    "A difference given as a function must return one number for each fpr; it "
                    f"returned shape {d.shape} for {x.shape}, or NaN. Write it with NumPy."
                )
            return x, d
        if not isinstance(difference, tuple) or len(difference) != 2:
            raise InputError(
                "`difference` must be a function of fpr or a pair (fpr, difference) of arrays; "
                f"got {type(difference).__name__}."
            )
        own = check_unit_interval(score_column(difference[0], "fpr"), "fpr")
        values = score_column(difference[1], "difference").astype(np.float64)
        low, high = self.fpr_range
        grows = own.size == values.size and (np.diff(own) > 0).all()
        if not grows or own[0] > low + TOUCH or own[-1] < high - TOUCH:
            raise InputError(
                "`fpr` and `difference` must be equally long, with fpr rising and reaching over "
                f"the range from {low:g} to {high:g}. Sort the points and add the missing ends."
            )
        x = np.union1d(self.fpr, own[(own > low) & (own < high)])
        return x, np.interp(x, own, values)

    def facts(self) -> Mapping[str, object]:
        return {
            "level": self.level,
            "coverage": "simultaneous",
            "names": self.names,
            "target": "difference of the true curves, model 1 minus model 2",
            "fpr_range": self.fpr_range,
            "critical_value": self.critical_value,
            "mean_width": self.mean_width,
            "better": [part._asdict() for part in self.better],
            "notes": self.notes,
            "n_pos": self.n_pos,
            "n_neg": self.n_neg,
        }

    def columns(self) -> Mapping[str, Any]:
        names = ("fpr", "lower", "difference", "upper")
        return {name: getattr(self, name) for name in names}

    def summary(self) -> tuple[str, Mapping[str, Any]]:
        low, high = self.fpr_range
        lines = [
            f"{self.level:.10g} simultaneous confidence band for the difference of two true ROC "
            f"curves, tpr of {self.names[0]} minus tpr of {self.names[1]}, at fpr {low:g} to "
            f"{high:g}.",
            f"{self.n_pos} positives, {self.n_neg} negatives, mean width {self.mean_width:.4f}.",
            *self._verdicts(),
            *self.notes,
        ]
        inner = _SCREEN[(low < _SCREEN) & (high > _SCREEN)]
        rows = np.concatenate(([low], inner, [high]))
        table = {name: np.interp(rows, self.fpr, part) for name, part in self.columns().items()}
        return "\n".join(lines), table

    def _verdicts(self) -> list[str]:
        if not self.better:
            return ["Neither model is shown to find more positives at any fpr of this range."]
        verdicts = []
        for model in sorted({part.model for part in self.better}):
            mine = (part for part in self.better if part.model == model)
            ranges = ", ".join(f"{part.low:.3g} to {part.high:.3g}" for part in mine)
            name = f"Model {model}" if self.names == UNNAMED else self.names[model - 1]
            verdicts.append(f"{name} finds more positives at fpr {ranges}.")
        return verdicts


def _above_zero(x: FloatArray, y: FloatArray) -> list[tuple[float, float]]:
    """Ranges in which the line through the points (x, y) is positive, ends at its zeros."""
    positive = y > TOUCH
    edge = np.diff(positive.astype(np.int8), prepend=0, append=0)
    first, last = np.flatnonzero(edge == 1), np.flatnonzero(edge == -1) - 1
    return [
        (_zero(x, y, int(i), int(i) - 1), _zero(x, y, int(j), int(j) + 1))
        for i, j in zip(first, last, strict=True)
    ]


def _zero(x: FloatArray, y: FloatArray, inside: int, outside: int) -> float:
    """Where the line from a positive point to its neighbour reaches 0; at the end, the end."""
    if not 0 <= outside < x.size:
        return float(x[inside])
    share = y[inside] / (y[inside] - y[outside])
    return float(x[inside] + share * (x[outside] - x[inside]))
