"""A band, and what was drawn of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Polygon

from rocbands.core.band import Band
from rocbands.core.checks import FloatArray
from rocbands.errors import InputError
from rocbands.plot.manners import chance, despine_axes, one_mapping, thin
from rocbands.plot.roc import add_band, add_curve, finished, furnished, next_look

__all__ = ["DrawnBand", "Properties"]

Properties = Mapping[str, Any]


class DrawnBand:
    """A band that can be drawn and remembers its artists; `RocBandDisplay` adds doors."""

    line_: Line2D
    band_: Polygon
    fold_lines_: list[Line2D]
    chance_level_: Line2D | None
    ax_: Axes
    figure_: Figure

    def __init__(self, *, band: Band, name: str | None = None, pos_label: object = None) -> None:
        if not isinstance(band, Band):
            raise InputError(
                f"`band` must be a band, for example from rb.roc_band; got {type(band).__name__}."
            )
        self.band = band
        self.name = name
        self.pos_label = pos_label

    @property
    def fpr(self) -> FloatArray | list[FloatArray]:
        """False positive rates of the curve's vertices; with folds a list, as scikit-learn's."""
        return [curve.fpr for curve in self.band.roc.folds] or self.band.roc.fpr

    @property
    def tpr(self) -> FloatArray | list[FloatArray]:
        """True positive rates of the curve's vertices; with folds a list, as scikit-learn's."""
        return [curve.tpr for curve in self.band.roc.folds] or self.band.roc.tpr

    @property
    def roc_auc(self) -> float | list[float]:
        """Area under the curve; with folds a list, as scikit-learn's."""
        return [curve.auc for curve in self.band.roc.folds] or self.band.roc.auc

    def plot(
        self,
        ax: Axes | None = None,
        *,
        name: str | None = None,
        curve_kwargs: Properties | None = None,
        band_kwargs: Properties | None = None,
        fold_kwargs: Properties | None = None,
        plot_chance_level: bool = False,
        chance_level_kw: Properties | None = None,
        despine: bool = False,
    ) -> Self:
        """Draw the curve and its band.

        Parameters
        ----------
        ax : Axes, optional
            Where to draw; by default on a new figure.
        name : str, optional
            The name of the model, for the legend; by default the display's own.
        curve_kwargs : mapping, optional
            Properties of the curve's line, as matplotlib's Line2D takes them.
        band_kwargs : mapping, optional
            Properties of the band, as matplotlib's Polygon takes them.
        fold_kwargs : mapping, optional
            Properties of the lines of the folds' curves.
        plot_chance_level : bool, default False
            Whether to draw the line of guessing.
        chance_level_kw : mapping, optional
            Properties of that line.
        despine : bool, default False
            Whether to take away the top and the right side of the frame.

        Returns
        -------
        RocBandDisplay
            This display.
        """
        one_mapping(curve_kwargs)
        about = "" if self.pos_label is None else f" (positive label: {self.pos_label})"
        axes = furnished(ax, chance=False, about=about)
        look = next_look(axes, None)
        shown = self.name if name is None else name
        folds = self.band.roc.folds
        named = [
            f"curves of {len(folds)} folds",
            *(f"_fold {fold}" for fold in range(1, len(folds))),
        ]
        self.fold_lines_ = [
            add_curve(axes, curve.curve, text, look, thin(look, fold_kwargs))
            for curve, text in zip(folds, named, strict=False)
        ]
        self.line_, self.band_ = add_band(axes, self.band, shown, look, curve_kwargs, band_kwargs)
        self.chance_level_ = chance(axes, chance_level_kw) if plot_chance_level else None
        if despine:
            despine_axes(axes)
        self.ax_ = finished(axes)
        figure = axes.figure.canvas.figure  # also where the axes are part of a subfigure
        assert isinstance(figure, Figure), "axes stand on a figure"
        self.figure_ = figure
        return self
