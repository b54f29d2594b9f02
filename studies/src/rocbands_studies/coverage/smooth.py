"""How often smooth curves and their limits hold: ``python -m rocbands_studies.coverage.smooth [sets] [name ...]``.

Names are of methods and populations; without any all are measured. Prints the tables of studies/docs/measured-curves.md: the share of test sets whose band contains the whole true
curve, contains it from fpr .01 to tpr .99, and whose interval contains its area, by method,
population and size.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy import special, stats

import rocbands as rb
from rocbands.core.curve import Curve
from rocbands.smooth import METHODS

LEVELS = (0.90, 0.95, 0.99)
SIZES = ((50, 50), (200, 200), (20, 200))  # positives, negatives
DRAWS = 199


class TwoPiece(NamedTuple):
    """Half a normal density on each side of a mode, with different scales."""

    mode: float
    below: float
    above: float

    def rvs(self, size: int, random_state: np.random.Generator) -> Any:
        up = random_state.random(size) < self.above / (self.below + self.above)
        far = np.abs(random_state.normal(size=size))
        return self.mode + np.where(up, self.above, -self.below) * far

    def sf(self, t: Any) -> Any:
        both = self.below + self.above
        high = 2.0 * self.above / both * special.ndtr((self.mode - t) / self.above)
        low = 2.0 * self.below / both * special.ndtr((t - self.mode) / self.below)
        return np.where(t >= self.mode, high, 1.0 - low)


class Mixture(NamedTuple):
    """Half of a class about one place, half about another."""

    one: Any
    other: Any

    def rvs(self, size: int, random_state: np.random.Generator) -> Any:
        first = random_state.random(size) < 0.5
        draws = [part.rvs(size, random_state=random_state) for part in self]
        return np.where(first, *draws)

    def sf(self, t: Any) -> Any:
        return (self.one.sf(t) + self.other.sf(t)) / 2.0


POPULATIONS: dict[str, tuple[Any, Any]] = {  # negatives, positives
    "binormal": (stats.norm(), stats.norm(1.5, 1.2)),
    "binormal, AUC .97": (stats.norm(), stats.norm(2.7, 1.0)),
    "skewed (exponential)": (stats.expon(), stats.expon(scale=5.0)),
    "Laplace": (stats.laplace(), stats.laplace(2.0, 1.0)),
    "two-piece normal": (TwoPiece(0.0, 0.5, 1.5), TwoPiece(2.5, 1.5, 0.5)),
    "bimodal": (stats.norm(), Mixture(stats.norm(0.0, 0.7), stats.norm(4.0, 0.7))),
}


def true_curve(name: str) -> Curve:
    """The population's curve as a fine polyline."""
    neg, pos = POPULATIONS[name]
    t = np.linspace(120.0, -40.0, 200_001)
    x, y = (np.concatenate([[0.0], one.sf(t), [1.0]]) for one in (neg, pos))
    # About 2,000 of the points, evenly along both axes on the probit scale.
    place = np.clip(special.ndtri(x), -9.0, 9.0) - np.clip(special.ndtri(1.0 - y), -9.0, 9.0)
    kept = np.unique(np.searchsorted(place, np.linspace(place[0], place[-1], 2001)))
    kept = np.unique(np.concatenate([[0], np.minimum(kept, x.size - 1), [x.size - 1]]))
    return Curve(x[kept], y[kept])


def draw(name: str, sizes: tuple[int, int], rng: np.random.Generator) -> rb.RocCurve:
    """Draw one test set."""
    neg, pos = POPULATIONS[name]
    scores = pos.rvs(sizes[0], random_state=rng), neg.rvs(sizes[1], random_state=rng)
    return rb.roc_curve(np.repeat([1, 0], sizes), np.concatenate(scores))


Fits = Callable[[rb.RocCurve, np.random.Generator], list[Any] | None]


def fit(method: str, roc: rb.RocCurve, rng: np.random.Generator) -> list[Any] | None:
    """Smooth curves at all levels; None where no curve can be fitted."""
    own = METHODS[method]
    chosen: Any = own() if method == "binormal" else own(n_resamples=DRAWS)  # type: ignore[call-arg]
    try:
        return list(chosen.at_levels(roc, LEVELS, rng=rng))
    except rb.InputError:
        return None


def measure(fits: Fits, name: str, sizes: tuple[int, int], sets: int, seed: int = 1) -> Any:
    """Shares of bands, of bands without the corners and of intervals that hold; sets fitted."""
    truth, rng = true_curve(name), np.random.default_rng([seed, *sizes])
    fpr = np.linspace(0.01, 0.99, 197)
    tpr = truth.high(fpr)
    fpr, tpr = fpr[tpr <= 0.99], tpr[tpr <= 0.99]
    held, done = np.zeros((3, len(LEVELS))), 0
    for _ in range(sets):
        found = fits(draw(name, sizes, rng), rng)
        if found is None:
            continue
        done += 1
        held[0] += [one.region.contains(truth) for one in found]
        held[1] += [
            ((one.lower_at(fpr) <= tpr) & (tpr <= one.upper_at(fpr))).all() for one in found
        ]
        held[2] += [one.auc_low <= truth.area <= one.auc_high for one in found]
    return held / max(done, 1), done


def main(sets: int, names: list[str]) -> None:
    """Print a table for each method."""
    warnings.simplefilter("ignore", rb.RocBandsWarning)
    chosen = [[n for n in of if n in names] or list(of) for of in (METHODS, POPULATIONS)]
    for method in chosen[0]:
        print(f"\n{method}: whole band; band inside; AUC; at {LEVELS}; {sets} sets a cell\n")
        print("| population | " + " | ".join(f"{p}+{n}" for p, n in SIZES) + " |")
        print("|---|" + "---|" * len(SIZES))
        for name in chosen[1]:
            cells = []
            for sizes in SIZES:
                held, done = measure(partial(fit, method), name, sizes, sets)
                said = "; ".join(
                    " ".join(f"{v:.3f}"[1:] if v < 1 else "1.0" for v in row) for row in held
                )
                cells.append(said + (f" ({done} fitted)" if done < sets else ""))
            print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else 400, sys.argv[2:])
