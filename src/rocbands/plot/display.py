"""Displays in scikit-learn's style: ROC and precision-recall curves with confidence bands."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import Parameter, signature
from typing import Any, Self, TypedDict, TypeVar, Unpack, cast

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Polygon

from rocbands.core.arguments import explain_constructor
from rocbands.core.band import Band, BandMethod
from rocbands.core.checks import FloatArray
from rocbands.errors import InputError, Message, call
from rocbands.io.estimators import build_band_from_cv_results, build_band_from_predictions, response
from rocbands.plot import canvas
from rocbands.plot.canvas import Properties, Style
from rocbands.plot.layout import LegendPlace, fit_label
from rocbands.plot.roc import add_band, add_curve, finish_roc_axes
from rocbands.plot.views import add_view, finish_view_axes, prepare_view_axes
from rocbands.precision.average_precision import average_precision
from rocbands.views.view import View

Maker = TypeVar("Maker", bound=Callable[..., Any])


class BandOptions(TypedDict, total=False):
    """Keywords that every display of two classes takes, for the band and for its picture."""

    sample_weight: Any
    clusters: Any
    strata: Any
    drop_intermediate: bool
    method: str | BandMethod | None
    level: float
    random_state: Any
    ax: Axes | None
    curve_kwargs: Properties
    band_kwargs: Properties
    despine: bool
    legend: LegendPlace


class ViewOptions(BandOptions, total=False):
    """Keywords of precision-recall displays."""

    future: tuple[int, int] | None


class RocOptions(ViewOptions, total=False):
    """Keywords of ROC displays."""

    plot_chance_level: bool
    chance_level_kw: Properties


class FoldOptions(BandOptions, total=False):
    """Keywords of displays of a cross-validation."""

    response_method: str
    pos_label: object


# Defaults of all keywords; those that are not listed default to None.
_DEFAULTS: dict[str, Any] = {
    "drop_intermediate": True, "multi_class": "ovr", "level": 0.95, "random_state": 0,
    "response_method": "auto", "average": True, "plot_chance_level": False, "despine": False,
    "legend": True,
}  # fmt: skip


def show_options(options: Any) -> Callable[[Maker], Maker]:
    """Show `options`, a TypedDict, in the signature of a function that takes them as `**how`.

    Type checkers read ``Unpack[options]``; this is for `inspect.signature` and `help`. Other
    arguments are refused with an explanation.
    """
    shown = [
        Parameter(name, Parameter.KEYWORD_ONLY, default=_DEFAULTS.get(name), annotation=kind)
        for name, kind in options.__annotations__.items()
    ]

    def decorate(make: Maker) -> Maker:
        own = signature(make)
        named = list(own.parameters.values())[:-1]
        vars(make)["__signature__"] = own.replace(parameters=[*named, *shown])
        return cast(Maker, explain_constructor(make))

    return decorate


class Display:
    """Common part of all displays: a name, and the axes they were drawn on."""

    ax_: Axes
    figure_: Figure

    def __init__(self, name: str | None) -> None:
        self.name = name

    @classmethod
    def _split(cls, how: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the keywords of the band, and those that `plot` takes."""
        of_plot = signature(cls.plot).parameters  # type: ignore[attr-defined]
        band = {name: how[name] for name in how if name not in of_plot}
        return band, {name: how[name] for name in how if name in of_plot}

    def _finish(self, first: Axes, *others: Axes, despine: bool) -> Self:
        """Keep the axes; with `despine` remove two sides of each frame."""
        for axes in (first, *others) if despine else ():
            axes.spines[["top", "right"]].set_visible(False)
            axes.spines["bottom"].set_bounds(0, 1)
            axes.spines["left"].set_bounds(0, 1)
        figure = first.figure.canvas.figure  # also where the axes are part of a subfigure
        assert isinstance(figure, Figure), "axes belong to a figure"
        self.ax_, self.figure_ = first, figure
        return self


