"""Operating conditions: what errors cost and how common positives are, as one number w."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from rocbands.core.checks import FloatArray, check_choice, check_unit_interval
from rocbands.errors import InputError

__all__ = [
    "Conditions",
    "Sampling",
    "check_prevalence",
    "check_w",
    "costs_at",
    "operating_condition",
]

Sampling: TypeAlias = Literal["stratified", "full"]


def operating_condition(
    c_fn: npt.ArrayLike, c_fp: npt.ArrayLike, prevalence: npt.ArrayLike
) -> FloatArray:
    """Return the operating condition w of costs and a share of positives.

    w is the share of false negatives in the expected cost of a classifier that is always wrong:
    w = p c_fn / (p c_fn + (1 - p) c_fp). At equal costs it is the prevalence p.

    Parameters
    ----------
    c_fn, c_fp : float or array-like
        Costs of a false negative and of a false positive, from 0 on, not both 0.
    prevalence : float or array-like
        Share of positives where decisions will be made, strictly between 0 and 1.

    Returns
    -------
    ndarray
        w, of the shape that the three have together.

    See Also
    --------
    costs_at : the way back.

    Examples
    --------
    >>> print(operating_condition(c_fn=9, c_fp=1, prevalence=[0.1, 0.5]))
    [0.5 0.9]
    """
    fn, fp = _costs((c_fn, c_fp), "`c_fn` and `c_fp`")
    share = check_prevalence(prevalence)
    try:
        np.broadcast_shapes(fn.shape, share.shape)
    except ValueError:
        raise InputError(
            "`prevalence` must be one number, or one for each cost; it has shape "
            f"{share.shape}, costs have {fn.shape}. Make them equally long."
        ) from None
    # Only the quotient of costs matters; dividing by the larger keeps huge ones finite.
    largest = np.maximum(fn, fp)
    positive, negative = share * (fn / largest), (1.0 - share) * (fp / largest)
    return np.asarray(positive / (positive + negative))


def costs_at(w: npt.ArrayLike, prevalence: float) -> tuple[FloatArray, FloatArray]:
    """Return costs of a false negative and a false positive that give w at this prevalence.

    Of all such pairs the one is returned with p c_fn + (1 - p) c_fp = 1.

    Examples
    --------
    >>> c_fn, c_fp = costs_at(0.5, prevalence=0.1)
    >>> print(c_fn / c_fp)
    9.0
    """
    at, share = check_w(w), check_prevalence(prevalence)
    return np.asarray(at / share), np.asarray((1.0 - at) / (1.0 - share))


def check_w(w: npt.ArrayLike) -> FloatArray:
    """Return operating conditions as floats in [0, 1], of any shape."""
    return check_unit_interval(
        w, "w", "It is the weight of missed positives; operating_condition makes it from costs."
    )


def check_prevalence(prevalence: npt.ArrayLike) -> FloatArray:
    """Return shares of positives as floats strictly between 0 and 1, of any shape."""
    try:
        share = np.asarray(prevalence, dtype=np.float64)
    except (TypeError, ValueError):
        share = np.array(np.nan)
    wrong = ~((share > 0) & (share < 1))
    if not wrong.any():
        return share
    found = float(share[wrong].flat[0])
    if np.isnan(found):
        advice = "Pass the share of positives, for example prevalence=0.02."
    elif 1 < found < 100:
        advice = f"For {found:g}% pass prevalence={found / 100:g}."
    else:
        advice = "Without one of the classes there is nothing to decide."
    raise InputError(f"`prevalence` must lie strictly between 0 and 1; got {found:g}. {advice}")


class Conditions(NamedTuple):
    """Operating conditions, and what one error adds to the normalised cost at each.

    Attributes
    ----------
    w : ndarray of shape (k,)
        The operating conditions.
    c_fn, c_fp : ndarray of shape (k,)
        What errors cost on the normalised scale: the cost of a test set is
        c_fn FN + c_fp FP, with FN, FP its numbers of errors.
    normaliser : str
        The cost that counts as 1.
    prevalence : float
        Share of positives that goes with w: the given one, or that of the test set.
    notes : tuple of str
        What was assumed.
    """

    w: FloatArray
    c_fn: FloatArray
    c_fp: FloatArray
    normaliser: str
    prevalence: float
    notes: tuple[str, ...]

    @classmethod
    def of(
        cls, w: Any, costs: Any, prevalence: Any, sampling: Any, sizes: tuple[int, int]
    ) -> Conditions:
        """Check conditions given as `w`, or as `costs` and perhaps `prevalence`.

        Parameters
        ----------
        w : array-like or None
            The operating conditions.
        costs : (array-like, array-like) or None
            Costs of a false negative and of a false positive.
        prevalence : float or None
            Share of positives that goes with `costs`; by default that of the test set.
        sampling : {'stratified', 'full'}
            Whether class sizes are fixed or random.
        sizes : tuple of two int
            Number of positives and of negatives in the test set.
        """
        check_choice(sampling, ("stratified", "full"), "sampling")
        share, notes = _prevalence(w, costs, prevalence, sampling, sizes)
        n_pos, n_neg = sizes
        if costs is None:
            at = _vector(check_w(w), "`w`")
            fn, fp = costs_at(at, n_pos / (n_pos + n_neg))
        else:
            fn, fp = (_vector(cost, "`costs`") for cost in _costs(costs))
            at = operating_condition(fn, fp, share)
            one = np.maximum(fn, fp) if sampling == "full" else share * fn + (1.0 - share) * fp
            if one.size == 1:
                notes = (*notes, f"In the given costs 1 is {one[0]:.6g} for each row.")
        if sampling == "full":
            largest, size = np.maximum(fn, fp), n_pos + n_neg
            unit = "max(c_fn, c_fp)"
            return cls(at, fn / largest / size, fp / largest / size, unit, share, notes)
        unit = "p c_fn + (1 - p) c_fp"
        return cls(at, at / n_pos, (1.0 - at) / n_neg, unit, share, notes)

    def repeated(self, size: int) -> Conditions:
        """Return one condition `size` times; more than one stay as they are."""
        if self.w.size != 1:
            return self
        columns = (np.repeat(column, size) for column in (self.w, self.c_fn, self.c_fp))
        w, c_fn, c_fp = columns
        return self._replace(w=w, c_fn=c_fn, c_fp=c_fp)


def _prevalence(
    w: Any, costs: Any, prevalence: Any, sampling: Sampling, sizes: tuple[int, int]
) -> tuple[float, tuple[str, ...]]:
    """Return the share of positives and what to say of it; refuse one that nothing depends on."""
    if (w is None) == (costs is None):
        found = "neither was" if w is None else "both were"
        raise InputError(
            f"Exactly one of `w` and `costs` must be given; {found}. Pass operating conditions w, "
            "or costs=(c_fn, c_fp)."
        )
    own = sizes[0] / sum(sizes)
    if prevalence is None:
        words = f"w is for the test set's share of positives, {own:.4g}."
        return own, () if costs is None else (words,)
    if costs is None:
        raise InputError("`prevalence` goes with `costs`; w holds both already. Leave it out.")
    if sampling == "full":
        raise InputError(
            "With sampling='full' the share of positives is that of the test set, and as uncertain "
            "as it makes it; `prevalence` cannot be given. Leave it out, or use "
            "sampling='stratified'."
        )
    given = check_prevalence(prevalence)
    if given.ndim:
        raise InputError(
            f"`prevalence` must be one number; got shape {given.shape}. Ask once for each share of "
            "positives."
        )
    return float(given), ()


def _vector(values: FloatArray, name: str) -> FloatArray:
    if values.ndim > 1:
        raise InputError(
            f"{name} must be numbers or one-dimensional; got shape {values.shape}. Flatten them."
        )
    if not values.size:
        raise InputError(f"{name} must not be empty; there is nothing to judge. Pass at least one.")
    return np.atleast_1d(values)


def _costs(costs: Any, names: str = "`costs`") -> tuple[FloatArray, FloatArray]:
    """Return two arrays of costs, equally shaped."""
    example = "costs=(10, 1)" if names == "`costs`" else "c_fn=10, c_fp=1"
    try:
        fn, fp = (np.asarray(cost, dtype=np.float64) for cost in costs)
        fn, fp = np.broadcast_arrays(fn, fp)
    except (TypeError, ValueError):
        raise InputError(
            f"{names} must be the cost of a false negative and that of a false positive, numbers "
            f"or equally long arrays; got {costs!r}. Pass, for example, {example}."
        ) from None
    for name, cost in (("c_fn", fn), ("c_fp", fp)):
        wrong = ~((cost >= 0) & np.isfinite(cost))
        if wrong.any():
            raise InputError(
                f"`{name}` must be a finite cost from 0 on; got {cost[wrong].flat[0]:g}. "
                "Costs are what an error adds, compared with a right decision."
            )
    if ((fn == 0) & (fp == 0)).any():
        raise InputError("`c_fn` and `c_fp` must not both be 0: then no decision costs anything.")
    return fn, fp
