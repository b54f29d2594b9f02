"""Critical values for the empirical curve of a future test set.

Formulas (C4) and (C5) of docs/likelihood.md, section "Critical values". A reference
implementation is `future_statistic` in tests/oracles/critical_values.py, compared in
tests/likelihood/test_chance.py.
"""

from __future__ import annotations

from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from rocbands.core.checks import FloatArray, freeze
from rocbands.likelihood.cache import keep
from rocbands.likelihood.chance import (
    EDITION,
    FIRST_NODE,
    LEVELS,
    Quantiles,
    chance_quantiles,
    draws_for,
    future_chance_statistics,
    keep_chance_draws,
)
from rocbands.resample.quantiles import sample_quantile

_LARGEST_RATIO = 40  # of the sizes of two sets: a larger one changes nothing
# Sizes are divided down to about this many cases of the largest class, (C5).
LARGEST = 400
_STEP = 0.05  # in log sizes, so that few different sizes are simulated
DRAWS = 5_000  # more outside the levels of the table of chance
_SEED = 11  # of all simulations here


class Sizes(NamedTuple):
    """Class sizes of the observed and of the future set."""

    n_pos: int
    n_neg: int
    future_pos: int
    future_neg: int


@lru_cache(maxsize=256)
def future_quantiles(sizes: Sizes) -> Quantiles:
    """Return the critical values of the statistic of a future curve under chance.

    The distribution depends on four sizes, too many for a table: 5,000 pairs of sets are simulated
    with a fixed seed, more beyond the levels of the table of chance, and kept on disk
    (:mod:`rocbands.likelihood.cache`). That alone gives P(T <= c) a standard error of .0042 at
    level .9. With 50 cases or more in each observed class only the excess over the value of the
    true curve is simulated, at smaller sizes, (C5); for future sets as large as the observed one,
    of more than 400 cases of a class, it is tabulated.
    """
    sizes = m, n, later_m, later_n = cap_sizes(sizes)
    if (m, later_m) > (n, later_n):
        # Exchanged classes have the same distribution: a mirrored curve gets the very same value.
        sizes = Sizes(n, m, later_n, later_m)
    true = chance_quantiles(sizes.n_pos, sizes.n_neg)
    if sizes.n_pos < FIRST_NODE:  # too discrete for differences: simulated as it is
        model, later = sizes, _find_quantiles(_future_draws(sizes, DRAWS))
    else:
        model = scale_down(sizes, LARGEST, sizes.n_pos / FIRST_NODE)
        both, plain = _tabulated(model) or simulate(model)
        later = true.row + both - plain

    def draw(level: float) -> FloatArray:
        return _future_draws(model, draws_for(level, DRAWS))

    # A second set only adds noise, and values rise with the level; draws may say otherwise.
    row = np.maximum.accumulate(np.maximum(later, true.row))
    return Quantiles(freeze(row), true.discrete, draw)


def cap_sizes(sizes: Sizes) -> Sizes:
    """Let no set be more than `_LARGEST_RATIO` times as large as the other."""
    m, n, later_m, later_n = sizes
    return Sizes(
        min(m, _LARGEST_RATIO * later_m),
        min(n, _LARGEST_RATIO * later_n),
        min(later_m, _LARGEST_RATIO * m),
        min(later_n, _LARGEST_RATIO * n),
    )


def scale_down(sizes: Sizes, largest: int, most: float) -> Sizes:
    """Divide all sizes by one number, at most `most`, and round them on a logarithmic scale."""
    by = max(1.0, min(max(sizes) / largest, most))  # the ratios of the sizes stay
    return Sizes(*(max(1, round(np.exp(_STEP * round(np.log(k / by) / _STEP)))) for k in sizes))


def simulate(model: Sizes) -> tuple[FloatArray, FloatArray]:
    """Draw the quantiles at LEVELS of the statistic of a future curve and of the true one."""
    both = _future_draws(model, DRAWS)
    # Cheaper draws, so with less error.
    plain = keep_chance_draws(_SEED, model.n_pos, model.n_neg, 4 * DRAWS)
    return _find_quantiles(both), _find_quantiles(plain)


def _find_quantiles(ordered: FloatArray) -> FloatArray:
    return np.array([sample_quantile(ordered, level) for level in LEVELS])


def _tabulated(model: Sizes) -> tuple[FloatArray, FloatArray] | None:
    """Look up what :func:`simulate` gives, where it is shipped."""
    if (model.n_pos, model.n_neg) != (model.future_pos, model.future_neg):
        return None
    row = load_table().get((model.n_pos, model.n_neg))
    return None if row is None else (row[0], row[1])


@cache
def load_table() -> dict[tuple[int, int], FloatArray]:
    """Read the table beside this module, made by `rocbands_studies.tables.future_table`."""
    with np.load(Path(__file__).with_name("future_table.npz")) as data:
        return {
            (int(a), int(b)): row
            for (a, b), row in zip(data["sizes"], data["quantiles"], strict=True)
        }


@lru_cache(maxsize=1024)
def _future_draws(sizes: Sizes, draws: int) -> FloatArray:
    def draw() -> FloatArray:
        # A generator of its own: the draws stand for a table, and must not depend on the data.
        rng = np.random.default_rng([_SEED, *sizes])
        return np.sort(future_chance_statistics(*sizes, draws, rng))

    return freeze(keep(f"future-{EDITION}-{'-'.join(map(str, sizes))}-{draws}", draws, draw))
