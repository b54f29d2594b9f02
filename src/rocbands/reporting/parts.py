"""What a report says of one model besides its curve: area, points, rates, costs and scores."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from rocbands.auc import auc_interval
from rocbands.auc.folds import fold_auc_interval
from rocbands.core.interval import Interval
from rocbands.cost import cost_interval
from rocbands.cost.envelope import cost_curve
from rocbands.cost.result import CostCurve
from rocbands.cost.thresholds import cost_thresholds
from rocbands.errors import InputError, RocBandsWarning
from rocbands.points import operating_points
from rocbands.points.result import OperatingPoints
from rocbands.rates import rate_bounds
from rocbands.reporting.numbers import exact, listed, short
from rocbands.reporting.order import Halves, Order

__all__ = ["auc_section", "cost_section", "points_section", "rates_section"]

FPR = (0.001, 0.005, 0.01, 0.05, 0.1, 0.2)
W = np.arange(1, 100) / 100  # at 0 and 1 themselves one kind of error is free
RATES = np.unique(np.concatenate([[0.001, 0.002], np.arange(201) / 200]))
SPOKEN = (0.05, 0.1, 0.2, 0.5)

_INDEPENDENT = {
    "groups": "takes rows for independent of each other; these come in groups.",
    "folds": "is for one test set scored by one model; these rows were scored in folds.",
}


def auc_section(order: Order, name: str) -> dict[str, Any]:
    """Give the area with its interval; with groups inside folds without one."""
    roc = order.curves[name]
    if len(order.extras) == 2:
        order.omitted.add(
            "auc limits", "There is no interval for groups of rows inside folds.", name
        )
        mean = float(np.mean([fold.auc for fold in roc.folds]))
        nothing = dict.fromkeys(("low", "high", "method"))
        target = "average AUC of the folds' models on new cases"
        return {"estimate": short(mean), **nothing, "level": order.level, "target": target,
                "notes": []}  # fmt: skip
    found = auc_interval(roc, level=order.level) if not roc.folds else _over_folds(order, name)
    return {
        "estimate": short(found.estimate),
        "low": short(found.low),
        "high": short(found.high),
        "method": found.method,
        "level": found.level,
        "target": found.target,
        "notes": list(found.notes),
    }


def _over_folds(order: Order, name: str) -> Interval:
    """Average area of these very models, which is what the bands are for as well."""
    roc = order.curves[name]
    try:
        return fold_auc_interval(roc, method="fold-delong", level=order.level)
    except InputError:  # a fold with one case of a class
        return fold_auc_interval(roc, method="influence", level=order.level)


def _refused(order: Order, section: str, name: str, what: str, extras: tuple[str, ...]) -> bool:
    for extra in extras:
        if extra in order.extras:
            order.omitted.add(section, f"{what} {_INDEPENDENT[extra]}", name)
            return True
    return False


def points_section(order: Order, name: str) -> list[dict[str, Any]] | None:
    """Thresholds for fixed false positive rates, and the one that is best by Youden's index."""
    if _refused(order, "points", name, "A limit at a single point", ("groups", "folds")):
        return None
    rows = order.part(name)
    n_neg = order.sizes[1]
    wanted = [fpr for fpr in FPR if fpr * n_neg >= 1.0 - 1e-9]
    if len(wanted) < len(FPR):
        beyond = ", ".join(f"{fpr:g}" for fpr in FPR if fpr not in wanted)
        why = f"With {n_neg} negatives nothing can be seen at fpr {beyond}."
        order.omitted.add("points", why)
    points = []
    if wanted:
        at = operating_points(*rows, fpr=wanted, level=order.level, rng=order.seed)
        points = [{"fpr": fpr, **_point(at, i)} for i, fpr in enumerate(wanted)]
    best = operating_points(*rows, best="youden", level=order.level)
    limits = {"fpr_low": short(best.fpr_low[0]), "fpr_high": short(best.fpr_high[0])}
    return [
        *points,
        {"best": "youden", "fpr": short(best.fpr[0]), **limits, **_point(best, 0)},
    ]


def _point(at: OperatingPoints, i: int) -> dict[str, Any]:
    return {
        "threshold": exact(at.threshold[i : i + 1])[0],
        "tpr": short(at.tpr[i]),
        "low": short(at.tpr_low[i]),
        "high": short(at.tpr_high[i]),
        "method": at.method,
        "notes": list(at.notes),
    }


def rates_section(order: Order, name: str) -> dict[str, Any] | None:
    """Share of positives found when a share of all rows is acted on."""
    if _refused(order, "rates", name, "The bound at a rate", ("groups",)):
        return None
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always", RocBandsWarning)
        found = order.omitted.attempt(
            "rates",
            name,
            lambda: rate_bounds(
                *order.part(name),
                folds=order.folds,
                level=order.level,
                rates=RATES,
            ),
        )
    if found is None:
        return None
    rows = sum(order.sizes) / found.n_folds
    spoken = next((rate for rate in SPOKEN if rate * rows >= 1.0), SPOKEN[-1])
    columns = {part: listed(getattr(found, part)) for part in ("rate", "tpr", "lower", "upper")}
    notes = list(dict.fromkeys([*(str(one.message) for one in said), *found.notes]))
    return {
        **columns,
        "sentence": found.sentence(spoken),
        "level": found.level,
        "method": found.method,
        "target": found.target,
        "notes": notes,
    }


def cost_section(order: Order, name: str, halves: Halves | None) -> dict[str, Any] | None:
    """Give the hull, from which a page finds the best cost at any w, and limits of the cost."""
    if _refused(order, "cost", name, "The cost of thresholds", ("folds",)):
        return None
    curve = cost_curve(order.curves[name])
    section: dict[str, Any] = {"hull": _hull(curve)}
    if halves is None:
        how = "No limits: see what was left out. The hull is optimistic."
        return {**section, **dict.fromkeys(("w", "cost", "low", "high", "threshold")), "how": how}
    chosen, judged = halves
    cut = cost_thresholds(chosen.is_positive, chosen.models[name], w=W)
    found = cost_interval(
        judged.is_positive, judged.models[name], thresholds=cut, w=W, level=order.level
    )
    columns = {
        "w": listed(found.w),
        "cost": listed(found.cost),
        "low": listed(found.lower),
        "high": listed(found.upper),
    }
    how = (
        f"A random half of the rows ({chosen.is_positive.size}) chose the best threshold at each "
        f"w, the other half ({judged.is_positive.size}) judged it; {order.level:.10g} confidence "
        f"limits ({found.method}), each for itself. The hull comes from all rows and is "
        "optimistic: its thresholds are the best for these very rows."
    )
    return {**section, **columns, "threshold": exact(cut), "how": how}


def _hull(curve: CostCurve) -> dict[str, Any]:
    roc = curve.roc
    step = np.searchsorted(roc.fp + roc.tp, curve.hull_fp + curve.hull_tp)
    scores = exact(roc.thresholds[step[1:]])
    return {
        "fpr": listed(curve.hull_fpr),
        "tpr": listed(curve.hull_tpr),
        "threshold": ["inf", *scores],
    }
