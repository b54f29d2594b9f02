"""Survival times as labels and weights: the ROC curve for events until a given time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from rocbands.core.arguments import explain
from rocbands.core.attributes import Count, Number
from rocbands.core.checks import BoolArray, CountArray, FloatArray, check_number
from rocbands.core.columns import Column, Labels, to_column
from rocbands.core.models import plural
from rocbands.core.result import Result, require
from rocbands.errors import InputError, Message, arg

_SHOWN = 10  # rows of a table, on a screen


@dataclass(frozen=True, eq=False, repr=False)
class CensoringWeights(Result):
    """Labels and weights of all rows; ``y, weights, rows = ...`` takes it apart.

    Attributes
    ----------
    y_true : ndarray of int, shape (n,)
        1 if the event happened until the given time, otherwise 0.
    weights : ndarray of shape (n,)
        Inverse of the probability of still being observed; 0 for rows that were censored earlier.
    rows : ndarray of bool, shape (n,)
        Rows with a weight.
    at : float
        The time until which events count.
    """

    schema: ClassVar[str] = "rocbands.censoring-weights/1"
    FACTS: ClassVar[str] = "at"
    COLUMNS: ClassVar[Mapping[str, Any]] = {"y_true": Count, "weights": Number, "rows": bool}

    y_true: CountArray
    weights: FloatArray
    rows: BoolArray
    at: Number

    def _check(self) -> None:
        require(((self.weights > 0.0) == self.rows).all(), "Rows with a weight must have one.")

    def __iter__(self) -> Iterator[Any]:
        return iter((self.y_true, self.weights, self.rows))

    @property
    def sentence(self) -> str:
        """How many rows had the event, were followed without it, and are unknown."""
        events, known = int(self.y_true.sum()), int(self.rows.sum())
        return (
            f"Until {self.at:g}: {plural(events, 'row')} with the event, {known - events} followed "
            f"to it without, {self.rows.size - known} censored earlier."
        )

    def describe(self) -> tuple[str, Mapping[str, Any]]:
        least, most = self.weights[self.rows].min(), self.weights.max()
        said, size = f"Weights from {least:.4g} to {most:.4g}.", self.rows.size
        if size > _SHOWN:
            said = f"{said}\n{_SHOWN} of {size} rows are shown; CSV has all."
        return said, {name: column[:_SHOWN] for name, column in self.columns().items()}

    def _brief(self) -> str:
        return f"labels and weights of {self.rows.size} rows at {self.at:g}"


@explain
def ipcw(time: Column, event: Labels, *, at: float) -> CensoringWeights:
    """Weigh rows by the inverse probability of censoring, for the ROC curve at a time.

    Positives are the rows whose event was observed until `at`, negatives the rows that were
    followed to `at` without an event. Rows that were censored earlier are neither. The others are
    weighted to compensate: a row that was observed until time t has weight 1 / G(t), where G(t) is
    the Kaplan-Meier estimate of the probability that censoring occurs at t or later.

    Parameters
    ----------
    time : array-like of shape (n,)
        Time of the event or of censoring, whichever came first; not negative.
    event : array-like of shape (n,)
        Whether it was the event: booleans, or 0 and 1.
    at : float
        The time until which events count.

    Returns
    -------
    CensoringWeights
        Labels and weights, to be passed to :class:`Sample` with the scores.

    Notes
    -----
    Censoring must be independent of the scores. If an event and a censoring have the same time, the
    event comes first. The weights are estimates, but limits treat them as known.

    References
    ----------
    Uno, Cai, Tian and Wei (2007), Evaluating prediction rules for t-year survivors with censored
    regression models, Journal of the American Statistical Association 102, 527-537.

    Examples
    --------
    >>> import rocbands as rb
    >>> y, weights, rows = rb.ipcw([1, 2, 3, 4, 5], [True, False, True, False, True], at=3.5)
    >>> print(y, weights.round(3))
    [1 0 1 0 0] [1.    0.    1.333 1.333 1.333]
    >>> rb.auc_interval(rb.Sample(y, [5, 4, 2, 3, 1], weights=weights)).estimate.__round__(3)
    0.714
    """
    times, happened = _check_times(time, event)
    at = check_number(at, "at", above=0.0)
    until, stays = _stay_observed(times, happened)
    case = happened & (times <= at)
    control = (times > at) | ((times == at) & ~happened)
    for kind, rows, why in (
        ("an event until then", case, "Ask for a later time."),
        ("no event, followed until then", control, "Ask for an earlier time."),
    ):
        if not rows.any():
            raise InputError(
                "must be a time with events before it and rows followed to it",
                f"there is no row with {kind}",
                why,
                argument="at",
            )
    ends = np.where(case, times, at)
    weights = np.zeros(times.size)
    known = case | control
    weights[known] = 1.0 / stays[np.searchsorted(until, ends[known])]
    return CensoringWeights(case.astype(np.int64), weights, known, at)


def _stay_observed(times: FloatArray, happened: BoolArray) -> tuple[FloatArray, FloatArray]:
    """Distinct times, and the probability of censoring at each or later; one more at the end."""
    until, place = np.unique(times, return_inverse=True)
    lost = np.bincount(place, ~happened, until.size)
    died = np.bincount(place, happened, until.size)
    at_risk = times.size - (np.cumsum(lost + died) - lost - died) - died  # events come first
    stays = 1.0 - np.divide(lost, at_risk, out=np.zeros(until.size), where=at_risk > 0)
    return until, np.concatenate(([1.0], np.cumprod(stays)))


def _check_times(time: Any, event: Any) -> tuple[FloatArray, BoolArray]:
    times, events = to_column(time, "time"), to_column(event, "event")
    if times.size != events.size:
        raise InputError(
            Message("{} and {} must have one value for each row", arg("time"), arg("event")),
            f"they have {times.size} and {events.size}",
            "Check that both come from the same rows.",
        )
    if times.dtype.kind not in "iuf":
        raise InputError("must be numbers", f"its type is {times.dtype}", argument="time")
    times = times.astype(np.float64)
    good = np.isfinite(times) & (times >= 0.0)
    if not good.all():
        row = int(np.argmin(good))
        raise InputError(
            "must be finite and not negative",
            f"time[{row}] = {times[row]!s}",
            "Drop or correct such rows before calling.",
            argument="time",
        )
    if events.dtype.kind not in "biuf" or not np.isin(events, (0, 1)).all():
        others = (
            value
            for value in events.tolist()
            if not (isinstance(value, (bool, int, float)) and value in (0, 1))
        )
        raise InputError(
            "must be booleans, or 0 and 1",
            f"it has {next(others, events.dtype)!r}",
            "1 means that the event happened, 0 that the row was censored.",
            argument="event",
        )
    return times, events.astype(np.bool_)
