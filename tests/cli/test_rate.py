"""What `rate` prints when all is well, and when it is not."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from click.testing import Result

import rocbands as rb

Run = Callable[..., Result]


def fold_file(path: str) -> tuple[np.ndarray, dict[str, np.ndarray], np.ndarray]:
    """Write the example with stratified folds and 0/1 labels."""
    sample = rb.load_example()
    labels = sample.is_positive.astype(int)
    folds = np.empty(labels.size, dtype=int)
    for label in (0, 1):
        rows = np.flatnonzero(labels == label)
        folds[rows] = np.arange(rows.size) % 4
    lines = [
        f"{label},{one},{two},{fold}"
        for label, one, two, fold in zip(labels, *(sample[model].values.tolist() for model in sample.models), folds, strict=True)
    ]  # fmt: skip
    Path(path).write_text(
        "\n".join(["label,score_a,score_b,fold", *lines]) + "\n", encoding="utf-8"
    )
    return labels, {name: sample[name].values for name in sample}, folds


def test_prints_what_the_library_shows(run: Run) -> None:
    sample = rb.load_example()
    result = run("rate", "--example", "--rate", "0.2", "--rate", "0.05")
    assert result.exit_code == 0, result.stderr
    shown = [f"Model {name}\n{rb.rate_bounds(sample[name], rate=[0.05, 0.2])}" for name in sample]
    gap = rb.rate_difference(sample, rate=[0.05, 0.2])
    assert result.stdout.split() == " ".join([*shown, f"Difference {gap}"]).split()
    assert result.stderr == ""


def test_every_option_reaches_the_library(run: Run) -> None:
    labels, models, folds = fold_file("cv.csv")
    result = run(
        "rate", "cv.csv", "--folds", "fold", "--rate", "0.1", "--method", "conditional",
        "--level", "0.9", "--future", "212,357", "--scheme", "counts", "--seed", "3", "--json",
    )  # fmt: skip
    assert result.exit_code == 0, result.stderr
    found = json.loads(result.stdout, parse_constant=pytest.fail)
    assert found["schema"] == "rocbands.rates/1"
    scores = dict(zip(("score_a", "score_b"), models.values(), strict=True))
    sample = rb.Sample(labels, scores, folds=folds)
    for name in sample:
        bounds = rb.rate_bounds(
            sample[name], method="conditional", rate=[0.1], level=0.9, future=(212, 357),
            scheme="counts", rng=3,
        )  # fmt: skip
        assert found["models"][name] == json.loads(bounds.to_json())
    gap = rb.rate_difference(sample, rate=0.1, level=0.9)
    assert found["difference"] == json.loads(gap.to_json())


def test_one_model_or_no_rate_has_no_difference(run: Run) -> None:
    for options in (("--score", "logistic", "--rate", "0.1"), ()):
        result = run("rate", "--example", "--json", *options)
        assert result.exit_code == 0, result.stderr
        assert "difference" not in json.loads(result.stdout)


@pytest.mark.parametrize("space", ["recall", "roc"])
def test_draws(run: Run, space: str) -> None:
    result = run("rate", "--example", "--rate", "0.1", "--plot", "rate.png", "--space", space)
    assert result.exit_code == 0, result.stderr
    assert result.stderr == "Wrote rate.png\n"
    assert Path("rate.png").stat().st_size > 10_000


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--rate", "5"), "--rate must lie between 0 and 1; got 5"),
        (("--method", "magic"), "--method must be one of score"),
        (("--sampling", "magic"), "--sampling must be one of full, stratified"),
        (("--level", "95"), "--level must lie strictly between 0 and 1"),
        (("--scheme", "magic"), "--scheme must be one of counts, reference"),
        (("--method", "baseline-t"), "at least two folds"),
        (("--folds", "logistic"), "fold"),
    ],
)
def test_mistakes_are_one_line_in_its_own_words(run: Run, options: tuple, words: str) -> None:
    result = run("rate", "--example", *options)
    assert result.exit_code == 2
    assert words in result.stderr
    assert result.stderr.count("\n") == 1
    assert not result.stdout