class _BandDisplay(Display):
    """Common part of displays of two classes."""

    line_: Line2D
    band_: Polygon

    def __init__(self, name: str | None, pos_label: object) -> None:
        super().__init__(name)
        self.pos_label = pos_label


class RocBandDisplay(_BandDisplay):
    """ROC curve with its confidence band, as scikit-learn's `RocCurveDisplay` shows the curve.

    Make one with :meth:`from_estimator`, :meth:`from_predictions` or :meth:`from_cv_results`,
    which draw at once, or from an existing band.

    Parameters
    ----------
    band : Band
        The band, as :func:`rocbands.roc_band` makes it.
    name : str, optional
        The name of the model, for the legend.
    pos_label : int, float, bool or str, optional
        The positive class, for the names of the axes.

    Attributes
    ----------
    band : Band
        The band, with all its numbers.
    line_ : matplotlib Line2D
        The curve inside the band; for a cross-validation, the average over folds.
    band_ : matplotlib Polygon
        The band.
    fold_lines_ : list of Line2D
        The folds' own curves; empty without folds.
    chance_level_ : Line2D or None
        The chance line, with `plot_chance_level`.
    ax_ : matplotlib Axes
        The axes.
    figure_ : matplotlib Figure
        The figure.

    See Also
    --------
    rocbands.roc_band : the band without a picture.
    ClassBandsDisplay : several classes.

    Examples
    --------
    >>> import rocbands as rb
    >>> from matplotlib.figure import Figure
    >>> sample = rb.load_example()
    >>> display = rb.RocBandDisplay.from_predictions(
    ...     sample.is_positive, sample["logistic"].values, name="logistic", ax=Figure().subplots()
    ... )
    >>> display.line_.get_label()
    'logistic (AUC 0.90)'
    >>> bool(display.band.lower_at(0.1) < 0.69 < display.band.upper_at(0.1))
    True
    """

    fold_lines_: list[Line2D]
    chance_level_: Line2D | None

    def __init__(self, *, band: Band, name: str | None = None, pos_label: object = None) -> None:
        if not isinstance(band, Band):
            raise InputError(
                Message("must be a band, for example from {}", call("roc_band", "...")),
                f"got {type(band).__name__}",
                argument="band",
            )
        super().__init__(name, pos_label)
        self.band = band

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

    @explain_constructor
    def plot(
        self,
        ax: Axes | None = None,
        *,
        name: str | None = None,
        curve_kwargs: Properties = None,
        band_kwargs: Properties = None,
        fold_kwargs: Properties = None,
        plot_chance_level: bool = False,
        chance_level_kw: Properties = None,
        despine: bool = False,
        legend: LegendPlace = True,
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
            Whether to draw the chance line.
        chance_level_kw : mapping, optional
            Properties of that line.
        despine : bool, default False
            Whether to remove the top and the right side of the frame.
        legend : bool or str, default True
            As for :meth:`rocbands.results.Band.plot`.

        Returns
        -------
        RocBandDisplay
            This display.
        """
        canvas.check_curve_kwargs(curve_kwargs)
        about = "" if self.pos_label is None else f" (positive label: {self.pos_label})"
        axes, _ = canvas.prepare_roc_axes(
            ax,
            chance=False,
            x_label=f"False positive rate{about}",
            y_label=f"True positive rate{about}",
        )
        style = canvas.next_style(axes)
        self.fold_lines_ = self._add_folds(axes, style, fold_kwargs)
        self.line_, self.band_ = add_band(
            axes, self.band, self.name if name is None else name, style, curve_kwargs, band_kwargs
        )
        self.chance_level_ = None
        if plot_chance_level:
            self.chance_level_ = add_chance_level(axes, chance_level_kw)
        return self._finish(finish_roc_axes(axes, legend=legend), despine=despine)

    def _add_folds(self, axes: Axes, style: Style, wishes: Properties) -> list[Line2D]:
        """Add the folds' curves, thin, with one entry in the legend for all of them."""
        thin = {"color": style.color, "linestyle": "-", "linewidth": 0.7, "alpha": 0.45}
        properties = canvas.merge_properties({**thin, "zorder": 2.2}, wishes, Line2D)
        folds = self.band.roc.folds
        texts = [f"Curves of {len(folds)} folds", *(f"_fold {k}" for k in range(1, len(folds)))]
        return [
            add_curve(axes, curve.curve, text, style, properties)
            for curve, text in zip(folds, texts, strict=False)
        ]

    @classmethod
    @show_options(RocOptions)
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,  # noqa: N803
        y: Any,
        *,
        response_method: str = "auto",
        pos_label: object = None,
        name: str | None = None,
        **how: Unpack[RocOptions],
    ) -> RocBandDisplay:
        """Score rows by a fitted classifier, and draw the curve with its band.

        Parameters
        ----------
        estimator : object
            A fitted binary classifier, or a pipeline or search that ends in one.
        X, y
            Rows that it has not been fitted to, and their labels.
        response_method : {'auto', 'predict_proba', 'decision_function'}
            Method that gives the scores; 'auto' prefers the first that the estimator has.
        pos_label : int, float, bool or str, optional
            The positive class; by default ``estimator.classes_[1]``.
        name : str, optional
            The name of the model; by default that of the estimator's class.
        sample_weight, clusters, strata : array-like of shape (n,), optional
            How the rows were drawn: `weights`, `clusters` and `strata` of :class:`rocbands.Sample`.
        drop_intermediate : bool
            Accepted for compatibility with scikit-learn, without effect: collinear points are never
            drawn, and computations always use all points.
        method, level, future
            As for :func:`rocbands.roc_band`.
        random_state : None, int, RandomState or Generator, default 0
            Source of randomness for methods that resample.
        ax, curve_kwargs, band_kwargs, plot_chance_level, chance_level_kw, despine, legend
            As for :meth:`plot`.
        """
        found = response(estimator, X, positive=pos_label, response_method=response_method)
        name = type(estimator).__name__ if name is None else name
        return cls.from_predictions(y, found.scores, pos_label=found.positive, name=name, **how)

    @classmethod
    @show_options(RocOptions)
    def from_predictions(
        cls,
        y_true: Any,
        y_score: Any,
        *,
        pos_label: object = None,
        name: str | None = None,
        **how: Unpack[RocOptions],
    ) -> RocBandDisplay:
        """Draw the curve of labels and scores, with its band.

        Parameters
        ----------
        y_true, y_score : array-like of shape (n,)
            Labels, and scores that are larger for positives.
        pos_label : int, float, bool or str, optional
            The positive label; needed unless the labels are {0, 1}, {-1, 1} or booleans.
        name : str, optional
            The name of the model; by default 'Classifier'.
        sample_weight, clusters, strata, drop_intermediate, method, level, future, random_state
            As for :meth:`from_estimator`.
        ax, curve_kwargs, band_kwargs, plot_chance_level, chance_level_kw, despine, legend
            As for :meth:`plot`.
        """
        of_band, drawing = cls._split(how)
        band, label, _ = build_band_from_predictions(
            y_true, y_score, pos_label=pos_label, **of_band
        )
        display = cls(band=band, name="Classifier" if name is None else name, pos_label=label)
        return display.plot(**drawing)

    @classmethod
    @show_options(FoldOptions)
    def from_cv_results(
        cls,
        cv_results: Mapping[str, Any],
        X: Any,  # noqa: N803
        y: Any,
        *,
        name: str | None = None,
        fold_kwargs: Properties = None,
        plot_chance_level: bool = False,
        chance_level_kwargs: Properties = None,
        **how: Unpack[FoldOptions],
    ) -> RocBandDisplay:
        """Draw the average curve of a cross-validation with its band, and the folds' curves thin.

        Parameters
        ----------
        cv_results : dict
            As scikit-learn's ``cross_validate(..., return_estimator=True, return_indices=True)``
            returns it.
        X, y
            The rows and labels that it was called with.
        name : str, optional
            Name of the average in the legend.
        chance_level_kwargs : mapping, optional
            As `chance_level_kw` of :meth:`plot`; the name is scikit-learn's.
        method : str or BandMethod, optional
            A method that handles folds; by default 'fold-average', for the average true curve of
            the folds' models. ``rb.FoldAverage(of='learner')`` is for the learner.
        pos_label, drop_intermediate, response_method, level, random_state
            As for :meth:`from_estimator`.
        sample_weight, clusters, strata : array-like of the length of y, optional
            As for :meth:`from_estimator`, if `method` can use them with folds.
        ax, curve_kwargs, band_kwargs, fold_kwargs, plot_chance_level, despine, legend
            As for :meth:`plot`.
        """
        of_band, drawing = cls._split(how)
        band, label = build_band_from_cv_results(cv_results, X, y, **of_band)
        return cls(band=band, name=name, pos_label=label).plot(
            fold_kwargs=fold_kwargs,
            plot_chance_level=plot_chance_level,
            chance_level_kw=chance_level_kwargs,
            **drawing,
        )


