"""What somebody meets who tries the library for the first time: words, mistakes, pictures."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from matplotlib.figure import Figure

import rocbands as rb
from rocbands.cli import main

SAMPLE = rb.load_example()
LOGISTIC = SAMPLE["logistic"]


def run(line: str, **more: str) -> str:
    """Run a command that succeeds; return what it prints."""
    result = CliRunner().invoke(main, shlex.split(line), **more)
    assert result.exit_code == 0, result.stderr
    return str(result.stdout)


def refuse(line: str) -> str:
    """Run a command that is refused; return its one line."""
    result = CliRunner().invoke(main, shlex.split(line))
    assert result.exit_code == 2
    return str(result.stderr)


def quote(file: Path) -> str:
    """Write a file in a command: its folder may have spaces."""
    return shlex.quote(str(file))


def draw_rare(n_pos: int, n_neg: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(1)
    y = np.repeat([1, 0], [n_pos, n_neg])
    return y, rng.normal(size=y.size) + 2 * y


# ------------------------------------------------------------------------------------- words


@pytest.mark.parametrize(
    ("asked", "first", "second", "words"),
    [
        ({"specificity": 0.9}, "specificity", "sensitivity", "medical"),
        ({"sensitivity": 0.8}, "sensitivity", "specificity", "medical"),
        ({"tpr": 0.8}, "tpr", "fpr", "rates"),
        ({"fpr": 0.1}, "fpr", "tpr", "rates"),
    ],
)
def test_points_answer_in_the_words_of_the_question(asked, first, second, words) -> None:
    found = rb.operating_points(LOGISTIC, **asked)
    assert found.words == words
    assert list(found.columns())[:2] == [first, second]
    given = rb.operating_points(LOGISTIC, **asked, words="rates")
    assert given.words == "rates"
    np.testing.assert_array_equal(found.tpr_lower, given.tpr_lower)
    ((name, value),) = asked.items()
    assert run(f"points --example --score logistic --{name} {value}").count(second) >= 1


def test_notes_are_in_these_words_too() -> None:
    found = rb.operating_points(SAMPLE["neighbours"], specificity=0.9)
    assert "At specificity 0.9 both classes share a score" in str(found)
    assert "fpr" not in str(found)


def test_a_comparison_answers_in_the_words_of_the_question() -> None:
    found = rb.compare_tpr(SAMPLE, specificity=0.9)
    assert found.quantity == "sensitivity at specificity 0.9"
    assert found.difference == rb.compare_tpr(SAMPLE, fpr=0.1).difference
    said = run("compare --example --at-specificity 0.9")
    assert "Sensitivity at specificity 0.9 of logistic minus neighbours" in " ".join(said.split())
    assert "fpr" not in said.lower()


def test_refusals_name_what_was_asked() -> None:
    with pytest.raises(rb.InputError, match="`specificity` and `tpr` were"):
        rb.operating_points(LOGISTIC, specificity=0.9, tpr=0.8, words="learning")
    with pytest.raises(rb.InputError, match=r"For 90% pass specificity=0\.9"):
        rb.operating_points(LOGISTIC, specificity=90)


# ------------------------------------------------------------------- one thing, one spelling


def test_costs_and_rates_are_spelled_alike_everywhere() -> None:
    for function, own, wrong, here in (
        (rb.rate_bounds, {"rate": 0.1}, {"rates": 0.1}, "rate"),
        (rb.rate_bounds, {"rate": 0.1}, {"capacity": 0.1}, "rate"),
        (rb.operating_points, {"rate": 0.1}, {"capacity": 0.1}, "rate"),
        (rb.operating_points, {"best": "cost", "costs": (5, 2)}, {"c_fn": 5}, "costs"),
        (rb.cost_interval, {"thresholds": 0.5, "costs": (5, 2)}, {"c_fp": 5}, "costs"),
    ):
        function(LOGISTIC, **own)
        with pytest.raises(TypeError, match=f"It is called `{here}` here"):
            function(LOGISTIC, **wrong)
    for costs in (5, (5,)):
        for function, asked in (
            (rb.cost_interval, {"thresholds": 0.5}),
            (rb.operating_points, {"best": "cost"}),
        ):
            with pytest.raises(rb.InputError, match="must be the cost of a false negative"):
                function(LOGISTIC, costs=costs, **asked)


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("rate --example --rate 0.1", "rate --example --capacity 0.1"),
        ("points --example --rate 0.1", "points --example --capacity 0.1"),
        ("cost --example --c-fn 5 --c-fp 2", "cost --example --costs 5 2"),
        (
            "points --example --best cost --c-fn 5 --c-fp 2",
            "points --example --best cost --costs 5 2",
        ),
        (
            "cost --condition --c-fn 5 --c-fp 2 --prevalence 0.1",
            "cost --condition --costs 5 2 --prevalence 0.1",
        ),
    ],
)
def test_commands_take_both_spellings(one: str, two: str) -> None:
    assert run(one) == run(two)


def test_a_report_takes_both_spellings_and_says_what_a_capacity_means() -> None:
    example = "report --example --score logistic --json --seed 1"
    one = json.loads(run(f"{example} --costs 5 2 --capacity 0.1"))
    two = json.loads(run(f"{example} --c-fn 5 --c-fp 2 --rate 0.1"))
    for part in ("preset", "models", "headline"):
        assert one[part] == two[part]
    rates = one["models"][0]["rates"]
    known = rb.rate_bounds(LOGISTIC, rate=0.1)
    place = rates["rate"].index(0.1)
    assert rates["threshold"][place] == known.threshold[0]
    assert rates["cases"][place] == known.cases[0] == 57
    assert rates["precision"][place] == pytest.approx(known.precision[0], rel=1e-5)
    assert "57 of 569 cases, scores from 0.935)" in rates["sentence"]


def test_a_report_shows_the_rates_of_the_threshold_itself() -> None:
    # Half of each class at one score: the curve has fpr 0.1, no threshold does.
    y, scores = np.repeat([1, 0], 20), np.tile([2.0, 1.0], 20)
    (model,) = rb.report(rb.Sample(y, {"tied": scores}), path=None, rng=1).payload["models"]
    point = next(point for point in model["points"] if point["fpr"] == 0.1)
    assert (point["tpr"], point["threshold"]) == (pytest.approx(0.1), "inf")
    assert (point["threshold_fpr"], point["threshold_tpr"]) == (0.0, 0.0)


# ------------------------------------------------------------------------ rare positives


def test_tables_of_bands_have_low_rates_where_negatives_are_many() -> None:
    def shown(n_neg: int) -> list[float]:
        return list(rb.roc_band(*draw_rare(30, n_neg)).describe()[1]["fpr"][:4])

    assert shown(300) == [0.0, 0.01, 0.02, 0.05]
    assert shown(1000) == [0.0, 0.005, 0.01, 0.02]
    assert shown(60_000) == [0.0, 0.0001, 0.001, 0.005]


def test_a_logarithmic_axis() -> None:
    y, scores = draw_rare(50, 20_000)
    roc, band = rb.roc_curve(y, scores), rb.roc_band(y, scores)
    points = rb.operating_points(y, scores, fpr=0.001)
    for result in (roc, band, points):
        ax = result.plot(Figure().subplots(), log=True)
        assert (ax.get_xscale(), ax.get_xlim()) == ("log", (1e-5, 1.0))
        assert result.plot(Figure().subplots()).get_xscale() == "linear"
    # The line of guessing is bent, and so is a slanted piece of a curve.
    tied = rb.roc_curve([1, 0, 1, 0], [1, 1, 1, 1])
    ax = tied.plot(Figure().subplots(), log=True)
    for line in ax.lines:
        x, y = line.get_data()
        assert x.size > 50
        np.testing.assert_allclose(x, y, atol=1e-12)
    assert ax.get_xlim() == (0.1, 1.0)


def test_commands_choose_the_axis_as_reports_do(tmp_path: Path) -> None:
    for size, log in ((2000, False), (20_000, True)):
        y, scores = draw_rare(50, size)
        file = tmp_path / f"{size}.csv"
        pd.DataFrame({"label": y, "score": scores}).to_csv(file, index=False)
        for more, wanted in (("", log), (" --log", True), (" --linear", False)):
            picture = tmp_path / "roc.svg"
            run(f"roc {quote(file)} --plot {quote(picture)}{more}")
            text = picture.read_text(encoding="utf-8")
            assert ("10^{-3}" in text or "mathdefault{10^{-3}}" in text) == wanted
        assert (
            rb.report(rb.Sample(y, {"a": scores}), path=None, rng=1).payload["preset"]["log_axis"]
            == log
        )


# ------------------------------------------------------------------------------ mistakes


def test_reversed_scores_are_asked_about() -> None:
    question = "Positives rank below negatives"
    for result in (
        rb.roc_curve(SAMPLE.is_positive, -LOGISTIC.values),
        rb.roc_band(SAMPLE.is_positive, -LOGISTIC.values),
        rb.operating_points(SAMPLE.is_positive, -LOGISTIC.values, fpr=0.1),
        rb.operating_points(SAMPLE.is_positive, -LOGISTIC.values, threshold=-0.5),
    ):
        assert str(result).count(question) == 1
    assert question not in str(rb.roc_band(LOGISTIC))
    rng = np.random.default_rng(2)  # chance is no reason to ask
    y = rng.integers(0, 2, 60)
    assert question not in str(rb.roc_band(y, rng.random(60) - 0.1 * y))
    said = run("band --example --score logistic --positive benign")
    assert "is --positive the right label?" in " ".join(said.split())


def test_a_misspelt_label_is_answered_with_the_right_one() -> None:
    with pytest.raises(
        rb.InputError, match=r"'Malignent' is not one of .*Did you mean 'malignant'"
    ):
        rb.auc_interval(
            np.where(SAMPLE.is_positive, "malignant", "benign"),
            LOGISTIC.values,
            positive="Malignent",
        )


def test_exchanged_columns_and_joined_names_are_recognised(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    file.write_text(
        "state,one,two\nsick,0.9,1\nwell,0.1,2\nsick,0.7,3\nwell,0.3,4\n", encoding="utf-8"
    )
    said = refuse(f"auc {quote(file)} --label one --score state")
    assert "Is 'one' the column of scores, and 'state' the labels? Then exchange" in said
    said = refuse(f"auc {quote(file)} --label state --score one,two")
    assert "Name one column at a time: --score one --score two." in said
    assert "exchange --label" not in refuse(f"auc {quote(file)} --label state --score state2")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"title": "A"}, r"has no argument 'title'\. .*plot\(\)\.set_title\('A'\)\. It has ax, x,"),
        ({"colour": "red"}, "Did you mean `color`"),
        ({"figsize": (3, 3)}, "pass them as `ax`"),
        ({"nonsense": 1}, r"has no argument 'nonsense'\. It has ax, x, log, label, color"),
    ],
)
def test_a_picture_says_which_arguments_it_has(given, said) -> None:
    band = rb.roc_band(LOGISTIC)
    for draw in (band.plot, rb.Table({"a": band}).plot):
        with pytest.raises(TypeError, match=said):
            draw(**given)
    with pytest.raises(TypeError, match="It has ax, color"):
        SAMPLE.each(rb.auc_interval).plot(nonsense=1)


# -------------------------------------------------------------------------------- tables


def test_a_table_names_all_models_in_one_line() -> None:
    shown = repr(SAMPLE.each(rb.auc_interval))
    assert re.fullmatch(r"<Table: 2 models, AUC: logistic 0\.8995 \(.*\), neighbours .*>", shown)
    shown = repr(SAMPLE.each(rb.roc_band))
    assert shown == "<Table: 2 models, Band: logistic, neighbours>"


def test_names_of_columns_name_the_models() -> None:
    frame = pd.DataFrame({name: SAMPLE[name].values for name in SAMPLE.models})
    found = rb.compare(SAMPLE.is_positive, frame["logistic"], frame["neighbours"])
    assert found.names == ("logistic", "neighbours")
    assert rb.compare(
        rb.Sample(SAMPLE.is_positive, {"a": frame["logistic"], "b": frame["neighbours"]})
    ).names == ("a", "b")
    assert rb.compare(SAMPLE.is_positive, frame["logistic"], frame["logistic"]).names == (
        "model 1",
        "model 2",
    )


def test_latex_has_no_standard_errors() -> None:
    found = rb.auc_interval(LOGISTIC)
    assert "standard" not in found.to_latex()
    assert "standard_error" in found.to_csv()
