"""Metrics that are linear in the counts at a rate, and a rate that is known as a range only.

At a rate r all counts follow from the share A of all cases that are positive and acted on, and from
the share p of positives (Millard, Kull and Flach 2014, section 3.1). What the four kinds of
decisions are worth adds up to

    M = r fp + (1 - r) tn + (fn - tn) p + (tp - fp - fn + tn) A.

With fixed class sizes p is known, and limits of M are those of the recall A / p, mapped. With a
random share of positives both vary, and M is a sum over the two groups of cases,

    M = r [fp + (tp - fp) u] + (1 - r) [tn + (fn - tn) v],    u = A / r,  v = (p - A) / (1 - r),

with the shares u and v of positives among the cases acted on and not. With l, the share of
positives close to the threshold (`rates.score`), their variances and covariance in n rows are

    [u (1 - u) + (1 - r) (u - l)^2] / (n r),    [v (1 - v) + r (v - l)^2] / (n (1 - r)),
    (u - l) (l - v) / n:

the binomial ones, and what the unknown threshold adds. Wilson's limits with the numbers of cases
that have these variances are combined by MOVER.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from rocbands._math.binomial import wilson_limits
from rocbands._math.mover import limit_difference
from rocbands.core.attributes import Rate
from rocbands.core.checks import check_number
from rocbands.core.interval import Interval
from rocbands.core.method import refuse_with_design
from rocbands.core.phrases import choose_digits
from rocbands.errors import InputError, Message, arg, call

if TYPE_CHECKING:
    from rocbands.rates.result import RateBounds


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class RateRange(Interval):
    """Limits of the recall that hold at every rate of a range at once.

    Attributes
    ----------
    rates : (float, float)
        Ends of the range; `estimate` is the recall in its middle.
    """

    schema: ClassVar[str] = "rocbands.rate-range/1"
    FACTS: ClassVar[tuple[str, ...]] = (*Interval.FACTS, "rates")

    rates: tuple[Rate, Rate]

    @property
    def sentence(self) -> str:
        """At least and at most how many positives are found."""
        ends = self.low, self.high
        digits = choose_digits(50.0, 100.0 * (self.high - self.low))
        low, high = (f"{100.0 * end:.{digits}f}" for end in ends)
        first, last = (f"{100.0 * rate:.3g}%" for rate in self.rates)
        return (
            f"If between {first} and {last} of the cases are acted on, at least {low} and at most "
            f"{high} of 100 positives are found."
        )


def limit_between(bounds: RateBounds, low: float, high: float) -> RateRange:
    """Limits for all rates of a range: the recall never falls along the rate.

    So the lower limit at the lowest rate, with an error of half of 1 - level, and the upper limit
    at the highest are for all of them.
    """
    ends = tuple(check_number(end, name) for name, end in (("low", low), ("high", high)))
    if ends[0] > ends[1]:
        raise InputError(
            "must not be below the lower end", f"got {low:g} to {high:g}", argument="high"
        )
    first, middle, last = (bounds.at(rate) for rate in (ends[0], sum(ends) / 2.0, ends[1]))
    said = "These limits hold at all rates of the range at once, also at one chosen later."
    return RateRange(
        quantity=f"recall at rates from {100 * ends[0]:.3g}% to {100 * ends[1]:.3g}%",
        rates=(ends[0], ends[1]),
        **_describe(bounds, middle.tpr[0], first.tpr_lower[0], last.tpr_upper[0], said),
    )


def limit_linear(bounds: RateBounds, rate: float, **worth: float) -> Interval:
    """Limits of what decisions at a rate are worth on average; see `RateBounds.linear`."""
    values = [check_number(worth[name], name) for name in ("tp", "fp", "fn", "tn")]
    here = bounds.at(check_number(rate, "rate"))
    tp, fp, fn, tn = values
    p, r, recall = bounds.prevalence, float(here.rate[0]), float(here.tpr[0])
    a, b = tp - fp - fn + tn, fn - tn

    def value(tpr: Any) -> Any:
        return r * fp + (1.0 - r) * tn + p * (b + a * tpr)

    estimate, sampled = value(recall), "with these class sizes"
    if bounds.sampling == "full":
        low, high = _limit_full(here, values)
        sampled = "with a random share of positives"
    else:
        low, high = sorted((value(here.tpr_lower[0]), value(here.tpr_upper[0])))
    name = "accuracy" if values == [1.0, 0.0, 0.0, 1.0] else "mean worth of a decision"
    parameters = dict(zip(("tp", "fp", "fn", "tn"), values, strict=True))
    return Interval(
        quantity=f"{name} at a rate of {100 * r:.3g}%",
        parameters={**bounds.parameters, "rate": r, **parameters},
        **_describe(bounds, estimate, low, high, f"Limits are for a population {sampled}.")
        | {"target": ""},
    )


def _limit_full(here: RateBounds, worth: list[float]) -> tuple[float, float]:
    """Limits of both groups of cases, combined."""
    refuse_with_design(call("linear"), () if here.roc is None else here.roc.design)
    if here.near is None or (here.roc is not None and here.roc.binned):
        raise InputError(
            Message(
                "With {} this needs single scores and {}",
                arg("sampling", "full"),
                arg("method", "score"),
            ),
            "",
            Message("Use {}.", arg("sampling", "stratified")),
        )
    tp, fp, fn, tn = worth
    p, r, near = here.prevalence, float(here.rate[0]), float(here.near[0])
    rows, found = here.n_pos + here.n_neg, p * float(here.tpr[0])
    terms, moved, spread = [], [], []
    for part, others, positive, gain in (
        (r, 1.0 - r, found, tp - fp),
        (1.0 - r, r, p - found, fn - tn),
    ):
        cases = max(rows * part, 1e-9)
        share = min(max(rows * positive / cases, 0.0), 1.0)
        # Half a case of each class is added, so that the variance is never 0.
        mild = (cases * share + 0.5) / (cases + 1.0)
        own, apart = mild * (1.0 - mild), others * (mild - near) ** 2
        limits = wilson_limits(share, cases * own / (own + apart), here.level)
        ends = sorted(gain * part * float(end) for end in limits)
        terms.append((gain * part * share, *ends))
        moved.append(math.copysign(1.0, gain) * (mild - near))
        spread.append((own + apart) / max(part, 1e-9))
    one, (value, low, high) = terms[0], terms[1]
    # The correlation of the first term and minus the second.
    related = moved[0] * moved[1] / math.sqrt(spread[0] * spread[1])
    base = r * fp + (1.0 - r) * tn
    below, above = limit_difference(one, (-value, -high, -low), min(max(related, -1.0), 1.0))
    return base + float(below), base + float(above)


def _describe(bounds: RateBounds, estimate: Any, low: Any, high: Any, said: str) -> dict[str, Any]:
    """Attributes of an interval at these rates; it includes the estimate."""
    return {
        "estimate": float(estimate),
        "low": float(min(low, estimate)),
        "high": float(max(high, estimate)),
        **{name: getattr(bounds, name) for name in ("level", "method", "target", "n_pos", "n_neg")},
        "notes": (said, *bounds.notes),
        "frame": bounds.frame,
    }
