"""Finding thresholds on a curve: the best ones, and those at which a rate is within a limit.

A *step* is a vertex of the curve: step i > 0 means score >= roc.thresholds[i - 1], and step 0 calls
no row positive.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from rocbands.core.checks import FloatArray, IndexArray, check_costs, check_share
from rocbands.core.roc import RocCurve
from rocbands.errors import InputError, Message, arg, call

REFERENCES = ("Youden (1950), Index for rating diagnostic tests, Cancer 3, 32-35.",)

Best: TypeAlias = Literal["youden", "corner", "cost", "eer"]

OPTIMISTIC = "Chosen on these rows: the rates are optimistic. Estimate them on other rows."
# Other names of the corner.
CORNER = dict.fromkeys(("closest.topleft", "closest_topleft", "topleft"), "corner")
CHOSEN = Message(
    "Chosen on these rows: the rates are optimistic. Estimate them on other rows, or use "
    "{}, whose limits include the choice.",
    call("best_threshold"),
)
EQUAL_COSTS = Message(
    "Best at costs 1 : 1: a missed positive costs as much as a false alarm. Pass other "
    "costs by {}.",
    arg("costs"),
)
OWN_RATES = "Limits are for the rates of this threshold."
_BEST_OF_BINS = "The best edge of a bin; inside a bin there may be a better threshold."

_SAME = 2e-15  # rates are quotients of whole numbers: smaller differences are rounding


class ErrorWeights(NamedTuple):
    """Weights of errors: costs of a false negative and of a false positive, and the prevalence."""

    c_fn: float
    c_fp: float
    prevalence: float | None  # None: the prevalence of the data

    @classmethod
    def from_arguments(
        cls, costs: Any, prevalence: Any, kind: str, best: str | None
    ) -> ErrorWeights:
        """Check the weights, and refuse those without effect."""
        if costs is not None and kind != "best":
            raise InputError(
                Message("{} weigh errors for {}", arg("costs"), arg("best")),
                Message("{} was given", arg(kind)),
                Message("Leave {} out, or pass {}.", arg("costs"), arg("best", "cost")),
            )
        if costs is not None and best == "eer":
            raise InputError(
                "The equal error rate weighs both rates alike",
                Message("{} was given", arg("costs")),
                "Leave it out.",
            )
        c_fn, c_fp = (1.0, 1.0) if costs is None else check_costs(costs)
        if prevalence is None:
            return cls(c_fn, c_fp, None if best in ("cost", None) else 0.5)
        return cls(c_fn, c_fp, check_share(prevalence, "prevalence"))

    def compute_ratio(self, roc: RocCurve) -> float:
        """Weight of the false positive rate relative to the true positive rate."""
        share = roc.prevalence if self.prevalence is None else self.prevalence
        return self.c_fp * (1.0 - share) / (self.c_fn * share)


def find_thresholds(
    roc: RocCurve, kind: str, wanted: Any, weights: ErrorWeights
) -> tuple[npt.NDArray[Any], tuple[str, ...]]:
    """Find the thresholds that are wanted, and notes on them.

    `kind`: the argument of `operating_points` that `wanted` comes from. `weights`: for 'best', and
    the prevalence for 'precision'.
    """
    if kind == "threshold":
        return wanted, ()
    if kind == "best":
        steps = find_best_steps(roc, wanted, weights)
        ties = (f"{steps.size} thresholds are tied for best.",) if steps.size > 1 else ()
        ends = (_BEST_OF_BINS,) if roc.certificate > 0.0 else ()
        known = wanted in ("youden", "corner") and not roc.design
        return roc.get_thresholds(steps), (*ties, *ends, CHOSEN if known else OPTIMISTIC)
    if kind == "rate":
        steps = find_rate_steps(roc, wanted)
        return roc.get_thresholds(steps), (OWN_RATES, *note_infinite_scores(roc, steps))
    if kind == "precision":
        steps = _find_precise_steps(roc, wanted, weights)
        return roc.get_thresholds(steps), (OPTIMISTIC, *note_infinite_scores(roc, steps))
    steps = roc.find_steps(kind, wanted)
    return roc.get_thresholds(steps), note_infinite_scores(roc, steps)


def _find_precise_steps(roc: RocCurve, wanted: FloatArray, weights: ErrorWeights) -> IndexArray:
    """Find the last step, and so the largest recall, with at least each wanted precision."""
    odds = ErrorWeights(1.0, 1.0, weights.prevalence).compute_ratio(roc)
    # precision = tpr / (tpr + odds fpr) >= wanted, without the division.
    called = roc.tpr[1:] + odds * roc.fpr[1:]
    reached = roc.tpr[1:] >= wanted[:, None] * called - _SAME * (1.0 + odds)
    found = np.where(reached, np.arange(1, roc.tpr.size), 0).max(axis=1)
    if (found == 0).any():
        best = float((roc.tpr[1:] / called).max())
        raise InputError(
            "must be a precision that some threshold attains",
            f"the highest is {best:.4g}",
            Message(
                "Pass {} or less.", arg("precision", float(f"{np.floor(best * 1000) / 1000:g}"))
            ),
            argument="precision",
        )
    return np.asarray(found, dtype=np.intp)


def find_best_steps(roc: RocCurve, best: Best, weights: ErrorWeights) -> IndexArray:
    """Return all steps that are best, from the highest threshold down.

    Examples
    --------
    >>> roc = RocCurve.from_counts([4, 3, 2, 1], fp=[0, 1, 1, 2], tp=[1, 1, 2, 2])
    >>> find_best_steps(roc, "youden", ErrorWeights(1.0, 1.0, 0.5))
    array([1, 3])
    """
    ratio = min(weights.compute_ratio(roc), 1e300)  # infinite times a rate of 0 is not a number
    if best == "corner":
        loss = (1.0 - roc.tpr) ** 2 + ratio * roc.fpr**2
    elif best == "eer":
        loss = np.maximum(roc.fpr, 1.0 - roc.tpr)
    else:
        loss = ratio * roc.fpr - roc.tpr
    if np.isposinf(roc.thresholds[0]):
        loss[0] = np.inf  # no threshold lies above an infinite score
    return np.flatnonzero(loss <= loss.min() + _SAME * (1.0 + ratio))


def find_rate_steps(roc: RocCurve, wanted: FloatArray) -> IndexArray:
    """Find the step that finds most when at most each share of all rows is called positive.

    Of several that find as many it is the one with the highest threshold.
    """
    called = np.concatenate(([0], roc.fp + roc.tp)) / (roc.n_pos + roc.n_neg)
    if roc.weights is not None:
        called = roc.prevalence * roc.tpr + (1.0 - roc.prevalence) * roc.fpr
    tpr = roc.curve.y
    return tpr.searchsorted(tpr[find_last_within(called, wanted)])


def find_last_within(reached: FloatArray, limit: FloatArray) -> IndexArray:
    """Find the last index at which ascending `reached` does not exceed each limit."""
    return np.asarray(np.searchsorted(reached, limit + 1e-12, side="right") - 1, dtype=np.intp)


def note_infinite_scores(roc: RocCurve, steps: IndexArray) -> tuple[str, ...]:
    """Note that no threshold lies above an infinite score."""
    if (steps > 0).all() or not np.isposinf(roc.thresholds[0]):
        return ()
    return ("Some scores are inf, so that no threshold calls every row negative.",)
