"""The paper's scores, and what is measured along w: how often limits for a cost hold.

Scores are normal in both classes with one standard deviation, for one or two models.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

from rocbands.core.checks import CountArray, FloatArray
from rocbands.core.data import roc_curve
from rocbands.core.roc import RocCurve
from rocbands.cost import METHODS, cost_difference, cost_interval
from rocbands.cost.conditions import Known as Sampling
from rocbands.cost.conditions import build_conditions
from rocbands.cost.envelope import cost_curve
from rocbands.cost.terms import CostTerms
from rocbands_studies.measurements import Measured
from rocbands_studies.papers.paper import PaperCell
from rocbands_studies.populations import FixedClasses, RandomClasses
from rocbands_studies.streams import Streams

CONDITIONS: tuple[float, ...] = tuple(i / 100 for i in range(1, 100))
_SD = 3.0

Sizes = FixedClasses | RandomClasses


@dataclass(frozen=True)
class Model:
    """Scores N(positives, 3) of positives and N(negatives, 3) of negatives.

    Examples
    --------
    >>> import numpy as np
    >>> model, w = Model(3.0, -3.0), np.array([0.05, 0.5])
    >>> print(model.thresholds(w).round(3), model.cost(w, model.thresholds(w)).round(4))
    [4.417 0.   ] [0.0405 0.1587]
    """

    positives: float
    negatives: float

    def thresholds(self, w: FloatArray) -> FloatArray:
        """Thresholds of least true cost: what an endless validation set would give."""
        middle = (self.positives + self.negatives) / 2.0
        return middle + _SD**2 / (self.positives - self.negatives) * np.log((1.0 - w) / w)

    def rates(self, thresholds: npt.NDArray[Any]) -> tuple[FloatArray, FloatArray]:
        """Return true rates of false negatives and of false positives."""
        from scipy.special import ndtr

        fnr = ndtr((thresholds - self.positives) / _SD)
        return np.asarray(fnr), np.asarray(ndtr((self.negatives - thresholds) / _SD))

    def cost(self, w: FloatArray, thresholds: npt.NDArray[Any]) -> FloatArray:
        """Return the true normalised cost of thresholds."""
        fnr, fpr = self.rates(thresholds)
        return np.asarray(w * fnr + (1.0 - w) * fpr)

    def draw(self, rng: np.random.Generator, sizes: Sizes) -> tuple[Any, FloatArray]:
        """Labels and scores of a fresh test set."""
        n_pos, n_neg = sizes.sizes(rng)
        y = np.repeat([True, False], [n_pos, n_neg])
        return y, np.where(y, self.positives, self.negatives) + _SD * rng.standard_normal(y.size)


@dataclass(frozen=True)
class TwoModels:
    """Two models' scores of the same cases; the second's positives score higher by `shift`.

    Within each class the scores have correlation `rho`.
    """

    theta: float
    shift: float
    rho: float

    @property
    def models(self) -> tuple[Model, Model]:
        """Both for themselves."""
        return Model(self.theta, -self.theta), Model(self.theta + self.shift, -self.theta)

    def thresholds(self, w: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Each model's own best thresholds."""
        one, two = (model.thresholds(w) for model in self.models)
        return one, two

    def difference(self, w: FloatArray) -> FloatArray:
        """Return the true cost of model 2 minus that of model 1, each at its best thresholds."""
        one, two = (model.cost(w, model.thresholds(w)) for model in self.models)
        return np.asarray(two - one)

    def draw(self, rng: np.random.Generator, sizes: Sizes) -> tuple[Any, FloatArray, FloatArray]:
        """Labels and both models' scores of a fresh test set."""
        n_pos, n_neg = sizes.sizes(rng)
        y = np.repeat([True, False], [n_pos, n_neg])
        first, second = _SD * rng.standard_normal((2, y.size))
        second = self.rho * first + np.sqrt(1.0 - self.rho**2) * second
        one, two = (np.where(y, model.positives, model.negatives) for model in self.models)
        return y, one + first, two + second


