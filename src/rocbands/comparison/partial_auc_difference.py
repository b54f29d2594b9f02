"""Comparing two classifiers by part of the area under their curves."""

from __future__ import annotations

from dataclasses import replace

from rocbands.comparison.delong import check_pair, compare_areas
from rocbands.comparison.method import ComparisonRequest, build_comparison
from rocbands.core.arguments import explain_with
from rocbands.core.checks import as_range, check_level, check_range, pick_one, spoken
from rocbands.core.columns import Column, Labels
from rocbands.core.comparison import Comparison, convert_margin
from rocbands.core.data import Data, read_pair
from rocbands.core.method import Alternative, Handling, check_alternative
from rocbands.errors import Message, arg
from rocbands.resample.areas import FprRange

HANDLING = Handling(
    "partial_auc_difference",
    "comparison",
    "difference of partial areas, with limits that belong to the test",
    (
        *("paired", "unpaired", "clusters", "unpaired clusters", "common clusters"),
        *("weights", "strata", "class weights", "one-sided"),
    ),
)


@explain_with(
    max_fpr="Pass the range: fpr=(0, {value!r}).", partial_auc="Pass the range: fpr=(0, 0.1)."
)
def partial_auc_difference(
    y_true: Labels | Data,
    y_score_1: Column | Data | None = None,
    y_score_2: Column | None = None,
    *,
    positive: object = None,
    fpr: tuple[float, float] | None = None,
    specificity: tuple[float, float] | None = None,
    tpr: tuple[float, float] | None = None,
    sensitivity: tuple[float, float] | None = None,
    level: float = 0.95,
    alternative: Alternative = "two-sided",
    margin: float | None = None,
) -> Comparison:
    """Compare two classifiers by part of the area under their ROC curves.

    Differences are model 1 minus model 2. Nothing is random.

    Parameters
    ----------
    y_true : Sample, or array-like of shape (n,)
        A sample of two models, or the first of two test sets; or two labels of any kind.
    y_score_1, y_score_2 : array-like of shape (n,), or Sample, optional
        With labels, both models' scores; with a first test set, `y_score_1` is the second one.
    positive : object, optional
        With labels, the positive one; needed unless they are {0, 1}, {-1, 1} or booleans.
    fpr : (float, float), optional
        Areas under the curves between two false positive rates.
    specificity : (float, float), optional
        The same between two specificities, which are 1 - fpr.
    tpr, sensitivity : (float, float), optional
        Areas to the right of the curves between two true positive rates, which are sensitivities.
        Exactly one of these four must be given.
    level : float, default 0.95
        Confidence level.
    alternative : {'two-sided', 'less', 'greater'}
        'greater': model 1 is better. The interval is one-sided, too, also with a margin.
    margin : float, optional
        Margin of a non-inferiority test: is the area of model 1 above the area of model 2 minus
        `margin`? It must be smaller than the width of the range, the largest possible area.

    Returns
    -------
    Comparison
        The difference is the area of model 1 minus the area of model 2.

    See Also
    --------
    compare : the whole areas.
    partial_auc_interval : the area of one model.

    Notes
    -----
    Test and limits are those of :func:`rocbands.compare` for areas relative to the width of the
    range, with truncated placements and the limits of :func:`rocbands.partial_auc_interval`.

    References
    ----------
    Dodd and Pepe (2003), Partial AUC estimation and regression, Biometrics 59, 614-623.

    Examples
    --------
    >>> import rocbands as rb
    >>> found = rb.partial_auc_difference(rb.load_example(), fpr=(0, 0.2))
    >>> print(f"{found.difference:.3f} {found.low:.3f}")
    0.044 0.026
    """
    asked, ends = pick_one(
        Message("Pass, for example, {}.", arg("fpr", (0, 0.1))),
        fpr=fpr,
        specificity=specificity,
        tpr=tpr,
        sensitivity=sensitivity,
    )
    pair = read_pair(y_true, y_score_1, y_score_2, positive)
    HANDLING.check(pair.asked)
    with spoken(asked):
        axis, (start, stop) = check_range(**dict([as_range(asked, ends)]))
    part = FprRange(start, stop) if axis == "fpr" else FprRange(1.0 - stop, 1.0 - start)
    direction, null = convert_margin(alternative, margin, most=part.width)
    request = ComparisonRequest(check_level(level), None, None, check_alternative(direction), null)
    check_pair(pair)
    # The area right of the curve is the area under it with classes swapped and scores negated.
    seen = pair if axis == "fpr" else pair.mirrored
    found = compare_areas(seen, replace(request, null=null / part.width), part=part)
    one, two = (min(max(share, 0.0), 1.0) * part.width for share in found.estimates or ())
    outcome = found._replace(
        interval_method="placement",
        low=found.low * part.width,
        high=found.high * part.width,
        standard_error=(found.standard_error or 0.0) * part.width,
    )
    quantity = f"partial AUC ({axis} {start:g} to {stop:g})"
    return build_comparison(
        outcome,
        request,
        pair,
        quantity=quantity,
        estimates=(one, two),
        method="placement",
        parameters={axis: (start, stop)},
        hypothesis=f"equal {quantity}",
    )
