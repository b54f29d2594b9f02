"""A share of positives that varies from one population to the next.

Dugas and Gadoury (2009, section 4) let the number of positives be binomial, and say that another
distribution could replace it. Only its mean and variance enter the cost: with the share of
positives P, mean p and variance v,

    cost = P c_fn FNR + (1 - P) c_fp FPR,    var = ... + (c_fn FNR - c_fp FPR)^2 v,

where the other terms are those of fixed class sizes with the share p (equation 10). If the share is
drawn apart from the test set, their product has v times the variances of both rates as well.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from scipy.special import betainc, betaincinv

from rocbands.core.checks import check_number, check_share
from rocbands.errors import InputError

_HALVINGS = 50  # from a width of 1 to below the last digit that matters


class VaryingShare(NamedTuple):
    """The share of positives, as it enters a cost: a beta distribution."""

    mean: float  # known, or the share of the test set
    sd: float
    rows: int | None = None  # of the test set that estimates the mean; None if it is known

    def find_variance(self, mean: float) -> float:
        """Variance of the share if it has this mean: of rows, that of a beta-binomial number."""
        own = mean * (1.0 - mean)
        return self.sd**2 if self.rows is None else self.sd**2 + (own - self.sd**2) / self.rows

    @property
    def variance(self) -> float:
        """Variance at the mean."""
        return self.find_variance(self.mean)

    def find_reach(self, level: float) -> tuple[float, float]:
        """Distance of the lower and of the upper limit of the share from its mean."""
        p, tails = self.mean, ((1.0 - level) / 2.0, (1.0 + level) / 2.0)
        if self.rows is None:
            low, high = (float(betaincinv(*self._shape(p), tail)) for tail in tails)
        else:  # means at which the observed share is a quantile of its distribution
            least = (1.0 - (1.0 - 4.0 * self.sd**2) ** 0.5) / 2.0  # smaller means vary less
            low = self._invert(tails[1], min(least, p), p)
            high = self._invert(tails[0], p, max(1.0 - least, p))
        # Very skewed shares may have both quantiles on one side of their mean.
        return max(p - low, 0.0), max(high - p, 0.0)

    def _shape(self, mean: float) -> tuple[float, float]:
        many = mean * (1.0 - mean) / self.find_variance(mean) - 1.0
        return mean * many, (1.0 - mean) * many

    def _invert(self, below: float, low: float, high: float) -> float:
        """Mean at which the share is smaller than the observed one with probability `below`."""
        for _ in range(_HALVINGS if low < high else 0):
            middle = (low + high) / 2.0
            falls = betainc(*self._shape(middle), self.mean) > below  # a larger mean is needed
            low, high = (middle, high) if falls else (low, middle)
        return (low + high) / 2.0


@dataclass(frozen=True)
class ShareLaw:
    """Share of positives that varies from one population to the next, with a beta distribution.

    Pass it as ``sampling=`` of :func:`rocbands.cost_interval` or :func:`rocbands.cost_difference`.

    Parameters
    ----------
    sd : float
        Standard deviation of the share between populations, such as sites or months.
    mean : float, optional
        Mean share, if it is known. Limits are then for the cost in a population whose share is one
        draw from this distribution. By default the test set itself comes from such a population,
        and limits are for the cost at the unknown mean; the number of positives is beta-binomial.

    Notes
    -----
    The test set alone says nothing about `sd`: it is known from earlier sites, months or studies.

    References
    ----------
    Dugas and Gadoury (2009), section 4 and equation 10.

    Examples
    --------
    >>> import rocbands as rb
    >>> sample, cut = rb.load_example()["logistic"], {"thresholds": 0.5, "costs": (10, 1)}
    >>> for law in ("full", rb.cost.ShareLaw(sd=0.1), rb.cost.ShareLaw(sd=0.1, mean=0.1)):
    ...     found = rb.cost_interval(sample, sampling=law, **cut)
    ...     print(found.cost.round(3), found.lower.round(3), found.upper.round(3))
    [0.121] [0.097] [0.15]
    [0.121] [0.039] [0.187]
    [0.04] [0.007] [0.122]
    """

    sd: float
    mean: float | None = None

    def __post_init__(self) -> None:
        check_number(self.sd, "sd", above=0.0, below=0.5)
        if self.mean is not None:
            mean = check_share(self.mean, "mean")
            most = (mean * (1.0 - mean)) ** 0.5
            if self.sd >= most:
                raise InputError(
                    f"must be below {most:.4g}: no share with the mean {mean:.4g} varies more",
                    f"got {self.sd:g}",
                    "Pass the standard deviation of the share itself, such as 0.02.",
                    argument="sd",
                )

    def apply(self, own: float, rows: int) -> VaryingShare:
        """Return the share of positives for a test set with the share `own` among its rows."""
        if self.mean is not None:
            return VaryingShare(self.mean, self.sd)
        return VaryingShare(own, self.sd, rows)

    def describe(self, own: float) -> str:
        """Say what varies, and what limits are for."""
        said = f"The share of positives varies between populations by {self.sd:g} (sd)"
        if self.mean is not None:
            return f"{said} about {self.mean:g}; limits are for the cost in one of them."
        return f"{said}; limits are for the cost at its mean, estimated as {own:.4g}."
