"""A display in scikit-learn's style for several classes: their ROC curves with bands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self, TypedDict, Unpack

from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Polygon

from rocbands.core.arguments import explain_constructor
from rocbands.core.band import BandMethod
from rocbands.errors import InputError, Message, call
from rocbands.io.estimators import build_bands_from_predictions, class_scores
from rocbands.multiclass.problems import MultiClass
from rocbands.multiclass.result import ClassBands
from rocbands.plot.canvas import Properties
from rocbands.plot.display import Display, add_chance_level, show_options
from rocbands.plot.layout import LegendPlace
from rocbands.plot.many import add_class_bands
from rocbands.plot.roc import finish_roc_axes


class BandsOptions(TypedDict, total=False):
    """Keywords of displays of several classes, for the bands and for their picture."""

    sample_weight: Any
    clusters: Any
    strata: Any
    drop_intermediate: bool
    multi_class: MultiClass
    method: str | BandMethod | None
    level: float
    random_state: Any
    ax: Axes | None
    average: bool
    curve_kwargs: Properties | Sequence[Properties]
    band_kwargs: Properties | Sequence[Properties]
    plot_chance_level: bool
    chance_level_kw: Properties
    despine: bool
    legend: LegendPlace


class ClassBandsDisplay(Display):
    """ROC curves of several classes with simultaneous bands.

    Make one with :meth:`from_estimator` or :meth:`from_predictions`, which draw at once, or from
    existing bands.

    Parameters
    ----------
    bands : ClassBands
        The bands, as :func:`rocbands.class_bands` makes them.
    name : str, optional
        The name of the model.

    Attributes
    ----------
    bands : ClassBands
        The bands, with all their numbers.
    lines_ : list of matplotlib Line2D
        The curve of each band.
    bands_ : list of matplotlib Polygon
        The bands.
    average_lines_ : list of Line2D
        The average curve on each axes; empty without `average`.
    chance_levels_ : list of Line2D
        The chance line on each axes; empty without `plot_chance_level`.
    axes_ : list of matplotlib Axes
        The axes: one for each band, or the given ones.
    ax_ : matplotlib Axes
        The first of them.
    figure_ : matplotlib Figure
        The figure.

    See Also
    --------
    rocbands.class_bands : the bands without a picture.
    RocBandDisplay : two classes.

    Examples
    --------
    >>> import numpy as np, rocbands as rb
    >>> from matplotlib.figure import Figure
    >>> rng = np.random.default_rng(1)
    >>> y = np.repeat(["cat", "dog", "owl"], 60)
    >>> scores = rng.normal(size=(180, 3)) + 1.5 * (y[:, None] == np.unique(y))
    >>> display = rb.ClassBandsDisplay.from_predictions(y, scores, ax=Figure().subplots())
    >>> [line.get_label() for line in display.lines_]
    ['cat (AUC 0.86)', 'dog (AUC 0.84)', 'owl (AUC 0.90)']
    >>> round(display.bands.macro_auc.low, 2)
    0.83
    """

    lines_: list[Line2D]
    bands_: list[Polygon]
    average_lines_: list[Line2D]
    chance_levels_: list[Line2D]
    axes_: list[Axes]

    def __init__(self, *, bands: ClassBands, name: str | None = None) -> None:
        if not isinstance(bands, ClassBands):
            raise InputError(
                Message(
                    "must be bands of several classes, for example from {}",
                    call("class_bands", "..."),
                ),
                f"got {type(bands).__name__}",
                argument="bands",
            )
        super().__init__(name)
        self.bands = bands

    @explain_constructor
    def plot(
        self,
        ax: Axes | None = None,
        *,
        name: str | None = None,
        average: bool = True,
        curve_kwargs: Properties | Sequence[Properties] = None,
        band_kwargs: Properties | Sequence[Properties] = None,
        plot_chance_level: bool = False,
        chance_level_kw: Properties = None,
        despine: bool = False,
        legend: LegendPlace = True,
    ) -> Self:
        """Draw the curves and their bands.

        Parameters
        ----------
        ax : Axes, optional
            Where to draw all of them; by default each is on axes of its own, on a new figure.
        name : str, optional
            The name of the model; by default the display's own.
        average : bool, default True
            Whether to draw the average curve, dotted.
        curve_kwargs : mapping or sequence of mappings, optional
            Properties of the curves' lines, as matplotlib's Line2D takes them: for all, or one
            mapping for each.
        band_kwargs : mapping or sequence of mappings, optional
            Properties of the bands, as matplotlib's Polygon takes them; likewise.
        plot_chance_level, chance_level_kw, despine
            As for :meth:`RocBandDisplay.plot`.
        legend : bool or str, default True
            As for :meth:`rocbands.results.Band.plot`, on given axes; others need none.

        Returns
        -------
        ClassBandsDisplay
            This display.
        """
        drawn = add_class_bands(
            self.bands,
            ax,
            average=average,
            chance=False,
            model=self.name if name is None else name,
            curve_kwargs=self._one_for_each(curve_kwargs, "curve_kwargs"),
            band_kwargs=self._one_for_each(band_kwargs, "band_kwargs"),
            legend=False,
        )
        self.axes_, self.lines_, self.bands_ = drawn.axes, [*drawn.lines], [*drawn.patches]
        self.average_lines_ = [*drawn.average_lines]
        places = self.axes_ if plot_chance_level else []
        self.chance_levels_ = [add_chance_level(axes, chance_level_kw) for axes in places]
        if ax is not None:
            finish_roc_axes(ax, legend=legend)
        return self._finish(*self.axes_, despine=despine)

    def _one_for_each(self, wishes: Any, argument: str) -> Sequence[Properties]:
        """Return the properties of each band."""
        number = len(self.bands)
        if wishes is None or isinstance(wishes, Mapping):
            return (wishes or {},) * number
        several = list(wishes) if isinstance(wishes, Sequence) else []
        if len(several) != number or not all(isinstance(one, Mapping) for one in several):
            raise InputError(
                f"must be one dict for all curves, or a list of {number}, one for each",
                f"got {wishes!r}",
                argument=argument,
            )
        return several

    @classmethod
    @show_options(BandsOptions)
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,  # noqa: N803
        y: Any,
        *,
        response_method: str = "auto",
        name: str | None = None,
        **how: Unpack[BandsOptions],
    ) -> ClassBandsDisplay:
        """Score rows by a fitted classifier, and draw the curves of all classes with their bands.

        Parameters
        ----------
        estimator : object
            A fitted classifier, or a pipeline or a search that ends in one.
        X, y
            Rows that it has not been fitted to, and their labels; each class must occur.
        response_method, name
            As for :meth:`RocBandDisplay.from_estimator`.
        **how
            As for :meth:`from_predictions`.
        """
        scores, classes = class_scores(estimator, X, response_method=response_method)
        name = type(estimator).__name__ if name is None else name
        return cls.from_predictions(y, scores, classes=classes, name=name, **how)

    @classmethod
    @show_options(BandsOptions)
    def from_predictions(
        cls,
        y_true: Any,
        y_score: Any,
        *,
        classes: Any = None,
        name: str | None = None,
        **how: Unpack[BandsOptions],
    ) -> ClassBandsDisplay:
        """Draw the curves of labels and a column of scores for each class, with their bands.

        Parameters
        ----------
        y_true, y_score, classes, multi_class, method, level
            As for :func:`rocbands.class_bands`.
        name : str, optional
            The name of the model; by default none is written.
        sample_weight, clusters, strata, drop_intermediate, random_state
            As for :meth:`RocBandDisplay.from_estimator`.
        ax, average, curve_kwargs, band_kwargs, plot_chance_level, chance_level_kw, despine, legend
            As for :meth:`plot`.
        """
        of_bands, drawing = cls._split(how)
        bands = build_bands_from_predictions(y_true, y_score, classes=classes, **of_bands)
        return cls(bands=bands, name=name).plot(**drawing)
