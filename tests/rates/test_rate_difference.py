"""Two models at the same rate, on the same rows."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

import rocbands as rb
from rocbands._math.binomial import wilson_limits
from tests.oracles.rate_difference import difference as slow

RATES = [0.0, 0.03, 0.2, 0.5, 0.77, 1.0]


@st.composite
def pairs(draw: st.DrawFn) -> tuple[list[int], list[float], list[float], list[int]]:
    """Labels, two models' scores with ties and infinities, and folds, one with both classes."""
    folds = [0, 0, *draw(st.lists(st.sampled_from([0, 0, 1]), max_size=14))]
    labels = draw(st.lists(st.integers(0, 1), min_size=len(folds), max_size=len(folds)))
    labels[:2] = 1, 0
    score = st.sampled_from([-np.inf, -1.0, 0.0, 0.5, 2.0, np.inf])
    scores = st.lists(score, min_size=len(folds), max_size=len(folds))
    return labels, draw(scores), draw(scores), folds


def of(pair: tuple, rate: object = RATES, **options: object) -> rb.results.RateDifference:
    labels, one, two, folds = pair
    return rb.rate_difference(
        rb.Sample(labels, {"model 1": one, "model 2": two}, folds=folds if 1 in folds else None),
        rate=rate,
        **options,
    )


@given(pairs(), st.sampled_from([0.5, 0.9, 0.95]), st.sampled_from(["full", "stratified"]))
def test_equals_the_definitions(pair: tuple, level: float, sampling: str) -> None:
    found = of(pair, level=level, sampling=sampling)
    assert found.sampling == sampling
    for place, rate in enumerate(RATES):
        one, two, seen, unseen = slow(*pair, rate, sampling)
        assert found.tpr_1[place] == pytest.approx(one, abs=1e-12)
        assert found.tpr_2[place] == pytest.approx(two, abs=1e-12)
        if rb_alike(found):
            continue
        half = max(norm.ppf((1 + level) / 2) * math.sqrt(seen + unseen),
                   -math.log(1 - level) * math.sqrt(unseen))  # fmt: skip
        fewest = 1.0
        if sampling == "full":  # the share of positives is an estimate
            n, share = len(pair[0]), sum(pair[0]) / len(pair[0])
            fewest = wilson_limits(share, n, level)[0] / share
        room = recall_room(*pair, rate, fewest)
        assert found.lower[place] == pytest.approx(max(one - two - half, -room), abs=1e-9)
        assert found.upper[place] == pytest.approx(min(one - two + half, room), abs=1e-9)


def rb_alike(found: rb.results.RateDifference) -> bool:
    return any("rank all rows identically" in note for note in found.notes)


def recall_room(
    labels: list[int], _: object, __: object, folds: list[int], rate: float, fewest: float
) -> float:
    """Largest difference, with that part of the positives."""
    room = 0.0
    for fold in set(folds):
        own = [label for label, of in zip(labels, folds, strict=True) if of == fold]
        count, positives = rate * len(own), fewest * sum(own)
        room += min(count, positives) - max(0.0, count - (len(own) - positives))
    return room / (fewest * sum(labels))


@given(pairs())
def test_exchanging_the_models_changes_signs(pair: tuple) -> None:
    labels, one, two, folds = pair
    here, there = of(pair), of((labels, two, one, folds))
    assert here.lower == pytest.approx(-there.upper, abs=1e-12)
    assert here.pvalue == pytest.approx(there.pvalue, abs=1e-12)


@given(pairs())
def test_exchanging_the_classes_counts_the_same_rows(pair: tuple) -> None:
    labels, one, two, folds = pair
    mirrored = ([1 - y for y in labels], [-s for s in one], [-s for s in two], folds)
    # With a random share of positives the share among negatives is another question.
    fixed = {"sampling": "stratified"}
    here, there = of(pair, **fixed), of(mirrored, [1 - rate for rate in RATES], **fixed)
    scale = here.n_pos / here.n_neg  # a row is a larger share of the smaller class
    for name in ("lower", "difference", "upper"):
        assert getattr(there, name)[::-1] == pytest.approx(scale * getattr(here, name), abs=1e-9)


@given(pairs(), st.randoms())
def test_only_ranks_matter_and_the_order_of_rows_does_not(pair: tuple, random) -> None:
    labels, one, two, folds = pair
    rows = list(range(len(labels)))
    random.shuffle(rows)
    moved = tuple([column[row] for row in rows] for column in (labels, one, two, folds))
    moved = (moved[0], np.arctan(moved[1]), [7 * s - 3 for s in moved[2]], moved[3])
    assert of(pair).lower == pytest.approx(of(moved).lower, abs=1e-12)
    assert of(pair).upper == pytest.approx(of(moved).upper, abs=1e-12)


