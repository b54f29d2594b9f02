"""Operating conditions: costs of errors and prevalence, as one number w."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from rocbands.core.arguments import explain
from rocbands.core.checks import (
    FloatArray,
    check_choice,
    check_share,
    check_unit_interval,
    read_numbers,
)
from rocbands.core.columns import Numbers
from rocbands.cost.share import ShareLaw, VaryingShare
from rocbands.errors import InputError, Message, arg, call

Known: TypeAlias = Literal["stratified", "full"]  # what users may name
Sampling: TypeAlias = Known | Literal["varying"]  # with a law of the share of positives


@explain
def operating_condition(c_fn: Numbers, c_fp: Numbers, prevalence: Numbers) -> FloatArray:
    """Return the operating condition w of costs and a share of positives.

    w is the share of false negatives in the expected cost of a classifier that is always wrong:
    w = p c_fn / (p c_fn + (1 - p) c_fp). At equal costs it is the prevalence p.

    Parameters
    ----------
    c_fn, c_fp : float or array-like
        Costs of a false negative and of a false positive, not negative and not both 0.
    prevalence : float or array-like
        Share of positives where decisions will be made, strictly between 0 and 1.

    Returns
    -------
    ndarray
        w, with the broadcast shape of the three.

    See Also
    --------
    costs_at : the inverse.

    References
    ----------
    Drummond and Holte (2006), Machine Learning 65, 95-130; equation 2 of Dugas and Gadoury (2009).

    Examples
    --------
    >>> print(operating_condition(c_fn=9, c_fp=1, prevalence=[0.1, 0.5]))
    [0.5 0.9]
    """
    fn, fp = _check_costs((c_fn, c_fp), in_one=False)
    share = check_prevalence(prevalence)
    check_shapes(share, fn, "cost")
    # Only the cost ratio matters; dividing by the larger cost avoids overflow.
    largest = np.maximum(fn, fp)
    positive, negative = share * (fn / largest), (1.0 - share) * (fp / largest)
    return np.asarray(positive / (positive + negative))


def costs_at(w: Numbers, prevalence: float) -> tuple[FloatArray, FloatArray]:
    """Return costs of a false negative and a false positive that give w at this prevalence.

    They are scaled such that p c_fn + (1 - p) c_fp = 1.

    Examples
    --------
    >>> c_fn, c_fp = costs_at(0.5, prevalence=0.1)
    >>> print(c_fn / c_fp)
    9.0
    """
    at, share = check_w(w), check_prevalence(prevalence)
    check_shapes(share, at, "w")
    return np.asarray(at / share), np.asarray((1.0 - at) / (1.0 - share))


def check_shapes(prevalence: FloatArray, others: FloatArray, what: str) -> None:
    """Refuse prevalences that are neither one number nor one for each of the others."""
    try:
        np.broadcast_shapes(prevalence.shape, others.shape)
    except ValueError:
        raise InputError(
            f"must be one number, or one for each {what}",
            f"its shape is {prevalence.shape}, that of {what} {others.shape}",
            "Make them equally long.",
            argument="prevalence",
        ) from None


def check_w(w: npt.ArrayLike) -> FloatArray:
    """Return operating conditions as floats in [0, 1], of any shape."""
    return check_unit_interval(
        w,
        "w",
        Message(
            "It is the weight of missed positives; {} makes it from costs.",
            call("operating_condition"),
        ),
    )


def check_prevalence(prevalence: npt.ArrayLike) -> FloatArray:
    """Return shares of positives as floats strictly between 0 and 1, of any shape."""
    share = read_numbers(prevalence)
    if share is None:
        share = np.array(np.nan)
    wrong = ~((share > 0) & (share < 1))
    if not wrong.any():
        for one in (share.min(initial=0.5), share.max(initial=0.5)):
            check_share(float(one), "prevalence")
        return share
    found = float(share[wrong].flat[0])
    if np.isnan(found):
        remedy: str = Message(
            "Pass the share of positives, for example {}.", arg("prevalence", 0.02)
        )
    elif 1 < found < 100:
        remedy = Message("For {:g}% pass {}.", found, arg("prevalence", float(f"{found / 100:g}")))
    else:
        remedy = "Without one of the classes there is nothing to decide."
    raise InputError(
        "must lie strictly between 0 and 1", f"got {found:g}", remedy, argument="prevalence"
    )


class Conditions(NamedTuple):
    """Operating conditions, and what one error adds to the normalised cost at each."""

    w: FloatArray  # (k,) the operating conditions
    # (2, k) what a share of 1 of each class adds, or of all rows with random class sizes
    weight: FloatArray
    sampling: Sampling
    normaliser: str  # the cost that is normalised to 1
    prevalence: float  # the given prevalence, or that of the test set
    notes: tuple[str, ...] = ()  # assumptions to report
    per_row: FloatArray | None = None  # (k,) a normalised cost of 1 in the given costs, per row
    share: VaryingShare | None = None  # the share of positives, if it varies
    sizes: tuple[int, int] = (1, 1)  # numbers of positives and of negatives

    @property
    def facts(self) -> dict[str, Any]:
        """Attributes of results about the conditions."""
        left_out = ("weight", "notes", "share", "sizes")
        return {name: part for name, part in self._asdict().items() if name not in left_out}

    def repeat(self, size: int) -> Conditions:
        """Repeat a single condition `size` times; several are left unchanged."""
        if self.w.size != 1:
            return self
        per_row = None if self.per_row is None else np.repeat(self.per_row, size)
        weight = np.repeat(self.weight, size, axis=1)
        return self._replace(w=np.repeat(self.w, size), weight=weight, per_row=per_row)


def build_conditions(
    w: Any = None,
    costs: Any = None,
    prevalence: Any = None,
    sampling: Any = "stratified",
    *,
    sizes: tuple[int, int],
    own: float | None = None,
) -> Conditions:
    """Check conditions given as `w`, or as `costs` and perhaps `prevalence`.

    `sizes`: number of positives and of negatives in the test set. `own`: its share of positives, if
    rows are weighted. Other arguments are those of :func:`rocbands.cost_interval`.
    """
    law = sampling if isinstance(sampling, ShareLaw) else None
    sampling = "varying" if law else sampling
    if law is None:
        check_choice(sampling, ("stratified", "full"), "sampling")
    n_pos, n_neg = sizes
    own = n_pos / (n_pos + n_neg) if own is None else own
    drawn = None if law is None else law.apply(own, n_pos + n_neg)
    own = own if drawn is None else drawn.mean
    share, notes = _check_one_of(w, costs, prevalence, sampling, own)
    notes = notes if law is None else (law.describe(own),)
    one = None
    if costs is None:
        at = _check_vector(check_w(w), "w")
        if sampling != "stratified":
            # Costs that give w at the test set's prevalence: formula (C2).
            fn, fp = costs_at(at, own)
    else:
        fn, fp = (_check_vector(cost, "costs") for cost in _check_costs(costs))
        at = operating_condition(fn, fp, share)
        one = share * fn + (1.0 - share) * fp if sampling == "stratified" else np.maximum(fn, fp)
    if sampling == "stratified":  # C = w FNR + (1 - w) FPR: equation 3
        weight, normaliser = np.stack((at, 1.0 - at)), "p c_fn + (1 - p) c_fp"
    else:  # losses in units of the larger cost, averaged over all rows: equation 9
        weight, normaliser = np.stack((fn, fp)) / np.maximum(fn, fp), "max(c_fn, c_fp)"
    if drawn is not None:  # the same at the mean share, by the rates of both classes
        weight = weight * [[own], [1.0 - own]]
    return Conditions(at, weight, sampling, normaliser, share, notes, one, drawn, sizes)


def _check_one_of(
    w: Any, costs: Any, prevalence: Any, sampling: Sampling, own: float
) -> tuple[float, tuple[str, ...]]:
    """Return the prevalence and a note on it; refuse one that has no effect."""
    if (w is None) == (costs is None):
        raise InputError(
            Message("Exactly one of {} and {} must be given", arg("w"), arg("costs")),
            "neither was" if w is None else "both were",
            Message("Pass {}, or {}.", arg("w"), arg("costs")),
        )
    if prevalence is None:
        note = f"At the test set's share of positives, {own:.4g}."
        return own, () if costs is None else (note,)
    if costs is None:
        raise InputError(
            Message("goes with {}", arg("costs")),
            "w already combines both",
            "Leave it out.",
            argument="prevalence",
        )
    if sampling == "varying":
        raise InputError(
            "is the mean of a share of positives that varies",
            Message("{} has its own", arg("sampling")),
            Message("Leave it out, or pass {} a ShareLaw with this mean.", arg("sampling")),
            argument="prevalence",
        )
    if sampling == "full":
        raise InputError(
            Message(
                "With {} the share of positives is that of the test set, and as uncertain as it "
                "makes it; {} cannot be given. Leave it out, or use {}.",
                arg("sampling", "full"),
                arg("prevalence"),
                arg("sampling", "stratified"),
            )
        )
    given = check_prevalence(prevalence)
    if given.ndim:
        raise InputError(
            "must be one number",
            f"got shape {given.shape}",
            "Make one call for each share of positives.",
            argument="prevalence",
        )
    return float(given), ()


def check_flat(values: FloatArray, name: str) -> FloatArray:
    """Refuse numbers in a table."""
    if values.ndim > 1:
        raise InputError(
            "must be numbers or one-dimensional",
            f"got shape {values.shape}",
            "Flatten them.",
            argument=name,
        )
    return values


def _check_vector(values: FloatArray, name: str) -> FloatArray:
    check_flat(values, name)
    if not values.size:
        raise InputError(
            "must not be empty", "there is nothing to evaluate", "Pass at least one.", argument=name
        )
    return np.atleast_1d(values)


def _check_costs(costs: Any, *, in_one: bool = True) -> tuple[FloatArray, FloatArray]:
    """Return two arrays of costs, equally shaped; `in_one` where they are one argument."""
    try:
        one, two = map(read_numbers, costs)
        if one is None or two is None:
            raise TypeError
        fn, fp = np.broadcast_arrays(one, two)
    except (TypeError, ValueError):
        names = arg("costs") if in_one else Message("{} and {}", arg("c_fn"), arg("c_fp"))
        example = (
            arg("costs", (10, 1)) if in_one else Message("{}, {}", arg("c_fn", 10), arg("c_fp", 1))
        )
        raise InputError(
            Message(
                "{} must be the cost of a false negative and that of a false positive, numbers or "
                "equally long arrays",
                names,
            ),
            f"got {costs!r}",
            Message("Pass, for example, {}.", example),
        ) from None
    for name, cost in (("c_fn", fn), ("c_fp", fp)):
        wrong = ~((cost >= 0) & np.isfinite(cost))
        if wrong.any():
            raise InputError(
                "must be a finite cost, 0 or larger",
                f"got {cost[wrong].flat[0]:g}",
                "Costs are what an error adds, compared with a correct decision.",
                argument=name,
            )
    if ((fn == 0) & (fp == 0)).any():
        raise InputError(
            Message(
                "{} and {} must not both be 0: then no decision costs anything.",
                arg("c_fn"),
                arg("c_fp"),
            )
        )
    return fn, fp


def write_ratio(w: float, prevalence: float) -> str:
    """Write the cost of a missed positive : that of a false alarm at an operating condition.

    Examples
    --------
    >>> write_ratio(0.75, 0.5), write_ratio(0.25, 0.5), write_ratio(1.0, 0.5)
    ('3:1', '1:3', '1:0')
    """
    missed, alarms = (1.0 - prevalence) * w, prevalence * (1.0 - w)
    if min(missed, alarms) <= 0.0:  # of one class only, but for a rounding error, the same
        return "1:0" if missed > 0.0 else "0:1"
    ratio = missed / alarms
    if ratio > 1.0 - 1e-9:
        return f"{_write_amount(ratio)}:1"
    return f"1:{_write_amount(1.0 / ratio)}"


def _write_amount(ratio: float) -> str:
    return f"{ratio:.3g}" if ratio < 999.5 else f"{ratio:,.0f}"
