"""Thirty rows in five designs, and what the oracle says about them.

``python -m tests.oracles.design_examples`` writes the oracle's numbers into
tests/golden/designs.json, beside the printed ones, which it leaves as they are.
"""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import numpy as np

from tests.golden_numbers import GOLDEN
from tests.oracles import designs
from tests.oracles.designs import Rows

FILE = GOLDEN / "designs.json"
ROW = np.arange(30)
Y = (7 * ROW % 10 < 4).astype(int)
ONE, TWO = 10.0 * (11 * ROW % 30) + 83.0 * Y, 10.0 * (17 * ROW % 30) + 47.0 * Y
WEIGHTS, GROUPS = 1.0 + (13 * ROW % 7) ** 2 / 4.0, ROW // 3
STRATA = GROUPS % 2
P_ONE, P_TWO = np.minimum(ONE / 400, 1.0), np.minimum(TWO / 400, 1.0)
DESIGNS: dict[str, dict[str, np.ndarray]] = {
    "independent": {},
    "weights": {"weights": WEIGHTS},
    "clusters": {"clusters": GROUPS},
    "weights, clusters": {"weights": WEIGHTS, "clusters": GROUPS},
    "weights, clusters, strata": {"weights": WEIGHTS, "clusters": GROUPS, "strata": STRATA},
}
PART, CUT, T, RATE, W = (0.0, 0.4), 200.0, 0.4, 0.3, 0.4
CUTS = (CUT, CUT)


@cache
def rows_of(design: str) -> Rows:
    return Rows(Y, **DESIGNS[design])


@cache
def golden() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    return found


def numbers(name: str, design: str) -> list[float]:
    """Numbers of a statement that a program must give: the printed ones, or the later ones."""
    cell = golden()["statements"][name][design]
    return cell["printed"] if cell["stands"] else cell["recomputed"]


def two_sets(design: str, common: bool = True) -> tuple[float, float, float]:
    """Model 1 on the even rows, model 2 on the odd ones; most clusters are in both."""
    even, given = ROW % 2 == 0, DESIGNS[design]
    sets = [Rows(Y[own], **{name: v[own] for name, v in given.items()}) for own in (even, ~even)]
    common = common and "clusters" in given
    return designs.area_difference_two_sets(sets[0], ONE[even], sets[1], TWO[~even], common=common)


def variance(rows: Rows) -> tuple[float]:
    return (designs.relate_areas(rows, ONE, TWO)["error"] ** 2,)


def point(found: Any) -> list[float]:
    return [float(side[0]) for side in found]