def condition_arguments(w: FloatArray, sampling: Sampling) -> dict[str, Any]:
    """Conditions as the cost functions take them.

    The paper does not say what errors cost under full sampling; with costs w and 1 - w, and classes
    that are equally likely, the conditions are w again.
    """
    return {"w": w} if sampling == "stratified" else {"costs": (w, 1.0 - w)}


def put_on_scale(cost: FloatArray, w: FloatArray, sampling: Sampling) -> FloatArray:
    """Put a true normalised cost on the scale that limits of this sampling have.

    Under full sampling 1 is the larger of both costs, not the cost of being always wrong.
    """
    if sampling == "stratified":
        return cost
    return np.asarray(cost / (2.0 * np.maximum(w, 1.0 - w)))


def check_held(low: FloatArray, high: FloatArray, truth: FloatArray) -> FloatArray:
    """Tell where limits hold: 1 or 0, and 0 where they are one point."""
    return np.asarray((low <= truth) & (truth <= high) & (low < high), np.float64)


class _Along(PaperCell):
    """Something along the operating condition w."""

    shares: ClassVar[tuple[str, ...]] = ("holds at", "holds best at", "point at")
    axis: ClassVar[str] = "w"

    w: tuple[float, ...]

    @property
    def points(self) -> tuple[float, ...]:
        return self.w

    @property
    def _at(self) -> FloatArray:
        return np.array(self.w)


@dataclass(frozen=True)
class OneModel(_Along):
    """How often limits for one model's cost hold, at thresholds that are truly best.

    Notes
    -----
    `holds at`: limits contain the true cost and are not a point. `point at`: they are a point.
    `width at`: high minus low.
    """

    theta: float  # positives score N(theta, 3), negatives N(-theta, 3)
    classes: Sizes  # class sizes of a test set
    method: str  # of :func:`rocbands.cost_interval`
    sampling: Sampling = "stratified"  # what the limits take for granted about class sizes
    level: float = 0.9  # confidence level
    w: tuple[float, ...] = CONDITIONS  # operating conditions

    @property
    def model(self) -> Model:
        """The model."""
        return Model(self.theta, -self.theta)

    @property
    def source(self) -> object:
        return ("one model", self.theta, self.classes)

    def measure(self, streams: Streams) -> Measured:
        w, model = self._at, self.model
        roc = streams.draw_shared("data", lambda rng: roc_curve(*model.draw(rng, self.classes)))
        cut = model.thresholds(w)
        found = cost_interval(
            roc, method=self.method, thresholds=cut, sampling=self.sampling, level=self.level,
            **condition_arguments(w, self.sampling),
        )  # fmt: skip
        return _measured(found, put_on_scale(model.cost(w, cut), w, self.sampling))


@dataclass(frozen=True)
class Pair(_Along):
    """How often limits for the difference of two models' costs hold.

    Parameters
    ----------
    models : TwoModels
        Their scores; each has its own truly best thresholds.
    classes, method, sampling, level, w
        As for :class:`OneModel`; methods of :func:`rocbands.cost_difference`.
    """

    models: TwoModels
    classes: Sizes
    method: str
    sampling: Sampling = "stratified"
    level: float = 0.9
    w: tuple[float, ...] = CONDITIONS

    @property
    def source(self) -> object:
        return (self.models, self.classes)

    def measure(self, streams: Streams) -> Measured:
        w = self._at
        y, one, two = streams.draw_shared("data", lambda rng: self.models.draw(rng, self.classes))
        cut_1, cut_2 = self.models.thresholds(w)
        found = cost_difference(
            y, one, two, method=self.method, thresholds=(cut_1, cut_2), sampling=self.sampling,
            level=self.level, **condition_arguments(w, self.sampling),
        )  # fmt: skip
        # The paper's difference is cost 2 minus cost 1, the library's the other way round.
        return _measured(found, put_on_scale(-self.models.difference(w), w, self.sampling))


