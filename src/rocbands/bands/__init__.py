"""Confidence bands around ROC curves: one module for each method, all of them listed here."""

from __future__ import annotations

from rocbands.bands.fixed_width import FixedWidth
from rocbands.bands.fold_average import FoldAverage
from rocbands.bands.joint_region import JointRegion
from rocbands.bands.likelihood import Likelihood
from rocbands.bands.sup_t import SupT
from rocbands.bands.threshold import ThresholdAverage
from rocbands.bands.vertical import VerticalAverage
from rocbands.bands.working_hotelling import WorkingHotelling
from rocbands.core.arguments import explain
from rocbands.core.band import Band, BandMethod
from rocbands.core.columns import Column, Labels
from rocbands.core.data import Data, as_roc_curve
from rocbands.core.method import resolve_method
from rocbands.core.randomness import Rng

__all__ = [
    "BandMethod",
    "FixedWidth",
    "FoldAverage",
    "JointRegion",
    "Likelihood",
    "SupT",
    "ThresholdAverage",
    "VerticalAverage",
    "WorkingHotelling",
]

METHODS: dict[str, type[BandMethod]] = {
    "likelihood": Likelihood,
    "fixed-width": FixedWidth,
    "joint-region": JointRegion,
    "sup-t": SupT,
    "working-hotelling": WorkingHotelling,
    "vertical": VerticalAverage,
    "threshold": ThresholdAverage,
    "fold-average": FoldAverage,
}
DEFAULT = "likelihood"
FOLDS_DEFAULT = "fold-average"
SHARED_FILES: dict[str, str] = {}


@explain
def roc_band(
    y_true: Labels | Data,
    y_score: Column | None = None,
    *,
    positive: object = None,
    method: str | BandMethod | None = None,
    level: float = 0.95,
    future: tuple[int, int] | None = None,
    n_resamples: int | None = None,
    rng: Rng = 0,
) -> Band:
    """Confidence band for the ROC curve of a scored test set.

    Parameters
    ----------
    y_true : Sample, RocCurve or ScoreCounts, or array-like of shape (n,)
        The data of one model; or two labels of any kind.
    y_score : array-like of shape (n,), optional
        With labels, the scores; a larger one means more positive.
    positive : object, optional
        With labels, the positive one; needed unless they are {0, 1}, {-1, 1} or booleans.
    method : str or BandMethod, optional
        A name from :func:`methods`, or an instance with its parameters. The default is
        'likelihood', and 'fold-average' for a sample with folds.
    level : float, default 0.95
        Confidence level, strictly between 0 and 1.
    future : (int, int), optional
        Class sizes (n_pos, n_neg) of a future test set. The band is then for its empirical curve
        instead of the true curve.
    n_resamples : int, optional
        Number of resamples, for methods that have this parameter.
    rng : None, int, SeedSequence or Generator, default 0
        Source of randomness: the seed of the draws; None draws a new one.

    Returns
    -------
    Band
        The band. Its attributes `coverage` and `target` say what the level is for.

    Examples
    --------
    >>> import rocbands as rb
    >>> band = rb.roc_band(rb.load_example()["logistic"])
    >>> band.coverage
    'simultaneous'
    """
    roc = as_roc_curve(y_true, y_score, positive)
    default = FOLDS_DEFAULT if roc.folds else DEFAULT
    chosen = resolve_method(method, METHODS, BandMethod, default, n_resamples=n_resamples)
    return chosen(roc, level=level, future=future, rng=rng)
