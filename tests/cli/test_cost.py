"""What `cost` prints when all is well."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from click.testing import Result
from matplotlib.axes import Axes

import rocbands as rb
from rocbands.cost.thresholds import split_rows

Run = Callable[..., Result]


def example() -> tuple[np.ndarray, dict[str, np.ndarray]]:
    sample = rb.load_example()
    return sample.is_positive.astype(int), {name: sample[name].values for name in sample}


def write(path: str, y: np.ndarray, *scores: np.ndarray) -> None:
    names = ["label", *(f"score_{letter}" for letter in "abc"[: len(scores)])]
    rows = zip(y.tolist(), *(column.tolist() for column in scores), strict=True)
    lines = [",".join(map(repr, row)) for row in rows]
    Path(path).write_text("\n".join([",".join(names), *lines]) + "\n", encoding="utf-8")


def test_without_thresholds_it_prints_the_curve_and_no_limits(run: Run) -> None:
    sample = rb.load_example()
    result = run("cost", "--example")
    assert result.exit_code == 0, result.stderr
    shown = [f"Model {name}\n{rb.cost_curve(sample[name])}" for name in sample]
    said = result.stdout.split()
    assert said == " ".join(shown).split()
    assert " ".join(said).count("Optimistic: thresholds were chosen on these rows") == 2
    assert "no confidence statement" in " ".join(said)
    assert "interval" not in result.stdout
    assert max(map(len, result.stdout.splitlines())) <= 80


def test_it_names_the_best_threshold_at_given_costs(run: Run) -> None:
    curve = rb.cost_curve(rb.load_example()["logistic"])
    for options, w in (
        (("--w", "0.2", "--w", "0.5"), [0.2, 0.5]),
        (("--c-fn", "9", "--c-fp", "1", "--prevalence", "0.1"), [0.5]),
        (("--c-fn", "1", "--c-fp", "1"), [212 / 569]),
    ):
        result = run("cost", "--example", "--score", "logistic", *options, "--json")
        assert result.exit_code == 0, result.stderr
        document = json.loads(result.stdout)
        (found,) = document["models"].values()
        assert found["schema"] == "rocbands.cost-curve/1"
        best = document["best"]["logistic"]
        assert best["w"] == pytest.approx(w)
        assert best["cost"] == curve.at(w).tolist()
        assert best["threshold"] == curve.threshold_at(w).tolist()
        assert best["cost_all_alike"] == pytest.approx(np.minimum(w, 1 - np.array(w)))
        text = run("cost", "--example", "--score", "logistic", *options).stdout
        assert ("just as optimistic" in text) == ("--w" in options)
        assert "ptimistic" in text
        assert "w_from" not in text or "--w" in options
    result = run("cost", "--example", "--score", "logistic", "--c-fn", "9", "--c-fp", "1", "--json")
    best = json.loads(result.stdout)["best"]["logistic"]
    unit = 1000 * (9 * 212 + 357) / 569
    assert best["cost_per_1000"] == pytest.approx([unit * best["cost"][0]])
    assert best["all_alike_per_1000"] == pytest.approx([1000 * 357 / 569])  # all called positive


def test_calibrated_scores_give_limits_and_a_difference(run: Run) -> None:
    sample = rb.load_example()
    result = run("cost", "--example", "--calibrated", "0.37", "--w", "0.2", "--w", "0.6")
    assert result.exit_code == 0, result.stderr
    cut = rb.cost.calibrated_thresholds([0.2, 0.6], 0.37)
    shown = [
        f"Model {name}\n{rb.cost_interval(sample[name], thresholds=cut, w=[0.2, 0.6])}"
        for name in sample
    ]
    gap = rb.cost_difference(sample, thresholds=(cut, cut), w=[0.2, 0.6])
    assert result.stdout.split() == " ".join([*shown, f"Difference {gap}"]).split()
    assert result.stderr == ""
    assert max(map(len, result.stdout.splitlines())) <= 80


def test_every_option_reaches_the_library(run: Run) -> None:
    y, models = example()
    run()
    write("valid.csv", y[::2], *(s[::2] for s in models.values()))
    write("test.csv", y[1::2], *(s[1::2] for s in models.values()))
    options = "--c-fn 5 --c-fp 2 --prevalence 0.1 --method gaussian --level 0.9 --json --seed 4"
    result = run(
        "cost", "test.csv", "--validation", "valid.csv", "--simultaneous", *options.split()
    )
    assert result.exit_code == 0, result.stderr
    found = json.loads(result.stdout, parse_constant=pytest.fail)
    assert found["schema"] == "rocbands.costs/2"
    w = rb.operating_condition(5, 2, 0.1)
    asked = {"method": "gaussian", "level": 0.9, "costs": (5, 2), "prevalence": 0.1}
    scores = [s[1::2] for s in models.values()]
    cuts = [rb.cost_thresholds(y[::2], s[::2], w=[w]).thresholds for s in models.values()]
    for name, own, cut in zip(("score_a", "score_b"), scores, cuts, strict=True):
        ci = rb.cost_interval(y[1::2], own, thresholds=cut, **asked)
        assert found["models"][name] == json.loads(ci.to_json())
    test = rb.Sample(y[1::2], dict(zip(("score_a", "score_b"), scores, strict=True)))
    gap = rb.cost_difference(test, thresholds=tuple(cuts), **asked, simultaneous=True, rng=4)
    assert found["difference"] == json.loads(gap.to_json())


def test_the_validation_set_chooses_not_the_test_set(run: Run) -> None:
    run()
    Path("valid.csv").write_text("label,score\n1,0.8\n0,0.6\n1,0.95\n0,0.2\n", encoding="utf-8")
    result = run("cost", "good.csv", "--validation", "valid.csv", "--w", "0.5", "--json")
    assert result.exit_code == 0, result.stderr
    (found,) = json.loads(result.stdout)["models"].values()
    assert found["columns"]["threshold"] == [0.8]
    assert found["columns"]["fn"] == [1]


def test_sampling_and_fixed_thresholds(run: Run) -> None:
    result = run(
        "cost", "--example", "--score", "logistic", "--threshold", "0.3", "--threshold", "0.6",
        "--w", "0.7", "--w", "0.2", "--sampling", "full", "--json",
    )  # fmt: skip
    assert result.exit_code == 0, result.stderr
    found = json.loads(result.stdout)
    ci = rb.cost_interval(
        rb.load_example()["logistic"], thresholds=[0.3, 0.6], w=[0.7, 0.2], sampling="full"
    )
    assert found["models"]["logistic"] == json.loads(ci.to_json())
    assert "difference" not in found


def test_half_of_either_class_chooses(run: Run) -> None:
    sample = rb.load_example()
    chosen, judged = split_rows(sample, 3)
    assert chosen.is_positive.sum() == 106
    assert judged.is_positive.sum() == 106
    assert chosen.is_positive.size == 284
    both = np.append(chosen.rows, judged.rows)
    assert np.array_equal(np.sort(both), np.arange(569))
    again = run("cost", "--example", "--split", "--seed", "3", "--w", "0.5", "--json")
    assert again.stderr == "thresholds chosen on 284 rows, evaluated on the other 285\n"
    found = json.loads(again.stdout)["models"]
    for name in sample:
        cut = rb.cost_thresholds(chosen[name], w=[0.5])
        ci = rb.cost_interval(judged[name], thresholds=cut)
        assert found[name] == json.loads(ci.to_json())
    other = run("cost", "--example", "--split", "--seed", "4", "--w", "0.5", "--json")
    assert other.stdout != again.stdout


@pytest.mark.parametrize(
    "options",
    [
        "",
        "--split --seed 1",
        "--calibrated 0.37 --c-fn 10 --c-fp 1 --prevalence 0.02",
        "--threshold 0.5 --w 0.3 --simultaneous --seed 1",
        "--threshold 0.5 --threshold 0.4 --w 0.3 --w 0.6",
        "--calibrated 0.37 --score logistic --w 0.3 --sampling full",
    ],
)
def test_draws(run: Run, options: str) -> None:
    result = run("cost", "--example", *options.split(), "--plot", "cost.png")
    assert result.exit_code == 0, result.stderr
    assert result.stderr.endswith("Wrote cost.png\n")
    assert Path("cost.png").stat().st_size > 10_000


def test_the_picture_runs_along_w_and_marks_what_was_asked(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    from rocbands.plot import costs

    seen = {}

    def draw(models: dict, gap: object, **style: object) -> object:
        seen.update(style, models=models, gap=gap)
        return original(models, gap, **style)

    original = costs.draw_models_by_cost
    monkeypatch.setattr(costs, "draw_models_by_cost", draw)
    options = "--calibrated 0.37 --c-fn 10 --c-fp 1 --prevalence 0.02 --plot cost.png"
    assert run("cost", "--example", *options.split()).exit_code == 0
    (w,) = seen["mark"]
    assert w == pytest.approx(float(rb.operating_condition(10, 1, 0.02)))
    assert seen["prevalence"] == 0.02
    assert w in seen["models"]["logistic"].w
    assert len(seen["models"]["logistic"]) == len(seen["gap"]) == 100


def test_the_picture_of_curves_has_the_prevalence_that_was_named(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    from rocbands.plot import save

    seen = []

    def look(ax: Axes, path: str) -> None:
        seen.extend(child.get_xlabel() for child in ax.child_axes)
        save(ax, path)

    monkeypatch.setattr("rocbands.plot.save", look)
    options = "--c-fn 10 --c-fp 1 --prevalence 0.02 --plot cost.png"
    result = run("cost", "--example", *options.split())
    assert result.exit_code == 0, result.stderr
    assert [text.rpartition(", ")[2] for text in seen] == ["at 2% positives"]
