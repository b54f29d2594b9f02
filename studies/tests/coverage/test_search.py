"""The search finds what is wrong, and only that; its populations are what it says."""

from __future__ import annotations

import inspect
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rocbands as rb
from rocbands_studies.search import populations as pop
from rocbands_studies.search.page import build_page
from rocbands_studies.search.run import (
    Count,
    Record,
    Search,
    Store,
    key_of,
    measure,
    measure_again,
    report,
)
from rocbands_studies.search.statements import STATEMENTS, Cell, Judge, draw_cell, vary_cell

LARGE = 60_000


def describe(y: Any, s: Any, w: Any) -> dict[str, float]:
    """Areas of weighted rows, by counting."""
    values, at = np.unique(-s, return_inverse=True)
    fall, rise = (np.bincount(at, w * (y == k), values.size) / w[y == k].sum() for k in (0, 1))
    x, y_ = np.append(0.0, np.cumsum(fall)), np.append(0.0, np.cumsum(rise))
    share = w[y == 1].sum() / w.sum()
    precision = share * y_[1:] / (share * y_[1:] + (1 - share) * x[1:])
    return {
        "auc": float(np.sum(fall * (y_[1:] + y_[:-1]) / 2)),
        "low fpr": pop.area_between(x, y_, 0.0, 0.3),
        "high tpr": pop.area_between(1 - y_[::-1], 1 - x[::-1], 0.0, 0.2),
        "ap": float(np.sum(rise * precision)),
        "recall": float(np.interp(0.2, share * y_ + (1 - share) * x, y_)),
        "eer": float(np.interp(1.0, x + y_, x)),
    }


