"""Coverage of limits for one model's cost with no noise: every outcome, times its probability."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rocbands.core.checks import CountArray, FloatArray
from rocbands.core.roc import RocCurve
from rocbands.cost.conditions import Conditions
from rocbands.cost.counts import Errors
from rocbands.cost.intervals import METHODS
from rocbands.cost.limits import Observed
from rocbands.study.measurements import Measured
from rocbands.study.populations import FixedClasses
from rocbands.study.streams import Streams
from rocbands_papers.dugas_2009.cells import OneModel, held
from rocbands_papers.dugas_2009.worlds import asked, on_scale

__all__ = ["Enumerated"]

_REACH = 6.0  # standard deviations, and as many counts as
_EXTRA = 20  # a law of few errors needs; about 1e-7 lies beyond
_SEEN = 1e-10  # probability from which on an outcome is looked at


@dataclass(frozen=True)
class Enumerated(OneModel):
    """The coverage itself, summed over all pairs of error counts; nothing is drawn.

    With fixed classes the counts are two independent binomials. With `RandomClasses` they are two
    of the three counts of a multinomial, and only for full sampling do limits depend on them alone.
    """

    exact: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.sampling == "stratified" and not isinstance(self.classes, FixedClasses):
            raise ValueError("Stratified limits depend on class sizes; enumerate them fixed.")

    def facts(self) -> dict[str, object]:
        """Name theta, sizes, sampling and method, and that nothing was drawn."""
        return {**super().facts(), "method": f"{self.method}, enumerated"}

    @property
    def source(self) -> object:
        """Nothing is shared: each cell is work of its own."""
        return self

    def measure(self, streams: Streams) -> Measured:
        """Sum over outcomes, one condition after the other: each has a table of its own."""
        w, cut = self._at, self.model.thresholds(self._at)
        truth = on_scale(self.model.cost(w, cut), w, self.sampling)
        rates = zip(*self.model.rates(cut), strict=True)
        columns = [self._one(*at) for at in zip(w, rates, truth, strict=True)]
        holds, point, width = (list(column) for column in zip(*columns, strict=True))
        return {"holds at": holds, "point at": point, "width at": width}

    def _one(
        self, w: float, rates: tuple[float, float], truth: float
    ) -> tuple[float, float, float]:
        fn, fp, mass = self._outcomes(*rates)
        n_pos, n_neg = self._sizes
        given = asked(np.array([w]), self.sampling)
        at = Conditions.of(given.get("w"), given.get("costs"), None, self.sampling, (n_pos, n_neg))
        # Limits from counts alone ask the curve nothing, and the thresholds neither.
        nothing = RocCurve.from_counts([0.0], fp=[n_neg], tp=[n_pos])
        errors = Errors(fn, fp, n_pos, n_neg)
        seen = Observed(nothing, np.zeros(fn.size), errors, at.repeated(fn.size), self.sampling)
        found = METHODS[self.method](seen, self.level)
        low, high = np.clip(found.low, 0.0, 1.0), np.clip(found.high, 0.0, 1.0)
        columns = (held(low, high, np.asarray(truth)), low >= high, high - low)
        holds, point, width = (float(mass @ column) for column in columns)
        return holds, point, width

    @property
    def _sizes(self) -> tuple[int, int]:
        if isinstance(self.classes, FixedClasses):
            return self.classes.n_pos, self.classes.n_neg
        # The share of positives is in the outcomes' law; limits see the number of rows only.
        return self.classes.n // 2, self.classes.n - self.classes.n // 2

    def _outcomes(self, fnr: float, fpr: float) -> tuple[CountArray, CountArray, FloatArray]:
        """Count errors of both kinds in all ways, and tell how likely each is."""
        if isinstance(self.classes, FixedClasses):
            n_pos, n_neg = self._sizes
            fn, fp = _window(n_pos, fnr), _window(n_neg, fpr)
            mass = np.outer(_binomial(fn, n_pos, fnr), _binomial(fp, n_neg, fpr))
        else:
            n, share = self.classes.n, self.classes.share
            p_fn, p_fp = share * fnr, (1.0 - share) * fpr
            fn, fp = _window(n, p_fn), _window(n, p_fp)
            given = p_fp / (1.0 - p_fn)  # of a false positive, where there is no false negative
            mass = _binomial(fn, n, p_fn)[:, None] * _binomial(fp, (n - fn)[:, None], given)
        keep = mass > _SEEN
        both = np.broadcast_arrays(fn[:, None], fp)
        return both[0][keep], both[1][keep], mass[keep]


def _window(size: int, share: float) -> CountArray:
    reach = _REACH * np.sqrt(size * share * (1.0 - share)) + _EXTRA
    low, high = max(0.0, size * share - reach), min(float(size), size * share + reach)
    return np.arange(int(low), int(np.ceil(high)) + 1)


def _binomial(count: CountArray, size: int | CountArray, share: float) -> FloatArray:
    """Probability of a count; 0 beyond the size."""
    from scipy.special import gammaln, xlog1py, xlogy

    rest = np.maximum(np.asarray(size) - count, 0)
    log = gammaln(np.asarray(size) + 1.0) - gammaln(count + 1.0) - gammaln(rest + 1.0)
    mass = np.exp(log + xlogy(count, share) + xlog1py(rest, -share))
    return np.where(count <= size, mass, 0.0)
