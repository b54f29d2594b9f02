"""Build the table of the Berk-Jones statistic's law.

    python -m rocbands_studies.tables.berk_jones_table src/rocbands/bands/berk_jones.npz

Takes about ten seconds on one core; nothing is random.
"""

from __future__ import annotations

import math
import sys
from pathlib import Path

import numpy as np
from scipy.optimize import brentq
from scipy.special import gammaln, hyp1f1

from rocbands.bands.joint_region import rate_limits

SIZES = (
    *range(1, 13), 14, 16, 19, 22, 26, 31, 37, 45, 55, 70, 90, 120, 170, 250, 400, 700, 1_500,
    4_000, 10_000,
)  # fmt: skip
VALUES = np.geomspace(0.7, 20.0, 60)


def probability(value: float, size: int) -> float:
    """P(statistic <= value): all order statistics keep between their bounds.

    From U_(i) to U_(i+1) the sample cdf is i/n, and its divergence is largest at one end, so
    the statistic stays below the value exactly when low_i <= U_(i) <= high_(i-1) for every i. A
    Poisson process of rate n, followed from bound to bound and held to the counts that they allow,
    reaches time 1 with n points as often as that. Run backwards it is the same process, so half of
    the way is enough.
    """
    low, high = rate_limits(np.arange(size + 1.0), size, value)
    low, high = low[1:], high[:-1]
    if (low > high).any():
        return 0.0
    times, is_high = np.concatenate([low, high]), np.repeat([False, True], size)
    order = np.argsort(times, kind="stable")[: np.count_nonzero(times <= 0.5)]
    means = size * np.diff(times[order], prepend=0.0, append=0.5)
    longest = int(means.max() + 12.0 * math.sqrt(means.max())) + 25
    points = np.arange(longest)
    log_factorial = gammaln(points + 1.0)
    fewest, most, held = 0, 0, np.ones(1)
    for mean, passes_high in zip(means, [*is_high[order], None], strict=True):
        new = np.exp(points * math.log(max(mean, 1e-300)) - mean - log_factorial)
        held = np.convolve(held, new)[: most - fewest + 1]
        if passes_high:
            held, fewest = held[1:], fewest + 1
        elif passes_high is not None:
            most += 1
    halfway = np.zeros(size + 1)
    fits = halfway[fewest : fewest + held.size].size
    halfway[fewest : fewest + fits] = held[:fits]
    return float(halfway @ halfway[::-1]) / poisson_at_its_mean(size)


def poisson_at_its_mean(n: int) -> float:
    """Probability of n events where n are expected, to the last digits."""
    if n < 100:
        return math.exp(-n) * (n**n / math.factorial(n))
    return math.exp(-1 / (12 * n) + 1 / (360 * n**3)) / math.sqrt(2 * math.pi * n)


def drift(value: float) -> float:
    """Rate at which an Ornstein-Uhlenbeck process leaves +-sqrt(2 value).

    On the scale of ln(t / (1 - t)) / 2 the standardised sample cdf becomes one, with covariance
    exp(-|s|), and n values cover a stretch of ln n. The rate is the least mu at which the even
    solution of f'' - x f' + mu f = 0 is zero at the bound.
    """

    def at_bound(mu: float) -> float:
        return float(hyp1f1(-mu / 2.0, 0.5, value))

    mu = 1e-12
    while at_bound(mu) > 0.0:
        mu *= 1.2
    return float(brentq(at_bound, mu / 1.2, mu, xtol=1e-18, rtol=1e-12))


def main(path: Path) -> None:
    """Write the table."""
    strain = np.array([[-math.log(probability(v, n)) for v in VALUES] for n in SIZES])
    np.savez_compressed(
        path,
        sizes=np.array(SIZES, dtype=np.int32),
        values=VALUES,
        strain=strain.astype(np.float32),
        drift=np.array([drift(v) for v in VALUES]),
    )
    print("written", path, path.stat().st_size, "bytes", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
