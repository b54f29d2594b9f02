"""A confidence band, and what a method that makes one looks like."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from rocbands.core.checks import (
    FloatArray,
    check_future,
    check_level,
    check_rate,
    check_unit_interval,
)
from rocbands.core.containment import CurveLike, as_curve, from_fpr_on, outer_curves
from rocbands.core.curve import Curve
from rocbands.core.region import Region, SidedRegion
from rocbands.core.result import Result
from rocbands.core.roc import RocCurve
from rocbands.errors import InputError

__all__ = [
    "Band",
    "BandMethod",
    "Coverage",
    "Extra",
    "check_request",
    "check_stratified",
    "method_facts",
]

Coverage: TypeAlias = Literal["simultaneous", "pointwise"]
Extra: TypeAlias = Literal["future", "groups", "folds", "bins"]

_SCREEN = np.array([0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0])
_TABLE = np.unique(np.concatenate([[0.001, 0.002, 0.005], np.arange(101) / 100]))


class BandMethod(Protocol):
    """A band method: its fields are its parameters, its class facts say what it promises."""

    @property
    def name(self) -> str:
        """As in ``method="joint-region"``."""
        ...

    @property
    def coverage(self) -> Coverage:
        """Whether the level is for the whole curve at once or for each fpr on its own."""
        ...

    @property
    def guarantee(self) -> str:
        """What is known about the level: a theorem, or a measurement."""
        ...

    def __call__(
        self,
        roc: RocCurve,
        *,
        level: float = 0.95,
        future: tuple[int, int] | None = None,
        rng: Any = None,
    ) -> Band:
        """Make the band of `roc`."""
        ...


def method_facts(method: object) -> dict[str, object]:
    """Name and parameters of a method, as plain values."""
    facts: dict[str, object] = {"name": getattr(method, "name", type(method).__name__)}
    if dataclasses.is_dataclass(method) and not isinstance(method, type):
        facts.update(dataclasses.asdict(method))
    return facts


_EXTRAS: dict[Extra, str] = {
    "future": "for the true curve only; `future` was given",
    "groups": "for rows that are independent of each other; `groups` was given",
    "folds": "for one test set scored by one model; `folds` was given",
    "bins": "for counts of single scores; the curve has bins",
}
_REMEDIES: dict[Extra, str] = {"bins": "Count every score"}


FEWEST_GROUPS = 5


def check_stratified(method: Any, roc: RocCurve) -> None:
    """Refuse `stratified=True` where whole groups are drawn."""
    if method.stratified and roc.groups is not None:
        raise InputError(
            "Whole groups are drawn as they come; stratified=True is for independent rows. "
            "Leave `stratified` or `groups` out."
        )


def _check_groups(roc: RocCurve) -> None:
    """Refuse groups so few that drawing them again shows next to nothing."""
    for part in roc.folds or (roc,):
        if part.groups is not None and part.groups.size < FEWEST_GROUPS:
            where = "a fold" if roc.folds else "the test set"
            raise InputError(
                f"Drawing whole groups needs at least {FEWEST_GROUPS} of them in each set that is "
                f"resampled; {where} has {part.groups.size}. Use finer groups"
                + (", or fewer folds." if roc.folds else ".")
            )


def check_request(
    method: Any, roc: RocCurve, level: float, future: tuple[int, int] | None
) -> tuple[float, tuple[int, int] | None]:
    """Check what a method of this package is asked for; return the level and the future sizes.

    The method's class fact `handles` names the extras it can deal with; any other that is asked
    for is refused, never ignored.
    """
    level, future = check_level(level), check_future(future)
    asked: dict[Extra, bool] = {
        "future": future is not None,
        "groups": roc.groups is not None,
        "folds": bool(roc.folds),
        "bins": roc.binned,
    }
    for extra, given in asked.items():
        if given and extra not in method.handles:
            remedy = _REMEDIES.get(extra, f"Leave `{extra}` out")
            raise InputError(
                f"The {method.name} band is {_EXTRAS[extra]}. {remedy}, or choose a method that "
                f"handles {'them' if extra == 'bins' else 'it'} (see rb.methods())."
            )
    _check_groups(roc)
    return level, future


@dataclass(frozen=True, eq=False, repr=False)
class Band(Result):
    """A confidence band around an ROC curve.

    Attributes
    ----------
    roc : RocCurve
        The empirical curve.
    region : Region
        The closed region; :meth:`contains`, :meth:`lower_at` and :meth:`upper_at` ask it.
    level : float
        Nominal confidence level.
    method : BandMethod
        The method that made the band, with its parameters.
    future : (int, int) or None
        Class sizes of the future test set whose curve the band is for; None for the true curve.
    notes : tuple of str
        What the reader should know about this very band.
    centre : Curve or None
        The curve that the band stands around, where that is not the empirical curve: an average
        over folds or resamples.
    target : str
        What the band is for; by default the true curve, or the future one.
    centre_name : str
        What to call the centre in a picture.

    Examples
    --------
    >>> import rocbands as rb
    >>> band = rb.roc_band([1, 1, 0, 1, 0, 0], [6, 5, 4, 3, 2, 1], method="joint-region")
    >>> band.coverage, band.contains(lambda fpr: fpr)
    ('simultaneous', True)
    """

    schema: ClassVar[str] = "rocbands.band/1"

    roc: RocCurve
    region: Region
    level: float
    method: BandMethod
    future: tuple[int, int] | None = None
    notes: tuple[str, ...] = ()
    centre: Curve | None = None
    target: str = ""
    centre_name: str = "average curve"

    def __post_init__(self) -> None:
        if not set(self.roc.bin_notes) <= set(self.notes):
            object.__setattr__(self, "notes", (*self.notes, *self.roc.bin_notes))
        if self.target:
            return
        later = "true curve"
        if self.future is not None:
            later = f"future curve of {self.future[0]} positives and {self.future[1]} negatives"
        object.__setattr__(self, "target", later)

    @property
    def coverage(self) -> Coverage:
        """'simultaneous': the level is for the whole curve; 'pointwise': for each fpr alone."""
        return self.method.coverage

    @property
    def curve(self) -> Curve:
        """The curve to draw with the band: its centre, or else the empirical curve."""
        return self.roc.curve if self.centre is None else self.centre

    @property
    def frame(self) -> str | None:  # type: ignore[override]
        """The kind of frame the data came from."""
        return self.roc.frame

    @property
    def auc(self) -> float:
        """Area under :attr:`curve`."""
        return self.roc.auc if self.centre is None else self.centre.area

    def lower_at(self, fpr: npt.ArrayLike) -> FloatArray:
        """Lower edge at any fpr."""
        return self.region.lower_at(check_unit_interval(fpr, "fpr"))

    def upper_at(self, fpr: npt.ArrayLike) -> FloatArray:
        """Upper edge at any fpr."""
        return self.region.upper_at(check_unit_interval(fpr, "fpr"))

    def contains(self, curve: CurveLike, *, from_fpr: float = 0.0) -> bool:
        """Tell whether the whole of `curve` lies inside the band.

        Parameters
        ----------
        curve : RocCurve, (fpr, tpr) or callable
            A callable maps an array of fpr to tpr.
        from_fpr : float, default 0
            Ask only about the curve from this fpr on.
        """
        if isinstance(curve, RocCurve) and curve.binned:  # whatever the bins hide
            return all(self.contains(end, from_fpr=from_fpr) for end in curve.extremes)
        asked, start = as_curve(curve), check_rate(from_fpr, "from_fpr")
        if start > 0.0:
            asked = from_fpr_on(asked, self._held, start)
        return self.region.contains(asked)

    def misses(self, curve: CurveLike) -> tuple[bool, bool]:
        """Tell whether `curve` leaves the band above, and whether it leaves it below.

        Examples
        --------
        >>> import rocbands as rb
        >>> y, models = rb.load_example()
        >>> band = rb.roc_band(y, models["logistic"], positive="malignant")
        >>> band.misses(lambda fpr: fpr)  # chance is too bad to be the true curve
        (False, True)
        """
        if isinstance(curve, RocCurve) and curve.binned:  # whatever the bins hide
            low, high = curve.extremes
            return self.misses(high)[0], self.misses(low)[1]
        if isinstance(self.region, SidedRegion):
            return self.region.misses(as_curve(curve))
        above, below = outer_curves(as_curve(curve), self._held)
        return not self.region.contains(above), not self.region.contains(below)

    @cached_property
    def _held(self) -> Curve:
        """A curve inside: the centre, where it lies outside moved to the nearest edge.

        An average may leave the interval of percentiles that it is drawn with.
        """
        if self.region.contains(self.curve):
            return self.curve
        lower, upper = (as_curve(edge) for edge in self._edges)
        return outer_curves(outer_curves(self.curve, lower)[0], upper)[1]

    @cached_property
    def _edges(self) -> tuple[Curve, Curve]:
        lower, upper = self.region.edges()
        for edge in (lower, upper):
            assert edge.y.min() >= 0.0, "a band must stay inside the unit square"
            assert edge.y.max() <= 1.0, "a band must stay inside the unit square"
            assert (edge.x[0], edge.x[-1]) == (0.0, 1.0), "an edge must run from fpr 0 to 1"
        if lower.x.base is upper.x.base:  # both edges at the same abscissae
            ordered = lower.y <= upper.y
        else:
            at = np.linspace(0.0, 1.0, 65)
            ordered = lower.low(at) <= upper.high(at) + 1e-9
        assert ordered.all(), "the lower edge must not lie above the upper one"
        return lower, upper

    @property
    def lower(self) -> Curve:
        """Lower edge as a polyline."""
        return self._edges[0]

    @property
    def upper(self) -> Curve:
        """Upper edge as a polyline."""
        return self._edges[1]

    @property
    def area(self) -> float:
        """Area between the edges."""
        return max(self.upper.area - self.lower.area, 0.0)

    @property
    def degenerate(self) -> bool:
        """True where the band has no width at all and says nothing."""
        return self.area < 1e-12

    def facts(self) -> Mapping[str, object]:
        return {
            "method": method_facts(self.method),
            "level": self.level,
            "coverage": self.coverage,
            "target": self.target,
            "future": self.future,
            "guarantee": self.method.guarantee,
            "notes": self.notes,
            "n_pos": self.roc.n_pos,
            "n_neg": self.roc.n_neg,
            "auc": self.auc,
            "area": self.area,
            "degenerate": self.degenerate,
        }

    def columns(self) -> Mapping[str, Any]:
        return self._rows(_TABLE)

    def _rows(self, fpr: FloatArray) -> dict[str, Any]:
        tpr = self.curve.high(fpr)
        return {"fpr": fpr, "lower": self.lower_at(fpr), "tpr": tpr, "upper": self.upper_at(fpr)}

    def summary(self) -> tuple[str, Mapping[str, Any]]:
        name = method_facts(self.method)["name"]
        lines = [
            f"{self.level:.10g} {self.coverage} confidence band ({name}) for the {self.target}.",
            f"{self.roc.n_pos} positives, {self.roc.n_neg} negatives, AUC {self.auc:.4f}, "
            f"mean width {self.area:.4f}.",
            *self.notes,
        ]
        return "\n".join(lines), self._rows(_SCREEN)
