"""The binormal curve fitted by maximum likelihood on ranks, with the Working-Hotelling band."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.special import ndtr, ndtri

from rocbands._math.binormal import SUSPECT, NoFit, check_binormal, fit_binormal
from rocbands.bands.working_hotelling import LineRegion, WorkingHotelling, say_fit
from rocbands.core.band import Band, Future
from rocbands.core.method import Request
from rocbands.core.roc import RocCurve
from rocbands.errors import InputError, Message, arg, warn
from rocbands.smooth.method import SmoothMethod, make_result


@dataclass(frozen=True)
class Binormal(SmoothMethod):
    """The line on the probit scale that is most likely, given the order of the scores.

    The curve is tpr = Phi(a + b Phi^-1(fpr)): some increasing transform makes both classes normal.
    Only ranks are used. The band is that of ``roc_band(method="working-hotelling")``; the area
    Phi(a / sqrt(1 + b^2)) has limits by the delta method on the probit scale.

    Notes
    -----
    Band and limits have the level in large samples if the scores are binormal, otherwise none; a
    test warns of scores that do not look so. Separated classes have no such fit.

    Examples
    --------
    >>> import rocbands as rb
    >>> curve = rb.smooth_curve(rb.load_example()["logistic"], method="binormal", level=0.9)
    >>> print(round(curve.auc_low, 3), round(curve.auc_high, 3))
    0.878 0.92
    """

    name: ClassVar[str] = "binormal"
    guarantee: ClassVar[str] = "the level in large samples of binormal scores (theorem), else none"
    assumes: ClassVar[str] = "binormal scores"
    idea: ClassVar[str] = "a line on the probit scale, fitted to the order of the scores"
    references: ClassVar[tuple[str, ...]] = (
        "Dorfman and Alf (1969), Maximum-likelihood estimation of parameters of signal-detection "
        "theory and determination of confidence intervals, Journal of Mathematical Psychology 6, "
        "487-496.",
        "Metz, Herman and Shen (1998), Maximum likelihood estimation of receiver operating "
        "characteristic (ROC) curves from continuously-distributed data, Statistics in Medicine "
        "17, 1033-1053.",
    )

    def note_doubts(self, roc: RocCurve, future: Future = None) -> tuple[str, ...]:
        return WorkingHotelling().note_doubts(roc)

    def build_bands(self, roc: RocCurve, requests: Sequence[Request]) -> list[Band]:
        """Fit the line once; each level has its own multiple of the standard error."""
        neg, pos = (np.diff(counts, prepend=0)[::-1] for counts in (roc.fp, roc.tp))
        fit, check = fit_binormal(neg, pos), check_binormal(neg, pos)
        if isinstance(fit, NoFit):
            raise InputError(
                "A binormal curve needs classes that overlap",
                fit.reason,
                Message("Use {}.", arg("method", "kernel")),
            )
        fitting = say_fit(check, min(roc.n_pos, roc.n_neg))
        if check is not None and check.p_value < SUSPECT:
            said = f"The scores do not look binormal (p = {check.p_value:.1g})"
            fitting = Message("{}: use {}.", said, arg("method", "kernel"))
            warn(fitting)
        length = math.hypot(1.0, fit.b)
        slope = np.array([1.0, -fit.a * fit.b / length**2]) / length
        error = math.sqrt(slope @ fit.covariance @ slope)  # of a / length, by the delta method
        found: list[Band] = []
        for level in (request.level for request in requests):
            region = LineRegion(fit, math.sqrt(-2.0 * math.log1p(-level)))
            centre = region.centre
            assert centre is not None
            reach = -float(ndtri((1.0 - level) / 2.0)) * error
            low, high = (float(ndtr(fit.a / length + side * reach)) for side in (-1.0, 1.0))
            notes: tuple[str, ...] = (*self.note_doubts(roc), fitting)
            if (turns := region.turns) is not None:
                hooks = (
                    f"b is uncertain: the upper edge falls up to fpr {turns[0]:.2g}, "
                    f"the lower edge from fpr {turns[1]:.2g} on."
                )
                notes += (hooks,)
            found.append(
                make_result(
                    self,
                    roc,
                    region,
                    level,
                    centre,
                    (low, high),
                    {"a": fit.a, "b": fit.b},
                    notes=notes,
                    fit_pvalue=None if check is None else check.p_value,
                )
            )
        return found
