"""Asymmetric Laplace scores: a mode and different scales on its two sides, for each class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rocbands.core.checks import FloatArray
from rocbands.core.references import BENNETT
from rocbands.smooth.asymmetric import AsymmetricMethod


@dataclass(frozen=True)
class AsymmetricLaplace(AsymmetricMethod):
    """The density of each class is exponential on both sides of its mode, with different scales.

    Mode and scales of both classes are fitted by maximum likelihood to the scores themselves, not
    to their ranks: the scale of the scores is part of the model.

    Parameters
    ----------
    n_resamples : int, default 1000
        Number of test sets drawn from the fitted model, each fitted anew.
    scale : {'score', 'logit'}, default 'score'
        Fit the scores as they are, or their log-odds, for scores that are probabilities.

    Notes
    -----
    Band and limits hold only if the scores follow the model. A test of that, by the larger
    Kolmogorov distance of the two classes among the drawn test sets, warns if p < 0.005. A class
    needs five different scores. Formulas: :mod:`rocbands.smooth.asymmetric`.

    Examples
    --------
    >>> import rocbands as rb
    >>> score = [1, 2, 3, 3.5, 4, 6, 3, 5, 6, 6.5, 7, 7.5]
    >>> curve = rb.smooth_curve([0] * 6 + [1] * 6, score, method="asymmetric-laplace")
    >>> round(curve.fitted["mode_neg"], 2), round(curve.auc, 2)
    (1.0, 0.84)
    """

    name: ClassVar[str] = "asymmetric-laplace"
    guarantee: ClassVar[str] = "near the level if the scores follow the model (measured), else none"
    idea: ClassVar[str] = "each class has a mode, and different scales on its two sides"
    references: ClassVar[tuple[str, ...]] = (BENNETT,)
    power: ClassVar[int] = 1

    def _tail(self, distance: FloatArray) -> FloatArray:
        return np.asarray(np.exp(-distance))

    def _far(self, share: FloatArray) -> FloatArray:
        return np.asarray(-np.log(np.maximum(share, 1e-300)))
