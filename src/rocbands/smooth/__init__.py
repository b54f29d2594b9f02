"""Smooth ROC curves with bands: one module for each method, all of them listed here."""

from __future__ import annotations

from rocbands.core.arguments import explain
from rocbands.core.columns import Column, Labels
from rocbands.core.data import Data, as_roc_curve
from rocbands.core.method import resolve_method
from rocbands.core.randomness import Rng
from rocbands.smooth.asymmetric import AsymmetricGaussian, AsymmetricLaplace
from rocbands.smooth.binormal import Binormal
from rocbands.smooth.kernel import Kernel
from rocbands.smooth.method import SmoothMethod
from rocbands.smooth.result import SmoothCurve

__all__ = ["AsymmetricGaussian", "AsymmetricLaplace", "Binormal", "Kernel", "SmoothMethod"]

METHODS: dict[str, type[SmoothMethod]] = {
    "binormal": Binormal,
    "kernel": Kernel,
    "asymmetric-laplace": AsymmetricLaplace,
    "asymmetric-gaussian": AsymmetricGaussian,
}
DEFAULT = "binormal"
SHARED_FILES = dict.fromkeys(
    ("asymmetric-laplace", "asymmetric-gaussian"),
    "in asymmetric.py: one model with two shapes of its sides",
)


@explain
def smooth_curve(
    y_true: Labels | Data,
    y_score: Column | None = None,
    *,
    positive: object = None,
    method: str | SmoothMethod | None = None,
    level: float = 0.95,
    n_resamples: int | None = None,
    rng: Rng = 0,
) -> SmoothCurve:
    """Fit a smooth ROC curve, with a confidence band and an interval of its area.

    Parameters
    ----------
    y_true : Sample, RocCurve or ScoreCounts, or array-like of shape (n,)
        The data of one model; or two labels of any kind.
    y_score : array-like of shape (n,), optional
        With labels, the scores; a larger one means more positive.
    positive : object, optional
        With labels, the positive one; needed unless they are {0, 1}, {-1, 1} or booleans.
    method : str or SmoothMethod, optional
        'binormal' (default): a line on the probit scale, from the order of the scores. 'kernel':
        both classes smoothed on the scale of normal scores, from their order, too.
        'asymmetric-laplace' and 'asymmetric-gaussian': a mode and two scales for each class, fitted
        to the scores themselves.
    level : float, default 0.95
        Confidence level, strictly between 0 and 1.
    n_resamples : int, optional
        Test sets drawn from the fit, 1000 by default; 'binormal' draws none.
    rng : None, int, SeedSequence or Generator, default 0
        Source of randomness: the seed of the draws; None draws a new one.

    Returns
    -------
    SmoothCurve
        The smooth curve (`tpr_at`), its band (`lower_at`, `upper_at`), its area and its limits,
        what was fitted, and the distance from the empirical curve.

    Notes
    -----
    Band and limits are for the true curve *if the model holds*: binormal scores, smooth densities,
    or asymmetric scores. :func:`roc_band` assumes none of this. If no curve can be fitted, as by
    'binormal' to separated classes, there is an error. Rows must be independent and count equally.
    docs/other-curves.md has the measured coverage, also where models fail.

    Examples
    --------
    >>> import rocbands as rb
    >>> curve = rb.smooth_curve(rb.load_example()["logistic"])
    >>> print(f"{curve.auc:.3f} ({curve.auc_low:.3f} to {curve.auc_high:.3f})")
    0.901 (0.874 to 0.924)
    """
    roc = as_roc_curve(y_true, y_score, positive)
    chosen = resolve_method(method, METHODS, SmoothMethod, DEFAULT, n_resamples=n_resamples)
    found = chosen(roc, level=level, rng=rng)
    assert isinstance(found, SmoothCurve)
    return found