@dataclass(frozen=True)
class ChosenThresholds(_Along):
    """How often limits hold for the cost of thresholds that were chosen on finitely many cases.

    Parameters
    ----------
    theta, classes, method, level, w
        As for :class:`OneModel`.
    valid : FixedClasses, RandomClasses or None
        Class sizes of the validation set that thresholds are chosen on. None: they are chosen on
        the test set itself, which is wrong.

    Notes
    -----
    `holds at` is about the true cost of the chosen thresholds, `holds best at` about that of the
    best ones. `excess at`: true cost of the chosen ones minus that of the best. `envelope at`: what
    they seem to cost where they were chosen.
    """

    theta: float
    classes: Sizes
    method: str
    valid: Sizes | None
    level: float = 0.9
    w: tuple[float, ...] = CONDITIONS

    @property
    def source(self) -> object:
        return ("chosen thresholds", self.theta, self.classes, self.valid)

    def measure(self, streams: Streams) -> Measured:
        w, model = np.array(self.w), Model(self.theta, -self.theta)

        def drawn(role: str, sizes: Sizes) -> RocCurve:
            return streams.draw_shared(role, lambda rng: roc_curve(*model.draw(rng, sizes)))

        roc = drawn("data", self.classes)
        curve = cost_curve(roc if self.valid is None else drawn("validation", self.valid))
        cut = curve.threshold_at(w)
        true, best = model.cost(w, cut), model.cost(w, model.thresholds(w))
        found = cost_interval(roc, method=self.method, thresholds=cut, w=w, level=self.level)
        return {
            **_measured(found, true),
            "holds best at": check_held(found.lower, found.upper, best).tolist(),
            "excess at": (true - best).tolist(),
            "envelope at": curve.at(w).tolist(),
        }


@dataclass(frozen=True)
class Regions(PaperCell):
    """How often significance regions are wrong somewhere along w.

    Parameters
    ----------
    classes, method, level, w
        As for :class:`OneModel`; methods of :func:`rocbands.cost_difference`.

    Notes
    -----
    `wrong`: somewhere a model is called cheaper that is not. `flagged`: somewhere one is called
    cheaper. `together`: the limits contain the true difference at all w.
    """

    shares: ClassVar[tuple[str, ...]] = ("wrong", "flagged", "together")

    models: TwoModels  # both models' scores; equal models have shift 0
    classes: Sizes
    method: str
    simultaneous: bool  # whether limits are for all w together
    level: float = 0.9
    w: tuple[float, ...] = CONDITIONS
    n_draws: int = 2000  # draws of simultaneous limits

    @property
    def source(self) -> object:
        return (self.models, self.classes)

    def measure(self, streams: Streams) -> Measured:
        w = np.array(self.w)
        y, one, two = streams.draw_shared("data", lambda rng: self.models.draw(rng, self.classes))
        cut_1, cut_2 = self.models.thresholds(w)
        found = cost_difference(
            y, one, two, method=self.method, thresholds=(cut_1, cut_2), w=w,
            level=self.level, simultaneous=self.simultaneous, rng=streams.own_rng("draws"),
            n_resamples=self.n_draws,
        )  # fmt: skip
        truth = -self.models.difference(w)  # cost 1 minus cost 2
        called = np.where(found.lower > 0.0, 1.0, np.where(found.upper < 0.0, -1.0, 0.0))
        return {
            "wrong": float(((called != 0.0) & (called != np.sign(truth))).any()),
            "flagged": float((called != 0.0).any()),
            "together": float(((found.lower <= truth) & (truth <= found.upper)).all()),
            "critical": found.critical_value,
        }


