"""Gaussian limits: mean plus and minus standard errors of the bootstrap, in closed form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rocbands.core.method import Extra, Resampling
from rocbands.cost.method import DUGAS_GADOURY, CostMethod
from rocbands.cost.terms import CostLimits, CostTerms


@dataclass(frozen=True)
class GaussianCost(Resampling, CostMethod):
    """Dugas and Gadoury's interval: bootstrap mean plus and minus normal quantiles.

    Mean and variance over all resamples are exact, so nothing is resampled; the normal
    approximation fails where errors are few.

    Parameters
    ----------
    n_resamples : int, default 2000
        Random draws for simultaneous limits of two models; nothing else is random.

    Notes
    -----
    Equations 4 and 5 of Dugas and Gadoury (one classifier), 7 and 8 (two), 9 and 10 (one, full
    sampling), 12 and 13 (two, full sampling). As printed, equation 5 lacks the factors 1/n of both
    classes; here it has them.
    Measured coverage: studies/docs/coverage-costs.md.
    """

    name: ClassVar[str] = "gaussian"
    guarantee: ClassVar[str] = "approximate; fails where errors are few (measured .38 for .90)"
    idea: ClassVar[str] = "bootstrap mean and standard error in closed form"
    references: ClassVar[tuple[str, ...]] = (DUGAS_GADOURY,)
    handles: ClassVar[tuple[Extra, ...]] = (
        *("bins", "full sampling", "share law", "paired", "simultaneous"),
    )
    needs_many_errors: ClassVar[bool] = True

    def find_limits(self, terms: CostTerms, level: float, critical: float) -> CostLimits:
        mean, half = terms.mean, critical * np.sqrt(terms.variance)
        return CostLimits(mean, mean - half, mean + half)
