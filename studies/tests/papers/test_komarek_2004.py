"""Komarek's example and fold intervals: one order fits, and t holds less often than it says."""

from __future__ import annotations

import math
import pickle
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from rocbands_studies import Study, run
from rocbands_studies.catalog import find_study, list_studies
from rocbands_studies.papers.komarek_2004 import (
    STUDIES,
    FoldCoverage,
    LogisticWorld,
    Order,
    World,
    expected_auc,
)
from rocbands_studies.results import CellResult, Figure, StudyResult
from studies.tests.papers.golden_numbers import golden


def squares(classes: str) -> tuple[int, int]:
    """Count the pairs of a positive above a negative, and all pairs."""
    pairs = [
        (i < j) for i, j in product(range(6), repeat=2) if classes[i] == "+" and classes[j] == "-"
    ]
    return sum(pairs), len(pairs)


def test_areas_are_counts_of_pairs():
    for classes in ("++-+-+", "++----", "++--+-", "+-+-+-"):
        order = Order(classes)
        found = run(Study("x", [order], 1), workers=1)
        area, perfect = squares(classes)
        assert found.figure(order, "area").value == pytest.approx(area)
        assert found.figure(order, "perfect").value == perfect


def test_one_order_fits_the_example():
    study = find_study("komarek-2004-example")
    result = study.judge(run(study.plan("quick", 1, None), workers=1), "quick")
    asked = [row for row in result.rows if row.printed is not None]
    assert {row.where["order"] for row in asked} == {"++-+-+"}
    assert [row.verdict for row in asked] == ["agrees"] * 3
    assert [claim.verdict for claim in result.claims] == ["reproduced", "contradicted"]
    for other in ("8/8", "6/9", "7/9", "4/8", "8/9", "6/8", "2/5"):
        assert other in result.claims[0].finding
    assert "(0,0) (0,1) (0,2) (1,2) (1,3) (2,3) (2,4)" in result.claims[1].finding
    assert sum(squares("++-" + "".join(rest)) == (5, 8) for rest in product("+-", repeat=3)) == 1


def test_folds_are_scored_by_discriminants_of_the_other_folds():
    world = World(100, 3, 1.2)
    rows = world.cross_validated(np.random.default_rng(1))
    # The same rows, fold by fold.
    x = np.random.default_rng(1).standard_normal((2, 10, 5, 3))
    x[1, ..., 0] += 1.2
    x = x.reshape(100, 3)
    assert rows.y.sum() == 50
    for fold in range(10):
        train, test = rows.folds != fold, rows.folds == fold
        classes = [x[train & (rows.y == side)] for side in (False, True)]
        means = [one.mean(axis=0) for one in classes]
        within = sum(
            (one - mean).T @ (one - mean) for one, mean in zip(classes, means, strict=True)
        )
        way = np.linalg.solve(within, means[1] - means[0])
        assert np.allclose(rows.scores[test], x[test] @ way)
        fresh = np.random.default_rng(2).standard_normal((2, 200_000, 3))
        fresh[1, :, 0] += 1.2
        wins = np.mean(fresh[1] @ way > fresh[0] @ way) if fold == 0 else rows.true_auc[fold]
        assert rows.true_auc[fold] == pytest.approx(wins, abs=0.005)


def test_expected_auc_is_below_the_best_possible():
    assert 0.80 < expected_auc(World(100, 5, 1.5), 200) < 0.5 * (1 + math.erf(0.75))
    assert expected_auc(World(1000, 10, 1.0), 100) == pytest.approx(0.757, abs=0.003)


def invented(value) -> StudyResult:
    study = find_study("komarek-2004-fold-intervals").plan("quick", 1, None)
    cells = [
        CellResult(
            cell,
            400,
            {
                name: Figure(value(cell.method), value(cell.method) - 0.01, value(cell.method), 400)
                for name in ("holds", "models", "width", "estimate", "error")
            },
            0.0,
        )
        for cell in study.cells
    ]
    return StudyResult(study.name, 1, tuple(cells))


@pytest.mark.parametrize(("share", "verdict"), [(0.91, "holds"), (0.96, "does not hold")])
def test_the_verdict_on_t_depends_on_what_was_found(share, verdict):
    study = find_study("komarek-2004-fold-intervals")
    result = study.judge(invented(lambda method: share), "quick")
    assert [claim.verdict for claim in result.claims[:2]] == ["reproduced", verdict]
    assert len(result.rows) == 84


def test_logistic_directions_are_those_of_scikit_learn():
    world = LogisticWorld(60, 3, 1.2)
    x = np.random.default_rng(4).standard_normal((2, 10, 3, 3))
    x[1, ..., 0] += 1.2
    ways = world.fit(x)
    for fold in (0, 7):
        rows = np.delete(x, fold, axis=1).reshape(-1, 3)
        y = np.repeat([0, 1], len(rows) // 2)
        known = LogisticRegression(C=1.0, tol=1e-10, max_iter=1000).fit(rows, y).coef_[0]
        assert ways[fold] == pytest.approx(known, abs=1e-5)


@pytest.mark.simulation
def test_a_short_run_is_near_the_prototype():
    """Coverage and width within the noise of 150 sets."""
    study = find_study("komarek-2004-fold-intervals")
    plan = study.plan("quick", 1, None)
    assert plan.name in [study.name for study in list_studies()]
    assert [one.name for one in STUDIES] == ["komarek-2004-example", plan.name]
    assert pickle.loads(pickle.dumps(plan.cells[0])) == plan.cells[0]
    cells = tuple(cell for cell in plan.cells if isinstance(cell, FoldCoverage))[:8]
    rest = tuple(cell for cell in plan.cells if cell not in cells)
    found = run(replace(plan, cells=cells, replicates=150), workers=1)
    others = run(replace(plan, cells=rest, replicates=2), workers=1)
    both = StudyResult(plan.name, 1, found.cells + others.cells)
    rows = [row for row in study.judge(both, "quick").rows if row.ours.n == 150]
    holds = [row for row in rows if row.where["figure"] == "holds"]
    widths = [row for row in rows if row.where["figure"] == "width"]
    known = golden("komarek_2004")
    for place, rows in enumerate((holds, widths)):
        for row in rows:
            other = known[row.where["world"]][row.where["method"]][place]
            assert row.ours.value == pytest.approx(other, abs=0.075 if place == 0 else 0.08 * other)
    wider = {row.where["method"]: row.ours.value for row in widths[:4]}
    assert wider["nadeau-bengio"] / wider["t"] == pytest.approx(1.452966, rel=1e-6)
