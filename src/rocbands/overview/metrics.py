"""Metrics by name: what a summary has in its columns, and the functions that compute them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from functools import partial
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from rocbands.auc import auc_interval
from rocbands.auc.folds import fold_auc_interval
from rocbands.auc.partial import partial_auc_interval
from rocbands.calibration.brier_score import brier_score_interval
from rocbands.core.data import Data, as_roc_curve
from rocbands.core.interval import Interval
from rocbands.core.models import list_given
from rocbands.core.randomness import Rng
from rocbands.core.roc import RocCurve
from rocbands.cost import cost_interval
from rocbands.errors import InputError, Message, arg
from rocbands.points import operating_points
from rocbands.points.thresholds import OPTIMISTIC
from rocbands.precision.average_precision import average_precision_interval
from rocbands.rates import rate_bounds


class Value(NamedTuple):
    """A metric of one model with its confidence limits."""

    estimate: float
    low: float
    high: float
    method: str
    notes: tuple[str, ...] = ()


class Settings(NamedTuple):
    """What all metrics of a summary share."""

    level: float
    prevalence: float | None
    rng: Rng


Ask: TypeAlias = Callable[[Data, Settings], Value]


@dataclass(frozen=True)
class Metric:
    """A metric: its name in tables, and the function that computes it."""

    name: str
    ask: Ask
    falls: bool = False  # whether smaller is better


# Names of a whole-curve metric; the first is that of tables.
_WHOLE = {
    "AUC": ("auc", "roc auc", "auroc", "roc auc score", "c statistic", "c index"),
    "average precision": ("average precision", "ap", "average precision score"),
    "Brier score": ("brier score", "brier", "brier score loss"),
}
# Columns of operating points by the words for them.
_MEASURES = {
    "sensitivity": "tpr",
    "recall": "tpr",
    "tpr": "tpr",
    "specificity": "specificity",
    "tnr": "specificity",
    "fpr": "fpr",
    "precision": "ppv",
    "ppv": "ppv",
    "npv": "npv",
    "f1": "f1",
    "f1 score": "f1",
}
# Arguments of `operating_points` by the words for them.
_CONDITIONS = {
    "specificity": "specificity",
    "fpr": "fpr",
    "sensitivity": "sensitivity",
    "recall": "tpr",
    "tpr": "tpr",
    "precision": "precision",
    "ppv": "precision",
    "rate": "rate",
    "threshold": "threshold",
}
_FIXES = {"specificity": "fpr", "fpr": "fpr", "sensitivity": "tpr", "tpr": "tpr"}  # which rate
_SHORT = ("auc", "tpr", "fpr", "tnr", "ppv", "npv", "f1")  # written in capitals
EXAMPLES = (
    "auc",
    "average precision",
    "brier",
    "sensitivity at specificity 0.9",
    "specificity at sensitivity 0.9",
    "precision at rate 0.05",
    "recall at rate 0.05",
    "accuracy at threshold 0.5",
    "partial auc at fpr 0.1",
)
# What a name without its condition, or another library's name, may mean.
_MEANT = {
    "accuracy at threshold 0.5": "accuracy, accuracy score",
    "average precision": "auprc, aucpr, pr auc, prauc, auc pr, area under the pr curve",
    "brier": "log loss, logloss, neg log loss",
    "f1 at threshold 0.5": "f1, f1 score, f1score, f score",
    "fpr at threshold 0.5": "fpr, false positive rate",
    "npv at threshold 0.5": "npv",
    "partial auc at fpr 0.1": "partial auc, pauc",
    "ppv at threshold 0.5": "ppv",
    "precision at rate 0.1": "precision, precision score, precision at k",
    "recall at rate 0.1": "recall, recall score, recall at k",
    "sensitivity at specificity 0.9": "sensitivity, tpr, true positive rate",
    "specificity at sensitivity 0.9": "specificity, tnr, true negative rate",
}
_NUMBER = re.compile(r"(-?\d*\.?\d+(?:e[+-]?\d+)?)\s*(%?)")
_FILLERS = {"a", "an", "of", "the", ":"}


def read_metrics(metrics: Any, curves: Iterable[RocCurve]) -> list[Metric]:
    """Read the names of metrics; by default the usual ones, some of which depend on the data."""
    if metrics is None:
        metrics = ["auc", "average precision"]
        metrics += ["brier"] * all(map(_are_probabilities, curves))
    found = {metric.name: metric for metric in map(read_metric, list_given(metrics))}
    if not found:
        raise InputError(
            "must name at least one metric",
            "got none",
            Message("Pass, for example, {}.", arg("metrics", ["auc", "brier"])),
            argument="metrics",
        )
    return list(found.values())


def _are_probabilities(roc: RocCurve) -> bool:
    """Tell whether scores lie between 0 and 1; bins do not tell."""
    parts = roc.folds or (roc,)
    return not roc.binned and all(
        part.thresholds.min() >= 0.0 and part.thresholds.max() <= 1.0 for part in parts
    )


def read_metric(text: Any) -> Metric:
    """Read a metric's name, such as 'auc' or 'sensitivity at specificity 0.9'.

    Examples
    --------
    >>> read_metric("roc_auc").name, read_metric("precision@rate=0.05").name
    ('AUC', 'precision at a rate of 5%')
    >>> read_metric("sensitivity at 90% specificity").name
    'sensitivity at 90% specificity'
    """
    if not isinstance(text, str):
        raise _unknown(text)
    plain = text.lower()
    for mark, word in (("@", " at "), ("=", " "), ("_", " "), (" up to ", " at ")):
        plain = plain.replace(mark, word)
    plain = " ".join(plain.split())
    whole = next((name for name, words in _WHOLE.items() if plain.replace("-", " ") in words), None)
    if whole is not None:
        return Metric(whole, _ASK_WHOLE[whole], falls=whole == "Brier score")
    measure, _, rest = plain.partition(" at ")
    number = _NUMBER.search(rest)
    if number is None:
        raise _unknown(text)
    value = float(number[1]) / (100.0 if number[2] else 1.0)
    if "threshold" not in rest and not 0.0 <= value <= 1.0:
        raise InputError(
            "must name rates between 0 and 1",
            f"got {text!r}",
            f"For {value:g}% write {number[1]}%." if 1.0 < value <= 100.0 else "",
            argument="metrics",
        )
    left = f"{rest[: number.start()]} {rest[number.end() :]}".split()
    return _make_conditional(
        measure.replace("-", " "),
        " ".join(word for word in left if word not in _FILLERS),
        value,
        text,
    )


def _make_conditional(measure: str, condition: str, value: float, text: str) -> Metric:
    """Make a metric at a rate or a threshold."""
    if (measure, condition) == ("accuracy", "threshold"):
        return Metric(f"accuracy at threshold {value:g}", partial(_ask_accuracy, threshold=value))
    if (measure, condition) == ("partial auc", "fpr"):
        return Metric(f"partial AUC up to FPR {value:g}", partial(_ask_partial_auc, fpr=value))
    column, argument = _MEASURES.get(measure), _CONDITIONS.get(condition)
    if column is None or argument is None or _is_fixed(column, argument):
        raise _unknown(text)
    name = f"{_write(measure)} at {_write_condition(condition, value)}"
    if (column, argument) == ("tpr", "rate"):
        return Metric(name, partial(_ask_recall, rate=value))
    ask = partial(_ask_point, column=column, argument=argument, at=value)
    return Metric(name, ask, falls=column == "fpr")


def _is_fixed(column: str, argument: str) -> bool:
    """Tell whether the condition is the metric itself."""
    return _FIXES.get(argument) == {"specificity": "fpr"}.get(column, column) or (
        column == "ppv" and argument == "precision"
    )


def _write(word: str) -> str:
    return word.upper() if word in _SHORT else word


def _write_condition(condition: str, value: float) -> str:
    if condition == "threshold":
        return f"threshold {value:g}"
    share = f"{100.0 * value:.10g}%"
    return f"a rate of {share}" if condition == "rate" else f"{share} {_write(condition)}"


def _unknown(text: Any) -> InputError:
    parts = [part.strip() for part in text.split(",")] if isinstance(text, str) else []
    if len(parts) > 1:
        return InputError(
            "must name one metric at a time",
            f"got {text!r}",
            Message("Pass {}.", arg("metrics", parts)),
            argument="metrics",
        )
    plain = " ".join(re.sub("[_-]", " ", str(text).lower()).split())
    meant = {word: name for name, words in _MEANT.items() for word in words.split(", ")}
    meant |= {word: word for words in _WHOLE.values() for word in words}
    meant |= {name: name for name in EXAMPLES}
    close = [plain] if plain in meant else get_close_matches(plain, meant, n=1, cutoff=0.7)
    said = f"Did you mean {meant[close[0]]!r}? " if close else ""
    return InputError(
        "must name metrics",
        f"got {text!r}",
        f"{said}Metrics are {', '.join(map(repr, EXAMPLES))} and the like, with any number.",
        argument="metrics",
    )


def _from_interval(found: Interval) -> Value:
    return Value(found.estimate, found.low, found.high, found.method)


def _read_row(found: Any, *names: str) -> Value:
    """Read estimate and limits from the first row of a result."""
    value, low, high = (float(getattr(found, name)[0]) for name in names)
    return Value(value, low, high, found.method)


def _complement(rate: Value) -> Value:
    """Return 1 minus a rate."""
    return rate._replace(estimate=1.0 - rate.estimate, low=1.0 - rate.high, high=1.0 - rate.low)


def area_interval(roc: RocCurve, level: float, rng: Rng = 0) -> Interval:
    """Return the interval of the AUC, with folds that of their mean."""
    if roc.folds:
        return fold_auc_interval(roc, level=level)
    return auc_interval(roc, level=level, rng=rng)


def _ask_auc(data: Data, use: Settings) -> Value:
    return _from_interval(area_interval(as_roc_curve(data), use.level, use.rng))


def _ask_average_precision(data: Data, use: Settings) -> Value:
    return _from_interval(
        average_precision_interval(data, level=use.level, prevalence=use.prevalence)
    )


def _ask_brier_score(data: Data, use: Settings) -> Value:
    roc = as_roc_curve(data)
    if not roc.binned and not _are_probabilities(roc):
        raise InputError("It is for probabilities, and some scores lie outside 0 to 1.")
    notes: tuple[str, ...] = ()
    if use.prevalence is not None:
        notes = ("For the share of positives of these rows, not for the given prevalence.",)
    return _from_interval(brier_score_interval(data, level=use.level))._replace(notes=notes)


_ASK_WHOLE: dict[str, Ask] = {
    "AUC": _ask_auc,
    "average precision": _ask_average_precision,
    "Brier score": _ask_brier_score,
}


def _ask_point(data: Data, use: Settings, column: str, argument: str, at: float) -> Value:
    """Read a column of `operating_points` at one condition."""
    how: dict[str, Any] = {argument: at, "prevalence": use.prevalence}
    found = operating_points(data, level=use.level, rng=use.rng, **how)
    name = "fpr" if column == "specificity" else column
    value = _read_row(found, name, f"{name}_lower", f"{name}_upper")
    if np.isnan(value.estimate):
        raise InputError("No case is called positive there, or none negative.")
    chosen = tuple(note for note in found.notes if note == OPTIMISTIC)
    return (_complement(value) if column == "specificity" else value)._replace(notes=chosen)


def _ask_recall(data: Data, use: Settings, rate: float) -> Value:
    """Recall if a share of the cases is acted on."""
    found = rate_bounds(data, rate=rate, prevalence=use.prevalence, level=use.level, rng=use.rng)
    return _read_row(found, "tpr", "tpr_lower", "tpr_upper")


def _ask_accuracy(data: Data, use: Settings, threshold: float) -> Value:
    """Share of right decisions: 1 minus the cost if both errors cost 1."""
    found = cost_interval(
        data,
        thresholds=threshold,
        costs=(1.0, 1.0),
        prevalence=use.prevalence,
        sampling="full" if use.prevalence is None else "stratified",
        level=use.level,
    )
    return _complement(_read_row(found, "cost", "lower", "upper"))


def _ask_partial_auc(data: Data, use: Settings, fpr: float) -> Value:
    """Area up to a false positive rate."""
    found = partial_auc_interval(data, fpr=(0.0, fpr), level=use.level, rng=use.rng)
    return _from_interval(found)