class PrecisionRecallBandDisplay(_BandDisplay):
    """Precision-recall curve with its band, as scikit-learn's `PrecisionRecallDisplay` draws one.

    Points of the curve are joined by straight lines in ROC space, and it starts at the first
    positive: no point (0, 1) is added. Make one with :meth:`from_estimator`,
    :meth:`from_predictions` or :meth:`from_cv_results`, which draw at once.

    Parameters
    ----------
    view : View
        The band, as :func:`rocbands.pr_band` makes it.
    name, pos_label
        As for :class:`RocBandDisplay`.

    Attributes
    ----------
    view : View
        The band, with all its numbers.
    average_precision : float
        Average precision of the rows, as scikit-learn computes it.
    prevalence_pos_label : float
        The prevalence that the curve is drawn at.
    line_, band_, ax_, figure_
        As for :class:`RocBandDisplay`.

    Examples
    --------
    >>> import rocbands as rb
    >>> from matplotlib.figure import Figure
    >>> sample = rb.load_example()
    >>> display = rb.PrecisionRecallBandDisplay.from_predictions(
    ...     sample.is_positive, sample["logistic"].values, name="logistic", ax=Figure().subplots()
    ... )
    >>> display.line_.get_label()
    'logistic (AP 0.84, 0.80 to 0.88)'
    """

    def __init__(self, *, view: View, name: str | None = None, pos_label: object = None) -> None:
        if not isinstance(view, View) or view.name != "pr":
            raise InputError(
                Message(
                    "must be a precision-recall band, for example from {}", call("pr_band", "...")
                ),
                f"got {type(view).__name__}",
                argument="view",
            )
        super().__init__(name, pos_label)
        self.view = view

    @property
    def average_precision(self) -> float:
        """Average precision of the rows, as scikit-learn computes it."""
        return average_precision(self.view.band.roc)

    @property
    def prevalence_pos_label(self) -> float:
        """The prevalence that the curve is drawn at."""
        return self.view.share

    @explain_constructor
    def plot(
        self,
        ax: Axes | None = None,
        *,
        name: str | None = None,
        curve_kwargs: Properties = None,
        band_kwargs: Properties = None,
        despine: bool = False,
        legend: LegendPlace = True,
    ) -> Self:
        """Draw the curve, its band and the line of the prevalence.

        Parameters
        ----------
        ax, name, curve_kwargs, band_kwargs, despine, legend
            As for :meth:`RocBandDisplay.plot`.
        """
        canvas.check_curve_kwargs(curve_kwargs)
        axes, empty = prepare_view_axes(self.view, ax)
        if empty and self.pos_label is not None:
            about = f" (positive label: {self.pos_label})"
            for axis in (axes.xaxis, axes.yaxis):
                axis.set_label_text(axis.get_label_text() + about, parse_math=False)
                fit_label(axis)
        called = self.name if name is None else name
        self.line_, self.band_ = add_view(axes, self.view, called, None, curve_kwargs, band_kwargs)
        return self._finish(finish_view_axes(axes, legend), despine=despine)

    @classmethod
    @show_options(ViewOptions)
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,  # noqa: N803
        y: Any,
        *,
        response_method: str = "auto",
        pos_label: object = None,
        prevalence: float | None = None,
        name: str | None = None,
        **how: Unpack[ViewOptions],
    ) -> PrecisionRecallBandDisplay:
        """Score rows by a fitted classifier, and draw the curve with its band.

        Parameters
        ----------
        estimator, X, y, response_method, pos_label, name
            As for :meth:`RocBandDisplay.from_estimator`.
        prevalence, method, level, future, random_state
            As for :meth:`from_predictions`.
        sample_weight, clusters, strata, drop_intermediate
            As for :meth:`RocBandDisplay.from_estimator`.
        ax, curve_kwargs, band_kwargs, despine, legend
            As for :meth:`plot`.
        """
        found = response(estimator, X, positive=pos_label, response_method=response_method)
        name = type(estimator).__name__ if name is None else name
        return cls.from_predictions(
            y, found.scores, pos_label=found.positive, prevalence=prevalence, name=name, **how
        )

    @classmethod
    @show_options(ViewOptions)
    def from_predictions(
        cls,
        y_true: Any,
        y_score: Any,
        *,
        pos_label: object = None,
        prevalence: float | None = None,
        name: str | None = None,
        **how: Unpack[ViewOptions],
    ) -> PrecisionRecallBandDisplay:
        """Draw the curve of labels and scores, with its band.

        Parameters
        ----------
        y_true, y_score, pos_label, name
            As for :meth:`RocBandDisplay.from_predictions`.
        prevalence : float, optional
            Share of positives where the model will be used; by default that of the rows, with its
            sampling error.
        sample_weight, clusters, strata, drop_intermediate, method, level, future, random_state
            As for :meth:`RocBandDisplay.from_estimator`.
        ax, curve_kwargs, band_kwargs, despine, legend
            As for :meth:`plot`.
        """
        of_band, drawing = cls._split(how)
        band, label, rng = build_band_from_predictions(
            y_true, y_score, pos_label=pos_label, **of_band
        )
        view = band.view("pr", prevalence=prevalence, rng=rng)
        display = cls(view=view, name="Classifier" if name is None else name, pos_label=label)
        return display.plot(**drawing)

    @classmethod
    @show_options(FoldOptions)
    def from_cv_results(
        cls,
        cv_results: Mapping[str, Any],
        X: Any,  # noqa: N803
        y: Any,
        *,
        prevalence: float | None = None,
        name: str | None = None,
        **how: Unpack[FoldOptions],
    ) -> PrecisionRecallBandDisplay:
        """Draw the image of the average ROC curve of a cross-validation, with its band.

        Parameters
        ----------
        cv_results, X, y, name
            As for :meth:`RocBandDisplay.from_cv_results`.
        prevalence : float, optional
            Share of positives; by default that of all rows, taken as known.
        pos_label, drop_intermediate, response_method, method, level, random_state
            As for :meth:`RocBandDisplay.from_cv_results`.
        sample_weight, clusters, strata
            As for :meth:`RocBandDisplay.from_cv_results`.
        ax, curve_kwargs, band_kwargs, despine, legend
            As for :meth:`plot`.
        """
        of_band, drawing = cls._split(how)
        band, label = build_band_from_cv_results(cv_results, X, y, **of_band)
        share = band.roc.prevalence if prevalence is None else prevalence
        view = band.view("pr", prevalence=share)
        return cls(view=view, name=name, pos_label=label).plot(**drawing)


def add_chance_level(axes: Axes, wishes: Properties) -> Line2D:
    """Add the chance line, with an entry in the legend."""
    properties = {**canvas.CHANCE_LINE, "label": "Chance (AUC 0.5)"}
    return axes.plot([0, 1], [0, 1], **canvas.merge_properties(properties, wishes, Line2D))[0]
