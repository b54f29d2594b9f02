"""Simultaneous joint regions: a rectangle around every point of the curve."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

import numpy as np

from rocbands._math.berk_jones import berk_jones_quantile, rate_limits
from rocbands._math.kolmogorov import kolmogorov_quantile
from rocbands.core.band import Band, BandMethod
from rocbands.core.checks import check_choice
from rocbands.core.curve import Curve
from rocbands.core.method import Coverage, Extra, Request
from rocbands.core.region import BetweenRegion, DisplacedRegion
from rocbands.core.roc import RocCurve
from rocbands.core.tolerance import SAME

__all__ = ["JointRegion"]

Boxes: TypeAlias = Literal["kolmogorov", "berk-jones"]


@dataclass(frozen=True)
class JointRegion(BandMethod):
    """Band of simultaneous joint regions, with exact laws at every sample size.

    The true positive rates at all thresholds lie within a distance of the observed ones with a
    probability that depends on the number of positives alone; the false positive rates likewise,
    from the number of negatives. The two samples are independent, so the rectangles hold together,
    and the curve is inside what they sweep. No assumption on the scores; wide.

    Parameters
    ----------
    boxes : {'kolmogorov', 'berk-jones'}, default 'kolmogorov'
        How the rectangles are made. 'kolmogorov', as the papers do: one size for all of them.
        'berk-jones': an observed share j/n allows the rates p with n KL(j/n || p) <= c, where c is
        the quantile of Berk and Jones' statistic, so that the rectangles shrink towards the sides
        of the square. Same guarantee, and less area the better the scores: measured with 250 rows
        at level 0.90, its mean area was 1.01, 0.92, 0.68 and 0.55 of the first one's at an AUC of
        .62, .80, .95 and .98.

    Notes
    -----
    The level is split between the axes, each at sqrt(level), so that the whole curve is inside with
    at least the stated probability.

    Scores tied across the classes are covered, too. The segment of the true curve that belongs to
    one score value joins a point in the rectangle before it to a point in the rectangle after it,
    and so lies between the segments that join the rectangles' corners, which are the band's edges.

    Of counts in bins the lowest and the highest possible curve are taken, one for each edge: a
    rectangle that moves to the northwest takes its corners with it.

    References
    ----------
    Campbell (1994), Statistics in Medicine 13, 499-508. Macskassy, Provost and Rosset (2005), ROC
    confidence bands: an empirical evaluation, ICML. In both of their papers the two half-widths
    stand on each other's axes, and each axis is at the level itself; here the vertical one comes
    from the positives. Berk and Jones (1979), Goodness-of-fit test statistics that dominate the
    Kolmogorov statistics, Zeitschrift fuer Wahrscheinlichkeitstheorie 47, 47-59.

    Examples
    --------
    >>> import rocbands as rb
    >>> y, models = rb.load_example()
    >>> roc = rb.roc_curve(y, models["logistic"], positive="malignant")
    >>> band = rb.JointRegion()(roc, level=0.95)
    >>> print(band.lower_at(0.1).round(2), band.upper_at(0.1).round(2))
    0.25 0.91
    >>> band = rb.JointRegion(boxes="berk-jones")(roc, level=0.95)
    >>> print(band.lower_at(0.1).round(2), band.upper_at(0.1).round(2))
    0.41 0.87
    """

    name: ClassVar[str] = "joint-region"
    coverage: ClassVar[Coverage] = "simultaneous"
    guarantee: ClassVar[str] = "at least the level, for any score distribution (theorem)"
    handles: ClassVar[tuple[Extra, ...]] = ("bins",)
    monotone: ClassVar[bool] = True  # a rectangle that moves northwest takes its corners with it
    idea: ClassVar[str] = "rectangles around every point; safe and wide"
    references: ClassVar[tuple[str, ...]] = (
        "Campbell (1994), Statistics in Medicine 13, 499-508.",
        "Macskassy, Provost and Rosset (2005), ROC confidence bands: an empirical evaluation, "
        "Proceedings of the 22nd International Conference on Machine Learning, 537-544.",
        "Berk and Jones (1979), Zeitschrift fuer Wahrscheinlichkeitstheorie 47, 47-59.",
    )

    boxes: Boxes = "kolmogorov"

    def __post_init__(self) -> None:
        check_choice(self.boxes, tuple(_REGIONS), "boxes")

    def level_per_axis(self, level: float) -> float:
        """Level of each axis; both together then have the square of it, as they are independent."""
        return float(level**0.5)

    def build_band(self, roc: RocCurve, request: Request) -> Band:
        per_axis = self.level_per_axis(request.level)
        note = f"{self.boxes.title()} boxes, each axis at {per_axis:.6g}"
        guaranteed = per_axis**2
        note += "." if guaranteed > request.level - SAME else f": {guaranteed:.4g} is guaranteed."
        region = _REGIONS[self.boxes](roc, per_axis)
        return Band(roc, region, request.level, self, notes=(note,))


def _of_one_size(roc: RocCurve, per_axis: float) -> DisplacedRegion:
    """Kolmogorov's rectangles sweep what the curve sweeps when it is pushed by half of one."""
    across = kolmogorov_quantile(per_axis, roc.n_neg)
    up = kolmogorov_quantile(per_axis, roc.n_pos)
    return DisplacedRegion(roc.curve, across, up / across)


def _shrinking(roc: RocCurve, per_axis: float) -> BetweenRegion:
    """Join the northwest corners of the rectangles, and the southeast corners.

    A side of a rectangle depends on the count of its own axis alone. Along a vertical or horizontal
    run of the curve the corners therefore run straight as well, and its ends are enough.
    """
    counts = Curve(np.append(0, roc.fp), np.append(0, roc.tp)).corners()
    left, right = rate_limits(counts.x, roc.n_neg, berk_jones_quantile(per_axis, roc.n_neg))
    bottom, top = rate_limits(counts.y, roc.n_pos, berk_jones_quantile(per_axis, roc.n_pos))
    return BetweenRegion(
        lower=Curve(np.append(0.0, right), np.append(0.0, bottom)),
        upper=Curve(np.append(left, 1.0), np.append(top, 1.0)),
    )


_REGIONS: dict[str, Callable[[RocCurve, float], DisplacedRegion | BetweenRegion]] = {
    "kolmogorov": _of_one_size,
    "berk-jones": _shrinking,
}
