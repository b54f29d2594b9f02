"""Counts in place of rows: every command that takes them answers as the library does."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import Result

import rocbands as rb
from rocbands.cli import main
from rocbands.core.result import bound
from rocbands.io.records import json_of
from tests.cli.files import write_files
from tests.cli.test_json import judge

Run = Callable[..., Result]

W = [0.2, 0.7]
# A command line without its file, and what the library makes of a curve (and of another one).
ANSWERS: dict[str, Callable[[Any, Any], Any]] = {
    "roc": lambda roc, _: roc,
    "band": lambda roc, _: rb.roc_band(roc),
    "band --method fixed-width --seed 3": lambda roc, _: rb.roc_band(roc, method="fixed-width", rng=3),
    "auc": lambda roc, _: rb.auc_interval(roc),
    "auc --null 0.5 --level 0.9": lambda roc, _: rb.auc_interval(roc, null=0.5, level=0.9),
    "auc --fpr-range 0,0.2": lambda roc, _: rb.partial_auc_interval(roc, fpr=(0, 0.2)),
    "points --fpr 0.1 --fpr 0.3": lambda roc, _: rb.operating_points(roc, fpr=[0.1, 0.3]),
    "points --best youden --test later.parquet": lambda roc, later: rb.operating_points(
        roc, best="youden", test=later
    ),
    "rate --rate 0.1": lambda roc, _: rb.rate_bounds(roc, rate=[0.1]),
    "cost": lambda roc, _: rb.cost_curve(roc),
    "cost --threshold 0.5 --w 0.2 --w 0.7": lambda roc, _: rb.cost_interval(roc, thresholds=0.5, w=W),
    "cost --validation later.parquet --w 0.2 --w 0.7": lambda roc, later: rb.cost_interval(
        roc, thresholds=rb.cost_thresholds(later, w=W), w=W
    ),
}  # fmt: skip


def answer(run: Run, line: str) -> dict[str, Any]:
    result = run(*line.split(), "--json")
    assert result.exit_code == 0, result.stderr
    found: dict[str, Any] = json.loads(result.stdout)["models"]
    return found


def plain(result: Any) -> Any:
    return json.loads(json_of(result.to_dict()))


@pytest.fixture
def counts(run: Run) -> Any:
    """Counts of scores.csv and later.csv in bins, in files of these names."""
    write_files()
    for name in ("scores", "later"):
        done = run("count", f"{name}.csv", "-o", f"{name}.parquet")
        assert done.exit_code == 0, done.stderr
    return [rb.ScoreCounts.load(f"{name}.parquet") for name in ("scores", "later")]


@pytest.mark.parametrize("line", ANSWERS)
def test_counts_give_what_the_library_gives(run: Run, counts: Any, line: str) -> None:
    command, _, how = line.partition(" ")
    found = answer(run, f"{command} scores.parquet {how}")
    assert list(found) == ["score_new", "score_old"]
    for name, got in found.items():
        assert got == plain(ANSWERS[line](*(part[name].roc for part in counts)))


@pytest.mark.parametrize("line", ANSWERS)
def test_exact_counts_give_what_rows_give(run: Run, counts: Any, line: str) -> None:
    run("count", "scores.csv", "--exact", "-o", "exact.csv")  # a name proves nothing
    command, _, how = line.partition(" ")
    for name, got in answer(run, f"{command} exact.csv {how}").items():
        rows = answer(run, f"{command} scores.csv --score {name} {how}")[name]
        assert got == rows


def test_the_certificate_is_in_the_answer(run: Run, counts: Any) -> None:
    for command in ("roc", "band", "auc"):
        said = run(command, "scores.parquet", "--score", "score_new").stdout
        assert f"the AUC is known within {bound(counts[0].certificate['score_new'])}" in said


def test_a_report_of_counts_leaves_out_what_needs_rows(run: Run, counts: Any) -> None:
    result = run("report", "scores.parquet", "--seed", "1", "--json")
    assert result.exit_code == 0, result.stderr
    page = json.loads(result.stdout, parse_constant=pytest.fail)
    judge("rocbands.report/5").validate(page)
    assert [left["section"] for left in page["omitted"]] == [
        "cost limits", "points", "net benefit", "comparison"
    ]  # fmt: skip
    assert (page["comparison"], page["data"]["positive"]) == (None, "1")
    for model in page["models"]:
        known = rb.auc_interval(counts[0][model["name"]].roc)
        assert model["auc"]["low"] == pytest.approx(known.low, rel=1e-5)
        assert model["auc"]["notes"] == list(known.notes)
        assert {band["method"] for band in model["bands"]} == {
            "likelihood", "fixed-width", "joint-region"
        }  # fmt: skip
    assert any("are counted in" in said for said in page["trust"]["sentences"])
    assert run("report", "scores.parquet", "-o", "page.html").exit_code == 0
    assert "score_new are counted in" in Path("page.html").read_text(encoding="utf-8")


def test_a_report_of_exact_counts_is_that_of_the_rows_but_for_what_needs_rows(run: Run) -> None:
    write_files()
    run("count", "scores.csv", "--score", "score_new", "--exact", "-o", "exact.parquet")
    one, two = (
        json.loads(run("report", *line.split(), "--seed", "1", "--json").stdout)
        for line in ("scores.csv --score score_new", "exact.parquet")
    )
    for page in (one, two):
        page["data"].pop("source")
        page["data"].pop("positive")  # rows know it as a number, counts as text
        page.pop("omitted")
        page.pop("references")
        page.pop("methods")  # of costs, which need rows
        page["models"][0]["cost"] = page["models"][0]["cost"]["hull"]
    assert one == two


def test_score_chooses_models_in_the_order_asked_for(run: Run, counts: Any) -> None:
    line = "auc scores.parquet --score score_old --score score_new"
    assert list(answer(run, line)) == ["score_old", "score_new"]
    assert list(answer(run, "auc scores.parquet --score score_old")) == ["score_old"]


def test_parts_are_added_up_with_a_word_or_looked_at_singly(run: Run, counts: Any) -> None:
    run("count", "scores.csv", "--score", "score_new", "--by", "fold", "-o", "folds.parquet")
    whole = run("auc", "folds.parquet", "--json")
    assert whole.stderr == (
        "rocbands: the 4 parts of folds.parquet are added up; --only selects one.\n"
    )
    bins = answer(run, "auc scores.parquet --score score_new")
    assert json.loads(whole.stdout)["models"] == bins
    one = run("auc", "folds.parquet", "--only", "2", "--json")
    assert one.stderr == ""
    roc = rb.ScoreCounts.load("folds.parquet").split()["2"].roc
    assert json.loads(one.stdout)["models"]["score_new"] == plain(rb.auc_interval(roc))


def test_two_models_of_counts_have_no_difference_and_a_line_says_so(run: Run, counts: Any) -> None:
    for line in ("rate {} --rate 0.1", "cost {} --threshold 0.5 --w 0.5"):
        rows = run(*line.format("scores.csv").split(), "--json")
        counted = run(*line.format("scores.parquet").split(), "--json")
        assert "difference" in json.loads(rows.stdout)
        assert "difference" not in json.loads(counted.stdout)
        assert "no difference of the two models" in counted.stderr
        alone = run(*line.format("scores.parquet").split(), "--score", "score_new")
        assert alone.stderr == ""


def test_the_positive_label_is_the_one_that_was_counted(run: Run) -> None:
    count = "count text.csv --label who --score score_a --positive ill -o ill.parquet"
    assert run(*count.split()).exit_code == 0
    assert run("auc", "ill.parquet", "--positive", "ill").exit_code == 0
    result = run("auc", "ill.parquet", "--positive", "well")
    assert result.exit_code == 2
    assert "in ill.parquet that is 'ill', got 'well'. Leave --positive out" in result.stderr


def test_rows_with_columns_like_those_of_counts_stay_rows_if_their_label_is_named(run: Run) -> None:
    Path("odd.csv").write_text(
        "y,score,positives,negatives\n1,0.9,5,5\n0,0.4,5,5\n1,0.3,5,5\n0,0.1,5,5\n",
        encoding="utf-8",
    )
    rows = answer(run, "auc odd.csv --label y --score score")["score"]
    assert (rows["n_pos"], rows["estimate"]) == (2, 0.75)
    assert answer(run, "auc odd.csv")["score"]["n_pos"] == 20


def test_a_table_that_a_database_wrote_is_read(run: Run) -> None:
    assert answer(run, "auc counted.csv --score old")["old"]["estimate"] == 8.5 / 9


def test_mixed_rows_and_counts(run: Run, counts: Any) -> None:
    for line in ("points {} --fpr 0.1 --test {}", "cost {} --w 0.5 --validation {}"):
        later = ("later.csv", "later.parquet")
        score = "--score score_new --label outcome"
        found = [
            answer(run, f"{line.format(first, second)} {score}")["score_new"]["n_pos"]
            for first, second in zip(("scores.parquet", "scores.csv"), later, strict=True)
        ]
        assert found == [120, 120]


def test_the_shell_completes_models_and_parts_of_counts(counts: Any, run: Run) -> None:
    from click.shell_completion import ShellComplete

    run("count", "scores.csv", "--score", "score_new", "--by", "fold", "-o", "folds.parquet")
    complete = ShellComplete(main, {}, "rocbands", "_ROCBANDS_COMPLETE")

    def words(*line: str) -> list[str]:
        return [item.value for item in complete.get_completions([*line], "")]

    assert words("auc", "scores.parquet", "--score") == ["score_new", "score_old"]
    assert words("auc", "folds.parquet", "--only") == ["0", "1", "2", "3"]


def test_a_hundred_million_rows_in_bins_take_no_time(run: Run) -> None:
    rng = np.random.default_rng(1)
    edges = np.linspace(-6, 8, 40_001)
    width = np.exp(-((edges[:-1] - np.array([[0.0], [2.0]])) ** 2) / 2)
    negatives, positives = (rng.multinomial(50_000_000, mass / mass.sum()) for mass in width)
    lines = [
        f"{key},{p},{n}"
        for key, (p, n) in enumerate(zip(positives, negatives, strict=True), 1_000_000)
    ]
    Path("big.csv").write_text("\n".join(["bin,positives,negatives", *lines]), encoding="utf-8")
    run("merge", "big.csv", "-o", "big.parquet")
    start = time.process_time()
    found = answer(run, "band big.parquet")["score"]
    spent = time.process_time() - start
    assert found["n_pos"] + found["n_neg"] == 100_000_000
    assert spent < 5.0, "about half a second where nothing else runs"


@pytest.mark.parametrize("command", ["band", "auc", "points", "report"])
def test_a_table_of_counts_without_rows_is_refused(run: Run, tmp_path: Path, command: str) -> None:
    (tmp_path / "none.csv").write_text("model,bin,positives,negatives\n", encoding="utf-8")
    found = run(command, str(tmp_path / "none.csv"))
    assert found.exit_code == 2
    assert "must contain counts; it has none" in found.output + found.stderr
