"""The metric of each reader under each test, and how much each case contributes to its error.

A *cell* is a reader under a test. With m positives and n negatives read, placements V and W
(:mod:`rocbands.core.delong`) and the area A, the influence of a case on the cell is

    (V - A) / sqrt(m (m - 1))  for a positive,    (W - A) / sqrt(n (n - 1))  for a negative,    (1)

and 0 for cases that were not read. With cells as rows, the covariance matrix of all cells given
the readers is the product of the influences with their transpose: DeLong's for complete data,
positive semidefinite always, and valid for nested, split-plot and incomplete data. A sensitivity is
a mean of 0 and 1 over the positives, with the same formula. For a partial area the influence comes
from leave-one-case-out values T_k over the N cases read,

    sqrt((N - 1) / N) (T_k - mean T).                                                           (2)

With several cases of one patient, influences are summed over the patient first, and multiplied by
sqrt(G / (G - 1)) for G patients.                                                               (3)

The unbiased covariance of two cells (Gallas 2006; Gallas, Bandos, Samuelson and Wagner 2009) is the
product of the areas minus the mean of w_a w_b over pairs of pairs that share no case, with the
score w = 1, 1/2, 0 of a pair of cases. It can be negative definite in some directions.         (4)
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from rocbands.core.checks import (
    BoolArray,
    FloatArray,
    IndexArray,
    check_choice,
    check_number,
    check_range,
    read_numbers,
)
from rocbands.core.delong import compute_placements
from rocbands.core.score_variance import CaseNumbers, estimate_variance
from rocbands.core.tolerance import SAME
from rocbands.errors import InputError, Message, arg, in_python
from rocbands.readers.reading_columns import fold_name
from rocbands.readers.readings import Readings
from rocbands.resample.areas import FprRange

MetricName: TypeAlias = Literal["auc", "partial_auc", "sensitivity", "specificity"]
Covariance: TypeAlias = Literal["delong", "jackknife", "unbiased"]

_AT_ONCE = 2_000_000  # numbers in a temporary array


class Scale(NamedTuple):
    """What limits of one mean need to know about the study."""

    least: float  # how far from 0 and 1 a mean is kept on the logit scale
    unit: float  # variance of one perfect reader, relative to A (1 - A)
    cases: tuple[float, float]  # of the classes; infinite for a class that the metric does not use


@dataclass(frozen=True)
class Metric:
    """What is computed for each cell, a number from 0 to 1."""

    kind: MetricName
    quantity: str  # its name in results
    plural: str  # in 'equal AUCs'
    thresholds: tuple[float, ...] = ()  # for each test: sensitivity and specificity
    part: FprRange | None = None  # of the partial area, in the orientation of `mirrored`
    mirrored: bool = False  # whether classes are swapped and scores negated: a range of tpr

    @property
    def width(self) -> float:
        """Largest possible value in results: partial areas are computed relative to it."""
        return 1.0 if self.part is None else self.part.width

    @property
    def classes(self) -> tuple[bool, ...]:
        """The classes that it needs."""
        return {"sensitivity": (True,), "specificity": (False,)}.get(self.kind, (True, False))

    def find_scale(self, n_pos: int, n_neg: int) -> Scale:
        """Find the scale of a study; the unit of areas is that of 'score-delong'."""
        if len(self.classes) == 2:
            unit = float(estimate_variance(1.0, 0.0, 0.0, CaseNumbers(n_pos, n_neg)).unit)
            return Scale(0.5 / (n_pos * n_neg), unit, (float(n_pos), float(n_neg)))
        if self.classes[0]:
            return Scale(0.5 / n_pos, 1.0 / n_pos, (float(n_pos), math.inf))
        return Scale(0.5 / n_neg, 1.0 / n_neg, (math.inf, float(n_neg)))

    def measure(
        self, scores: FloatArray, own: BoolArray, test: int, jackknife: bool
    ) -> tuple[float, FloatArray]:
        """Return the value of a cell, and the influence of each of its cases."""
        if self.part is not None:
            return _measure_part(scores, own, self.part, self.mirrored)
        if self.kind == "auc":
            pos, neg = compute_placements(own, scores)
            # Wins are whole halves, whose sum is exact.
            wins = float(np.rint(2.0 * neg.size * pos).sum()) / 2.0
            value, by_class = wins / (pos.size * neg.size), {True: pos, False: neg}
            if jackknife:
                return value, _leave_out(own, _mean_without(pos), _mean_without(neg))
        else:
            (positive,) = self.classes
            hit = ((scores >= self.thresholds[test]) == positive)[own == positive].astype(float)
            value, by_class = float(hit.mean()), {positive: hit}
        influence = np.zeros(own.size)
        for positive, each in by_class.items():
            influence[own == positive] = (each - value) / np.sqrt(each.size * (each.size - 1.0))
        return value, influence


def choose_metric(
    metric: str, threshold: Any, fpr: Any, tpr: Any, tests: tuple[str, ...]
) -> Metric:
    """Check the metric and what it needs."""
    check_choice(metric, get_args(MetricName), "metric")
    if threshold is not None and metric not in ("sensitivity", "specificity"):
        raise InputError(
            Message("{} is for sensitivity and specificity", arg("threshold")),
            Message("got {}", arg("metric", metric)),
            Message("Leave it out, or pass {}.", arg("metric", "sensitivity")),
        )
    if (fpr is not None or tpr is not None) and metric != "partial_auc":
        raise InputError(
            Message("{} and {} are ranges of a partial area", arg("fpr"), arg("tpr")),
            Message("got {}", arg("metric", metric)),
            Message("Leave them out, or pass {}.", arg("metric", "partial_auc")),
        )
    if metric == "auc":
        return Metric("auc", "AUC", "AUCs")
    if metric == "partial_auc":
        if (fpr is None) == (tpr is None):
            raise InputError(
                Message("A partial area needs one range: {} or {}", arg("fpr"), arg("tpr")),
                "both were given" if fpr is not None else "none was given",
                Message("Pass, for example, {}.", arg("fpr", (0, 0.2))),
            )
        axis, (start, stop) = check_range(fpr, tpr)
        part = FprRange(start, stop) if axis == "fpr" else FprRange(1.0 - stop, 1.0 - start)
        name = f"partial AUC ({axis} {start:g} to {stop:g})"
        return Metric("partial_auc", name, name, part=part, mirrored=axis == "tpr")
    kind: MetricName = "sensitivity" if metric == "sensitivity" else "specificity"
    thresholds = _check_thresholds(threshold, tests)
    name = f"{kind} at threshold {', '.join(f'{one:g}' for one in dict.fromkeys(thresholds))}"
    return Metric(kind, name, name, thresholds)


def _check_thresholds(threshold: Any, tests: tuple[str, ...]) -> tuple[float, ...]:
    """One threshold for all tests, or one for each."""
    if threshold is None:
        raise InputError(
            "Sensitivity and specificity need a threshold: a case is called positive at or above "
            "it",
            "none was given",
            Message(
                "Pass, for example, {}; for decisions of 0 and 1, {}.",
                arg("threshold", 3),
                arg("threshold", 1),
            ),
        )
    given = read_numbers(threshold)
    if given is not None and given.ndim == 1 and given.size == len(tests):
        return tuple(check_number(float(one), "threshold") for one in given)
    if given is not None and given.ndim:
        raise InputError(
            f"must be one number, or one for each of the {len(tests)} tests",
            f"got {given.size}" if given.ndim == 1 else f"got {given.ndim} dimensions",
            "A list is in the order of the tests.",
            argument="threshold",
        )
    return (check_number(threshold, "threshold"),) * len(tests)


@dataclass(frozen=True, eq=False)
class Estimates:
    """The metric of all k cells, and its covariance given the readers."""

    metric: Metric
    test: IndexArray  # (k,)
    reader: IndexArray  # (k,)
    values: FloatArray  # (k,) from 0 to 1
    order: IndexArray  # (k, cases) rank of each case among those read, ties equal; -1 if not read
    cases: IndexArray  # (k, 2) numbers of positives and of negatives read
    # (k, u) influences of u units: cases, or patients with several cases.
    influence: FloatArray
    read: BoolArray  # (k, u) whether the cell read the unit
    part: IndexArray  # (u,) 0 for units of positives, 1 of negatives, 2 of both
    unbiased: FloatArray | None  # (k, k) covariance by formula (4), where it is asked for
    scale: Scale

    @cached_property
    def covariance(self) -> FloatArray:
        """Covariance of all cells given the readers, (k, k)."""
        return self.influence @ self.influence.T if self.unbiased is None else self.unbiased

    @cached_property
    def magnitude(self) -> FloatArray:
        """A size for each cell: terms of a covariance are at most the product of both, (k,)."""
        if self.unbiased is None:
            return np.asarray(np.sqrt(np.square(self.influence).sum(axis=1)))
        return self.values

    @cached_property
    def index(self) -> dict[tuple[int, int], int]:
        """The cell of each test and reader."""
        pairs = zip(self.test.tolist(), self.reader.tolist(), strict=True)
        return {pair: place for place, pair in enumerate(pairs)}


def estimate_cells(readings: Readings, metric: Metric, covariance: Covariance) -> Estimates:
    """Measure all cells.

    Cells are in the order of their names, cases in that of their class and scores, so that sums
    over them do not depend on the order of rows.
    """
    for cell in np.argwhere(readings.read.any(axis=2)).tolist():
        _check_cell(readings, metric, *cell)
    test, reader = _sort_cells(readings)
    scores, own = readings.scores[test, reader], readings.is_positive
    rows = np.lexsort([*scores, own])
    scores, own = scores[:, rows], own[rows]
    seen, part = ~np.isnan(scores), np.where(own, 0, 1)
    counts = np.stack([(seen & own).sum(axis=1), (seen & ~own).sum(axis=1)], axis=1)
    values, influence = np.empty(len(scores)), np.zeros(scores.shape)
    order = np.full(scores.shape, -1)
    for place, read in enumerate(seen):
        each = scores[place, read]
        order[place, read] = np.unique(each, return_inverse=True)[1]
        values[place], influence[place, read] = metric.measure(
            each, own[read], int(test[place]), covariance == "jackknife"
        )
    if readings.clusters is not None:
        influence, seen, part = _sum_patients(influence, seen, own, readings.clusters[rows])
    unbiased = None
    if covariance == "unbiased":
        _check_unbiased(readings, metric)
        unbiased = _find_unbiased(scores, own, metric, test)
    return Estimates(
        *(metric, test, reader, values, order, counts, influence, seen, part, unbiased),
        metric.find_scale(readings.n_pos, readings.n_neg),
    )


def _sort_cells(readings: Readings) -> tuple[IndexArray, IndexArray]:
    """Return the test and the reader of each cell, in the order of their names."""
    by_name = [
        np.array(sorted(range(len(names)), key=names.__getitem__))
        for names in (readings.tests, readings.readers)
    ]
    test, reader = np.nonzero(readings.read[np.ix_(*by_name)].any(axis=2))
    return by_name[0][test], by_name[1][reader]


def _ask_spelling(readings: Readings, reader: str) -> str:
    """Ask whether a reader is another one, with other capitals or signs."""
    other = {fold_name(name): name for name in readings.readers if name != reader}.get(
        fold_name(reader)
    )
    return "" if other is None else f" Or is it {other!r}, written in another way?"


def _check_cell(readings: Readings, metric: Metric, i: int, j: int) -> None:
    """Require two cases of each class that the metric needs, and not all of one patient."""
    test, reader = readings.tests[i], readings.readers[j]
    for own in metric.classes:
        kind = "positive" if own else "negative"
        cases = readings.read[i, j] & (readings.is_positive == own)
        if not cases.any():
            need = "both classes" if len(metric.classes) == 2 else f"the {kind} class"
            raise InputError(
                f"Each reader needs cases of {need} under each test",
                f"reader {reader!r} read no {kind} case under {test!r}",
                Message(
                    "Leave the reader out, or compare tests that the reader read{}.{}",
                    in_python(": see take()", "take"),
                    _ask_spelling(readings, reader),
                ),
            )
        if np.count_nonzero(cases) == 1:
            raise InputError(
                "Each reader needs at least 2 cases of each class under each test, for a variance",
                f"reader {reader!r} read 1 {kind} case under {test!r}",
                Message(
                    "Leave the reader out{}.{}",
                    in_python(": see take()", "take"),
                    _ask_spelling(readings, reader),
                ),
            )
        if readings.clusters is not None and not np.ptp(readings.clusters[cases]):
            raise InputError(
                "Each reader needs cases of each class from at least 2 clusters under each test, "
                "for "
                "a variance",
                f"all {kind} cases of reader {reader!r} under {test!r} are in one",
                Message("For independent cases leave {} out.", arg("clusters")),
            )


def _mean_without(values: FloatArray) -> FloatArray:
    """Mean of all other values, for each value."""
    return np.asarray((values.sum() - values) / (values.size - 1.0))


def _leave_out(own: BoolArray, pos: FloatArray, neg: FloatArray) -> FloatArray:
    """Influences from leave-one-out values of positives and of negatives: formula (2)."""
    values = np.empty(own.size)
    values[own], values[~own] = pos, neg
    return np.asarray(np.sqrt((own.size - 1.0) / own.size) * (values - values.mean()))


def _measure_part(
    scores: FloatArray, own: BoolArray, part: FprRange, mirrored: bool
) -> tuple[float, FloatArray]:
    """Area over a range relative to its width, and influences by leaving out one case at a time."""
    # The area right of the curve is the area under it with classes swapped and scores negated.
    scores, own = (scores, ~own) if mirrored else (-scores, own)
    levels, level = np.unique(scores, return_inverse=True)  # the most positive first
    y, x = (np.append(0.0, np.cumsum(np.bincount(level, c, levels.size))) for c in (own, ~own))
    m, n, wide = float(y[-1]), float(x[-1]), np.diff(x)  # the curve in counts: y(f), f from 0 to n
    below = np.append(0.0, np.cumsum(wide * (y[1:] + y[:-1]) / 2.0))

    def integrate(f: float) -> float:
        """Area under the curve up to f."""
        at = min(int(np.searchsorted(x, f, "right")) - 1, wide.size - 1)
        slope = (y[at + 1] - y[at]) / max(wide[at], 1.0)
        return float(below[at] + (f - x[at]) * (y[at] + slope * (f - x[at]) / 2.0))

    start, stop = part.start * n, part.stop * n
    area = (integrate(stop) - integrate(start)) / (m * n * part.width)

    def share(f: float) -> FloatArray:
        """Area up to f that one positive of each level adds: its step is a ramp over a tie."""
        inside = np.clip(f - x[:-1], 0.0, wide)
        return np.asarray(inside**2 / (2.0 * np.maximum(wide, 1.0)) + np.maximum(f - x[1:], 0.0))

    without_pos = (m * area - (share(stop) - share(start)) / (n * part.width)) / (m - 1.0)

    def integrate_without(f: float) -> FloatArray:
        """Area up to f without one negative of each level, whose segment is then shorter by 1."""
        into = f - x[:-1]
        ramp = below[:-1] + into * (y[:-1] + np.diff(y) * into / np.maximum(wide - 1.0, 1.0) / 2.0)
        after = integrate(f + 1.0) - (y[1:] + y[:-1]) / 2.0
        return np.where(into <= 0.0, integrate(f), np.where(into >= wide - 1.0, after, ramp))

    start, stop = part.start * (n - 1.0), part.stop * (n - 1.0)
    without_neg = (integrate_without(stop) - integrate_without(start)) / (
        m * (n - 1.0) * part.width
    )
    if min(area, 1.0 - area) <= SAME:  # rounding errors
        area = float(round(area))
    return area, _leave_out(own, without_pos[level[own]], without_neg[level[~own]])


def _sum_patients(
    influence: FloatArray, seen: BoolArray, own: BoolArray, clusters: IndexArray
) -> tuple[FloatArray, BoolArray, IndexArray]:
    """Sum influences over the cases of each patient: formula (3)."""

    def add(rows: FloatArray | BoolArray) -> FloatArray:
        """Sum each row over the cases of each patient, one case after the other."""
        return np.stack([np.bincount(clusters, row) for row in rows])

    read = add(seen) > 0.0
    number = read.sum(axis=1, keepdims=True)
    summed = add(influence) * np.sqrt(number / np.maximum(number - 1.0, 1.0))
    with_pos, with_neg = add(np.stack([own, ~own])) > 0.0
    part = np.where(with_pos & with_neg, 2, np.where(with_pos, 0, 1))
    units = np.lexsort([*summed, part])  # like cases, in an order of their own
    return summed[:, units], read[:, units], part[units]


def _check_unbiased(readings: Readings, metric: Metric) -> None:
    """Refuse what formula (4) has no form for."""
    if metric.part is not None or readings.clusters is not None:
        what = "partial areas" if metric.part is not None else "several cases of a patient"
        raise InputError(
            f"The unbiased covariance has no form for {what}",
            "it was asked for by the method",
            Message("Use {}.", arg("method", "bounded")),
        )


def _find_unbiased(
    scores: FloatArray, own: BoolArray, metric: Metric, test: IndexArray
) -> FloatArray:
    """Unbiased covariance of all cells: formula (4)."""
    if metric.kind != "auc":
        values = scores[:, own == metric.classes[0]]
        cuts = np.array(metric.thresholds)[test][:, None]
        seen = (~np.isnan(values)).astype(float)
        hit = ((values >= cuts) == metric.classes[0]) * seen
        every, number = _multiply_sums(hit), _multiply_sums(seen)
        return np.asarray(every / number - (every - hit @ hit.T) / (number - seen @ seen.T))
    pos, neg = scores[:, own], scores[:, ~own]
    k, m, n = len(scores), pos.shape[1], neg.shape[1]
    both, by_neg, by_pos = np.zeros((k, k)), np.zeros((k, n)), np.zeros((k, m))
    for some in np.array_split(np.arange(m), 1 + k * m * n // _AT_ONCE):
        one, two = pos[:, some, None], neg[:, None, :]
        win = (one > two) + 0.5 * (one == two)  # 0 where one was not read: NaN
        flat = win.reshape(k, -1)
        both += flat @ flat.T
        by_neg += win.sum(axis=1)
        by_pos[:, some] = win.sum(axis=2)
    read_pos, read_neg = ((~np.isnan(side)).astype(float) for side in (pos, neg))
    common_pos, common_neg = read_pos @ read_pos.T, read_neg @ read_neg.T
    size_pos, size_neg = (_multiply_sums(side) for side in (read_pos, read_neg))
    every = _multiply_sums(by_pos)
    apart = every - by_pos @ by_pos.T - by_neg @ by_neg.T + both
    # Pairs of pairs that share neither case: ordered pairs of different positives and negatives.
    other = (size_pos - common_pos) * (size_neg - common_neg)
    return np.asarray(every / (size_pos * size_neg) - apart / other)


def _multiply_sums(rows: FloatArray) -> FloatArray:
    """Products of the sums of all pairs of rows."""
    return np.outer(rows.sum(axis=1), rows.sum(axis=1))
