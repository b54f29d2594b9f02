"""Can you trust this? What the rows can carry, and how often such bands were seen to hold."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np

from rocbands.core.roc import RocCurve
from rocbands.reporting.curves import methods_for
from rocbands.reporting.order import Order
from rocbands.reporting.words import number, percent

__all__ = ["measured_near", "trust_section"]

FEW = 30
FAR = 4.0  # times as many or as few cases of a class: then measurements are from far away


@cache
def _measured() -> list[dict[str, Any]]:
    text = files("rocbands.reporting").joinpath("measured.json").read_text(encoding="utf-8")
    rows: list[dict[str, Any]] = json.loads(text)
    return rows


def _distances(row: Mapping[str, Any], n_pos: float, n_neg: float) -> tuple[float, float]:
    """How many times larger or smaller the measured classes were, as logarithms.

    Real data sets were measured at a number of rows.
    """
    if row["n_pos"] is None:
        apart = abs(math.log(row["rows"] / (n_pos + n_neg)))
        return apart, apart
    return abs(math.log(row["n_pos"] / n_pos)), abs(math.log(row["n_neg"] / n_neg))


def measured_near(method: str, n_pos: float, n_neg: float) -> list[dict[str, Any]]:
    """Return what was measured of a method, from each study at the sizes closest to the given ones.

    The study that comes closest is the first of its target.

    Examples
    --------
    >>> [row["n_pos"] for row in measured_near("joint-region", 40, 60)]
    [50]
    """
    nearest: dict[tuple[str, str], dict[str, Any]] = {}
    for row in _measured():
        if row["method"] != method:
            continue
        study = row["target"], row["where"].split(";")[0]
        held = nearest.get(study)
        near = sum(_distances(row, n_pos, n_neg))
        if held is None or near < sum(_distances(held, n_pos, n_neg)):
            nearest[study] = row
    return sorted(
        nearest.values(),
        key=lambda row: (row["target"] != "true", sum(_distances(row, n_pos, n_neg))),
    )


def trust_section(order: Order, models: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Sentences on what the rows can carry, and the measured coverage of the bands shown."""
    n_pos, n_neg = order.sizes
    folds = len(next(iter(order.curves.values())).folds) or 1
    made = {band["method"] for model in models for band in model["bands"]}
    measured = [
        row
        for method in methods_for(order)
        if method in made
        for row in measured_near(method, n_pos / folds, n_neg / folds)
    ]
    sentences = [*_sizes(order), *_ties(order), *_extras(order, folds)]
    if order.groups is not None:
        measured = [{**row, "where": f"{row['where']}; rows without groups"} for row in measured]
    far = _far(measured, n_pos / folds, n_neg / folds)
    if far:
        sentences.append(
            f"Coverage was not measured at sizes like these ({', '.join(far)}); the closest ones "
            "are shown."
        )
    return {"sentences": sentences, "measured": measured}


def _far(measured: list[dict[str, Any]], n_pos: float, n_neg: float) -> list[str]:
    """Name the methods of which even the closest row has far fewer or far more of a class."""
    near = {
        row["method"]
        for row in measured
        if row["n_pos"] is not None and max(_distances(row, n_pos, n_neg)) <= math.log(FAR)
    }
    return list(dict.fromkeys(row["method"] for row in measured if row["method"] not in near))


def _sizes(order: Order) -> list[str]:
    n_pos, n_neg = order.sizes
    small, kind = (n_pos, "positive") if n_pos <= n_neg else (n_neg, "negative")
    share = percent(n_pos / (n_pos + n_neg))
    finest, steps = percent(1.0 / n_neg), percent(1.0 / n_pos)
    said = [
        f"{number(n_pos, 'positive')} and {number(n_neg, 'negative')}: {share} of the rows are "
        "positive. ROC curves and areas do not depend on that share; costs and rates of acting do.",
        f"One negative is {finest} of the false positive rate: nothing below that can be seen. One "
        f"positive is {steps} of the true positive rate.",
    ]
    if small < FEW:
        said.append(
            f"The smaller class has {number(small, kind)}. Limits are wide, and bands that come "
            "from resampling can still be too narrow: see what was measured at such sizes."
        )
    return said


def _tied(roc: RocCurve) -> float:
    """Share of the rows whose score also belongs to a row of the other class."""
    pos, neg = (np.diff(side, prepend=0) for side in (roc.tp, roc.fp))
    both = (pos > 0) & (neg > 0)
    return float((pos + neg)[both].sum() / (roc.n_pos + roc.n_neg))


def _ties(order: Order) -> list[str]:
    said = []
    for name, roc in order.curves.items():
        share, levels = _tied(roc), roc.thresholds.size
        if roc.binned:
            said.append(
                f"{name} is known in {number(levels, 'bin')} of scores: all limits hold for every "
                f"order inside them, and its AUC is known to ±{roc.certificate:.2g}."
            )
        elif levels == 1:
            said.append(f"{name} gives all rows the same score: it tells nothing.")
        elif share >= 0.1:
            said.append(
                f"{name} takes {levels:,} distinct scores, and {percent(round(share, 3))} of the "
                "rows share theirs with a row of the other class; ties count one half."
            )
        if levels > 1 and roc.auc in (0.0, 1.0):
            word = "above" if roc.auc == 1.0 else "below"
            said.append(
                f"{name} scores every positive {word} every negative. That is an estimate like any "
                "other: the interval says how much worse it may be."
            )
    return said


def _extras(order: Order, folds: int) -> list[str]:
    said = []
    if order.groups is not None:
        roc = next(iter(order.curves.values()))
        count = 0 if roc.groups is None else roc.groups.size
        said.append(f"Rows belong to {number(count, 'group')}; only groups are independent.")
    if order.folds is not None:
        said.append(
            f"Rows were scored in {folds} folds, by different models. Curves are averaged over the "
            "folds, and scores of different folds are never compared."
        )
    return said
