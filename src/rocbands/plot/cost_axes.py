"""Axes on which costs are drawn: w below, what it means in costs above."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, Locator

from rocbands.core.checks import BoolArray, FloatArray
from rocbands.cost.conditions import Sampling
from rocbands.errors import InputError
from rocbands.plot.roc import BandPatch, CurveLine

__all__ = ["FEW", "SIZE", "UNITS", "add_trivial", "cost_axes", "finished_costs", "runs"]

BELOW = "w: share of the total possible cost that comes from missed positives"
ABOVE = "Cost of a missed positive : cost of a false alarm, at {:.3g}% positives"
UNITS: dict[Sampling, str] = {
    "stratified": "Cost, as a share of the total possible cost",
    "full": "Cost per row, in units of the dearer error",
}
RATIOS = np.concatenate([step * 10.0 ** np.arange(-9, 10) for step in (1, 2, 5)])
FEW = 12  # operating conditions up to which each has an interval of its own
SIZE = (6.4, 4.8)
EDGE = 0.02  # of the axis, where no ratio is written
GAP = 0.08  # of the axis, between two ratios that are written there


class RatioLocator(Locator):
    """Places of round cost ratios along w, far enough from each other to be read.

    Parameters
    ----------
    prevalence : float
        Share of positives: w / (1 - w) is the cost ratio times the odds of being positive.
    """

    def __init__(self, prevalence: float) -> None:
        self.odds = (1.0 - prevalence) / prevalence

    def __call__(self) -> list[float]:
        """Return the places within the view."""
        low, high = sorted(self.axis.get_view_interval())  # type: ignore[union-attr]
        return self.tick_values(low, high)

    def tick_values(self, vmin: float, vmax: float) -> list[float]:
        """Return the places between two w, those in the middle first."""
        middle, width = (vmin + vmax) / 2.0, vmax - vmin
        away = np.abs(RATIOS / (RATIOS + self.odds) - middle)
        order = np.argsort(away, kind="stable")
        # Near the ends a ratio would stick out of the picture.
        order = order[away[order] <= (0.5 - EDGE) * width]
        chosen: list[float] = []
        for place in (RATIOS[order] / (RATIOS[order] + self.odds)).tolist():
            if all(abs(place - other) >= GAP * width for other in chosen):
                chosen.append(place)
        return chosen

    def text(self, w: float, _: int | None = None) -> str:
        """Write the ratio at w.

        Examples
        --------
        >>> RatioLocator(0.5).text(0.75), RatioLocator(0.5).text(0.25)
        ('3:1', '1:3')
        """
        if not 0.0 < w < 1.0:
            return ""
        ratio = self.odds * w / (1.0 - w)
        return f"{_amount(ratio)}:1" if ratio > 1.0 - 1e-9 else f"1:{_amount(1.0 / ratio)}"


def _amount(ratio: float) -> str:
    return f"{ratio:.3g}" if ratio < 999.5 else f"{ratio:,.0f}"


class TrivialLine(Line2D):
    """The cost of calling all rows alike; `unit` is what costs on these axes are measured in."""

    unit: tuple[Sampling, float] = ("stratified", 0.0)


def cost_axes(
    ax: Axes | None, words: str, prevalence: float | None, size: tuple[float, float] = SIZE
) -> Axes:
    """Return the given axes, or new ones; empty ones get what they lack to show costs along w."""
    if ax is None:
        # pyplot, so that notebooks and plt.show() see the figure.
        import matplotlib.pyplot as plt

        _, ax = plt.subplots(figsize=size, layout="constrained")
    if not isinstance(ax, Axes):
        raise InputError(
            f"`ax` must be one matplotlib Axes; got {type(ax).__name__}. "
            "Of an array of axes pick one, for example axes[0]."
        )
    if ax.has_data():
        return ax
    if ax.get_autoscalex_on():
        ax.set_xlim(0.0, 1.0)
    ax.set_xlabel(ax.get_xlabel() or BELOW)
    ax.set_ylabel(ax.get_ylabel() or words)
    ax.set_axisbelow(True)
    ax.grid(color="0.5", alpha=0.2, linewidth=0.6)
    if prevalence is not None:
        _add_ratios(ax, prevalence)
    return ax


def _add_ratios(ax: Axes, prevalence: float) -> None:
    """Write cost ratios along the upper side."""
    above = ax.secondary_xaxis("top")
    locator = RatioLocator(prevalence)
    above.xaxis.set_major_locator(locator)
    above.xaxis.set_major_formatter(FuncFormatter(locator.text))
    above.set_xlabel(ABOVE.format(100.0 * prevalence), fontsize="small")
    above.tick_params(labelsize="small")


def add_trivial(ax: Axes, sampling: Sampling, prevalence: float) -> FloatArray:
    """Add the cost of calling all rows alike, unless it stands there; return its points.

    It says what costs are measured in, so costs in other units are refused. It does not stretch the
    axes: models far below it would be pressed to the floor.
    """
    unit = (sampling, prevalence if sampling == "full" else 0.0)
    w = np.union1d(np.linspace(0.0, 1.0, 201), [prevalence])
    cost = np.minimum(w, 1.0 - w)
    if sampling == "full":
        cost /= np.maximum(w / prevalence, (1.0 - w) / (1.0 - prevalence))
    points = np.column_stack([w, cost])
    stand = [line.unit for line in ax.lines if isinstance(line, TrivialLine)]
    if any(other != sampling for other, _ in stand):
        raise InputError(
            "Costs by sampling='full' and by sampling='stratified' have different units and cannot "
            "share axes. Draw them on axes of their own."
        )
    if unit not in stand:
        line = TrivialLine(
            w, cost, color="0.45", linestyle=(0, (2, 2)), linewidth=1, zorder=1.2,
            label="calling all rows alike",
        )  # fmt: skip
        line.unit = unit
        ax.add_artist(line)
    return points


def runs(marked: BoolArray) -> list[slice]:
    """Stretches of neighbours that are marked.

    Examples
    --------
    >>> runs(np.array([True, True, False, True]))
    [slice(0, 2, None), slice(3, 4, None)]
    """
    padded = np.concatenate(([False], marked, [False]))
    turns = np.flatnonzero(padded[1:] != padded[:-1]).tolist()
    return [slice(start, stop) for start, stop in zip(turns[::2], turns[1::2], strict=True)]


def finished_costs(ax: Axes) -> Axes:
    """Renew the legend, and let free axes begin at cost 0."""
    ax.autoscale_view(scalex=False)
    if ax.get_autoscaley_on():
        ax.set_ylim(0.0, ax.get_ylim()[1], auto=True)
    bands = {patch.turn: patch for patch in ax.patches[::-1] if isinstance(patch, BandPatch)}
    entries: dict[str, Any] = {}
    for handle, text in zip(*ax.get_legend_handles_labels(), strict=True):
        # A line and its band are one thing; what is said of several models is said once.
        band = bands.get(handle.turn) if isinstance(handle, CurveLine) else None
        entries.setdefault(text, handle if band is None else (band, handle))
    ax.legend(
        list(entries.values()), list(entries), loc="best", fontsize="small",
        framealpha=0.85, edgecolor="none",
    )  # fmt: skip
    return ax
