"""Every question that the library answers can be asked on the command line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import numpy as np
import pytest
from click.testing import Result

import rocbands as rb
from rocbands.cli import main
from tests.cli.files import write_files
from tests.io.test_more_files import TABLE, write_book

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
    head, *lines = Path("scores.csv").read_text(encoding="utf-8").splitlines()
    columns = zip(*(map(float, line.split(",")) for line in lines), strict=True)
    return {n: np.array(c) for n, c in zip(head.split(","), columns, strict=True)}


def test_parts_of_the_area(run: Run, rows: dict[str, Any]) -> None:
    y, s = rows["outcome"], rows["score_new"]
    for line, how in (
        ("--fpr-range 0,0.1", {"fpr": (0, 0.1)}),
        ("--tpr-range 0.9,1 --corrected --level 0.9", {"tpr": (0.9, 1), "corrected": True, "level": 0.9}),
        ("--specificity-range 0.8,1", {"specificity": (0.8, 1)}),
        ("--fpr-range 0,0.2 --method bootstrap --resamples 99 --seed 3",
         {"fpr": (0, 0.2), "method": "bootstrap", "n_resamples": 99, "rng": 3}),
    ):  # fmt: skip
        found = answer(run, f"auc scores.csv --score score_new {line}")
        assert found["models"]["score_new"] == plain(rb.partial_auc_interval(y, s, **how))
    found = answer(run, "auc scores.csv --score score_new --fpr-range 0,0.2 --clusters patient")
    sample = rb.Sample(y, s, clusters=rows["patient"])
    known = rb.partial_auc_interval(sample, fpr=(0, 0.2))
    assert found["models"]["score_new"] == plain(known)


def test_more_about_the_area(run: Run, rows: dict[str, Any]) -> None:
    y, s = rows["outcome"], rows["score_new"]
    found = answer(run, "auc scores.csv --score score_new --null 0.8 --alternative greater")
    known = rb.auc_interval(y, s, null=0.8, alternative="greater")
    assert found["models"]["score_new"] == plain(known)
    said = run("auc", "scores.csv", "--null", "0.8").stdout
    assert "pvalue" in said.partition("\n\n")[2].splitlines()[0]
    assert "The p-values test that the area is 0.8." in said
    line = "auc scores.csv --score score_new --folds fold --method nadeau-bengio --repeats 2"
    sample = rb.Sample(y, s, folds=rows["fold"], repeats=2)
    known = rb.fold_auc_interval(sample, method="nadeau-bengio")
    assert answer(run, line)["models"]["score_new"] == plain(known)


def test_curves_as_data(run: Run, rows: dict[str, Any]) -> None:
    found = answer(run, "roc scores.csv")
    for name in ("score_new", "score_old"):
        assert found["models"][name] == plain(rb.roc_curve(rows["outcome"], rows[name]))


TWO_SETS = ("scores", "later")


def test_differences_of_curves(run: Run, rows: dict[str, Any]) -> None:
    sample = rb.Sample.from_frame(
        rows, label="outcome", score=["score_old", "score_new"], clusters="patient"
    )
    line = (
        "difference scores.csv --score score_old --score score_new --fpr-range 0.1,0.5 "
        "--level 0.9 --clusters patient --resamples 500 --seed 7 --plot gap.svg"
    )
    known = rb.difference_band(sample, fpr=(0.1, 0.5), level=0.9, n_resamples=500, rng=7)
    assert answer(run, line) == plain(known)
    assert "score_old" in Path("gap.svg").read_text(encoding="utf-8")
    one, two = (rb.Sample.from_file(f"{name}.csv", score="score_new") for name in TWO_SETS)
    found = answer(run, "difference scores.csv --score score_new --unpaired later.csv --seed 1")
    assert found.pop("names") == ["score_new (scores.csv)", "score_new (later.csv)"]
    known = plain(rb.difference_band(one, two, rng=1))
    assert known.pop("names") == ["score_new, set 1", "score_new, set 2"]
    assert found == known
    said = " ".join(run("difference", "--example", "--seed", "1").stdout.split())
    assert "tpr of logistic minus tpr of neighbours" in said
    assert "logistic finds more positives at false positive rates" in said


def test_comparisons_at_one_point(run: Run, rows: dict[str, Any]) -> None:
    sample = rb.Sample.from_frame(
        rows, label="outcome", score=["score_new", "score_old"], clusters="patient"
    )
    line = "compare scores.csv --at-fpr 0.2 --margin 0.1 --clusters patient"
    assert answer(run, line) == plain(rb.compare_tpr(sample, fpr=0.2, margin=0.1))
    line = "compare scores.csv --at-specificity 0.8 --clusters patient"
    assert answer(run, line) == plain(rb.compare_tpr(sample, specificity=0.8))
    line = "compare scores.csv --sensitivity-range 0.5,1 --clusters patient --alternative less"
    known = rb.partial_auc_difference(sample, sensitivity=(0.5, 1), alternative="less")
    assert answer(run, line) == plain(known)
    line = (
        "auc scores.csv --score score_new --fpr-range 0,0.2 --clusters patient --alternative less"
    )
    known = rb.partial_auc_interval(sample["score_new"], fpr=(0, 0.2), alternative="less")
    assert answer(run, line)["models"]["score_new"]["high"] == known.high
    for line, how in (
        ("--threshold 0.5", {"thresholds": 0.5}),
        ("--threshold 0.5 --threshold 0.6 --of sensitivity --method exact --alternative less",
         {"thresholds": (0.5, 0.6), "of": "sensitivity", "method": "exact", "alternative": "less"}),
    ):  # fmt: skip
        known = rb.mcnemar(sample.replace(clusters=None), **how)
        assert answer(run, f"compare scores.csv {line}") == plain(known)


@pytest.mark.parametrize("method", ["delong", "likelihood"])
def test_comparisons_on_different_rows(run: Run, rows: dict[str, Any], method: str) -> None:
    line = f"compare scores.csv --unpaired later.csv --method {method} --seed 1"
    one = rb.Sample.from_file("scores.csv", score="score_new")
    for asked, column, names in (
        ("--score score_new", "score_new", ["score_new (scores.csv)", "score_new (later.csv)"]),
        ("--score score_new --score score_old", "score_old", ["score_new", "score_old"]),
    ):
        two = rb.Sample.from_file("later.csv", score=column)
        known = rb.compare(one, two, method=method, rng=1)
        text = known.to_json()
        for before, after in zip(known.names, names, strict=True):
            text = text.replace(before, after)  # the files' names
        assert answer(run, f"{line} {asked}") == json.loads(text)


def test_two_models_on_the_same_rows_are_not_two_test_sets(run: Run, rows: dict[str, Any]) -> None:
    line = ("compare", "scores.csv", "--score", "score_new", "--score", "score_old", "--unpaired")
    same = run(*line, "scores.csv")
    assert same.exit_code == 2
    assert "both come from the same rows. Leave --unpaired out" in same.stderr
    Path("copy.csv").write_text(Path("scores.csv").read_text(encoding="utf-8"), encoding="utf-8")
    alike = run(*line, "copy.csv", "--score", "score_new")
    assert alike.exit_code == 2  # three scores for two files
    alike = run(*line, "copy.csv")
    assert alike.exit_code == 0
    assert "put both models into one file" in alike.stderr


def test_net_benefit(run: Run, rows: dict[str, Any]) -> None:
    sample = rb.Sample.from_frame(rows, label="outcome", score=["score_new", "score_old"])
    for line, how in (
        ("", {}),
        ("--threshold 0.2 --threshold 0.5 --prevalence 0.1 --level 0.9",
         {"thresholds": [0.2, 0.5], "prevalence": 0.1, "level": 0.9}),
        ("--simultaneous --seed 3 --resamples 500", {"rng": 3, "n_resamples": 500}),
    ):  # fmt: skip
        found = answer(run, f"net-benefit scores.csv {line}")
        for name in sample:
            assert found["models"][name] == plain(rb.net_benefit(sample[name], **how))
        assert found["difference"] == plain(rb.net_benefit_difference(sample, **how))
    one = answer(run, "net-benefit scores.csv --score score_new --pointwise")
    assert "difference" not in one
    known = rb.net_benefit(sample["score_new"], simultaneous=False)
    assert one["models"]["score_new"] == plain(known)
    assert list(one["models"]["score_new"])[:2] == ["schema", "sentence"]
    same = answer(run, "net-benefit scores.csv --thresholds 0.2")
    assert same == answer(run, "net-benefit scores.csv --threshold 0.2")


def test_net_benefit_begins_with_the_sentence(run: Run, rows: dict[str, Any]) -> None:
    sample = rb.Sample.from_frame(rows, label="outcome", score=["score_new", "score_old"])
    said = run("net-benefit", "scores.csv", "--score", "score_new").stdout
    known = rb.net_benefit(sample["score_new"]).sentence
    assert " ".join(said.split()).startswith(f"Model score_new {known}")
    assert "12 of 99 thresholds" in said
    whole = run("net-benefit", "scores.csv", "--score", "score_new", "--format", "csv").stdout
    assert len(whole.splitlines()) == 100
    view = run("band", "scores.csv", "--score", "score_new", "--view", "net-benefit").stdout
    known = rb.roc_band(sample["score_new"]).better_between().sentence
    assert known in " ".join(view.split())
    assert "treat_all" in view


def test_a_sheet_of_a_workbook(run: Run, rows: dict[str, Any]) -> None:
    write_book(Path("book.xlsx"), b=TABLE, a=[])
    found = answer(run, "auc book.xlsx --sheet b")
    assert found == answer(run, "auc book.xlsx")
    assert run("auc", "book.xlsx", "--sheet", "a").exit_code == 2  # an empty one
    wrong = run("auc", "scores.csv", "--sheet", "scores")
    assert wrong.exit_code == 2
    assert "--sheet is for Excel workbooks (.xlsx); scores.csv is not one" in wrong.stderr


def test_encodings_and_decimal_signs(run: Run) -> None:
    rows = [f"{'ja' if k % 3 else 'nein'};{910 + k}" for k in range(20)]
    rows += [f"{'ja' if k % 2 else 'nein'};1.{708 + k}" for k in range(20)]
    Path("a.csv").write_text("\n".join(["Größe;score", *rows]), encoding="cp1252")
    columns = ("--label", "Größe", "--positive", "ja")
    unclear = run("auc", "a.csv", *columns)
    assert unclear.exit_code == 2
    assert "Pass --decimal , for 1708, or --decimal . for 1.708." in unclear.stderr
    commas, points = (run("auc", "a.csv", *columns, "--decimal", sign).stdout for sign in ",.")
    assert commas.splitlines()[0] != points.splitlines()[0]
    assert "read as cp1252 (Windows). If letters are wrong, pass --encoding cp1250" in " ".join(
        commas.split()
    )
    for wrong, said in (("--decimal ;", "--decimal must be"), ("--encoding x", "--encoding must")):
        assert said in run("auc", "a.csv", *columns, *wrong.split()).stderr
    named = (*columns, "--decimal", ",", "--encoding", "cp1252")
    assert "cp1252" not in run("auc", "a.csv", *named).stdout
    counted = run("count", "a.csv", *named, "-o", "c.csv")
    assert counted.stderr == "Wrote c.csv\n"
    assert run("auc", "c.csv").stdout.splitlines()[0] == commas.splitlines()[0]
    assert "--encoding is for files of text" in run("auc", "c.csv", "--encoding", "utf-8").stderr


def test_every_command_that_reads_rows_takes_encodings() -> None:
    context = click.Context(main)
    commands: dict[str, Any] = {
        name: main.get_command(context, name) for name in main.list_commands(context)
    }
    options = {name: {str(param.name) for param in one.params} for name, one in commands.items()}
    reading = [name for name, found in options.items() if found & {"sheet", "sources"}]
    assert {"auc", "report", "readers", "plan", "count"} <= {*reading}
    assert not [name for name in reading if not {"encoding", "decimal"} <= options[name]]


def test_operating_conditions(run: Run) -> None:
    found = answer(run, "cost --condition --c-fn 9 --c-fp 1 --prevalence 0.1")
    assert found["w"] == float(rb.operating_condition(9, 1, 0.1))
    found = answer(run, "cost --condition --w 0.3 --prevalence 0.1")
    assert [found["c_fn"], found["c_fp"]] == [float(cost) for cost in rb.cost.costs_at(0.3, 0.1)]
    said = run("cost", "--condition", "--w", "0.5", "--prevalence", "0.1").stdout
    assert "9 times a false alarm" in said


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
