"""The operating point of a model for a promise: one threshold, what it does, and its limits.

A rule promises a largest false positive rate, a largest share of all cases that are called, or low
costs. Of the thresholds that keep the promise on the rows, the one that finds most positives is
chosen; of several, the highest. Everything that speaks of a threshold for a rule reads this point.

Limits are for this threshold on new cases: Clopper and Pearson's, with the effective number of rows
if they are weighted. They hold although the same rows chose the threshold. Without ties, at the
lowest threshold with k false alarms, the true rate lies between those of two neighbouring order
statistics of the negatives, whose distributions are beta (k, n - k + 1) and (k + 1, n - k): these
limits exactly. Elsewhere their coverage is measured (studies/docs/coverage-points.md). Clusters and
strata have the default limits of thresholds.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from rocbands._math.binomial import clopper_pearson_limits
from rocbands._math.chosen import Limits, limit_chosen
from rocbands.core.roc import RocCurve
from rocbands.core.thresholds import write_threshold
from rocbands.design.called_sums import (
    CALLED_NEG,
    CALLED_POS,
    NEGATIVES,
    POSITIVES,
    CalledSums,
    Coefficients,
)
from rocbands.points.clopper_pearson import PointClopperPearson
from rocbands.points.likelihood import PointLikelihood
from rocbands.points.result import OperatingPoints
from rocbands.points.thresholds import find_rate_steps

RuleName: TypeAlias = Literal["fpr", "rate", "costs"]


class Rule(NamedTuple):
    """A promise: at most a false positive rate or a share of all cases, or low costs."""

    name: RuleName
    at: Any  # the rate, the share, or the costs of a missed positive and of a false alarm


@dataclass(frozen=True, kw_only=True)
class Point:
    """A threshold of a model, what it does on the rows, and limits for new cases.

    Attributes
    ----------
    model : str
        The model.
    rule : Rule
        The promise that it keeps.
    threshold : float or None
        Rows with at least this score are called positive; None if no threshold that keeps the
        promise calls a row.
    text : str
        The threshold as text: the shortest decimal that makes the same calls on these rows.
    tp, fp : int
        Positives and negatives that are called.
    n_pos, n_neg : int
        Class sizes.
    tpr, tpr_low, tpr_high, fpr, fpr_low, fpr_high : float
        Their rates, by weight if rows are weighted, with limits for this threshold on new cases.
    ppv, ppv_low, ppv_high : float or None
        Share of alarms that are right; limits only at a given prevalence.
    share : float
        Share of all cases that are called, at the given prevalence or that of the rows.
    """

    model: str
    rule: Rule
    threshold: float | None
    text: str
    tp: int
    fp: int
    n_pos: int
    n_neg: int
    tpr: float
    tpr_low: float
    tpr_high: float
    fpr: float
    fpr_low: float
    fpr_high: float
    ppv: float | None = None
    ppv_low: float | None = None
    ppv_high: float | None = None
    share: float = 0.0


def choose_point(
    roc: RocCurve,
    rule: Rule,
    *,
    model: str = "model",
    n_models: int = 1,
    level: float = 0.95,
    prevalence: float | None = None,
    cut: Any = None,
) -> Point:
    """Choose the threshold of a model for a rule, and describe what it does.

    `n_models`: models from which one is chosen by such points; limits on the worse side allow for
    that. `cut`: for costs the threshold, which other rows have chosen.

    Examples
    --------
    >>> import rocbands as rb
    >>> roc = rb.load_example()["logistic"].roc
    >>> point = choose_point(roc, Rule("fpr", 0.1))
    >>> point.text, point.tp, point.fp, f"{point.fpr_low:.3f} to {point.fpr_high:.3f}"
    ('0.52', 146, 34, '0.067 to 0.131')
    """
    if rule.name == "costs":
        step = int(np.count_nonzero(roc.thresholds >= cut))
    elif rule.name == "rate":
        step = int(find_rate_steps(roc, np.array([rule.at]))[0])
    else:
        step = int(roc.find_steps("fpr", np.array([rule.at]))[0])
    return describe_step(
        roc, step, rule, model=model, n_models=n_models, level=level, prevalence=prevalence
    )


def describe_step(
    roc: RocCurve,
    step: int,
    rule: Rule,
    *,
    model: str,
    n_models: int = 1,
    level: float = 0.95,
    prevalence: float | None = None,
) -> Point:
    """Describe a vertex of a curve; vertex 0 calls no row positive."""
    cut = roc.thresholds[step - 1] if step else None
    rates = {"tpr": float(roc.curve.y[step])}
    rates["fpr"] = float(roc.curve.x[step])
    find_limits = _choose_limits(roc, step)
    for name, worse in (("tpr", "low"), ("fpr", "high")):
        find: Callable[[float], Limits] = partial(find_limits, name)
        low, high = limit_chosen(find, level, n_models, worse=worse)  # type: ignore[arg-type]
        rates |= {f"{name}_low": min(low, rates[name]), f"{name}_high": max(high, rates[name])}
    pi = roc.prevalence if prevalence is None else prevalence
    right, wrong = pi * rates["tpr"], (1.0 - pi) * rates["fpr"]
    ppv = right / (right + wrong) if step and right + wrong > 0.0 else None
    known = ppv is not None and prevalence is not None
    limits = _limit_ppv(roc, cut, level, n_models, pi) if known else (None, None)
    return Point(
        model=model,
        rule=rule,
        threshold=None if cut is None else np.asarray(cut).item() + 0,
        text="" if cut is None else write_threshold(roc, cut),
        tp=int(roc.tp[step - 1]) if step else 0,
        fp=int(roc.fp[step - 1]) if step else 0,
        n_pos=roc.n_pos,
        n_neg=roc.n_neg,
        ppv=ppv,
        ppv_low=limits[0],
        ppv_high=limits[1],
        share=right + wrong,
        **rates,
    )


def _choose_limits(roc: RocCurve, step: int) -> Callable[[str, float], Limits]:
    """Choose the limits of both rates at a vertex, as functions of the rate and the level."""
    if roc.independent or roc.clusters is None:
        sums = CalledSums.of_curve(roc, np.array([step]))
        parts: dict[str, tuple[Coefficients, Coefficients]] = {
            "tpr": (CALLED_POS, POSITIVES),
            "fpr": (CALLED_NEG, NEGATIVES),
        }
        shares = {name: sums.find_share(*part) for name, part in parts.items()}

        def limit_weights(name: str, level: float) -> Limits:
            share = shares[name]
            number = np.maximum(share.number, 1.0)
            return _read(clopper_pearson_limits(share.value * number, number, level))

        return limit_weights
    cut = np.array([roc.thresholds[step - 1] if step else np.inf])

    def limit_design(name: str, level: float) -> Limits:
        found = PointLikelihood()(roc, threshold=cut, level=level)
        return _read(tuple(getattr(found, f"{name}_{end}") for end in ("lower", "upper")))

    return limit_design


def _limit_ppv(
    roc: RocCurve, cut: Any, level: float, n_models: int, prevalence: float
) -> tuple[float | None, float | None]:
    """Limits of the share of alarms that are right, at a given prevalence."""

    def ask(level: float) -> OperatingPoints:
        method = PointClopperPearson() if roc.independent else PointLikelihood()
        return method(roc, threshold=np.array([cut]), level=level, prevalence=prevalence)

    def find_limits(level: float) -> Limits:
        found = ask(level)
        return float(found.ppv_lower[0]), float(found.ppv_upper[0])

    low, high = limit_chosen(find_limits, level, n_models)
    return (None, None) if math.isnan(low) else (low, high)


def _read(limits: tuple[Any, ...]) -> Limits:
    low, high = (float(np.ravel(side)[0]) for side in limits)
    return low, high
