"""Simultaneous bands of several classes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from rocbands.core.attributes import Axes, Count, Derived, Level, Rate, type_columns
from rocbands.core.band import Band
from rocbands.core.checks import FloatArray
from rocbands.core.curve import Curve
from rocbands.core.phrases import (
    choose_digits,
    name_model,
    say_few_clusters,
    say_limits,
    write_number,
    write_share,
)
from rocbands.core.randomness import Simulation
from rocbands.core.result import Result, percent, require
from rocbands.core.roc import RocCurve, pool_curves
from rocbands.errors import InputError, join
from rocbands.multiclass.average_area import AverageArea
from rocbands.multiclass.problems import MultiClass

REST = "the rest"
ORDER = "Are the columns of scores in the order of the classes"  # begins a note


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ClassBands(Result):
    """Bands and areas of several classes; all bands hold simultaneously, and so do all areas.

    Attributes
    ----------
    classes : tuple
        The classes, in the order of the columns of scores.
    class_sizes : tuple of int
        Number of rows of each class.
    multi_class : {'ovr', 'ovo'}
        One class against the rest, or each class against each other one.
    positive, negative : tuple of str
        Of each curve: the class that is positive, and the one that is negative or 'the rest'.
    bands : tuple of Band
        The band of each curve, at `each_level`.
    auc, auc_lower, auc_upper : ndarray of shape (k,)
        The area under each curve, with limits at `each_level`.
    level : float
        Joint level of all bands, and of the limits of all areas.
    each_level : float
        Level of each band, and of each area by itself: `level` to the power of 1 / number of
        curves.
    macro_auc : AverageArea
        Unweighted mean of the areas of each class against the rest, with limits at `level`.
    hand_till_auc : AverageArea
        Mean of the areas of all pairs of classes, with limits at `level`.
    confusion : tuple of tuple of int
        Rows of each class, by the class of their largest score; rows in which several classes have
        it are not counted.
    method : str
        Name of the band method.
    notes : tuple of str
        Notes on these bands.
    simulation : Simulation or None
        Seed, number of resamples and Monte Carlo error, where limits are simulated.
    """

    schema: ClassVar[str] = "rocbands.class-bands/1"
    FACTS: ClassVar[str] = (
        "classes class_sizes confusion multi_class method level each_level macro_auc "
        "hand_till_auc notes"
    )
    COLUMNS: ClassVar[Mapping[str, Any]] = type_columns(
        (str, "positive negative"),
        (Count, "n_pos n_neg"),
        (Rate, "auc auc_lower auc_upper band_area"),
    )

    classes: tuple[object, ...]
    class_sizes: tuple[Count, ...]
    multi_class: MultiClass
    positive: tuple[str, ...]
    negative: tuple[str, ...]
    bands: tuple[Band, ...]
    auc: FloatArray
    auc_lower: FloatArray
    auc_upper: FloatArray
    level: Level
    each_level: Level
    macro_auc: AverageArea
    hand_till_auc: AverageArea
    confusion: tuple[tuple[Count, ...], ...]
    method: str
    notes: tuple[str, ...] = ()
    frame: str | None = None
    simulation: Simulation | None = None

    def _check(self) -> None:
        held = (self.auc_lower <= self.auc) & (self.auc <= self.auc_upper)
        require(held.all(), "Limits must contain the area.")
        for area in (self.macro_auc, self.hand_till_auc):
            inside = 0.0 <= area.low <= area.estimate <= area.high <= 1.0
            require(inside, "Limits must contain the average area, inside [0, 1].")

    n_pos = Derived[tuple[int, ...]](
        lambda result: tuple(band.n_pos for band in result), "Positives of each curve."
    )
    n_neg = Derived[tuple[int, ...]](
        lambda result: tuple(band.n_neg for band in result), "Negatives of each curve."
    )
    band_area = Derived[tuple[float, ...]](
        lambda result: tuple(band.area for band in result), "Area between each band's edges."
    )

    @property
    def names(self) -> tuple[str, ...]:
        """Name of each curve."""
        if self.multi_class == "ovr":
            return self.positive
        pairs = zip(self.positive, self.negative, strict=True)
        return tuple(f"{one} against {other}" for one, other in pairs)

    def __len__(self) -> int:
        return len(self.bands)

    def __iter__(self) -> Iterator[Band]:
        return iter(self.bands)

    def __getitem__(self, name: object) -> Band:
        """Return the band of a class, or of a pair such as ``bands["a", "b"]``."""
        parts = name if isinstance(name, tuple) else (name, REST)
        for one, other, band in zip(self.positive, self.negative, self.bands, strict=True):
            if [str(part) for part in parts] == [one, other]:
                return band
        raise InputError(f"There is no such curve: {name!r}", f"there are {', '.join(self.names)}")

    @cached_property
    def average(self) -> Curve:
        """The average of all curves; the area under it is the average of their areas.

        Points of all curves on the same line fpr + tpr = c are averaged. Every curve crosses each
        such line once, and the area under a curve is linear in the crossings.
        """
        curves = [band.roc.curve.corners() for band in self.bands]
        levels = [curve.level(1.0) for curve in curves]
        at = np.unique(np.concatenate(levels))
        parts = (np.interp(at, c, curve.x) for c, curve in zip(levels, curves, strict=True))
        x = np.sum(list(parts), axis=0) / len(curves)
        # Remove decreases due to rounding.
        x = np.clip(np.maximum.accumulate(x), 0.0, 1.0)
        return Curve(x, np.clip(np.maximum.accumulate(at - x), 0.0, 1.0))

    @cached_property
    def micro(self) -> RocCurve:
        """The micro-average: the scores of all classes in one column, with K cases for each row.

        It has no band. The K cases of a row, one positive and K - 1 negatives, are not independent,
        and the curve depends on whether the scores of different classes are comparable. No interval
        of this package applies to such cases.
        """
        if self.multi_class != "ovr":
            raise InputError(
                "The micro-average is of classes against the rest", "these bands are of pairs"
            )
        return pool_curves([band.roc for band in self.bands])

    @property
    def _kind(self) -> str:
        return "each class against the rest" if self.multi_class == "ovr" else "pairs of classes"

    @property
    def clusters(self) -> int | None:
        """Number of clusters that the rows come from, if there are any."""
        found = [band.roc.n_clusters or 0 for band in self]
        return max(found) or None

    @property
    def sentence(self) -> str:
        """The average AUC as a share of pairs, and the AUCs of the classes."""
        ovr, few = self.multi_class == "ovr", say_few_clusters(self.clusters)
        area = self.macro_auc if ovr else self.hand_till_auc
        digits = choose_digits(100.0 * area.estimate, 100.0 * (area.high - area.low))
        mean = write_number(100.0 * area.estimate, digits)
        two = "of a class and a case of any other" if ovr else "of one class and a case of another"
        over = "" if ovr else "the pairs of "
        said = (
            f"Of 100 pairs of a case {two}, {mean} are ranked correctly on average over {over}"
            f"{len(self.classes)} classes ({say_limits(area.low, area.high, digits)})."
        )
        asked = (note for note in self.notes if note.startswith(ORDER))
        return join(" ", filter(None, [*asked, few, said, self._say_extremes()]))

    def _say_extremes(self) -> str:
        """Say which class is hardest to tell, if limits show it; else the range of the AUCs."""
        order = np.argsort(self.auc, kind="stable").tolist()
        low, high = (write_share(float(self.auc[k])) for k in (order[0], order[-1]))
        worst, best = (name_model(self.names[k], "class") for k in (order[0], order[-1]))
        ovr = self.multi_class == "ovr"
        if (self.auc_lower[order[1:]] > self.auc_upper[order[0]]).all():
            is_lowest = "is the hardest to tell from the others" if ovr else "has the lowest AUC"
            return f"{worst} {is_lowest} ({low})."
        which = "classes" if ovr else "pairs"
        if low == high:
            return f"The AUC of all {which} is {low}."
        return f"AUCs of the {which} range from {low} ({worst}) to {high} ({best})."

    def describe(self) -> tuple[str, Mapping[str, Any]]:
        together = f"all contain their true curves with {percent(self.level)} confidence together"
        lines = [
            f"{len(self)} bands ({self.method}) of {self._kind}: {together}, each with "
            f"{100 * self.each_level:.4g}%.",
            f"{sum(self.class_sizes)} rows of {len(self.classes)} classes.",
        ]
        for said, area in (("Macro", self.macro_auc), ("Hand-Till", self.hand_till_auc)):
            lines.append(
                f"{said} AUC {area.estimate:.4f}, {percent(self.level)} confidence interval "
                f"{area.low:.4f} to {area.high:.4f}."
            )
        notes = (note for note in self.notes if not note.startswith(ORDER))  # in the sentence
        return "\n".join([*lines, *notes]), self.columns()

    def _brief(self) -> str:
        what = f"{len(self)} bands of {self._kind} ({self.method})"
        return f"{what}, all together with {percent(self.level)} confidence"

    def plot(
        self, ax: Axes | None = None, *, average: bool = True, legend: bool | str = True
    ) -> Axes:
        """Draw the bands, each on axes of its own, or all on the given axes.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Axes for all bands. By default each band has axes of its own, on a new figure.
        average : bool, default True
            Whether to add the average curve.
        legend : bool or str, default True
            As for :meth:`rocbands.results.Band.plot`, on given axes; others need none.

        Returns
        -------
        Axes
            The given axes, or the first of the new ones.
        """
        return self._draw(ax, average=average, legend=legend)
