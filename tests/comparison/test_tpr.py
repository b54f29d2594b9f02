"""True positive rates at a false positive rate, against a plain loop."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rocbands as rb
from rocbands.comparison.tpr import SteppedRows
from rocbands.resample.weights import draw_weights
from tests.comparison.test_delong import SIM, Y, pairs
from tests.oracles import compare as oracle

MODELS = {"a": SIM["s1"], "b": SIM["s2"], "c": SIM["s1"] + SIM["s2"]}


@settings(max_examples=30)
@given(pairs(least=2), st.sampled_from([0.1, 0.25, 0.5, 0.8]))
def test_resampled_heights_in_a_plain_loop(rows, fpr) -> None:
    labels, one, _ = rows
    scores = rb.Scores.from_columns(labels, one)
    drawn = draw_weights(scores, None, 3, np.random.default_rng(2))
    found = SteppedRows.from_scores(scores).compute_tpr(drawn, fpr)
    for k, weights in enumerate(drawn.T):
        chosen = np.repeat(np.arange(labels.size), weights.astype(int))
        expected = oracle.height(labels[chosen].tolist(), one[chosen].tolist(), fpr)
        assert found[k] == pytest.approx(expected, abs=1e-9)


def test_heights_at_a_rate() -> None:
    found = rb.compare_tpr(Y, MODELS["a"], MODELS["b"], fpr=0.2, rng=1)
    heights = [oracle.height(Y.tolist(), MODELS[k].tolist(), 0.2) for k in "ab"]
    assert found.estimates == pytest.approx(tuple(heights))
    assert found.low < found.difference < found.high
    same = rb.compare_tpr(Y, MODELS["a"], MODELS["a"], fpr=0.2, rng=1)
    assert (same.difference, same.pvalue) == (0.0, 1.0)
    fine = rb.compare_tpr(Y, MODELS["a"], MODELS["b"], fpr=0.2, margin=0.1, rng=1)
    assert fine.verdict.startswith("Not inferior")
    other = rb.compare_tpr(Y, MODELS["b"], MODELS["a"], fpr=0.2, margin=0.05, rng=1)
    assert "not shown" in other.verdict
    assert any("too few" in n for n in rb.compare_tpr(Y, *list(MODELS.values())[:2], 0.01).notes)
    with pytest.raises(rb.InputError, match="strictly between"):
        rb.compare_tpr(Y, MODELS["a"], MODELS["b"], fpr=1.0)
