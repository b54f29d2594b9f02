"""A band in other coordinates: precision-recall, gains, lift, DET, costs and net benefit.

A view maps (part of) the unit square one to one. The image of a region therefore contains the image
of a curve exactly if the region contains the curve, and the level of the band carries over as it
is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol, TypeAlias

import numpy as np

from rocbands.core.attributes import Level, Number, Rate, list_columns
from rocbands.core.band import Band, Future
from rocbands.core.checks import FloatArray, check_choice, check_share, check_unit_interval
from rocbands.core.columns import Numbers, score_column
from rocbands.core.containment import CurveLike, follow_function
from rocbands.core.curve import Curve
from rocbands.core.method import Coverage
from rocbands.core.randomness import Rng, Simulation
from rocbands.core.result import document_plot, percent, require
from rocbands.core.roc import CurveFacts, RocCurve
from rocbands.errors import InputError, Message, arg
from rocbands.views.coordinates import (
    COORDINATES,
    Coordinates,
    MappedCoordinates,
    map_curves,
    sample_limits,
)
from rocbands.views.estimated import Product, Profile, likelihood_regions
from rocbands.views.sections import Limits, Sections

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SMALLEST_SHARE = 1e-9  # of a class: below it sections of the band are lost in rounding
_CROSS = 2e-5  # by which limits may cross: as the best points of edges are found to 1e-6 or so
Rule: TypeAlias = Literal["given", "profile", "product", "none needed"]


class ViewRegion(Protocol):
    """A region in the coordinates of a view."""

    def limits(self, x: FloatArray) -> Limits:
        """Lower and upper limit of the ordinate at each abscissa."""
        ...

    def polylines(self, fine: bool = False) -> tuple[Curve, Curve]:
        """Lower and upper limit as lines; `fine` ones, for pictures, take longer."""
        ...

    def contains_roc(self, roc: RocCurve) -> bool:
        """Tell whether it contains the image of an ROC curve."""
        ...

    def contains(self, x: FloatArray, y: FloatArray) -> bool:
        """Tell whether it contains a curve of the view."""
        ...


@dataclass(frozen=True, eq=False)
class Image:
    """The image of a band's region at one prevalence."""

    band: Band
    coordinates: Coordinates  # the view
    prevalence: float  # share of positives; any number where the view uses none

    @cached_property
    def _sections(self) -> Sections:
        return Sections(self.band.region)

    def limits(self, x: FloatArray) -> Limits:
        """Limits of the ordinate at each abscissa."""
        p = self.prevalence
        return self.coordinates.limits(self._sections, x, p, p)

    def polylines(self, fine: bool = False) -> tuple[Curve, Curve]:
        """Images of the band's own lines; envelopes are evaluated along the axis."""
        name, p = self.coordinates.name, self.prevalence
        if not isinstance(self.coordinates, MappedCoordinates):
            sections = self._sections if fine else Sections(self.band.region, drawn=True)
            return sample_limits(
                lambda x: self.coordinates.limits(sections, x, p, p), self.coordinates, fine
            )
        if name == "roc":
            return self.band.lower, self.band.upper
        # Quotients of the two rates are drawn better with vertices along both axes.
        both = fine and name in ("pr", "lift")
        edges = self._sections.fine_edges if both else self._sections.edges
        lower, upper = map_curves(edges, self.coordinates, p, fine)
        return (upper, lower) if self.coordinates.name == "det" else (lower, upper)

    def contains_roc(self, roc: RocCurve) -> bool:
        """Ask the band."""
        return self.band.contains(roc)

    def contains(self, x: FloatArray, y: FloatArray) -> bool:
        """Map the curve back, vertex by vertex, and ask the band."""
        if not isinstance(self.coordinates, MappedCoordinates):
            raise TypeError("Envelopes of curves cannot be mapped back to ROC space.")
        return self.band.contains(self.coordinates.back(x, y, self.prevalence))


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
        What the reader should know about this view.

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
    COLUMNS: ClassVar[Mapping[str, Any]] = list_columns(
        (Number, "at lower centre upper"),
    )

    band: Band
    name: str
    region: ViewRegion
    prevalence: float | None = None
    rule: Rule = "given"
    notes: tuple[str, ...] = ()

    def _check(self) -> None:
        # The band has been checked, and limits are when they are asked for: to find them here would
        # take longer than to make the band.
        known = self.prevalence is not None
        require(
            (self.rule == "given") == known, "A prevalence must be stored just where it was given."
        )

    @property
    def simulation(self) -> Simulation | None:  # type: ignore[override]
        """How random numbers entered the band."""
        return self.band.simulation

    @property
    def coordinates(self) -> Coordinates:
        """The axes and the maps of the view."""
        return COORDINATES[self.name]()

    @property
    def view(self) -> str:
        """The name of the view."""
        return self.name

    @property
    def abscissa(self) -> str:
        """What the limits are given at."""
        return self.coordinates.abscissa

    @property
    def ordinate(self) -> str:
        """What the limits are limits of."""
        return self.coordinates.ordinate

    @property
    def level(self) -> Level:
        """Nominal confidence level."""
        return self.band.level

    @property
    def coverage(self) -> Coverage:
        """What the level is for: 'simultaneous' for the whole curve."""
        return self.band.coverage

    @property
    def method(self) -> Any:
        """The method that made the band."""
        return self.band.method

    @property
    def guarantee(self) -> str:
        """What is known about the level of the band."""
        return self.band.guarantee

    @property
    def target(self) -> str:
        """What the band is for."""
        return self.band.target

    @property
    def future(self) -> Future:
        """Class sizes of the future test set, where the band is for its curve."""
        return self.band.future

    @property
    def roc(self) -> RocCurve:  # type: ignore[override]
        """The empirical curve."""
        return self.band.roc

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
        # The two ends of a section may cross by rounding.
        return np.minimum(low, high), high

    def contains(self, curve: CurveLike) -> bool:
        """Tell whether the whole of `curve` lies inside.

        Parameters
        ----------
        curve : RocCurve, pair of arrays, or callable
            A pair has abscissae and ordinates of the view, such as (recall, precision); a callable
            maps an array of abscissae to ordinates. Points are joined by straight lines in ROC
            space, as rankings join them. Points with recall 0 are ignored where precision is asked.
            An ROC curve is taken at the view's prevalence; where that is estimated, at the curve's
            own share of positives.
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
        if callable(curve):
            x, y = self._follow(curve, names)
        elif isinstance(curve, Curve) or (isinstance(curve, tuple) and len(curve) == 2):
            x, y = (curve.x, curve.y) if isinstance(curve, Curve) else curve
            x = check_unit_interval(score_column(x, names[0]), names[0])
            y = self._check_ordinates(score_column(y, names[1]), names[1])
        else:
            raise InputError(
                f"must be a RocCurve, a pair ({names[0]}, {names[1]}) of arrays, or a function "
                f"{names[1]} = f({names[0]})",
                f"got {type(curve).__name__}",
                argument="curve",
            )
        if x.size != y.size:
            raise InputError(
                f"{arg(names[0])} and {arg(names[1])} must be equally long",
                f"they have {x.size} and {y.size} values",
            )
        return self.region.contains(x, y)

    def _follow(self, function: Any, names: tuple[str, str]) -> tuple[FloatArray, FloatArray]:
        if self.name != "lift":
            return follow_function(function, names)
        # Lift may exceed 1; its share of the largest possible may not.
        x, y = follow_function(lambda x: np.asarray(function(x)) * self.share, names)
        return x, y / self.share

    def _check_ordinates(self, y: Any, name: str) -> FloatArray:
        if self.name == "lift":
            return np.asarray(y, dtype=np.float64)
        return check_unit_interval(y, name)

    @cached_property
    def _polylines(self) -> tuple[Curve, Curve]:
        return self.region.polylines()

    @property
    def lower(self) -> Curve:
        """Lower limit as a polyline."""
        return self._polylines[0]

    @property
    def upper(self) -> Curve:
        """Upper limit as a polyline."""
        return self._polylines[1]

    @cached_property
    def curve(self) -> Curve:
        """The band's own curve in the view, as a polyline."""
        if isinstance(self.coordinates, MappedCoordinates):
            return map_curves([self.band.curve], self.coordinates, self.share)[0]
        x = self.lower.x
        return Curve(x, self._centre_at(x))

    def _centre_at(self, x: FloatArray) -> FloatArray:
        """Evaluate the band's own curve; where it drops at one recall, take the higher value."""
        sections = Sections(_Line(self.band.curve))
        return self.coordinates.limits(sections, x, self.share, self.share)[
            0 if self.name == "det" else 1
        ]

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
    ) -> Axes:
        """Draw the band and its curve.

        Parameters
        ----------
        iso_f1 : bool, default False
            Whether to draw lines of equal F1 behind a precision-recall curve.
        mark : float, optional
            Abscissa whose limits are marked and written, such as the share of cases that can be
            looked at in a gains curve.
        """
        given = dict(locals())
        if self.name != "pr":
            del given["iso_f1"]
        return self._draw(given)

    def facts(self) -> Mapping[str, object]:
        return {**super().facts(), "method": self.band.method.record}

    def _brief(self) -> str:
        return f"{self.name}, {self.band._brief()}"

    def columns(self) -> Mapping[str, Any]:
        return self._rows(self.coordinates.grid())

    def _rows(self, x: FloatArray) -> dict[str, Any]:
        low, high = self._limits(x)
        return {"at": x, "lower": low, "centre": self._centre_at(x), "upper": high}

    def summary(self) -> tuple[str, Mapping[str, Any]]:
        what = self.coordinates.title
        target = f"true {what}"
        if self.future is not None:
            n_pos, n_neg = self.future
            target = f"{what} of a future set of {n_pos} positives and {n_neg} negatives"
        lines = [
            f"{percent(self.level)} {self.coverage} confidence band ({self.band.method.name}) "
            f"for the {target}.",
            f"{self.n_pos} positives, {self.n_neg} negatives.",
            *self.notes,
        ]
        rows = dict(self._rows(self.coordinates.grid()[::10]))
        rows = {self.abscissa: rows.pop("at"), **rows, self.ordinate: rows["centre"]}
        shown = (self.abscissa, "lower", self.ordinate, "upper")
        return "\n".join(lines), {name: rows[name] for name in shown}


