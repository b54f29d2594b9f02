"""A band in other coordinates: precision-recall, gains, lift, DET, costs and net benefit.

A view maps (part of) the unit square one to one. The image of a region contains the image of a
curve exactly if the region contains the curve, so a view has the level of its band.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, TypeAlias

import numpy as np

from rocbands.core.arguments import VIEWS
from rocbands.core.attributes import Derived, Level, Number, Rate, type_columns
from rocbands.core.band import Band, Future, say_band
from rocbands.core.checks import FloatArray, check_choice, check_share, check_unit_interval
from rocbands.core.columns import Numbers
from rocbands.core.comparison import BetterRange
from rocbands.core.curve import Curve
from rocbands.core.method import Coverage
from rocbands.core.phrases import count_classes, usual_fpr
from rocbands.core.randomness import Rng, Simulation
from rocbands.core.region import CurveLike, read_points
from rocbands.core.result import document_plot, percent, require
from rocbands.core.roc import CurveFacts, RocCurve
from rocbands.errors import InputError, Message, arg
from rocbands.views.coordinates import (
    COORDINATES,
    Coordinates,
    MappedCoordinates,
    NetBenefit,
    NetBenefitLead,
    map_curve,
)
from rocbands.views.decisions import DecisionRange, find_better_range, say_range
from rocbands.views.regions import Image, Product, Profile
from rocbands.views.sections import Limits, Sections

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SMALLEST_SHARE = 1e-9  # of a class: below it sections of the band are lost in rounding
_CROSS = 2e-5  # by which limits may cross: best points of edges are found to about 1e-6
Rule: TypeAlias = Literal["given", "profile", "product", "none needed"]
ViewRegion: TypeAlias = Image | Profile


@dataclass(frozen=True, eq=False, repr=False)
class View(CurveFacts):
    """A confidence band in other coordinates.

    Attributes
    ----------
    band : Band
        The band in ROC space.
    name : str
        Which view: 'pr', 'gains', 'lift', 'det', 'cost', 'net-benefit' or 'roc'.
    region : ViewRegion
        The region in the view's coordinates; :meth:`contains`, :meth:`lower_at` and
        :meth:`upper_at` ask it.
    prevalence : float or None
        The prevalence that was given; None where it is estimated from the rows, or not needed.
    rule : {'given', 'profile', 'product', 'none needed'}
        How the prevalence enters.
    notes : tuple of str
        Notes on this view.
    better : tuple of BetterRange
        Of net benefit: the threshold probabilities at which the model (1) at its best threshold is
        better than both treating all and treating none.

    Examples
    --------
    >>> import rocbands as rb
    >>> sample = rb.load_example()
    >>> band = rb.roc_band(sample["logistic"])
    >>> band.view("gains", prevalence=0.37).contains(lambda rate: rate)  # calling at random
    False
    """

    schema: ClassVar[str] = "rocbands.view/1"
    SKETCH: ClassVar[tuple[str, str, str, str] | None] = ("at", "lower", "centre", "upper")
    FACTS: ClassVar[str] = (
        "view abscissa ordinate rule prevalence method level coverage target future guarantee "
        "notes n_pos n_neg area"
    )
    COLUMNS: ClassVar[Mapping[str, Any]] = type_columns((Number, "at lower centre upper"))
    # Of net benefit only.
    MORE: ClassVar[Mapping[str, Any]] = type_columns(
        (Number, "treat_all difference difference_lower difference_upper")
    )

    band: Band
    name: str
    region: ViewRegion
    prevalence: float | None = None
    rule: Rule = "given"
    notes: tuple[str, ...] = ()

    def _check(self) -> None:
        # The band has been checked; limits are checked when they are computed, since computing them
        # here would take longer than making the band.
        known = self.prevalence is not None
        require(
            (self.rule == "given") == known, "A prevalence must be stored just where it was given."
        )

    coordinates = Derived[Coordinates](
        lambda view: COORDINATES[view.name](), "The axes and the maps of the view."
    )
    view = Derived[str](lambda view: view.name, "The name of the view.")
    abscissa = Derived[str](lambda view: view.coordinates.abscissa, "What the limits are given at.")
    ordinate = Derived[str](
        lambda view: view.coordinates.ordinate, "What the limits are limits of."
    )
    roc = Derived[RocCurve](lambda view: view.band.roc, "The empirical curve.")
    level = Derived[Level](lambda view: view.band.level, "Nominal confidence level.")
    coverage = Derived[Coverage](
        lambda view: view.band.coverage,
        "What the level is for: 'simultaneous' for the whole curve.",
    )
    method = Derived[Any](lambda view: view.band.method, "The method that made the band.")
    guarantee = Derived[str](
        lambda view: view.band.guarantee, "What is known about the level of the band."
    )
    target = Derived[str](lambda view: view.band.target, "What the band is for.")
    future = Derived[Future](
        lambda view: view.band.future,
        "Class sizes of the future test set, where the band is for its curve.",
    )
    simulation = Derived[Simulation | None](
        lambda view: view.band.simulation, "How random numbers entered the band."
    )
    lower = Derived[Curve](lambda view: view._polylines[0], "Lower limit as a polyline.")
    upper = Derived[Curve](lambda view: view._polylines[1], "Upper limit as a polyline.")

    @property
    def share(self) -> Rate:
        """The prevalence that curves are drawn at: as given, or that of the rows."""
        return self.band.roc.prevalence if self.prevalence is None else self.prevalence

    def lower_at(self, x: Numbers) -> FloatArray:
        """Lower limit at any abscissa."""
        return self._limits(x)[0]

    def upper_at(self, x: Numbers) -> FloatArray:
        """Upper limit at any abscissa."""
        return self._limits(x)[1]

    def _limits(self, x: Numbers) -> Limits:
        name = self.abscissa.replace(" ", "_")
        at = check_unit_interval(x, name)
        last = self.coordinates.grid()[-1]
        if last < 1.0 and (at >= 1.0).any():  # the odds of 1 are infinite
            raise InputError("must lie below 1", "got 1", "", argument=name)
        low, high = (side.reshape(at.shape) for side in self.region.limits(at.ravel()))
        ordered = (low <= high + _CROSS * np.maximum(high, 1.0)).all()
        require(ordered, "A lower limit of a view must not exceed the upper one.")
        # Lower and upper limits may cross by rounding.
        return np.minimum(low, high), high

    def contains(self, curve: CurveLike) -> bool:
        """Tell whether `curve` lies entirely inside.

        Parameters
        ----------
        curve : RocCurve, pair of arrays, or callable
            A pair has abscissae and ordinates of the view, such as (recall, precision); a callable
            maps an array of abscissae to ordinates. Points are joined by straight lines in ROC
            space. Points with recall 0 are ignored where precision is asked. An ROC curve is taken
            at the view's prevalence; where that is estimated, at the curve's own share of
            positives.
        """
        if isinstance(curve, RocCurve):
            return all(self.region.contains_roc(end) for end in dict.fromkeys(curve.extremes))
        names = self.abscissa.replace(" ", "_"), self.ordinate.replace(" ", "_")
        if not isinstance(self.coordinates, MappedCoordinates):
            raise InputError(
                f"must be an ROC curve: different curves have the same {self.coordinates.title}",
                f"got {type(curve).__name__}",
                argument="curve",
            )
        # Lift may exceed 1; lift relative to its maximum may not.
        largest = 1.0 / self.share if self.name == "lift" else 1.0
        return self.region.contains(*read_points(curve, names, largest))

    @cached_property
    def _polylines(self) -> tuple[Curve, Curve]:
        return self.region.polylines()

    @cached_property
    def curve(self) -> Curve:
        """The band's own curve in the view, as a polyline."""
        if isinstance(self.coordinates, MappedCoordinates):
            return map_curve(self.band.curve, self.coordinates, self.share)
        x = self.lower.x
        return Curve(x, self._centre_at(x))

    def _centre_at(self, x: FloatArray) -> FloatArray:
        """Evaluate the band's own curve; where it drops at one recall, take the higher value."""
        return evaluate_curve(self.band.curve, self.coordinates, x, self.share)

    @property
    def area(self) -> Number:
        """Area between the limits."""
        return max(self.upper.area - self.lower.area, 0.0)

    @document_plot
    def plot(
        self,
        ax: Axes | None = None,
        *,
        label: str | None = None,
        color: Any = None,
        curve_kwargs: Mapping[str, Any] | None = None,
        band_kwargs: Mapping[str, Any] | None = None,
        iso_f1: bool = False,
        mark: float | None = None,
        legend: bool | str = True,
    ) -> Axes:
        """Draw the band and its curve.

        Parameters
        ----------
        iso_f1 : bool, default False
            Whether to draw lines of equal F1 behind a precision-recall curve.
        mark : float, optional
            Abscissa whose limits are marked and written, such as the share of cases that can be
            examined in a gains curve.
        """
        lines = {"iso_f1": iso_f1} if self.name == "pr" else {}
        return self._draw(
            ax,
            label=label,
            color=color,
            curve_kwargs=curve_kwargs,
            band_kwargs=band_kwargs,
            mark=mark,
            legend=legend,
            **lines,
        )

    def facts(self) -> Mapping[str, object]:
        return {**super().facts(), "method": self.band.method.record}

    def _brief(self) -> str:
        return f"{self.name}, {self.band._brief()}"

    def columns(self) -> Mapping[str, Any]:
        return self._rows(self.coordinates.grid())

    def _rows(self, x: FloatArray) -> dict[str, Any]:
        low, high = self._limits(x)
        rows = {"at": x, "lower": low, "centre": self._centre_at(x), "upper": high}
        return rows | (self.compare_defaults(x) if self._net_benefit else {})

    @property
    def better(self) -> tuple[BetterRange, ...]:
        """Where the model at its best threshold is better than treating all and treating none."""
        region = self._net_benefit
        return () if region is None else find_better_range(region)

    @property
    def _net_benefit(self) -> Image | None:
        """The region, if it is one of net benefit."""
        known = isinstance(self.region, Image) and isinstance(self.coordinates, NetBenefit)
        return self.region if known else None  # type: ignore[return-value]

    def compare_defaults(self, x: FloatArray) -> dict[str, FloatArray]:
        """Return the net benefit of treating all, and the model's lead over all and none.

        The lead is the difference from the better of both; its limits have the level of the band.
        """
        region = self._net_benefit
        if region is None:
            raise InputError("There are alternatives to net benefit only", f"this is {self.name!r}")
        lead = NetBenefitLead()
        treat_all = lead.treat_all(x, self.share)
        low, high = Image(region.band, lead, region.low, region.high).limits(x)
        gap = np.clip(self._centre_at(x) - np.maximum(treat_all, 0.0), low, high)
        columns = treat_all, gap, low, np.maximum(high, low)
        return dict(zip(self.MORE, columns, strict=True))

    @property
    def sentence(self) -> str:
        """The band at one abscissa in words; of net benefit, where the model is worth using."""
        if self._net_benefit:
            return say_range(self.better)
        along_fpr = self.abscissa == "fpr"
        at = usual_fpr(self.n_pos, self.n_neg) if along_fpr else self.coordinates.spoken_at
        x = np.array([at])
        (low,), (high,) = self._limits(x)
        return self.coordinates.say(at, float(self._centre_at(x)[0]), float(low), float(high))

    def describe(self) -> tuple[str, Mapping[str, Any]]:
        what = self.coordinates.title
        target = f"true {what}"
        if self.future is not None:
            n_pos, n_neg = self.future
            target = f"{what} of a future set of {n_pos} positives and {n_neg} negatives"
        lines = [
            f"{say_band(self.level, self.coverage, self.band.method)} ({self.band.method.name}) "
            f"for the {target}.",
            f"{count_classes(self.n_pos, self.n_neg)}.",
            *self.notes,
        ]
        rows = self._rows(self.coordinates.grid()[::10])
        names = {"at": self.abscissa, "centre": self.ordinate}
        return "\n".join(lines), {names.get(key, key): column for key, column in rows.items()}


