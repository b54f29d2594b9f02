"""A simultaneous band for the difference of two ROC curves, of the same rows or of two test sets.

Difference curves are drawn from the normal distribution with the covariance of
:mod:`rocbands.comparison.difference_spread`; the quantile of their largest deviation in standard
errors is the critical value (sup-t). docs/compare.md, "Difference of two curves", has the formulas.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from typing import Any

import numpy as np

from rocbands.comparison.difference_spread import DESIGNS, DifferenceSpread, estimate_spread
from rocbands.comparison.grid_curve import CurveAtGrid, build_grid, count_cases
from rocbands.comparison.joint_limits import FEW_NEGATIVES, MANY_POSITIVES, widen_at_bumps
from rocbands.comparison.result import DifferenceBand
from rocbands.core.arguments import explain
from rocbands.core.checks import (
    FloatArray,
    as_range,
    check_level,
    check_resamples,
    check_rng,
    check_unit_interval,
    pick_one,
    spoken,
    suggest_shares,
)
from rocbands.core.columns import Column, Labels
from rocbands.core.data import Data, read_pair
from rocbands.core.method import Handling, Request
from rocbands.core.pair import Pair
from rocbands.core.randomness import Rng, Simulation
from rocbands.core.roc import RocCurve
from rocbands.core.score_variance import CaseNumbers
from rocbands.core.tolerance import SLACK
from rocbands.design.effective_sizes import ask_about_reversed
from rocbands.errors import InputError, Message, arg

HANDLING = Handling(
    "difference_band",
    "comparison",
    "simultaneous limits of the difference of two curves, at all FPR of a range",
    DESIGNS,
)
# Lowest rates of the default range, and the negatives that must lie below them: with fewer, the
# coverage of steep curves is too low (python -m tests.comparison.ranges).
LOWEST = (1e-5, 2e-5, 5e-5, 1e-4, 2e-4, 5e-4, 0.001, 0.002, 0.005, 0.01)
ENOUGH = 50.0
USUAL = 0.02  # where at least 5 negatives lie below it, otherwise 0.05
LEAST_BEYOND = 2.0  # fewer negatives beyond an end of the range give a note
FEW_CASES = 100  # fewer negatives give a note on the same rows
FEW_TO_SEE_BUMPS = 30  # fewer cases of a class give a note on the same rows
FEW_FOR_TWO_SETS = 50  # fewer cases of a class of one set give a note on two
FEW_OF_A_SET = (
    "One curve has fewer than 50 cases of a class: hooks and steps of it may not be seen; where "
    "there were such, limits held 0.83 at 0.95, and with fewer than 20 cases 0.53 at 0.80."
)


@explain
def difference_band(
    y_true: Labels | Data,
    y_score_1: Column | Data | None = None,
    y_score_2: Column | None = None,
    *,
    positive: object = None,
    fpr: tuple[float, float] | None = None,
    specificity: tuple[float, float] | None = None,
    level: float = 0.95,
    n_resamples: int = 5000,
    rng: Rng = 0,
) -> DifferenceBand:
    """Simultaneous confidence limits for the difference of two ROC curves, at all FPR of a range.

    Parameters
    ----------
    y_true : Sample, or array-like of shape (n,)
        A sample of two models, or the first of two test sets; or two labels of any kind.
    y_score_1, y_score_2 : array-like of shape (n,), or Sample, optional
        With labels, both models' scores; with a first test set, `y_score_1` is the second one.
    positive : object, optional
        With labels, the positive one; needed unless they are {0, 1}, {-1, 1} or booleans.
    level : float, default 0.95
        Confidence that the whole true difference lies between the limits.
    fpr : (float, float), optional
        Range of false positive rates inside (0, 1). By default it starts at the lowest round rate
        with at least 50 negatives below it; with few negatives at 0.02 (at least 5 below) or 0.05.
        It ends symmetrically, at most at 0.98.
    specificity : (float, float), optional
        The same range in specificities, which are 1 - fpr.
    n_resamples : int, default 5000
        Number of drawn difference curves.
    rng : None, int, SeedSequence or Generator, default 0
        Source of randomness: the seed of the draws; None draws a new one.

    Returns
    -------
    DifferenceBand
        TPR of model 1 minus TPR of model 2, its limits, and the ranges of FPR in which one model
        is better.

    See Also
    --------
    compare_tpr : the same difference at one FPR.

    Notes
    -----
    Every row influences the difference: a positive that one model ranks above its threshold and the
    other does not, and a negative that moves one threshold more than the other, in proportion to
    the slopes of the two curves. Curves are drawn from the normal distribution that these
    influences add up to; the quantile of their largest deviation, in standard errors, is the
    critical value. On the same rows the standard error is never 0, and grows with the hypothetical
    difference. On two test sets each curve has limits of its own, from the likelihood, at the same
    critical value; their distances from the two curves are joined as standard errors are. So they
    are on the same rows where a curve has a bump, as pooled sites with different offsets give, and
    where negatives are few: slopes are of no use there. A note names a clear bump.

    With weights, clusters or strata effective numbers replace counts, and Student's quantile widens
    the limits if clusters are few; `notes` says what the design costs.

    The coverage is near the level, and below it for some designs:
    studies/docs/coverage-difference.md.

    Examples
    --------
    >>> import rocbands as rb
    >>> band = rb.difference_band(rb.load_example())
    >>> band.better[0].model, band.better[0].low
    (1, 0.02)

    Two test sets:

    >>> sample = rb.load_example()["logistic"]
    >>> parts = sample.take(sample.kept["fold"] < 5), sample.take(sample.kept["fold"] >= 5)
    >>> rb.difference_band(*parts).paired
    False
    """
    ends = fpr
    if specificity is not None:
        ends = as_range(*pick_one(fpr=fpr, specificity=specificity))[1]
    pair = read_pair(y_true, y_score_1, y_score_2, positive)
    with spoken("fpr" if specificity is None else "specificity"):
        return build_difference_band(pair, level=level, fpr=ends, n_resamples=n_resamples, rng=rng)


def build_difference_band(pair: Pair, *, level: float = 0.95, **options: Any) -> DifferenceBand:
    """Limits from a pair of models; options as for :func:`difference_band`."""
    return build_difference_bands(pair, levels=(level,), **options)[0]


def build_difference_bands(
    pair: Pair,
    *,
    levels: Sequence[float],
    fpr: tuple[float, float] | None = None,
    n_resamples: int = 5000,
    rng: Rng = 0,
    curves: tuple[RocCurve, RocCurve] | None = None,
) -> list[DifferenceBand]:
    """Limits of several levels; each is the same as if computed alone.

    `curves`: both curves with their design, if they are already counted.
    """
    HANDLING.check(pair.asked)
    levels, source = [check_level(level) for level in levels], check_rng(rng)
    check_resamples(n_resamples)
    curves = curves or pair.curves
    sizes = count_cases(curves, paired=pair.paired)
    n_neg = min(own.n_neg for own in sizes)
    grid = build_grid(*(choose_fpr_range(n_neg) if fpr is None else check_fpr_range(fpr)))
    one, two = (
        CurveAtGrid.from_curve(roc, grid, own) for roc, own in zip(curves, sizes, strict=True)
    )
    spread = widen_at_bumps(estimate_spread(pair, one, two), (one, two), sizes[0])
    notes = (*pair.value_notes, *spread.describe(pair.names))
    notes += _write_notes(sizes, grid, paired=pair.paired)
    asked = Request(levels[0], source)
    bands = []
    for place, level in enumerate(levels):
        # Every level gets the same draws.
        own = deepcopy(asked.rng) if place < len(levels) - 1 else asked.rng
        critical_value = spread.find_critical_value(level, n_resamples, own)
        simulation = asked.simulated(n_resamples, spread.find_edge_error(critical_value))
        question = ask_about_reversed(dict(zip(pair.names, curves, strict=True)), level)
        named = {"names": pair.names, "paired": pair.paired, "notes": notes, "question": question}
        bands.append(
            assemble_band(curves, spread, grid, critical_value.value, level, simulation, **named)
        )
    return bands


def assemble_band(
    curves: tuple[RocCurve, RocCurve],
    spread: DifferenceSpread,
    grid: FloatArray,
    critical_value: float,
    level: float,
    simulation: Simulation,
    **named: Any,
) -> DifferenceBand:
    """Find the limits for a critical value; `named`: names, paired and notes of the band."""
    lower, upper = spread.find_limits(critical_value)
    one, two = curves
    return DifferenceBand(
        fpr=grid,
        difference=spread.difference,
        lower=lower,
        upper=upper,
        level=level,
        critical_value=critical_value,
        n_pos=one.n_pos,
        n_neg=one.n_neg,
        n_pos_2=two.n_pos,
        n_neg_2=two.n_neg,
        curves=curves,
        frame=one.frame,
        simulation=simulation,
        **named,
    )


def _write_notes(sizes: Sequence[CaseNumbers], fpr: FloatArray, *, paired: bool) -> tuple[str, ...]:
    """Write notes on few independent cases of both curves."""
    notes, (n_pos, n_neg) = [], map(min, zip(*sizes, strict=True))
    beyond = min(fpr[0], 1.0 - fpr[-1]) * n_neg
    if beyond < LEAST_BEYOND:
        number = f"{beyond:.2g}"
        lie = "negative lies" if number == "1" else "negatives lie"
        notes.append(
            f"Only {number} {lie} beyond an end of the range; with fewer than {LEAST_BEYOND:g} "
            "the coverage has hardly been measured."
        )
    if not paired:
        if min(n_pos, n_neg) < FEW_FOR_TWO_SETS:
            notes.append(FEW_OF_A_SET)
        return tuple(notes)
    many = n_pos >= MANY_POSITIVES * n_neg
    if FEW_NEGATIVES <= n_neg < FEW_CASES and many:
        notes.append(
            "Few negatives and many positives: the lowest measured coverage of such bands is 0.76 "
            "at level 0.90, and 0.78 at 0.95."
        )
    if min(n_pos, n_neg) < FEW_TO_SEE_BUMPS and not many:
        notes.append(
            f"Fewer than {FEW_TO_SEE_BUMPS} cases of a class: a bump of a curve may not be seen; "
            "with pooled sites and 20 cases of each class coverage was 0.86 at 0.95."
        )
    return tuple(notes)


def choose_fpr_range(n_neg: float) -> tuple[float, float]:
    """Return the default range of false positive rates for `n_neg` negatives.

    It starts at the lowest round rate with at least 50 negatives below it; otherwise at 0.02, if at
    least 5 are below that, or at 0.05. It ends symmetrically, but not beyond 0.98.

    Examples
    --------
    >>> choose_fpr_range(50), choose_fpr_range(500), choose_fpr_range(100_000)
    ((0.05, 0.95), (0.02, 0.98), (0.0005, 0.98))
    """
    usual = USUAL if USUAL * n_neg >= 5.0 - SLACK else 0.05
    low = next((rate for rate in LOWEST if rate * n_neg >= ENOUGH - SLACK), usual)
    return low, 1.0 - max(low, USUAL)


def check_fpr_range(fpr: Any) -> tuple[float, float]:
    """Return the ends of a range strictly inside (0, 1)."""
    example = Message("Pass, for example, {}.", arg("fpr", (0.05, 0.95)))
    advice = suggest_shares(fpr, "fpr")
    if advice and (np.size(fpr) != 2 or np.isin((0, 100), fpr).any()):
        advice = ""  # it would be refused again
    ends = check_unit_interval(
        fpr, "fpr", advice or Message("At fpr 0 and 1 all curves meet. {}", example)
    )
    if ends.shape != (2,) or not SLACK <= ends[0] < ends[1] <= 1.0 - SLACK:
        raise InputError(
            "must be two ends with 0 < low < high < 1",
            f"got {fpr!r}",
            Message("At fpr 0 and 1 all curves meet. {}", example),
            argument="fpr",
        )
    return float(ends[0]), float(ends[1])
