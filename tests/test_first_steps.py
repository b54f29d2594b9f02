"""What somebody meets who tries the library for the first time: words, mistakes, pictures."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from matplotlib.figure import Figure

import rocbands as rb
from rocbands.cli import main

Y, MODELS = rb.load_example()
LOGISTIC = MODELS["logistic"]
M = {"positive": "malignant"}


def run(line: str, **more: str) -> str:
    """Run a command that succeeds; return what it prints."""
    result = CliRunner().invoke(main, line.split(), **more)
    assert result.exit_code == 0, result.stderr
    return str(result.stdout)


def refuse(line: str) -> str:
    """Run a command that is refused; return its one line."""
    result = CliRunner().invoke(main, line.split())
    assert result.exit_code == 2
    return str(result.stderr)


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
        ({"recall": 0.8}, "recall", "fpr", "learning"),
        ({"fpr": 0.1}, "fpr", "tpr", "rates"),
    ],
)
def test_points_answer_in_the_words_of_the_question(asked, first, second, words) -> None:
    found = rb.operating_points(Y, LOGISTIC, **asked, **M)
    assert found.words == words
    assert list(found.columns())[:2] == [first, second]
    given = rb.operating_points(Y, LOGISTIC, **asked, words="rates", **M)
    assert given.words == "rates"
    np.testing.assert_array_equal(found.tpr_low, given.tpr_low)
    ((name, value),) = asked.items()
    assert run(f"points --example --score logistic --{name} {value}").count(second) >= 1


def test_notes_are_in_these_words_too() -> None:
    found = rb.operating_points(Y, MODELS["neighbours"], specificity=0.9, **M)
    assert "At specificity 0.9 both classes share a score" in str(found)
    assert "fpr" not in str(found)


def test_a_comparison_answers_in_the_words_of_the_question() -> None:
    found = rb.compare_tpr(Y, *MODELS.values(), specificity=0.9, **M)
    assert found.quantity == "sensitivity at specificity 0.9"
    assert found.difference == rb.compare_tpr(Y, *MODELS.values(), fpr=0.1, **M).difference
    said = run("compare --example --at-specificity 0.9")
    assert "Sensitivity at specificity 0.9 of logistic minus neighbours" in " ".join(said.split())
    assert "fpr" not in said.lower()


def test_refusals_name_what_was_asked() -> None:
    with pytest.raises(rb.InputError, match="`specificity` and `recall` were") as caught:
        rb.operating_points(Y, LOGISTIC, specificity=0.9, recall=0.8, **M)
    assert "specificity=0.95" in str(caught.value)


# ------------------------------------------------------------------- one thing, one spelling


def test_costs_and_capacity_are_spelled_alike_everywhere() -> None:
    for function, own, other in (
        (rb.rate_bounds, {"rates": 0.1}, {"capacity": 0.1}),
        (rb.operating_points, {"rate": 0.1}, {"capacity": 0.1}),
        (
            rb.operating_points,
            {"best": "cost", "c_fn": 5, "c_fp": 2},
            {"best": "cost", "costs": (5, 2)},
        ),
        (
            rb.cost_interval,
            {"thresholds": 0.5, "costs": (5, 2)},
            {"thresholds": 0.5, "c_fn": 5, "c_fp": 2},
        ),
    ):
        one, two = (function(Y, LOGISTIC, **asked, **M).to_csv() for asked in (own, other))
        assert one == two
    with pytest.raises(rb.InputError, match="go together; only `c_fn` was given"):
        rb.cost_interval(Y, LOGISTIC, thresholds=0.5, c_fn=5, **M)
    with pytest.raises(rb.InputError, match="must be the cost of a false negative"):
        rb.operating_points(Y, LOGISTIC, best="cost", costs=5, **M)


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
    known = rb.rate_bounds(Y, LOGISTIC, rates=0.1, **M)
    place = rates["rate"].index(0.1)
    assert rates["threshold"][place] == known.threshold[0]
    assert rates["cases"][place] == known.cases[0] == 57
    assert rates["precision"][place] == pytest.approx(known.precision[0], rel=1e-5)
    assert "act on 57 cases with scores from 0.9358 up, of which 98.2% are" in rates["sentence"]


def test_a_report_shows_the_rates_of_the_threshold_itself() -> None:
    # Half of each class at one score: the curve has fpr 0.1, no threshold does.
    y, scores = np.repeat([1, 0], 20), np.tile([2.0, 1.0], 20)
    (model,) = rb.report(y, {"tied": scores}, path=None, rng=1).payload["models"]
    point = next(point for point in model["points"] if point["fpr"] == 0.1)
    assert (point["tpr"], point["threshold"]) == (pytest.approx(0.1), "inf")
    assert (point["threshold_fpr"], point["threshold_tpr"]) == (0.0, 0.0)


# ------------------------------------------------------------------------ rare positives


def test_tables_of_bands_have_low_rates_where_negatives_are_many() -> None:
    def shown(n_neg: int) -> list[float]:
        return list(rb.roc_band(*draw_rare(30, n_neg)).summary()[1]["fpr"][:4])

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
            run(f"roc {file} --plot {picture}{more}")
            text = picture.read_text()
            assert ("10^{-3}" in text or "mathdefault{10^{-3}}" in text) == wanted
        assert rb.report(y, {"a": scores}, path=None, rng=1).payload["preset"]["log_axis"] == log


# ------------------------------------------------------------------------------ mistakes


def test_reversed_scores_are_asked_about() -> None:
    question = "Positives rank below negatives"
    for result in (
        rb.roc_curve(Y, -LOGISTIC, **M),
        rb.roc_band(Y, -LOGISTIC, **M),
        rb.operating_points(Y, -LOGISTIC, fpr=0.1, **M),
        rb.operating_points(Y, -LOGISTIC, threshold=-0.5, **M),
    ):
        assert str(result).count(question) == 1
    assert question not in str(rb.roc_band(Y, LOGISTIC, **M))
    rng = np.random.default_rng(2)  # chance is no reason to ask
    y = rng.integers(0, 2, 60)
    assert question not in str(rb.roc_band(y, rng.random(60) - 0.1 * y))
    said = run("band --example --score logistic --positive benign")
    assert "is --positive the right label?" in " ".join(said.split())


def test_a_misspelt_label_is_answered_with_the_right_one() -> None:
    with pytest.raises(
        rb.InputError, match=r"'Malignent' is not one of .*Did you mean 'malignant'"
    ):
        rb.auc_interval(Y, LOGISTIC, positive="Malignent")


def test_exchanged_columns_and_joined_names_are_recognised(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    file.write_text("state,one,two\nsick,0.9,1\nwell,0.1,2\nsick,0.7,3\nwell,0.3,4\n")
    said = refuse(f"auc {file} --label one --score state")
    assert "Is 'one' the column of scores, and 'state' that of labels? Then exchange" in said
    said = refuse(f"auc {file} --label state --score one,two")
    assert "Name one column at a time: --score one --score two." in said
    assert "exchange --label" not in refuse(f"auc {file} --label state --score state2")


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
    band = rb.roc_band(Y, LOGISTIC, **M)
    for draw in (band.plot, rb.tabulate({"a": band}).plot):
        with pytest.raises(TypeError, match=said):
            draw(**given)
    with pytest.raises(TypeError, match="It has ax, color"):
        rb.auc_interval(Y, MODELS, **M).plot(nonsense=1)


# -------------------------------------------------------------------------------- tables


def test_a_table_names_all_models_in_one_line() -> None:
    shown = repr(rb.auc_interval(Y, MODELS, **M))
    assert re.fullmatch(r"<Table of 2 models, AUC: logistic 0\.8995 \(.*\), neighbours .*>", shown)
    shown = repr(rb.roc_band(Y, MODELS, **M))
    assert shown == "<Table of 2 models, Band: logistic (AUC 0.8995), neighbours (AUC 0.8000)>"


def test_names_of_columns_name_the_models() -> None:
    frame = pd.DataFrame(MODELS)
    found = rb.compare(Y, frame["logistic"], frame["neighbours"], **M)
    assert found.names == ("logistic", "neighbours")
    assert rb.compare(Y, frame["logistic"], frame["neighbours"], names=("a", "b"), **M).names == (
        "a",
        "b",
    )
    assert rb.compare(Y, frame["logistic"], frame["logistic"], **M).names == ("model 1", "model 2")


def test_latex_has_no_standard_errors() -> None:
    found = rb.auc_interval(Y, LOGISTIC, **M)
    assert "standard" not in found.to_latex()
    assert "standard_error" in found.to_csv()