@dataclass(frozen=True, eq=False)
class _Line:
    """A curve as a region without width."""

    straight: ClassVar[bool] = True
    curve: Curve

    lower_at = Derived[Any](lambda line: line.curve.low, "Lower edge at each fpr.")
    upper_at = Derived[Any](lambda line: line.curve.high, "Upper edge at each fpr.")
    mirrored = Derived[Any](lambda line: _Line(line.curve.mirrored), "For swapped classes.")

    def edges(self) -> tuple[Curve, Curve]:
        return self.curve, self.curve


def evaluate_curve(curve: Curve, coordinates: Coordinates, x: FloatArray, p: float) -> FloatArray:
    """Evaluate a curve of ROC space in a view, at prevalence `p`; of several values take the best.

    On a vertical piece of the curve these are the highest ordinate, or the lowest fnr.
    """
    limits = coordinates.limits(Sections(_Line(curve)), x, p, p)
    return limits[0 if coordinates.name == "det" else 1]


class _Request(NamedTuple):
    """What is asked of :func:`build_view`."""

    band: Band
    coordinates: Coordinates
    prevalence: float | None
    rng: Rng

    @property
    def future_share(self) -> float:
        n_pos, n_neg = self.band.future or (0, 1)
        return n_pos / (n_pos + n_neg)

    def image(self, share: float, *notes: str) -> View:
        """Return the image of the band at one prevalence."""
        region = Image(self.band, self.coordinates, share, share)
        return self.view(region, share, "given", *notes)

    def view(self, region: ViewRegion, share: float | None, rule: Rule, *notes: str) -> View:
        start = (_NOTHING_KNOWN,) if self.coordinates.name == "pr" else ()
        band = self.band
        doubts = band.method.note_doubts(band.roc, band.future)
        said = (*start, *(doubt for doubt in doubts if doubt in band.notes), *notes)
        return View(band, self.coordinates.name, region, share, rule, said)


