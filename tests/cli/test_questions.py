"""Every question that the library answers can be asked on the command line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import Result

import rocbands as rb
from tests.cli.files import write_files

Run = Callable[..., Result]


def answer(run: Run, line: str) -> Any:
    result = run(*line.split(), "--json")
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


def plain(result: Any) -> Any:
    return json.loads(result.to_json())


@pytest.fixture
def rows(run: Run) -> dict[str, Any]:
    """Return the columns of scores.csv."""
    write_files()
    head, *lines = Path("scores.csv").read_text().splitlines()
    columns = zip(*(map(float, line.split(",")) for line in lines), strict=True)
    return {n: np.array(c) for n, c in zip(head.split(","), columns, strict=True)}


def test_parts_of_the_area(run: Run, rows: dict[str, Any]) -> None:
    y, s, patient = rows["outcome"], rows["score_new"], rows["patient"]
    for line, how in (
        ("--fpr-range 0,0.1", {"fpr": (0, 0.1)}),
        ("--tpr-range 0.9,1 --corrected --level 0.9", {"tpr": (0.9, 1), "corrected": True, "level": 0.9}),
        ("--fpr-range 0,0.2 --groups patient", {"fpr": (0, 0.2), "groups": patient}),
        ("--fpr-range 0,0.2 --method bootstrap --resamples 99 --seed 3",
         {"fpr": (0, 0.2), "method": "bootstrap", "n_resamples": 99, "rng": 3}),
    ):  # fmt: skip
        found = answer(run, f"auc scores.csv --score score_new {line}")
        assert found["models"]["score_new"] == plain(rb.partial_auc_interval(y, s, **how))


def test_more_about_the_area(run: Run, rows: dict[str, Any]) -> None:
    y, s = rows["outcome"], rows["score_new"]
    found = answer(run, "auc scores.csv --score score_new --null 0.8 --alternative greater")
    known = rb.auc_interval(y, s, null=0.8, alternative="greater")
    assert found["models"]["score_new"] == plain(known)
    said = run("auc", "scores.csv", "--null", "0.8").stdout
    assert "pvalue" in said.partition("\n\n")[2].splitlines()[0]
    assert "The p-values are of the test that the area is 0.8." in said
    line = "auc scores.csv --score score_new --folds fold --method nadeau-bengio --repeats 2"
    known = rb.fold_auc_interval(
        rb.Sample(y, s, folds=rows["fold"], repeats=2), method="nadeau-bengio"
    )
    assert answer(run, line)["models"]["score_new"] == plain(known)


def test_curves_as_data(run: Run, rows: dict[str, Any]) -> None:
    found = answer(run, "roc scores.csv")
    for name in ("score_new", "score_old"):
        assert found["models"][name] == plain(rb.roc_curve(rows["outcome"], rows[name]))


@pytest.mark.usefixtures("_no_figure_left")
def test_differences_of_curves(run: Run, rows: dict[str, Any]) -> None:
    three = [rows[name] for name in ("outcome", "score_old", "score_new")]
    names = ("score_old", "score_new")
    line = (
        "difference scores.csv --score score_old --score score_new --fpr-range 0.1,0.5 "
        "--level 0.9 --groups patient --resamples 500 --seed 7 --plot gap.svg"
    )
    known = rb.difference_band(
        rb.Sample(three[0], dict(zip(names, three[1:], strict=True)), groups=rows["patient"]),
        fpr=(0.1, 0.5),
        level=0.9,
        n_resamples=500,
        rng=7,
    )
    assert answer(run, line) == plain(known)
    assert "score_old minus score_new" in Path("gap.svg").read_text()
    other = rb.difference_band(
        rb.Sample(rows["outcome"], {"score_new in scores.csv": rows["score_new"]}),
        rb.Sample(rows["outcome"], {"score_new in other.csv": rows["score_new"]}),
        rng=1,
    )
    Path("other.csv").write_text(Path("scores.csv").read_text())
    line = "difference scores.csv --score score_new --unpaired other.csv --seed 1"
    assert answer(run, line) == plain(other)
    said = " ".join(run("difference", "--example", "--seed", "1").stdout.split())
    assert "tpr of logistic minus tpr of neighbours" in said
    assert "logistic finds more positives at fpr" in said


def test_comparisons_at_one_point(run: Run, rows: dict[str, Any]) -> None:
    three = [rows[name] for name in ("outcome", "score_new", "score_old")]
    names = ("score_new", "score_old")
    line = "compare scores.csv --at-fpr 0.2 --margin 0.1 --groups patient"
    known: Any = rb.compare_tpr(
        rb.Sample(three[0], dict(zip(names, three[1:], strict=True)), groups=rows["patient"]),
        fpr=0.2,
        margin=0.1,
    )
    assert answer(run, line) == plain(known)
    for line, how in (
        ("--threshold 0.5", {"threshold_1": 0.5}),
        ("--threshold 0.5 --threshold 0.6 --of sensitivity --method exact --alternative less",
         {"threshold_1": 0.5, "threshold_2": 0.6, "of": "sensitivity", "method": "exact", "alternative": "less"}),
    ):  # fmt: skip
        known = rb.mcnemar(rb.Sample(three[0], dict(zip(names, three[1:], strict=True))), **how)
        assert answer(run, f"compare scores.csv {line}") == plain(known)


@pytest.mark.parametrize("method", ["delong", "likelihood"])
def test_comparisons_on_different_rows(run: Run, rows: dict[str, Any], method: str) -> None:
    lines = [line.split(",") for line in Path("later.csv").read_text().splitlines()[1:]]
    later = np.array(lines, dtype=float).T
    line = f"compare scores.csv --unpaired later.csv --method {method} --seed 1"
    how = {"paired": False, "y_true_2": later[0], "rng": 1}
    for asked, column, names in (
        ("--score score_new", 1, ("score_new in scores.csv", "score_new in later.csv")),
        ("--score score_new --score score_old", 2, ("score_new", "score_old")),
    ):
        known = rb.compare(
            rb.Sample(
                rows["outcome"], dict(zip(names, (rows["score_new"], later[column]), strict=True))
            ),
            method=method,
            **how,
        )
        assert answer(run, f"{line} {asked}") == plain(known)


def test_operating_conditions(run: Run) -> None:
    found = answer(run, "condition --c-fn 9 --c-fp 1 --prevalence 0.1")
    assert found["w"] == float(rb.operating_condition(9, 1, 0.1))
    found = answer(run, "condition --w 0.3 --prevalence 0.1")
    assert [found["c_fn"], found["c_fp"]] == [float(cost) for cost in rb.cost.costs_at(0.3, 0.1)]
    assert "9 times a false alarm" in run("condition", "--w", "0.5", "--prevalence", "0.1").stdout


def test_parameters_of_a_method(run: Run, rows: dict[str, Any]) -> None:
    y, s = rows["outcome"], rows["score_new"]
    for line, method in (
        ("joint-region --set boxes=berk-jones", rb.bands.JointRegion("berk-jones")),
        ("fixed-width --set future-rule=root --set stratified=yes --set n_resamples=200",
         rb.bands.FixedWidth(stratified=True, n_resamples=200)),
    ):  # fmt: skip
        asked = f"band scores.csv --score score_new --seed 7 --method {line}"
        known = rb.roc_band(y, s, method=method, rng=7)
        assert answer(run, asked)["models"]["score_new"] == plain(known)


def test_points_with_fewer_draws(run: Run, rows: dict[str, Any]) -> None:
    line = (
        "points scores.csv --score score_new --fpr 0.1 --method bootstrap --resamples 99 --seed 1"
    )
    known = rb.operating_points(
        rows["outcome"], rows["score_new"], fpr=[0.1], method="bootstrap", n_resamples=99, rng=1
    )
    assert answer(run, line)["models"]["score_new"] == plain(known)


def test_every_public_function_is_in_the_table_of_commands() -> None:
    page = (Path(__file__).parents[2] / "docs" / "commands.md").read_text(encoding="utf-8")
    missing = [name for name in rb.__all__ if f"`{name}`" not in page and name != "__version__"]
    assert missing == []
