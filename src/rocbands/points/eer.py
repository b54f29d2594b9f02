"""The equal error rate: where false positive and false negative rate are the same.

The interval contains all e for which some point of the empirical curve is compatible with
(e, 1 - e), by the likelihood rule of fixed rates (docs/formulas.md, "Operating points"). These are
the e between the edges of the likelihood region on the line tpr = 1 - fpr, found by bisection.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.special import chdtri

from rocbands.core.checks import FloatArray
from rocbands.core.roc import RocCurve
from rocbands.errors import InputError, Message, arg
from rocbands.likelihood.region import likelihood_region
from rocbands.points.likelihood import PointLikelihood
from rocbands.points.measures import Limited
from rocbands.points.method import PointMethod
from rocbands.points.result import OperatingPoints
from rocbands.points.thresholds import ErrorWeights, find_best_steps, note_infinite_scores

_HALVINGS = 60


def find_equal_error(
    roc: RocCurve, method: PointMethod, joint: bool, level: float, prevalence: float | None
) -> OperatingPoints:
    """Find the equal error rate of a curve, with its likelihood interval.

    The rate itself is where the curve, ties joined by straight lines, crosses tpr = 1 - fpr. The
    threshold is the one whose larger error rate is smallest.
    """
    if not isinstance(method, PointLikelihood):
        raise InputError(
            Message("The equal error rate has limits by {} only", arg("method", "likelihood")),
            f"got {method.name!r}",
            Message("Leave {} out.", arg("method")),
        )
    if joint:
        raise InputError(
            Message("{} is for both rates of a threshold", arg("joint")),
            "the equal error rate is one number",
            Message("Leave {} out.", arg("joint")),
        )
    request = method.check_request(roc, level=level)
    curve = roc.curve
    # Along the curve x + y never falls, so it crosses x + y = 1 once.
    rate = float(np.interp(1.0, curve.x + curve.y, curve.x))
    region = likelihood_region(roc, float(chdtri(1.0, 1.0 - request.level)) / 2.0)
    low = min(_cross(region.upper_at, first=True), rate)
    high = max(_cross(region.lower_at, first=False), rate)
    error = Limited(np.array([rate]), np.array([low]), np.array([high]))
    steps = find_best_steps(roc, "eer", ErrorWeights(1.0, 1.0, 0.5))[:1]
    notes = ("Limits are for the true equal error rate.", *note_infinite_scores(roc, steps))
    found = method.build_points(
        roc,
        "best eer",
        request,
        notes=notes,
        threshold=roc.get_thresholds(steps),
        **error.name_columns("fpr"),
        **error.flip().name_columns("tpr"),
    )
    return method.add_measures(found, found, prevalence)


def _cross(height: Callable[[FloatArray], FloatArray], *, first: bool) -> float:
    """Find the first fpr x with x + height(x) >= 1, or the last with x + height(x) <= 1."""
    low, high = 0.0, 1.0
    if first and float(height(np.array([0.0]))[0]) >= 1.0:
        return low
    if not first and float(height(np.array([1.0]))[0]) <= 0.0:
        return high
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        value = middle + float(height(np.array([middle]))[0])
        if value >= 1.0 if first else value > 1.0:
            high = middle
        else:
            low = middle
    return high if first else low
