"""Which thresholds are meant, and the rates that thresholds have, with binomial limits."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from rocbands._math.binomial import clopper_pearson_limits, wilson_limits
from rocbands.core.checks import FloatArray, IndexArray
from rocbands.core.roc import RocCurve
from rocbands.points.choice import Weights, best_steps, lowest_within

__all__ = [
    "OPTIMISTIC",
    "OWN_RATES",
    "at_thresholds",
    "found_thresholds",
    "scores_of",
    "steps_at",
    "words_on_steps",
]

OPTIMISTIC = (
    "Chosen on these very rows: the rates look better than they are. Judge them on other rows."
)
OWN_RATES = "Limits are for the rates of this very threshold."
BEST_END = "The best of the bins' ends; inside a bin there may be a better threshold."


def found_thresholds(
    roc: RocCurve, kind: str, wanted: Any, weights: Weights
) -> tuple[npt.NDArray[Any], tuple[str, ...]]:
    """Find the thresholds that are wanted."""
    if kind == "threshold":
        return wanted, ()
    if kind == "best":
        steps = best_steps(roc, wanted, weights)
        ties = (f"{steps.size} thresholds are tied for best.",) if steps.size > 1 else ()
        ends = (BEST_END,) if roc.certificate > 0.0 else ()
        return scores_of(roc, steps), (*ties, *ends, OPTIMISTIC)
    if kind == "rate":
        called = np.concatenate(([0], roc.fp + roc.tp)) / (roc.n_pos + roc.n_neg)
        steps = lowest_within(called, wanted)
        return scores_of(roc, steps), (OWN_RATES, *words_on_steps(roc, steps))
    steps = steps_at(roc, kind, wanted)
    return scores_of(roc, steps), words_on_steps(roc, steps)


def steps_at(roc: RocCurve, kind: str, wanted: FloatArray) -> IndexArray:
    """Lowest step whose fpr is within the wanted one, or highest whose tpr reaches it."""
    if kind == "fpr":
        return lowest_within(roc.fpr, wanted)
    return np.asarray(np.searchsorted(roc.tpr, wanted - 1e-12), dtype=np.intp)


def scores_of(roc: RocCurve, steps: IndexArray) -> npt.NDArray[Any]:
    """Thresholds of some steps; step 0 calls no row positive."""
    scores = roc.thresholds
    if (steps > 0).all():
        return np.asarray(scores[steps - 1])
    return np.where(steps > 0, scores[steps - 1].astype(np.float64), np.inf)


def at_thresholds(
    roc: RocCurve, cut: npt.NDArray[Any], method: str, level: float
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Rates at thresholds with binomial limits; inside a bin they are some of what it holds."""
    fewest, most = roc.counts_at(cut)
    out: dict[str, Any] = {"threshold": cut}
    for i, (name, size) in enumerate((("fpr", roc.n_neg), ("tpr", roc.n_pos))):
        out[name] = (fewest[i] + most[i]) / (2.0 * size)
        low, high = (
            wilson_limits(count / size, size, level)
            if method == "wilson"
            else clopper_pearson_limits(count, size, level)
            for count in (fewest[i], most[i])
        )
        out[f"{name}_low"], out[f"{name}_high"] = low[0], high[1]
    inside = np.count_nonzero((most > fewest).any(axis=0))
    if not inside:
        return out, ()
    words = f"Counts in bins: {inside} of {cut.size} thresholds lie inside a bin, and limits allow "
    return out, (words + "for all rates that it may have there.",)


def words_on_steps(roc: RocCurve, steps: IndexArray) -> tuple[str, ...]:
    """Say what thresholds cannot do where some scores are infinite."""
    if (steps > 0).all() or not np.isposinf(roc.thresholds[0]):
        return ()
    return ("Some scores are inf, so that no threshold calls every row negative.",)
