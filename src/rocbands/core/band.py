"""A confidence band, and the base class of the methods that make one."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

import numpy as np
import numpy.typing as npt

from rocbands.core.attributes import Level, Rate
from rocbands.core.checks import FloatArray, check_rate, check_unit_interval
from rocbands.core.columns import Numbers
from rocbands.core.curve import Curve
from rocbands.core.method import Coverage, Method, Request
from rocbands.core.phrases import count_classes, in_100, usual_fpr
from rocbands.core.randomness import Rng, Simulation, share_source
from rocbands.core.region import (
    BetweenRegion,
    CurveLike,
    Region,
    SidedRegion,
    SpannedRegion,
    as_curve,
    cut_at_fpr,
    split_at_curve,
)
from rocbands.core.result import RocAxis, document_plot, percent, require
from rocbands.core.roc import CurveFacts, RocCurve
from rocbands.core.tolerance import SAME, SLACK
from rocbands.errors import InputError, Message, arg

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rocbands.views.decisions import DecisionRange
    from rocbands.views.view import View

Future: TypeAlias = tuple[int, int] | None

# Rows of the printed table, and of the whole table.
_SCREEN = np.array([0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0])
_TABLE = np.unique(np.concatenate([[0.001, 0.002, 0.005], np.arange(101) / 100]))
_LOW = np.array([1e-6, 1e-5, 1e-4, 0.001, 0.005])  # further rows, if there are many negatives:
_LOGGED = np.array([0.01, 0.05, 0.1])  # in metrics
_RESOLVED = 5  # least number of negatives below a rate
# Rates at which a new band is checked; its edges are checked in full when they are computed.
_COARSE = np.array([0.0, 0.05, 0.2, 0.5, 0.8, 0.95, 1.0])
_FEW = np.array([0.02, 0.05, 0.1, 0.2, 0.5, 0.8])  # where Monte Carlo errors of edges are found

_FEWEST_GROUPS = 5
_CROSSED = "The lower edge of a band must not lie above its upper edge."


@dataclass(frozen=True)
class BandMethod(Method):
    """Base class of band methods, also for your own.

    A subclass is a frozen dataclass: its fields are its parameters, its class attributes are those
    of :class:`rocbands.core.method.Method`. It defines :meth:`build_band`, which makes one band, or
    :meth:`build_bands`, which makes several, for different levels or targets, from the same
    computation. Calling the method checks the request first: designs that are not in `handles`
    raise an error.

    Attributes
    ----------
    monotone : bool
        Whether a higher curve always gives higher edges. The band of a binned curve is then made
        here, from the lowest and the highest curve that the bins allow, and :meth:`build_band`
        never gets bins. `handles` must also contain 'bins'.
    reported_for : tuple of {'independent', 'clusters', 'folds'}
        The kinds of rows for which :func:`rocbands.report` shows the method.
    assumes : str
        What must be true of the scores, such as 'binormal scores'; printed bands say it.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> import rocbands as rb
    >>> from rocbands.core.region import DisplacedRegion
    >>> @dataclass(frozen=True)
    ... class Generous(rb.bands.BandMethod):
    ...     name = "generous"
    ...     coverage = "simultaneous"
    ...     guarantee = "none; this is an example"
    ...     width: float = 0.2
    ...
    ...     def build_band(self, roc, request):
    ...         region = DisplacedRegion(roc.curve, self.width, 1.0)
    ...         return rb.results.Band(roc, region, request.level, self)
    >>> rb.roc_band([1, 0, 1, 0, 0], [5, 4, 3, 2, 1], method=Generous(0.3)).upper_at(0.5)
    array(1.)
    """

    question: ClassVar[str] = "bands"
    monotone: ClassVar[bool] = False
    reported_for: ClassVar[tuple[str, ...]] = ()
    assumes: ClassVar[str] = ""

    def __init_subclass__(cls, *, abstract: bool = False, **options: Any) -> None:
        super().__init_subclass__(**options)
        own = ("build_band", "build_bands")
        if not abstract and all(getattr(cls, name) is getattr(BandMethod, name) for name in own):
            raise TypeError(f"{cls.__name__} must define build_band or build_bands")

    def __call__(
        self, roc: RocCurve, *, level: float = 0.95, future: Future = None, rng: Rng = 0
    ) -> Band:
        """Make the band of a curve.

        Parameters
        ----------
        roc : RocCurve
            The empirical curve.
        level : float, default 0.95
            Confidence level, strictly between 0 and 1.
        future : (int, int), optional
            Class sizes (n_pos, n_neg) of a future test set whose curve the band is for.
        rng : None, int, SeedSequence or Generator, default 0
            Source of randomness, for methods that need one; see :func:`rocbands.roc_band`.
        """
        return self.at_levels(roc, (level,), futures=(future,), rng=rng)[0]

    def at_levels(
        self,
        roc: RocCurve,
        levels: Sequence[float],
        *,
        futures: Sequence[Future] = (None,),
        rng: Rng = 0,
    ) -> list[Band]:
        """Make the bands of all levels and targets, target by target, in one computation.

        Each is the same as if computed alone.
        """
        if rng is None:
            rng = share_source(rng)
        requests = [
            self.check_request(roc, level=level, future=future, rng=rng)
            for future in futures
            for level in levels
        ]
        self._check_clusters(roc)
        if not requests:
            return []
        spans = roc.binned and self.monotone
        bands = self._span_bins(roc, requests) if spans else self.build_bands(roc, requests)
        if more := (*roc.bin_notes, *roc.score_notes):
            bands = [dataclasses.replace(band, notes=(*band.notes, *more)) for band in bands]
        return bands

    def build_band(self, roc: RocCurve, request: Request) -> Band:
        """Make one band; the request is checked."""
        return self.build_bands(roc, [request])[0]

    def build_bands(self, roc: RocCurve, requests: Sequence[Request]) -> list[Band]:
        """Make several bands of one curve; by default one by one, all from the same rng."""
        *others, last = requests
        # With copies of the stream each band is as if computed alone; the last one advances it.
        alone = [dataclasses.replace(request, source=deepcopy(request.rng)) for request in others]
        return [self.build_band(roc, request) for request in (*alone, last)]

    def note_doubts(self, roc: RocCurve, future: Future = None) -> tuple[str, ...]:
        """Note data on which the measured coverage is too low; bands and their views say it."""
        return ()

    def _span_bins(self, roc: RocCurve, requests: Sequence[Request]) -> list[Band]:
        """Use the lower edge of the lowest possible curve and the upper edge of the highest."""
        low, high = (self.build_bands(extreme, requests) for extreme in roc.extremes)
        bands = []
        for below, above in zip(low, high, strict=True):
            low_region, high_region = below.region, above.region
            if not (isinstance(low_region, SidedRegion) and isinstance(high_region, SidedRegion)):
                raise TypeError(f"Bins need a region with `misses`; {self.name!r} makes another.")
            region = SpannedRegion(low_region, high_region)
            notes = tuple(dict.fromkeys((*below.notes, *above.notes)))
            drawn = Simulation.join((below.simulation, above.simulation))
            bands.append(
                dataclasses.replace(
                    below, roc=roc, region=region, method=self, notes=notes, simulation=drawn
                )
            )
        return bands

    def _check_clusters(self, roc: RocCurve) -> None:
        """Refuse too few clusters for a bootstrap of clusters."""
        parts = [part for part in roc.folds or (roc,) if part.clusters is not None]
        if parts and getattr(self, "stratified", False):
            raise InputError(
                "Whole clusters are resampled",
                Message("{} is for independent rows", arg("stratified", True)),
                Message("Leave {} or {} out.", arg("stratified"), arg("clusters")),
            )
        for part in parts:
            if part.clusters is not None and part.clusters.size < _FEWEST_GROUPS:
                where, finer = ("a fold", ", or fewer folds") if roc.folds else ("the test set", "")
                raise InputError(
                    f"Drawing whole clusters needs at least {_FEWEST_GROUPS} of them in each set "
                    "that is resampled",
                    f"{where} has {part.clusters.size}",
                    f"Use finer clusters{finer}.",
                )


@dataclass(frozen=True, eq=False, repr=False)
class Band(CurveFacts):
    """A confidence band around an ROC curve.

    Attributes
    ----------
    roc : RocCurve
        The empirical curve.
    region : Region
        The closed region between the edges.
    level : float
        Nominal confidence level.
    method : BandMethod
        The method that made the band, with its parameters.
    future : (int, int) or None
        Class sizes of the future test set whose curve the band is for; None for the true curve.
    notes : tuple of str
        Notes on this band.
    centre : Curve or None
        The centre of the band if it is not the empirical curve but an average over folds or
        resamples.
    target : str
        What the band is for; by default the true curve, or the future one.
    centre_name : str
        Name of the centre in plots.
    simulation : Simulation or None
        Seed, number of resamples and Monte Carlo error, where the band is simulated.

    Examples
    --------
    >>> import rocbands as rb
    >>> band = rb.roc_band([1, 1, 0, 1, 0, 0], [6, 5, 4, 3, 2, 1], method="joint-region")
    >>> band.coverage, band.contains(lambda fpr: fpr)
    ('simultaneous', True)
    """

    schema: ClassVar[str] = "rocbands.band/1"
    SKETCH: ClassVar[tuple[str, str, str, str] | None] = ("fpr", "lower", "tpr", "upper")
    FACTS: ClassVar[str] = (
        "method level coverage target future guarantee notes n_pos n_neg auc area degenerate"
    )
    COLUMNS: ClassVar[Mapping[str, Any]] = {"fpr": Rate, "lower": Rate, "tpr": Rate, "upper": Rate}

    roc: RocCurve
    region: Region
    level: Level
    method: BandMethod
    future: Future = None
    notes: tuple[str, ...] = ()
    centre: Curve | None = None
    target: str = ""
    centre_name: str = "average curve"
    simulation: Simulation | None = None

    def __post_init__(self) -> None:
        if not self.target:
            target = "true curve"
            if self.future is not None:
                target = "future curve of {} positives and {} negatives".format(*self.future)
            object.__setattr__(self, "target", target)
        super().__post_init__()

    def _check(self) -> None:
        """Raise an error if the edges cross or leave the unit square.

        Stored edges are compared completely, others at a few rates. Regions whose edges are
        expensive, but ordered by construction, have an attribute `ordered`.
        """
        region = self.region
        if isinstance(region, BetweenRegion):
            _check_square(region.lower.y, region.upper.y)
            require(not region.crossed, _CROSSED)
        elif not getattr(region, "ordered", False):
            _check_edges(region.lower_at(_COARSE), region.upper_at(_COARSE))

    @property
    def coverage(self) -> Coverage:
        """'simultaneous': the level is for the whole curve; 'pointwise': for each fpr alone."""
        return self.method.coverage

    @property
    def guarantee(self) -> str:
        """What is known about the level: a theorem, or a measurement."""
        return self.method.guarantee

    @property
    def curve(self) -> Curve:
        """The curve to draw with the band: its centre, or else the empirical curve."""
        return self.roc.curve if self.centre is None else self.centre

    @property
    def auc(self) -> Rate:
        """Area under :attr:`curve`."""
        return self.roc.auc if self.centre is None else self.centre.area

    def lower_at(self, fpr: Numbers) -> FloatArray:
        """Lower edge at any fpr; 1 at fpr 1, where every curve ends."""
        at = check_unit_interval(fpr, "fpr")
        return np.where(at == 1.0, 1.0, self.region.lower_at(at))

    def upper_at(self, fpr: Numbers) -> FloatArray:
        """Upper edge at any fpr; 1 at fpr 1, where every curve ends."""
        at = check_unit_interval(fpr, "fpr")
        return np.where(at == 1.0, 1.0, self.region.upper_at(at))

    def tpr_at(self, fpr: Numbers) -> FloatArray:
        """Height of :attr:`curve`, the centre of the band, at any fpr."""
        return self.curve.high(check_unit_interval(fpr, "fpr"))

    def threshold_at(
        self, fpr: Numbers | None = None, *, tpr: Numbers | None = None
    ) -> npt.NDArray[Any]:
        """Lowest threshold with at most a given fpr on these rows, or highest with a given tpr."""
        return self.roc.threshold_at(fpr, tpr=tpr)

    def contains(self, curve: CurveLike, *, from_fpr: float = 0.0) -> bool:
        """Tell whether the whole of `curve` lies inside the band.

        Parameters
        ----------
        curve : RocCurve, (fpr, tpr) or callable
            A callable maps an array of fpr to tpr.
        from_fpr : float, default 0
            Test only the part of the curve from this fpr on.
        """
        if isinstance(curve, RocCurve) and curve.binned:  # whatever the bins hide
            return all(self.contains(end, from_fpr=from_fpr) for end in curve.extremes)
        asked, start = as_curve(curve), check_rate(from_fpr, "from_fpr")
        if start > 0.0:
            asked = cut_at_fpr(asked, self._inner_curve, start)
        return self.region.contains(asked)

    def misses(self, curve: CurveLike) -> tuple[bool, bool]:
        """Tell whether `curve` leaves the band above, and whether it leaves it below.

        Examples
        --------
        >>> import rocbands as rb
        >>> sample = rb.load_example()
        >>> band = rb.roc_band(sample["logistic"])
        >>> band.misses(lambda fpr: fpr)  # chance is too bad to be the true curve
        (False, True)
        """
        if isinstance(curve, RocCurve) and curve.binned:  # whatever the bins hide
            low, high = curve.extremes
            return self.misses(high)[0], self.misses(low)[1]
        if isinstance(self.region, SidedRegion):
            return self.region.misses(as_curve(curve))
        above, below = split_at_curve(as_curve(curve), self._inner_curve)
        return not self.region.contains(above), not self.region.contains(below)

    @cached_property
    def _inner_curve(self) -> Curve:
        """A curve inside the band: the centre, moved to the nearest edge where it is outside.

        An average can lie outside its percentile interval.
        """
        if self.region.contains(self.curve):
            return self.curve
        lower, upper = (as_curve(edge) for edge in self._edges)
        return split_at_curve(split_at_curve(self.curve, lower)[0], upper)[1]

    @cached_property
    def _edges(self) -> tuple[Curve, Curve]:
        lower, upper = self.region.edges()
        for edge in (lower, upper):
            ends = float(edge.x[0]), float(edge.x[-1])
            require(ends == (0.0, 1.0), f"An edge must run from fpr 0 to 1; got {ends}.")
        if lower.x is upper.x:  # both edges at the same abscissae
            _check_edges(lower.y, upper.y)
        else:
            at = np.linspace(0.0, 1.0, 65)
            _check_edges(lower.low(at), upper.high(at))
        return _close(lower), _close(upper)

    @property
    def lower(self) -> Curve:
        """Lower edge as a polyline."""
        return self._edges[0]

    @property
    def upper(self) -> Curve:
        """Upper edge as a polyline."""
        return self._edges[1]

    @property
    def area(self) -> Rate:
        """Area between the edges."""
        return max(self.upper.area - self.lower.area, 0.0)

    def view(self, name: str, *, prevalence: float | None = None, rng: Rng = 0) -> View:
        """Return the band in other coordinates, at the same level for the same whole curve.

        Parameters
        ----------
        name : {'roc', 'pr', 'gains', 'lift', 'det', 'cost', 'net-benefit'}
            The coordinates: 'pr' is precision against recall, 'gains' recall against the fraction
            called positive, 'lift' precision over prevalence against that fraction, 'det' false
            negative rate against false positive rate, 'cost' the smallest expected cost against the
            weight of false negatives, 'net-benefit' the largest net benefit against the threshold
            probability.
        prevalence : float, optional
            Fraction of positives where the model will be used. By default the prevalence of the
            rows; limits then include its error. 'roc', 'det' and 'cost' need none.
        rng : None, int, SeedSequence or Generator, default 0
            Source of randomness, if the band has to be computed again at another level.

        Examples
        --------
        >>> import rocbands as rb
        >>> sample = rb.load_example()
        >>> band = rb.roc_band(sample["logistic"])
        >>> pr = band.view("pr", prevalence=0.05)
        >>> print(f"{pr.lower_at(0.8):.3f} to {pr.upper_at(0.8):.3f}")
        0.117 to 0.287
        """
        # A late import, as in core.result.
        from rocbands.views.view import build_view

        return build_view(self, name, prevalence, rng)

    def better_between(self, *, prevalence: float | None = None, rng: Rng = 0) -> DecisionRange:
        """Find the threshold probabilities at which the model beats treating all and treating none.

        A case is treated if its probability is at least the threshold probability. The range is for
        the model at its best threshold, that is, after recalibration, and is simultaneous.

        Parameters
        ----------
        prevalence, rng
            As for :meth:`view`.

        Examples
        --------
        >>> import rocbands as rb
        >>> sample = rb.load_example()
        >>> band = rb.roc_band(sample["logistic"])
        >>> found = band.better_between(prevalence=0.1)
        >>> print(f"{found.low:.3f} to {found.high:.3f}")
        0.006 to 0.572
        """
        from rocbands.views.view import build_better_range

        return build_better_range(self, prevalence, rng)

    @property
    def degenerate(self) -> bool:
        """Whether the band has no width and is meaningless."""
        return self.area < SAME

    def facts(self) -> Mapping[str, object]:
        return {**super().facts(), "method": self.method.record}

    def to_metrics(self, prefix: str = "") -> dict[str, float]:
        """Return the headline numbers, and the curve with its limits at a few false positive rates.

        Parameters
        ----------
        prefix : str
            Prefix of each name, for example ``"test/"``.

        Examples
        --------
        >>> import rocbands as rb
        >>> sample = rb.load_example()
        >>> found = rb.roc_band(sample["logistic"]).to_metrics("roc/")
        >>> round(found["roc/tpr_at_fpr_0.1"], 3), round(found["roc/lower_at_fpr_0.1"], 3)
        (0.689, 0.567)
        """
        rows = self._rows(_LOGGED)
        at = {
            f"{prefix}{name}_at_fpr_{fpr:g}": float(value)
            for name in ("tpr", "lower", "upper")
            for fpr, value in zip(_LOGGED, rows[name], strict=True)
        }
        return super().to_metrics(prefix) | at

    def columns(self) -> Mapping[str, Any]:
        return self._rows(np.union1d(self._low_rates(), _TABLE))

    def _low_rates(self) -> FloatArray:
        return _LOW[_LOW * self.roc.n_neg >= _RESOLVED]

    def _rows(self, fpr: FloatArray) -> dict[str, Any]:
        tpr = self.curve.high(fpr)
        return {"fpr": fpr, "lower": self.lower_at(fpr), "tpr": tpr, "upper": self.upper_at(fpr)}

    @property
    def sentence(self) -> str:
        """What the band says at one false positive rate: 10%, or less for rare positives."""
        at = np.array([usual_fpr(self.n_pos, self.n_neg)])
        height, low, high = (
            float(of(at)[0]) for of in (self.curve.high, self.lower_at, self.upper_at)
        )
        whom = "" if self.future is None else " of a future test set"
        found = in_100(height, low, high, of=f"positives{whom}")
        return f"At a false positive rate of {percent(float(at[0]))} the scores find {found}."

    def describe(self) -> tuple[str, Mapping[str, Any]]:
        lines = [
            f"{say_band(self.level, self.coverage, self.method)} ({self.method.name}) "
            f"for the {self.target}.",
            f"{count_classes(self.roc.n_pos, self.roc.n_neg)}, AUC {self.auc:.4f}, "
            f"area between the edges {self.area:.4f}.",
            *self.notes,
        ]
        return "\n".join(lines), self._rows(np.union1d(self._low_rates(), _SCREEN))

    def _brief(self) -> str:
        return (
            f"{say_band(self.level, self.coverage, self.method)}, {self.method.name}, for the "
            f"{self.target}, {count_classes(self.roc.n_pos, self.roc.n_neg)}"
        )

    @document_plot
    def plot(
        self,
        ax: Axes | None = None,
        *,
        x: RocAxis = "fpr",
        log: bool = False,
        label: str | None = None,
        color: Any = None,
        curve_kwargs: Mapping[str, Any] | None = None,
        band_kwargs: Mapping[str, Any] | None = None,
        legend: bool | str = True,
    ) -> Axes:
        """Draw the band and the curve it was made from."""
        return self._draw(
            ax,
            x=x,
            log=log,
            label=label,
            color=color,
            curve_kwargs=curve_kwargs,
            band_kwargs=band_kwargs,
            legend=legend,
        )


def say_band(level: float, coverage: Coverage, method: BandMethod) -> str:
    """Name a band in words: its level, for what, and what it assumes."""
    assuming = f" assuming {method.assumes}" if method.assumes else ""
    return f"{percent(level)} {coverage} confidence band{assuming}"


def find_edge_error(region: Region, moved: Region) -> float:
    """Return the largest change of the edges when a simulated number changes, at a few fpr."""
    ends = ((region.lower_at, moved.lower_at), (region.upper_at, moved.upper_at))
    return float(max(np.abs(other(_FEW) - own(_FEW)).max() for own, other in ends))


def _check_edges(lower: FloatArray, upper: FloatArray) -> None:
    """Raise an error if the edges, at the same abscissae, cross or leave the unit square."""
    _check_square(lower, upper)
    require(np.minimum.reduce(upper - lower) >= -SLACK, _CROSSED)


def _close(edge: Curve) -> Curve:
    """Let an edge end in the corner (1, 1), where every curve ends."""
    if edge.y[-1] == 1.0:
        return edge
    return Curve(np.append(edge.x, 1.0), np.append(edge.y, 1.0))


def _check_square(lower: FloatArray, upper: FloatArray) -> None:
    inside = np.minimum.reduce(lower) >= 0.0 and np.maximum.reduce(upper) <= 1.0
    require(inside, "A band must lie inside the unit square.")