_NOTHING_KNOWN = "Nothing is known at recall 0: the band starts as wide as the data make it."


def _choose_view(ask: _Request) -> View:
    """Return the view by the first rule that applies: how the prevalence enters."""
    band, coordinates = ask.band, ask.coordinates
    if not coordinates.uses_prevalence:
        return ask.view(Image(band, coordinates, 0.5, 0.5), None, "none needed")
    rows = _percent(band.roc.prevalence)
    if band.future is not None:
        share = ask.future_share
        return ask.image(share, f"At the prevalence of the future set, {_percent(share)}.")
    if ask.prevalence is not None:
        note = f"At a prevalence of {_percent(ask.prevalence)}; that of the rows is {rows}."
        return ask.image(ask.prevalence, note)
    estimated = Message(
        "The share of positives of these rows, {}, is an estimate of the population's, and "
        "the limits allow for its error. If the classes were sampled separately, pass {}.",
        rows,
        arg("prevalence"),
    )
    if Profile.is_possible(band, coordinates):
        return ask.view(Profile.from_band(band, coordinates), None, "profile", estimated)
    product = Product.from_band(band, coordinates, ask.rng)
    each = f"{100 * product.band.level:.4g}%"
    note = (
        f"The band at {each} and the prevalence at {each} ({_percent(product.low)} to "
        f"{_percent(product.high)}) hold simultaneously at {percent(band.level)}."
    )
    return ask.view(product, None, "product", estimated, note)