@given(pairs(), st.sampled_from([0.8, 0.95]))
def test_the_test_and_the_limits_agree(pair: tuple, level: float) -> None:
    found = of(pair, level=level)
    away = (found.lower > 1e-9) | (found.upper < -1e-9)
    clear = np.abs(found.pvalue - (1 - level)) > 1e-6
    assert np.array_equal(away[clear], (found.pvalue < 1 - level)[clear])


def test_equal_scores_differ_by_nothing_and_say_so() -> None:
    sample = rb.load_example()
    scores = sample["logistic"].values
    found = rb.rate_difference(sample.is_positive, scores, np.exp(scores), rate=[0.05, 0.5])
    assert not found.difference.any()
    assert not found.lower.any()
    assert not found.upper.any()
    assert (found.pvalue == 1).all()
    assert rb_alike(found)


def test_models_that_agree_on_few_rows_are_not_called_equal() -> None:
    labels = [1, 1, 0, 1, 0, 0, 1, 0, 0, 0]
    one, two = [10, 9, 8, 7, 6, 5, 4, 3, 2, 1], [10, 9, 8, 7, 6, 5, 4, 3, 1, 2]
    found = rb.rate_difference(labels, one, two, rate=[0.3, 0.5])
    assert not found.difference.any()
    assert (found.upper - found.lower > 0.5).all()  # one positive is a quarter of the recall
    assert "do not differ" in found.notes[0]


def test_one_model_finds_all_and_the_other_none() -> None:
    labels = np.repeat([1, 0], 20)
    found = rb.rate_difference(labels, labels, -labels, rate=0.5)
    assert found.difference == [1.0]
    assert found.upper == [1.0]
    assert 0.5 < found.lower[0] < 1.0
    assert found.pvalue[0] < 1e-4


def test_folds_of_several_kinds_are_named() -> None:
    labels = np.repeat([1, 0, 1, 0], [80, 20, 20, 80])
    scores = np.random.default_rng(0).normal(size=(2, 200))
    unlike = rb.rate_difference(
        rb.Sample(
            labels,
            dict(zip(("model 1", "model 2"), scores, strict=True)),
            folds=np.repeat([0, 1], 100),
        ),
        rate=0.2,
    )
    assert "from 0.2 to 0.8" in unlike.notes[0]
    alike = rb.rate_difference(
        rb.Sample(
            labels, dict(zip(("model 1", "model 2"), scores, strict=True)), folds=np.arange(200) % 2
        ),
        rate=0.2,
    )
    assert alike.notes == ()


def test_the_sentence_says_what_is_in_the_table() -> None:
    sample = rb.load_example()
    found = rb.rate_difference(sample, rate=[0.05, 0.3])
    assert found.sentence_at(0.3) == (
        "At an alert rate of 30% logistic finds 66 of 100 positives and neighbours 56: "
        "10 more (5 to 15)."
    )
    other = rb.rate_difference(
        sample.is_positive, *[sample[name].values for name in sample.models[::-1]], rate=0.3
    )
    assert "10 fewer (5 to 15)." in str(other)
    assert found.to_dict()["columns"]["lower"] == found.lower.tolist()
    assert max(map(len, str(found).splitlines())) <= 100


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"rate": 5}, "`rate` must lie between 0 and 1; got 5"),
        ({"rate": []}, "`rate` must contain at least one rate"),
        ({"sampling": "half"}, "`sampling` must be one of full, stratified"),
        ({"level": 95}, "`level` must lie strictly between 0 and 1"),
        ({"names": "ab"}, "Name the models in the sample"),
        ({"y_score_2": [1]}, "must have one value for each row"),
    ],
)
def test_refuses_in_a_sentence(change: dict, words: str) -> None:
    asked = {"y_true": [1, 0, 1, 0], "y_score_1": [4, 3, 2, 1], "y_score_2": [1, 2, 3, 4],
             "rate": 0.5, **change}  # fmt: skip
    with pytest.raises(rb.InputError, match=words):
        rb.rate_difference(**asked)


def test_what_it_cannot_use_is_refused() -> None:
    models = {"a": [4, 3, 2, 1], "b": [1, 2, 3, 4]}
    one, two = (rb.Sample([1, 0, 1, 0], {name: s}) for name, s in models.items())
    with (
        pytest.warns(rb.RocBandsWarning, match="same labels in the same order"),
        pytest.raises(rb.InputError, match="does not compare on different rows"),
    ):
        rb.rate_difference(one, two, rate=0.5)


REPS = 1200


@pytest.mark.parametrize("seed", range(6))
def test_all_rows_found_by_both_differ_by_exactly_0(seed: int) -> None:
    rng = np.random.default_rng(seed)
    y, clusters, weights = np.arange(200) % 3 == 0, rng.integers(0, 60, 200), 1 + rng.random(200)
    models = {name: rng.normal(size=200) + y for name in "ab"}
    sample = rb.Sample(y, models, clusters=clusters, weights=weights)
    for sampling in ("full", "stratified"):
        found = rb.rate_difference(sample, rate=[1.0], sampling=sampling)
        assert found.difference[0] == 0.0
        assert not found.better