@dataclass(frozen=True, eq=False)
class _Line:
    """A curve as a region without width."""

    straight: ClassVar[bool] = True

    curve: Curve

    def lower_at(self, fpr: FloatArray) -> FloatArray:
        return self.curve.low(fpr)

    def upper_at(self, fpr: FloatArray) -> FloatArray:
        return self.curve.high(fpr)

    def edges(self) -> tuple[Curve, Curve]:
        return self.curve, self.curve

    @property
    def mirrored(self) -> _Line:
        return _Line(self.curve.mirrored)


def build_view(band: Band, name: str, prevalence: float | None = None, rng: Rng = "data") -> View:
    """Return a band in the coordinates of a view.

    `name`: one of `COORDINATES`. `prevalence`: share of positives where the model will be used.
    """
    if name == "threshold":
        raise InputError(
            "A band contains the curve; where on it a threshold lies it does not know: two models "
            "with the same curve and shifted scores have the same band",
            "",
            f"For single thresholds use operating_points with {arg('threshold')}.",
        )
    check_choice(name, tuple(COORDINATES), "name")
    coordinates = COORDINATES[name]()
    if prevalence is not None:
        prevalence = check_share(prevalence, "prevalence", SMALLEST_SHARE)
    if band.coverage == "pointwise" and not coordinates.same_abscissa:
        raise InputError(
            f"The band of method {band.method.name!r} is pointwise: limits for each fpr on its own "
            f"are not limits for each {coordinates.abscissa} on its own",
            "",
            "Use a simultaneous method.",
        )
    if not coordinates.uses_prevalence:
        if prevalence is not None:
            raise InputError(
                f"View {name!r} does not depend on the prevalence",
                f"{arg('prevalence')} was given",
                f"Leave {arg('prevalence')} out.",
            )
        return View(band, name, Image(band, coordinates, 0.5), None, "none needed")
    notes = _recall_notes(name)
    if band.future is not None:
        if prevalence is not None:
            raise InputError(
                "A future set has the prevalence that its class sizes say",
                f"{arg('prevalence')} was given beside {arg('future')}",
                f"Leave {arg('prevalence')} out.",
            )
        n_pos, n_neg = band.future
        prevalence = n_pos / (n_pos + n_neg)
        if not SMALLEST_SHARE <= prevalence <= 1.0 - SMALLEST_SHARE:
            raise InputError(
                f"The share of positives must be at least {SMALLEST_SHARE:g} away from 0 and 1",
                f"{arg('future')} has {prevalence:.3g}",
                "Use larger numbers of the rarer class.",
            )
        notes += (f"At the prevalence of the future set, {_percent(prevalence)}.",)
        return View(band, name, Image(band, coordinates, prevalence), prevalence, "given", notes)
    rows = band.roc.prevalence
    if prevalence is not None:
        notes += (
            f"At a prevalence of {_percent(prevalence)}; that of the rows is {_percent(rows)}.",
        )
        return View(band, name, Image(band, coordinates, prevalence), prevalence, "given", notes)
    if band.roc.folds:
        raise InputError(
            "The share of positives of rows in folds has an error of its own kind",
            "",
            f"Pass {arg('prevalence', _short(rows))}, or that of the population.",
        )
    notes += (
        Message(
            f"The share of positives of these rows, {_percent(rows)}, is an estimate of the "
            "population's, and the limits allow for its error. If the classes were sampled "
            f"separately, pass {arg('prevalence')}."
        ),
    )
    plain = band.roc.weights is None and band.roc.groups is None
    found = likelihood_regions(band) if plain and name in ("pr", "gains", "lift") else None
    if found is not None:
        return View(band, name, Profile(*found, coordinates), None, "profile", notes)
    product = Product.from_band(band, coordinates, rng)
    each = f"{100 * product.band.level:.4g}%"
    notes += (
        f"The band at {each} and the prevalence at {each} ({_percent(product.low)} to "
        f"{_percent(product.high)}) hold simultaneously at {percent(band.level)}.",
    )
    return View(band, name, product, None, "product", notes)


def _recall_notes(name: str) -> tuple[str, ...]:
    if name != "pr":
        return ()
    return ("Nothing is known at recall 0: the band starts as wide as the data make it.",)


def _percent(share: float) -> str:
    return f"{100.0 * share:.3g}%"


def _short(share: float) -> float:
    return float(f"{share:.3g}")
