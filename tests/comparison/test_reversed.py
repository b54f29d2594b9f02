"""Comparisons ask first about a model that ranks positives below negatives."""

from __future__ import annotations

import re

import numpy as np
import pytest

import rocbands as rb

ASK = r"^b \(AUC 0\.1\d\d\) ranks positives below negatives: do larger scores mean more positive\? "


def draw(seed: int = 3) -> rb.Sample:
    rng = np.random.default_rng(seed)
    y = rng.random(200) < 0.4
    scores = rng.normal(size=(3, 200)) + [[1.0], [1.5], [0.9]] * y
    return rb.Sample(y, {"a": scores[0], "b": -scores[1], "c": scores[2]})


@pytest.mark.parametrize(
    "ask",
    [
        lambda s: rb.compare(s[["a", "b"]]),
        lambda s: rb.compare(s[["b", "a"]]),
        lambda s: rb.compare(s[["a", "b"]], method="bootstrap", n_resamples=200),
        lambda s: rb.compare(s["a"].take(np.arange(100)), s["b"].take(np.arange(100, 200))),
        lambda s: rb.compare_tpr(s[["a", "b"]], fpr=0.2),
        lambda s: rb.compare_many(s[["a", "b"]]),
        rb.compare_many,
        lambda s: rb.difference_band(s[["a", "b"]], n_resamples=200),
    ],
)
def test_a_reversed_model_is_asked_about_first(ask) -> None:
    found = ask(draw())
    if found.question.startswith("model 2"):  # two test sets have no names
        found.question.index("ranks positives below negatives")
        return
    assert found.sentence.startswith(found.question)
    assert re.match(ASK, found.sentence), found.sentence
    assert str(found).startswith("b (AUC")


def test_others_are_not_asked_about() -> None:
    sample = draw()
    assert rb.compare(sample[["a", "c"]]).question == ""
    y = np.arange(40) % 2  # below one half, but not shown to be
    rng = np.random.default_rng(1)
    guess = rng.normal(size=40) - 0.1 * y
    found = rb.compare(y, guess, rng.normal(size=40))
    assert found.question == ""
