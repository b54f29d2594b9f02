"""Simultaneous joint regions: a Kolmogorov rectangle around every point of the curve."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from rocbands._math.kolmogorov import kolmogorov_quantile
from rocbands.core.band import Band, Coverage, Extra, check_request
from rocbands.core.region import DisplacedRegion
from rocbands.core.roc import RocCurve

__all__ = ["JointRegion"]


@dataclass(frozen=True)
class JointRegion:
    """Band of simultaneous joint regions, with exact Kolmogorov values at every sample size.

    The true positive rates at all thresholds lie within a distance v of the observed ones with a
    probability that Kolmogorov's law gives from the number of positives; the false positive rates
    within h, from the number of negatives. The two samples are independent, so the rectangles hold
    together, and the curve is inside what they sweep. No assumption on the scores; wide.

    Parameters
    ----------
    joint : bool, default True
        True splits the level between the axes, each at sqrt(level), so that the whole curve is
        inside with at least the stated probability. False puts each axis at `level`, as the papers
        do: then level ** 2 is guaranteed.

    References
    ----------
    Campbell (1994), Statistics in Medicine 13, 499-508. Macskassy, Provost and Rosset (2005), ROC
    confidence bands: an empirical evaluation, ICML. In both of their papers the two half-widths
    stand on each other's axes; here the vertical one comes from the positives.

    Examples
    --------
    >>> import rocbands as rb
    >>> y, models = rb.load_example()
    >>> roc = rb.roc_curve(y, models["logistic"], positive="malignant")
    >>> band = rb.JointRegion()(roc, level=0.95)
    >>> print(band.lower_at(0.1).round(2), band.upper_at(0.1).round(2))
    0.25 0.91
    """

    name: ClassVar[str] = "joint-region"
    coverage: ClassVar[Coverage] = "simultaneous"
    guarantee: ClassVar[str] = "at least the level, for any score distribution (theorem)"
    handles: ClassVar[tuple[Extra, ...]] = ()
    idea: ClassVar[str] = "Kolmogorov rectangles around every point; safe and wide"

    joint: bool = True

    def __call__(
        self,
        roc: RocCurve,
        *,
        level: float = 0.95,
        future: tuple[int, int] | None = None,
        rng: Any = None,
    ) -> Band:
        """Make the band of `roc`; nothing is random, so `rng` is not used."""
        level, _ = check_request(self, roc, level, future)
        per_axis = level**0.5 if self.joint else level
        across = kolmogorov_quantile(per_axis, roc.n_neg)
        up = kolmogorov_quantile(per_axis, roc.n_pos)
        notes = () if self.joint else (f"Each axis at {level:g}: {level**2:.4g} is guaranteed.",)
        return Band(roc, DisplacedRegion(roc.curve, across, up / across), level, self, notes=notes)
