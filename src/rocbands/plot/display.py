"""A display in scikit-learn's manners: an ROC curve with its confidence band."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from matplotlib.axes import Axes

from rocbands.bands import roc_band
from rocbands.core.band import BandMethod
from rocbands.io.crossval import fold_scores
from rocbands.io.estimators import labels_of, positive_of, response
from rocbands.plot.drawn import DrawnBand, Properties
from rocbands.plot.manners import generator, no_weights

__all__ = ["RocBandDisplay"]


class RocBandDisplay(DrawnBand):
    """ROC curve with its confidence band, as scikit-learn's `RocCurveDisplay` shows the curve.

    Make one with :meth:`from_estimator`, :meth:`from_predictions` or :meth:`from_cv_results`,
    which draw at once, or from a band that is there already.

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
        The band; ask it for numbers.
    line_ : matplotlib Line2D
        The curve that the band stands around: of a cross-validation the folds' average.
    band_ : matplotlib Polygon
        The band.
    fold_lines_ : list of Line2D
        The folds' own curves; empty without folds.
    chance_level_ : Line2D or None
        The line of guessing, if it was asked for.
    ax_ : matplotlib Axes
        The axes.
    figure_ : matplotlib Figure
        The figure.

    See Also
    --------
    rocbands.roc_band : the band without a picture.

    Examples
    --------
    >>> import rocbands as rb
    >>> from matplotlib.figure import Figure
    >>> y, models = rb.load_example()
    >>> display = rb.RocBandDisplay.from_predictions(
    ...     y, models["logistic"], pos_label="malignant", name="logistic", ax=Figure().subplots()
    ... )
    >>> display.line_.get_label()
    'logistic (AUC 0.90)'
    >>> bool(display.band.lower_at(0.1) < 0.69 < display.band.upper_at(0.1))
    True
    """

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,  # noqa: N803
        y: Any,
        *,
        sample_weight: None = None,
        drop_intermediate: bool = True,
        response_method: str = "auto",
        pos_label: object = None,
        method: str | BandMethod | None = None,
        level: float = 0.95,
        future: tuple[int, int] | None = None,
        random_state: Any = None,
        name: str | None = None,
        ax: Axes | None = None,
        curve_kwargs: Properties | None = None,
        band_kwargs: Properties | None = None,
        plot_chance_level: bool = False,
        chance_level_kw: Properties | None = None,
        despine: bool = False,
    ) -> RocBandDisplay:
        """Score rows by a fitted classifier, and draw the curve with its band.

        Parameters
        ----------
        estimator : object
            A fitted classifier of two classes, or a pipeline or a search that ends in one.
        X, y
            Rows that it has not been fitted to, and their labels.
        sample_weight : None
            Bands count rows; weights are refused.
        drop_intermediate : bool
            Accepted for scikit-learn's sake: points in a straight run are never drawn, and what is
            computed always sees all of them.
        response_method : {'auto', 'predict_proba', 'decision_function'}
            Who scores; 'auto' prefers the first that the estimator has.
        pos_label : int, float, bool or str, optional
            The positive class; by default ``estimator.classes_[1]``.
        method, level, future
            Of the band, as for :func:`rocbands.roc_band`.
        random_state : None, int, RandomState or Generator
            Source of randomness for methods that resample.
        name : str, optional
            The name of the model; by default that of the estimator's class.
        ax, curve_kwargs, band_kwargs, plot_chance_level, chance_level_kw, despine
            As for :meth:`plot`.
        """
        found = response(estimator, X, positive=pos_label, response_method=response_method)
        return cls.from_predictions(
            y,
            found.scores,
            sample_weight=sample_weight,
            drop_intermediate=drop_intermediate,
            pos_label=found.positive,
            method=method,
            level=level,
            future=future,
            random_state=random_state,
            name=type(estimator).__name__ if name is None else name,
            ax=ax,
            curve_kwargs=curve_kwargs,
            band_kwargs=band_kwargs,
            plot_chance_level=plot_chance_level,
            chance_level_kw=chance_level_kw,
            despine=despine,
        )

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_score: Any,
        *,
        sample_weight: None = None,
        drop_intermediate: bool = True,
        pos_label: object = None,
        method: str | BandMethod | None = None,
        level: float = 0.95,
        future: tuple[int, int] | None = None,
        random_state: Any = None,
        name: str | None = None,
        ax: Axes | None = None,
        curve_kwargs: Properties | None = None,
        band_kwargs: Properties | None = None,
        plot_chance_level: bool = False,
        chance_level_kw: Properties | None = None,
        despine: bool = False,
    ) -> RocBandDisplay:
        """Draw the curve of labels and scores, with its band.

        Parameters
        ----------
        y_true, y_score : array-like of shape (n,)
            Labels, and scores that are larger for positives.
        pos_label : int, float, bool or str, optional
            The positive label; needed unless the labels are {0, 1}, {-1, 1} or booleans.
        sample_weight, drop_intermediate, method, level, future, random_state
            As for :meth:`from_estimator`.
        name : str, optional
            The name of the model; by default 'Classifier'.
        ax, curve_kwargs, band_kwargs, plot_chance_level, chance_level_kw, despine
            As for :meth:`plot`.
        """
        no_weights(sample_weight)
        is_positive, label = labels_of(y_true, pos_label, "y_true")
        rng = generator(random_state)
        band = roc_band(is_positive, y_score, method, level=level, future=future, rng=rng)
        display = cls(band=band, name="Classifier" if name is None else name, pos_label=label)
        return display.plot(
            ax,
            curve_kwargs=curve_kwargs,
            band_kwargs=band_kwargs,
            plot_chance_level=plot_chance_level,
            chance_level_kw=chance_level_kw,
            despine=despine,
        )

    @classmethod
    def from_cv_results(
        cls,
        cv_results: Mapping[str, Any],
        X: Any,  # noqa: N803
        y: Any,
        *,
        sample_weight: None = None,
        drop_intermediate: bool = True,
        response_method: str = "auto",
        pos_label: object = None,
        method: str | BandMethod | None = None,
        level: float = 0.95,
        random_state: Any = None,
        ax: Axes | None = None,
        name: str | None = None,
        curve_kwargs: Properties | None = None,
        band_kwargs: Properties | None = None,
        fold_kwargs: Properties | None = None,
        plot_chance_level: bool = False,
        chance_level_kwargs: Properties | None = None,
        despine: bool = False,
    ) -> RocBandDisplay:
        """Draw the average curve of a cross-validation with its band, and the folds' curves thin.

        Parameters
        ----------
        cv_results : dict
            As scikit-learn's ``cross_validate(..., return_estimator=True, return_indices=True)``
            returns it.
        X, y
            The rows and labels that it was called with.
        method : str or BandMethod, optional
            A method that handles folds; by default 'fold-average', for the average true curve of
            the folds' models. ``rb.FoldAverage(of='learner')`` is for the learner.
        pos_label, sample_weight, drop_intermediate, response_method, level, random_state
            As for :meth:`from_estimator`.
        name : str, optional
            What to call the average in the legend.
        chance_level_kwargs : mapping, optional
            As `chance_level_kw` of :meth:`plot`; scikit-learn calls it so here.
        ax, curve_kwargs, band_kwargs, fold_kwargs, plot_chance_level, despine
            As for :meth:`plot`.
        """
        no_weights(sample_weight)
        label = positive_of(cv_results, pos_label)
        is_positive, scores, folds = fold_scores(
            cv_results, X, y, positive=label, response_method=response_method
        )
        rng = generator(random_state)
        band = roc_band(is_positive, scores, method, level=level, folds=folds, rng=rng)
        display = cls(band=band, name=name, pos_label=label)
        return display.plot(
            ax,
            curve_kwargs=curve_kwargs,
            band_kwargs=band_kwargs,
            fold_kwargs=fold_kwargs,
            plot_chance_level=plot_chance_level,
            chance_level_kw=chance_level_kwargs,
            despine=despine,
        )