def _measured(found: Any, truth: FloatArray) -> dict[str, float | list[float]]:
    width = found.upper - found.lower
    return {
        "holds at": check_held(found.lower, found.upper, truth).tolist(),
        "point at": np.asarray(width <= 0.0, np.float64).tolist(),
        "width at": width.tolist(),
    }


# Coverage without noise: every outcome, times its probability

_REACH = 6.0  # standard deviations, and as many counts as
_EXTRA = 20  # a distribution of few errors needs; about 1e-7 lies beyond
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
        return {**super().facts(), "method": f"{self.method}, enumerated"}

    @property
    def source(self) -> object:
        return self

    def measure(self, streams: Streams) -> Measured:
        w, cut = self._at, self.model.thresholds(self._at)
        truth = put_on_scale(self.model.cost(w, cut), w, self.sampling)
        rates = zip(*self.model.rates(cut), strict=True)
        columns = [self._one(*at) for at in zip(w, rates, truth, strict=True)]
        holds, point, width = (list(column) for column in zip(*columns, strict=True))
        return {"holds at": holds, "point at": point, "width at": width}

    def _one(
        self, w: float, rates: tuple[float, float], truth: float
    ) -> tuple[float, float, float]:
        fn, fp, mass = self._outcomes(*rates)
        n_pos, n_neg = self._sizes
        # Full sampling sees the number of rows only: any split will do that has so many errors.
        # Rows of one class alone, all of them wrong, make limits of no width.
        split = np.clip(n_pos, fn, n_pos + n_neg - fp)
        given = condition_arguments(np.array([w]), self.sampling)
        critical = float(ndtri((1.0 + self.level) / 2.0))
        low, high = np.zeros((2, fn.size))
        for pos in np.setdiff1d(split, [0, n_pos + n_neg]).tolist():
            here = split == pos
            sizes = (pos, n_pos + n_neg - pos)
            at = build_conditions(**given, sampling=self.sampling, sizes=sizes)
            terms = CostTerms.of_counts(fn[here], fp[here], at.repeat(int(here.sum())))
            found = METHODS[self.method]().find_limits(terms, self.level, critical)
            low[here], high[here] = np.clip([found.lower, found.upper], 0.0, 1.0)
        columns = (check_held(low, high, np.asarray(truth)), low >= high, high - low)
        holds, point, width = (float(mass @ column) for column in columns)
        return holds, point, width

    @property
    def _sizes(self) -> tuple[int, int]:
        if isinstance(self.classes, FixedClasses):
            return self.classes.n_pos, self.classes.n_neg
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


@dataclass(frozen=True)
class EnumeratedInside(Enumerated):
    """The coverage in those test sets whose range of scores has the threshold inside.

    Parameters
    ----------
    within : {'each', 'all'}, default 'each'
        The range of each class's scores, or that of all scores.

    Notes
    -----
    `inside at`: probability of such a test set; the other figures are for these sets alone.
    """

    within: Literal["each", "all"] = "each"

    def measure(self, streams: Streams) -> Measured:
        rates = zip(*self.model.rates(self.model.thresholds(self._at)), strict=True)
        inside = [float(self._keep(*at)[2].sum()) for at in rates]
        return {**super().measure(streams), "inside at": inside}

    def _outcomes(self, fnr: float, fpr: float) -> tuple[CountArray, CountArray, FloatArray]:
        fn, fp, mass = self._keep(fnr, fpr)
        return fn, fp, np.asarray(mass / mass.sum())

    def _keep(self, fnr: float, fpr: float) -> tuple[CountArray, CountArray, FloatArray]:
        """Take outcomes with rows on both sides: of each class, or of all rows."""
        fn, fp, mass = super()._outcomes(fnr, fpr)
        n_pos, n_neg = self._sizes
        if self.within == "each":
            keep = (fn > 0) & (fn < n_pos) & (fp > 0) & (fp < n_neg)
        else:
            keep = (fn + n_neg - fp > 0) & (n_pos - fn + fp > 0)
        return fn[keep], fp[keep], mass[keep]


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
