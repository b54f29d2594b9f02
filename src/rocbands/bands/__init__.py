"""Confidence bands around ROC curves: one module for each method, all of them listed here."""

from __future__ import annotations

from typing import Any

from rocbands.bands.fixed_width import FixedWidth
from rocbands.bands.fold_average import FoldAverage
from rocbands.bands.joint_region import JointRegion
from rocbands.bands.likelihood import Likelihood
from rocbands.bands.sup_t import SupT
from rocbands.bands.threshold import Threshold
from rocbands.bands.vertical import Vertical
from rocbands.bands.working_hotelling import WorkingHotelling
from rocbands.core.band import Band, BandMethod
from rocbands.core.columns import against_rest
from rocbands.core.method import resolve_method
from rocbands.core.public import public
from rocbands.core.randomness import Rng
from rocbands.core.roc import RocCurve, as_roc_curve

__all__ = ["DEFAULT", "METHODS", "roc_band"]

METHODS: dict[str, type[BandMethod]] = {
    "likelihood": Likelihood,
    "fixed-width": FixedWidth,
    "joint-region": JointRegion,
    "sup-t": SupT,
    "working-hotelling": WorkingHotelling,
    "vertical": Vertical,
    "threshold": Threshold,
    "fold-average": FoldAverage,
}
DEFAULT = "likelihood"
FOLDS_DEFAULT = "fold-average"
SHARED_FILES: dict[str, str] = {}


@public
def roc_band(
    y_true: Any,
    y_score: Any = None,
    method: str | BandMethod | None = None,
    *,
    level: float = 0.95,
    future: tuple[int, int] | None = None,
    groups: Any = None,
    weights: Any = None,
    strata: Any = None,
    folds: Any = None,
    positive: object = None,
    rest: bool = False,
    n_resamples: int | None = None,
    rng: Rng = "data",
) -> Band:
    """Confidence band for the ROC curve of a scored test set.

    Parameters
    ----------
    y_true : array-like of shape (n,), or RocCurve
        Two labels of any kind; or, alone, a curve that is already counted.
    y_score : array-like of shape (n,)
        Scores; a larger one means more positive. Infinite scores are legal, NaN is not.
    method : str or BandMethod, default 'likelihood'
        A name from :func:`methods`, or an instance with its parameters. With `folds` the default
        is 'fold-average'.
    level : float, default 0.95
        Confidence level, strictly between 0 and 1.
    future : (int, int), optional
        Class sizes (n_pos, n_neg) of a future test set: ask for the band of its empirical curve
        instead of the true curve.
    groups : array-like of shape (n,), optional
        The group of each row, for example the patient of each lesion. Methods that handle
        groups count what they are worth or resample them whole; the others refuse.
    weights : array-like of shape (n,), optional
        What each row stands for, on any scale, such as one over the probability that it was
        sampled; not counts. Only 'likelihood' handles them.
    strata : array-like of shape (n,), optional
        The stratum in which each row or its group was sampled; for 'likelihood'.
    folds : array-like of shape (n,), optional
        The fold of each row, where different models have scored them. Methods that handle folds
        average over the folds' curves; the others refuse.
    positive : object, optional
        The positive label; needed unless the labels are {0, 1}, {-1, 1} or booleans.
    rest : bool, default False
        One class against all others: every other label than `positive` counts as negative.
    n_resamples : int, optional
        Number of resamples, for methods that have this parameter; short for an instance with it.
    rng : {'data'}, None, int, SeedSequence or Generator, default 'data'
        Source of randomness for methods that resample.

    Returns
    -------
    Band
        The band; it says itself whether it is simultaneous or pointwise, and what it is for.

    Examples
    --------
    >>> import rocbands as rb
    >>> y, models = rb.load_example()
    >>> band = rb.roc_band(y, models["logistic"], positive="malignant")
    >>> band.coverage
    'simultaneous'
    """
    in_folds = folds is not None or (isinstance(y_true, RocCurve) and bool(y_true.folds))
    default = FOLDS_DEFAULT if in_folds else DEFAULT
    chosen = resolve_method(method, METHODS, BandMethod, default, n_resamples=n_resamples)
    roc = as_roc_curve(
        y_true,
        y_score,
        positive=against_rest(positive, rest),
        groups=groups,
        weights=weights,
        strata=strata,
        folds=folds,
        uses=("groups", "weights", "folds"),
    )
    return chosen(roc, level=level, future=future, rng=rng)
