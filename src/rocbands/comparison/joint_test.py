"""Joint test that the AUCs of several models on the same rows are equal: Hotelling's T2.

The formulas are in docs/formulas.md, "Several AUCs"; comments give their numbers.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import fdtrc

from rocbands.comparison.areas import AreaCovariance
from rocbands.core.checks import FloatArray
from rocbands.core.tolerance import SLACK
from rocbands.resample.sign_flips import FlippedStatistics

NEGLIGIBLE = 1e-10  # variance relative to the largest one that is attributed to rounding
NO_VARIANCE = (
    "Some AUCs differ although the variance of their difference is 0, so that there is no joint "
    "test; the joint p-value is that of the largest difference in standard errors."
)
SINGULAR = "The covariance is singular: some models do not differ; a generalised inverse was used."
TOO_FEW = (
    "There are too few cases of a class for a joint test of so many models; the joint p-value is "
    "that of the largest difference in standard errors."
)


class JointTest(NamedTuple):
    """Hotelling's statistic for equal AUCs, in the p directions in which they vary."""

    statistic: float
    raised_statistic: float  # with the variances of formula (M2)
    df: int  # p
    df_error: float | None  # f of formula (M3); None: there is no joint test
    # (k + 1, p) weights of the positives' and of the negatives' residuals, formula (M4): `root`,
    # and the part of the observed contrasts due to the class.
    flip_weights: tuple[FloatArray, FloatArray]
    added: FloatArray  # (p, p) what (M2) adds to the covariance of these contrasts
    notes: tuple[str, ...] = ()

    @classmethod
    def from_areas(cls, areas: FloatArray, parts: AreaCovariance, floor: float) -> JointTest:
        """Compute T2, formula (M1), and its degrees of freedom, formula (M3)."""
        # Eigenvectors of C S C: the generalised inverse of (M1) leaves out those that do not vary.
        centre = np.eye(areas.size) - 1.0 / areas.size
        values, vectors = np.linalg.eigh(centre @ parts.total @ centre)
        largest = float(np.diag(parts.total).max())
        varies = values > NEGLIGIBLE * max(largest, NEGLIGIBLE**2)
        p = int(np.count_nonzero(varies))
        along = vectors.T @ (areas - areas.mean())
        raised = values[varies] + floor
        # Coordinates in which the covariance, or the raised one, is the unit matrix.
        plain, root = (vectors[:, varies] / np.sqrt(by) for by in (values[varies], raised))
        white = along[varies] / np.sqrt(values[varies])  # T2 is its squared length
        # Clusters with both classes count half for either.
        sides = [side + parts.across / 2.0 for side in (parts.pos, parts.neg)]
        found = cls(
            statistic=float((white**2).sum()),
            raised_statistic=float((along[varies] ** 2 / raised).sum()),
            df=p,
            df_error=None,
            flip_weights=(
                np.vstack((root, root.T @ sides[0] @ plain @ white)),
                np.vstack((root, root.T @ sides[1] @ plain @ white)),
            ),
            added=np.diag(floor / raised),
        )
        if np.abs(along[~varies]).max() > SLACK:
            return found._replace(notes=(NO_VARIANCE,))
        notes = () if p == areas.size - 1 else (SINGULAR,)
        # The covariance of a class with p cases or fewer is singular: in some direction its
        # variance would be 0. With one case more it is hardly known.
        if p and min(parts.cases) <= p + 1:
            return found._replace(notes=(*notes, TOO_FEW))
        if p == 0:
            return found._replace(notes=notes)
        doubt = 0.0
        for side, cases in zip(sides, parts.cases, strict=True):
            own = plain.T @ side @ plain
            doubt += (float(np.sum(own * own)) + float(np.trace(own)) ** 2) / (cases - 1.0)
        df_error = parts.left * (p + p * p) / doubt - p + 1.0
        return found._replace(df_error=df_error if df_error > 0.0 else None, notes=notes)

    def find_tail(self, statistic: float) -> FloatArray:
        """Upper tail probability of Hotelling's distribution, by the F of formula (M3)."""
        assert self.df_error is not None
        scaled = statistic * self.df_error / ((self.df_error + self.df - 1.0) * self.df)
        return np.array([float(fdtrc(self.df, self.df_error, scaled))])

    def find_pvalue(self, drawn: FlippedStatistics, smallest: float) -> float:
        """Return the joint p-value: the larger one of sign flips and of Hotelling's distribution.

        Without a joint test it is the `smallest` adjusted p-value of a pair.
        """
        if self.df_error is None:
            return smallest
        seen = self.raised_statistic
        tails = self.find_tail(seen), self.find_tail(float(drawn.far[0]))
        flipped = drawn.find_pvalues(np.array([seen]), *tails, first=0)
        return float(max(flipped[0], self.find_tail(self.statistic)[0]))