# The statements of the printed table, now; and as they were printed, given the numbers of cases:
# of model 1, of both, and the same in a range.
STATEMENTS = {
    "variance of the AUC difference": variance,
    "AUC difference": lambda r: designs.area_difference(r, ONE, TWO),
    "partial AUC, 0 to .4": lambda r: designs.area_interval(r, ONE, PART),
    "partial AUC difference, 0 to .4": lambda r: designs.area_difference(r, ONE, TWO, PART),
    "TPR difference at .3": lambda r: point(designs.curve_difference(r, ONE, TWO, 0.3)),
    "average precision": lambda r: designs.precision_interval(r, ONE),
    "average precision at prevalence .1": lambda r: designs.precision_interval(r, ONE, 0.1),
    "average precision difference": lambda r: designs.precision_difference(r, ONE, TWO),
    "net benefit at .4": lambda r: designs.net_benefit(r, P_ONE, T),
    "net benefit at .4, prevalence .1": lambda r: designs.net_benefit(r, P_ONE, T, prevalence=0.1),
    "net benefit difference at .4": lambda r: designs.net_benefit(r, P_ONE, T, P_TWO),
    "cost difference, cuts 200, w .4": lambda r: designs.cost_difference(r, ONE, TWO, CUTS, W),
    "PPV at 200": lambda r: designs.ppv(r, ONE, CUT),
    "recall at rate .3": lambda r: designs.recall(r, ONE, RATE),
    "recall difference at rate .3": lambda r: designs.recall_difference(r, ONE, TWO, RATE),
}
OLD = {"present": False}
PRINTED = {
    "AUC difference": lambda r, c: designs.area_difference(
        r, ONE, TWO, cases=c["both"], joined=False
    ),
    "partial AUC, 0 to .4": lambda r, c: designs.area_interval(
        r, ONE, PART, cases=c["model 1, part"], extended=False
    ),
    "partial AUC difference, 0 to .4": lambda r, c: designs.area_difference(
        r, ONE, TWO, PART, cases=c["both, part"], joined=False
    ),
    "TPR difference at .3": lambda r, c: point(
        designs.curve_difference(r, ONE, TWO, 0.3, cases=c["both"])
    ),
    "average precision": lambda r, c: designs.precision_interval(r, ONE, cases=c["model 1"], **OLD),
    "average precision at prevalence .1": lambda r, c: designs.precision_interval(
        r, ONE, 0.1, cases=c["model 1"], **OLD
    ),
    "average precision difference": lambda r, c: designs.precision_difference(
        r, ONE, TWO, cases=c["both"], **OLD
    ),
}
# Further numbers, of the oracle alone.
MORE = {
    "cases of model 1": lambda r: r.cases(ONE),
    "cases of both": lambda r: r.cases(ONE, TWO),
    "AUC": lambda r: designs.area_interval(r, ONE),
    "test of equal AUCs: t, p, df": lambda r: (
        *designs.area_test(r, ONE, TWO),
        designs.relate_areas(r, ONE, TWO)["df"],
    ),
    "TPR difference at .1": lambda r: point(designs.curve_difference(r, ONE, TWO, 0.1)),
    "TPR difference at .62": lambda r: point(designs.curve_difference(r, ONE, TWO, 0.62)),
    "average precision difference at prevalence .1": lambda r: designs.precision_difference(
        r, ONE, TWO, 0.1
    ),
    "cost, cut 200, w .4": lambda r: designs.cost(r, ONE, CUT, W),
    "NPV at 200": lambda r: designs.npv(r, ONE, CUT),
    "F1 at 200": lambda r: designs.f1(r, ONE, CUT),
    "accuracy at 200": lambda r: designs.accuracy(r, ONE, CUT),
    "LR+ at 200": lambda r: designs.likelihood_ratios(r, ONE, CUT)[0],
    "LR- at 200": lambda r: designs.likelihood_ratios(r, ONE, CUT)[1],
    **{
        f"McNemar, {of}, cuts 200: limits, statistic, p": lambda r, of=of: designs.mcnemar(
            r, ONE, TWO, CUTS, of
        )
        for of in ("accuracy", "sensitivity", "specificity")
    },
    "units of positives, negatives, all rows": lambda r: [
        r.units(share) for share in (r.pos, r.neg, r.all)
    ],
    "normal quantile of all rows, stretched": lambda r: [r.stretched(r.all, 0.025)],
    "effective positives of the TPR at 200": lambda r: [
        r.effective(r.pos, (ONE >= CUT).astype(float), key=ONE, unit=unit_at_cut(r))[0]
    ],
}


def unit_at_cut(rows: Rows) -> float:
    return float(rows.next_unit((ONE, designs.threshold_rank(ONE, CUT)))[0])


def compute_more(name: str, design: str) -> list[float]:
    return [float(value) for value in MORE[name](rows_of(design))]


def tolerance(name: str) -> float:
    """Half of the last printed digit; the printed recall is from a grid with steps of 5e-5."""
    return (
        5.1e-10 if name.startswith("variance") else 1e-4 if name.startswith("recall at") else 5.1e-7
    )


def main() -> None:
    known = json.loads(FILE.read_text(encoding="utf-8"))
    for name, cells in known["statements"].items():
        for design, cell in cells.items():
            found = [float(value) for value in STATEMENTS[name](rows_of(design))]
            off = max(abs(a - b) for a, b in zip(found, cell["printed"], strict=True))
            cell["stands"] = off <= tolerance(name)
            cell["recomputed"] = [float(f"{value:.12g}") for value in found]
    known["more"] = {
        name: {
            design: [float(f"{value:.12g}") for value in compute_more(name, design)]
            for design in DESIGNS
        }
        for name in MORE
    }
    known["more"]["AUC difference of two sets, even and odd rows"] = {
        design: [float(f"{value:.12g}") for value in two_sets(design)] for design in DESIGNS
    }
    FILE.write_text(write(known), encoding="utf-8")


def write(known: dict[str, Any]) -> str:
    """JSON with a line for each design of a statement."""

    def put(value: Any, depth: int) -> str:
        flat = not isinstance(value, dict) or not any(isinstance(v, dict) for v in value.values())
        if flat and not (isinstance(value, dict) and depth == 0):
            return json.dumps(value)
        gap = " " * (depth + 1)
        lines = [f"{gap}{json.dumps(name)}: {put(v, depth + 1)}" for name, v in value.items()]
        return "{\n" + ",\n".join(lines) + "\n" + " " * depth + "}"

    return put(known, 0) + "\n"


if __name__ == "__main__":
    main()