def _list_refusals(ask: _Request) -> Iterator[tuple[bool, str, str, str]]:
    """List the checks: the condition for refusal, the rule, what was found, and the remedy."""
    band, view = ask.band, ask.coordinates
    given, future = ask.prevalence is not None, band.future is not None
    leave_out = Message("Leave {} out.", arg("prevalence"))
    yield (
        band.coverage == "pointwise" and not view.same_abscissa,
        f"The band of method {band.method.name!r} is pointwise: limits pointwise in the fpr "
        f"are not pointwise in the {view.abscissa}",
        "",
        "Use a simultaneous method.",
    )
    yield (
        given and not view.uses_prevalence,
        f"View {view.name!r} does not depend on the prevalence",
        Message("{} was given", arg("prevalence")),
        leave_out,
    )
    yield (
        given and future,
        "The prevalence of a future set follows from its class sizes",
        Message("{} was given in addition to {}", arg("prevalence"), arg("future")),
        leave_out,
    )
    yield (
        view.uses_prevalence
        and future
        and not SMALLEST_SHARE <= ask.future_share <= 1.0 - SMALLEST_SHARE,
        f"The share of positives must be at least {SMALLEST_SHARE:g} away from 0 and 1",
        Message("{} has {:.3g}", arg("future"), ask.future_share),
        "Use larger numbers of the rarer class.",
    )
    rows = float(f"{band.roc.prevalence:.3g}")
    yield (
        view.uses_prevalence and not (future or given) and bool(band.roc.folds),
        "The error of the prevalence is not estimated for rows in folds",
        "",
        Message("Pass {}, or that of the population.", arg("prevalence", rows)),
    )


def build_view(band: Band, name: str, prevalence: float | None = None, rng: Rng = 0) -> View:
    """Return a band in the coordinates of a view.

    `name`: one of `COORDINATES`. `prevalence`: share of positives where the model will be used.
    """
    if name == "threshold":
        raise InputError(
            "A band contains the curve, not the positions of thresholds on it: two models with the "
            "same curve and shifted scores have the same band",
            "",
            Message("For single thresholds use operating_points with {}.", arg("threshold")),
        )
    check_choice(name, tuple(COORDINATES), "name", VIEWS)
    if prevalence is not None:
        prevalence = check_share(prevalence, "prevalence", SMALLEST_SHARE)
    ask = _Request(band, COORDINATES[name](), prevalence, rng)
    for applies, problem, found, remedy in _list_refusals(ask):
        if applies:
            raise InputError(problem, found, remedy)
    return _choose_view(ask)


def build_better_range(band: Band, prevalence: float | None, rng: Rng) -> DecisionRange:
    """Find the range of a band; see :meth:`rocbands.results.Band.better_between`."""
    view = build_view(band, "net-benefit", prevalence, rng)
    low, high = view.better[0][1:] if view.better else (np.nan, np.nan)
    return DecisionRange(
        low, high, band.level, view.prevalence, view.rule, band.method.name, band.n_pos,
        band.n_neg, view.notes,
    )  # fmt: skip


def _percent(share: float) -> str:
    return f"{100.0 * share:.3g}%"
