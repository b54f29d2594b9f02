"""The curve of one model in several groups, and how the groups differ."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from rocbands.comparison.result import DifferenceBand
from rocbands.core.attributes import Axes, Count, Derived, Level, Number, Rate, type_columns
from rocbands.core.band import Band
from rocbands.core.checks import FloatArray
from rocbands.core.comparison import BetterRange
from rocbands.core.curve import Curve
from rocbands.core.randomness import Simulation
from rocbands.core.result import Result, percent, require
from rocbands.errors import InputError, Message, call
from rocbands.subgroup.gaps import RATES, GroupGaps

_MOST_PAIRS = 6  # with more pairs, only those that differ are described


class GroupDifference(NamedTuple):
    """How much two groups' curves differ.

    Attributes
    ----------
    groups : (str, str)
        The groups; differences are the first minus the second.
    abroca : float
        Area between the two empirical curves; biased upwards in small groups.
    abroca_low : float
        Lower limit for the area between the true curves: the area between the difference band and
        0. It is 0 if the band contains 0 at all fpr.
    better : tuple of BetterRange
        Ranges of fpr in which the model finds more positives of one group.
    """

    groups: tuple[str, str]
    abroca: Rate
    abroca_low: Rate
    better: tuple[BetterRange, ...]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Subgroups(Result):
    """Bands, areas, rates and differences of several groups that one model scored.

    `level` is the joint level over all groups, or over all pairs of them, for each quantity on its
    own: bands, differences of curves at all fpr, each area and rate, and its differences.

    Attributes
    ----------
    group : tuple of str
        The groups.
    bands : tuple of Band
        The band of each group.
    auc, auc_lower, auc_upper : ndarray of shape (k,)
        Area under each group's curve and its limits.
    average_precision, average_precision_lower, average_precision_upper : ndarray of shape (k,)
        Average precision of each group and its limits.
    prevalence : float or None
        Prevalence of average precision; None for the prevalence of each group.
    threshold : float
        The common threshold of rates.
    at_fpr : float or None
        If the threshold was chosen on these rows: the largest fpr over all rows that it may have.
    tpr, tpr_lower, tpr_upper, fpr, fpr_lower, fpr_upper : ndarray of shape (k,)
        Rates of each group at the threshold and their limits.
    ppv, ppv_lower, ppv_upper, npv, npv_lower, npv_upper : ndarray of shape (k,)
        Shares of true positives among the rows called positive, and of true negatives among the
        others; NaN (null in JSON) without such rows.
    selection_rate, selection_rate_lower, selection_rate_upper : ndarray of shape (k,)
        Shares of rows that are called positive.
    gaps : GroupGaps
        Differences between groups of the AUC and of these rates, with simultaneous limits.
    against : str
        Whether groups are compared in 'pairs', each with the pooled rows of all others ('rest'), or
        with the group of this name.
    differences : tuple of DifferenceBand
        The band of each difference of curves.
    level : float
        Joint confidence level of each kind of limits.
    method : str
        Name of the band method.
    notes : tuple of str
        Notes on these groups.
    simulation : Simulation or None
        Seed, number of resamples and Monte Carlo error, where limits are simulated.
    """

    schema: ClassVar[str] = "rocbands.subgroups/3"
    FACTS: ClassVar[str] = (
        "level method against threshold threshold_text at_fpr prevalence fpr_range gaps found notes"
    )
    COLUMNS: ClassVar[Mapping[str, Any]] = type_columns(
        (str, "group"),
        (Count, "n_pos n_neg"),
        (Rate, "auc auc_lower auc_upper"),
        (Rate, "average_precision average_precision_lower average_precision_upper"),
        (Rate, "tpr tpr_lower tpr_upper fpr fpr_lower fpr_upper"),
        (Rate | None, "ppv ppv_lower ppv_upper npv npv_lower npv_upper"),
        (Rate, "selection_rate selection_rate_lower selection_rate_upper"),
    )

    group: tuple[str, ...]
    bands: tuple[Band, ...]
    auc: FloatArray
    auc_lower: FloatArray
    auc_upper: FloatArray
    average_precision: FloatArray
    average_precision_lower: FloatArray
    average_precision_upper: FloatArray
    differences: tuple[DifferenceBand, ...]
    against: str
    level: Level
    method: str
    threshold: Number
    tpr: FloatArray
    tpr_lower: FloatArray
    tpr_upper: FloatArray
    fpr: FloatArray
    fpr_lower: FloatArray
    fpr_upper: FloatArray
    ppv: FloatArray
    ppv_lower: FloatArray
    ppv_upper: FloatArray
    npv: FloatArray
    npv_lower: FloatArray
    npv_upper: FloatArray
    selection_rate: FloatArray
    selection_rate_lower: FloatArray
    selection_rate_upper: FloatArray
    gaps: GroupGaps
    at_fpr: Rate | None = None
    prevalence: Rate | None = None
    notes: tuple[str, ...] = ()
    frame: str | None = None
    simulation: Simulation | None = None

    def _check(self) -> None:
        for name in ("auc", "average_precision", *RATES):
            middle, low, high = (getattr(self, f"{name}{end}") for end in ("", "_lower", "_upper"))
            held = np.isnan(middle) | ((low <= middle) & (middle <= high))
            require(held.all(), f"Limits must contain the {name}.")

    n_pos = Derived[tuple[int, ...]](
        lambda groups: tuple(band.n_pos for band in groups.bands), "Positives of each group."
    )
    n_neg = Derived[tuple[int, ...]](
        lambda groups: tuple(band.n_neg for band in groups.bands), "Negatives of each group."
    )
    fpr_range = Derived[tuple[Rate, Rate]](
        lambda groups: groups.differences[0].fpr_range, "Range of fpr that differences are for."
    )

    threshold_text = Derived[str](
        lambda groups: groups.gaps.threshold_text,
        "The threshold as it was given, or with as few digits as make the same calls.",
    )

    @property
    def found(self) -> tuple[GroupDifference, ...]:
        """Difference of each pair of groups: area between the curves, and ranges that differ."""
        return tuple(
            GroupDifference(band.names, *area_between(band), band.better)
            for band in self.differences
        )

    def __len__(self) -> int:
        return len(self.bands)

    def __getitem__(self, group: object) -> Band:
        """Return the band of a group."""
        if str(group) not in self.group:
            raise InputError(f"There is no group {group!r}", f"there are {', '.join(self.group)}")
        return self.bands[self.group.index(str(group))]

    @property
    def sentence(self) -> str:
        """The pairs that are shown to differ, largest first; then the groups too small to tell."""
        return self.gaps.sentence

    def describe(self) -> tuple[str, Mapping[str, Any]]:
        low, high = self.fpr_range
        lines = [
            f"{len(self)} groups. Limits have {percent(self.level)} confidence for all groups, or "
            "all differences, of a quantity together.",
            f"Differences of curves at fpr {low:g} to {high:g}:",
            *self._describe_differences(),
            *self.notes,
        ]
        rates = self.show_rates()
        areas = {name: getattr(self, name) for name in ("auc", "auc_lower", "auc_upper")}
        left_out = ("npv", "average_precision")  # to_frame() has them
        rows = {name: rates.pop(name) for name in ("group", "n_pos", "n_neg")} | areas | rates
        return "\n".join(lines), {k: v for k, v in rows.items() if not k.startswith(left_out)}

    def show_rates(self) -> dict[str, Any]:
        """Return the rates of all groups as rows to print; those without cases are empty."""
        columns = self.columns()
        rates = [f"{name}{end}" for name in RATES for end in ("", "_lower", "_upper")]
        return {name: columns[name] for name in ("group", "n_pos", "n_neg")} | {
            name: [None if np.isnan(value) else float(value) for value in columns[name]]
            for name in rates
        }

    def _lead(self) -> tuple[Mapping[str, Any], str]:
        return self.gaps.show(), ""

    def _brief(self) -> str:
        level = percent(self.level)
        return f"{len(self)} groups ({self.method}), all together with {level} confidence"

    def _describe_differences(self) -> list[str]:
        """Return a sentence for each pair; of many pairs, only for those that differ."""
        if len(self.found) <= _MOST_PAIRS:
            return [self._describe(one) for one in self.found]
        shown = [one for one in self.found if one.better]
        areas = [one.abroca for one in self.found if not one.better]
        lines = [self._describe(one) for one in shown]
        if areas:
            lines.append(
                f"No difference shown in {len(areas)} of {len(self.found)} pairs (area between the "
                f"curves {min(areas):.3f} to {max(areas):.3f})."
            )
        return lines

    def _describe(self, one: GroupDifference) -> str:
        names = " and ".join(one.groups)
        if not one.better:
            return f"{names}: no difference shown (area between the curves {one.abroca:.3f})."
        ranges: dict[int, list[str]] = {}
        for part in one.better:
            ranges.setdefault(part.model, []).append(f"{part.low:.3g} to {part.high:.3g}")
        where = "; ".join(
            f"more positives of {one.groups[model - 1]} found at fpr {', '.join(found)}"
            for model, found in ranges.items()
        )
        return (
            f"{names}: {where} (area between the curves {one.abroca:.3f}, at least "
            f"{one.abroca_low:.3f})."
        )

    def plot(self, ax: Axes | None = None, *, legend: bool | str = True) -> Axes:
        """Draw the bands of all groups, differences of rates, and those of curves beside them.

        Of many differences the largest that are shown are drawn, else the largest.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Axes for the groups' bands, without differences. By default a new figure.
        legend : bool or str, default True
            As for :meth:`rocbands.results.Band.plot`.

        Returns
        -------
        Axes
            The axes with the groups' bands.
        """
        return self._draw(ax, legend=legend)


def area_between(band: DifferenceBand) -> tuple[float, float]:
    """Area between two empirical curves (ABROCA), and a lower limit for the true one.

    The limit is the area between the band and 0, over the band's range of fpr: a true difference
    inside the band is at least as far from 0.
    """
    if band.curves is None:
        raise InputError(
            "The area between two curves needs both curves",
            "the difference band has none",
            Message("Make it by {}.", call("difference_band")),
        )
    one, two = (roc.curve for roc in band.curves)
    x = np.union1d(one.x, two.x)
    right, left = _subtract(one, two, x[:-1], "high"), _subtract(one, two, x[1:], "low")
    area = sum(_integrate_positive(np.diff(x), way * right, way * left) for way in (1.0, -1.0))
    steps = np.diff(band.fpr)
    low = _integrate_positive(steps, band.lower[:-1], band.lower[1:])
    low += _integrate_positive(steps, -band.upper[:-1], -band.upper[1:])
    return min(area, 1.0), min(low, area, 1.0)


def _subtract(one: Curve, two: Curve, x: FloatArray, side: str) -> FloatArray:
    return np.asarray(getattr(one, side)(x) - getattr(two, side)(x))


def _integrate_positive(width: FloatArray, first: FloatArray, last: FloatArray) -> float:
    """Area above 0 of straight segments from heights `first` to heights `last`."""
    top, bottom = np.maximum(first, last), np.minimum(first, last)
    # A segment that crosses 0 has a triangle above it, top / (top - bottom) of the width wide.
    cut = np.divide(top**2, 2.0 * (top - bottom), out=np.zeros_like(top), where=top > bottom)
    height = np.where(bottom >= 0.0, (first + last) / 2.0, np.where(top > 0.0, cut, 0.0))
    return float((width * height).sum())
