"""Markers whose small values mean positive."""

from __future__ import annotations

import numpy as np
import pytest

import rocbands as rb
from rocbands.errors import InputError

Y = np.array([1, 1, 0, 0, 1, 0])


@pytest.mark.parametrize("kind", [float, np.float32, int, np.int8, np.uint8, np.uint16])
def test_the_curve_is_that_of_negated_scores(kind: type) -> None:
    scores = np.array([1, 2, 5, 4, 3, 2]).astype(kind)
    found = rb.Sample(Y, {"a": scores, "b": scores}).reverse("a")
    plain = rb.roc_curve(Y, -scores.astype(float))
    assert found["a"].roc.auc == plain.auc == 1.0 - rb.roc_curve(Y, scores).auc
    assert np.array_equal(found["a"].roc.tp, plain.tp)
    assert np.array_equal(found["b"].values, scores)


def test_notes_say_so_for_the_model_alone_and_twice_is_not_at_all() -> None:
    sample = rb.Sample(Y, {"hb": np.arange(6.0), "crp": np.arange(6.0)})
    found = sample.reverse(["hb"])
    (note,) = found["hb"].notes
    assert note == (
        "The scores of hb were multiplied by -1: a threshold of -2 means that hb is at most 2."
    )
    assert note in rb.auc_interval(found["hb"]).notes
    assert found["crp"].notes == ()
    assert note in found.take(np.arange(6) != 5).notes
    again = found.reverse("hb")
    assert again.notes == ()
    assert np.array_equal(again["hb"].values, sample["hb"].values)
    assert sample.notes == ()


def test_two_models_stay_paired() -> None:
    sample = rb.Sample(Y, {"a": [6, 5, 1, 2, 4, 3], "b": [1, 2, 6, 4, 3, 5]})
    assert rb.compare(sample.reverse("b")).difference == pytest.approx(
        rb.compare(Y, [6, 5, 1, 2, 4, 3], [-1, -2, -6, -4, -3, -5]).difference
    )


def test_what_cannot_be_reversed() -> None:
    sample = rb.Sample(Y, np.array([2**63, 1, 2, 3, 4, 5], dtype=np.uint64))
    with pytest.raises(InputError, match=r"below 2\*\*63 in size; found 9223372036854775808"):
        sample.reverse("score")
    with pytest.raises(InputError, match="There must be a model named 'x'"):
        sample.reverse("x")
