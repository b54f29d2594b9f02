"""What bands of averaged curves share: their parameters, their interval rules, their knots."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from scipy.special import ndtri, stdtrit

from rocbands.core.band import check_stratified
from rocbands.core.checks import FloatArray, check_choice, check_flag, check_resamples
from rocbands.core.roc import RocCurve
from rocbands.errors import InputError
from rocbands.resample.heights import BinomialMixtures
from rocbands.resample.quantiles import empirical_interval

__all__ = ["Interval", "Knots", "Rule", "check_averaging", "chosen_rule", "words_on"]

Rule: TypeAlias = Literal["exact", "empirical", "normal", "binomial"]
Interval: TypeAlias = Literal["auto"] | Rule

_INTERVALS = ("auto", "exact", "empirical", "normal", "binomial")
_FEWEST = 10
_MANY = 1000  # from here on Student's t is taken for normal


class Knots(NamedTuple):
    """Mean and limits at each place of a sweep, never falling along it."""

    mean: FloatArray
    lower: FloatArray
    upper: FloatArray

    @classmethod
    def of_law(cls, law: BinomialMixtures, level: float) -> Knots:
        """Limits of counts whose law is known."""
        lower, upper = law.interval(level)
        return cls(np.clip(law.mean / law.size, 0.0, 1.0), lower / law.size, upper / law.size)

    @classmethod
    def of_columns(cls, columns: FloatArray, rule: Rule, level: float, size: float) -> Knots:
        """Limits of each column of rates, one curve for each row.

        Parameters
        ----------
        columns : ndarray of shape (curves, places)
            The rates.
        rule : {'empirical', 'normal', 'binomial'}
            How a column becomes an interval.
        level : float
            Confidence level of each interval.
        size : float
            Divisor of the binomial variance.
        """
        mean = columns.mean(axis=0)
        if rule == "empirical":
            lower, upper = empirical_interval(columns, level)
        elif rule == "normal":
            lower, upper = normal_interval(columns, level)
        else:
            lower, upper = binomial_interval(mean, level, size)
        # Rates never fall along a sweep, and neither do their quantiles; limits made from a
        # standard deviation may. They are pushed outwards to where they do not, never inwards.
        lower = np.minimum.accumulate(lower[::-1])[::-1]
        return cls(np.maximum.accumulate(mean), lower, np.maximum.accumulate(upper))


def check_averaging(method: Any) -> None:
    """Check the parameters `interval`, `n_resamples` and `papers` of an averaging method."""
    check_choice(method.interval, _INTERVALS, "interval")
    check_resamples(method.n_resamples, least=_FEWEST)
    check_flag(method.stratified, "stratified")
    check_flag(method.papers, "papers")
    if method.papers and method.interval != "binomial":
        raise InputError(
            "papers=True changes the binomial interval alone; "
            f"`interval` is {method.interval!r}. Pass interval='binomial' with it."
        )


def chosen_rule(method: Any, roc: RocCurve) -> Rule:
    """Return the interval rule to use on `roc`; refuse one that the data do not allow."""
    grouped = roc.groups is not None
    if grouped and roc.folds:
        raise InputError(
            "Averaging over folds takes each fold's curve as it is, so groups within folds play no "
            "part. Leave `groups` out, or use method='fold-average'."
        )
    check_stratified(method, roc)
    if method.interval == "auto":
        return "normal" if roc.folds else "empirical" if grouped else "exact"
    if method.interval == "exact" and (grouped or roc.folds):
        raise InputError(
            "interval='exact' is the law of one test set of independent rows; "
            f"`{'folds' if roc.folds else 'groups'}` was given. Use interval='auto'."
        )
    if method.interval == "binomial" and grouped:
        raise InputError(
            "interval='binomial' counts every row as independent; `groups` was given. "
            "Use interval='empirical' or 'normal': they resample whole groups."
        )
    rule: Rule = method.interval
    return rule


def words_on(method: Any, roc: RocCurve, rule: Rule, level: float, knots: Knots) -> tuple[str, ...]:
    """Say where the limits come from, and when they are worth little."""
    curves = len(roc.folds) or method.n_resamples
    if rule == "exact":
        source = "Limits are quantiles of the exact law of stratified resampling; no chance is in."
    elif roc.folds:
        source = f"Limits are {rule}, from the curves of {curves} folds: they are for a fold."
    else:
        rows = "rows of each class" if method.stratified else "rows"
        drawn = rows if roc.groups is None else "groups"
        source = f"Limits are {rule}, from {curves} resamples of {drawn}."
    notes = [source]
    if rule == "empirical" and curves * (1.0 - level) / 2.0 < 1.0 - 1e-9:
        notes.append(
            f"{curves} curves are too few for a level of {level:g}: the limits hold all of them."
        )
    if not (knots.upper > knots.lower).any():
        notes.append(
            "All curves are alike, so the band has no width; that is no sign of certainty."
        )
    return tuple(notes)


def normal_interval(values: FloatArray, level: float) -> tuple[FloatArray, FloatArray]:
    """Mean plus and minus Student's t times the standard deviation, cut off at 0 and 1.

    The interval is for one more value, not for the mean: there is no division by the root of the
    number of values.

    Examples
    --------
    >>> import numpy as np
    >>> low, high = normal_interval(np.array([[0.4], [0.6]]), level=0.5)
    >>> print(low.round(3), high.round(3))
    [0.359] [0.641]
    """
    size, tail = values.shape[0], (1.0 + level) / 2.0
    reach = ndtri(tail) if size >= _MANY else stdtrit(size - 1, tail)
    return _inside(values.mean(axis=0), reach * values.std(axis=0, ddof=1))


def binomial_interval(mean: FloatArray, level: float, size: float) -> tuple[FloatArray, FloatArray]:
    """Each mean plus and minus z times the standard error of a share of `size` cases.

    Examples
    --------
    >>> import numpy as np
    >>> low, high = binomial_interval(np.array([0.5]), level=0.95, size=100)
    >>> print(low.round(3), high.round(3))
    [0.402] [0.598]
    """
    share = np.clip(mean, 0.0, 1.0)
    return _inside(mean, ndtri((1.0 + level) / 2.0) * np.sqrt(share * (1.0 - share) / size))


def _inside(mean: FloatArray, half: FloatArray) -> tuple[FloatArray, FloatArray]:
    return np.clip(mean - half, 0.0, 1.0), np.clip(mean + half, 0.0, 1.0)