@pytest.mark.parametrize("design", ["rows", "groups", "weights", "strata"])
def test_truth_is_that_of_many_rows(design: str) -> None:
    asked = STATEMENTS["roc_band" if design == "rows" else f"roc_band, {design}"]
    for seed in range(12):
        cell = replace(draw_cell(asked, seed), sizes=(LARGE // 3, LARGE))
        rng = np.random.default_rng(seed)
        rows = cell.rows(rng)
        w = rows.columns.get("weights", np.ones(rows.y.size))
        found, pair = describe(rows.y, rows.scores[0], w), cell.pair
        share = float(w[rows.y == 1].sum() / w.sum())
        truth = {
            "auc": pair.auc,
            "low fpr": pair.partial_area(0.0, 0.3),
            "high tpr": pair.right_area(0.8, 1.0),
            "ap": pair.average_precision(share),
            "recall": pair.recall(share, 0.2),
            "eer": pair.equal_error,
        }
        # Groups and heavy weights make rows count like a tenth as many.
        for name, value in truth.items():
            assert found[name] == pytest.approx(value, abs=0.012 if design == "rows" else 0.035), (
                name,
                cell.spec(),
            )


@pytest.mark.parametrize("kind", sorted(pop.INVERSE))
def test_quantiles_invert_survival(kind: str) -> None:
    x = np.linspace(-4.0, 4.0, 41)
    for shape in (1.0, 2.0, 4.0) if kind == "t" else (0.5, 1.0, 3.0):
        survival = pop.survive(kind, pop.invert(kind, x, shape), shape, strict=False)
        if kind != "point":
            np.testing.assert_allclose(survival, pop.ndtr(-x), rtol=1e-7, atol=1e-12)


def test_true_curves_are_curves() -> None:
    """Also where rounded shares add up to a little more than 1."""
    for seed in range(200):
        pair = pop.Pair.of(pop.draw_scores(np.random.default_rng(seed)))
        for side in pair.curve:
            assert side[0] == 0.0
            assert side[-1] == 1.0
            assert (np.diff(side) >= 0.0).all()


def test_a_second_model_of_the_same_area_has_it() -> None:
    made = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        first = pop.draw_scores(rng)
        second = pop.draw_second(rng, first)
        if "same" in second["kind"]:
            made += 1
            assert pop.Pair.of(second).auc == pytest.approx(pop.Pair.of(first).auc, abs=2e-6)
    assert made >= 5


@pytest.mark.parametrize("name", sorted(STATEMENTS))
def test_every_statement_is_judged(name: str) -> None:
    """Small cells of each statement give outcomes, and no error but refusals."""
    judged = 0
    for seed in range(3):
        cell = draw_cell(STATEMENTS[name], seed)
        if cell.sizes:
            small = tuple(min(size, 60) for size in cell.sizes)
            cell = replace(cell, sizes=small)
        count = measure(cell, 0, 2)
        assert not count.errors, (count.errors, cell.spec())
        judged += sum(asked for _, asked in count.held.values())
    assert judged


def test_every_function_with_a_level_is_tested() -> None:
    """Except reports, which have the results of others, and plans."""
    text = Path(inspect.getfile(draw_cell)).read_text(encoding="utf-8")
    functions = {name: getattr(rb, name) for name in dir(rb)}
    stated = {
        name for name, one in functions.items()
        if inspect.isfunction(one) and "level" in inspect.signature(one).parameters
    }  # fmt: skip
    assert {name for name in stated if f"rb.{name}(" not in text} == {
        "reader_study_size", "report", "sample_size",
    }  # fmt: skip


def shrunken(factor: float) -> Any:
    """The AUC interval with limits moved towards the estimate."""

    def prepare(cell: Cell) -> Judge:
        truth = cell.pair.auc

        def judge(rng: np.random.Generator) -> dict[str, bool]:
            found = rb.auc_interval(cell.sample(rng), level=cell.level)
            low, high = (found.estimate + factor * (end - found.estimate) for end in (found.low, found.high))  # fmt: skip
            return {"interval": bool(low <= truth <= high)}

        return judge

    return prepare


@pytest.mark.simulation
def test_a_planted_fault_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Limits of .8 the width: the search finds cells with that fault, and none without it."""
    honest = STATEMENTS["auc_interval"]
    for name, factor in (("shrunken", 0.8), ("whole", 1.0)):
        made = replace(honest, name=name, prepare=shrunken(factor), least=20, most=300)
        monkeypatch.setitem(STATEMENTS, name, made)
    asked = {name: STATEMENTS[name] for name in ("shrunken", "whole")}
    store = Store(None)
    search = Search(store, asked, seed=3, loud=False)
    for _ in range(8):
        search.run(5.0)
        if sum(one.cell.statement == "shrunken" for one in store.found) >= 2:
            break
    found = [record.cell.statement for record in store.found]
    assert found.count("shrunken") >= 2
    assert "whole" not in found


def test_a_store_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Cells and counts survive; a cut line is ignored; found cells are measured by other code."""
    lucky = replace(
        STATEMENTS["auc_interval"],
        name="auc_interval",
        prepare=lambda cell: lambda rng: {"interval": bool(rng.random() < 0.7)},
    )
    monkeypatch.setitem(STATEMENTS, "auc_interval", lucky)
    path = tmp_path / "search.store"
    search = Search(Store(path), {"auc_interval": lucky}, seed=1, loud=False)
    record = search.screen(draw_cell(lucky, 5))
    assert record.confirmed
    assert record.coverage == pytest.approx(0.7, abs=0.06)
    with path.open("a", encoding="utf-8") as file:
        file.write('{"key": "cut of')
    known = Store(path)
    assert known.records[key_of(record.cell)] == record
    assert Cell.of(json.loads(json.dumps(record.cell.spec()))).spec() == record.cell.spec()
    assert f"{record.coverage:.3f} for" in report(known)
    monkeypatch.setitem(STATEMENTS, "auc_interval", replace(lucky, prepare=lambda cell: lambda rng: {"interval": True}))  # fmt: skip
    (after,) = measure_again(known.found, Store(tmp_path / "again.store"))
    assert not after.confirmed
    assert after.coverage == 1.0
    stores = dict.fromkeys(("after", "back", "first"), Store(None))
    stores |= {"before": known, "again": Store(tmp_path / "again.store")}
    page = build_page(stores)
    assert f"`{key_of(record.cell)}`" in page
    assert f"{record.coverage:.3f} | 1.000" in page


def test_only_beyond_noise_counts() -> None:
    assert Count(900, {"x": [800, 900]}).is_low("x", 0.95)
    assert not Count(900, {"x": [815, 900]}).is_low("x", 0.95)  # .906, upper end .929
    assert not Count(60, {"x": [50, 60]}).is_low("x", 0.95)
    assert Record(draw_cell(STATEMENTS["roc_band"], 1), Count(60)).coverage == 1.0


def test_a_varied_cell_keeps_most_parts() -> None:
    asked = STATEMENTS["compare, groups"]
    cell = draw_cell(asked, 1)
    for seed in range(10):
        other = vary_cell(asked, cell, seed).spec()
        same = sum(json.dumps(other[k]) == json.dumps(v) for k, v in json.loads(json.dumps(cell.spec())).items())  # fmt: skip
        assert same >= len(other) - 3
